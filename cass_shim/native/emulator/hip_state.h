/* What the HIP half of the emulated device shares: devices, the calling thread's state, handles,
 * entry guards. Each file's own interface has its own header (memory.h, hip_queue.h, hip_module.h,
 * ...). */
#ifndef CASS_EMU_HIP_STATE_H
#define CASS_EMU_HIP_STATE_H

#include "emulator/core.h"
#include "emulator/hip_types.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define EMU_EXPORT __attribute__((visibility("default")))
#define EMU_MAX_DEVICES 16
#define EMU_REASON_BYTES 768
#define EMU_PAGE 4096u
#define EMU_BOARD "AMD Radeon RX 7900 XTX (emulated)"

typedef struct emu_stream emu_stream;
typedef struct emu_pool emu_pool;

/* One emulated board. `fault` is the sticky hipError_t; `fault_text` is written once, before it,
 * under fault_lock. */
typedef struct emu_device {
    int ordinal;
    _Atomic int fault;
    pthread_mutex_t fault_lock;
    char fault_text[EMU_REASON_BYTES];
    emu_stream *legacy;  /* the legacy default stream, made at first use */
    emu_stream *streams; /* every live stream of this device, linked by `sibling`; engine lock */
    emu_pool *default_pool, *current_pool;
    size_t limits[hipLimitRange];
    unsigned flags;
    unsigned peers; /* bit per device this one may access */
    void *heap;     /* of the device library's malloc; hip_hostheap.c */
} emu_device;

/* The calling thread. */
typedef struct emu_thread {
    int device;
    hipError_t last;
    bool per_thread_default;
    hipStreamCaptureMode capture_mode;
    char reason[EMU_REASON_BYTES];
    emu_stream *own[EMU_MAX_DEVICES];
    hipCtx_t context_stack[16];
    int context_depth, base_device;
    int inside; /* an operation of a stream runs in this thread */
} emu_thread;

extern _Thread_local emu_thread emu_me;
extern emu_device emu_devices[EMU_MAX_DEVICES];

typedef struct {
    int device_count, compute_units;
    uint64_t memory_bytes, arena_bytes;
    uint64_t most_instructions;         /* that a wave may run; 0: any number (CASS_EMU_LIMIT) */
    _Atomic uint64_t instruction_limit; /* the same for launches from now on (hipCassLimit) */
    bool strict, check, count;
} emu_settings;
extern emu_settings emu_config;

typedef enum { EMU_GUARD_NONE, EMU_GUARD_HOST, EMU_GUARD_DEVICE } emu_guard;
hipError_t emu_enter(emu_guard guard, int per_thread_default);
hipError_t emu_leave(hipError_t error);
hipError_t emu_leave_peek(hipError_t error);
hipError_t emu_not_supported(const char *name);

/* Sets the calling thread's reason text and passes the error through: `return emu_fail(error,
 * "why", ...)`. */
hipError_t emu_fail(hipError_t error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Makes an error sticky on a device, the first one wins. */
void emu_device_fault(emu_device *device, hipError_t error, const char *text);
static inline emu_device *emu_current(void) { return &emu_devices[emu_me.device]; }

/* Live handles of every kind, so that a stale or invented one is an error and not a crash. */
typedef enum {
    EMU_STREAM = 1,
    EMU_EVENT,
    EMU_MODULE,
    EMU_FUNCTION,
    EMU_GRAPH,
    EMU_GRAPH_NODE,
    EMU_GRAPH_EXEC,
    EMU_ARRAY,
    EMU_MIPMAP,
    EMU_TEXTURE,
    EMU_SURFACE,
    EMU_POOL,
    EMU_LIBRARY,
    EMU_KERNEL,
    EMU_CONTEXT,
    EMU_USER_OBJECT,
    EMU_HANDLE_MEMORY,
    EMU_HANDLE_EXTERNAL
} emu_handle_kind;
void emu_handle_add(const void *handle, emu_handle_kind kind);
bool emu_handle_is(const void *handle, emu_handle_kind kind);
bool emu_handle_remove(const void *handle, emu_handle_kind kind);

typedef struct {
    const char *name;
    void *address;
} emu_export;
extern const emu_export emu_exports[];
extern const size_t emu_export_count;

uint64_t emu_now_ns(void);
bool emu_after_fork(void);

#endif
