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
    if (unlikely(!store_lanes(&w->v[o->sd], &at, exec, bytes, shift)))
        return global_fault(w, o, &at, bytes, 1);
    return o + 1;
}

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
#define LOAD_NARROW(name, bytes, is_signed, half) LOAD(name, load_narrow, bytes, is_signed, half)
#define LOAD_WIDE(name, bytes, is_signed, half) LOAD(name, global_load, bytes, is_signed, half)
#define STORE_NARROW(name, bytes, shift) STORE(name, store_narrow, bytes, shift)
#define STORE_WIDE(name, bytes, shift) STORE(name, global_store, bytes, shift)
MEMORY_LOADS(LOAD_NARROW, LOAD_WIDE)
MEMORY_STORES(STORE_NARROW, STORE_WIDE)

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
    if (exec && !store_lanes(&w->v[o->sd], &at, exec, 4, 0)) return global_fault(w, o, &at, 4, 1);
    NEXT;
}
