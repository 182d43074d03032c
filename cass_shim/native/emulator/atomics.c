/* GLOBAL and FLAT atomics. 64-bit ones must be aligned to 8 bytes, 32-bit ones to 4. Lanes go in
 * order. */
#define EMU_SHARED
#include "emulator/atomic_ops.h"
#include "emulator/memory_ops.h"
#include "emulator/scratch_ops.h"

static inline uint64_t operand(const wave_t *w, unsigned r, unsigned bytes, unsigned lane) {
    return bytes == 8 ? w->v[r][lane] | (uint64_t)w->v[r + 1][lane] << 32 : w->v[r][lane];
}

/* Old value of one lane's operation; *fault is the status when it may not be done. */
static uint64_t one_lane(wave_t *w, unsigned operation, unsigned bytes, uint64_t address,
                         unsigned lane, uint64_t a, uint64_t b, emu_status *fault) {
    if (address & (bytes - 1)) {
        *fault = EMU_MISALIGNED;
        return 0;
    }
    uint32_t high = (uint32_t)(address >> 32), low = (uint32_t)address;
    if (unlikely(high == APERTURE_LDS)) {
        if ((uint64_t)low + bytes <= w->lds_bytes)
            return emu_rmw_plain(operation, bytes, w->lds + low, a, b);
    } else if (unlikely(high == APERTURE_SCRATCH)) {
        if ((uint64_t)low + bytes <= w->scratch_bytes) {
            uint64_t old = scratch_read(w, low, lane, bytes);
            scratch_write(w, low, lane, bytes, emu_rmw_value(operation, bytes, old, a, b));
            return old;
        }
    } else if (likely(range_ok(address, bytes))) {
        return emu_rmw_atomic(operation, bytes, (void *)(uintptr_t)address, a, b);
    }
    *fault = EMU_ILLEGAL_ADDRESS;
    return 0;
}

OUT_OF_LINE const op_t *atomic_lanes(wave_t *w, const op_t *o, unsigned operation, unsigned bytes) {
    lane_addresses at;
    uint32_t exec = EXEC, left = exec;
    if (!exec) return o + 1;
    gather_addresses(w, o, &at, exec);
    lanes64 r;
    int compares = operation == RMW_CMPSWAP || operation == RMW_CMPSWAP_F;
    while (left) {
        unsigned i = (unsigned)__builtin_ctz(left);
        left &= left - 1;
        uint64_t a = operand(w, o->sd, bytes, i);
        uint64_t b = compares ? operand(w, o->sd + bytes / 4, bytes, i) : 0;
        uint64_t address = lane_address(&at, i);
        emu_status fault = EMU_OK;
        r[i] = one_lane(w, operation, bytes, address, i, a, b, &fault);
        if (unlikely(fault != EMU_OK)) return emu_raise(w, o, fault, i, address, "atomic");
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
