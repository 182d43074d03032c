/* Floating-point rules of RDNA3 that differ from the host's: minimum and maximum, classes,
 * saturating conversions, division steps. Source: AMD RDNA3 ISA, instruction pseudocode. All are
 * exact. */
#ifndef CASS_EMU_FLOAT_RULES_H
#define CASS_EMU_FLOAT_RULES_H

#include "emulator/lanes.h"

#include <math.h>

#define MODE_IEEE(w) ((w)->mode >> 9 & 1)
#define MODE_DX10_CLAMP(w) ((w)->mode >> 8 & 1)

/* ---- minimum and maximum: numbers win over NaN, -0 < +0, signalling NaNs are quieted in IEEE mode
 * ---- */
#define DEFINE_MINMAX(suffix, U, quiet_bit, magnitude, infinity)                                   \
    static inline int nan_##suffix(U x) { return (x & (magnitude)) > (infinity); }                 \
    static inline int snan_##suffix(U x) { return nan_##suffix(x) && !(x & (quiet_bit)); }         \
    /* Monotonic unsigned key of the bit pattern. */                                               \
    static inline U key_##suffix(U x) {                                                            \
        return x & ~(magnitude) ? (U)~x : (U)(x | (U) ~(magnitude));                               \
    }                                                                                              \
    static inline U pick_##suffix(U a, U b, int ieee, int want_max) {                              \
        if (unlikely(nan_##suffix(a) || nan_##suffix(b))) {                                        \
            if (ieee && snan_##suffix(a)) return a | (quiet_bit);                                  \
            if (ieee && snan_##suffix(b)) return b | (quiet_bit);                                  \
            return nan_##suffix(b) ? a : b;                                                        \
        }                                                                                          \
        int less = key_##suffix(a) < key_##suffix(b);                                              \
        return less != want_max ? a : b;                                                           \
    }                                                                                              \
    static inline U med3_##suffix(U a, U b, U c, int ieee) {                                       \
        if (nan_##suffix(a) || nan_##suffix(b) || nan_##suffix(c))                                 \
            return pick_##suffix(pick_##suffix(a, b, ieee, 0), c, ieee, 0);                        \
        U most = pick_##suffix(pick_##suffix(a, b, ieee, 1), c, ieee, 1);                          \
        if (most == a) return pick_##suffix(b, c, ieee, 1);                                        \
        return most == b ? pick_##suffix(a, c, ieee, 1) : pick_##suffix(a, b, ieee, 1);            \
    }
DEFINE_MINMAX(f32, uint32_t, 0x400000u, 0x7fffffffu, 0x7f800000u)
DEFINE_MINMAX(f64, uint64_t, 0x8000000000000ull, 0x7fffffffffffffffull, 0x7ff0000000000000ull)
static inline int nan_f16(uint32_t x) { return (x & 0x7fff) > 0x7c00; }
static inline uint32_t pick_f16(uint32_t a, uint32_t b, int ieee, int want_max) {
    if (unlikely(nan_f16(a) || nan_f16(b))) {
        if (ieee && nan_f16(a) && !(a & 0x200)) return a | 0x200;
        if (ieee && nan_f16(b) && !(b & 0x200)) return b | 0x200;
        return nan_f16(b) ? a : b;
    }
    uint32_t ka = a & 0x8000 ? ~a & 0xffff : a | 0x8000, kb = b & 0x8000 ? ~b & 0xffff : b | 0x8000;
    return (ka < kb) != want_max ? a : b;
}
static inline uint32_t med3_f16(uint32_t a, uint32_t b, uint32_t c, int ieee) {
    if (nan_f16(a) || nan_f16(b) || nan_f16(c))
        return pick_f16(pick_f16(a, b, ieee, 0), c, ieee, 0);
    uint32_t most = pick_f16(pick_f16(a, b, ieee, 1), c, ieee, 1);
    if (most == a) return pick_f16(b, c, ieee, 1);
    return most == b ? pick_f16(a, c, ieee, 1) : pick_f16(a, b, ieee, 1);
}

/* ---- MODE's flush of f32 subnormals, for bodies that do not compute with the host's floats ----
 */
static inline uint32_t flush_in_f32(const wave_t *w, uint32_t x) {
    return unlikely(!(w->mode >> 4 & 1)) && !(x & 0x7f800000) ? x & 0x80000000 : x;
}
static inline uint32_t flush_out_f32(const wave_t *w, uint32_t x) {
    return unlikely(!(w->mode >> 5 & 1)) && !(x & 0x7f800000) ? x & 0x80000000 : x;
}

/* ---- v_cmp_class: one bit of `mask` per class ---- */
static inline uint32_t class_bit(int nan, int quiet, int negative, unsigned exponent, unsigned top,
                                 int zero) {
    if (nan) return quiet ? 1 : 0;
    if (exponent == top) return negative ? 2 : 9;
    if (exponent) return negative ? 3 : 8;
    if (zero) return negative ? 5 : 6;
    return negative ? 4 : 7;
}
static inline uint32_t class_f32(uint32_t x) {
    return class_bit(nan_f32(x), x >> 22 & 1, (int)(x >> 31), x >> 23 & 255, 255,
                     (x & 0x7fffffff) == 0);
}
static inline uint32_t class_f64(uint64_t x) {
    return class_bit(nan_f64(x), x >> 51 & 1, (int)(x >> 63), (unsigned)(x >> 52) & 2047, 2047,
                     (x << 1) == 0);
}
static inline uint32_t class_f16(uint32_t x) {
    return class_bit(nan_f16(x), x >> 9 & 1, (int)(x >> 15), x >> 10 & 31, 31, (x & 0x7fff) == 0);
}

/* ---- saturating conversions; NaN gives 0 ---- */
static inline uint32_t to_i32(double x) {
    if (!(x > -2147483649.0)) return x == x ? 0x80000000u : 0;
    return x >= 2147483648.0 ? 0x7fffffffu : (uint32_t)(int32_t)x;
}
static inline uint32_t to_u32(double x) {
    if (!(x > -1.0)) return 0;
    return x >= 4294967296.0 ? ~0u : (uint32_t)(uint64_t)x;
}
static inline uint32_t to_i16(double x) {
    return (uint32_t)(x != x ? 0 : x >= 32767 ? 32767 : x <= -32768 ? -32768 : (int32_t)x) & 0xffff;
}
static inline uint32_t to_u16(double x) {
    return x >= 65535 ? 65535u : !(x > -1.0) ? 0u : (uint32_t)x;
}

/* ---- scaling by a power of two with one rounding ---- */
static inline double scale_f64(double x, int n) { return ldexp(x, n); }
/* Through double: its range holds every product before the one rounding to single. */
static inline float scale_f32(float x, int n) {
    n = n > 600 ? 600 : n < -600 ? -600 : n;
    return (float)((double)x * f64_of((uint64_t)(1023 + n) << 52));
}

#endif
