/* Launching a kernel: CUDA's checks, the kernarg, the HIP call. No lock and no allocation after
 * first use. */
#ifndef CASS_LAUNCH_H
#define CASS_LAUNCH_H

#include "driver/module.h"

typedef struct cass_launch {
    unsigned grid[3], block[3];
    size_t shared_bytes; /* dynamic */
    hipStream_t stream;
    void **parameters;  /* one pointer per parameter, or NULL */
    const void *packed; /* else the parameter block itself, or NULL */
    size_t packed_bytes;
    int cooperative;
} cass_launch;

/* Launches on the entered device. Codes: 1 bad dimensions or shared memory, 209 and others from
 * translation, 701 too many threads for the kernel's registers, 720 cooperative grid too large, and
 * what HIP returns. */
int cass_launch_kernel(cass_device *device, cass_kernel *kernel, const cass_launch *launch);

/* As above, now: what a graph's kernel node does when its graph is launched. Never captures. */
int cass_launch_now(cass_device *device, cass_kernel *kernel, const cass_launch *launch);

/* CUDA's limits on dimensions and shared memory, without the kernel's code: 0 or the code. */
int cass_launch_check(const cass_kernel *kernel, const cass_launch *launch);

/* The parameter block of a launch, params_bytes of the kernel long and zeroed before: 0 or 1. */
int cass_launch_pack(const cass_kernel *kernel, const cass_launch *launch, unsigned char *block);

/* Blocks of this shape that one multiprocessor holds at once, at least 0. */
int cass_occupancy(cass_kernel *kernel, cass_device *device, int threads, size_t shared_bytes,
                   int *blocks);

/* What every waiting call does after HIP returned `result`: prints what kernels printed, turns a
 * failed assertion into 710, remembers faults. `idle`: all work of the device has finished. */
int cass_after_wait(cass_device *device, int result, int idle);

#endif
