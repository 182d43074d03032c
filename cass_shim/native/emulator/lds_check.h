/* Reads of LDS that nothing wrote: in checking mode every byte of LDS has one beside it that says
 * whether it was written. Translated code does not run in that mode (native.c). */
#ifndef CASS_EMU_LDS_CHECK_H
#define CASS_EMU_LDS_CHECK_H

#include "emulator/lanes.h"
#include "emulator/lds_race.h"

/* The first active lane of which some byte was not written; LANES: none. */
static inline unsigned lds_unwritten(const wave_t *w, const uint32_t *at, uint32_t exec,
                                     unsigned bytes) {
    if (likely(!w->lds_written)) return LANES;
    for (uint32_t left = exec; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        for (unsigned k = 0; k < bytes; k++)
            if (!w->lds_written[at[i] + k]) return i;
    }
    return LANES;
}
static inline void lds_wrote(const wave_t *w, const uint32_t *at, uint32_t exec, unsigned bytes) {
    if (likely(!w->lds_written)) return;
    for (uint32_t left = exec; left; left &= left - 1)
        memset(w->lds_written + at[__builtin_ctz(left)], 1, bytes);
}
static inline const op_t *lds_raise(wave_t *w, const op_t *o, unsigned lane, uint32_t address) {
    return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, lane, address, "read of LDS that nothing wrote");
}
/* For one lane. */
#define lds_unwritten_at(w, address, bytes) (lds_unwritten(w, &(address), 1, bytes) == 0)
#define lds_wrote_at(w, address, bytes) lds_wrote(w, &(address), 1, bytes)

#endif
