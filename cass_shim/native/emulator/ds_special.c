/* DS instructions that move data between lanes, address by M0, or count lanes. Source: AMD RDNA3
 * ISA, "Data Share Operations"; the rotate and FFT modes of ds_swizzle_b32 from its description
 * there. */
#define EMU_SHARED_SSE
#include "emulator/lds_check.h"

#define OFFSET ((uint32_t)o->k[1])

/* Pull: each lane reads the data of the lane that its address names; inactive lanes read as 0. */
HANDLER(ds_bpermute_b32) {
    lanes32 r, address;
    const uint32_t *a = w->v[o->sd];
    memcpy(address, (const char *)w + o->off[0], 128);
    uint32_t exec = EXEC;
    for (int i = 0; i < LANES; i++) {
        uint32_t from = (address[i] + OFFSET) >> 2 & 31;
        r[i] = exec >> from & 1 ? a[from] : 0;
    }
    put32(w, o->d, r);
    NEXT;
}
/* Push: each active lane sends its data to the lane that its address names; the highest sender
 * wins. */
HANDLER(ds_permute_b32) {
    lanes32 r = {0}, address;
    const uint32_t *a = w->v[o->sd];
    memcpy(address, (const char *)w + o->off[0], 128);
    uint32_t exec = EXEC;
    for (int i = 0; i < LANES; i++)
        if (exec >> i & 1) r[(address[i] + OFFSET) >> 2 & 31] = a[i];
    put32(w, o->d, r);
    NEXT;
}

static unsigned reverse5(unsigned i) {
    return (i & 1) << 4 | (i & 2) << 2 | (i & 4) | (i & 8) >> 2 | (i & 16) >> 4;
}
static unsigned swizzle_lane(uint32_t offset, unsigned i) {
    unsigned mask = offset & 31;
    if (offset >= 0xe000) return (reverse5(i) >> __builtin_popcount(mask) | (i & mask)) & 31;
    if (offset >= 0xc000) {
        unsigned step = offset >> 5 & 31;
        if (offset >> 10 & 1) step = 0u - step;
        return ((i & mask) | ((i + step) & ~mask)) & 31;
    }
    if (offset & 0x8000) return (i & ~3u) | (offset >> (2 * (i & 3)) & 3);
    return (((i & mask) | (offset >> 5 & 31)) ^ (offset >> 10 & 31)) & 31;
}
HANDLER(ds_swizzle_b32) {
    lanes32 r, a;
    memcpy(a, (const char *)w + o->off[0], 128);
    uint32_t exec = EXEC;
    for (unsigned i = 0; i < LANES; i++) {
        unsigned from = swizzle_lane(OFFSET, i);
        r[i] = exec >> from & 1 ? a[from] : 0;
    }
    put32(w, o->d, r);
    NEXT;
}

/* ---- addresses from M0 ---- */
static const op_t *outside(wave_t *w, const op_t *o, unsigned lane, uint64_t address) {
    return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, lane, address, "LDS access out of bounds");
}
static uint32_t addtid(const wave_t *w, const op_t *o, unsigned lane) {
    return OFFSET + (w->s[S_M0] & 0xffff) + 4 * lane;
}
HANDLER(ds_load_addtid_b32) {
    lanes32 r;
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t address = addtid(w, o, i);
        r[i] = 0;
        if (!(EXEC >> i & 1)) continue;
        if ((uint64_t)address + 4 > w->lds_bytes) return outside(w, o, i, address);
        if (unlikely(lds_unwritten_at(w, address, 4))) return lds_raise(w, o, i, address);
        if (lds_lane_races(w, o, RACE_READ, address, i, 4)) return NULL;
        memcpy(&r[i], w->lds + address, 4);
    }
    put32(w, o->d, r);
    NEXT;
}
HANDLER(ds_store_addtid_b32) {
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t address = addtid(w, o, i);
        if (!(EXEC >> i & 1)) continue;
        if ((uint64_t)address + 4 > w->lds_bytes) return outside(w, o, i, address);
        lds_wrote_at(w, address, 4);
        if (lds_lane_races(w, o, RACE_WRITE, address, i, 4)) return NULL;
        memcpy(w->lds + address, &w->v[o->sd][i], 4);
    }
    NEXT;
}
/* One counter for the wave, moved by the number of active lanes. */
static inline const op_t *count_lanes(wave_t *w, const op_t *o, int sign) {
    uint32_t address = (w->s[S_M0] & 0xffff) + OFFSET, old;
    if (!EXEC) return o + 1;
    if ((uint64_t)address + 4 > w->lds_bytes) return outside(w, o, 0, address);
    if (unlikely(lds_unwritten_at(w, address, 4))) return lds_raise(w, o, 0, address);
    if (lds_lane_races(w, o, RACE_ATOMIC, address, 0, 4)) return NULL;
    memcpy(&old, w->lds + address, 4);
    uint32_t next = old + (uint32_t)(sign * __builtin_popcount(EXEC));
    memcpy(w->lds + address, &next, 4);
    v_put(w, o->d, v_splat(old));
    return o + 1;
}
HANDLER(ds_append) {
    const op_t *to = count_lanes(w, o, 1);
    if (unlikely(!to)) return NULL;
    GO(to);
}
HANDLER(ds_consume) {
    const op_t *to = count_lanes(w, o, -1);
    if (unlikely(!to)) return NULL;
    GO(to);
}
/* Each dword of the aligned pair is replaced when bit 31 of its data is set, without that bit. */
HANDLER(ds_condxchg32_rtn_b64) {
    lanes32 r[2];
    const uint32_t *base = w->v[(o->off[0] - offsetof(wave_t, v)) / sizeof(vreg_t)];
    for (unsigned i = 0; i < LANES; i++) {
        if (!(EXEC >> i & 1)) continue;
        uint32_t address = (base[i] + OFFSET) & ~7u;
        if ((uint64_t)address + 8 > w->lds_bytes) return outside(w, o, i, address);
        if (unlikely(lds_unwritten_at(w, address, 8))) return lds_raise(w, o, i, address);
        if (lds_lane_races(w, o, RACE_ATOMIC, address, i, 8)) return NULL;
        for (unsigned k = 0; k < 2; k++) {
            uint32_t x = w->v[o->sd + k][i], next = x & 0x7fffffff;
            memcpy(&r[k][i], w->lds + address + 4 * k, 4);
            if (x >> 31) memcpy(w->lds + address + 4 * k, &next, 4);
        }
    }
    put32(w, o->d, r[0]);
    put32(w, o->d + 1u, r[1]);
    NEXT;
}
