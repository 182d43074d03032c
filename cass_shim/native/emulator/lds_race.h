/* Races for LDS (CASS_EMU_CHECK=2): two waves of a workgroup access a byte, one of them writes it,
 * and no barrier lies between. Only barriers are certain to order waves. Atomics may: what a wave
 * did before one of its own, or before one of the other wave's, is not told, nor is what two
 * atomics do, nor a plain access to what an atomic changed since the last barrier (a lock, a
 * counter), nor two stores of one value. Within a wave nothing races: its LDS instructions are
 * executed in order. */
#ifndef CASS_EMU_LDS_RACE_H
#define CASS_EMU_LDS_RACE_H

#include "emulator/interp.h"

typedef struct lds_race lds_race;
enum { RACE_READ, RACE_WRITE, RACE_ATOMIC };

/* What is known of `bytes` of LDS; NULL: out of memory. */
lds_race *emu_race_create(uint32_t bytes);
void emu_race_destroy(lds_race *race);
/* All waves are ordered: a barrier, or another workgroup begins. */
void emu_race_barrier(lds_race *race);
/* The wave executed an atomic elsewhere. */
void emu_race_atomic(const wave_t *w);
/* Notes an access of the active lanes before it is executed; 1: it races, and that was raised. x:
 * the registers that a store takes, shifted right by `shift`; NULL where values do not count. */
int emu_race_access(wave_t *w, const op_t *o, unsigned kind, const uint32_t *at, uint32_t exec,
                    unsigned bytes, const vreg_t *x, unsigned shift);
/* One lane's. */
int emu_race_lane(wave_t *w, const op_t *o, unsigned kind, uint32_t address, unsigned lane,
                  unsigned bytes);

#define lds_races(w, o, kind, at, exec, bytes)                                                     \
    (unlikely((w)->race != NULL) && emu_race_access(w, o, kind, at, exec, bytes, NULL, 0))
#define lds_store_races(w, o, at, exec, bytes, x, shift)                                           \
    (unlikely((w)->race != NULL) && emu_race_access(w, o, RACE_WRITE, at, exec, bytes, x, shift))
/* For one lane. */
#define lds_lane_races(w, o, kind, address, lane, bytes)                                           \
    (unlikely((w)->race != NULL) && emu_race_lane(w, o, kind, address, lane, bytes))

#endif
