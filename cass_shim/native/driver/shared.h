/* Shared memory beyond LDS (CASS_SHARED=spill): code that keeps it in an arena of device memory,
 * one slot per block that runs (cass_shim.model.kernel_abi, ARENA_*). */
#ifndef CASS_SHARED_H
#define CASS_SHARED_H

#include "driver/module.h"

/* The most shared memory that a block may opt in to. */
int cass_shared_opt_in(void);

/* What the program declared: without the bytes that CUDA reserves for itself. */
size_t cass_static_shared(const cass_kernel *kernel);

/* The most dynamic shared memory that a launch of this kernel may be allowed. */
size_t cass_dynamic_room(const cass_kernel *kernel);

/* Whether a launch with this much dynamic shared memory runs the code with the arena. */
int cass_launch_spills(const cass_kernel *kernel, size_t dynamic_bytes);

/* Dynamic LDS to launch such code with: all there is, so that no more blocks are resident than
 * there are slots, and none waits for a slot of one that may wait for it. */
unsigned cass_spilled_lds(const cass_kernel_device *code);

/* Device address of the arena, made on first use: 0 or a CUDA code. */
int cass_shared_arena(cass_device *device, uint64_t *address);

/* After a device reset: the arena is gone. */
void cass_shared_drop(cass_device *device);

#endif
