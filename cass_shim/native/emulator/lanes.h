/* 32-lane operand access and the shapes that vector bodies are written in.
 *
 * A body is a C expression over one lane (a, b, c: sources; d: old destination); the loop over
 * lanes is vectorised by the compiler. Results go to a local array first and are then merged under
 * EXEC, so a destination may be a source. */
#ifndef CASS_EMU_LANES_H
#define CASS_EMU_LANES_H

#include "emulator/interp.h"

/* Lanes are independent: a destination is the very register of a source, or another one. */
#if defined(__clang__)
#define LANE_LOOP for (int i = 0; i < LANES; i++)
#else
#define LANE_LOOP _Pragma("GCC ivdep") for (int i = 0; i < LANES; i++)
#endif
#define ALIGNED __attribute__((aligned(64)))

typedef uint32_t V __attribute__((vector_size(128)));
typedef int32_t VI __attribute__((vector_size(128)));
typedef float VF __attribute__((vector_size(128)));
typedef uint64_t V64 __attribute__((vector_size(256)));

extern const uint32_t emu_lane_bit[LANES];

ALWAYS_INLINE V v_splat(uint32_t x) {
    V zero = {0};
    return zero + x;
}

ALWAYS_INLINE V v_src(const wave_t *w, const op_t *o, int i) {
    if (likely(src_kind(o, i) == SRC_VGPR)) return *(const V *)((const char *)w + o->off[i]);
    return v_splat(s32(w, o, i));
}

ALWAYS_INLINE V v_exec_mask(uint32_t exec) {
    return (V)((v_splat(exec) & *(const V *)emu_lane_bit) != 0);
}

ALWAYS_INLINE void v_put(wave_t *w, unsigned d, V r) {
    V *p = (V *)w->v[d];
    uint32_t exec = EXEC;
    if (ALL_ACTIVE(exec)) {
        *p = r;
    } else {
        V m = v_exec_mask(exec);
        *p = (r & m) | (*p & ~m);
    }
}

/* Lanes whose element is nonzero (comparison result: all ones) as one bit each. */
#if defined(EMU_NATIVE) && defined(__clang__)
/* Without <immintrin.h>, which takes longer to read than a small unit to compile. */
typedef _Bool lane_flags __attribute__((ext_vector_type(LANES)));
ALWAYS_INLINE uint32_t v_bits(VI m) {
    lane_flags flags = __builtin_convertvector(m < 0, lane_flags);
    uint32_t bits;
    memcpy(&bits, &flags, 4);
    return bits;
}
#elif defined(__AVX512F__)
#include <immintrin.h>
ALWAYS_INLINE uint32_t v_bits(VI m) {
    __m512i h[2];
    memcpy(h, &m, 128);
    return (uint32_t)_mm512_movepi32_mask(h[0]) | (uint32_t)_mm512_movepi32_mask(h[1]) << 16;
}
#elif defined(__AVX2__)
#include <immintrin.h>
ALWAYS_INLINE uint32_t v_bits(VI m) {
    __m256 q[4];
    memcpy(q, &m, 128);
    return (uint32_t)_mm256_movemask_ps(q[0]) | (uint32_t)_mm256_movemask_ps(q[1]) << 8 |
           (uint32_t)_mm256_movemask_ps(q[2]) << 16 | (uint32_t)_mm256_movemask_ps(q[3]) << 24;
}
#elif defined(__SSE2__)
#include <immintrin.h>
ALWAYS_INLINE uint32_t v_bits(VI m) {
    __m128 q[8];
    memcpy(q, &m, 128);
    uint32_t r = 0;
    for (int i = 0; i < 8; i++) r |= (uint32_t)_mm_movemask_ps(q[i]) << (4 * i);
    return r;
}
#else
ALWAYS_INLINE uint32_t v_bits(VI m) {
    uint32_t r = 0;
    for (int i = 0; i < LANES; i++) r |= (uint32_t)(m[i] != 0) << i;
    return r;
}
#endif

ALWAYS_INLINE uint32_t bits_of(const uint32_t *flags) {
    VI m;
    memcpy(&m, flags, 128);
    return v_bits(-m); /* flags are 0 or 1 */
}

/* ---- reading 32 lanes of a source ---- */
/* Lanes of register r for access by a run-time lane number. Translated code keeps registers in the
 * processor's, where only a copy can be indexed. */
#ifdef EMU_NATIVE
#define LANES_OF(w, r, room) (*(V *)(room) = *(const V *)(w)->v[r], (const uint32_t *)(room))
#else
#define LANES_OF(w, r, room) ((void)(room), (const uint32_t *)(w)->v[r])
#endif

/* Registers of this processor, as many bytes as the build has. */
#if defined(__AVX512F__)
#define CHUNK 64
#elif defined(__AVX2__)
#define CHUNK 32
#else
#define CHUNK 16
#endif
typedef float chunk_f32 __attribute__((vector_size(CHUNK)));
typedef double chunk_f64 __attribute__((vector_size(CHUNK)));

/* The compiler of translated code sees many instructions at once: where it knew that a source is
 * another value with its sign changed, it would move the change behind the operation, and a NaN's
 * sign with it. `use` is a constant. Where MODE is not the host's default (ORDERED), this also
 * keeps arithmetic between FP_BEGIN and FP_END. */
#ifndef ORDERED
#define ORDERED
#endif
#ifdef EMU_NATIVE
ALWAYS_INLINE void hide(int use, void *lanes, unsigned bytes) {
    for (unsigned i = 0; use && i < bytes; i += CHUNK) {
        chunk_f32 x;
        memcpy(&x, (char *)lanes + i, CHUNK);
        __asm__ ORDERED("" : "+v"(x));
        memcpy((char *)lanes + i, &x, CHUNK);
    }
}
#else
#define hide(use, lanes, bytes) (void)0
#endif

ALWAYS_INLINE const uint32_t *ld32(const wave_t *w, const op_t *o, int i, uint32_t *room) {
#ifdef EMU_NATIVE
    *(V *)room = v_src(w, o, i);
    return room;
#endif
    if (likely(src_kind(o, i) == SRC_VGPR))
        return (const uint32_t *)(const void *)((const char *)w + o->off[i]);
    *(V *)room = v_splat(s32(w, o, i));
    return room;
}

ALWAYS_INLINE void ld64(const wave_t *w, const op_t *o, int i, uint64_t *out) {
    if (likely(src_kind(o, i) == SRC_VGPR)) {
        const V *p = (const V *)((const char *)w + o->off[i]);
        V64 x = __builtin_convertvector(p[0], V64) | __builtin_convertvector(p[1], V64) << 32;
        memcpy(out, &x, 256);
    } else {
        V64 zero = {0}, x = zero + s64(w, o, i);
        memcpy(out, &x, 256);
    }
}

ALWAYS_INLINE void ld16(const wave_t *w, const op_t *o, int i, uint32_t *out) {
    unsigned shift = (o->hi >> i) & 1 ? 16 : 0;
    V x = v_src(w, o, i) >> shift & 0xffffu;
    memcpy(out, &x, 128);
}

/* Low and high words of a 64-bit source. */
ALWAYS_INLINE void wide_source(const wave_t *w, const op_t *o, int i, V *low, V *high) {
    if (likely(src_kind(o, i) == SRC_VGPR)) {
        const V *p = (const V *)((const char *)w + o->off[i]);
        *low = p[0];
        *high = p[1];
    } else {
        uint64_t x = s64(w, o, i);
        *low = v_splat((uint32_t)x);
        *high = v_splat((uint32_t)(x >> 32));
    }
}

/* ---- writing under EXEC ---- */
ALWAYS_INLINE void put32(wave_t *w, unsigned d, const uint32_t *r) { v_put(w, d, *(const V *)r); }

ALWAYS_INLINE void put64(wave_t *w, unsigned d, const uint64_t *r) {
    V64 x;
    memcpy(&x, r, 256);
    v_put(w, d, __builtin_convertvector(x, V));
    v_put(w, d + 1, __builtin_convertvector(x >> 32, V));
}

/* A 16-bit result keeps the other half of its register. */
ALWAYS_INLINE void put16(wave_t *w, const op_t *o, const uint32_t *r) {
    V x, old = *(const V *)w->v[o->d];
    memcpy(&x, r, 128);
    if (o->hi & 8) x = (old & 0xffffu) | x << 16;
    else x = (old & 0xffff0000u) | (x & 0xffffu);
    v_put(w, o->d, x);
}

/* ---- float environment ---- */
/* Sets the host's rounding and denormal control from MODE for `kind` (FP_F32 or FP_F64); returns
 * what to restore. Sources are loaded after begin and results stored before end, so the arithmetic
 * stays between the two calls. */
uint32_t emu_fp_begin(const wave_t *w, uint32_t kind);
void emu_fp_end(uint32_t saved);
/* Translated code knows its MODE (native_emit.c), of which only the f32 part may be special. */
#ifdef EMU_NATIVE
ALWAYS_INLINE void set_csr(uint32_t csr) { __asm__ volatile("ldmxcsr %0" : : "m"(csr)); }
#define FP_BEGIN(kind)                                                                             \
    const uint32_t fp_kind = (kind) & FP_SPECIAL;                                                  \
    if (fp_kind) set_csr(CSR_F32)
#define FP_END                                                                                     \
    do {                                                                                           \
        if (fp_kind) set_csr(CSR_DEFAULT);                                                         \
    } while (0)
#else
#define FP_BEGIN(kind)                                                                             \
    uint32_t fp_saved = (kind) && unlikely(w->fp_special & (kind)) ? emu_fp_begin(w, kind) : 0
#define FP_END                                                                                     \
    do {                                                                                           \
        if (unlikely(fp_saved)) emu_fp_end(fp_saved);                                              \
    } while (0)
#endif

/* ---- body shapes ---- */
typedef uint32_t lanes32[LANES] __attribute__((aligned(128)));
typedef uint64_t lanes64[LANES] __attribute__((aligned(128)));
typedef float lanesf[LANES] __attribute__((aligned(128)));
typedef double lanesd[LANES] __attribute__((aligned(128)));

/* Whole-register expressions over V a, b, c. */
#define VOP1_V(name, ...)                                                                          \
    HANDLER(name) {                                                                                \
        V a = v_src(w, o, 0);                                                                      \
        v_put(w, o->d, (V)(__VA_ARGS__));                                                          \
        NEXT;                                                                                      \
    }
#define VOP2_V(name, ...)                                                                          \
    HANDLER(name) {                                                                                \
        V a = v_src(w, o, 0), b = v_src(w, o, 1);                                                  \
        v_put(w, o->d, (V)(__VA_ARGS__));                                                          \
        NEXT;                                                                                      \
    }
#define VOP3_V(name, ...)                                                                          \
    HANDLER(name) {                                                                                \
        V a = v_src(w, o, 0), b = v_src(w, o, 1), c = v_src(w, o, 2);                              \
        v_put(w, o->d, (V)(__VA_ARGS__));                                                          \
        NEXT;                                                                                      \
    }

/* The same in 32-bit floating point, under MODE: VF x, y, z and V a, b, c. */
#define FLOAT_V(name, n, ...)                                                                      \
    HANDLER(name) {                                                                                \
        FP_BEGIN(FP_F32);                                                                          \
        V a = v_src(w, o, 0), b = (n) > 1 ? v_src(w, o, 1) : a, c = (n) > 2 ? v_src(w, o, 2) : a;  \
        hide(fp_kind, &a, 128);                                                                    \
        if ((n) > 1) hide(fp_kind, &b, 128);                                                       \
        if ((n) > 2) hide(fp_kind, &c, 128);                                                       \
        VF x = (VF)a, y = (VF)b, z = (VF)c;                                                        \
        (void)x, (void)y, (void)z;                                                                 \
        V r = (V)(__VA_ARGS__);                                                                    \
        hide(fp_kind, &r, 128);                                                                    \
        v_put(w, o->d, r);                                                                         \
        FP_END;                                                                                    \
        NEXT;                                                                                      \
    }

/* Lane expressions; TA.. are the C types that the 32-bit sources are seen as, TD that of the
 * result. */
#define LANE_OP32(name, n, fp, TD, TA, TB, TC, ...)                                                \
    HANDLER(name) {                                                                                \
        FP_BEGIN(fp);                                                                              \
        lanes32 ra, rb, rc, rd;                                                                    \
        const TA *pa = (const TA *)(const void *)ld32(w, o, 0, ra);                                \
        const TB *pb = (const TB *)(const void *)((n) > 1 ? ld32(w, o, 1, rb) : ra);               \
        const TC *pc = (const TC *)(const void *)((n) > 2 ? ld32(w, o, 2, rc) : ra);               \
        hide(fp, ra, 128);                                                                         \
        if ((n) > 1) hide(fp, rb, 128);                                                            \
        if ((n) > 2) hide(fp, rc, 128);                                                            \
        TD *r = (TD *)(void *)rd;                                                                  \
        LANE_LOOP {                                                                                \
            TA a = pa[i];                                                                          \
            TB b = (n) > 1 ? pb[i] : (TB)0;                                                        \
            TC c = (n) > 2 ? pc[i] : (TC)0;                                                        \
            (void)a, (void)b, (void)c;                                                             \
            r[i] = (__VA_ARGS__);                                                                  \
        }                                                                                          \
        hide(fp_kind, rd, 128);                                                                    \
        put32(w, o->d, rd);                                                                        \
        FP_END;                                                                                    \
        NEXT;                                                                                      \
    }
#define LANE1(name, TD, TA, ...) LANE_OP32(name, 1, 0, TD, TA, TA, TA, __VA_ARGS__)
#define LANE2(name, TD, TA, TB, ...) LANE_OP32(name, 2, 0, TD, TA, TB, TB, __VA_ARGS__)
#define LANE3(name, TD, TA, TB, TC, ...) LANE_OP32(name, 3, 0, TD, TA, TB, TC, __VA_ARGS__)

#define FLANE1(name, TD, TA, ...) LANE_OP32(name, 1, FP_F32, TD, TA, TA, TA, __VA_ARGS__)
#define FLANE2(name, TD, TA, TB, ...) LANE_OP32(name, 2, FP_F32, TD, TA, TB, TB, __VA_ARGS__)
#define FLANE3(name, TD, TA, TB, TC, ...) LANE_OP32(name, 3, FP_F32, TD, TA, TB, TC, __VA_ARGS__)

/* Wide lane expressions: each source is loaded by LDx into an array of its type and the result
 * stored by PUTx. */
#define WIDE_LD_u32(i, p) memcpy(p, ld32(w, o, i, (uint32_t *)(void *)(p)), 128)
#define WIDE_LD_i32(i, p) WIDE_LD_u32(i, p)
#define WIDE_LD_f32(i, p) WIDE_LD_u32(i, p)
#define WIDE_LD_u64(i, p) ld64(w, o, i, p)
#define WIDE_LD_i64(i, p) ld64(w, o, i, (uint64_t *)(void *)(p))
#define WIDE_LD_f64(i, p)                                                                          \
    do {                                                                                           \
        ld64(w, o, i, (uint64_t *)(void *)(p));                                                    \
        hide(1, p, 256);                                                                           \
    } while (0)
#define WIDE_LD_u16(i, p) ld16(w, o, i, p)
#define WIDE_PUT_u32(p) put32(w, o->d, (const uint32_t *)(const void *)(p))
#define WIDE_PUT_i32(p) WIDE_PUT_u32(p)
#define WIDE_PUT_f32(p) WIDE_PUT_u32(p)
#define WIDE_PUT_u64(p) put64(w, o->d, (const uint64_t *)(const void *)(p))
#define WIDE_PUT_i64(p) WIDE_PUT_u64(p)
#define WIDE_PUT_f64(p) WIDE_PUT_u64(p)
#define WIDE_PUT_u16(p) put16(w, o, p)
typedef uint32_t wide_u32;
typedef int32_t wide_i32;
typedef float wide_f32;
typedef uint64_t wide_u64;
typedef int64_t wide_i64;
typedef double wide_f64;
typedef uint32_t wide_u16;

/* `fp`: FP_* class whose MODE fields apply, 0 for none. */
#define WIDE_OP(name, n, fp, D, A, B, C, ...)                                                      \
    HANDLER(name) {                                                                                \
        wide_##A pa[LANES] __attribute__((aligned(128)));                                          \
        wide_##B pb[LANES] __attribute__((aligned(128)));                                          \
        wide_##C pc[LANES] __attribute__((aligned(128)));                                          \
        wide_##D r[LANES] __attribute__((aligned(128)));                                           \
        FP_BEGIN(fp);                                                                              \
        WIDE_LD_##A(0, pa);                                                                        \
        if ((n) > 1) WIDE_LD_##B(1, pb);                                                           \
        if ((n) > 2) WIDE_LD_##C(2, pc);                                                           \
        hide(fp_kind, pa, sizeof pa);                                                              \
        if ((n) > 1) hide(fp_kind, pb, sizeof pb);                                                 \
        if ((n) > 2) hide(fp_kind, pc, sizeof pc);                                                 \
        LANE_LOOP {                                                                                \
            wide_##A a = pa[i];                                                                    \
            wide_##B b = (n) > 1 ? pb[i] : (wide_##B)0;                                            \
            wide_##C c = (n) > 2 ? pc[i] : (wide_##C)0;                                            \
            (void)a, (void)b, (void)c;                                                             \
            r[i] = (__VA_ARGS__);                                                                  \
        }                                                                                          \
        hide(fp_kind, r, sizeof r);                                                                \
        WIDE_PUT_##D(r);                                                                           \
        FP_END;                                                                                    \
        NEXT;                                                                                      \
    }
#define WIDE1(name, fp, D, A, ...) WIDE_OP(name, 1, fp, D, A, A, A, __VA_ARGS__)
#define WIDE2(name, fp, D, A, B, ...) WIDE_OP(name, 2, fp, D, A, B, B, __VA_ARGS__)
#define WIDE3(name, fp, D, A, B, C, ...) WIDE_OP(name, 3, fp, D, A, B, C, __VA_ARGS__)

/* Host-independent reinterpretation. */
ALWAYS_INLINE float f32_of(uint32_t x) {
    float f;
    memcpy(&f, &x, 4);
    return f;
}
ALWAYS_INLINE uint32_t bits32(float x) {
    uint32_t u;
    memcpy(&u, &x, 4);
    return u;
}
ALWAYS_INLINE double f64_of(uint64_t x) {
    double f;
    memcpy(&f, &x, 8);
    return f;
}
ALWAYS_INLINE uint64_t bits64(double x) {
    uint64_t u;
    memcpy(&u, &x, 8);
    return u;
}

#endif
