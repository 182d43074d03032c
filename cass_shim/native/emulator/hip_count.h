/* What each kernel executed, for CASS_EMU_COUNT=FILE: a JSON line a kernel, appended when the
 * process ends. */
#ifndef CASS_EMU_HIP_COUNT_H
#define CASS_EMU_HIP_COUNT_H

#include <stdint.h>

/* Adds one launch. Thread-safe; a kernel for which there is no memory is not counted. */
void emu_count_launch(const char *kernel, uint64_t wave_instructions);

#endif
