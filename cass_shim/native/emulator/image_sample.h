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
} sampler_t;

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

/* Channels as emu_texel_read gives them, filtered when linear. */
void emu_sample_level(const image_t *image, const sampler_t *sampler, const lookup_t *at,
                      unsigned level, int linear, uint32_t out[4], sample_fault *fault);
/* Channel `channel` of the four texels that a linear filter would blend: (0, 1) (1, 1) (1, 0)
 * (0, 0). */
void emu_gather_level(const image_t *image, const sampler_t *sampler, const lookup_t *at,
                      unsigned level, unsigned channel, uint32_t out[4], sample_fault *fault);

#endif
