/* Sums and products whose NaN does not depend on the compiler: the first operand that is a NaN,
 * quieted, else the processor's own. A compiler may swap the operands of a sum and makes y - x of
 * -x + y, which gives a NaN another sign, and the interpreter and translated code must agree to the
 * bit. Source for the order: Intel SDM volume 1, 4.8.3.5, and the operation of VFMADD213PS. */
#ifndef CASS_EMU_FLOAT_EXACT_H
#define CASS_EMU_FLOAT_EXACT_H

#include "emulator/lanes.h"

#define NAN_F32 0xffc00000u
#define NAN_F64 0xfff8000000000000ull
#define QUIET_F32(x) f32_of(bits32(x) | 0x400000u)
#define QUIET_F64(x) f64_of(bits64(x) | 0x8000000000000ull)

/* ---- one lane: r, or the NaN of its operands in their order ---- */
static inline float first_f32(float r, float a, float b, float c) {
    if (r == r) return r;
    return a != a ? QUIET_F32(a) : b != b ? QUIET_F32(b) : c != c ? QUIET_F32(c) : f32_of(NAN_F32);
}
static inline double first_f64(double r, double a, double b, double c) {
    if (r == r) return r;
    return a != a ? QUIET_F64(a) : b != b ? QUIET_F64(b) : c != c ? QUIET_F64(c) : f64_of(NAN_F64);
}
static inline float fused_f32(float a, float b, float c) {
    return first_f32(__builtin_fmaf(a, b, c), a, b, c);
}

/* ---- all lanes ---- */
#if defined(__SSE2__)
#if defined(__AVX2__)
#define BINARY(instruction)                                                                        \
    __asm__ ORDERED("v" instruction " %2, %1, %0" : "=v"(x) : "v"(x), "v"(y))
#else
#define BINARY(instruction) __asm__ ORDERED(instruction " %1, %0" : "+x"(x) : "x"(y))
#endif
/* name(a, b, r) over a whole register of 32-bit lanes, or two of 64-bit lanes. */
#define DEFINE_BINARY(name, instruction, T, chunk, bytes)                                          \
    ALWAYS_INLINE void name(const T *a, const T *b, T *r) {                                        \
        for (unsigned i = 0; i < (bytes); i += CHUNK) {                                            \
            chunk x, y;                                                                            \
            memcpy(&x, (const char *)a + i, CHUNK);                                                \
            memcpy(&y, (const char *)b + i, CHUNK);                                                \
            BINARY(instruction);                                                                   \
            memcpy((char *)r + i, &x, CHUNK);                                                      \
        }                                                                                          \
    }
#else
#define DEFINE_BINARY(name, instruction, T, chunk, bytes)                                          \
    ALWAYS_INLINE void name(const T *a, const T *b, T *r) {                                        \
        for (int i = 0; i < LANES; i++) r[i] = OPERATION_##name(a[i], b[i]);                       \
    }
#define OPERATION_sum_f32(a, b) first_f32((a) + (b), a, b, b)
#define OPERATION_difference_f32(a, b) first_f32((a) - (b), a, b, b)
#define OPERATION_product_f32(a, b) first_f32((a) * (b), a, b, b)
#define OPERATION_sum_f64(a, b) first_f64((a) + (b), a, b, b)
#define OPERATION_product_f64(a, b) first_f64((a) * (b), a, b, b)
#endif
DEFINE_BINARY(sum_f32, "addps", float, chunk_f32, 128)
DEFINE_BINARY(difference_f32, "subps", float, chunk_f32, 128)
DEFINE_BINARY(product_f32, "mulps", float, chunk_f32, 128)
DEFINE_BINARY(sum_f64, "addpd", double, chunk_f64, 256)
DEFINE_BINARY(product_f64, "mulpd", double, chunk_f64, 256)

#if defined(__AVX2__)
#define DEFINE_FUSED(name, suffix, T, chunk, bytes)                                                \
    ALWAYS_INLINE void name(const T *a, const T *b, const T *c, T *r) {                            \
        for (unsigned i = 0; i < (bytes); i += CHUNK) {                                            \
            chunk x, y, z;                                                                         \
            memcpy(&x, (const char *)a + i, CHUNK);                                                \
            memcpy(&y, (const char *)b + i, CHUNK);                                                \
            memcpy(&z, (const char *)c + i, CHUNK);                                                \
            __asm__ ORDERED("vfmadd213" suffix " %2, %1, %0" : "+v"(y) : "v"(x), "v"(z));          \
            memcpy((char *)r + i, &y, CHUNK);                                                      \
        }                                                                                          \
    }
#else
#define DEFINE_FUSED(name, suffix, T, chunk, bytes)                                                \
    ALWAYS_INLINE void name(const T *a, const T *b, const T *c, T *r) {                            \
        for (int i = 0; i < LANES; i++) r[i] = OPERATION_##name(a[i], b[i], c[i]);                 \
    }
#define OPERATION_all_fused_f32(a, b, c) fused_f32(a, b, c)
#define OPERATION_all_fused_f64(a, b, c) first_f64(__builtin_fma(a, b, c), a, b, c)
#endif
DEFINE_FUSED(all_fused_f32, "ps", float, chunk_f32, 128)
DEFINE_FUSED(all_fused_f64, "pd", double, chunk_f64, 256)

#define DEFINE_WHOLE(name, over)                                                                   \
    ALWAYS_INLINE V name(V a, V b) {                                                               \
        V r;                                                                                       \
        over((const float *)&a, (const float *)&b, (float *)&r);                                   \
        return r;                                                                                  \
    }
DEFINE_WHOLE(v_sum, sum_f32)
DEFINE_WHOLE(v_difference, difference_f32)
DEFINE_WHOLE(v_product, product_f32)
ALWAYS_INLINE V v_fused(V a, V b, V c) {
    V r;
    all_fused_f32((const float *)&a, (const float *)&b, (const float *)&c, (float *)&r);
    return r;
}

#endif
