/* MUBUF loads, stores and atomics through a buffer resource: lanes outside the buffer read 0 and
 * write nothing; what is inside must still be accessible device memory. Source: AMD RDNA3 ISA,
 * "Buffer Addressing" (raw and structured buffers without swizzling). */
#define EMU_SHARED_SSE
#include "emulator/atomic_ops.h"
#include "emulator/image.h"
#include "emulator/memory_ops.h"

typedef struct {
    uint64_t base;
    uint32_t stride, records, soffset;
    int raw; /* the range check is on bytes */
} resource_t;

static resource_t resource(const wave_t *w, const op_t *o) {
    const uint32_t *r = src_scalar(w, o, 1);
    resource_t x = {.base = r[0] | (uint64_t)(r[1] & 0xffff) << 32,
                    .stride = r[1] >> 16 & 0x3fff,
                    .records = r[2]};
    x.soffset = s32(w, o, 2);
    x.raw = x.stride == 0 || (r[3] >> 28 & 3) == 3; /* OOB_SELECT 3: raw */
    return x;
}

/* Address of a lane; 0 in *inside when the access lies outside the buffer. */
static uint64_t buffer_address(const wave_t *w, const op_t *o, const resource_t *x, unsigned lane,
                               unsigned bytes, int *inside) {
    unsigned r = (unsigned)((o->off[0] - offsetof(wave_t, v)) / sizeof(vreg_t));
    uint32_t index = 0, offset = o->misc;
    if (o->flags & F_IDXEN) index = w->v[r++][lane];
    if (o->flags & F_OFFEN) offset += w->v[r][lane];
    uint64_t at = (uint64_t)index * x->stride + offset;
    if (x->raw) *inside = at + bytes <= x->records;
    else *inside = index < x->records && (uint64_t)offset + bytes <= x->stride;
    return x->base + x->soffset + at;
}

OUT_OF_LINE const op_t *buffer_load(wave_t *w, const op_t *o, unsigned bytes, int is_signed,
                                    int half) {
    resource_t x = resource(w, o);
    unsigned words = bytes < 4 ? 1 : bytes / 4;
    lanes32 r[4];
    memset(r, 0, sizeof r);
    for (unsigned i = 0; i < LANES; i++) {
        int inside;
        if (!(EXEC >> i & 1)) continue;
        uint64_t address = buffer_address(w, o, &x, i, bytes, &inside);
        if (!inside) continue;
        if (!range_ok(address, bytes))
            return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, i, address, "buffer load");
        uint32_t own[4];
        load_words(own, (const char *)(uintptr_t)address, bytes, is_signed);
        for (unsigned k = 0; k < words; k++) r[k][i] = own[k];
    }
    put_narrow(w, o->d, r[0], half);
    for (unsigned k = 1; k < words; k++) put32(w, o->d + k, r[k]);
    return o + 1;
}
OUT_OF_LINE const op_t *buffer_store(wave_t *w, const op_t *o, unsigned bytes, unsigned shift) {
    resource_t x = resource(w, o);
    unsigned words = bytes < 4 ? 1 : bytes / 4;
    for (unsigned i = 0; i < LANES; i++) {
        int inside;
        if (!(EXEC >> i & 1)) continue;
        uint64_t address = buffer_address(w, o, &x, i, bytes, &inside);
        if (!inside) continue;
        if (!range_ok(address, bytes))
            return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, i, address, "buffer store");
        uint32_t own[4];
        for (unsigned k = 0; k < words; k++) own[k] = w->v[o->sd + k][i] >> shift;
        store_words((char *)(uintptr_t)address, own, bytes);
    }
    return o + 1;
}
static uint64_t operand(const wave_t *w, unsigned r, unsigned bytes, unsigned lane) {
    return bytes == 8 ? w->v[r][lane] | (uint64_t)w->v[r + 1][lane] << 32 : w->v[r][lane];
}
OUT_OF_LINE const op_t *buffer_atomic(wave_t *w, const op_t *o, unsigned operation,
                                      unsigned bytes) {
    resource_t x = resource(w, o);
    lanes32 low = {0}, high = {0};
    int compares = operation == RMW_CMPSWAP || operation == RMW_CMPSWAP_F;
    for (unsigned i = 0; i < LANES; i++) {
        int inside;
        if (!(EXEC >> i & 1)) continue;
        uint64_t address = buffer_address(w, o, &x, i, bytes, &inside);
        if (!inside) continue;
        if (address & (bytes - 1))
            return emu_raise(w, o, EMU_MISALIGNED, i, address, "buffer atomic");
        if (!range_ok(address, bytes))
            return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, i, address, "buffer atomic");
        uint64_t a = operand(w, o->sd, bytes, i),
                 b = compares ? operand(w, o->sd + bytes / 4, bytes, i) : 0;
        uint64_t old = emu_rmw_atomic(operation, bytes, (void *)(uintptr_t)address, a, b);
        low[i] = (uint32_t)old;
        high[i] = (uint32_t)(old >> 32);
    }
    if (o->flags & F_GLC) {
        put32(w, o->d, low);
        if (bytes == 8) put32(w, o->d + 1u, high);
    }
    return o + 1;
}

/* Typed loads: what HIP's linear textures are read with. Formats as of images. */
OUT_OF_LINE const op_t *buffer_load_format(wave_t *w, const op_t *o, unsigned count) {
    resource_t x = resource(w, o);
    const uint32_t *words = src_scalar(w, o, 1);
    const gfx11_format *format = gfx11_format_by_number(words[3] >> 12 & 0x3f);
    image_t image = {.format = format};
    lanes32 r[4];
    if (!format)
        return emu_raise(w, o, EMU_ILLEGAL_INSTRUCTION, 0, 0,
                         "the buffer descriptor's format is not implemented");
    unsigned bytes = format->bits / 8u * format->channels;
    for (unsigned i = 0; i < 4; i++) image.select[i] = (uint8_t)(words[3] >> 3 * i & 7);
    memset(r, 0, sizeof r);
    for (unsigned i = 0; i < LANES; i++) {
        int inside;
        uint32_t texel[4], chosen[4];
        if (!(EXEC >> i & 1)) continue;
        uint64_t address = buffer_address(w, o, &x, i, bytes, &inside);
        if (!inside) continue;
        if (!range_ok(address, bytes))
            return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, i, address, "buffer load");
        emu_texel_read(format, (const void *)(uintptr_t)address, texel);
        emu_image_select(&image, texel, chosen);
        for (unsigned k = 0; k < count; k++) r[k][i] = chosen[k];
    }
    for (unsigned k = 0; k < count; k++) put32(w, o->d + k, r[k]);
    return o + 1;
}
HANDLER(buffer_load_format_x) { CONTINUE(buffer_load_format(w, o, 1)); }
HANDLER(buffer_load_format_xy) { CONTINUE(buffer_load_format(w, o, 2)); }
HANDLER(buffer_load_format_xyz) { CONTINUE(buffer_load_format(w, o, 3)); }
HANDLER(buffer_load_format_xyzw) { CONTINUE(buffer_load_format(w, o, 4)); }

#define LOAD(name, bytes, is_signed, half)                                                         \
    HANDLER(buffer_load_##name) { CONTINUE(buffer_load(w, o, bytes, is_signed, half)); }
#define STORE(name, bytes, shift)                                                                  \
    HANDLER(buffer_store_##name) { CONTINUE(buffer_store(w, o, bytes, shift)); }
#define ATOMIC(name, operation, bytes)                                                             \
    HANDLER(buffer_atomic_##name) { CONTINUE(buffer_atomic(w, o, operation, bytes)); }
MEMORY_LOADS(LOAD, LOAD)
MEMORY_STORES(STORE, STORE)
MEMORY_ATOMICS(ATOMIC)
ATOMIC(csub_u32, RMW_CSUB, 4)
