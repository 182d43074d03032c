/* Wave matrix multiply-accumulate, D = A * B + C with 16x16 tiles over one wave of 32 lanes. Lane l
 * < 16 holds row l of A and column l of B (lanes 16..31 repeat them); element (row, column) of a
 * 32-bit C or D lies in register row/2 of lane column + 16 * (row & 1), and of a 16-bit one in the
 * same place, in the half that op_sel chooses. The order and rounding of the sum are not published:
 * products are exact and accumulate here in double for floats, rounded once. Source of the layout:
 * AMD's matrix instruction description for RDNA3, checked with LLVM's intrinsics. */
#define EMU_SHARED_SSE
#include "emulator/half.h"

typedef double row_t[16];
enum { KIND_F16, KIND_BF16 };

static double element(uint32_t word, int half, int kind) {
    uint32_t x = half ? word >> 16 : word & 0xffff;
    return kind == KIND_F16 ? f32_from_half(x) : f32_from_bf16(x);
}
/* Row (of A) or column (of B) `line` of a source of 8 registers. neg: bit 0 for even, bit 1 for odd
 * elements. */
static void read_line(const wave_t *w, const op_t *o, int source, unsigned line, int kind,
                      unsigned neg, row_t out) {
    for (unsigned k = 0; k < 16; k++) {
        const uint32_t *r =
            (const uint32_t *)(const void *)((const char *)w + o->off[source]) + (k / 2) * LANES;
        double x = element(r[line], k & 1, kind);
        out[k] = neg >> (k & 1) & 1 ? -x : x;
    }
}
static unsigned neg_pair(const op_t *o, int source) {
    return (unsigned)(o->misc >> (6 + source) & 1) | (unsigned)(o->misc >> (9 + source) & 1) << 1;
}

/* C as 32-bit words: an inline constant stands for every element. */
static uint32_t c_word(const wave_t *w, const op_t *o, unsigned r, unsigned lane) {
    if (src_kind(o, 2) != SRC_VGPR) return s32(w, o, 2);
    return ((const uint32_t *)(const void *)((const char *)w + o->off[2]))[r * LANES + lane];
}
static int sources_are_registers(const op_t *o) {
    return src_kind(o, 0) == SRC_VGPR && src_kind(o, 1) == SRC_VGPR;
}

static void multiply(const wave_t *w, const op_t *o, int kind, double product[16][16]) {
    row_t a[16], b[16];
    for (unsigned i = 0; i < 16; i++) {
        read_line(w, o, 0, i, kind, neg_pair(o, 0), a[i]);
        read_line(w, o, 1, i, kind, neg_pair(o, 1), b[i]);
    }
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++) {
            double sum = 0;
            for (int k = 0; k < 16; k++) sum += a[row][k] * b[column][k];
            product[row][column] = sum;
        }
}

static const op_t *wmma_f32(wave_t *w, const op_t *o, int kind) {
    double product[16][16];
    lanes32 d[8];
    if (!sources_are_registers(o))
        return emu_raise(w, o, EMU_ILLEGAL_INSTRUCTION, 0, 0,
                         "matrix source that is not in registers");
    multiply(w, o, kind, product);
    unsigned neg_c = o->misc >> 8 & 1, abs_c = o->misc >> 11 & 1;
    for (unsigned r = 0; r < 8; r++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            float c = f32_of(c_word(w, o, r, lane));
            if (abs_c) c = __builtin_fabsf(c);
            if (neg_c) c = -c;
            d[r][lane] = bits32((float)(product[2 * r + (lane >> 4)][lane & 15] + c));
        }
    for (unsigned r = 0; r < 8; r++) memcpy(w->v[o->d + r], d[r], 128);
    return o + 1;
}

static const op_t *wmma_16(wave_t *w, const op_t *o, int kind) {
    double product[16][16];
    lanes32 d[8];
    if (!sources_are_registers(o))
        return emu_raise(w, o, EMU_ILLEGAL_INSTRUCTION, 0, 0,
                         "matrix source that is not in registers");
    multiply(w, o, kind, product);
    int high = o->misc >> 2 & 1; /* op_sel of C chooses the half of C and D */
    unsigned neg_c = o->misc >> 8 & 1, abs_c = o->misc >> 11 & 1;
    for (unsigned r = 0; r < 8; r++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            int constant = src_kind(o, 2) != SRC_VGPR;
            double c = element(c_word(w, o, r, lane), constant ? 0 : high, kind);
            if (abs_c) c = __builtin_fabs(c);
            if (neg_c) c = -c;
            double x = product[2 * r + (lane >> 4)][lane & 15] + c;
            uint32_t h = kind == KIND_F16 ? half_from_double(x, 0) : bf16_from_f32((float)x);
            uint32_t old = w->v[o->d + r][lane];
            d[r][lane] = high ? (old & 0xffff) | h << 16 : (old & 0xffff0000u) | h;
        }
    for (unsigned r = 0; r < 8; r++) memcpy(w->v[o->d + r], d[r], 128);
    return o + 1;
}

/* Integers of `width` bits, 32 / width per register; neg marks a source as signed; clamp saturates.
 */
static const op_t *wmma_i32(wave_t *w, const op_t *o, unsigned width) {
    lanes32 d[8];
    unsigned each = 32 / width;
    if (!sources_are_registers(o))
        return emu_raise(w, o, EMU_ILLEGAL_INSTRUCTION, 0, 0,
                         "matrix source that is not in registers");
    for (unsigned r = 0; r < 8; r++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            int64_t sum = (int32_t)c_word(w, o, r, lane);
            for (unsigned k = 0; k < 16; k++) {
                int64_t x[2];
                for (int s = 0; s < 2; s++) {
                    const uint32_t *p =
                        (const uint32_t *)(const void *)((const char *)w + o->off[s]);
                    unsigned line = s ? lane & 15 : 2 * r + (lane >> 4);
                    uint32_t raw =
                        p[k / each * LANES + line] >> (k % each * width) & ((1u << width) - 1);
                    x[s] = raw;
                    if ((o->misc >> (6 + s) & 1) && raw >> (width - 1)) x[s] -= 1 << width;
                }
                sum += x[0] * x[1];
            }
            if (o->flags & F_CLAMP)
                sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            d[r][lane] = (uint32_t)sum;
        }
    for (unsigned r = 0; r < 8; r++) memcpy(w->v[o->d + r], d[r], 128);
    return o + 1;
}

#define WMMA(name, expr)                                                                           \
    HANDLER(name) {                                                                                \
        const op_t *to = expr;                                                                     \
        if (unlikely(!to)) return NULL;                                                            \
        GO(to);                                                                                    \
    }
WMMA(v_wmma_f32_16x16x16_f16, wmma_f32(w, o, KIND_F16))
WMMA(v_wmma_f32_16x16x16_bf16, wmma_f32(w, o, KIND_BF16))
WMMA(v_wmma_f16_16x16x16_f16, wmma_16(w, o, KIND_F16))
WMMA(v_wmma_bf16_16x16x16_bf16, wmma_16(w, o, KIND_BF16))
WMMA(v_wmma_i32_16x16x16_iu8, wmma_i32(w, o, 8))
WMMA(v_wmma_i32_16x16x16_iu4, wmma_i32(w, o, 4))
