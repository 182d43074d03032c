/* Lane addresses and the loads and stores over them: uniform, contiguous and small-window fast
 * paths, then one lane at a time. Shared by GLOBAL, FLAT and SCRATCH bodies. */
#ifndef CASS_EMU_MEMORY_OPS_H
#define CASS_EMU_MEMORY_OPS_H

#include "emulator/lanes.h"

enum { LOAD_WORD, LOAD_LOW, LOAD_HIGH };

/* wide: address[i] holds each lane's address; else it is base + offset[i]. Inactive lanes hold some
 * active lane's. */
typedef struct {
    uint64_t base;
    uint32_t wide;
    lanes32 offset;
    lanes64 address;
} lane_addresses;

#define WINDOW_MAX (64u << 12)
typedef uint32_t eight_t __attribute__((vector_size(32)));
extern const uint32_t emu_lane_bytes[LANES]; /* 4 * lane */

/* flat.c: accesses where some lane is in the LDS or scratch aperture; in translated code the
 * interpreter's. */
#ifdef EMU_NATIVE
#define emu_flat_load(...) ((const op_t *)0)
#define emu_flat_store(...) ((const op_t *)0)
#else
const op_t *emu_flat_load(wave_t *w, const op_t *o, uint32_t exec, unsigned bytes, int is_signed,
                          int half);
const op_t *emu_flat_store(wave_t *w, const op_t *o, uint32_t exec, unsigned bytes, unsigned shift);
#endif

ALWAYS_INLINE int flat_leaves_global(const wave_t *w, const op_t *o, uint32_t exec) {
    V high = *(const V *)((const char *)w + o->off[0] + sizeof(vreg_t));
    VI special = (VI)(high == APERTURE_LDS) | (VI)(high == APERTURE_SCRATCH);
    return (v_bits(special) & exec) != 0;
}

ALWAYS_INLINE void gather_addresses(const wave_t *w, const op_t *o, lane_addresses *at,
                                    uint32_t exec) {
    const V *low = (const V *)((const char *)w + o->off[0]);
    unsigned first = (unsigned)__builtin_ctz(exec);
    at->wide = 0;
    if (o->flags & F_SADDR) {
        at->base = s64(w, o, 1) + o->k[2];
        V offset = *low;
        if (exec != ~0u) {
            V m = v_exec_mask(exec);
            offset = (offset & m) | (v_splat(offset[first]) & ~m);
        }
        memcpy(at->offset, &offset, 128);
        return;
    }
    V high = low[1];
    uint32_t h = high[first];
    uint32_t same = v_bits((VI)(high == h));
    if (likely((same & exec) == exec)) {
        at->base = ((uint64_t)h << 32) + o->k[2];
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
        at->address[i] = (lows[from] | (uint64_t)highs[from] << 32) + o->k[2];
    }
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

/* What the lanes of each half of a wave have in common, a bit for each half: their offsets are one,
 * or follow each other by 4 bytes. Tiles of 16 columns make most accesses so. */
typedef struct {
    uint32_t same, run;
} lane_shape;

ALWAYS_INLINE uint32_t whole_halves(uint32_t bits) {
    return (bits & 0xffffu) == 0xffffu ? (bits >> 16 == 0xffffu ? 3 : 1)
                                       : (bits >> 16 == 0xffffu ? 2 : 0);
}
ALWAYS_INLINE lane_shape shape_of(const uint32_t *offset) {
    V x, first;
    lanes32 room;
    memcpy(&x, offset, 128);
    for (int i = 0; i < LANES; i++) room[i] = offset[i & 16];
    memcpy(&first, room, 128);
    V steps = *(const V *)emu_lane_bytes & 63u;
    return (lane_shape){whole_halves(v_bits((VI)(x == first))),
                        whole_halves(v_bits((VI)(x - first == steps)))};
}

/* All lanes within one small checked window: 2 when they are all at one address, else 1; 0: not so.
 */
APART int window_of(const uint32_t *offset, uint64_t base, unsigned bytes, lane_shape shape) {
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

/* One narrow element, extended to 32 bits. */
ALWAYS_INLINE uint32_t load_element(const void *p, unsigned bytes, int is_signed) {
    if (bytes == 1) {
        uint8_t x;
        memcpy(&x, p, 1);
        return is_signed ? (uint32_t)(int8_t)x : x;
    }
    if (bytes == 2) {
        uint16_t x;
        memcpy(&x, p, 2);
        return is_signed ? (uint32_t)(int16_t)x : x;
    }
    uint32_t x;
    memcpy(&x, p, 4);
    return x;
}

ALWAYS_INLINE void put_narrow(wave_t *w, unsigned d, const uint32_t *r, int half) {
    V x, old = *(const V *)w->v[d];
    memcpy(&x, r, 128);
    if (half == LOAD_LOW) x = (old & 0xffff0000u) | (x & 0xffffu);
    else if (half == LOAD_HIGH) x = (old & 0xffffu) | x << 16;
    v_put(w, d, x);
}

/* Consecutive dwords, from lane 0 on. */
ALWAYS_INLINE int consecutive_dwords(const uint32_t *at) {
    V x;
    memcpy(&x, at, 128);
    return v_bits((VI)(x - at[0] == *(const V *)emu_lane_bytes)) == ~0u && at[0] <= 0xffffff80u;
}
ALWAYS_INLINE int consecutive(const lane_addresses *at) { return consecutive_dwords(at->offset); }

/* One element of every lane, eight lanes at a time: a vector read back from 32 narrow stores would
 * stall. */
#define EIGHT_OF(out, i, bytes, is_signed)                                                         \
    do {                                                                                           \
        eight_t x = {ONE(i, 0, bytes, is_signed), ONE(i, 1, bytes, is_signed),                     \
                     ONE(i, 2, bytes, is_signed), ONE(i, 3, bytes, is_signed),                     \
                     ONE(i, 4, bytes, is_signed), ONE(i, 5, bytes, is_signed),                     \
                     ONE(i, 6, bytes, is_signed), ONE(i, 7, bytes, is_signed)};                    \
        memcpy((out) + (i), &x, 32);                                                               \
    } while (0)
#define ONE(i, n, bytes, is_signed) load_element(base + offset[(i) + (n)], bytes, is_signed)
APART void gather_narrow(uint32_t *out, const char *base, const uint32_t *offset, unsigned bytes,
                         int is_signed) {
    for (int i = 0; i < LANES; i += 8) {
        if (bytes == 1 && is_signed) EIGHT_OF(out, i, 1, 1);
        else if (bytes == 1) EIGHT_OF(out, i, 1, 0);
        else if (is_signed) EIGHT_OF(out, i, 2, 1);
        else EIGHT_OF(out, i, 2, 0);
    }
}
/* Lanes at one address read it once. */
APART void gather_dwords(uint32_t *out, const char *base, const uint32_t *offset,
                         lane_shape shape) {
    for (int half = 0; half < LANES; half += 16) {
        uint32_t bit = half ? 2 : 1;
        if (shape.same & bit) {
            uint32_t x = load_element(base + offset[half], 4, 0);
            for (int i = 0; i < 16; i++) out[half + i] = x;
        } else if (shape.run & bit) {
            memcpy(out + half, base + offset[half], 64);
        } else {
            EIGHT_OF(out, half, 4, 0);
            EIGHT_OF(out, half + 8, 4, 0);
        }
    }
}
#undef ONE
#undef EIGHT_OF
ALWAYS_INLINE void gather_word(uint32_t *out, const char *base, const uint32_t *offset,
                               unsigned bytes, int is_signed, lane_shape shape) {
    if (bytes < 4) gather_narrow(out, base, offset, bytes, is_signed);
    else gather_dwords(out, base, offset, shape);
}

/* Two words of every lane, each lane's in one access: what another thread stores to an aligned pair
 * is seen as a whole or not at all, which compilers rely on for 64-bit atomic loads. */
APART void gather_pair(uint32_t *low, uint32_t *high, const char *base, const uint32_t *offset) {
    for (int i = 0; i < LANES; i += 8) {
        uint64_t q[8];
        for (int n = 0; n < 8; n++) memcpy(&q[n], base + offset[i + n], 8);
#define LOW(n) (uint32_t)q[n]
#define HIGH(n) (uint32_t)(q[n] >> 32)
        eight_t a = {LOW(0), LOW(1), LOW(2), LOW(3), LOW(4), LOW(5), LOW(6), LOW(7)},
                b = {HIGH(0), HIGH(1), HIGH(2), HIGH(3), HIGH(4), HIGH(5), HIGH(6), HIGH(7)};
#undef LOW
#undef HIGH
        memcpy(low + i, &a, 32);
        memcpy(high + i, &b, 32);
    }
}

ALWAYS_INLINE int at_one_address(const lane_addresses *at) {
    V x;
    memcpy(&x, at->offset, 128);
    return v_bits((VI)(x == at->offset[0])) == ~0u;
}

/* All lanes at one address: read once. LLVM takes the value of such a load for uniform, so lanes
 * must not see different moments of a word that another thread changes. */
ALWAYS_INLINE void load_uniform(wave_t *w, unsigned d, const char *p, unsigned bytes, int is_signed,
                                int half) {
    uint32_t x[4];
    if (bytes == 8) memcpy(x, p, 8);
    else
        for (unsigned k = 0; k < (bytes < 4 ? 1 : bytes / 4); k++)
            x[k] = load_element(p + 4 * k, bytes, is_signed);
    V first = v_splat(x[0]);
    put_narrow(w, d, (const uint32_t *)&first, half);
    for (unsigned k = 1; k < bytes / 4; k++) v_put(w, d + k, v_splat(x[k]));
}

/* Loads `bytes` per lane into d.. ; 0 when some active lane's range is not accessible (nothing
 * written then). */
ALWAYS_INLINE int load_lanes(wave_t *w, unsigned d, const lane_addresses *at, uint32_t exec,
                             unsigned bytes, int is_signed, int half) {
    lanes32 r[4];
    unsigned words = bytes < 4 ? 1 : bytes / 4;
    if (likely(!at->wide)) {
        uint64_t address = at->base + at->offset[0];
        if (bytes == 4 && exec == ~0u && consecutive(at)) {
            if (unlikely(!range_ok(address, 128))) return 0;
            memcpy(w->v[d], (const void *)(uintptr_t)address, 128);
            return 1;
        }
        lane_shape shape = shape_of(at->offset);
        int inside = window_ok(at, bytes, shape);
        if (likely(inside)) {
            const char *base = (const char *)(uintptr_t)at->base;
            if (inside == 2) {
                load_uniform(w, d, base + at->offset[0], bytes, is_signed, half);
                return 1;
            }
            unsigned k = 0;
            for (; bytes % 8 == 0 && k < words; k += 2)
                gather_pair(r[k], r[k + 1], base + 4 * k, at->offset);
            for (; k < words; k++)
                gather_word(r[k], base + 4 * k, at->offset, bytes, is_signed, shape);
            put_narrow(w, d, r[0], half);
            for (unsigned k = 1; k < words; k++) put32(w, d + k, r[k]);
            return 1;
        }
        if (at_one_address(at)) { /* host memory */
            if (!range_ok(address, bytes)) return 0;
            load_uniform(w, d, (const char *)(uintptr_t)address, bytes, is_signed, half);
            return 1;
        }
    }
    for (unsigned i = 0; i < LANES; i++) {
        uint64_t address = lane_address(at, i);
        if (!range_ok(address, bytes)) return 0;
        const char *p = (const char *)(uintptr_t)address;
        unsigned k = 0;
        for (; bytes % 8 == 0 && k < words; k += 2) {
            uint64_t q;
            memcpy(&q, p + 4 * k, 8);
            r[k][i] = (uint32_t)q;
            r[k + 1][i] = (uint32_t)(q >> 32);
        }
        for (; k < words; k++) r[k][i] = load_element(p + 4 * k, bytes, is_signed);
    }
    put_narrow(w, d, r[0], half);
    for (unsigned k = 1; k < words; k++) put32(w, d + k, r[k]);
    return 1;
}

ALWAYS_INLINE void store_element(void *p, uint32_t x, unsigned bytes) {
    memcpy(p, &x, bytes < 4 ? bytes : 4); /* little-endian host */
}

/* Stores in lane order, so the highest lane wins where lanes collide. */
ALWAYS_INLINE int store_lanes(wave_t *w, unsigned s, const lane_addresses *at, uint32_t exec,
                              unsigned bytes, unsigned shift) {
    unsigned words = bytes < 4 ? 1 : bytes / 4;
    int checked = 0;
    lane_shape shape = {0, 0};
    if (likely(!at->wide)) {
        uint64_t address = at->base + at->offset[0];
        if (bytes == 4 && exec == ~0u && consecutive(at)) {
            if (unlikely(!range_ok(address, 128))) return 0;
            memcpy((void *)(uintptr_t)address, w->v[s], 128);
            return 1;
        }
        shape = shape_of(at->offset);
        checked = window_ok(at, bytes, shape);
    }
    if (!checked)
        for (unsigned i = 0; i < LANES; i++)
            if (!range_ok(lane_address(at, i), bytes)) return 0;
    lanes32 room[4];
    const uint32_t *x[4];
    for (unsigned k = 0; k < words; k++) x[k] = LANES_OF(w, s + k, room[k]);
    if (bytes == 4 && checked && exec == ~0u && shape.run == 3) {
        memcpy((char *)(uintptr_t)at->base + at->offset[0], x[0], 64);
        memcpy((char *)(uintptr_t)at->base + at->offset[16], x[0] + 16, 64);
        return 1;
    }
    while (exec) {
        unsigned i = (unsigned)__builtin_ctz(exec);
        exec &= exec - 1;
        char *p = (char *)(uintptr_t)lane_address(at, i);
        unsigned k = 0;
        for (; bytes % 8 == 0 && k < words; k += 2) { /* a pair is never seen half stored */
            uint64_t q = x[k][i] | (uint64_t)x[k + 1][i] << 32;
            memcpy(p + 4 * k, &q, 8);
        }
        for (; k < words; k++) store_element(p + 4 * k, x[k][i] >> shift, bytes);
    }
    return 1;
}

/* Ends a handler: goes on with an instruction, or stops after a fault (NULL). */
#define CONTINUE(expr)                                                                             \
    do {                                                                                           \
        const op_t *to = (expr);                                                                   \
        if (unlikely(!to)) return NULL;                                                            \
        GO(to);                                                                                    \
    } while (0)

/* NARROW or WIDE(name, bytes, is_signed, half) for every load that buffer, global and scratch
 * offer. */
#define MEMORY_LOADS(NARROW, WIDE)                                                                 \
    NARROW(u8, 1, 0, LOAD_WORD)                                                                    \
    NARROW(i8, 1, 1, LOAD_WORD)                                                                    \
    NARROW(u16, 2, 0, LOAD_WORD)                                                                   \
    NARROW(i16, 2, 1, LOAD_WORD)                                                                   \
    WIDE(b32, 4, 0, LOAD_WORD)                                                                     \
    WIDE(b64, 8, 0, LOAD_WORD)                                                                     \
    WIDE(b96, 12, 0, LOAD_WORD)                                                                    \
    WIDE(b128, 16, 0, LOAD_WORD)                                                                   \
    NARROW(d16_u8, 1, 0, LOAD_LOW)                                                                 \
    NARROW(d16_i8, 1, 1, LOAD_LOW)                                                                 \
    NARROW(d16_b16, 2, 0, LOAD_LOW)                                                                \
    NARROW(d16_hi_u8, 1, 0, LOAD_HIGH)                                                             \
    NARROW(d16_hi_i8, 1, 1, LOAD_HIGH)                                                             \
    NARROW(d16_hi_b16, 2, 0, LOAD_HIGH)

/* NARROW or WIDE(name, bytes, shift) for every store. */
#define MEMORY_STORES(NARROW, WIDE)                                                                \
    NARROW(b8, 1, 0)                                                                               \
    NARROW(b16, 2, 0)                                                                              \
    WIDE(b32, 4, 0)                                                                                \
    WIDE(b64, 8, 0)                                                                                \
    WIDE(b96, 12, 0)                                                                               \
    WIDE(b128, 16, 0)                                                                              \
    NARROW(d16_hi_b8, 1, 16)                                                                       \
    NARROW(d16_hi_b16, 2, 16)

#endif
