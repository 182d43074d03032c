/* 32-bit floating-point vector instructions. Source: AMD RDNA3 ISA, instruction pseudocode; the
 * scaling rule of v_div_fmas as later AMD manuals state it (by the exponent of the addend). */
#include "emulator/float_exact.h"
#include "emulator/float_rules.h"
#include "emulator/half.h"

FLOAT_V(v_add_f32, 2, v_sum(a, b))
FLOAT_V(v_sub_f32, 2, v_difference(a, b))
FLOAT_V(v_subrev_f32, 2, v_difference(b, a))
FLOAT_V(v_mul_f32, 2, v_product(a, b))

FLOAT_V(v_fma_f32, 3, v_fused(a, b, c))
/* DX9: zero times anything is zero. */
#define ZERO_PRODUCT ((VI)(x == 0.0f) | (VI)(y == 0.0f))
FLOAT_V(v_mul_dx9_zero_f32, 2, ~ZERO_PRODUCT &(VI)v_product(a, b))
FLOAT_V(v_fma_dx9_zero_f32, 3, (ZERO_PRODUCT & (VI)c) | (~ZERO_PRODUCT & (VI)v_fused(a, b, c)))

#define IEEE MODE_IEEE(w)
#define MIN(p, q) pick_f32(p, q, ieee, 0)
#define MAX(p, q) pick_f32(p, q, ieee, 1)
#define PICK(name, n, expr)                                                                        \
    HANDLER(name) {                                                                                \
        lanes32 ra, rb, rc, r;                                                                     \
        int ieee = (int)IEEE;                                                                      \
        const uint32_t *pa = ld32(w, o, 0, ra), *pb = ld32(w, o, 1, rb),                           \
                       *pc = (n) > 2 ? ld32(w, o, 2, rc) : pa;                                     \
        for (int i = 0; i < LANES; i++) {                                                          \
            uint32_t a = flush_in_f32(w, pa[i]), b = flush_in_f32(w, pb[i]);                       \
            uint32_t c = flush_in_f32(w, pc[i]);                                                   \
            (void)c;                                                                               \
            r[i] = flush_out_f32(w, expr);                                                         \
        }                                                                                          \
        put32(w, o->d, r);                                                                         \
        NEXT;                                                                                      \
    }
/* Without NaN the order of bit patterns decides; a NaN in any lane takes the lane-by-lane path. */
#define PICK2(name, want_max)                                                                      \
    PICK(name##_slow, 2, pick_f32(a, b, ieee, want_max))                                           \
    HANDLER(name) {                                                                                \
        V a = v_src(w, o, 0), b = v_src(w, o, 1);                                                  \
        VI number = (VI)((VF)a == (VF)a) & (VI)((VF)b == (VF)b);                                   \
        if (unlikely((w->fp_special & FP_F32) || (v_bits(number) & EXEC) != EXEC))                 \
            GO_SLOW(name##_slow);                                                                  \
        VI ka = (VI)a ^ (VI)((V)((VI)a >> 31) >> 1), kb = (VI)b ^ (VI)((V)((VI)b >> 31) >> 1);     \
        VI less = ka < kb;                                                                         \
        if (want_max) less = ~less;                                                                \
        v_put(w, o->d, (a & (V)less) | (b & ~(V)less));                                            \
        NEXT;                                                                                      \
    }
#ifdef EMU_MUSTTAIL
#define GO_SLOW(name) TAIL BODY_NAME(name)(w, o)
#else
#define GO_SLOW(name) return BODY_NAME(name)(w, o)
#endif
PICK2(v_min_f32, 0)
PICK2(v_max_f32, 1)
PICK(v_min3_f32, 3, MIN(MIN(a, b), c))
PICK(v_max3_f32, 3, MAX(MAX(a, b), c))
PICK(v_minmax_f32, 3, MAX(MIN(a, b), c))
PICK(v_maxmin_f32, 3, MIN(MAX(a, b), c))
PICK(v_med3_f32, 3, med3_f32(a, b, c, ieee))

/* ---- rounding to integers ---- */
FLANE1(v_trunc_f32, float, float, __builtin_truncf(a))
FLANE1(v_ceil_f32, float, float, __builtin_ceilf(a))
FLANE1(v_floor_f32, float, float, __builtin_floorf(a))
/* Half to even whatever MODE says. */
static inline float round_even_f32(float x) {
    float magnitude = __builtin_fabsf(x);
    if (!(magnitude < 8388608.0f)) return x;
    float whole = (float)(int32_t)magnitude, left = magnitude - whole;
    if (left > 0.5f || (left == 0.5f && ((int32_t)whole & 1))) whole += 1.0f;
    return __builtin_copysignf(whole, x);
}
FLANE1(v_rndne_f32, float, float, round_even_f32(a))
/* Never reaches 1: the largest float below 1 is the hardware's bound. */
static inline float fraction_f32(float x) {
    float r = x - __builtin_floorf(x);
    return r >= 1.0f ? 0x1.fffffep-1f : r;
}
FLANE1(v_fract_f32, float, float, fraction_f32(a))

/* ---- exponents ---- */
static inline uint32_t split_f32(uint32_t x, int *exponent) {
    uint32_t magnitude = x & 0x7fffffff;
    *exponent = 0;
    if (magnitude >= 0x7f800000 || magnitude == 0) return x;
    if (magnitude < 0x800000) {
        int shift = __builtin_clz(magnitude) - 8;
        magnitude <<= shift;
        *exponent = 1 - shift - 126;
    } else {
        *exponent = (int)(magnitude >> 23) - 126;
    }
    return (x & 0x80000000) | (magnitude & 0x7fffff) | 126u << 23;
}
static inline uint32_t mantissa_f32(uint32_t x) {
    int e;
    return split_f32(x, &e);
}
static inline uint32_t exponent_f32(uint32_t x) {
    int e;
    split_f32(x, &e);
    return (uint32_t)e;
}
LANE1(v_frexp_mant_f32, uint32_t, uint32_t, mantissa_f32(flush_in_f32(w, a)))
LANE1(v_frexp_exp_i32_f32, uint32_t, uint32_t, exponent_f32(flush_in_f32(w, a)))
FLANE2(v_ldexp_f32, float, float, int32_t, scale_f32(a, b))

/* ---- division ---- */
static inline int biased(uint32_t x) { return (int)(x >> 23 & 255); }
static inline int subnormal_f64(double x, double smallest) {
    return x != 0 && __builtin_fabs(x) < smallest;
}
/* Whether a finite quotient may be subnormal. By the exponents alone: the reading of AMD's text
 * under which hardware's flag for 0x1p-126 / 1 agrees with the scaling back. */
static inline int quotient_tiny(uint32_t n, uint32_t d) {
    int en, ed;
    split_f32(n, &en);
    split_f32(d, &ed);
    return biased(n) != 255 && biased(d) != 255 && en - ed <= -126;
}
/* Which of numerator and denominator must be scaled so that the Newton steps neither overflow nor
 * lose bits. a: the value to scale (one of b, c); b: denominator; c: numerator. *flag: the quotient
 * needs scaling back; set with a zero too, which AMD's text leaves out and hardware does not. */
static inline uint32_t div_scale_f32(uint32_t a, uint32_t b, uint32_t c, uint32_t *flag) {
    float x = f32_of(a);
    *flag = b << 1 == 0 || c << 1 == 0;
    if (*flag) return 0x7fc00000;
    int reciprocal_tiny = subnormal_f64(1.0 / f32_of(b), 0x1p-126), tiny = quotient_tiny(c, b);
    if (biased(c) - biased(b) >= 96) {
        *flag = 1;
        return a == b ? bits32(scale_f32(x, 64)) : a;
    }
    if (biased(b) == 0) return bits32(scale_f32(x, 64));
    /* AMD's text scales this denominator up, which would overflow; the rest of the sequence needs
     * it down. */
    if (reciprocal_tiny && tiny) {
        *flag = 1;
        return a == b ? bits32(scale_f32(x, -64)) : a;
    }
    if (reciprocal_tiny) return bits32(scale_f32(x, -64));
    if (tiny) {
        *flag = 1;
        return a == c ? bits32(scale_f32(x, 64)) : a;
    }
    return biased(c) <= 23 ? bits32(scale_f32(x, 64)) : a;
}
HANDLER(v_div_scale_f32) {
    lanes32 ra, rb, rc, r, flags;
    const uint32_t *a = ld32(w, o, 0, ra), *b = ld32(w, o, 1, rb), *c = ld32(w, o, 2, rc);
    for (int i = 0; i < LANES; i++)
        r[i] = div_scale_f32(flush_in_f32(w, a[i]), flush_in_f32(w, b[i]), flush_in_f32(w, c[i]),
                             &flags[i]);
    put32(w, o->d, r);
    w->s[o->sd] = bits_of(flags) & EXEC;
    NEXT;
}
/* The scaling back and the fused product share one rounding, or a subnormal quotient would be
 * rounded twice. */
static inline float div_fmas_f32(float a, float b, float c, uint32_t scaled) {
    if (!scaled) return fused_f32(a, b, c);
    return (float)(odd_fma(a, b, c) * (biased(bits32(c)) > 127 ? 0x1p64 : 0x1p-64));
}
HANDLER(v_div_fmas_f32) {
    FP_BEGIN(FP_F32);
    lanes32 ra, rb, rc, rd;
    const float *a = (const float *)ld32(w, o, 0, ra), *b = (const float *)ld32(w, o, 1, rb);
    const float *c = (const float *)ld32(w, o, 2, rc);
    float *r = (float *)rd;
    uint32_t vcc = w->s[S_VCC];
    hide(fp_kind, ra, 128);
    hide(fp_kind, rb, 128);
    hide(fp_kind, rc, 128);
    for (int i = 0; i < LANES; i++) r[i] = div_fmas_f32(a[i], b[i], c[i], vcc >> i & 1);
    hide(fp_kind, rd, 128);
    put32(w, o->d, rd);
    FP_END;
    NEXT;
}
/* a: computed quotient; b: denominator; c: numerator. */
static inline uint32_t div_fixup_f32(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t sign = (b ^ c) & 0x80000000, d = b & 0x7fffffff, n = c & 0x7fffffff;
    if (n > 0x7f800000) return c | 0x400000;
    if (d > 0x7f800000) return b | 0x400000;
    if ((d == 0 && n == 0) || (d == 0x7f800000 && n == 0x7f800000)) return 0xffc00000;
    if (d == 0 || n == 0x7f800000) return sign | 0x7f800000;
    if (d == 0x7f800000 || n == 0) return sign;
    if (biased(c) - biased(b) < -150) return sign;
    /* Finite by nonzero: a NaN comes from overflow on the way. */
    if ((a & 0x7fffffff) > 0x7f800000) return sign | 0x7f800000;
    return sign | (a & 0x7fffffff);
}
LANE3(v_div_fixup_f32, uint32_t, uint32_t, uint32_t, uint32_t,
      div_fixup_f32(flush_in_f32(w, a), flush_in_f32(w, b), flush_in_f32(w, c)))

/* ---- graphics helpers ---- */
#define ABS(x) __builtin_fabsf(x)
#define Z_MAJOR (ABS(c) >= ABS(a) && ABS(c) >= ABS(b))
#define Y_MAJOR (ABS(b) >= ABS(a))
FLANE3(v_cubeid_f32, float, float, float, float,
       Z_MAJOR   ? (c < 0 ? 5.0f : 4.0f)
       : Y_MAJOR ? (b < 0 ? 3.0f : 2.0f)
                 : (a < 0 ? 1.0f : 0.0f))
FLANE3(v_cubesc_f32, float, float, float, float,
       Z_MAJOR   ? (c < 0 ? -a : a)
       : Y_MAJOR ? a
                 : (a < 0 ? c : -c))
FLANE3(v_cubetc_f32, float, float, float, float, Z_MAJOR ? -b : Y_MAJOR ? (b < 0 ? -c : c) : -b)
FLANE3(v_cubema_f32, float, float, float, float, (Z_MAJOR ? c : Y_MAJOR ? b : a) * 2.0f)
static inline float mullit(float a, float b, float c) {
    if (!(b > -0x1.fffffep127f) || !(c > 0)) return -0x1.fffffep127f;
    return a * b;
}
FLANE3(v_mullit_f32, float, float, float, float, mullit(a, b, c))
