/* Scratch layout: dword d of lane l at byte 4 * (32 * d + l), so that a uniform address is one
 * 128-byte row. */
#ifndef CASS_EMU_SCRATCH_OPS_H
#define CASS_EMU_SCRATCH_OPS_H

#include "emulator/lanes.h"

static inline uint8_t *scratch_byte(const wave_t *w, uint32_t address, unsigned lane) {
    return w->scratch + ((uint64_t)(address >> 2) * LANES + lane) * 4 + (address & 3);
}

/* Up to 8 bytes; the caller has checked the bounds. */
static inline uint64_t scratch_read(const wave_t *w, uint32_t address, unsigned lane,
                                    unsigned bytes) {
    uint64_t x = 0;
    for (unsigned k = 0; k < bytes; k++)
        x |= (uint64_t)*scratch_byte(w, address + k, lane) << (8 * k);
    return x;
}
static inline void scratch_write(wave_t *w, uint32_t address, unsigned lane, unsigned bytes,
                                 uint64_t x) {
    for (unsigned k = 0; k < bytes; k++)
        *scratch_byte(w, address + k, lane) = (uint8_t)(x >> (8 * k));
}

static inline uint32_t extend(uint32_t x, unsigned bytes, int is_signed) {
    if (bytes == 1) return is_signed ? (uint32_t)(int8_t)x : x & 0xff;
    if (bytes == 2) return is_signed ? (uint32_t)(int16_t)x : x & 0xffff;
    return x;
}

#endif
