/* GLOBAL and FLAT atomics. 64-bit ones must be aligned to 8 bytes, 32-bit ones to 4. Lanes go in
 * order. */
#define EMU_SHARED_SSE
#include "emulator/atomic_ops.h"
#include "emulator/lds_check.h"
#include "emulator/memory_ops.h"
#include "emulator/scratch_ops.h"

/* A data operand of every lane, of one or two registers. */
ALWAYS_INLINE void operands(const wave_t *w, unsigned r, unsigned bytes, uint64_t *out) {
    lanes32 low, high;
    memcpy(low, w->v[r], 128);
    if (bytes == 8) memcpy(high, w->v[r + 1], 128);
    for (int i = 0; i < LANES; i++) out[i] = bytes == 8 ? low[i] | (uint64_t)high[i] << 32 : low[i];
}

/* Whether one lane's operation may be done. */
static inline emu_status lane_status(const wave_t *w, unsigned bytes, uint64_t address) {
    uint32_t high = (uint32_t)(address >> 32), low = (uint32_t)address;
    int inside;
    if (address & (bytes - 1)) return EMU_MISALIGNED;
    if (unlikely(high == APERTURE_LDS)) inside = (uint64_t)low + bytes <= w->lds_bytes;
    else if (unlikely(high == APERTURE_SCRATCH)) inside = (uint64_t)low + bytes <= w->scratch_bytes;
    else inside = range_ok(address, bytes);
    return likely(inside) ? EMU_OK : EMU_ILLEGAL_ADDRESS;
}

/* Old value of one lane's operation, which lane_status allows. */
static inline uint64_t one_lane(wave_t *w, unsigned operation, unsigned bytes, uint64_t address,
                                unsigned lane, uint64_t a, uint64_t b) {
    uint32_t high = (uint32_t)(address >> 32), low = (uint32_t)address;
    if (unlikely(high == APERTURE_LDS)) {
        lds_wrote_at(w, low, bytes);
        return emu_rmw_plain(emu_rmw_in_lds(operation, w->mode), bytes, w->lds + low, a, b);
    }
    if (unlikely(high == APERTURE_SCRATCH)) {
        uint64_t old = scratch_read(w, low, lane, bytes);
        scratch_write(w, low, lane, bytes, emu_rmw_value(operation, bytes, old, a, b));
        return old;
    }
    return emu_rmw_atomic(operation, bytes, (void *)(uintptr_t)address, a, b);
}

/* Nothing is done when some lane's address is wrong. */
OUT_OF_LINE const op_t *atomic_lanes(wave_t *w, const op_t *o, unsigned operation, unsigned bytes) {
    lane_addresses at;
    lanes64 r, a, b;
    uint32_t exec = EXEC;
    if (!exec) return o + 1;
    gather_addresses(w, o, &at, exec);
    for (uint32_t left = exec; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        emu_status fault = lane_status(w, bytes, lane_address(&at, i));
        if (unlikely(fault != EMU_OK))
            return emu_raise(w, o, fault, i, lane_address(&at, i), "atomic");
        uint32_t low = (uint32_t)lane_address(&at, i);
        if (unlikely(lane_address(&at, i) >> 32 == APERTURE_LDS) &&
            lds_lane_races(w, o, RACE_ATOMIC, low, i, bytes))
            return NULL;
    }
    if (unlikely(w->race != NULL)) emu_race_atomic(w);
    int compares = operation == RMW_CMPSWAP || operation == RMW_CMPSWAP_F;
    operands(w, o->sd, bytes, a);
    if (compares) operands(w, o->sd + bytes / 4, bytes, b);
    for (uint32_t left = exec; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        r[i] = one_lane(w, operation, bytes, lane_address(&at, i), i, a[i], compares ? b[i] : 0);
    }
    if (o->flags & F_GLC) {
        lanes32 low, high;
        for (int i = 0; i < LANES; i++) {
            low[i] = (uint32_t)r[i];
            high[i] = (uint32_t)(r[i] >> 32);
        }
        put32(w, o->d, low);
        if (bytes == 8) put32(w, o->d + 1u, high);
    }
    return o + 1;
}

#define ATOMIC(prefix, name, operation, bytes)                                                     \
    HANDLER(prefix##_atomic_##name) {                                                              \
        const op_t *to = atomic_lanes(w, o, operation, bytes);                                     \
        if (unlikely(!to)) return NULL;                                                            \
        GO(to);                                                                                    \
    }
#define GLOBAL_ATOMIC(name, operation, bytes) ATOMIC(global, name, operation, bytes)
#define FLAT_ATOMIC(name, operation, bytes) ATOMIC(flat, name, operation, bytes)
MEMORY_ATOMICS(GLOBAL_ATOMIC)
MEMORY_ATOMICS(FLAT_ATOMIC)
ATOMIC(global, csub_u32, RMW_CSUB, 4)
