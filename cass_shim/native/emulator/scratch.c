/* SCRATCH loads and stores, and FLAT accesses that reach LDS or scratch through an aperture.
 * Source: AMD RDNA3 ISA, "Flat Memory Instructions"; LLVM AMDGPUUsage, "Address Spaces". */
#define EMU_SHARED
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

static inline uint32_t extend(uint32_t x, unsigned bytes, int is_signed) {
    if (bytes == 1) return is_signed ? (uint32_t)(int8_t)x : x & 0xff;
    if (bytes == 2) return is_signed ? (uint32_t)(int16_t)x : x & 0xffff;
    return x;
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

/* ---- FLAT, any mixture of apertures ---- */

static inline uint64_t flat_address(const wave_t *w, const op_t *o, unsigned i) {
    const uint32_t *low = (const uint32_t *)(const void *)((const char *)w + o->off[0]);
    return (low[i] | (uint64_t)low[i + LANES] << 32) + o->k[2];
}

static inline int flat_ok(const wave_t *w, uint64_t address, unsigned bytes) {
    uint32_t high = (uint32_t)(address >> 32), low = (uint32_t)address;
    if (high == APERTURE_LDS) return (uint64_t)low + bytes <= w->lds_bytes;
    if (high == APERTURE_SCRATCH) return (uint64_t)low + bytes <= w->scratch_bytes;
    return range_ok(address, bytes);
}

const op_t *emu_flat_load(wave_t *w, const op_t *o, uint32_t exec, unsigned bytes, int is_signed,
                          int half) {
    lanes32 r[4];
    unsigned words = bytes < 4 ? 1 : bytes / 4, part = bytes < 4 ? bytes : 4;
    for (unsigned i = 0; i < LANES; i++) {
        if (!(exec >> i & 1)) continue;
        uint64_t address = flat_address(w, o, i);
        uint32_t high = (uint32_t)(address >> 32), low = (uint32_t)address;
        if (!flat_ok(w, address, bytes))
            return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, i, address, "flat load");
        for (unsigned k = 0; k < words; k++) {
            uint32_t x = 0;
            if (high == APERTURE_SCRATCH) x = (uint32_t)scratch_read(w, low + 4 * k, i, part);
            else if (high == APERTURE_LDS) memcpy(&x, w->lds + low + 4 * k, part);
            else memcpy(&x, (const char *)(uintptr_t)address + 4 * k, part);
            r[k][i] = extend(x, bytes, is_signed);
        }
    }
    put_narrow(w, o->d, r[0], half);
    for (unsigned k = 1; k < words; k++) put32(w, o->d + k, r[k]);
    return o + 1;
}

const op_t *emu_flat_store(wave_t *w, const op_t *o, uint32_t exec, unsigned bytes,
                           unsigned shift) {
    unsigned words = bytes < 4 ? 1 : bytes / 4, part = bytes < 4 ? bytes : 4;
    for (unsigned i = 0; i < LANES; i++) {
        if (!(exec >> i & 1)) continue;
        uint64_t address = flat_address(w, o, i);
        uint32_t high = (uint32_t)(address >> 32), low = (uint32_t)address;
        if (!flat_ok(w, address, bytes))
            return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, i, address, "flat store");
        for (unsigned k = 0; k < words; k++) {
            uint32_t x = w->v[o->sd + k][i] >> shift;
            if (high == APERTURE_SCRATCH) scratch_write(w, low + 4 * k, i, part, x);
            else if (high == APERTURE_LDS) memcpy(w->lds + low + 4 * k, &x, part);
            else memcpy((char *)(uintptr_t)address + 4 * k, &x, part);
        }
    }
    return o + 1;
}

#define LOAD(name, bytes, is_signed, half)                                                         \
    HANDLER(scratch_load_##name) { CONTINUE(scratch_load(w, o, bytes, is_signed, half)); }
#define STORE(name, bytes, shift)                                                                  \
    HANDLER(scratch_store_##name) { CONTINUE(scratch_store(w, o, bytes, shift)); }
MEMORY_LOADS(LOAD, LOAD)
MEMORY_STORES(STORE, STORE)
