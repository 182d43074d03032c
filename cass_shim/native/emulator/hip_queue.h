/* Streams: queues of operations that run in order, beside the host and beside each other.
 *
 * Every operation that a HIP call asks for is an emu_op: made by the call, then submitted to a
 * stream, recorded by a capture, or put into a graph as a node. Ops of a stream run one after
 * another on the stream's worker thread, or on a host thread that waits for them (which saves two
 * thread switches for the common launch-then-synchronise). Ordering between streams is a list of
 * (stream, position) that must be complete first. */
#ifndef CASS_EMU_HIP_QUEUE_H
#define CASS_EMU_HIP_QUEUE_H

#include "emulator/hip_state.h"

typedef enum {
    EMU_OP_EMPTY,
    EMU_OP_KERNEL,
    EMU_OP_COPY,
    EMU_OP_SET,
    EMU_OP_HOST,
    EMU_OP_EVENT_RECORD,
    EMU_OP_EVENT_WAIT,
    EMU_OP_GRAPH,
    EMU_OP_ALLOC,
    EMU_OP_FREE,
    EMU_OP_WAIT_VALUE,
    EMU_OP_WRITE_VALUE
} emu_op_kind;

typedef struct emu_dep {
    emu_stream *stream; /* holds a reference */
    uint64_t position;
} emu_dep;

/* One operation; its parameters follow it in memory (the struct of its kind begins with an emu_op).
 * run: does the work; an error becomes the device's sticky error unless it is hipSuccess. drop:
 * releases what the parameters own (not the op itself). clone: a copy for another graph. Ops are
 * freed with emu_op_free. */
typedef struct emu_op emu_op;
struct emu_op {
    emu_op *next;
    emu_op_kind kind;
    uint32_t bytes; /* of the whole struct, for clones */
    hipError_t (*run)(emu_op *op, emu_device *device);
    void (*drop)(emu_op *op);
    bool (*clone)(emu_op *copy); /* deepens a byte copy; NULL: the byte copy is enough */
    bool worker_only;            /* never on the thread that waits: host functions */
    bool on_fault;               /* runs on a faulted device too */
    uint32_t dep_count;
    emu_dep *deps;
};

/* Ids of the attributes that streams keep are below this (hipLaunchAttributeMemSyncDomain is the
 * last). */
#define EMU_STREAM_ATTRIBUTES 11

typedef struct emu_capture emu_capture;

struct emu_stream {
    emu_device *device;
    emu_stream *sibling;
    unsigned flags;
    int priority;
    unsigned long long id;
    bool legacy, running, worker, closing;
    unsigned references;
    uint64_t submitted, completed; /* positions; engine lock */
    emu_op *head, *tail;
    pthread_cond_t work;
    _Atomic(emu_capture *) capture; /* not NULL while capturing */
    struct emu_node *
        *tail_nodes; /* the nodes that a captured operation comes after; capture lock */
    size_t tail_count;
    uint32_t cu_mask[4];
    hipLaunchAttributeValue attributes[EMU_STREAM_ATTRIBUTES]; /* by id; engine lock */
};

/* The engine lock guards every queue. `emu_progress` is broadcast whenever a position completes. */
extern pthread_mutex_t emu_engine;
extern pthread_cond_t emu_progress;

/* Host functions as ops; hip_stream.c. */
emu_op *emu_host_op(hipHostFn_t function, void *argument);
void emu_host_op_get(const emu_op *op, hipHostNodeParams *params);
void emu_host_op_set(emu_op *op, const hipHostNodeParams *params);

hipError_t emu_run_nothing(emu_op *op, emu_device *device);
void *emu_op_new(size_t bytes, emu_op_kind kind, hipError_t (*run)(emu_op *, emu_device *));
void emu_op_free(emu_op *op);
emu_op *emu_op_clone(const emu_op *op);

/* The stream behind a handle: 0 and the two special values included. NULL: not a live stream (error
 * set). */
emu_stream *emu_stream_of(hipStream_t handle);
/* Queues `op` (which it takes over) or, on a capturing stream, records it. */
hipError_t emu_submit(emu_stream *stream, emu_op *op);
/* The same, never for a capture; tells the position while no one can have reached it. */
hipError_t emu_submit_at(emu_stream *stream, emu_op *op, uint64_t *position);
/* Queues and waits. Not allowed on a capturing stream. */
hipError_t emu_submit_wait(emu_stream *stream, emu_op *op);
/* A capture's answer to an op that was submitted to its stream; takes the op over. hip_capture.c */
hipError_t emu_capture_record(emu_stream *stream, emu_op *op);
/* hipStreamWaitEvent where the stream captures or the event was recorded by a capture; takes the op
 * over. */
struct emu_event;
hipError_t emu_capture_wait(emu_stream *stream, struct emu_event *event, emu_op *op);
/* hipEventRecord on a capturing stream. external: as a node, not as a mark. */
hipError_t emu_capture_event(emu_stream *stream, struct emu_event *event, bool external);
/* hipErrorStreamCaptureImplicit where the legacy stream would have to order itself with a capture.
 */
hipError_t emu_capture_legacy(emu_stream *stream);
void emu_capture_stream_gone(emu_stream *stream);
/* Blocks until the stream has completed `position`; returns the device's sticky error. */
hipError_t emu_wait(emu_stream *stream, uint64_t position);
hipError_t emu_wait_device(emu_device *device);
bool emu_add_dep(emu_op *op, emu_stream *stream, uint64_t position);
void emu_stream_retain(emu_stream *stream); /* engine lock held */
void emu_stream_release(emu_stream *stream);
emu_stream *emu_stream_create(emu_device *device, unsigned flags, int priority);
/* Takes a stream from its owner; what is queued still runs. */
void emu_stream_retire(emu_stream *stream);
/* hipErrorStreamCaptureUnsupported while the stream captures. */
hipError_t emu_refuse_capture(emu_stream *stream);

#endif
