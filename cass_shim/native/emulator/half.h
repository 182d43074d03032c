/* Half and brain floats: exact widening, narrowing with MODE's rounding, fused arithmetic with one
 * rounding. */
#ifndef CASS_EMU_HALF_H
#define CASS_EMU_HALF_H

#include "emulator/float_exact.h"

static inline float f32_from_half(uint32_t h) {
    uint32_t sign = (h & 0x8000) << 16, body = h & 0x7fff;
    if (body >= 0x7c00) /* infinity; NaNs are quieted */
        return f32_of(sign | 0x7f800000 | (body & 0x3ff) << 13 | (body & 0x3ff ? 0x400000 : 0));
    /* Subnormals by their count of units: as f32 they would be denormals, which MXCSR may have read
     * as 0. */
    if (body < 0x400) return f32_of(bits32((float)body * 0x1p-24f) | sign);
    return f32_of(((body << 13) + (112u << 23)) | sign);
}

/* mode: 0 nearest even, 1 up, 2 down, 3 toward zero (the hardware's numbering). */
static inline uint32_t half_from_double(double x, unsigned mode) {
    uint64_t u = bits64(x);
    uint32_t sign = (uint32_t)(u >> 48) & 0x8000;
    uint64_t magnitude = u << 1 >> 1;
    if (magnitude >= 0x7ff0000000000000)
        return sign | 0x7c00 |
               (magnitude > 0x7ff0000000000000 ? 0x200 | ((uint32_t)(magnitude >> 42) & 0x3ff) : 0);
    int e = (int)(magnitude >> 52) - 1023;
    int away = mode == 1 ? !sign : mode == 2 ? sign != 0 : 0;
    if (e > 15) return sign | (mode == 0 || away ? 0x7c00 : 0x7bff);
    uint64_t mantissa = (magnitude & 0xfffffffffffff) | (e > -1023 ? 0x10000000000000 : 0);
    int drop = e >= -14 ? 42 : 42 + (-14 - e);
    uint64_t kept, rest, half_way;
    if (drop > 60) {
        kept = 0;
        rest = mantissa != 0;
        half_way = 2;
    } else {
        kept = mantissa >> drop;
        rest = mantissa & ((1ull << drop) - 1);
        half_way = 1ull << (drop - 1);
    }
    if (mode == 0 ? rest > half_way || (rest == half_way && (kept & 1)) : away && rest) kept++;
    uint32_t biased = e >= -14 ? (uint32_t)(e + 14) << 10 : 0;
    return sign | (biased + (uint32_t)kept);
}

/* x*y+z rounded once to half: the double sum is rounded to odd, which a second rounding cannot
 * spoil. */
static inline double odd_fma(double x, double y, double z) {
    double p = x * y, s = first_f64(p + z, x, y, z); /* the product of two halves is exact */
    double t = s - p, error = (p - (s - t)) + (z - t);
    /* An infinite or NaN sum has a NaN error, which is neither above nor below zero. */
    if ((error > 0 || error < 0) && !(bits64(s) & 1)) {
        uint64_t u = bits64(s);
        s = f64_of((error > 0) == (s > 0) ? u + 1 : u - 1);
    }
    return s;
}

static inline float f32_from_bf16(uint32_t x) { return f32_of(x << 16); }
static inline uint32_t bf16_from_f32(float x) {
    uint32_t u = bits32(x);
    if (x != x) return (u >> 16 | 0x40) & 0xffff;
    return (u + 0x7fff + (u >> 16 & 1)) >> 16;
}

#if defined(EMU_NATIVE) && defined(__clang__)
typedef uint16_t half_bits __attribute__((vector_size(2 * LANES)));
typedef _Float16 halves_t __attribute__((vector_size(2 * LANES)));
ALWAYS_INLINE void widen_halves(const uint32_t *h, float *f) {
    V x;
    memcpy(&x, h, 128);
    VF r = __builtin_convertvector((halves_t) __builtin_convertvector(x, half_bits), VF);
    memcpy(f, &r, 128);
}
/* Rounds to nearest, which MODE says where translated code runs. */
ALWAYS_INLINE void narrow_halves(const float *f, uint32_t *h, unsigned mode) {
    (void)mode;
    VF x;
    memcpy(&x, f, 128);
    V r = __builtin_convertvector((half_bits) __builtin_convertvector(x, halves_t), V);
    memcpy(h, &r, 128);
}
#elif defined(__F16C__)
#include <immintrin.h>
ALWAYS_INLINE void widen_halves(const uint32_t *h, float *f) {
    for (int i = 0; i < LANES; i += 8) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(h + i));
        __m128i packed =
            _mm_packus_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
        _mm256_storeu_ps(f + i, _mm256_cvtph_ps(packed));
    }
}
/* Rounds as MXCSR says. */
ALWAYS_INLINE void narrow_halves(const float *f, uint32_t *h, unsigned mode) {
    (void)mode;
    for (int i = 0; i < LANES; i += 8) {
        __m128i packed = _mm256_cvtps_ph(_mm256_loadu_ps(f + i), _MM_FROUND_CUR_DIRECTION);
        _mm256_storeu_si256((__m256i *)(void *)(h + i), _mm256_cvtepu16_epi32(packed));
    }
}
#else
ALWAYS_INLINE void widen_halves(const uint32_t *h, float *f) {
    for (int i = 0; i < LANES; i++) f[i] = f32_from_half(h[i]);
}
ALWAYS_INLINE void narrow_halves(const float *f, uint32_t *h, unsigned mode) {
    for (int i = 0; i < LANES; i++) h[i] = half_from_double(f[i], mode);
}
#endif

#endif
