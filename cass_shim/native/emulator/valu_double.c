/* 64-bit floating-point vector instructions. Source: AMD RDNA3 ISA, instruction pseudocode. */
#include "emulator/float_exact.h"
#include "emulator/float_rules.h"

#define DOUBLE_OP(name, n, ...)                                                                    \
    HANDLER(name) {                                                                                \
        lanesd a, b, c, r;                                                                         \
        FP_BEGIN(FP_F64);                                                                          \
        ld64(w, o, 0, (uint64_t *)a);                                                              \
        ld64(w, o, 1, (uint64_t *)b);                                                              \
        if ((n) > 2) ld64(w, o, 2, (uint64_t *)c);                                                 \
        __VA_ARGS__;                                                                               \
        put64(w, o->d, (const uint64_t *)r);                                                       \
        FP_END;                                                                                    \
        NEXT;                                                                                      \
    }
DOUBLE_OP(v_add_f64, 2, sum_f64(a, b, r))
DOUBLE_OP(v_mul_f64, 2, product_f64(a, b, r))
DOUBLE_OP(v_fma_f64, 3, all_fused_f64(a, b, c, r))
WIDE2(v_min_f64, 0, u64, u64, u64, pick_f64(a, b, (int)MODE_IEEE(w), 0))
WIDE2(v_max_f64, 0, u64, u64, u64, pick_f64(a, b, (int)MODE_IEEE(w), 1))
WIDE2(v_ldexp_f64, FP_F64, f64, f64, i32, scale_f64(a, b))
WIDE1(v_trunc_f64, FP_F64, f64, f64, __builtin_trunc(a))
WIDE1(v_ceil_f64, FP_F64, f64, f64, __builtin_ceil(a))
WIDE1(v_floor_f64, FP_F64, f64, f64, __builtin_floor(a))
static inline double round_even_f64(double x) {
    double magnitude = __builtin_fabs(x);
    if (!(magnitude < 0x1p52)) return x;
    double whole = (double)(int64_t)magnitude, left = magnitude - whole;
    if (left > 0.5 || (left == 0.5 && ((int64_t)whole & 1))) whole += 1.0;
    return __builtin_copysign(whole, x);
}
WIDE1(v_rndne_f64, FP_F64, f64, f64, round_even_f64(a))
static inline double fraction_f64(double x) {
    double r = x - __builtin_floor(x);
    return r >= 1.0 ? 0x1.fffffffffffffp-1 : r;
}
WIDE1(v_fract_f64, FP_F64, f64, f64, fraction_f64(a))

static inline uint64_t split_f64(uint64_t x, int *exponent) {
    uint64_t magnitude = x << 1 >> 1;
    *exponent = 0;
    if (magnitude >= 0x7ff0000000000000 || magnitude == 0) return x;
    if (magnitude < 0x10000000000000) {
        int shift = __builtin_clzll(magnitude) - 11;
        magnitude <<= shift;
        *exponent = 1 - shift - 1022;
    } else {
        *exponent = (int)(magnitude >> 52) - 1022;
    }
    return (x & 0x8000000000000000) | (magnitude & 0xfffffffffffff) | 1022ull << 52;
}
static inline uint64_t mantissa_f64(uint64_t x) {
    int e;
    return split_f64(x, &e);
}
static inline uint32_t exponent_f64(uint64_t x) {
    int e;
    split_f64(x, &e);
    return (uint32_t)e;
}
WIDE1(v_frexp_mant_f64, 0, u64, u64, mantissa_f64(a))
WIDE1(v_frexp_exp_i32_f64, 0, u32, u64, exponent_f64(a))

/* ---- division, as in valu_float.c ---- */
static inline int biased(uint64_t x) { return (int)(x >> 52 & 2047); }
static inline int quotient_tiny(uint64_t n, uint64_t d) {
    int en, ed;
    split_f64(n, &en);
    split_f64(d, &ed);
    return biased(n) != 2047 && biased(d) != 2047 && en - ed <= -1022;
}
static inline uint64_t div_scale_f64(uint64_t a, uint64_t b, uint64_t c, uint32_t *flag) {
    double x = f64_of(a);
    *flag = b << 1 == 0 || c << 1 == 0;
    if (*flag) return 0x7ff8000000000000;
    int reciprocal_tiny = biased(b) != 2047 && (b << 1 >> 1) > 0x7fd0000000000000;
    int tiny = quotient_tiny(c, b);
    if (biased(c) - biased(b) >= 768) {
        *flag = 1;
        return a == b ? bits64(scale_f64(x, 128)) : a;
    }
    if (biased(b) == 0) return bits64(scale_f64(x, 128));
    /* AMD's text scales this denominator up, which would overflow; the rest of the sequence needs
     * it down. */
    if (reciprocal_tiny && tiny) {
        *flag = 1;
        return a == b ? bits64(scale_f64(x, -128)) : a;
    }
    if (reciprocal_tiny) return bits64(scale_f64(x, -128));
    if (tiny) {
        *flag = 1;
        return a == c ? bits64(scale_f64(x, 128)) : a;
    }
    return biased(c) <= 53 ? bits64(scale_f64(x, 128)) : a;
}
HANDLER(v_div_scale_f64) {
    lanes64 a, b, c, r;
    lanes32 flags;
    ld64(w, o, 0, a);
    ld64(w, o, 1, b);
    ld64(w, o, 2, c);
    for (int i = 0; i < LANES; i++) r[i] = div_scale_f64(a[i], b[i], c[i], &flags[i]);
    put64(w, o->d, r);
    w->s[o->sd] = bits_of(flags) & EXEC;
    NEXT;
}
#if defined(__x86_64__)
typedef __float128 quadruple_t;
#else
typedef long double quadruple_t;
#endif
/* One rounding, as in valu_float.c: quadruple precision holds the product and nearly always the
 * sum. */
static double div_fmas_f64(double a, double b, double c, uint32_t scaled) {
    if (!scaled) return first_f64(__builtin_fma(a, b, c), a, b, c);
    return (double)(((quadruple_t)a * b + c) *
                    (quadruple_t)(biased(bits64(c)) > 1023 ? 0x1p128 : 0x1p-128));
}
WIDE3(v_div_fmas_f64, FP_F64, f64, f64, f64, f64, div_fmas_f64(a, b, c, w->s[S_VCC] >> i & 1))
static inline uint64_t div_fixup_f64(uint64_t a, uint64_t b, uint64_t c) {
    const uint64_t infinity = 0x7ff0000000000000;
    uint64_t sign = (b ^ c) & 0x8000000000000000, d = b << 1 >> 1, n = c << 1 >> 1;
    if (n > infinity) return c | 0x8000000000000;
    if (d > infinity) return b | 0x8000000000000;
    if ((d == 0 && n == 0) || (d == infinity && n == infinity)) return 0xfff8000000000000;
    if (d == 0 || n == infinity) return sign | infinity;
    if (d == infinity || n == 0) return sign;
    if (biased(c) - biased(b) < -1075) return sign;
    /* Finite by nonzero: a NaN comes from overflow on the way. */
    if (a << 1 >> 1 > infinity) return sign | infinity;
    return sign | (a << 1 >> 1);
}
WIDE3(v_div_fixup_f64, 0, u64, u64, u64, u64, div_fixup_f64(a, b, c))

/* 53 bits of 2/pi from bit 53*b on, for argument reduction. The 1201 bits, most significant first.
 */
static const uint32_t two_over_pi[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
    0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
    0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b,
    0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
    0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1,
    0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d, 0xa9e39161};
static double reduction_digits(uint64_t x, uint32_t segment) {
    int shift = (int)(segment & 31) * 53, e = biased(x);
    if (e > 1077) shift += e - 1077;
    uint64_t digits = 0;
    /* Bit i of the constant, counted from its most significant one; the first integer bit before it
     * is zero. */
    for (int i = 0; i < 53; i++) {
        int at = shift + i;
        digits = digits << 1 | (at < 41 * 32 ? two_over_pi[at / 32] >> (31 - at % 32) & 1 : 0);
    }
    int scale = -53 - shift;
    if (e >= 1968) scale += 128;
    return ldexp((double)digits, scale);
}
WIDE2(v_trig_preop_f64, FP_F64, f64, u64, u32, reduction_digits(a, b))
