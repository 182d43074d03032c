/* Conversions. All exact: float to integer truncates and saturates, NaN becomes 0. Source: AMD
 * RDNA3 ISA, VOP1. */
#include "emulator/float_rules.h"
#include "emulator/half.h"

FLANE1(v_cvt_f32_i32, float, int32_t, (float)a)
FLANE1(v_cvt_f32_u32, float, uint32_t, (float)a)
FLANE1(v_cvt_i32_f32, uint32_t, float, to_i32(a))
FLANE1(v_cvt_u32_f32, uint32_t, float, to_u32(a))
/* floor(x + 0.5), computed without a rounding error in the sum. */
FLANE1(v_cvt_nearest_i32_f32, uint32_t, float, to_i32(__builtin_floor((double)a + 0.5)))
FLANE1(v_cvt_floor_i32_f32, uint32_t, float, to_i32(__builtin_floorf(a)))
FLANE1(v_cvt_off_f32_i4, float, uint32_t, (float)((int32_t)(a << 28) >> 28) * 0.0625f)
FLANE1(v_cvt_f32_ubyte0, float, uint32_t, (float)(a & 255))
FLANE1(v_cvt_f32_ubyte1, float, uint32_t, (float)(a >> 8 & 255))
FLANE1(v_cvt_f32_ubyte2, float, uint32_t, (float)(a >> 16 & 255))
FLANE1(v_cvt_f32_ubyte3, float, uint32_t, (float)(a >> 24))
LANE1(v_cvt_i32_i16, uint32_t, uint32_t, (uint32_t)(int32_t)(int16_t)(o->hi & 1 ? a >> 16 : a))
LANE1(v_cvt_u32_u16, uint32_t, uint32_t, (o->hi & 1 ? a >> 16 : a) & 0xffff)

WIDE1(v_cvt_f64_i32, 0, f64, i32, (double)a)
WIDE1(v_cvt_f64_u32, 0, f64, u32, (double)a)
WIDE1(v_cvt_i32_f64, 0, u32, f64, to_i32(a))
WIDE1(v_cvt_u32_f64, 0, u32, f64, to_u32(a))
WIDE1(v_cvt_f32_f64, FP_F32, f32, f64, (float)a)
WIDE1(v_cvt_f64_f32, FP_F32, f64, f32, (double)a)

/* ---- packing ---- */
static inline uint32_t snorm(double x) {
    double r = x != x ? 0 : x < -1 ? -1 : x > 1 ? 1 : x;
    return to_i16(__builtin_nearbyint(r * 32767.0));
}
static inline uint32_t unorm(double x) {
    double r = !(x > 0) ? 0 : x > 1 ? 1 : x;
    return to_u16(__builtin_nearbyint(r * 65535.0));
}
LANE2(v_cvt_pk_norm_i16_f32, uint32_t, float, float, snorm(a) | snorm(b) << 16)
LANE2(v_cvt_pk_norm_u16_f32, uint32_t, float, float, unorm(a) | unorm(b) << 16)
LANE2(v_cvt_pk_i16_f32, uint32_t, float, float, to_i16(a) | to_i16(b) << 16)
LANE2(v_cvt_pk_u16_f32, uint32_t, float, float, to_u16(a) | to_u16(b) << 16)
LANE2(v_cvt_pk_rtz_f16_f32, uint32_t, float, float,
      half_from_double(a, 3) | half_from_double(b, 3) << 16)
static inline uint32_t insert_byte(float a, uint32_t b, uint32_t c) {
    uint32_t shift = 8 * (b & 3), x = !(a > 0) ? 0 : a >= 255 ? 255 : (uint32_t)a;
    return (c & ~(255u << shift)) | x << shift;
}
LANE3(v_cvt_pk_u8_f32, uint32_t, float, uint32_t, uint32_t, insert_byte(a, b, c))

/* ---- halves ---- */
static inline void load_half(const wave_t *w, const op_t *o, int i, lanes32 h) {
    ld16(w, o, i, h);
    if (unlikely(!(w->mode >> 6 & 1)))
        for (int l = 0; l < LANES; l++)
            if ((h[l] & 0x7c00) == 0) h[l] &= 0x8000;
}
HANDLER(v_cvt_f32_f16) {
    lanes32 h;
    lanesf f;
    load_half(w, o, 0, h);
    widen_halves(h, f);
    put32(w, o->d, (const uint32_t *)(const void *)f);
    NEXT;
}
HANDLER(v_cvt_f16_f32) {
    FP_BEGIN(FP_F64);
    lanes32 ra, r;
    const float *a = (const float *)(const void *)ld32(w, o, 0, ra);
    narrow_halves(a, r, w->mode >> 2 & 3);
    if (unlikely(!(w->mode >> 7 & 1)))
        for (int i = 0; i < LANES; i++)
            if ((r[i] & 0x7c00) == 0) r[i] &= 0x8000;
    put16(w, o, r);
    FP_END;
    NEXT;
}
#define FROM_HALF(name, ...)                                                                       \
    HANDLER(name) {                                                                                \
        lanes32 h, r;                                                                              \
        load_half(w, o, 0, h);                                                                     \
        for (int i = 0; i < LANES; i++) {                                                          \
            float a = f32_from_half(h[i]);                                                         \
            r[i] = (__VA_ARGS__);                                                                  \
        }                                                                                          \
        put16(w, o, r);                                                                            \
        NEXT;                                                                                      \
    }
FROM_HALF(v_cvt_u16_f16, to_u16(a))
FROM_HALF(v_cvt_i16_f16, to_i16(a))
FROM_HALF(v_cvt_norm_i16_f16, snorm(a))
FROM_HALF(v_cvt_norm_u16_f16, unorm(a))
#define TO_HALF(name, T)                                                                           \
    HANDLER(name) {                                                                                \
        lanes32 h;                                                                                 \
        ld16(w, o, 0, h);                                                                          \
        for (int i = 0; i < LANES; i++)                                                            \
            h[i] = half_from_double((double)(T)h[i], w->mode >> 2 & 3);                            \
        put16(w, o, h);                                                                            \
        NEXT;                                                                                      \
    }
TO_HALF(v_cvt_f16_u16, uint16_t)
TO_HALF(v_cvt_f16_i16, int16_t)
#define PACK_NORM(name, norm)                                                                      \
    HANDLER(name) {                                                                                \
        lanes32 a, b;                                                                              \
        ld16(w, o, 0, a);                                                                          \
        ld16(w, o, 1, b);                                                                          \
        for (int i = 0; i < LANES; i++)                                                            \
            a[i] = norm(f32_from_half(a[i])) | norm(f32_from_half(b[i])) << 16;                    \
        put32(w, o->d, a);                                                                         \
        NEXT;                                                                                      \
    }
PACK_NORM(v_cvt_pk_norm_i16_f16, snorm)
PACK_NORM(v_cvt_pk_norm_u16_f16, unorm)
HANDLER(v_pack_b32_f16) {
    lanes32 a, b;
    load_half(w, o, 0, a);
    load_half(w, o, 1, b);
    for (int i = 0; i < LANES; i++) a[i] |= b[i] << 16;
    put32(w, o->d, a);
    NEXT;
}
