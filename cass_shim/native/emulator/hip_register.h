/* What HIP programs register when they start: code objects, and the host symbols that stand for
 * their contents. */
#ifndef CASS_EMU_HIP_REGISTER_H
#define CASS_EMU_HIP_REGISTER_H

#include "emulator/hip_module.h"

/* The kernel that `symbol` names on the current device: a registered host function or a kernel
 * handle. NULL with `error` set. Loads the code object at first use. */
emu_function *emu_function_by_symbol(const void *symbol, hipError_t *error);
/* The variable that a registered host variable stands for; a device address stands for itself. */
hipError_t emu_variable_by_symbol(const void *symbol, void **address, size_t *bytes);

#endif
