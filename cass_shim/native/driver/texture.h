/* Texture and surface objects: handles, the descriptions they were made from, and what device code
 * finds of them (cass_shim.model.kernel_abi, TEXTURE_*).
 *
 * The 16 dwords of an object are made here, not by hipCreateTextureObject: our arrays are linear
 * memory, which HIP's objects cannot describe in every shape CUDA has (docs/abi.md). */
#ifndef CASS_TEXTURE_H
#define CASS_TEXTURE_H

#include "driver/array.h"

enum { CASS_RESOURCE_BYTES = 160, CASS_SAMPLER_BYTES = 128, CASS_VIEW_BYTES = 128 };
enum { CASS_RESOURCE, CASS_SAMPLER, CASS_VIEW };
enum {
    CASS_ADDRESS_WRAP = 0,
    CASS_ADDRESS_CLAMP = 1,
    CASS_ADDRESS_MIRROR = 2,
    CASS_ADDRESS_BORDER
};
enum { CASS_TEXTURE_DWORDS = 16, CASS_TEXTURE_SAMPLER = 12 };

typedef struct {
    const void *description; /* as the caller's API lays it out; NULL: none given */
    size_t bytes;
} cass_description;

/* What either API asks for. One of array, mipmap and memory is set. */
typedef struct {
    cass_array *array;
    cass_mipmap *mipmap;
    void *memory;
    size_t bytes, width, height, pitch; /* linear memory: bytes; pitched memory: the others */
    cass_format_of format;              /* of memory */
    int surface;
    int address[3]; /* CASS_ADDRESS_..., as both APIs number them */
    int linear, normalized, as_float, srgb, mip_linear, seamless;
    float lod_bias, min_lod, max_lod, border[4];
    int has_view;
    unsigned view_format, first_level, last_level, first_layer, last_layer;
} cass_texture;

/* Whether a texture object may be made over linear memory (CUDA's alignment is 512; memory of the
 * allocators has both). */
static inline int cass_linear_ok(const void *memory) {
    enum { ADDRESS_ALIGN = 256 };
    return memory && (uintptr_t)memory % ADDRESS_ALIGN == 0;
}

/* Whether a texture object may be made over pitched memory (recorded: sm_90; a multiple of the
 * pitch alignment that NVIDIA's devices tell of, and of their texture alignment). */
static inline int cass_pitched_ok(const void *memory, size_t width, size_t pitch) {
    enum { ADDRESS_ALIGN = 512, PITCH_ALIGN = 32 };
    return memory && (uintptr_t)memory % ADDRESS_ALIGN == 0 && width && pitch % PITCH_ALIGN == 0;
}
/* What a pitch must be a multiple of on this device: cudaDevAttrTexturePitchAlignment. */
unsigned cass_row_align(void);

/* Bytes of a view's block of 4 x 4 texels; 0 for formats without blocks (cuda.h's order: BC1, 2, 3,
 * 4 unsigned and signed, 5 likewise, 6H likewise, 7). */
static inline int cass_block_bytes(unsigned view_format) {
    enum { BC1 = 25, BC4 = 28, BC4_SIGNED = 29, BC7 = 34, SMALL = 8, LARGE = 16 };
    if (view_format < BC1 || view_format > BC7) return 0;
    return view_format == BC1 || view_format == BC4 || view_format == BC4_SIGNED ? SMALL : LARGE;
}

/* An entry of the descriptor table. */
typedef struct {
    uint64_t object;
    uint32_t texel_bytes, flags, width, height, depth, levels;
} cass_texture_entry;

/* texture_descriptor.c: everything but the entry's object. NOT_SUPPORTED and one line on stderr for
 * what gfx11 does not have. */
int cass_texture_describe(const cass_texture *texture, cass_texture_entry *entry,
                          uint32_t words[CASS_TEXTURE_DWORDS]);

/* A view has the sides of the array's first level; blocks of texels are elements of 32-bit
 * integers, and the view's sides count texels. 1 for another (recorded). */
int cass_view_check(const cass_texture *texture, unsigned view_format, size_t width, size_t height);

/* parts: by CASS_RESOURCE, CASS_SAMPLER, CASS_VIEW. The handle is never 0. */
int cass_object_make(cass_device *device, const cass_texture *texture,
                     const cass_description parts[3], unsigned long long *handle);
int cass_object_drop(unsigned long long handle);

/* Copies one part out, at most `bytes`, zeros if it was not given. 1 for a handle that is none. */
int cass_object_part(unsigned long long handle, int part, void *out, size_t bytes);

/* Address of the device's descriptor table, made on first use. */
int cass_texture_table(cass_device *device, uint64_t *address);

#endif
