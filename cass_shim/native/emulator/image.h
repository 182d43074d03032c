/* What MIMG bodies share: the instruction's modifiers, its addresses, the decoded resource, and
 * texels in memory. Source: AMD RDNA3 ISA, chapter "Vector Memory Image Instructions". */
#ifndef CASS_EMU_IMAGE_H
#define CASS_EMU_IMAGE_H

#include "emulator/interp.h"
#include "hip/image_descriptor.h"

/* Bits of op_t.misc. */
enum { IMAGE_DMASK = 0, IMAGE_DIM = 4, IMAGE_UNORM = 7, IMAGE_A16 = 8, IMAGE_D16 = 9 };
enum {
    IMAGE_DIM_1D,
    IMAGE_DIM_2D,
    IMAGE_DIM_3D,
    IMAGE_DIM_CUBE,
    IMAGE_DIM_1D_ARRAY,
    IMAGE_DIM_2D_ARRAY,
    IMAGE_DIM_MSAA
};

static inline unsigned image_dmask(const op_t *o) { return o->misc >> IMAGE_DMASK & 0xfu; }
static inline unsigned image_dim(const op_t *o) { return o->misc >> IMAGE_DIM & 7u; }
static inline int image_flag(const op_t *o, unsigned bit) { return o->misc >> bit & 1; }

/* Coordinates of a texel with this DIM: 1 to 3; how many of them are filtered. */
static inline unsigned image_coordinates(unsigned dim) {
    return dim == IMAGE_DIM_1D ? 1 : dim == IMAGE_DIM_2D || dim == IMAGE_DIM_1D_ARRAY ? 2 : 3;
}
static inline unsigned image_filtered(unsigned dim) {
    return dim == IMAGE_DIM_1D || dim == IMAGE_DIM_1D_ARRAY ? 1 : dim == IMAGE_DIM_3D ? 3 : 2;
}

/* Address register i of an instruction. */
static inline unsigned image_register(const op_t *o, unsigned i) {
    unsigned named = i < 4 ? i : 4;
    return (unsigned)(o->k[0] >> 8 * named & 0xff) + (i - named);
}

/* The next address, which 16-bit addresses share two to a register. */
typedef struct {
    const op_t *o;
    unsigned at; /* register */
    int half;    /* the high half of it is next */
} image_cursor;

uint32_t emu_image_address(const wave_t *w, image_cursor *cursor, unsigned lane);
/* The same as a number: floating point (16 or 32 bits), or an integer. */
float emu_image_float(const wave_t *w, image_cursor *cursor, unsigned lane, int short_address);
int32_t emu_image_integer(const wave_t *w, image_cursor *cursor, unsigned lane, int short_address);
/* What follows does not share the current register. */
void emu_image_align(image_cursor *cursor);

/* Rows of a pitched image begin at any multiple of it: finer than the hardware's 256 bytes, so that
 * what NVIDIA's devices take is taken. */
enum { EMU_ROW_ALIGN = 32 };

typedef struct {
    const gfx11_format *format;
    uint64_t base, slice_bytes;
    uint32_t texel_bytes, type, slices, first_slice, first_level, last_level, levels;
    gfx11_level level[GFX11_MAX_LEVELS + 1];
    uint8_t select[4];
    int empty; /* a descriptor of zeros: reads give 0, writes do nothing */
} image_t;

/* NULL, or what this emulator cannot do with the descriptor. */
const char *emu_image_resource(const wave_t *w, const op_t *o, image_t *image);

/* Address of a texel; 0 outside the image. */
uint64_t emu_texel_address(const image_t *image, unsigned level, int64_t x, int64_t y, int64_t z);
/* The slice that a layer, a face or a plane of an access is; -1 outside. */
int64_t emu_image_slice(const image_t *image, int64_t z);

/* Four channels as 32-bit numbers (floats for all but integer formats), missing ones 0, 0, 1; and
 * back. */
void emu_texel_read(const gfx11_format *format, const void *texel, uint32_t out[4]);
void emu_texel_write(const gfx11_format *format, const uint32_t in[4], void *texel);
static inline int image_is_integer(const image_t *image) {
    return image->format->kind == GFX11_UINT || image->format->kind == GFX11_SINT;
}
/* The descriptor's choice of channels. */
void emu_image_select(const image_t *image, const uint32_t in[4], uint32_t out[4]);

/* Results of all lanes: channels by DMASK, packed with D16. */
typedef uint32_t image_lanes[4][LANES] __attribute__((aligned(128)));
void emu_image_put(wave_t *w, const op_t *o, unsigned count, int integer, image_lanes values);

#endif
