/* Races for device memory (CASS_EMU_CHECK=2): two waves of a launch access a byte, one of them
 * writes it, and nothing orders them. What orders is guessed in the program's favour:
 * - A workgroup that executed an atomic, a load past the caches (glc: what volatile and atomic
 * loads are) or buffer_gl1_inv comes behind everything that was done before, whoever did it.
 * Releases are not asked for: machine code has no trace of a relaxed store, which may be one.
 * - Waves of one workgroup are also ordered by any barrier, atomic (LDS's too) or buffer_gl0_inv of
 *   any of its waves that lies between.
 * - What is accessed by an atomic or past the caches at any time in the launch is not told, nor a
 *   store that changes nothing, nor anything of images and buffers.
 * A race is told when the launch ends, since only then it is known what was accessed how. */
#ifndef CASS_EMU_MEMORY_RACE_H
#define CASS_EMU_MEMORY_RACE_H

#include "emulator/interp.h"

typedef struct memory_race memory_race;

/* Whether the mode is on; asked for once. */
int emu_memory_races_wanted(void);
/* Of one launch; NULL: out of memory. */
memory_race *emu_memory_race_create(void);
void emu_memory_race_destroy(memory_race *race);
/* The waves of a workgroup met. */
void emu_memory_race_barrier(group_t *g);
/* The first race, if any; 1: there is one. */
int emu_memory_race_found(const memory_race *race, emu_fault *fault);

#endif
