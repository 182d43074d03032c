/* What the bodies of the driver API share. */
#ifndef CASS_DRIVER_API_H
#define CASS_DRIVER_API_H

#include "api/bodies.h"
#include "driver/array.h"
#include "driver/module.h"
#include "driver/names.h"
#include "driver/state.h"

/* A code of ours as the driver numbers it. */
#define RESULT(call) ((CUresult)cass_driver_code(call))

/* Enters the thread's current context, or returns its error from the body. */
#define ENTER(device)                                                                              \
    cass_device *device;                                                                           \
    do {                                                                                           \
        int enter_result = cass_enter_driver(&device);                                             \
        if (enter_result) return RESULT(enter_result);                                             \
    } while (0)

/* For calls that need cuInit and no context. */
#define STARTED()                                                                                  \
    do {                                                                                           \
        if (!cass_device_count || cass_is_forked_child()) return CUDA_ERROR_NOT_INITIALIZED;       \
    } while (0)

#define KNOWN_DEVICE(device)                                                                       \
    do {                                                                                           \
        STARTED();                                                                                 \
        if (device < 0 || device >= cass_device_count) return CUDA_ERROR_INVALID_DEVICE;           \
    } while (0)

#define TRY(device, call)                                                                          \
    do {                                                                                           \
        int tried = (call);                                                                        \
        if (tried) return RESULT(cass_note(device, tried));                                        \
    } while (0)

#define DONE(device, call) RESULT(cass_note(device, (call)))

/* CUarray_format: the formats a program can sample; 1 for the others (video, block compression). */
int cass_read_format(CUarray_format format, unsigned channels, cass_format_of *out);

static inline hipStream_t cass_stream(CUstream stream) { return (hipStream_t)stream; }
static inline hipEvent_t cass_event(CUevent event) { return (hipEvent_t)event; }
static inline void *cass_address(CUdeviceptr pointer) { return (void *)(uintptr_t)pointer; }
static inline hipStream_t cass_default_stream(void) {
    return cass_call_per_thread() ? HIP_STREAM_PER_THREAD : NULL;
}

#endif
