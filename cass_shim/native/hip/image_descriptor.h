/* What gfx11 is told of an image and a sampler: 8 and 4 dwords, and how linear images lie in
 * memory. Used by what makes descriptors (the CUDA driver, the emulated HIP) and by the emulator,
 * which reads them.
 *
 * Sources: AMD RDNA3 ISA, "Image Resource Descriptor" and "Image Sampler Descriptor"; the register
 * lists of Mesa (gfx11) and ROCR (resource_gfx11.h) for positions and numbers; AMD's addrlib for
 * the layout (rows of whole 256 bytes; of a chain of levels the smallest first, a chain per
 * slice). */
#ifndef CASS_IMAGE_DESCRIPTOR_H
#define CASS_IMAGE_DESCRIPTOR_H

#include <stdint.h>

enum {
    GFX11_IMAGE_DWORDS = 8,
    GFX11_SAMPLER_DWORDS = 4,
    GFX11_MAX_SIDE = 16384,
    GFX11_MAX_SLICES = 8192,
    GFX11_MAX_LEVELS = 15,
    GFX11_ROW_ALIGN = 256,
    GFX11_BORDER_COLORS = 4096 /* of the table, 16 bytes each */
};

/* Fields: dword, lowest bit, bits. */
#define GFX11_BASE_LOW 0, 0, 32 /* address >> 8 */
#define GFX11_BASE_HIGH 1, 0, 8
#define GFX11_MAX_MIP 1, 16, 4 /* levels of the whole image - 1 */
#define GFX11_FORMAT 1, 20, 8
#define GFX11_WIDTH_LOW 1, 30, 2 /* of width - 1 */
#define GFX11_WIDTH_HIGH 2, 0, 12
#define GFX11_HEIGHT 2, 14, 14 /* - 1 */
#define GFX11_SELECT(i) 3, 3 * (i), 3
#define GFX11_BASE_LEVEL 3, 12, 4
#define GFX11_LAST_LEVEL 3, 16, 4
#define GFX11_SWIZZLE_MODE 3, 20, 5
#define GFX11_TYPE 3, 28, 4
#define GFX11_DEPTH 4, 0, 13 /* 3D: depth - 1; arrays and cubes: last slice */
#define GFX11_PITCH 4, 0, 14 /* 1D and 2D: texels of a row - 1 */
#define GFX11_BASE_ARRAY 4, 16, 13
#define GFX11_COMPRESSED 6, 21, 1

#define GFX11_CLAMP(i) 0, 3 * (i), 3
#define GFX11_MAX_ANISO 0, 9, 3
#define GFX11_UNNORMALIZED 0, 15, 1
#define GFX11_TRUNCATE 0, 27, 1 /* nearest texel: coordinates are not rounded to 8 bits first */
#define GFX11_NO_CUBE_WRAP 0, 28, 1
#define GFX11_MIN_LOD 1, 0, 12 /* 4.8 */
#define GFX11_MAX_LOD 1, 12, 12
#define GFX11_LOD_BIAS 2, 0, 14 /* signed 6.8 */
#define GFX11_MAG_FILTER 2, 20, 2
#define GFX11_MIN_FILTER 2, 22, 2
#define GFX11_Z_FILTER 2, 24, 2
#define GFX11_MIP_FILTER 2, 26, 2
#define GFX11_BORDER_INDEX 3, 0, 12 /* in the table */
#define GFX11_BORDER 3, 30, 2

enum { GFX11_SELECT_0 = 0, GFX11_SELECT_1 = 1, GFX11_SELECT_X = 4 };
enum {
    GFX11_1D = 8,
    GFX11_2D,
    GFX11_3D,
    GFX11_CUBE,
    GFX11_1D_ARRAY,
    GFX11_2D_ARRAY,
    GFX11_2D_MSAA
};
enum {
    GFX11_WRAP,
    GFX11_MIRROR,
    GFX11_CLAMP_LAST,
    GFX11_MIRROR_ONCE,
    GFX11_CLAMP_HALF_BORDER,
    GFX11_MIRROR_ONCE_HALF_BORDER,
    GFX11_CLAMP_BORDER,
    GFX11_MIRROR_ONCE_BORDER
};
enum { GFX11_FILTER_POINT = 0, GFX11_FILTER_LINEAR = 1 }; /* XY; 2 and 3: anisotropic */
enum { GFX11_Z_SAME = 0, GFX11_Z_POINT, GFX11_Z_LINEAR }; /* as XY */
enum { GFX11_MIP_NONE = 0, GFX11_MIP_POINT = 1, GFX11_MIP_LINEAR = 2 };
enum { GFX11_BORDER_CLEAR = 0, GFX11_BORDER_BLACK, GFX11_BORDER_WHITE, GFX11_BORDER_TABLE };

/* What a number in memory means. */
enum { GFX11_UNORM, GFX11_SNORM, GFX11_UINT, GFX11_SINT, GFX11_FLOAT, GFX11_SRGB };

typedef struct {
    uint8_t number, bits, channels, kind; /* bits of one channel */
} gfx11_format;

/* NULL: no such format, or not one of CUDA's texels. */
const gfx11_format *gfx11_format_by_number(unsigned number);
const gfx11_format *gfx11_format_of(unsigned kind, unsigned bits, unsigned channels);

/* One level of a linear image. Sizes in texels; the offset is within a slice. */
typedef struct {
    uint64_t offset;
    uint32_t pitch, width, height; /* pitch in bytes */
} gfx11_level;

void gfx11_level_of(unsigned texel_bytes, unsigned width, unsigned height, unsigned levels,
                    unsigned level, gfx11_level *out);
/* Bytes of one layer or plane with all its levels. */
uint64_t gfx11_slice_bytes(unsigned texel_bytes, unsigned width, unsigned height, unsigned levels);

typedef struct {
    uint64_t base;
    unsigned type, width, height, slices; /* slices: planes, layers or faces; 1 for 1D and 2D */
    unsigned levels, first_level, last_level, first_slice;
    uint64_t pitch;     /* bytes, 1D and 2D only; 0: as gfx11_level_of */
    unsigned row_align; /* what it must be a multiple of; 0: GFX11_ROW_ALIGN */
    const gfx11_format *format;
    int alpha_one; /* a missing alpha reads as 1 (HIP), else as 0 like other channels (CUDA) */
} gfx11_image;

/* NULL, or why gfx11 has no such image. */
const char *gfx11_image_encode(const gfx11_image *image, uint32_t words[GFX11_IMAGE_DWORDS]);

typedef struct {
    unsigned clamp[3]; /* GFX11_WRAP … */
    int linear, unnormalized, seamless_cube;
    unsigned mip_filter, border, border_index;
    float min_lod, max_lod, lod_bias;
} gfx11_sampler;

void gfx11_sampler_encode(const gfx11_sampler *sampler, uint32_t words[GFX11_SAMPLER_DWORDS]);

static inline uint32_t gfx11_get(const uint32_t *words, unsigned dword, unsigned low,
                                 unsigned bits) {
    return words[dword] >> low & (bits == 32 ? ~0u : (1u << bits) - 1);
}

#endif
