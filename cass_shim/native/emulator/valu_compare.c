/* Vector comparisons: one bit per active lane, 0 for the others; v_cmpx_* write EXEC. Source: AMD
 * RDNA3 ISA, "VOPC". */
#include "emulator/float_rules.h"
#include "emulator/half.h"

#define PUT_MASK(bits)                                                                             \
    do {                                                                                           \
        w->s[o->sd] = (bits) & EXEC;                                                               \
        NEXT;                                                                                      \
    } while (0)

#define COMPARE_V(name, ...)                                                                       \
    HANDLER(v_cmp_##name) {                                                                        \
        V a = v_src(w, o, 0), b = v_src(w, o, 1);                                                  \
        (void)a, (void)b;                                                                          \
        PUT_MASK(v_bits((VI)(__VA_ARGS__)));                                                       \
    }
#define COMPARE_CONST(name, value)                                                                 \
    HANDLER(v_cmp_##name) { PUT_MASK(value); }

#define INTEGERS_V(suffix, T)                                                                      \
    COMPARE_V(lt_##suffix, (T)a < (T)b)                                                            \
    COMPARE_V(eq_##suffix, (T)a == (T)b)                                                           \
    COMPARE_V(le_##suffix, (T)a <= (T)b)                                                           \
    COMPARE_V(gt_##suffix, (T)a > (T)b)                                                            \
    COMPARE_V(ne_##suffix, (T)a != (T)b)                                                           \
    COMPARE_V(ge_##suffix, (T)a >= (T)b)                                                           \
    COMPARE_CONST(f_##suffix, 0u)                                                                  \
    COMPARE_CONST(t_##suffix, ~0u)
INTEGERS_V(i32, VI)
INTEGERS_V(u32, V)

/* 64-bit, 16-bit and f64 comparisons lane by lane. */
#define COMPARE_WIDE(name, fp, T, LD, ...)                                                         \
    HANDLER(v_cmp_##name) {                                                                        \
        FP_BEGIN(fp);                                                                              \
        T pa[LANES] __attribute__((aligned(128))), pb[LANES] __attribute__((aligned(128)));        \
        lanes32 r;                                                                                 \
        LD(0, pa);                                                                                 \
        LD(1, pb);                                                                                 \
        for (int i = 0; i < LANES; i++) {                                                          \
            T a = pa[i], b = pb[i];                                                                \
            r[i] = (__VA_ARGS__);                                                                  \
        }                                                                                          \
        uint32_t bits = bits_of(r);                                                                \
        FP_END;                                                                                    \
        PUT_MASK(bits);                                                                            \
    }
#define LD_64(i, p) ld64(w, o, i, (uint64_t *)(void *)(p))
#define LD_U16(i, p) ld16(w, o, i, p)
#define LD_I16(i, p) load_signed16(w, o, i, p)
static inline void load_signed16(const wave_t *w, const op_t *o, int i, int32_t *out) {
    ld16(w, o, i, (uint32_t *)out);
    for (int l = 0; l < LANES; l++) out[l] = (int16_t)out[l];
}
#define INTEGERS_WIDE(suffix, T, LD)                                                               \
    COMPARE_WIDE(lt_##suffix, 0, T, LD, a < b)                                                     \
    COMPARE_WIDE(eq_##suffix, 0, T, LD, a == b)                                                    \
    COMPARE_WIDE(le_##suffix, 0, T, LD, a <= b)                                                    \
    COMPARE_WIDE(gt_##suffix, 0, T, LD, a > b)                                                     \
    COMPARE_WIDE(ne_##suffix, 0, T, LD, a != b)                                                    \
    COMPARE_WIDE(ge_##suffix, 0, T, LD, a >= b)
INTEGERS_WIDE(i64, int64_t, LD_64)
INTEGERS_WIDE(u64, uint64_t, LD_64)
INTEGERS_WIDE(i16, int32_t, LD_I16)
INTEGERS_WIDE(u16, uint32_t, LD_U16)
COMPARE_CONST(f_i64, 0u)
COMPARE_CONST(t_i64, ~0u)
COMPARE_CONST(f_u64, 0u)
COMPARE_CONST(t_u64, ~0u)

/* ---- floating point; lg: less or greater (ordered), n*: negated, o: ordered, u: unordered ---- */
#define FLOATS(X, suffix)                                                                          \
    X(lt_##suffix, a < b)                                                                          \
    X(eq_##suffix, a == b)                                                                         \
    X(le_##suffix, a <= b)                                                                         \
    X(gt_##suffix, a > b)                                                                          \
    X(lg_##suffix, (a < b) | (a > b))                                                              \
    X(ge_##suffix, a >= b)                                                                         \
    X(o_##suffix, (a == a) & (b == b))                                                             \
    X(u_##suffix, (a != a) | (b != b))                                                             \
    X(nge_##suffix, NOT(a >= b))                                                                   \
    X(nlg_##suffix, NOT((a < b) | (a > b)))                                                        \
    X(ngt_##suffix, NOT(a > b))                                                                    \
    X(nle_##suffix, NOT(a <= b))                                                                   \
    X(neq_##suffix, a != b)                                                                        \
    X(nlt_##suffix, NOT(a < b))                                                                    \
    COMPARE_CONST(f_##suffix, 0u)                                                                  \
    COMPARE_CONST(t_##suffix, ~0u)

#define COMPARE_F32(name, ...)                                                                     \
    HANDLER(v_cmp_##name) {                                                                        \
        FP_BEGIN(FP_F32);                                                                          \
        VF a = (VF)v_src(w, o, 0), b = (VF)v_src(w, o, 1);                                         \
        hide(fp_kind, &a, 128);                                                                    \
        hide(fp_kind, &b, 128);                                                                    \
        VI r = (VI)(__VA_ARGS__);                                                                  \
        hide(fp_kind, &r, 128);                                                                    \
        uint32_t bits = v_bits(r) & EXEC;                                                          \
        w->s[o->sd] = bits;                                                                        \
        FP_END;                                                                                    \
        NEXT;                                                                                      \
    }
#define NOT(x) ~(VI)(x)
FLOATS(COMPARE_F32, f32)
#undef NOT
#define NOT(x) !(x)
#define COMPARE_F64(name, ...) COMPARE_WIDE(name, FP_F64, double, LD_64, __VA_ARGS__)
FLOATS(COMPARE_F64, f64)
#define LD_F16(i, p) load_halves(w, o, i, p)
static inline void load_halves(const wave_t *w, const op_t *o, int i, float *out) {
    lanes32 h;
    ld16(w, o, i, h);
    int flush = !(w->mode >> 6 & 1); /* MODE flushes subnormal inputs */
    for (int l = 0; l < LANES; l++) {
        if (unlikely(flush) && (h[l] & 0x7c00) == 0) h[l] &= 0x8000;
        out[l] = f32_from_half(h[l]);
    }
}
#define COMPARE_F16(name, ...) COMPARE_WIDE(name, 0, float, LD_F16, __VA_ARGS__)
FLOATS(COMPARE_F16, f16)

/* ---- class tests ---- */
HANDLER(v_cmp_class_f32) {
    lanes32 ra, rb, r;
    const uint32_t *a = ld32(w, o, 0, ra), *b = ld32(w, o, 1, rb);
    for (int i = 0; i < LANES; i++) r[i] = b[i] >> class_f32(a[i]) & 1;
    PUT_MASK(bits_of(r));
}
HANDLER(v_cmp_class_f64) {
    lanes64 a;
    lanes32 rb, r;
    ld64(w, o, 0, a);
    const uint32_t *b = ld32(w, o, 1, rb);
    for (int i = 0; i < LANES; i++) r[i] = b[i] >> class_f64(a[i]) & 1;
    PUT_MASK(bits_of(r));
}
HANDLER(v_cmp_class_f16) {
    lanes32 a, b, r;
    ld16(w, o, 0, a);
    ld16(w, o, 1, b);
    for (int i = 0; i < LANES; i++) r[i] = b[i] >> class_f16(a[i]) & 1;
    PUT_MASK(bits_of(r));
}

/* ---- selection by mask ---- */
HANDLER(v_cndmask_b32) {
    V a = v_src(w, o, 0), b = v_src(w, o, 1), m = v_exec_mask(s32(w, o, 2));
    v_put(w, o->d, (b & m) | (a & ~m));
    NEXT;
}
HANDLER(v_cndmask_b16) {
    lanes32 a, b;
    ld16(w, o, 0, a);
    ld16(w, o, 1, b);
    uint32_t mask = s32(w, o, 2);
    for (int i = 0; i < LANES; i++)
        if (mask >> i & 1) a[i] = b[i];
    put16(w, o, a);
    NEXT;
}
