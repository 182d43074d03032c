/* The device heap: memory that device code's malloc and free hand out (cass_shim.model.kernel_abi,
 * HEAP_*). */
#ifndef CASS_HEAP_H
#define CASS_HEAP_H

#include "driver/state.h"

/* Device address of the arena, made on first use with the limit cudaLimitMallocHeapSize. */
int cass_heap_address(cass_device *device, uint64_t *address);

/* Whether an address lies in a device's heap: no call of the host may be given one (CUDA C++
 * Programming Guide, "Dynamic Global Memory Allocation and Operations"). No lock. */
int cass_heap_holds(const void *address);

/* After a device reset: the arena is gone. */
void cass_heap_drop(cass_device *device);

#endif
