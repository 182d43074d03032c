/* What the bodies of the runtime share. */
#ifndef CASS_RUNTIME_H
#define CASS_RUNTIME_H

#include "api/bodies.h"
#include "driver/launch.h"
#include "driver/module.h"
#include "driver/state.h"

/* Enters the runtime's context, or returns its error from the body. */
#define ENTER(device)                                                                              \
    cass_device *device;                                                                           \
    do {                                                                                           \
        int enter_result = cass_enter(&device);                                                    \
        if (enter_result) return (cudaError_t)enter_result;                                        \
    } while (0)

/* Returns from the body when `call` fails; faults are remembered. */
#define TRY(device, call)                                                                          \
    do {                                                                                           \
        int tried = (call);                                                                        \
        if (tried) return (cudaError_t)cass_note(device, tried);                                   \
    } while (0)

/* The body's last act: maps and remembers. */
#define DONE(device, call) ((cudaError_t)cass_note(device, (call)))

static inline hipStream_t cass_stream(cudaStream_t stream) { return (hipStream_t)stream; }
static inline hipEvent_t cass_event(cudaEvent_t event) { return (hipEvent_t)event; }

/* CUDA's stream for calls without a stream argument: the per-thread one inside a _ptds call. */
static inline hipStream_t cass_default_stream(void) {
    return cass_call_per_thread() ? HIP_STREAM_PER_THREAD : NULL;
}

/* Whether the caller was built for CUDA 13 or later. */
static inline int cass_caller_is_13(void) { return cass_caller_now()->version >= 13000; }

/* The kernel behind a host stub address or a kernel handle, its module prepared. 98 or 400 when
 * there is none. */
int cass_find_kernel(const void *function, cass_kernel **kernel);
/* The stub that the calling runtime's programs know a kernel by; NULL when it was not registered.
 */
const void *cass_kernel_stub(const cass_kernel *kernel);

/* The variable behind a host address; the module is prepared. 13 when there is none. */
int cass_find_variable(const void *symbol, cass_module **module, int *variable);

struct CUtexref_st;

/* The reference behind a host structure's address, and whether its kernels read integers as floats.
 * 18 or 37 when there is none. */
int cass_find_reference(const void *host, int surface, struct CUtexref_st **reference,
                        int *as_float);

/* The address of [offset, offset + count) of a variable on this device. 1 when that lies outside.
 */
int cass_symbol_part(cass_device *device, const void *symbol, size_t count, size_t offset,
                     void **address);

/* cudaMemcpyKind to HIP's: the numbers agree today, and this is where that is said. -1: no such
 * kind. */
int cass_hip_kind(enum cudaMemcpyKind kind);

#endif
