/* Lane addresses and the loads and stores over them: uniform, contiguous and small-window fast
 * paths, then one lane at a time. Shared by GLOBAL, FLAT and SCRATCH bodies. */
#ifndef CASS_EMU_MEMORY_OPS_H
#define CASS_EMU_MEMORY_OPS_H

#include "emulator/gather.h"

/* wide: address[i] holds each lane's address; else it is base + offset[i]. Inactive lanes hold some
 * active lane's. */
typedef struct {
    uint64_t base;
    uint32_t wide;
    lanes32 offset;
    lanes64 address;
} lane_addresses;

#define WINDOW_MAX (64u << 12)

/* flat.c: accesses where some lane is in the LDS or scratch aperture. */
const op_t *emu_flat_load(wave_t *w, const op_t *o, uint32_t exec, unsigned bytes, int is_signed,
                          int half);
const op_t *emu_flat_store(wave_t *w, const op_t *o, uint32_t exec, unsigned bytes, unsigned shift);

ALWAYS_INLINE int flat_leaves_global(const wave_t *w, const op_t *o, uint32_t exec) {
    V high = *(const V *)((const char *)w + o->off[0] + sizeof(vreg_t));
    VI special = (VI)(high == APERTURE_LDS) | (VI)(high == APERTURE_SCRATCH);
    return (v_bits(special) & exec) != 0;
}

/* From the low and high words of the addresses, or without the high ones from offsets to base. */
ALWAYS_INLINE void find_addresses(lane_addresses *at, const V *low, const V *upper, uint64_t base,
                                  uint32_t exec) {
    unsigned first = (unsigned)__builtin_ctz(exec);
    at->wide = 0;
    if (!upper) {
        at->base = base;
        V offset = *low;
        if (exec != ~0u) {
            V m = v_exec_mask(exec);
            offset = (offset & m) | (v_splat(offset[first]) & ~m);
        }
        memcpy(at->offset, &offset, 128);
        return;
    }
    V high = *upper;
    uint32_t h = high[first];
    uint32_t same = v_bits((VI)(high == h));
    if (likely((same & exec) == exec)) {
        at->base = ((uint64_t)h << 32) + base;
        V offset = *low;
        if (exec != ~0u) {
            V m = v_exec_mask(exec);
            offset = (offset & m) | (v_splat(offset[first]) & ~m);
        }
        memcpy(at->offset, &offset, 128);
        return;
    }
    at->wide = 1;
    at->base = 0;
    lanes32 lows, highs;
    memcpy(lows, low, 128);
    memcpy(highs, &high, 128);
    for (unsigned i = 0; i < LANES; i++) {
        unsigned from = exec >> i & 1 ? i : first;
        at->address[i] = (lows[from] | (uint64_t)highs[from] << 32) + base;
    }
}
ALWAYS_INLINE void gather_addresses(const wave_t *w, const op_t *o, lane_addresses *at,
                                    uint32_t exec) {
    const V *low = (const V *)((const char *)w + o->off[0]);
    if (o->flags & F_SADDR) find_addresses(at, low, NULL, s64(w, o, 1) + o->k[2], exec);
    else find_addresses(at, low, low + 1, o->k[2], exec);
}

ALWAYS_INLINE eight_t least8(eight_t a, eight_t b) {
    eight_t m = (eight_t)(a < b);
    return (a & m) | (b & ~m);
}
ALWAYS_INLINE eight_t most8(eight_t a, eight_t b) {
    eight_t m = (eight_t)(a > b);
    return (a & m) | (b & ~m);
}
ALWAYS_INLINE void reduce_window(const uint32_t *offset, uint32_t *least, uint32_t *most) {
    eight_t q[4];
    uint32_t low[8], high[8];
    memcpy(q, offset, 128);
    eight_t a = least8(least8(q[0], q[1]), least8(q[2], q[3])),
            b = most8(most8(q[0], q[1]), most8(q[2], q[3]));
    memcpy(low, &a, 32);
    memcpy(high, &b, 32);
    *least = low[0];
    *most = high[0];
    for (int i = 1; i < 8; i++) {
        *least = low[i] < *least ? low[i] : *least;
        *most = high[i] > *most ? high[i] : *most;
    }
}

/* All lanes within one small checked window: 2 when they are all at one address, else 1; 0: not so.
 */
ALWAYS_INLINE int window_of(const uint32_t *offset, uint64_t base, unsigned bytes,
                            lane_shape shape) {
    uint32_t least, most;
    if ((shape.same | shape.run) == 3) {
        uint32_t one = offset[0], other = offset[16];
        uint32_t last = one + (shape.same & 1 ? 0 : 60), far = other + (shape.same & 2 ? 0 : 60);
        least = one < other ? one : other;
        most = last > far ? last : far;
        if (last < one || far < other) return 0;
    } else {
        reduce_window(offset, &least, &most);
    }
    if (most - least > WINDOW_MAX) return 0;
    uint64_t d = base + least - (uint64_t)(uintptr_t)emu_space.base,
             span = (uint64_t)(most - least) + bytes;
    if (d >= emu_space.size || emu_space.size - d < span) return 0;
    for (uint64_t page = d >> 12; page <= (d + span - 1) >> 12; page++)
        if (!emu_space.page_ok[page]) return 0;
    return least == most ? 2 : 1;
}
ALWAYS_INLINE int window_ok(const lane_addresses *at, unsigned bytes, lane_shape shape) {
    return window_of(at->offset, at->base, bytes, shape);
}

ALWAYS_INLINE uint64_t lane_address(const lane_addresses *at, unsigned i) {
    return at->wide ? at->address[i] : at->base + at->offset[i];
}

ALWAYS_INLINE int consecutive(const lane_addresses *at) { return consecutive_dwords(at->offset); }

ALWAYS_INLINE int at_one_address(const lane_addresses *at) {
    V x;
    memcpy(&x, at->offset, 128);
    return v_bits((VI)(x == at->offset[0])) == ~0u;
}

/* All lanes at one address: read once. LLVM takes the value of such a load for uniform, so lanes
 * must not see different moments of a word that another thread changes. */
ALWAYS_INLINE void load_uniform(lanes32 *r, const char *p, unsigned bytes, int is_signed) {
    uint32_t x[4];
    unsigned words = bytes < 4 ? 1 : bytes / 4;
    load_words(x, p, bytes, is_signed);
    for (unsigned k = 0; k < words; k++) *(V *)r[k] = v_splat(x[k]);
}

/* `bytes` per lane, a register for each dword; 0 when some lane's range is not accessible. */
ALWAYS_INLINE int read_lanes(lanes32 *r, const lane_addresses *at, unsigned bytes, int is_signed) {
    unsigned words = bytes < 4 ? 1 : bytes / 4;
    if (likely(!at->wide)) {
        uint64_t address = at->base + at->offset[0];
        lane_shape shape = shape_of(at->offset);
        int inside = window_ok(at, bytes, shape);
        if (likely(inside)) {
            const char *base = (const char *)(uintptr_t)at->base;
            if (inside == 2) {
                load_uniform(r, base + at->offset[0], bytes, is_signed);
                return 1;
            }
            unsigned k = 0;
            if (bytes == 16) {
                gather_quad(r, base, at->offset);
                return 1;
            }
            for (; bytes % 8 == 0 && k < words; k += 2)
                gather_pair(r[k], r[k + 1], base + 4 * k, at->offset);
            for (; k < words; k++)
                gather_word(r[k], base + 4 * k, at->offset, bytes, is_signed, shape);
            return 1;
        }
        if (at_one_address(at)) { /* host memory */
            if (!range_ok(address, bytes)) return 0;
            load_uniform(r, (const char *)(uintptr_t)address, bytes, is_signed);
            return 1;
        }
    }
    for (unsigned i = 0; i < LANES; i++) {
        uint64_t address = lane_address(at, i);
        if (!range_ok(address, bytes)) return 0;
        uint32_t x[4];
        load_words(x, (const char *)(uintptr_t)address, bytes, is_signed);
        for (unsigned k = 0; k < words; k++) r[k][i] = x[k];
    }
    return 1;
}

/* Into registers d..; 0 when some active lane's range is not accessible (nothing written then). */
ALWAYS_INLINE int load_lanes(wave_t *w, unsigned d, const lane_addresses *at, uint32_t exec,
                             unsigned bytes, int is_signed, int half) {
    lanes32 r[4];
    unsigned words = bytes < 4 ? 1 : bytes / 4;
    if (likely(!at->wide) && bytes == 4 && exec == ~0u && consecutive(at)) {
        uint64_t address = at->base + at->offset[0];
        if (unlikely(!range_ok(address, 128))) return 0;
        memory_get(w->v[d], (const void *)(uintptr_t)address, 128);
        return 1;
    }
    if (unlikely(!read_lanes(r, at, bytes, is_signed))) return 0;
    put_narrow(w, d, r[0], half);
    for (unsigned k = 1; k < words; k++) put32(w, d + k, r[k]);
    return 1;
}

/* Stores registers x.. in lane order, so the highest lane wins where lanes collide. */
ALWAYS_INLINE int store_lanes(const vreg_t *x, const lane_addresses *at, uint32_t exec,
                              unsigned bytes, unsigned shift) {
    unsigned words = bytes < 4 ? 1 : bytes / 4;
    int checked = 0;
    lane_shape shape = {0, 0};
    if (likely(!at->wide)) {
        uint64_t address = at->base + at->offset[0];
        if (bytes == 4 && exec == ~0u && consecutive(at)) {
            if (unlikely(!range_ok(address, 128))) return 0;
            memory_put((void *)(uintptr_t)address, x[0], 128);
            return 1;
        }
        shape = shape_of(at->offset);
        checked = window_ok(at, bytes, shape);
    }
    if (!checked)
        for (unsigned i = 0; i < LANES; i++)
            if (!range_ok(lane_address(at, i), bytes)) return 0;
    if (bytes == 4 && checked && exec == ~0u && shape.run == 3) {
        memory_put((char *)(uintptr_t)at->base + at->offset[0], x[0], 64);
        memory_put((char *)(uintptr_t)at->base + at->offset[16], x[0] + 16, 64);
        return 1;
    }
    while (exec) {
        unsigned i = (unsigned)__builtin_ctz(exec);
        exec &= exec - 1;
        uint32_t own[4];
        for (unsigned k = 0; k < words; k++) own[k] = x[k][i] >> shift;
        store_words((char *)(uintptr_t)lane_address(at, i), own, bytes);
    }
    return 1;
}

#endif
