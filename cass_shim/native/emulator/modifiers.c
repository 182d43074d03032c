/* Records around an instruction: sign changes, half selection, output scaling and clamping, DPP.
 * Source: AMD RDNA3 ISA, "Input and Output Modifiers" and "Data Parallel Primitives". */
#include "emulator/float_rules.h"
#include "emulator/half.h"

HANDLER(prep_b32) {
    V a = v_src(w, o, 0);
    *(V *)w->v[o->d] = (a & (uint32_t)o->k[1]) ^ (uint32_t)o->k[2];
    NEXT;
}
HANDLER(prep_b64) {
    V low, high;
    wide_source(w, o, 0, &low, &high);
    *(V *)w->v[o->d] = low;
    *(V *)w->v[o->d + 1] = (high & (uint32_t)o->k[1]) ^ (uint32_t)o->k[2];
    NEXT;
}
HANDLER(prep_packed) {
    V a = v_src(w, o, 0);
    V low = (o->misc & 1 ? a >> 16 : a) & 0xffffu, high = o->misc & 2 ? a & 0xffff0000u : a << 16;
    *(V *)w->v[o->d] = (low | high) ^ (uint32_t)o->k[1];
    NEXT;
}
HANDLER(copy_b32) {
    v_put(w, o->d, v_src(w, o, 0));
    NEXT;
}
HANDLER(copy_b64) {
    V low, high;
    wide_source(w, o, 0, &low, &high);
    v_put(w, o->d, low);
    v_put(w, o->d + 1u, high);
    NEXT;
}
HANDLER(vopd_end) { NEXT; }

/* omod: 1 doubles, 2 quadruples, 3 halves, -0 becomes +0; off in IEEE mode and where MODE keeps
 * subnormal results (bit `keeps`). Then clamp to [0, 1], where NaN becomes 0 under DX10_CLAMP. */
static inline double output(const wave_t *w, const op_t *o, unsigned keeps, double x) {
    static const double factor[4] = {1.0, 2.0, 4.0, 0.5};
    unsigned omod = MODE_IEEE(w) || (w->mode >> keeps & 1) ? 0 : o->misc & 3;
    if (omod) x = x == 0 ? 0.0 : x * factor[omod];
    if (!(o->flags & F_CLAMP)) return x;
    if (x != x) return MODE_DX10_CLAMP(w) ? 0.0 : x;
    return x <= 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
}
HANDLER(post_f32) {
    FP_BEGIN(FP_F32);
    lanes32 ra, r;
    const uint32_t *a = ld32(w, o, 0, ra);
    hide(1, ra, 128);
    for (int i = 0; i < LANES; i++) r[i] = bits32((float)output(w, o, 5, f32_of(a[i])));
    hide(fp_kind, r, 128);
    put32(w, o->d, r);
    FP_END;
    NEXT;
}
HANDLER(post_f64) {
    FP_BEGIN(FP_F64);
    lanes64 a;
    ld64(w, o, 0, a);
    for (int i = 0; i < LANES; i++) a[i] = bits64(output(w, o, 7, f64_of(a[i])));
    put64(w, o->d, a);
    FP_END;
    NEXT;
}
static inline uint32_t output_f16(uint32_t x, const wave_t *w, const op_t *o) {
    return half_from_double(output(w, o, 7, f32_from_half(x)), w->mode >> 2 & 3);
}
HANDLER(post_f16) {
    lanes32 ra, r;
    const uint32_t *a = ld32(w, o, 0, ra);
    for (int i = 0; i < LANES; i++) r[i] = output_f16(a[i] & 0xffff, w, o);
    put16(w, o, r);
    NEXT;
}
HANDLER(post_pkf16) {
    lanes32 ra, r;
    const uint32_t *a = ld32(w, o, 0, ra);
    for (int i = 0; i < LANES; i++)
        r[i] = output_f16(a[i] & 0xffff, w, o) | output_f16(a[i] >> 16, w, o) << 16;
    put32(w, o->d, r);
    NEXT;
}

/* ---- DPP ---- */

/* Lane that lane i reads within its row of 16, or -1 when it falls outside. */
static int dpp_lane(unsigned control, int i) {
    int row = i & 16, at = i & 15, n = (int)(control & 15);
    switch (control >> 4) {
    case 0x10:
        return at + n < 16 ? row | (at + n) : -1; /* row_shl */
    case 0x11:
        return at - n >= 0 ? row | (at - n) : -1; /* row_shr */
    case 0x12:
        return row | ((at - n) & 15); /* row_ror */
    case 0x15:
        return row | n; /* row_share */
    case 0x16:
        return row | (at ^ n); /* row_xmask */
    default:
        break;
    }
    if (control < 0x100) return (i & ~3) | (int)(control >> (2 * (i & 3)) & 3); /* quad_perm */
    if (control == 0x140) return row | (15 - at);                               /* row_mirror */
    if (control == 0x141) return row | (at & 8) | (7 - (at & 7)); /* row_half_mirror */
    return -1;
}
/* k[1]: the DPP word without its register: control 0-8, fetch-inactive 10, bound 11, bank mask
 * 16-19, row mask 20-23. */
HANDLER(dpp16) {
    lanes32 room;
    const uint32_t *a = ld32(w, o, 0, room);
    uint32_t word = (uint32_t)o->k[1], exec = EXEC, write = exec;
    int bound_zero = word >> 11 & 1, fetch_inactive = word >> 10 & 1;
    lanes32 r;
    for (int i = 0; i < LANES; i++) {
        int from = dpp_lane(word & 0x1ff, i);
        int valid = from >= 0 && (fetch_inactive || exec >> from & 1);
        r[i] = valid ? a[from] : 0;
        int enabled = (word >> (16 + (i >> 2 & 3)) & 1) && (word >> (20 + (i >> 4)) & 1);
        if (!enabled || (!valid && !bound_zero)) write &= ~(1u << i);
    }
    *(V *)w->v[o->d] = *(const V *)r;
    w->saved_exec = exec;
    EXEC = write;
    NEXT;
}
HANDLER(dpp8) {
    lanes32 room, r;
    const uint32_t *a = ld32(w, o, 0, room);
    uint32_t exec = EXEC;
    for (int i = 0; i < LANES; i++) {
        int from = (i & ~7) | (int)(o->k[1] >> (3 * (i & 7)) & 7);
        r[i] = (o->flags & F_GLC) || (exec >> from & 1) ? a[from] : 0;
    }
    *(V *)w->v[o->d] = *(const V *)r;
    w->saved_exec = exec;
    NEXT;
}
HANDLER(dpp_end) {
    EXEC = w->saved_exec;
    NEXT;
}
