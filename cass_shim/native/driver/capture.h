/* Stream capture, as the bodies see it: calls on a capturing stream become nodes instead of work. */
#ifndef CASS_CAPTURE_H
#define CASS_CAPTURE_H

#include "driver/launch.h"

typedef struct cass_capture cass_capture;

extern _Atomic int cass_captures; /* streams that capture, in the whole process */

cass_capture *cass_capture_of(hipStream_t stream);

/* The capture of this stream, or NULL: one load while nothing captures. */
static inline cass_capture *cass_capturing(hipStream_t stream) {
    if (!atomic_load_explicit(&cass_captures, memory_order_relaxed)) return NULL;
    return cass_capture_of(stream);
}

int cass_capture_kernel(cass_device *device, cass_kernel *kernel, const cass_launch *launch);

/* For calls that may not happen while a capture runs (allocation, synchronous copies): invalidates the captures
 * this thread's call collides with and returns 900; 0 when there is none. */
int cass_capture_collides(void);
static inline int cass_capture_forbids(void) {
    if (!atomic_load_explicit(&cass_captures, memory_order_relaxed)) return OK;
    return cass_capture_collides();
}

#endif
