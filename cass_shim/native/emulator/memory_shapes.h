/* What loads and stores of lanes share: their lists, and how addresses lie to each other (vector
 * operations throughout: translated code has these inline, and moves them out of loops). */
#ifndef CASS_EMU_MEMORY_SHAPES_H
#define CASS_EMU_MEMORY_SHAPES_H

#include "emulator/lanes.h"

enum { LOAD_WORD, LOAD_LOW, LOAD_HIGH };

extern const uint32_t emu_lane_bytes[LANES]; /* 4 * lane */

/* What the lanes of each half of a wave have in common, a bit for each half: their offsets are one,
 * or follow each other by 4 bytes. Tiles of 16 columns make most accesses so. */
typedef struct {
    uint32_t same, run;
} lane_shape;

ALWAYS_INLINE uint32_t whole_halves(uint32_t bits) {
    return (uint32_t)((bits & 0xffffu) == 0xffffu) | (uint32_t)(bits >= 0xffff0000u) << 1;
}
#define FOUR(x) x, x, x, x
ALWAYS_INLINE V first_of_half(V x) {
    return __builtin_shufflevector(x, x, FOUR(0), FOUR(0), FOUR(0), FOUR(0), FOUR(16), FOUR(16),
                                   FOUR(16), FOUR(16));
}
#undef FOUR
ALWAYS_INLINE lane_shape shape_of(const uint32_t *offset) {
    V x;
    memcpy(&x, offset, 128);
    V first = first_of_half(x), steps = *(const V *)emu_lane_bytes & 63u;
    return (lane_shape){whole_halves(v_bits((VI)(x == first))),
                        whole_halves(v_bits((VI)(x - first == steps)))};
}

/* Consecutive dwords, from lane 0 on. */
ALWAYS_INLINE int consecutive_dwords(const uint32_t *at) {
    V x;
    memcpy(&x, at, 128);
    return v_bits((VI)(x - at[0] == *(const V *)emu_lane_bytes)) == ~0u && at[0] <= 0xffffff80u;
}
ALWAYS_INLINE void put_narrow(wave_t *w, unsigned d, const uint32_t *r, int half) {
    V x, old = *(const V *)w->v[d];
    memcpy(&x, r, 128);
    if (half == LOAD_LOW) x = (old & 0xffff0000u) | (x & 0xffffu);
    else if (half == LOAD_HIGH) x = (old & 0xffffu) | x << 16;
    v_put(w, d, x);
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

/* ---- LDS ---- */
#define OFFSET ((uint32_t)o->k[1])
#define OFFSET0 ((uint32_t)o->k[1] & 255)
#define OFFSET1 ((uint32_t)o->k[1] >> 8)

/* at = address + offset of each lane, which wraps at 32 bits (compilers fold a negative base and a
 * positive offset); whether every active lane's bytes lie in the allocation. Inactive lanes' become
 * valid. */
ALWAYS_INLINE int lds_places(V x, uint32_t lds_bytes, uint32_t exec, unsigned bytes, uint32_t *at) {
    memcpy(at, &x, 128);
    if (unlikely(bytes > lds_bytes)) return 0;
    uint32_t inside = v_bits((VI)(x <= lds_bytes - bytes));
    if (unlikely((inside & exec) != exec)) return 0;
    if (!ALL_ACTIVE(exec)) {
        x &= v_exec_mask(exec);
        memcpy(at, &x, 128);
    }
    return 1;
}
ALWAYS_INLINE int lds_addresses(const wave_t *w, const op_t *o, uint32_t exec, uint32_t offset,
                                unsigned bytes, uint32_t *at) {
    return lds_places(v_src(w, o, 0) + offset, w->lds_bytes, exec, bytes, at);
}

/* Loads and stores of LDS; WIDE(name, bytes, is_signed, half), WIDE(name, bytes, shift). */
#define LDS_LOADS(NARROW, WIDE)                                                                    \
    NARROW(u8, 1, 0, LOAD_WORD)                                                                    \
    NARROW(i8, 1, 1, LOAD_WORD)                                                                    \
    NARROW(u16, 2, 0, LOAD_WORD)                                                                   \
    NARROW(i16, 2, 1, LOAD_WORD)                                                                   \
    WIDE(b32, 4, 0, LOAD_WORD)                                                                     \
    WIDE(b64, 8, 0, LOAD_WORD)                                                                     \
    WIDE(b96, 12, 0, LOAD_WORD)                                                                    \
    WIDE(b128, 16, 0, LOAD_WORD)                                                                   \
    NARROW(u8_d16, 1, 0, LOAD_LOW)                                                                 \
    NARROW(i8_d16, 1, 1, LOAD_LOW)                                                                 \
    NARROW(u16_d16, 2, 0, LOAD_LOW)                                                                \
    NARROW(u8_d16_hi, 1, 0, LOAD_HIGH)                                                             \
    NARROW(i8_d16_hi, 1, 1, LOAD_HIGH)                                                             \
    NARROW(u16_d16_hi, 2, 0, LOAD_HIGH)
#define LDS_STORES(NARROW, WIDE)                                                                   \
    NARROW(b8, 1, 0)                                                                               \
    NARROW(b16, 2, 0)                                                                              \
    WIDE(b32, 4, 0)                                                                                \
    WIDE(b64, 8, 0)                                                                                \
    WIDE(b96, 12, 0)                                                                               \
    WIDE(b128, 16, 0)                                                                              \
    NARROW(b8_d16_hi, 1, 16)                                                                       \
    NARROW(b16_d16_hi, 2, 16)
/* PAIR(name, bytes, stride): two elements at independent offsets. */
#define LDS_PAIRS(PAIR)                                                                            \
    PAIR(b32, 4, 4)                                                                                \
    PAIR(b64, 8, 8)                                                                                \
    PAIR(stride64_b32, 4, 256)                                                                     \
    PAIR(stride64_b64, 8, 512)

#endif
