/* VOP3P: pairs of 16-bit numbers in one register, dot products, mixed-precision fma. Half selection
 * and sign changes were applied by a record before (decode_packed.c), except for fma_mix. Source:
 * AMD RDNA3 ISA, "VOP3P". */
#include "emulator/float_rules.h"
#include "emulator/half.h"

#define LO(x) ((x) & 0xffffu)
#define HI(x) ((x) >> 16)
#define S(x) ((int32_t)(int16_t)(x))

#define PACKED(name, n, ...)                                                                       \
    HANDLER(name) {                                                                                \
        lanes32 ra, rb, rc, r;                                                                     \
        const uint32_t *pa = ld32(w, o, 0, ra), *pb = ld32(w, o, 1, rb);                           \
        const uint32_t *pc = (n) > 2 ? ld32(w, o, 2, rc) : pa;                                     \
        int clamp = o->flags & F_CLAMP;                                                            \
        LANE_LOOP {                                                                                \
            uint32_t halves[2];                                                                    \
            for (int k = 0; k < 2; k++) {                                                          \
                uint32_t a = LO(pa[i] >> (16 * k)), b = LO(pb[i] >> (16 * k)),                     \
                         c = LO(pc[i] >> (16 * k));                                                \
                (void)c, (void)clamp;                                                              \
                halves[k] = LO((uint32_t)(__VA_ARGS__));                                           \
            }                                                                                      \
            r[i] = halves[0] | halves[1] << 16;                                                    \
        }                                                                                          \
        put32(w, o->d, r);                                                                         \
        NEXT;                                                                                      \
    }
static inline int64_t fit(int64_t x, int64_t low, int64_t high, int clamp) {
    return !clamp ? x : x < low ? low : x > high ? high : x;
}
#define FIT_S(x) fit(x, -32768, 32767, clamp)
#define FIT_U(x) fit(x, 0, 65535, clamp)
PACKED(v_pk_add_u16, 2, FIT_U((int64_t)a + b))
PACKED(v_pk_sub_u16, 2, FIT_U((int64_t)a - b))
PACKED(v_pk_add_i16, 2, FIT_S(S(a) + S(b)))
PACKED(v_pk_sub_i16, 2, FIT_S(S(a) - S(b)))
PACKED(v_pk_mul_lo_u16, 2, a *b)
PACKED(v_pk_mad_u16, 3, FIT_U((int64_t)a *b + c))
PACKED(v_pk_mad_i16, 3, FIT_S(S(a) * S(b) + S(c)))
PACKED(v_pk_lshlrev_b16, 2, b << (a & 15))
PACKED(v_pk_lshrrev_b16, 2, b >> (a & 15))
PACKED(v_pk_ashrrev_i16, 2, S(b) >> (a & 15))
PACKED(v_pk_min_i16, 2, S(a) < S(b) ? a : b)
PACKED(v_pk_max_i16, 2, S(a) > S(b) ? a : b)
PACKED(v_pk_min_u16, 2, a < b ? a : b)
PACKED(v_pk_max_u16, 2, a > b ? a : b)

/* MODE's f16 subnormal flush on inputs and results. */
static inline uint32_t flush_in(const wave_t *w, uint32_t h) {
    return unlikely(!(w->mode >> 6 & 1)) && (h & 0x7c00) == 0 ? h & 0x8000 : h;
}
static inline uint32_t flush_out(const wave_t *w, uint32_t h) {
    return unlikely(!(w->mode >> 7 & 1)) && (h & 0x7c00) == 0 ? h & 0x8000 : h;
}
#define PACKED_HALF(name, n, ...)                                                                  \
    HANDLER(name) {                                                                                \
        lanes32 ra, rb, rc, r;                                                                     \
        const uint32_t *pa = ld32(w, o, 0, ra), *pb = ld32(w, o, 1, rb);                           \
        const uint32_t *pc = (n) > 2 ? ld32(w, o, 2, rc) : pa;                                     \
        unsigned mode = w->mode >> 2 & 3;                                                          \
        for (int i = 0; i < LANES; i++) {                                                          \
            uint32_t halves[2];                                                                    \
            for (int k = 0; k < 2; k++) {                                                          \
                double a = f32_from_half(flush_in(w, LO(pa[i] >> (16 * k))));                      \
                double b = f32_from_half(flush_in(w, LO(pb[i] >> (16 * k))));                      \
                double c = (n) > 2 ? f32_from_half(flush_in(w, LO(pc[i] >> (16 * k)))) : 0.0;      \
                (void)c;                                                                           \
                halves[k] = flush_out(w, half_from_double(__VA_ARGS__, mode));                     \
            }                                                                                      \
            r[i] = halves[0] | halves[1] << 16;                                                    \
        }                                                                                          \
        put32(w, o->d, r);                                                                         \
        NEXT;                                                                                      \
    }
PACKED_HALF(v_pk_add_f16, 2, first_f64(a + b, a, b, b))
PACKED_HALF(v_pk_mul_f16, 2, first_f64(a *b, a, b, b))
PACKED_HALF(v_pk_fma_f16, 3, odd_fma(a, b, c))
PACKED(v_pk_min_f16, 2, pick_f16(flush_in(w, a), flush_in(w, b), (int)MODE_IEEE(w), 0))
PACKED(v_pk_max_f16, 2, pick_f16(flush_in(w, a), flush_in(w, b), (int)MODE_IEEE(w), 1))

/* ---- dot products ---- */
/* Products are exact in double; the sum is rounded to single after each addition, as AMD's
 * pseudocode writes it. */
static inline float dot2(float c, float a0, float b0, float a1, float b1) {
    return fused_f32(a1, b1, fused_f32(a0, b0, c));
}
LANE3(v_dot2_f32_f16, float, uint32_t, uint32_t, float,
      dot2(c, f32_from_half(LO(a)), f32_from_half(LO(b)), f32_from_half(HI(a)),
           f32_from_half(HI(b))))
LANE3(v_dot2_f32_bf16, float, uint32_t, uint32_t, float,
      dot2(c, f32_from_bf16(LO(a)), f32_from_bf16(LO(b)), f32_from_bf16(HI(a)),
           f32_from_bf16(HI(b))))
HANDLER(v_dot2_f16_f16) {
    lanes32 ra, rb, c;
    const uint32_t *a = ld32(w, o, 0, ra), *b = ld32(w, o, 1, rb);
    ld16(w, o, 2, c);
    for (int i = 0; i < LANES; i++) {
        float r = dot2(f32_from_half(c[i]), f32_from_half(LO(a[i])), f32_from_half(LO(b[i])),
                       f32_from_half(HI(a[i])), f32_from_half(HI(b[i])));
        c[i] = half_from_double(r, w->mode >> 2 & 3);
    }
    put16(w, o, c);
    NEXT;
}
HANDLER(v_dot2_bf16_bf16) {
    lanes32 ra, rb, c;
    const uint32_t *a = ld32(w, o, 0, ra), *b = ld32(w, o, 1, rb);
    ld16(w, o, 2, c);
    for (int i = 0; i < LANES; i++)
        c[i] = bf16_from_f32(dot2(f32_from_bf16(c[i]), f32_from_bf16(LO(a[i])),
                                  f32_from_bf16(LO(b[i])), f32_from_bf16(HI(a[i])),
                                  f32_from_bf16(HI(b[i]))));
    put16(w, o, c);
    NEXT;
}
/* Bit i of the neg field makes source i signed. */
static inline int64_t dot_small(uint32_t a, uint32_t b, int width, int a_signed, int b_signed) {
    int64_t sum = 0;
    for (int at = 0; at < 32; at += width) {
        int64_t x = a >> at & ((1u << width) - 1), y = b >> at & ((1u << width) - 1);
        if (a_signed && x >> (width - 1)) x -= 1 << width;
        if (b_signed && y >> (width - 1)) y -= 1 << width;
        sum += x * y;
    }
    return sum;
}
static inline uint32_t sum_i32(int64_t x, int clamp) {
    return (uint32_t)fit(x, INT32_MIN, INT32_MAX, clamp);
}
static inline uint32_t sum_u32(int64_t x, int clamp) {
    return (uint32_t)fit(x, 0, UINT32_MAX, clamp);
}
#define SIGNED_A (o->misc >> 6 & 1)
#define SIGNED_B (o->misc >> 7 & 1)
LANE3(v_dot4_i32_iu8, uint32_t, uint32_t, uint32_t, int32_t,
      sum_i32(dot_small(a, b, 8, SIGNED_A, SIGNED_B) + c, o->flags &F_CLAMP))
LANE3(v_dot8_i32_iu4, uint32_t, uint32_t, uint32_t, int32_t,
      sum_i32(dot_small(a, b, 4, SIGNED_A, SIGNED_B) + c, o->flags &F_CLAMP))
LANE3(v_dot4_u32_u8, uint32_t, uint32_t, uint32_t, uint32_t,
      sum_u32(dot_small(a, b, 8, 0, 0) + c, o->flags &F_CLAMP))
LANE3(v_dot8_u32_u4, uint32_t, uint32_t, uint32_t, uint32_t,
      sum_u32(dot_small(a, b, 4, 0, 0) + c, o->flags &F_CLAMP))

/* ---- fma_mix: op_sel_hi says half or single, op_sel which half, neg_hi is the absolute value ----
 */
static inline float mix_source(uint32_t x, unsigned misc, int i) {
    float f = !(misc >> (3 + i) & 1) ? f32_of(x) : f32_from_half(misc >> i & 1 ? HI(x) : LO(x));
    if (misc >> (9 + i) & 1) f = __builtin_fabsf(f);
    return misc >> (6 + i) & 1 ? -f : f;
}
static inline float mix(uint32_t a, uint32_t b, uint32_t c, unsigned misc) {
    return fused_f32(mix_source(a, misc, 0), mix_source(b, misc, 1), mix_source(c, misc, 2));
}
FLANE3(v_fma_mix_f32, float, uint32_t, uint32_t, uint32_t, mix(a, b, c, o->misc))
#define MIX_HALF(name, high)                                                                       \
    HANDLER(name) {                                                                                \
        lanes32 ra, rb, rc, rd, r;                                                                 \
        const uint32_t *a = ld32(w, o, 0, ra), *b = ld32(w, o, 1, rb), *c = ld32(w, o, 2, rc);     \
        const uint32_t *kept = LANES_OF(w, o->d, rd);                                              \
        for (int i = 0; i < LANES; i++) {                                                          \
            float f = mix(a[i], b[i], c[i], o->misc);                                              \
            if (o->flags & F_CLAMP) f = f > 0 ? f < 1 ? f : 1.0f : 0.0f;                           \
            uint32_t h = half_from_double(f, w->mode >> 2 & 3), old = kept[i];                     \
            r[i] = high ? LO(old) | h << 16 : (old & 0xffff0000u) | h;                             \
        }                                                                                          \
        put32(w, o->d, r);                                                                         \
        NEXT;                                                                                      \
    }
MIX_HALF(v_fma_mixlo_f16, 0)
MIX_HALF(v_fma_mixhi_f16, 1)
