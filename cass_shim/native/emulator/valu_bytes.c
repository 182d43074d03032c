/* Byte-wise vector instructions. Source: AMD RDNA3 ISA, chapter "Vector ALU Instructions". */
#define EMU_SHARED_SSE
#include "emulator/lanes.h"

#define BYTE(x, n) ((uint32_t)((x) >> (8 * (n))) & 255u)

static inline uint32_t permute_byte(uint64_t bytes, uint32_t selector) {
    if (selector >= 13) return 0xff;
    if (selector == 12) return 0;
    if (selector >= 8) return bytes >> (16 * (selector - 8) + 15) & 1 ? 0xff : 0;
    return (uint32_t)(bytes >> (8 * selector)) & 0xff;
}
static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t bytes = (uint64_t)a << 32 | b;
    return permute_byte(bytes, BYTE(c, 0)) | permute_byte(bytes, BYTE(c, 1)) << 8 |
           permute_byte(bytes, BYTE(c, 2)) << 16 | permute_byte(bytes, BYTE(c, 3)) << 24;
}
LANE3(v_perm_b32, uint32_t, uint32_t, uint32_t, uint32_t, permute(a, b, c))

/* The shift count is a 16-bit operand; only 5 (or 2) bits count, so op_sel picks its half. */
#define COUNT(c) ((o->hi & 4) ? (c) >> 16 : (c))
#define ALIGNED_BY(s) (b >> (s) | a << 1 << (31u - (s)))
VOP3_V(v_alignbit_b32, ALIGNED_BY(COUNT(c) & 31u))
VOP3_V(v_alignbyte_b32, ALIGNED_BY((COUNT(c) & 3u) << 3))

static inline uint32_t lerp(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t r = 0;
    for (int n = 0; n < 4; n++) r |= ((BYTE(a, n) + BYTE(b, n) + (BYTE(c, n) & 1)) >> 1) << (8 * n);
    return r;
}
LANE3(v_lerp_u8, uint32_t, uint32_t, uint32_t, uint32_t, lerp(a, b, c))

static inline uint32_t distance(uint32_t x, uint32_t y) { return x > y ? x - y : y - x; }
/* Sum of absolute differences of bytes; masked: bytes of the reference that are 0 do not count. */
static inline uint32_t sad8(uint32_t a, uint32_t b, int masked) {
    uint32_t r = 0;
    for (int n = 0; n < 4; n++)
        r += masked && BYTE(b, n) == 0 ? 0 : distance(BYTE(a, n), BYTE(b, n));
    return r;
}
static inline uint32_t clamp_add(uint32_t x, uint32_t c, int clamp) {
    uint32_t r = x + c;
    return clamp && r < x ? ~0u : r;
}
LANE3(v_sad_u8, uint32_t, uint32_t, uint32_t, uint32_t,
      clamp_add(sad8(a, b, 0), c, o->flags &F_CLAMP))
LANE3(v_sad_hi_u8, uint32_t, uint32_t, uint32_t, uint32_t,
      clamp_add(sad8(a, b, 0) << 16, c, o->flags &F_CLAMP))
LANE3(v_sad_u16, uint32_t, uint32_t, uint32_t, uint32_t,
      clamp_add(distance(a & 0xffff, b & 0xffff) + distance(a >> 16, b >> 16), c,
                o->flags &F_CLAMP))
LANE3(v_sad_u32, uint32_t, uint32_t, uint32_t, uint32_t,
      clamp_add(distance(a, b), c, o->flags &F_CLAMP))
LANE3(v_msad_u8, uint32_t, uint32_t, uint32_t, uint32_t,
      clamp_add(sad8(a, b, 1), c, o->flags &F_CLAMP))

/* Four overlapping windows of the 8 bytes of source 0. */
static inline uint64_t quad_sad16(uint64_t a, uint32_t b, uint64_t c, int masked, int clamp) {
    uint64_t r = 0;
    for (int n = 0; n < 4; n++) {
        uint32_t sum =
            sad8((uint32_t)(a >> (8 * n)), b, masked) + (uint32_t)(c >> (16 * n) & 0xffff);
        if (clamp && sum > 0xffff) sum = 0xffff;
        r |= (uint64_t)(sum & 0xffff) << (16 * n);
    }
    return r;
}
WIDE3(v_qsad_pk_u16_u8, 0, u64, u64, u32, u64, quad_sad16(a, b, c, 0, o->flags &F_CLAMP))
WIDE3(v_mqsad_pk_u16_u8, 0, u64, u64, u32, u64, quad_sad16(a, b, c, 1, o->flags &F_CLAMP))

/* 128-bit accumulators: registers d..d+3 from source registers c..c+3. */
HANDLER(v_mqsad_u32_u8) {
    lanes64 a;
    lanes32 rb, out[4];
    ld64(w, o, 0, a);
    const uint32_t *b = ld32(w, o, 1, rb);
    for (unsigned n = 0; n < 4; n++)
        for (int i = 0; i < LANES; i++) {
            uint32_t c;
            if (src_kind(o, 2) == SRC_VGPR)
                c = ((const uint32_t *)(const void *)((const char *)w +
                                                      o->off[2]))[n * LANES + (unsigned)i];
            else
                c = src_kind(o, 2) == SRC_SGPR ? ((const uint32_t *)src_scalar(w, o, 2))[n]
                    : n                        ? 0
                                               : s32(w, o, 2);
            out[n][i] =
                clamp_add(sad8((uint32_t)(a[i] >> (8 * n)), b[i], 1), c, o->flags & F_CLAMP);
        }
    for (unsigned n = 0; n < 4; n++) put32(w, o->d + n, out[n]);
    NEXT;
}

static inline uint32_t saturate_byte(uint32_t half) {
    int32_t x = (int16_t)half;
    return (uint32_t)(x < 0 ? 0 : x > 255 ? 255 : x);
}
HANDLER(v_sat_pk_u8_i16) {
    lanes32 ra, r;
    const uint32_t *a = ld32(w, o, 0, ra);
    for (int i = 0; i < LANES; i++) r[i] = saturate_byte(a[i]) | saturate_byte(a[i] >> 16) << 8;
    put16(w, o, r);
    NEXT;
}
