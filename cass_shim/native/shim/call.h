/* One CUDA call on its way from the program to its body: who calls, on which default stream, in
 * what state.
 *
 * A body `cass_<name>` (native/runtime, native/driver) is called by the generated entry points
 * only, or by another body; it returns a CUDA error and never touches errno, the trace or the last
 * error: the entry does. Nothing here blocks or allocates. */
#ifndef CASS_CALL_H
#define CASS_CALL_H

#include <stdint.h>

#include "shim/cuda_types.h"

/* A copy of the CUDA runtime (or the driver) as programs see it. Kernels, variables and the last
 * error belong to a copy: two shared objects, each with its own static cudart, may register one
 * stub address. */
typedef struct {
    uint32_t version; /* CUDA version its callers were built for: 11080, 12000, 13000; driver: 0 */
    uint32_t id;      /* unique in the process, never reused */
    uintptr_t base, end; /* where the patched object lies; 0 for a stand-in library */
    const char *name;    /* path of the object, or the stand-in's SONAME */
} cass_caller;

typedef struct {
    const cass_caller
        *caller; /* set by every trampoline and stand-in before it jumps to an entry */
    uint32_t per_thread_stream; /* 1 inside a _ptsz/_ptds call: stream 0 is the per-thread stream */
} cass_call;

/* Initial-exec: the library is preloaded, and trampolines write it by its thread-pointer offset. */
extern __thread cass_call cass_current_call
    __attribute__((tls_model("initial-exec"), visibility("default")));

enum { CASS_COPY_11 = 0, CASS_COPY_12, CASS_COPY_13, CASS_COPY_DRIVER, CASS_COPY_COUNT };
extern const cass_caller cass_standin_callers[CASS_COPY_COUNT]
    __attribute__((visibility("default")));

/* The copy whose entry point runs on this thread; never NULL. Not meaningful on threads we made. */
static inline const cass_caller *cass_caller_now(void) {
    const cass_caller *caller = cass_current_call.caller;
    return caller ? caller : &cass_standin_callers[CASS_COPY_13];
}

/* 1 when stream 0 means the per-thread default stream in this call. Functions with a stream
 * parameter get cudaStreamPerThread passed in its place already; this is for those without, and for
 * streams in structs. */
static inline int cass_call_per_thread(void) { return (int)cass_current_call.per_thread_stream; }

/* Reasons to leave an entry's fast path. */
enum { CASS_GATE_TRACE = 1, CASS_GATE_FORKED = 2 };
extern int cass_gate;

/* The first call that makes process-wide state (a HIP context) says so; from then on a forked
 * child's calls answer cudaErrorInitializationError, as CUDA's do. Idempotent, thread-safe. */
void cass_shim_mark_initialised(void);

/* cuGetProcAddress: the entry for (name, CUDA version, 1 for the per-thread default stream), or
 * NULL with *status CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND or _VERSION_NOT_SUFFICIENT. A name we only
 * stub is not found, so that programs take their fallback. status may be NULL. */
void *cass_proc_lookup(const char *name, int version, int per_thread, int *status);

/* One line on stderr, prefixed "cass-shim: ". No allocation; at most 1 KiB. */
void cass_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Provided by native/runtime; may be missing while it does not define them.
 * record_error: a runtime entry of this thread returned this error (never called with cudaSuccess).
 * copy_gone: that patched object was unmapped; forget everything keyed by it. Called outside the
 * loader's lock is not guaranteed: it must not dlopen or block. */
__attribute__((weak)) void cass_runtime_record_error(cudaError_t error);
__attribute__((weak)) void cass_runtime_copy_gone(const cass_caller *caller);

#define CASS_RARE(x) __builtin_expect(!!(x), 0)
#define CASS_COLD __attribute__((cold, noinline))

static inline void cass_entry_failed(cudaError_t error) {
    if (cass_runtime_record_error) cass_runtime_record_error(error);
}

#endif
