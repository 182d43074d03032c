/* Devices, contexts and the calling thread's place among them.
 *
 * In: the HIP door. Out: cass_enter() for every body that needs a device, and the thread's context
 * stack. Codes are CUDA's, in the runtime's numbering (the driver's differ in a few; see
 * results.h). */
#ifndef CASS_STATE_H
#define CASS_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "hip/hip.h"

enum { CASS_MAX_DEVICES = 32, CASS_CONTEXT_STACK = 64 };

enum { /* codes used by name across the bodies; values are cudaError_t */
       OK = 0,
       INVALID_VALUE = 1,
       OUT_OF_MEMORY = 2,
       NOT_INITIALIZED = 3,
       INVALID_CONFIGURATION = 9,
       INVALID_PITCH = 12,
       INVALID_SYMBOL = 13,
       INVALID_DIRECTION = 21,
       DEVICES_UNAVAILABLE = 46,
       MISSING_CONFIGURATION = 52,
       INVALID_FUNCTION = 98,
       NO_DEVICE = 100,
       INVALID_DEVICE = 101,
       INVALID_IMAGE = 200,
       INVALID_CONTEXT = 201,
       NO_KERNEL_IMAGE = 209,
       UNSUPPORTED_LIMIT = 215,
       PEER_UNSUPPORTED = 217,
       FILE_NOT_FOUND = 301,
       OPERATING_SYSTEM = 304,
       INVALID_HANDLE = 400,
       ILLEGAL_STATE = 401,
       SYMBOL_NOT_FOUND = 500,
       NOT_READY = 600,
       ILLEGAL_ADDRESS = 700,
       OUT_OF_RESOURCES = 701,
       PEER_ALREADY_ENABLED = 704,
       PEER_NOT_ENABLED = 705,
       PRIMARY_CONTEXT_ACTIVE = 708,
       CONTEXT_DESTROYED = 709,
       ASSERTION = 710,
       LAUNCH_FAILURE = 719,
       COOPERATIVE_TOO_LARGE = 720,
       NOT_PERMITTED = 800,
       NOT_SUPPORTED = 801,
       CAPTURE_UNSUPPORTED = 900,
       CAPTURE_INVALIDATED = 901,
       CAPTURE_MERGE = 902,
       CAPTURE_UNMATCHED = 903,
       CAPTURE_UNJOINED = 904,
       CAPTURE_ISOLATION = 905,
       CAPTURE_IMPLICIT = 906,
       CAPTURED_EVENT = 907,
       CAPTURE_WRONG_THREAD = 908,
       GRAPH_UPDATE_FAILURE = 910,
       GRAPH_RECAPTURE_FAILURE = 918,
       UNKNOWN_ERROR = 999
};

struct cass_ring;

/* A CUcontext. The primary one of a device lives in its cass_device; others come from cuCtxCreate.
 */
typedef struct CUctx_st {
    uint32_t magic;
    int device;
    int primary;
    unsigned flags;
    _Atomic int active;   /* primary: retained or used by the runtime; others: not destroyed */
    _Atomic int retained; /* cuDevicePrimaryCtxRetain count */
    uint64_t id;
    int cache_config, shared_config;
    struct cass_coredump *coredump; /* its own core dump settings; NULL: the process's */
    struct CUgreenCtx_st *green;    /* of a green context */
    hipStream_t joint;              /* follows its other streams; made when an event is recorded */
    hipEvent_t gate;                /* what streams made from now on wait for */
} cass_context;

/* One device. `sticky` is the error that every call on it returns after a fault (CUDA keeps it per
 * context; HIP keeps it per device, and so do we). `epoch` counts resets: what was made before one
 * is gone. */
typedef struct {
    cass_context primary;
    _Atomic int sticky;
    _Atomic int
        lost; /* reset after a fault: CUDA gives devices unavailable for the rest of the process */
    _Atomic uint32_t epoch;
    _Atomic(struct cass_ring *) ring;
    _Atomic(hipStream_t) service; /* our own copies: blocks on nobody's stream */
    _Atomic(void *) heap;         /* what device code's malloc hands out */
    _Atomic size_t heap_bytes;
    _Atomic(void *) shared;          /* shared memory beyond LDS, for all launches */
    pthread_mutex_t lock, heap_lock; /* first-use work of this device */
    size_t limits[8];                /* by cudaLimit */
    uint32_t peers;                  /* enabled peer access, by device */
} cass_device;

extern cass_device cass_devices[CASS_MAX_DEVICES];
extern _Atomic int cass_device_count; /* 0 before the first successful start */

typedef struct {
    cass_context *current;
    cass_context *stack[CASS_CONTEXT_STACK]; /* below `current` */
    int depth;
    int device;           /* the runtime's device while no context is current */
    int hip_device;       /* what HIP was told in this thread, plus one; 0: nothing yet */
    int in_host_function; /* between cass_host_function_begin and _end */
} cass_thread_state;

extern _Thread_local cass_thread_state cass_thread;

extern int cass_launch_blocking; /* CUDA_LAUNCH_BLOCKING: every launch waits */

/* Starts the device library on first use. 0, or 3 in a child forked from a started parent, or why
 * it failed. */
int cass_start(void);

/* What every body that needs a device calls first: starts, makes the primary context current where
 * none is, tells HIP the device, and returns the device's sticky error. *device may be NULL. No
 * lock after first use. */
int cass_enter(cass_device **device);

/* Around a stream's host function: no call may be made in it (CUDA: 800). HIP may run it within a
 * call of ours, which then goes on: the end takes what the begin returned. */
int cass_host_function_begin(void);
void cass_host_function_end(int told);

/* As cass_enter, for calls that answer after a fault too. */
int cass_enter_after_fault(cass_device **device);

/* As cass_enter, for driver calls: 201 where no context is current. */
int cass_enter_driver(cass_device **device);

/* Whether this process was forked from one that had started. Also true after vfork and raw clone.
 */
int cass_is_forked_child(void);

/* Remembers a fault: returns `code`, and stores it in the device when it is one that stays. */
int cass_note_failure(cass_device *device, int code);
static inline int cass_note(cass_device *device, int code) {
    return code ? cass_note_failure(device, code) : 0;
}

/* Makes `context` the thread's current one (NULL: none) and tells HIP its device. */
int cass_set_current(cass_context *context);

/* A context handle given by the program, or NULL when it is none of ours or destroyed; and why it
 * is NULL: 201 or 709 (recorded). */
cass_context *cass_context_of(const void *handle);
int cass_context_fault(const void *handle);
cass_context *cass_context_create(int device, unsigned flags);
int cass_context_destroy(cass_context *context);

/* The device's own non-blocking stream, made on first use. */
int cass_service_stream(cass_device *device, hipStream_t *stream);

static inline int cass_device_index(const cass_device *device) {
    return (int)(device - cass_devices);
}

#endif
