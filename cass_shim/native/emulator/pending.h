/* Results that are under way (CASS_EMU_WAITS=1): what a load or an atomic returns reaches its
 * registers only where a wait of the wave's own shows it. Until then they hold a pattern, and an
 * instruction that touches them ends the launch. Source: AMD RDNA3 ISA, "Data Dependency
 * Resolution" (VM_CNT and LDS in order, scalar loads in any order) and LLVM's SIInsertWaitcnts.
 *
 * Translated code does not run in that mode (native.c); elsewhere it costs nothing, since the
 * records below are added when code is decoded. */
#ifndef CASS_EMU_PENDING_H
#define CASS_EMU_PENDING_H

#include "emulator/decode.h"

typedef struct pending pending_t;

/* Whether the mode is on; asked for once. */
int emu_pending_wanted(void);
/* Of `waves` waves, for emu_pending_of; NULL: out of memory. */
pending_t *emu_pending_create(uint32_t waves);
void emu_pending_destroy(pending_t *pending);
/* A wave's own, with nothing under way. */
pending_t *emu_pending_start(pending_t *pending, uint32_t wave);

/* What is counted, and until when. */
enum { COUNT_VM = 1, COUNT_LGKM = 2, COUNT_VS = 4, COUNTERS = 3 };
#define NO_WAIT 64 /* no counter goes as far */

/* The late result of an instruction. */
typedef struct {
    unsigned first, count; /* registers; 0 of them: it is only counted */
    unsigned counters;     /* COUNT_*: all of them must show it */
    uint32_t bits;         /* of each register that it writes */
    int scalar;
    int ordered; /* after everything that the counter counted before */
    int store;   /* other waves may read what it writes */
} late_t;

/* Registers that an instruction reads or writes at once. */
#define TOUCHED_MAX 12
typedef struct {
    unsigned first, count;
    int scalar, whole; /* whole: lanes that are not active, too */
} touched_t;

/* Of a decoded instruction; 0: it has none. */
int emu_late_result(const op_t *ops, unsigned count, late_t *late);
/* How many ranges. What is not known (relative registers, most addresses of images, VCC and M0
 * where the instruction does not name them) is left out. */
unsigned emu_touched(const op_t *ops, unsigned count, touched_t *ranges);
/* The records of an instruction with what this mode adds around them; how many, at most
 * PENDING_ROOM. */
#define PENDING_ROOM (DECODE_ROOM + 4)
unsigned emu_pending_records(const decode_t *d, op_t *out);

#endif
