/* DS loads, stores and atomics. LDS belongs to one workgroup, which one host thread runs, so plain
 * accesses do. Accesses outside the allocation fault (hardware reads zero): the caller gets a
 * diagnosis instead of luck. Source: AMD RDNA3 ISA, "Data Share Operations". */
#include "emulator/atomic_ops.h"
#include "emulator/lds_check.h"
#include "emulator/memory_ops.h"

OUT_OF_LINE const op_t *outside(wave_t *w, const op_t *o, const uint32_t *address, uint32_t exec,
                                unsigned bytes) {
    for (unsigned i = 0; i < LANES; i++)
        if ((exec >> i & 1) && (uint64_t)address[i] + bytes > w->lds_bytes)
            return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, i, address[i], "LDS access out of bounds");
    return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, 0, 0, "LDS access out of bounds");
}

ALWAYS_INLINE const op_t *lds_load(wave_t *w, const op_t *o, unsigned d, uint32_t offset,
                                   unsigned bytes, int is_signed, int half) {
    lanes32 at, r[4];
    uint32_t exec = EXEC;
    unsigned words = bytes < 4 ? 1 : bytes / 4;
    if (!exec) return o + 1;
    if (unlikely(!lds_addresses(w, o, exec, offset, bytes, at)))
        return outside(w, o, at, exec, bytes);
    unsigned unwritten = lds_unwritten(w, at, exec, bytes);
    if (unlikely(unwritten < LANES)) return lds_raise(w, o, unwritten, at[unwritten]);
    if (lds_races(w, o, RACE_READ, at, exec, bytes)) return NULL;
    const uint8_t *base = w->lds;
    if (bytes == 4 && exec == ~0u && consecutive_dwords(at)) {
        memcpy(w->v[d], base + at[0], 128);
        return o + 1;
    }
    lane_shape shape = shape_of(at);
    for (unsigned k = 0; k < words; k++)
        gather_word(r[k], (const char *)base + 4 * k, at, bytes, is_signed, shape);
    put_narrow(w, d, r[0], half);
    for (unsigned k = 1; k < words; k++) put32(w, d + k, r[k]);
    return o + 1;
}

ALWAYS_INLINE const op_t *lds_store(wave_t *w, const op_t *o, unsigned s, uint32_t offset,
                                    unsigned bytes, unsigned shift) {
    lanes32 at;
    uint32_t exec = EXEC;
    if (!exec) return o + 1;
    if (unlikely(!lds_addresses(w, o, exec, offset, bytes, at)))
        return outside(w, o, at, exec, bytes);
    lds_wrote(w, at, exec, bytes);
    if (lds_store_races(w, o, at, exec, bytes, &w->v[s], shift)) return NULL;
    uint8_t *base = w->lds;
    if (bytes == 4 && exec == ~0u && consecutive_dwords(at)) {
        memcpy(base + at[0], w->v[s], 128);
        return o + 1;
    }
    scatter(&w->v[s], (char *)base, at, exec, bytes, shift);
    return o + 1;
}

#define LOAD(name, bytes, is_signed, half)                                                         \
    HANDLER(ds_load_##name) { CONTINUE(lds_load(w, o, o->d, OFFSET, bytes, is_signed, half)); }
#define STORE(name, bytes, shift)                                                                  \
    HANDLER(ds_store_##name) { CONTINUE(lds_store(w, o, o->sd, OFFSET, bytes, shift)); }
OUT_OF_LINE const op_t *load_narrow(wave_t *w, const op_t *o, unsigned bytes, int is_signed,
                                    int half) {
    return lds_load(w, o, o->d, OFFSET, bytes == 1 ? 1 : 2, is_signed, half);
}
OUT_OF_LINE const op_t *store_narrow(wave_t *w, const op_t *o, unsigned bytes, unsigned shift) {
    return lds_store(w, o, o->sd, OFFSET, bytes == 1 ? 1 : 2, shift);
}
#define LOAD_NARROW(name, bytes, is_signed, half)                                                  \
    HANDLER(ds_load_##name) { CONTINUE(load_narrow(w, o, bytes, is_signed, half)); }
#define STORE_NARROW(name, bytes, shift)                                                           \
    HANDLER(ds_store_##name) { CONTINUE(store_narrow(w, o, bytes, shift)); }
LDS_LOADS(LOAD_NARROW, LOAD)
LDS_STORES(STORE_NARROW, STORE)

/* Two elements at independent offsets. Both are read before either register is written: the address
 * may be one. */
ALWAYS_INLINE const op_t *lds_load2(wave_t *w, const op_t *o, unsigned bytes, uint32_t stride) {
    lanes32 one, two, r[4];
    uint32_t exec = EXEC;
    unsigned words = bytes / 4;
    if (!exec) return o + 1;
    if (unlikely(!lds_addresses(w, o, exec, OFFSET0 * stride, bytes, one)))
        return outside(w, o, one, exec, bytes);
    if (unlikely(!lds_addresses(w, o, exec, OFFSET1 * stride, bytes, two)))
        return outside(w, o, two, exec, bytes);
    unsigned unwritten = lds_unwritten(w, one, exec, bytes);
    if (unlikely(unwritten < LANES)) return lds_raise(w, o, unwritten, one[unwritten]);
    unwritten = lds_unwritten(w, two, exec, bytes);
    if (unlikely(unwritten < LANES)) return lds_raise(w, o, unwritten, two[unwritten]);
    if (lds_races(w, o, RACE_READ, one, exec, bytes)) return NULL;
    if (lds_races(w, o, RACE_READ, two, exec, bytes)) return NULL;
    lane_shape first = shape_of(one), second = shape_of(two);
    for (unsigned k = 0; k < words; k++) {
        gather_word(r[k], (const char *)w->lds + 4 * k, one, 4, 0, first);
        gather_word(r[words + k], (const char *)w->lds + 4 * k, two, 4, 0, second);
    }
    for (unsigned k = 0; k < 2 * words; k++) put32(w, o->d + k, r[k]);
    return o + 1;
}
#define LOAD2(name, bytes, stride)                                                                 \
    HANDLER(ds_load_2addr_##name) { CONTINUE(lds_load2(w, o, bytes, stride)); }
LDS_PAIRS(LOAD2)
#define STORE2(name, bytes, stride)                                                                \
    HANDLER(ds_store_2addr_##name) {                                                               \
        if (unlikely(!lds_store(w, o, o->sd, OFFSET0 * (stride), bytes, 0))) return NULL;          \
        CONTINUE(lds_store(w, o, o->misc, OFFSET1 * (stride), bytes, 0));                          \
    }
LDS_PAIRS(STORE2)

/* ---- atomics ---- */
/* A data operand of every lane, of one or two registers. */
ALWAYS_INLINE void operands(const wave_t *w, unsigned r, unsigned bytes, uint64_t *out) {
    lanes32 low, high;
    memcpy(low, w->v[r], 128);
    if (bytes == 8) memcpy(high, w->v[r + 1], 128);
    for (int i = 0; i < LANES; i++) out[i] = bytes == 8 ? low[i] | (uint64_t)high[i] << 32 : low[i];
}
/* The first active lane whose address is not a multiple of `bytes`; LANES: none. */
ALWAYS_INLINE unsigned misaligned_lane(const uint32_t *at, uint32_t exec, unsigned bytes) {
    V x;
    memcpy(&x, at, 128);
    uint32_t bits = v_bits((VI)((x & (bytes - 1)) != 0)) & exec;
    return bits ? (unsigned)__builtin_ctz(bits) : LANES;
}
static void put_old(wave_t *w, unsigned d, const uint64_t *r, unsigned bytes) {
    lanes32 low, high;
    for (int i = 0; i < LANES; i++) {
        low[i] = (uint32_t)r[i];
        high[i] = (uint32_t)(r[i] >> 32);
    }
    put32(w, d, low);
    if (bytes == 8) put32(w, d + 1, high);
}
OUT_OF_LINE const op_t *lds_atomic(wave_t *w, const op_t *o, unsigned operation, unsigned bytes,
                                   int returns) {
    lanes32 at;
    lanes64 r, a, b;
    uint32_t exec = EXEC;
    if (!exec) return o + 1;
    if (unlikely(!lds_addresses(w, o, exec, OFFSET, bytes, at)))
        return outside(w, o, at, exec, bytes);
    unsigned wrong = misaligned_lane(at, exec, bytes);
    if (unlikely(wrong < LANES))
        return emu_raise(w, o, EMU_MISALIGNED, wrong, at[wrong], "LDS atomic");
    unsigned unwritten = operation == RMW_SWAP ? LANES : lds_unwritten(w, at, exec, bytes);
    if (unlikely(unwritten < LANES)) return lds_raise(w, o, unwritten, at[unwritten]);
    lds_wrote(w, at, exec, bytes);
    if (lds_races(w, o, RACE_ATOMIC, at, exec, bytes)) return NULL;
    if (operation == RMW_ADD && bytes == 4 && !returns) {
        add_words(w->v[o->sd], w->lds, at, exec);
        return o + 1;
    }
    int two = operation == RMW_CMPSWAP || operation == RMW_CMPSWAP_F || operation == RMW_MSKOR ||
              operation == RMW_WRAP;
    operands(w, o->sd, bytes, a);
    if (two) operands(w, o->misc, bytes, b);
#if defined(__AVX__)
    __builtin_ia32_vzeroupper(); /* what is called is SSE: see EMU_SHARED_SSE in interp.h */
#endif
    for (uint32_t left = exec; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint8_t *p = w->lds + at[i];
        r[i] = emu_rmw_plain(emu_rmw_in_lds(operation, w->mode), bytes, p, a[i], two ? b[i] : 0);
    }
    if (returns) put_old(w, o->d, r, bytes);
    return o + 1;
}
#define ATOMIC1(name, operation, bytes, returns)                                                   \
    HANDLER(ds_##name) { CONTINUE(lds_atomic(w, o, operation, bytes, returns)); }
#define ATOMIC(op, suffix, operation, bytes)                                                       \
    ATOMIC1(op##_##suffix, operation, bytes, 0)                                                    \
    ATOMIC1(op##_rtn_##suffix, operation, bytes, 1)
#define INTEGER_ATOMICS(bits, bytes)                                                               \
    ATOMIC(add, u##bits, RMW_ADD, bytes)                                                           \
    ATOMIC(sub, u##bits, RMW_SUB, bytes)                                                           \
    ATOMIC(rsub, u##bits, RMW_RSUB, bytes)                                                         \
    ATOMIC(inc, u##bits, RMW_INC, bytes)                                                           \
    ATOMIC(dec, u##bits, RMW_DEC, bytes)                                                           \
    ATOMIC(min, i##bits, RMW_MIN_I, bytes)                                                         \
    ATOMIC(max, i##bits, RMW_MAX_I, bytes)                                                         \
    ATOMIC(min, u##bits, RMW_MIN_U, bytes)                                                         \
    ATOMIC(max, u##bits, RMW_MAX_U, bytes)                                                         \
    ATOMIC(and, b##bits, RMW_AND, bytes)                                                           \
    ATOMIC(or, b##bits, RMW_OR, bytes)                                                             \
    ATOMIC(xor, b##bits, RMW_XOR, bytes)                                                           \
    ATOMIC(mskor, b##bits, RMW_MSKOR, bytes)                                                       \
    ATOMIC(cmpstore, b##bits, RMW_CMPSWAP, bytes)                                                  \
    ATOMIC(cmpstore, f##bits, RMW_CMPSWAP_F, bytes)                                                \
    ATOMIC(min, f##bits, RMW_MIN_F, bytes)                                                         \
    ATOMIC(max, f##bits, RMW_MAX_F, bytes)                                                         \
    ATOMIC1(storexchg_rtn_b##bits, RMW_SWAP, bytes, 1)
INTEGER_ATOMICS(32, 4)
INTEGER_ATOMICS(64, 8)
ATOMIC(add, f32, RMW_ADD_F_ALL, 4)
ATOMIC1(wrap_rtn_b32, RMW_WRAP, 4, 1)

/* Exchanges two elements per lane; results in d and d + bytes/4. */
OUT_OF_LINE const op_t *exchange2(wave_t *w, const op_t *o, unsigned bytes, uint32_t stride) {
    lanes32 one, two;
    lanes64 first, second, a, b;
    uint32_t exec = EXEC;
    if (!exec) return o + 1;
    if (!lds_addresses(w, o, exec, OFFSET0 * stride, bytes, one))
        return outside(w, o, one, exec, bytes);
    if (!lds_addresses(w, o, exec, OFFSET1 * stride, bytes, two))
        return outside(w, o, two, exec, bytes);
    lds_wrote(w, one, exec, bytes);
    lds_wrote(w, two, exec, bytes);
    if (lds_races(w, o, RACE_ATOMIC, one, exec, bytes)) return NULL;
    if (lds_races(w, o, RACE_ATOMIC, two, exec, bytes)) return NULL;
    operands(w, o->sd, bytes, a);
    operands(w, o->misc, bytes, b);
    for (unsigned i = 0; i < LANES; i++) {
        if (!(exec >> i & 1)) continue;
        first[i] = emu_rmw_plain(RMW_SWAP, bytes, w->lds + one[i], a[i], 0);
        second[i] = emu_rmw_plain(RMW_SWAP, bytes, w->lds + two[i], b[i], 0);
    }
    put_old(w, o->d, first, bytes);
    put_old(w, o->d + bytes / 4, second, bytes);
    return o + 1;
}
#define EXCHANGE2(name, bytes, stride)                                                             \
    HANDLER(ds_storexchg_2addr_##name) { CONTINUE(exchange2(w, o, bytes, stride)); }
EXCHANGE2(rtn_b32, 4, 4)
EXCHANGE2(rtn_b64, 8, 8)
EXCHANGE2(stride64_rtn_b32, 4, 256)
EXCHANGE2(stride64_rtn_b64, 8, 512)
