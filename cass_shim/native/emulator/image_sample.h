/* Sampling: what the sampler descriptor asks for, and one lookup of one lane. Source: AMD RDNA3
 * ISA, "Image Sampler Descriptor"; what it leaves open (rounding of positions and weights to 8
 * fraction bits) is chosen so that NVIDIA's recorded results come out. */
#ifndef CASS_EMU_IMAGE_SAMPLE_H
#define CASS_EMU_IMAGE_SAMPLE_H

#include "emulator/image.h"

typedef struct {
    uint8_t clamp[3];
    uint8_t mag_filter, min_filter, z_filter, mip_filter, border;
    int unnormalized, truncate, cube_wrap;
    float min_lod, max_lod, lod_bias;
    const uint32_t *border_color; /* of the table, for GFX11_BORDER_TABLE */
} sampler_t;

/* The table of border colours, which on hardware is the kernel driver's: bits of four channels
 * each. An entry is written once, before a sampler names it. */
extern uint32_t emu_border_colors[GFX11_BORDER_COLORS][4];

/* NULL, or what is not implemented. */
const char *emu_image_sampler(const wave_t *w, const op_t *o, sampler_t *sampler);

/* A lookup: coordinates as given (normalized unless the sampler says otherwise), then where they
 * lead. */
typedef struct {
    float coordinate[3]; /* those that are filtered */
    int offset[3];       /* texels */
    int64_t slice;       /* plane of an array, face of a cube; unused in 3D */
    unsigned dim;
} lookup_t;

/* A bad address: where; the texel cannot be read. */
typedef struct {
    uint64_t address;
    int failed;
} sample_fault;

enum { IMAGE_WHOLE = 256 };                    /* a weight of 1: weights have 8 fraction bits */
static const double IMAGE_STEPS = IMAGE_WHOLE; /* the same, to count with */

/* One or two levels and their weights, which add up to IMAGE_WHOLE. */
typedef struct {
    unsigned level[2], weight[2];
    int linear; /* within a level */
} levels_t;

/* log2 of the texels that a step covers; dx, dy: change of each coordinate in texels. */
double emu_level_of_gradients(const double dx[3], const double dy[3]);
/* Channels as emu_texel_read gives them, filtered when linear. */
void emu_sample_levels(const image_t *image, const sampler_t *sampler, const lookup_t *at,
                       const levels_t *levels, uint32_t out[4], sample_fault *fault);
/* Channel `channel` of the four texels that a linear filter would blend: (0, 1) (1, 1) (1, 0)
 * (0, 0). */
void emu_gather_level(const image_t *image, const sampler_t *sampler, const lookup_t *at,
                      unsigned level, unsigned channel, uint32_t out[4], sample_fault *fault);

#endif
