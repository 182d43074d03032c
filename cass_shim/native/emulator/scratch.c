/* SCRATCH loads and stores. Source: AMD RDNA3 ISA, "Flat Memory Instructions". */
#define EMU_SHARED_SSE
#include "emulator/scratch_ops.h"
#include "emulator/memory_ops.h"

/* Address of each lane: saddr + vaddr + offset, modulo 2^32. *same: all lanes that are active share
 * it. */
static inline void scratch_addresses(const wave_t *w, const op_t *o, uint32_t *at, int *same) {
    uint32_t base = (o->flags & F_SADDR ? s32(w, o, 1) : 0) + (uint32_t)o->k[2], exec = EXEC;
    V x = o->flags & F_VADDR ? v_src(w, o, 0) + base : v_splat(base);
    memcpy(at, &x, 128);
    *same = 1;
    if (o->flags & F_VADDR)
        *same = exec && (v_bits((VI)(x == x[__builtin_ctz(exec)])) & exec) == exec;
}

static inline const op_t *out_of_scratch(wave_t *w, const op_t *o, unsigned lane,
                                         uint32_t address) {
    return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, lane, address,
                     "scratch access outside the lane's private memory");
}

OUT_OF_LINE const op_t *scratch_load(wave_t *w, const op_t *o, unsigned bytes, int is_signed,
                                     int half) {
    lanes32 at, r[4];
    int same;
    uint32_t exec = EXEC;
    unsigned words = bytes < 4 ? 1 : bytes / 4;
    if (!exec) return o + 1;
    scratch_addresses(w, o, at, &same);
    unsigned first = (unsigned)__builtin_ctz(exec);
    if (likely(same && bytes >= 4 && !(at[first] & 3))) {
        uint32_t address = at[first];
        if ((uint64_t)address + bytes > w->scratch_bytes)
            return out_of_scratch(w, o, first, address);
        for (unsigned k = 0; k < words; k++) memcpy(r[k], scratch_byte(w, address + 4 * k, 0), 128);
    } else {
        for (unsigned i = 0; i < LANES; i++) {
            if (!(exec >> i & 1)) continue;
            if ((uint64_t)at[i] + bytes > w->scratch_bytes) return out_of_scratch(w, o, i, at[i]);
            for (unsigned k = 0; k < words; k++)
                r[k][i] = extend((uint32_t)scratch_read(w, at[i] + 4 * k, i, bytes < 4 ? bytes : 4),
                                 bytes, is_signed);
        }
    }
    put_narrow(w, o->d, r[0], half);
    for (unsigned k = 1; k < words; k++) put32(w, o->d + k, r[k]);
    return o + 1;
}

OUT_OF_LINE const op_t *scratch_store(wave_t *w, const op_t *o, unsigned bytes, unsigned shift) {
    lanes32 at;
    int same;
    uint32_t exec = EXEC;
    unsigned words = bytes < 4 ? 1 : bytes / 4;
    if (!exec) return o + 1;
    scratch_addresses(w, o, at, &same);
    unsigned first = (unsigned)__builtin_ctz(exec);
    if (likely(same && bytes >= 4 && !(at[first] & 3))) {
        uint32_t address = at[first];
        if ((uint64_t)address + bytes > w->scratch_bytes)
            return out_of_scratch(w, o, first, address);
        V m = v_exec_mask(exec);
        for (unsigned k = 0; k < words; k++) {
            V *row = (V *)scratch_byte(w, address + 4 * k, 0), x = *(const V *)w->v[o->sd + k];
            *row = (x & m) | (*row & ~m);
        }
        return o + 1;
    }
    for (unsigned i = 0; i < LANES; i++)
        if ((exec >> i & 1) && (uint64_t)at[i] + bytes > w->scratch_bytes)
            return out_of_scratch(w, o, i, at[i]);
    for (unsigned i = 0; i < LANES; i++)
        for (unsigned k = 0; (exec >> i & 1) && k < words; k++)
            scratch_write(w, at[i] + 4 * k, i, bytes < 4 ? bytes : 4, w->v[o->sd + k][i] >> shift);
    return o + 1;
}

#define LOAD(name, bytes, is_signed, half)                                                         \
    HANDLER(scratch_load_##name) { CONTINUE(scratch_load(w, o, bytes, is_signed, half)); }
#define STORE(name, bytes, shift)                                                                  \
    HANDLER(scratch_store_##name) { CONTINUE(scratch_store(w, o, bytes, shift)); }
MEMORY_LOADS(LOAD, LOAD)
MEMORY_STORES(STORE, STORE)
