/* 32-bit integer vector instructions. Source: AMD RDNA3 ISA, chapter "Vector ALU Instructions". */
#include "emulator/lanes.h"

#define SH(x) ((x) & 31u)
#define V_MIN(T, p, q)                                                                             \
    ({                                                                                             \
        VI m = (T)(p) < (T)(q);                                                                    \
        ((p) & (V)m) | ((q) & ~(V)m);                                                              \
    })
#define V_MAX(T, p, q)                                                                             \
    ({                                                                                             \
        VI m = (T)(p) > (T)(q);                                                                    \
        ((p) & (V)m) | ((q) & ~(V)m);                                                              \
    })

VOP1_V(v_mov_b32, a)
VOP1_V(v_not_b32, ~a)
VOP2_V(v_and_b32, a &b)
VOP2_V(v_or_b32, a | b)
VOP2_V(v_xor_b32, a ^ b)
VOP2_V(v_xnor_b32, ~(a ^ b))
VOP2_V(v_lshlrev_b32, b << SH(a))
VOP2_V(v_lshrrev_b32, b >> SH(a))
VOP2_V(v_ashrrev_i32, (VI)b >> (VI)SH(a))
VOP2_V(v_mul_lo_u32, a *b)
VOP2_V(v_min_i32, V_MIN(VI, a, b))
VOP2_V(v_max_i32, V_MAX(VI, a, b))
VOP2_V(v_min_u32, V_MIN(V, a, b))
VOP2_V(v_max_u32, V_MAX(V, a, b))
VOP3_V(v_add3_u32, a + b + c)
VOP3_V(v_lshl_add_u32, (a << SH(b)) + c)
VOP3_V(v_add_lshl_u32, (a + b) << SH(c))
VOP3_V(v_lshl_or_b32, (a << SH(b)) | c)
VOP3_V(v_and_or_b32, (a & b) | c)
VOP3_V(v_or3_b32, a | b | c)
VOP3_V(v_xor3_b32, a ^ b ^ c)
VOP3_V(v_xad_u32, (a ^ b) + c)
VOP3_V(v_bfi_b32, (a & b) | (~a & c))
VOP3_V(v_bfe_u32, (a >> SH(b)) & ((v_splat(1) << SH(c)) - 1u))
VOP3_V(v_min3_u32, V_MIN(V, V_MIN(V, a, b), c))
VOP3_V(v_max3_u32, V_MAX(V, V_MAX(V, a, b), c))
VOP3_V(v_min3_i32, V_MIN(VI, V_MIN(VI, a, b), c))
VOP3_V(v_max3_i32, V_MAX(VI, V_MAX(VI, a, b), c))
VOP3_V(v_maxmin_u32, V_MIN(V, V_MAX(V, a, b), c))
VOP3_V(v_minmax_u32, V_MAX(V, V_MIN(V, a, b), c))
VOP3_V(v_maxmin_i32, V_MIN(VI, V_MAX(VI, a, b), c))
VOP3_V(v_minmax_i32, V_MAX(VI, V_MIN(VI, a, b), c))
VOP3_V(v_med3_u32, V_MAX(V, V_MIN(V, a, b), V_MIN(V, V_MAX(V, a, b), c)))
VOP3_V(v_med3_i32, V_MAX(VI, V_MIN(VI, a, b), V_MIN(VI, V_MAX(VI, a, b), c)))
VOP2_V(v_bfm_b32, ((v_splat(1) << SH(a)) - 1u) << SH(b))

/* Field of width 0 is 0; sign extension from bit width-1. */
VOP3_V(v_bfe_i32,
       ((VI)((V)((VI)a >> (VI)SH(b)) << SH(0u - c)) >> (VI)SH(0u - c)) & (VI)(SH(c) != 0))

/* ---- sums with clamp ---- */
static inline uint32_t saturate_i32(int64_t x) {
    return (uint32_t)(int32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}
static inline uint32_t saturate_u32(int64_t x) {
    return (uint32_t)(x > UINT32_MAX ? UINT32_MAX : x < 0 ? 0 : x);
}
#define SUM(name, T, plain, wide, saturate)                                                        \
    HANDLER(name) {                                                                                \
        V a = v_src(w, o, 0), b = v_src(w, o, 1), r = (V)(plain);                                  \
        if (unlikely(o->flags & F_CLAMP))                                                          \
            for (int i = 0; i < LANES; i++) {                                                      \
                int64_t x = (T)a[i], y = (T)b[i];                                                  \
                r[i] = saturate(wide);                                                             \
            }                                                                                      \
        v_put(w, o->d, r);                                                                         \
        NEXT;                                                                                      \
    }
SUM(v_add_nc_u32, uint32_t, a + b, x + y, saturate_u32)
SUM(v_sub_nc_u32, uint32_t, a - b, x - y, saturate_u32)
SUM(v_subrev_nc_u32, uint32_t, b - a, y - x, saturate_u32)
SUM(v_add_nc_i32, int32_t, a + b, x + y, saturate_i32)
SUM(v_sub_nc_i32, int32_t, a - b, x - y, saturate_i32)

/* ---- carries: one bit per lane in an SGPR, 0 for inactive lanes ---- */
#define CARRY_OP(name, result, out, saturated)                                                     \
    HANDLER(name) {                                                                                \
        V a = v_src(w, o, 0), b = v_src(w, o, 1), r = result;                                      \
        uint32_t bits = v_bits((VI)(out)) & EXEC;                                                  \
        if (unlikely(o->flags & F_CLAMP))                                                          \
            r = (v_exec_mask(bits) & v_splat(saturated)) | (~v_exec_mask(bits) & r);               \
        v_put(w, o->d, r);                                                                         \
        w->s[o->sd] = bits;                                                                        \
        NEXT;                                                                                      \
    }
CARRY_OP(v_add_co_u32, a + b, r < a, ~0u)
CARRY_OP(v_sub_co_u32, a - b, a < b, 0)
CARRY_OP(v_subrev_co_u32, b - a, b < a, 0)

#define CARRY_IN_OP(name, sum, out, saturated)                                                     \
    HANDLER(name) {                                                                                \
        V a = v_src(w, o, 0), b = v_src(w, o, 1),                                                  \
          carry = v_exec_mask(s32(w, o, 2)); /* -1 where set */                                    \
        V t = sum;                                                                                 \
        uint32_t bits = v_bits((VI)(out)) & EXEC;                                                  \
        if (unlikely(o->flags & F_CLAMP))                                                          \
            t = (v_exec_mask(bits) & v_splat(saturated)) | (~v_exec_mask(bits) & t);               \
        v_put(w, o->d, t);                                                                         \
        w->s[o->sd] = bits;                                                                        \
        NEXT;                                                                                      \
    }
CARRY_IN_OP(v_add_co_ci_u32, a + b - carry, (VI)(t < a) | ((VI)carry & (VI)(t == a)), ~0u)
CARRY_IN_OP(v_sub_co_ci_u32, a - b + carry, (VI)(a < b) | ((VI)carry & (VI)(a == b)), 0)
CARRY_IN_OP(v_subrev_co_ci_u32, b - a + carry, (VI)(b < a) | ((VI)carry & (VI)(b == a)), 0)

/* ---- products ---- */
LANE2(v_mul_hi_u32, uint32_t, uint32_t, uint32_t, (uint32_t)((uint64_t)a * b >> 32))
LANE2(v_mul_hi_i32, uint32_t, int32_t, int32_t, (uint32_t)((int64_t)a * b >> 32))
#define S24(x) ((int32_t)((x) << 8) >> 8)
#define U24(x) ((x) & 0xffffffu)
LANE2(v_mul_i32_i24, uint32_t, uint32_t, uint32_t, (uint32_t)((int64_t)S24(a) * S24(b)))
LANE2(v_mul_hi_i32_i24, uint32_t, uint32_t, uint32_t, (uint32_t)((int64_t)S24(a) * S24(b) >> 32))
LANE2(v_mul_u32_u24, uint32_t, uint32_t, uint32_t, U24(a) * U24(b))
LANE2(v_mul_hi_u32_u24, uint32_t, uint32_t, uint32_t, (uint32_t)((uint64_t)U24(a) * U24(b) >> 32))
static inline uint32_t mad_i24(uint32_t a, uint32_t b, uint32_t c, int clamp) {
    int64_t r = (int64_t)S24(a) * S24(b) + (int32_t)c;
    return clamp ? saturate_i32(r) : (uint32_t)r;
}
static inline uint32_t mad_u24(uint32_t a, uint32_t b, uint32_t c, int clamp) {
    uint64_t r = (uint64_t)U24(a) * U24(b) + c;
    return clamp && r > UINT32_MAX ? UINT32_MAX : (uint32_t)r;
}
LANE3(v_mad_i32_i24, uint32_t, uint32_t, uint32_t, uint32_t, mad_i24(a, b, c, o->flags &F_CLAMP))
LANE3(v_mad_u32_u24, uint32_t, uint32_t, uint32_t, uint32_t, mad_u24(a, b, c, o->flags &F_CLAMP))

/* 64-bit multiply-add; the scalar destination gets the carry out of bit 63. As 32-bit halves, the
 * form in which the registers hold it. */
typedef uint64_t pairs_t __attribute__((vector_size(128)));
ALWAYS_INLINE V high_product(V a, V b) {
    pairs_t x = (pairs_t)a, y = (pairs_t)b, low = x - x + 0xffffffffu;
    pairs_t even = (x & low) * (y & low), odd = (x >> 32) * (y >> 32);
    return (V)((even >> 32) | (odd & ~low));
}
#define MAD_WIDE(name, high_expr, carry_expr)                                                      \
    HANDLER(name) {                                                                                \
        V a = v_src(w, o, 0), b = v_src(w, o, 1), low, high;                                       \
        wide_source(w, o, 2, &low, &high);                                                         \
        V p = a * b, r = p + low, q = high_expr,                                                   \
          carry = (V)(r < low); /* -1 where the low half carries */                                \
        V s = q + high - carry;                                                                    \
        if (unlikely(o->sd != S_JUNK)) w->s[o->sd] = v_bits((VI)(carry_expr)) & EXEC;              \
        v_put(w, o->d, r);                                                                         \
        v_put(w, o->d + 1u, s);                                                                    \
        NEXT;                                                                                      \
    }
MAD_WIDE(v_mad_u64_u32, high_product(a, b), (VI)(s < q) | ((VI)carry & (VI)(s == q)))
/* Signed: the top bit of the 65-bit sum of two sign-extended numbers. */
MAD_WIDE(v_mad_i64_i32, high_product(a, b) - ((V)((VI)a >> 31) & b) - ((V)((VI)b >> 31) & a),
         (q & high) | ((q | high) & ~s))

/* ---- 64-bit shifts ---- */
/* The left shift moves bits of the low word into the high one, the right ones the other way. */
#define FROM_32 ((V)((a & 32u) != 0))
#define SHIFT_WIDE(name, low_expr, high_expr)                                                      \
    HANDLER(name) {                                                                                \
        V a = v_src(w, o, 0), low, high;                                                           \
        wide_source(w, o, 1, &low, &high);                                                         \
        V r = low_expr, s = high_expr;                                                             \
        v_put(w, o->d, r);                                                                         \
        v_put(w, o->d + 1u, s);                                                                    \
        NEXT;                                                                                      \
    }
#define DOWN (low >> SH(a) | high << 1 << SH(~a))
SHIFT_WIDE(v_lshlrev_b64, low << SH(a) & ~FROM_32,
           (low << SH(a) & FROM_32) | ((high << SH(a) | low >> 1 >> SH(~a)) & ~FROM_32))
SHIFT_WIDE(v_lshrrev_b64, (high >> SH(a) & FROM_32) | (DOWN & ~FROM_32), high >> SH(a) & ~FROM_32)
SHIFT_WIDE(v_ashrrev_i64, ((V)((VI)high >> (VI)SH(a)) & FROM_32) | (DOWN & ~FROM_32),
           (V)((VI)high >> (VI)(SH(a) | (FROM_32 & 31u))))

/* ---- counting and searching ---- */
static inline uint32_t reverse(uint32_t x) {
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}
static inline uint32_t popcount(uint32_t x) {
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
LANE1(v_bfrev_b32, uint32_t, uint32_t, reverse(a))
LANE2(v_bcnt_u32_b32, uint32_t, uint32_t, uint32_t, popcount(a) + b)
LANE1(v_clz_i32_u32, uint32_t, uint32_t, a ? (uint32_t)__builtin_clz(a) : ~0u)
LANE1(v_ctz_i32_b32, uint32_t, uint32_t, a ? (uint32_t)__builtin_ctz(a) : ~0u)
static inline uint32_t sign_run(int32_t a) {
    uint32_t x = (uint32_t)(a ^ (a >> 31));
    return x ? (uint32_t)__builtin_clz(x) : ~0u;
}
LANE1(v_cls_i32, uint32_t, int32_t, sign_run(a))
#define BELOW(i) ((1u << (i)) - 1)
LANE2(v_mbcnt_lo_u32_b32, uint32_t, uint32_t, uint32_t, popcount(a &BELOW(i)) + b)
/* Wave32: no lane lies above 31. */
LANE2(v_mbcnt_hi_u32_b32, uint32_t, uint32_t, uint32_t, b)
LANE2(v_cvt_pk_u16_u32, uint32_t, uint32_t, uint32_t,
      (a > 65535 ? 65535 : a) | (b > 65535 ? 65535 : b) << 16)
#define CLAMP16(x) ((uint32_t)((x) > 32767 ? 32767 : (x) < -32768 ? -32768 : (x)) & 0xffff)
LANE2(v_cvt_pk_i16_i32, uint32_t, int32_t, int32_t, CLAMP16(a) | CLAMP16(b) << 16)
