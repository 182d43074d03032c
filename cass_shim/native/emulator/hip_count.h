/* What each kernel executed, for CASS_EMU_COUNT=FILE: a JSON line a kernel, appended when the
 * process ends. */
#ifndef CASS_EMU_HIP_COUNT_H
#define CASS_EMU_HIP_COUNT_H

#include "emulator/core.h"

/* Adds one launch, from what emu_run said of it. Thread-safe; a kernel for which there is no memory
 * is not counted. */
void emu_count_launch(const char *kernel, const emu_fault *done);

#endif
