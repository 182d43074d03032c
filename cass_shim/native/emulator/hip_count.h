/* What each kernel executed and how true to the hardware its instructions are, for
 * CASS_EMU_COUNT=FILE: a JSON line a kernel, appended when the process ends. */
#ifndef CASS_EMU_HIP_COUNT_H
#define CASS_EMU_HIP_COUNT_H

#include "emulator/core.h"

/* Adds one launch of a named kernel, from what emu_run said of it. Thread-safe; a kernel for which
 * there is no memory is not counted. */
void emu_count_launch(const emu_launch *launch, const emu_fault *done);

#endif
