/* 16-bit vector instructions, floats and integers. One rounding each: sums, products and fused
 * products of halves go through single or double precision, whose extra bits make the second
 * rounding harmless. */
#include "emulator/float_rules.h"
#include "emulator/half.h"

static inline void load_half(const wave_t *w, const op_t *o, int i, lanes32 h) {
    ld16(w, o, i, h);
    if (unlikely(!(w->mode >> 6 & 1)))
        for (int l = 0; l < LANES; l++)
            if ((h[l] & 0x7c00) == 0) h[l] &= 0x8000;
}
static inline void store_half(wave_t *w, const op_t *o, lanes32 r) {
    if (unlikely(!(w->mode >> 7 & 1)))
        for (int i = 0; i < LANES; i++)
            if ((r[i] & 0x7c00) == 0) r[i] &= 0x8000;
    put16(w, o, r);
}

/* Through single precision: 24 bits are enough for one sum or product of 11-bit numbers. */
#define HALF_OP(name, n, ...)                                                                      \
    HANDLER(name) {                                                                                \
        FP_BEGIN(FP_F64);                                                                          \
        lanes32 ha, hb, r;                                                                         \
        lanesf fa, fb, fr;                                                                         \
        load_half(w, o, 0, ha);                                                                    \
        widen_halves(ha, fa);                                                                      \
        if ((n) > 1) {                                                                             \
            load_half(w, o, 1, hb);                                                                \
            widen_halves(hb, fb);                                                                  \
        }                                                                                          \
        LANE_LOOP {                                                                                \
            float a = fa[i], b = (n) > 1 ? fb[i] : 0.0f;                                           \
            (void)b;                                                                               \
            fr[i] = (__VA_ARGS__);                                                                 \
        }                                                                                          \
        narrow_halves(fr, r, w->mode >> 2 & 3);                                                    \
        store_half(w, o, r);                                                                       \
        FP_END;                                                                                    \
        NEXT;                                                                                      \
    }
HALF_OP(v_add_f16, 2, first_f32(a + b, a, b, b))
HALF_OP(v_sub_f16, 2, first_f32(a - b, a, b, b))
HALF_OP(v_subrev_f16, 2, first_f32(b - a, b, a, a))
HALF_OP(v_mul_f16, 2, first_f32(a *b, a, b, b))
HALF_OP(v_trunc_f16, 1, __builtin_truncf(a))
HALF_OP(v_ceil_f16, 1, __builtin_ceilf(a))
HALF_OP(v_floor_f16, 1, __builtin_floorf(a))
static inline float even(float x) {
    float magnitude = __builtin_fabsf(x);
    if (!(magnitude < 1024.0f)) return x;
    float whole = (float)(int32_t)magnitude, left = magnitude - whole;
    if (left > 0.5f || (left == 0.5f && ((int32_t)whole & 1))) whole += 1.0f;
    return __builtin_copysignf(whole, x);
}
HALF_OP(v_rndne_f16, 1, even(a))
static inline float fraction(float x) {
    float r = x - __builtin_floorf(x);
    return r > 0x1.ffcp-1f ? 0x1.ffcp-1f : r; /* never rounds up to 1 */
}
HALF_OP(v_fract_f16, 1, fraction(a))

HANDLER(v_fma_f16) {
    lanes32 a, b, c, r;
    load_half(w, o, 0, a);
    load_half(w, o, 1, b);
    load_half(w, o, 2, c);
    unsigned mode = w->mode >> 2 & 3;
    for (int i = 0; i < LANES; i++)
        r[i] = half_from_double(
            odd_fma(f32_from_half(a[i]), f32_from_half(b[i]), f32_from_half(c[i])), mode);
    store_half(w, o, r);
    NEXT;
}

#define HALF_BITS(name, n, ...)                                                                    \
    HANDLER(name) {                                                                                \
        lanes32 pa, pb, pc, r;                                                                     \
        int ieee = (int)MODE_IEEE(w);                                                              \
        load_half(w, o, 0, pa);                                                                    \
        if ((n) > 1) load_half(w, o, 1, pb);                                                       \
        if ((n) > 2) load_half(w, o, 2, pc);                                                       \
        for (int i = 0; i < LANES; i++) {                                                          \
            uint32_t a = pa[i], b = (n) > 1 ? pb[i] : 0, c = (n) > 2 ? pc[i] : 0;                  \
            (void)b, (void)c, (void)ieee;                                                          \
            r[i] = (__VA_ARGS__);                                                                  \
        }                                                                                          \
        put16(w, o, r);                                                                            \
        NEXT;                                                                                      \
    }
#define MIN(p, q) pick_f16(p, q, ieee, 0)
#define MAX(p, q) pick_f16(p, q, ieee, 1)
HALF_BITS(v_min_f16, 2, MIN(a, b))
HALF_BITS(v_max_f16, 2, MAX(a, b))
HALF_BITS(v_min3_f16, 3, MIN(MIN(a, b), c))
HALF_BITS(v_max3_f16, 3, MAX(MAX(a, b), c))
HALF_BITS(v_minmax_f16, 3, MAX(MIN(a, b), c))
HALF_BITS(v_maxmin_f16, 3, MIN(MAX(a, b), c))
HALF_BITS(v_med3_f16, 3, med3_f16(a, b, c, ieee))

static inline uint32_t split_f16(uint32_t x, int *exponent) {
    uint32_t magnitude = x & 0x7fff;
    *exponent = 0;
    if (magnitude >= 0x7c00 || magnitude == 0) return x;
    if (magnitude < 0x400) {
        int shift = __builtin_clz(magnitude) - 21;
        magnitude <<= shift;
        *exponent = 1 - shift - 14;
    } else {
        *exponent = (int)(magnitude >> 10) - 14;
    }
    return (x & 0x8000) | (magnitude & 0x3ff) | 14 << 10;
}
static inline uint32_t mantissa_f16(uint32_t x) {
    int e;
    return split_f16(x, &e);
}
static inline uint32_t exponent_f16(uint32_t x) {
    int e;
    split_f16(x, &e);
    return (uint32_t)e & 0xffff;
}
HALF_BITS(v_frexp_mant_f16, 1, mantissa_f16(a))
HALF_BITS(v_frexp_exp_i16_f16, 1, exponent_f16(a))
static inline double scaled(float x, int n) {
    n = n > 100 ? 100 : n < -100 ? -100 : n;
    return x * f64_of((uint64_t)(1023 + n) << 52);
}
HANDLER(v_ldexp_f16) {
    lanes32 a, b;
    load_half(w, o, 0, a);
    ld16(w, o, 1, b);
    for (int i = 0; i < LANES; i++)
        a[i] = half_from_double(scaled(f32_from_half(a[i]), (int16_t)b[i]), w->mode >> 2 & 3);
    store_half(w, o, a);
    NEXT;
}
/* a: quotient; b: denominator; c: numerator. */
static inline uint32_t div_fixup_f16(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t sign = (b ^ c) & 0x8000, d = b & 0x7fff, n = c & 0x7fff;
    if (n > 0x7c00) return c | 0x200;
    if (d > 0x7c00) return b | 0x200;
    if ((d == 0 && n == 0) || (d == 0x7c00 && n == 0x7c00)) return 0xfe00;
    if (d == 0 || n == 0x7c00) return sign | 0x7c00;
    if (d == 0x7c00 || n == 0) return sign;
    return sign | (a & 0x7fff);
}
HALF_BITS(v_div_fixup_f16, 3, div_fixup_f16(a, b, c))

/* ---- integers ---- */
#define SHORT_OP(name, n, ...)                                                                     \
    HANDLER(name) {                                                                                \
        lanes32 pa, pb, pc, r;                                                                     \
        ld16(w, o, 0, pa);                                                                         \
        if ((n) > 1) ld16(w, o, 1, pb);                                                            \
        if ((n) > 2) ld16(w, o, 2, pc);                                                            \
        int clamp = o->flags & F_CLAMP;                                                            \
        LANE_LOOP {                                                                                \
            uint32_t a = pa[i], b = (n) > 1 ? pb[i] : 0, c = (n) > 2 ? pc[i] : 0;                  \
            (void)b, (void)c, (void)clamp;                                                         \
            r[i] = (uint32_t)(__VA_ARGS__);                                                        \
        }                                                                                          \
        put16(w, o, r);                                                                            \
        NEXT;                                                                                      \
    }
#define S(x) ((int32_t)(int16_t)(x))
#define U_CLAMP(x) (clamp && (uint32_t)(x) > 0xffff ? 0xffffu : (uint32_t)(x))
#define D_CLAMP(x) (clamp && (int32_t)(x) < 0 ? 0u : (uint32_t)(x))
static inline uint32_t s_clamp(int64_t x, int clamp) {
    if (!clamp) return (uint32_t)x;
    return (uint32_t)(x > 32767 ? 32767 : x < -32768 ? -32768 : x);
}
#define SMIN(p, q) (S(p) < S(q) ? (p) : (q))
#define SMAX(p, q) (S(p) > S(q) ? (p) : (q))
#define UMIN(p, q) ((p) < (q) ? (p) : (q))
#define UMAX(p, q) ((p) > (q) ? (p) : (q))
SHORT_OP(v_mov_b16, 1, a)
SHORT_OP(v_not_b16, 1, ~a)
SHORT_OP(v_and_b16, 2, a &b)
SHORT_OP(v_or_b16, 2, a | b)
SHORT_OP(v_xor_b16, 2, a ^ b)
SHORT_OP(v_add_nc_u16, 2, U_CLAMP(a + b))
SHORT_OP(v_sub_nc_u16, 2, D_CLAMP(a - b))
SHORT_OP(v_add_nc_i16, 2, s_clamp(S(a) + S(b), clamp))
SHORT_OP(v_sub_nc_i16, 2, s_clamp(S(a) - S(b), clamp))
SHORT_OP(v_mul_lo_u16, 2, U_CLAMP(a *b))
SHORT_OP(v_lshlrev_b16, 2, b << (a & 15))
SHORT_OP(v_lshrrev_b16, 2, b >> (a & 15))
SHORT_OP(v_ashrrev_i16, 2, S(b) >> (a & 15))
SHORT_OP(v_min_i16, 2, SMIN(a, b))
SHORT_OP(v_max_i16, 2, SMAX(a, b))
SHORT_OP(v_min_u16, 2, UMIN(a, b))
SHORT_OP(v_max_u16, 2, UMAX(a, b))
SHORT_OP(v_min3_i16, 3, SMIN(SMIN(a, b), c))
SHORT_OP(v_max3_i16, 3, SMAX(SMAX(a, b), c))
SHORT_OP(v_min3_u16, 3, UMIN(UMIN(a, b), c))
SHORT_OP(v_max3_u16, 3, UMAX(UMAX(a, b), c))
SHORT_OP(v_med3_i16, 3, SMAX(SMIN(a, b), SMIN(SMAX(a, b), c)))
SHORT_OP(v_med3_u16, 3, UMAX(UMIN(a, b), UMIN(UMAX(a, b), c)))
SHORT_OP(v_mad_u16, 3, U_CLAMP((uint64_t)a *b + c > UINT32_MAX ? UINT32_MAX : a * b + c))
SHORT_OP(v_mad_i16, 3, s_clamp((int64_t)S(a) * S(b) + S(c), clamp))

#define SHORT_MAD(name, product, saturated)                                                        \
    HANDLER(name) {                                                                                \
        lanes32 pa, pb, rc, r;                                                                     \
        ld16(w, o, 0, pa);                                                                         \
        ld16(w, o, 1, pb);                                                                         \
        const uint32_t *pc = ld32(w, o, 2, rc);                                                    \
        for (int i = 0; i < LANES; i++) {                                                          \
            uint32_t a = pa[i], b = pb[i], c = pc[i];                                              \
            r[i] = o->flags & F_CLAMP ? (uint32_t)(saturated) : (uint32_t)(product) + c;           \
        }                                                                                          \
        put32(w, o->d, r);                                                                         \
        NEXT;                                                                                      \
    }
static inline uint32_t saturate_i32(int64_t x) {
    return (uint32_t)(int32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}
SHORT_MAD(v_mad_u32_u16, a *b, (uint64_t)a *b + c > UINT32_MAX ? UINT32_MAX : a * b + c)
SHORT_MAD(v_mad_i32_i16, S(a) * S(b), saturate_i32((int64_t)S(a) * S(b) + (int32_t)c))

/* ---- exchange ---- */
static const op_t *not_a_register(wave_t *w, const op_t *o) {
    return emu_raise(w, o, EMU_ILLEGAL_INSTRUCTION, 0, 0,
                     "exchange with something that is not a VGPR");
}
HANDLER(v_swap_b32) {
    if (src_kind(o, 0) != SRC_VGPR) return not_a_register(w, o);
    V *a = (V *)w->v[o->d], *b = (V *)((char *)w + o->off[0]), x = *a, y = *b;
    V m = v_exec_mask(EXEC);
    *a = (y & m) | (x & ~m);
    if (a != b) *b = (x & m) | (y & ~m);
    NEXT;
}
HANDLER(v_swap_b16) {
    if (src_kind(o, 0) != SRC_VGPR) return not_a_register(w, o);
    lanes32 source, old;
    ld16(w, o, 0, source);
    unsigned from = (unsigned)((o->off[0] - offsetof(wave_t, v)) / sizeof(vreg_t));
    V kept = *(const V *)w->v[o->d] >> (o->hi & 8 ? 16u : 0u) & 0xffffu;
    memcpy(old, &kept, 128);
    op_t back = *o;
    back.d = (uint16_t)from;
    back.hi = (uint8_t)(o->hi & 1 ? 8 : 0);
    put16(w, o, source);
    put16(w, &back, old);
    NEXT;
}
