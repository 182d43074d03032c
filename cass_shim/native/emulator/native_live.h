/* Which registers a unit's blocks need: what a wave has to load when it comes in, and to save when
 * it waits at a barrier. */
#ifndef CASS_EMU_NATIVE_LIVE_H
#define CASS_EMU_NATIVE_LIVE_H

#include "emulator/native_unit.h"

#define V_WORDS (VGPRS / 64)
#define S_WORDS 4 /* scalar registers by operand number; what lies behind is not kept */

typedef struct {
    uint64_t v[V_WORDS], s[S_WORDS];
} native_set;

typedef struct {
    native_set needed;  /* when the block begins */
    native_set passed;  /* of that, what a wave that comes in there need not load: up to where it
                           waits, ends or is left, nothing reads or changes it */
    native_set changed; /* since the wave came in, when the block ends; what was saved is not */
} native_live;

/* One for each block of the unit, to be freed; NULL: out of memory. */
native_live *native_live_of(const native_unit *unit);

#endif
