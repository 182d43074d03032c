/* The transcendental instructions. AMD does not publish their bits; this file is the whole
 * definition here, so that others can reproduce it: the function is computed in IEEE double by the
 * C library (square root and division exact, exp2, log2, sin and cos within 1 ULP of double) and
 * rounded once, by MODE, to the result's type. For f64, rcp and sqrt are correctly rounded, rsq is
 * 1/sqrt in extended precision. sin and cos take revolutions: the fraction x - floor(x) is exact,
 * then times 2*pi in double. Special values follow IEEE. rcp, rsq, exp and log of f32 neither take
 * nor give denormals, whatever MODE says: LLVM folds tests of their results on that ground. */
#define EMU_SHARED_SSE
#include "emulator/float_rules.h"
#include "emulator/half.h"

#define TWO_PI 6.283185307179586476925286766559

static inline double reciprocal(double x) { return 1.0 / x; }
static inline double inverse_root(double x) { return 1.0 / __builtin_sqrt(x); }
/* Exact at quarter turns. */
static inline double turn(double x) { return x - __builtin_floor(x); }
static double sine(double x) {
    if (!(__builtin_fabs(x) < 0x1p1000)) return x - x;
    double r = turn(__builtin_fabs(x));
    double s = r == 0 || r == 0.5 ? 0.0 : r == 0.25 ? 1.0 : r == 0.75 ? -1.0 : sin(r * TWO_PI);
    return x < 0 || (x == 0 && signbit(x)) ? -s : s;
}
static double cosine(double x) {
    if (!(__builtin_fabs(x) < 0x1p1000)) return x - x;
    double r = turn(__builtin_fabs(x));
    return r == 0 ? 1.0 : r == 0.5 ? -1.0 : r == 0.25 || r == 0.75 ? 0.0 : cos(r * TWO_PI);
}

/* A denormal is the zero of its sign. */
static inline float flushed(float x) {
    return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0, x) : x;
}

FLANE1(v_rcp_f32, float, float, flushed((float)reciprocal(flushed(a))))
FLANE1(v_rcp_iflag_f32, float, float, flushed((float)reciprocal(flushed(a))))
FLANE1(v_rsq_f32, float, float, flushed((float)inverse_root(flushed(a))))
FLANE1(v_sqrt_f32, float, float, (float)__builtin_sqrt(a))
FLANE1(v_exp_f32, float, float, flushed((float)exp2(flushed(a))))
FLANE1(v_log_f32, float, float, flushed((float)log2(flushed(a))))
FLANE1(v_sin_f32, float, float, (float)sine(a))
FLANE1(v_cos_f32, float, float, (float)cosine(a))

WIDE1(v_rcp_f64, FP_F64, f64, f64, reciprocal(a))
WIDE1(v_sqrt_f64, FP_F64, f64, f64, __builtin_sqrt(a))
WIDE1(v_rsq_f64, FP_F64, f64, f64, (double)(1.0L / sqrtl(a)))

#define HALF1(name, expr)                                                                          \
    HANDLER(name) {                                                                                \
        lanes32 h;                                                                                 \
        ld16(w, o, 0, h);                                                                          \
        for (int i = 0; i < LANES; i++) {                                                          \
            if (unlikely(!(w->mode >> 6 & 1)) && (h[i] & 0x7c00) == 0) h[i] &= 0x8000;             \
            double a = f32_from_half(h[i]);                                                        \
            h[i] = half_from_double(expr, w->mode >> 2 & 3);                                       \
            if (unlikely(!(w->mode >> 7 & 1)) && (h[i] & 0x7c00) == 0) h[i] &= 0x8000;             \
        }                                                                                          \
        put16(w, o, h);                                                                            \
        NEXT;                                                                                      \
    }
HALF1(v_rcp_f16, reciprocal(a))
HALF1(v_rsq_f16, inverse_root(a))
HALF1(v_sqrt_f16, __builtin_sqrt(a))
HALF1(v_exp_f16, exp2(a))
HALF1(v_log_f16, log2(a))
HALF1(v_sin_f16, sine(a))
HALF1(v_cos_f16, cosine(a))
