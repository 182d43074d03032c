/* FLAT loads and stores where some lane is in LDS or scratch: any mixture of apertures. Source:
 * LLVM AMDGPUUsage, "Address Spaces". */
#define EMU_SHARED_SSE
#include "emulator/lds_check.h"
#include "emulator/scratch_ops.h"
#include "emulator/memory_ops.h"

static inline void flat_addresses(const wave_t *w, const op_t *o, uint64_t *at) {
    ld64(w, o, 0, at);
    for (int i = 0; i < LANES; i++) at[i] += o->k[2];
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
    lanes64 at;
    unsigned words = bytes < 4 ? 1 : bytes / 4, part = bytes < 4 ? bytes : 4;
    flat_addresses(w, o, at);
    for (unsigned i = 0; i < LANES; i++) {
        if (!(exec >> i & 1)) continue;
        uint64_t address = at[i];
        uint32_t high = (uint32_t)(address >> 32), low = (uint32_t)address;
        if (!flat_ok(w, address, bytes))
            return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, i, address, "flat load");
        if (high == APERTURE_LDS && unlikely(lds_unwritten_at(w, low, bytes)))
            return lds_raise(w, o, i, low);
        if (high == APERTURE_LDS && lds_lane_races(w, o, RACE_READ, low, i, bytes)) return NULL;
        uint32_t x[4];
        if (high == APERTURE_SCRATCH)
            for (unsigned k = 0; k < words; k++)
                x[k] = extend((uint32_t)scratch_read(w, low + 4 * k, i, part), bytes, is_signed);
        else
            load_words(x, high == APERTURE_LDS ? (char *)w->lds + low : (char *)(uintptr_t)address,
                       bytes, is_signed);
        for (unsigned k = 0; k < words; k++) r[k][i] = x[k];
    }
    put_narrow(w, o->d, r[0], half);
    for (unsigned k = 1; k < words; k++) put32(w, o->d + k, r[k]);
    return o + 1;
}

const op_t *emu_flat_store(wave_t *w, const op_t *o, uint32_t exec, unsigned bytes,
                           unsigned shift) {
    unsigned words = bytes < 4 ? 1 : bytes / 4, part = bytes < 4 ? bytes : 4;
    lanes64 at;
    flat_addresses(w, o, at);
    for (unsigned i = 0; i < LANES; i++)
        if ((exec >> i & 1) && !flat_ok(w, at[i], bytes))
            return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, i, at[i], "flat store");
    for (unsigned i = 0; i < LANES; i++) {
        if (!(exec >> i & 1)) continue;
        uint64_t address = at[i];
        uint32_t high = (uint32_t)(address >> 32), low = (uint32_t)address;
        if (high == APERTURE_LDS) lds_wrote_at(w, low, bytes);
        if (high == APERTURE_LDS && lds_lane_races(w, o, RACE_WRITE, low, i, bytes)) return NULL;
        uint32_t x[4];
        for (unsigned k = 0; k < words; k++) x[k] = w->v[o->sd + k][i] >> shift;
        if (high == APERTURE_SCRATCH)
            for (unsigned k = 0; k < words; k++) scratch_write(w, low + 4 * k, i, part, x[k]);
        else
            store_words(high == APERTURE_LDS ? (char *)w->lds + low : (char *)(uintptr_t)address, x,
                        bytes);
    }
    return o + 1;
}
