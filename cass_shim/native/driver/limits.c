/* The device limits a program may read and set: see limits.h. */
#include "driver/limits.h"

enum { /* cudaLimit */
       STACK = 0,
       PRINTF_FIFO = 1,
       HEAP = 2,
       RUNTIME_SYNC_DEPTH = 3,
       PENDING_LAUNCHES = 4,
       L2_FETCH = 5,
       PERSISTING_L2 = 6
};
enum { SMALLEST_FIFO = 512 * 1024, LARGEST_STACK = 512 * 1024 };

void cass_limits_default(cass_device *device) {
    device->limits[STACK] = 1024;
    device->limits[PRINTF_FIFO] =
        8650752; /* recorded on a compute capability 9.0 device, driver 580 */
    device->limits[HEAP] = 8388608;
    device->limits[PENDING_LAUNCHES] = 2048;
    device->limits[L2_FETCH] = 64;
    device->limits[PERSISTING_L2] = 0;
}

int cass_limit_get(cass_device *device, int limit, size_t *value) {
    if (!value) return INVALID_VALUE;
    if (limit == RUNTIME_SYNC_DEPTH)
        return UNSUPPORTED_LIMIT; /* since compute capability 9.0 / CUDA 12 */
    if (limit < 0 || limit > PERSISTING_L2) return INVALID_VALUE;
    *value = device->limits[limit];
    return OK;
}

int cass_limit_set(cass_device *device, int limit, size_t value) {
    if (limit == RUNTIME_SYNC_DEPTH) return UNSUPPORTED_LIMIT;
    if (limit < 0 || limit > PERSISTING_L2) return INVALID_VALUE;
    if (limit == PRINTF_FIFO && value < SMALLEST_FIFO) value = SMALLEST_FIFO; /* recorded */
    if (limit == PRINTF_FIFO && device->ring) return INVALID_VALUE; /* in use: as documented */
    if (limit == HEAP && device->heap) return INVALID_VALUE;
    if (limit == STACK && value > LARGEST_STACK) return INVALID_VALUE;
    if (limit == STACK) value = (value + 15) & ~(size_t)15;
    device->limits[limit] = value;
    return OK;
}
