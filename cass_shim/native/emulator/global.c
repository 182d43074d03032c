/* GLOBAL and FLAT loads and stores. Every byte a lane touches is checked. Source: AMD RDNA3 ISA,
 * "Flat Memory Instructions"; apertures: LLVM AMDGPUUsage, "Address Spaces". */
#include "emulator/memory_ops.h"

/* ---- GLOBAL ---- */

static const op_t *global_fault(wave_t *w, const op_t *o, const lane_addresses *at, unsigned bytes,
                                int store) {
    for (unsigned i = 0; i < LANES; i++) {
        if (!(EXEC >> i & 1)) continue;
        uint64_t address = at->base + at->offset[i];
        if (at->wide) address = at->address[i];
        if (!range_ok(address, bytes))
            return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, i, address,
                             store ? "global store" : "global load");
    }
    return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, 0, 0, "global access");
}

ALWAYS_INLINE const op_t *global_load(wave_t *w, const op_t *o, unsigned bytes, int is_signed,
                                      int half) {
    lane_addresses at;
    uint32_t exec = EXEC;
    if (!exec) return o + 1;
    gather_addresses(w, o, &at, exec);
    if (unlikely(!load_lanes(w, o->d, &at, exec, bytes, is_signed, half)))
        return global_fault(w, o, &at, bytes, 0);
    return o + 1;
}

ALWAYS_INLINE const op_t *global_store(wave_t *w, const op_t *o, unsigned bytes, unsigned shift) {
    lane_addresses at;
    uint32_t exec = EXEC;
    if (!exec) return o + 1;
    gather_addresses(w, o, &at, exec);
    if (unlikely(!store_lanes(w, o->sd, &at, exec, bytes, shift)))
        return global_fault(w, o, &at, bytes, 1);
    return o + 1;
}

#define CONTINUE(expr)                                                                             \
    do {                                                                                           \
        const op_t *to = (expr);                                                                   \
        if (unlikely(!to)) return NULL;                                                            \
        GO(to);                                                                                    \
    } while (0)

/* The flat form of an access that stays in device memory continues in the global form's body. */
#ifdef EMU_MUSTTAIL
#define GO_GLOBAL(name) TAIL BODY_NAME(global_##name)(w, o)
#else
#define GO_GLOBAL(name) return BODY_NAME(global_##name)(w, o)
#endif
#define FLAT(name, elsewhere)                                                                      \
    HANDLER(flat_##name) {                                                                         \
        uint32_t exec = EXEC;                                                                      \
        if (unlikely(flat_leaves_global(w, o, exec))) CONTINUE(elsewhere);                         \
        GO_GLOBAL(name);                                                                           \
    }
#define LOAD(name, how, bytes, is_signed, half)                                                    \
    HANDLER(global_load_##name) { CONTINUE(how(w, o, bytes, is_signed, half)); }                   \
    FLAT(load_##name, emu_flat_load(w, o, exec, bytes, is_signed, half))
#define STORE(name, how, bytes, shift)                                                             \
    HANDLER(global_store_##name) { CONTINUE(how(w, o, bytes, shift)); }                            \
    FLAT(store_##name, emu_flat_store(w, o, exec, bytes, shift))

OUT_OF_LINE const op_t *load_narrow(wave_t *w, const op_t *o, unsigned bytes, int is_signed,
                                    int half) {
    return global_load(w, o, bytes == 1 ? 1 : 2, is_signed, half);
}
OUT_OF_LINE const op_t *store_narrow(wave_t *w, const op_t *o, unsigned bytes, unsigned shift) {
    return global_store(w, o, bytes == 1 ? 1 : 2, shift);
}
LOAD(u8, load_narrow, 1, 0, LOAD_WORD)
LOAD(i8, load_narrow, 1, 1, LOAD_WORD)
LOAD(u16, load_narrow, 2, 0, LOAD_WORD)
LOAD(i16, load_narrow, 2, 1, LOAD_WORD)
LOAD(b32, global_load, 4, 0, LOAD_WORD)
LOAD(b64, global_load, 8, 0, LOAD_WORD)
LOAD(b96, global_load, 12, 0, LOAD_WORD)
LOAD(b128, global_load, 16, 0, LOAD_WORD)
LOAD(d16_u8, load_narrow, 1, 0, LOAD_LOW)
LOAD(d16_i8, load_narrow, 1, 1, LOAD_LOW)
LOAD(d16_b16, load_narrow, 2, 0, LOAD_LOW)
LOAD(d16_hi_u8, load_narrow, 1, 0, LOAD_HIGH)
LOAD(d16_hi_i8, load_narrow, 1, 1, LOAD_HIGH)
LOAD(d16_hi_b16, load_narrow, 2, 0, LOAD_HIGH)
STORE(b8, store_narrow, 1, 0)
STORE(b16, store_narrow, 2, 0)
STORE(b32, global_store, 4, 0)
STORE(b64, global_store, 8, 0)
STORE(b96, global_store, 12, 0)
STORE(b128, global_store, 16, 0)
STORE(d16_hi_b8, store_narrow, 1, 16)
STORE(d16_hi_b16, store_narrow, 2, 16)

/* Lane i uses the scalar address plus 4 * i. */
static void addtid_addresses(const wave_t *w, const op_t *o, lane_addresses *at) {
    at->base = (o->flags & F_SADDR ? s64(w, o, 1) : 0) + o->k[2];
    at->wide = 0;
    for (unsigned i = 0; i < LANES; i++) at->offset[i] = 4 * i;
}
HANDLER(global_load_addtid_b32) {
    lane_addresses at;
    uint32_t exec = EXEC;
    addtid_addresses(w, o, &at);
    if (exec && !load_lanes(w, o->d, &at, exec, 4, 0, LOAD_WORD))
        return global_fault(w, o, &at, 4, 0);
    NEXT;
}
HANDLER(global_store_addtid_b32) {
    lane_addresses at;
    uint32_t exec = EXEC;
    addtid_addresses(w, o, &at);
    if (exec && !store_lanes(w, o->sd, &at, exec, 4, 0)) return global_fault(w, o, &at, 4, 1);
    NEXT;
}
