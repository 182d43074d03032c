/* Image loads, stores, atomics and sizes: texels by integer coordinates. A texel outside the image
 * reads as 0 and is not written. */
#define EMU_SHARED_SSE
#include "emulator/atomic_ops.h"
#include "emulator/half.h"
#include "emulator/image.h"
#include "emulator/memory_ops.h"

typedef struct {
    int64_t x, y, z;
    unsigned level;
} texel_t;

/* The coordinates of a lane; 0 when its level does not exist. */
static int coordinates(const wave_t *w, const op_t *o, const image_t *image, unsigned lane,
                       int has_level, texel_t *at) {
    image_cursor cursor = {o, 0, 0};
    int a16 = image_flag(o, IMAGE_A16);
    unsigned dim = image_dim(o), count = image_coordinates(dim);
    int64_t c[3] = {0, 0, 0};
    for (unsigned i = 0; i < count; i++) c[i] = emu_image_integer(w, &cursor, lane, a16);
    int layered_line = dim == IMAGE_DIM_1D_ARRAY;
    *at = (texel_t){c[0], layered_line ? 0 : c[1], layered_line ? c[1] : c[2], image->first_level};
    if (!has_level) return 1;
    uint32_t level = (uint32_t)emu_image_integer(w, &cursor, lane, a16);
    at->level += level;
    return level <= image->last_level && at->level <= image->last_level;
}

/* Address of a lane's texel; 0: none. */
static uint64_t texel_of(const wave_t *w, const op_t *o, const image_t *image, unsigned lane,
                         int has_level) {
    texel_t at;
    if (image->empty || !coordinates(w, o, image, lane, has_level, &at)) return 0;
    return emu_texel_address(image, at.level, at.x, at.y, at.z);
}

OUT_OF_LINE const op_t *image_load(wave_t *w, const op_t *o, int has_level) {
    image_t image;
    image_lanes out;
    const char *why = emu_image_resource(w, o, &image);
    if (why) return emu_raise(w, o, EMU_ILLEGAL_INSTRUCTION, 0, 0, why);
    memset(out, 0, sizeof out);
    for (uint32_t exec = EXEC; exec; exec &= exec - 1) {
        unsigned lane = (unsigned)__builtin_ctz(exec), count = 0;
        uint64_t address = texel_of(w, o, &image, lane, has_level);
        uint32_t texel[4] = {0, 0, 0, 0}, chosen[4] = {0, 0, 0, 0};
        if (address) {
            if (!range_ok(address, image.texel_bytes))
                return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, lane, address, "image load");
            emu_texel_read(image.format, (const void *)(uintptr_t)address, texel);
        }
        if (!image.empty) emu_image_select(&image, texel, chosen);
        for (unsigned i = 0; i < 4; i++)
            if (image_dmask(o) >> i & 1) out[count++][lane] = chosen[i];
    }
    emu_image_put(w, o, (unsigned)__builtin_popcount(image_dmask(o)),
                  !image.empty && image_is_integer(&image), out);
    return o + 1;
}
HANDLER(image_load) { CONTINUE(image_load(w, o, 0)); }
HANDLER(image_load_mip) { CONTINUE(image_load(w, o, 1)); }

/* Channels that DMASK leaves out are written as 0 (LLVM: hasDefaultComponentZero). */
static void stored(const wave_t *w, const op_t *o, const image_t *image, unsigned lane,
                   uint32_t out[4]) {
    unsigned next = 0;
    uint32_t given[4] = {0, 0, 0, 0};
    for (unsigned i = 0; i < 4; i++) {
        if (!(image_dmask(o) >> i & 1)) continue;
        if (image_flag(o, IMAGE_D16)) {
            uint32_t half = w->v[o->sd + next / 2][lane] >> (next % 2 ? 16 : 0) & 0xffff;
            int is_signed = image->format->kind == GFX11_SINT;
            given[i] = !image_is_integer(image) ? bits32(f32_from_half(half))
                       : is_signed              ? (uint32_t)(int32_t)(int16_t)half
                                                : half;
        } else {
            given[i] = w->v[o->sd + next][lane];
        }
        next++;
    }
    for (unsigned i = 0; i < 4; i++)
        if (image->select[i] >= GFX11_SELECT_X) out[image->select[i] - GFX11_SELECT_X] = given[i];
}

OUT_OF_LINE const op_t *image_store(wave_t *w, const op_t *o, int has_level) {
    image_t image;
    const char *why = emu_image_resource(w, o, &image);
    if (why) return emu_raise(w, o, EMU_ILLEGAL_INSTRUCTION, 0, 0, why);
    for (uint32_t exec = EXEC; exec; exec &= exec - 1) {
        unsigned lane = (unsigned)__builtin_ctz(exec);
        uint64_t address = texel_of(w, o, &image, lane, has_level);
        uint32_t texel[4] = {0, 0, 0, 0};
        if (!address) continue;
        if (!range_ok(address, image.texel_bytes))
            return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, lane, address, "image store");
        stored(w, o, &image, lane, texel);
        emu_texel_write(image.format, texel, (void *)(uintptr_t)address);
    }
    return o + 1;
}
HANDLER(image_store) { CONTINUE(image_store(w, o, 0)); }
HANDLER(image_store_mip) { CONTINUE(image_store(w, o, 1)); }

/* ---- atomics: whole texels of 32 or 64 bits ---- */
OUT_OF_LINE const op_t *image_atomic(wave_t *w, const op_t *o, unsigned operation) {
    image_t image;
    lanes32 low = {0}, high = {0};
    unsigned words = (unsigned)__builtin_popcount(image_dmask(o));
    int compares = operation == RMW_CMPSWAP;
    unsigned bytes = (compares ? words / 2 : words) * 4;
    const char *why = emu_image_resource(w, o, &image);
    if (!why && !image.empty && image.texel_bytes != bytes)
        why = "an image atomic on texels of another width";
    if (why) return emu_raise(w, o, EMU_ILLEGAL_INSTRUCTION, 0, 0, why);
    for (uint32_t exec = EXEC; exec; exec &= exec - 1) {
        unsigned lane = (unsigned)__builtin_ctz(exec);
        uint64_t address = texel_of(w, o, &image, lane, 0), data[2] = {0, 0};
        if (!address) continue;
        if (!range_ok(address, bytes))
            return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, lane, address, "image atomic");
        for (unsigned i = 0; i < words; i++) {
            unsigned which = compares && i >= words / 2, part = which ? i - words / 2 : i;
            data[which] |= (uint64_t)w->v[o->sd + i][lane] << 32 * part;
        }
        uint64_t old =
            emu_rmw_atomic(operation, bytes, (void *)(uintptr_t)address, data[0], data[1]);
        low[lane] = (uint32_t)old;
        high[lane] = (uint32_t)(old >> 32);
    }
    if (o->flags & F_GLC) {
        put32(w, o->d, low);
        if (bytes == 8) put32(w, o->d + 1u, high);
    }
    return o + 1;
}
#define ATOMIC(name, operation)                                                                    \
    HANDLER(image_atomic_##name) { CONTINUE(image_atomic(w, o, operation)); }
ATOMIC(swap, RMW_SWAP)
ATOMIC(cmpswap, RMW_CMPSWAP)
ATOMIC(add, RMW_ADD)
ATOMIC(sub, RMW_SUB)
ATOMIC(smin, RMW_MIN_I)
ATOMIC(umin, RMW_MIN_U)
ATOMIC(smax, RMW_MAX_I)
ATOMIC(umax, RMW_MAX_U)
ATOMIC(and, RMW_AND)
ATOMIC(or, RMW_OR)
ATOMIC(xor, RMW_XOR)
ATOMIC(inc, RMW_INC)
ATOMIC(dec, RMW_DEC)

/* Width, height, depth or layers (of cubes: cubes), levels; sizes 0 for a level that is not there.
 */
static void sizes(const image_t *image, unsigned dim, uint32_t level, uint32_t out[4]) {
    memset(out, 0, 4 * sizeof *out);
    if (image->empty) return;
    out[3] = image->last_level - image->first_level + 1;
    if (level >= out[3]) return;
    const gfx11_level *at = &image->level[image->first_level + level];
    uint32_t slices = image->slices - image->first_slice;
    out[0] = at->width;
    switch (dim) {
    case IMAGE_DIM_1D:
        out[1] = out[2] = 1;
        break;
    case IMAGE_DIM_1D_ARRAY:
        out[1] = slices;
        out[2] = 1;
        break;
    case IMAGE_DIM_3D:
        out[2] = image->slices >> level ? image->slices >> level : 1;
        out[1] = at->height;
        break;
    default:
        out[1] = at->height;
        out[2] = dim == IMAGE_DIM_2D ? 1 : dim == IMAGE_DIM_CUBE ? slices / 6 : slices;
    }
}

OUT_OF_LINE const op_t *resinfo(wave_t *w, const op_t *o) {
    image_t image;
    image_lanes out;
    const char *why = emu_image_resource(w, o, &image);
    if (why) return emu_raise(w, o, EMU_ILLEGAL_INSTRUCTION, 0, 0, why);
    memset(out, 0, sizeof out);
    for (unsigned lane = 0; lane < LANES; lane++) {
        image_cursor cursor = {o, 0, 0};
        uint32_t all[4];
        unsigned count = 0;
        int32_t level = emu_image_integer(w, &cursor, lane, image_flag(o, IMAGE_A16));
        sizes(&image, image_dim(o), (uint32_t)level, all);
        for (unsigned i = 0; i < 4; i++)
            if (image_dmask(o) >> i & 1) out[count++][lane] = all[i];
    }
    emu_image_put(w, o, (unsigned)__builtin_popcount(image_dmask(o)), 1, out);
    return o + 1;
}
HANDLER(image_get_resinfo) { CONTINUE(resinfo(w, o)); }
