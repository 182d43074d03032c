/* Scalar arithmetic. Sources: AMD RDNA3 ISA, chapter "Scalar ALU Instructions"; SCC of s_bfe_* as
 * the hardware does it (Mesa's list of ISA errata). */
#define EMU_SHARED
#include "emulator/interp.h"

#define S_OP(name, n, TA, LA, TB, LB, TC, ...)                                                     \
    HANDLER(name) {                                                                                \
        TA a = (TA)LA(w, o, 0);                                                                    \
        TB b = (TB)((n) > 1 ? LB(w, o, 1) : 0);                                                    \
        (void)a, (void)b;                                                                          \
        __VA_ARGS__;                                                                               \
        NEXT;                                                                                      \
    }
#define D32(x) (w->s[o->d] = (uint32_t)(x))
#define D64(x) set_s64(w, o->d, (uint64_t)(x))
#define U1(name, ...) S_OP(name, 1, uint32_t, s32, uint32_t, s32, 0, __VA_ARGS__)
#define U2(name, ...) S_OP(name, 2, uint32_t, s32, uint32_t, s32, 0, __VA_ARGS__)
#define I1(name, ...) S_OP(name, 1, int32_t, s32, int32_t, s32, 0, __VA_ARGS__)
#define I2(name, ...) S_OP(name, 2, int32_t, s32, int32_t, s32, 0, __VA_ARGS__)
#define L1(name, ...) S_OP(name, 1, uint64_t, s64, uint64_t, s64, 0, __VA_ARGS__)
#define L2(name, ...) S_OP(name, 2, uint64_t, s64, uint64_t, s64, 0, __VA_ARGS__)
#define LU(name, ...) S_OP(name, 2, uint64_t, s64, uint32_t, s32, 0, __VA_ARGS__)

/* ---- sums ---- */
U2(s_add_u32, uint32_t r = a + b; SCC = r < a; D32(r))
U2(s_sub_u32, uint32_t r = a - b; SCC = b > a; D32(r))
U2(s_add_i32, uint32_t r = a + b; SCC = (~(a ^ b) & (a ^ r)) >> 31; D32(r))
U2(s_sub_i32, uint32_t r = a - b; SCC = ((a ^ b) & (a ^ r)) >> 31; D32(r))
U2(s_addc_u32, uint64_t r = (uint64_t)a + b + SCC; SCC = (uint32_t)(r >> 32); D32(r))
U2(s_subb_u32, uint64_t t = (uint64_t)b + SCC; SCC = t > a; D32(a - t))
/* The difference wraps before its sign is dropped. */
I2(s_absdiff_i32, uint32_t r = (uint32_t)a - (uint32_t)b; uint32_t m = r >> 31 ? 0u - r : r;
   SCC = m != 0; D32(m))
I1(s_abs_i32, uint32_t r = a < 0 ? 0u - (uint32_t)a : (uint32_t)a; SCC = r != 0; D32(r))
U2(s_mul_i32, D32(a *b))
U2(s_mul_hi_u32, D32(((uint64_t)a * b) >> 32))
I2(s_mul_hi_i32, D32(((int64_t)a * b) >> 32))
#define SHIFT_ADD(n)                                                                               \
    U2(s_lshl##n##_add_u32, uint64_t r = ((uint64_t)a << n) + b; SCC = r >> 32 != 0; D32(r))
SHIFT_ADD(1)
SHIFT_ADD(2)
SHIFT_ADD(3)
SHIFT_ADD(4)
I2(s_min_i32, SCC = a < b; D32(a < b ? a : b))
U2(s_min_u32, SCC = a < b; D32(a < b ? a : b))
/* SCC of max: the first source was chosen, also when equal (AMD's pseudocode: S0 >= S1). */
I2(s_max_i32, SCC = a >= b; D32(a >= b ? a : b))
U2(s_max_u32, SCC = a >= b; D32(a >= b ? a : b))

/* ---- bits ---- */
#define LOGIC(op, expr32)                                                                          \
    U2(s_##op##_b32, uint32_t r = (uint32_t)(expr32); SCC = r != 0; D32(r))                        \
    L2(s_##op##_b64, uint64_t r = (uint64_t)(expr32); SCC = r != 0; D64(r))
LOGIC(and, a &b)
LOGIC(or, a | b)
LOGIC(xor, a ^ b)
LOGIC(nand, ~(a &b))
LOGIC(nor, ~(a | b))
LOGIC(xnor, ~(a ^ b))
LOGIC(and_not1, a & ~b)
LOGIC(or_not1, a | ~b)
U1(s_not_b32, uint32_t r = ~a; SCC = r != 0; D32(r))
L1(s_not_b64, uint64_t r = ~a; SCC = r != 0; D64(r))
U2(s_lshl_b32, uint32_t r = a << (b & 31); SCC = r != 0; D32(r))
U2(s_lshr_b32, uint32_t r = a >> (b & 31); SCC = r != 0; D32(r))
I2(s_ashr_i32, int32_t r = a >> (b & 31); SCC = r != 0; D32(r))
LU(s_lshl_b64, uint64_t r = a << (b & 63); SCC = r != 0; D64(r))
LU(s_lshr_b64, uint64_t r = a >> (b & 63); SCC = r != 0; D64(r))
LU(s_ashr_i64, int64_t r = (int64_t)a >> (b & 63); SCC = r != 0; D64(r))

static uint64_t field(uint64_t x, uint32_t control, unsigned width, int is_signed) {
    unsigned offset = control & (width - 1), bits = (control >> 16) & 127;
    if (bits == 0) return 0;
    uint64_t r = is_signed ? (uint64_t)((int64_t)x >> offset) : x >> offset;
    if (bits >= 64) return r;
    r &= (1ull << bits) - 1;
    if (is_signed && r >> (bits - 1) & 1) r |= ~0ull << bits;
    return r;
}
static uint32_t field32(uint32_t x, uint32_t control, int is_signed) {
    uint64_t wide = is_signed ? (uint64_t)(int64_t)(int32_t)x : x;
    return (uint32_t)field(wide, (control & 31) | (control & 0x7f0000), 32, is_signed);
}
U2(s_bfe_u32, uint32_t r = field32(a, b, 0); SCC = r != 0; D32(r))
U2(s_bfe_i32, uint32_t r = field32(a, b, 1); SCC = r != 0; D32(r))
LU(s_bfe_u64, uint64_t r = field(a, b, 64, 0); SCC = r != 0; D64(r))
LU(s_bfe_i64, uint64_t r = field(a, b, 64, 1); SCC = r != 0; D64(r))
U2(s_bfm_b32, D32(((1u << (a & 31)) - 1) << (b & 31)))
U2(s_bfm_b64, D64(((1ull << (a & 63)) - 1) << (b & 63)))
U2(s_cselect_b32, D32(SCC ? a : b))
L2(s_cselect_b64, D64(SCC ? a : b))
U2(s_pack_ll_b32_b16, D32((a & 0xffff) | b << 16))
U2(s_pack_lh_b32_b16, D32((a & 0xffff) | (b & 0xffff0000)))
U2(s_pack_hh_b32_b16, D32(a >> 16 | (b & 0xffff0000)))
U2(s_pack_hl_b32_b16, D32(a >> 16 | b << 16))

U1(s_mov_b32, D32(a))
L1(s_mov_b64, D64(a))
U1(s_cmov_b32, if (SCC) D32(a))
L1(s_cmov_b64, if (SCC) D64(a))

static uint32_t reverse32(uint32_t x) {
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}
U1(s_brev_b32, D32(reverse32(a)))
L1(s_brev_b64, D64((uint64_t)reverse32((uint32_t)a) << 32 | reverse32((uint32_t)(a >> 32))))
U1(s_ctz_i32_b32, D32(a ? __builtin_ctz(a) : -1))
L1(s_ctz_i32_b64, D32(a ? __builtin_ctzll(a) : -1))
U1(s_clz_i32_u32, D32(a ? __builtin_clz(a) : -1))
L1(s_clz_i32_u64, D32(a ? __builtin_clzll(a) : -1))
/* Leading bits equal to the sign, counted without it plus one; -1 when all bits are equal. */
I1(s_cls_i32, uint32_t x = (uint32_t)(a ^ (a >> 31)); D32(x ? __builtin_clz(x) : -1))
L1(s_cls_i32_i64, uint64_t x = a ^ (uint64_t)((int64_t)a >> 63); D32(x ? __builtin_clzll(x) : -1))
U1(s_sext_i32_i8, D32((int8_t)a))
U1(s_sext_i32_i16, D32((int16_t)a))
U1(s_bitset0_b32, D32(w->s[o->d] & ~(1u << (a & 31))))
U1(s_bitset1_b32, D32(w->s[o->d] | 1u << (a & 31)))
static uint64_t get_s64(const wave_t *w, unsigned i) {
    return w->s[i] | (uint64_t)w->s[i + 1] << 32;
}
U1(s_bitset0_b64, D64(get_s64(w, o->d) & ~(1ull << (a & 63))))
U1(s_bitset1_b64, D64(get_s64(w, o->d) | 1ull << (a & 63)))
U1(s_bitreplicate_b64_b32, uint64_t r = 0;
   for (int i = 0; i < 32; i++) r |= (uint64_t)(a >> i & 1 ? 3 : 0) << (2 * i); D64(r))
U1(s_bcnt0_i32_b32, uint32_t r = (uint32_t)__builtin_popcount(~a); SCC = r != 0; D32(r))
U1(s_bcnt1_i32_b32, uint32_t r = (uint32_t)__builtin_popcount(a); SCC = r != 0; D32(r))
L1(s_bcnt0_i32_b64, uint32_t r = (uint32_t)__builtin_popcountll(~a); SCC = r != 0; D32(r))
L1(s_bcnt1_i32_b64, uint32_t r = (uint32_t)__builtin_popcountll(a); SCC = r != 0; D32(r))

static uint64_t quads(uint64_t x, int whole) {
    uint64_t r = 0;
    for (int i = 0; i < 16; i++)
        if (x >> (4 * i) & 15) r |= whole ? 15ull << (4 * i) : 1ull << i;
    return r;
}
U1(s_quadmask_b32, uint32_t r = (uint32_t)quads(a, 0); SCC = r != 0; D32(r))
L1(s_quadmask_b64, uint64_t r = quads(a, 0); SCC = r != 0; D64(r))
U1(s_wqm_b32, uint32_t r = (uint32_t)quads(a, 1); SCC = r != 0; D32(r))
L1(s_wqm_b64, uint64_t r = quads(a, 1); SCC = r != 0; D64(r))

/* ---- EXEC ---- */
#define SAVE(op, expr)                                                                             \
    U1(s_##op##_saveexec_b32, uint32_t e = EXEC; D32(e); EXEC = (uint32_t)(expr); SCC = EXEC != 0) \
    L1(s_##op##_saveexec_b64, uint64_t e = get_s64(w, S_EXEC); D64(e);                             \
       uint64_t r = (uint64_t)(expr); set_s64(w, S_EXEC, r); SCC = r != 0)
SAVE(and, a &e)
SAVE(or, a | e)
SAVE(xor, a ^ e)
SAVE(nand, ~(a &e))
SAVE(nor, ~(a | e))
SAVE(xnor, ~(a ^ e))
SAVE(and_not0, ~a &e)
SAVE(or_not0, ~a | e)
SAVE(and_not1, a & ~e)
SAVE(or_not1, a | ~e)
#define WRITE(op, expr)                                                                            \
    U1(s_##op##_wrexec_b32, uint32_t e = EXEC; EXEC = (uint32_t)(expr); D32(EXEC);                 \
       SCC = EXEC != 0)                                                                            \
    L1(s_##op##_wrexec_b64, uint64_t e = get_s64(w, S_EXEC); uint64_t r = (uint64_t)(expr);        \
       set_s64(w, S_EXEC, r); D64(r); SCC = r != 0)
WRITE(and_not0, ~a &e)
WRITE(and_not1, a & ~e)

/* ---- comparisons ---- */
#define COMPARE(T, X, op, sign) X(s_cmp_##op##_##T, SCC = a sign b)
COMPARE(i32, I2, eq, ==)
COMPARE(i32, I2, lg, !=)
COMPARE(i32, I2, gt, >)
COMPARE(i32, I2, ge, >=)
COMPARE(i32, I2, lt, <)
COMPARE(i32, I2, le, <=)
COMPARE(u32, U2, eq, ==)
COMPARE(u32, U2, lg, !=)
COMPARE(u32, U2, gt, >)
COMPARE(u32, U2, ge, >=)
COMPARE(u32, U2, lt, <)
COMPARE(u32, U2, le, <=)
COMPARE(u64, L2, eq, ==)
COMPARE(u64, L2, lg, !=)
U2(s_bitcmp0_b32, SCC = !(a >> (b & 31) & 1))
U2(s_bitcmp1_b32, SCC = a >> (b & 31) & 1)
LU(s_bitcmp0_b64, SCC = !(a >> (b & 63) & 1))
LU(s_bitcmp1_b64, SCC = (uint32_t)(a >> (b & 63) & 1))

/* ---- relative addressing: M0 is added to the register number; out of the SGPRs reads 0 and writes
 * nothing ---- */
static int relative(const wave_t *w, unsigned base, unsigned offset, unsigned words, unsigned *at) {
    uint64_t r = (uint64_t)base + offset;
    *at = (unsigned)r;
    (void)w;
    return r + words <= 106;
}
HANDLER(s_movrels_b32) {
    unsigned at;
    D32(relative(w, o->misc, w->s[S_M0], 1, &at) ? w->s[at] : 0);
    NEXT;
}
HANDLER(s_movrels_b64) {
    unsigned at;
    D64(relative(w, o->misc, w->s[S_M0], 2, &at) ? get_s64(w, at) : 0);
    NEXT;
}
HANDLER(s_movreld_b32) {
    unsigned at;
    uint32_t x = s32(w, o, 0);
    if (relative(w, o->d, w->s[S_M0], 1, &at)) w->s[at] = x;
    NEXT;
}
HANDLER(s_movreld_b64) {
    unsigned at;
    uint64_t x = s64(w, o, 0);
    if (relative(w, o->d, w->s[S_M0], 2, &at)) set_s64(w, at, x);
    NEXT;
}
HANDLER(s_movrelsd_2_b32) {
    unsigned from, to;
    int readable = relative(w, o->misc, w->s[S_M0] & 0x3ff, 1, &from);
    uint32_t x = readable ? w->s[from] : 0;
    if (relative(w, o->d, w->s[S_M0] >> 16 & 0x3ff, 1, &to)) w->s[to] = x;
    NEXT;
}
