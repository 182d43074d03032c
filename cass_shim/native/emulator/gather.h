/* Words of memory into lanes and back, by one offset a lane: of LDS and of memory alike. What is
 * read and written has been checked. */
#ifndef CASS_EMU_GATHER_H
#define CASS_EMU_GATHER_H

#include "emulator/memory_shapes.h"
#include "emulator/memory_words.h"

typedef uint32_t eight_t __attribute__((vector_size(32)));

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
ALWAYS_INLINE void gather_narrow(uint32_t *out, const char *base, const uint32_t *offset,
                                 unsigned bytes, int is_signed) {
    for (int i = 0; i < LANES; i += 8) {
        if (bytes == 1 && is_signed) EIGHT_OF(out, i, 1, 1);
        else if (bytes == 1) EIGHT_OF(out, i, 1, 0);
        else if (is_signed) EIGHT_OF(out, i, 2, 1);
        else EIGHT_OF(out, i, 2, 0);
    }
}
/* Lanes at one address read it once. */
ALWAYS_INLINE void gather_dwords(uint32_t *out, const char *base, const uint32_t *offset,
                                 lane_shape shape) {
    for (int half = 0; half < LANES; half += 16) {
        uint32_t bit = half ? 2 : 1;
        if (shape.same & bit) {
            uint32_t x = load_element(base + offset[half], 4, 0);
            for (int i = 0; i < 16; i++) out[half + i] = x;
        } else if (shape.run & bit) {
            memory_get(out + half, base + offset[half], 64);
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

/* Two words of every lane, each lane's in one access (load_words says why). */
ALWAYS_INLINE void gather_pair(uint32_t *low, uint32_t *high, const char *base,
                               const uint32_t *offset) {
    for (int i = 0; i < LANES; i += 8) {
        uint64_t q[8];
        for (int n = 0; n < 8; n++) memory_get(&q[n], base + offset[i + n], 8);
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

/* Four words of every lane, likewise. */
ALWAYS_INLINE void gather_quad(lanes32 *r, const char *base, const uint32_t *offset) {
    uint32_t q[LANES][4];
    for (int i = 0; i < LANES; i++) load_words(q[i], base + offset[i], 16, 0);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < LANES; i += 8) {
            eight_t x = {q[i][k],     q[i + 1][k], q[i + 2][k], q[i + 3][k],
                         q[i + 4][k], q[i + 5][k], q[i + 6][k], q[i + 7][k]};
            memcpy(r[k] + i, &x, 32);
        }
}

/* Adds to words of memory that no other thread touches. */
ALWAYS_INLINE void add_words(const uint32_t *x, uint8_t *base, const uint32_t *at, uint32_t exec) {
    if (exec == ~0u) {
        for (unsigned i = 0; i < LANES; i++) *(uint32_t *)(void *)(base + at[i]) += x[i];
        return;
    }
    for (; exec; exec &= exec - 1) {
        unsigned i = (unsigned)__builtin_ctz(exec);
        *(uint32_t *)(void *)(base + at[i]) += x[i];
    }
}

/* Stores of registers x.. to base + at[i], which all may be touched, in lane order. */
ALWAYS_INLINE void scatter(const vreg_t *x, char *base, const uint32_t *at, uint32_t exec,
                           unsigned bytes, unsigned shift) {
    unsigned words = bytes < 4 ? 1 : bytes / 4;
    if (exec == ~0u) {
        for (unsigned i = 0; i < LANES; i++)
            for (unsigned k = 0; k < words; k++)
                store_element(base + at[i] + 4 * k, x[k][i] >> shift, bytes);
        return;
    }
    for (; exec; exec &= exec - 1) {
        unsigned i = (unsigned)__builtin_ctz(exec);
        for (unsigned k = 0; k < words; k++)
            store_element(base + at[i] + 4 * k, x[k][i] >> shift, bytes);
    }
}

#endif
