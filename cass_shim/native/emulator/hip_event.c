/* Events (hip_event.h). */
#include "emulator/hip_event.h"
#include "emulator/hip_calls.h"

#include <stdlib.h>
#include <time.h>

typedef struct {
    emu_op op;
    uint64_t shared_position; /* of an interprocess event: which recording this is */
    emu_event *event;         /* for graphs, which name it */
    emu_stamp *stamp; /* of this recording; NULL in a graph node, which makes one when it runs */
} event_op;

emu_event *emu_event_of(hipEvent_t handle) {
    if (emu_handle_is(handle, EMU_EVENT)) return (emu_event *)handle;
    emu_fail(hipErrorInvalidHandle, "not a live event: %p", (void *)handle);
    return NULL;
}

static void stamp_release(emu_stamp *stamp) {
    if (!stamp || atomic_fetch_sub(&stamp->references, 1) != 1) return;
    if (stamp->stream) {
        pthread_mutex_lock(&emu_engine);
        emu_stream_release(stamp->stream);
        pthread_mutex_unlock(&emu_engine);
    }
    free(stamp);
}

/* The event's recording, referenced; NULL if never recorded. */
static emu_stamp *stamp_of(emu_event *event) {
    pthread_mutex_lock(&event->lock);
    emu_stamp *stamp = event->stamp;
    if (stamp) atomic_fetch_add(&stamp->references, 1);
    pthread_mutex_unlock(&event->lock);
    return stamp;
}

static void set_stamp(emu_event *event, emu_stamp *stamp) {
    pthread_mutex_lock(&event->lock);
    emu_stamp *before = event->stamp;
    event->stamp = stamp;
    event->capture = 0;
    pthread_mutex_unlock(&event->lock);
    stamp_release(before);
}

static hipError_t run_record(emu_op *base, emu_device *device) {
    (void)device;
    event_op *op = (event_op *)base;
    if (op->stamp) {
        atomic_store(&op->stamp->reached_ns, emu_now_ns());
        if (op->shared_position && emu_handle_is(op->event, EMU_EVENT))
            atomic_store(&op->event->shared->reached, op->shared_position);
        return hipSuccess;
    }
    emu_stamp *stamp = calloc(1, sizeof *stamp); /* a graph node: complete as soon as it exists */
    if (!stamp) return emu_fail(hipErrorOutOfMemory, "no host memory for an event");
    stamp->references = 1;
    stamp->reached_ns = emu_now_ns();
    if (emu_handle_is(op->event, EMU_EVENT)) set_stamp(op->event, stamp);
    else stamp_release(stamp);
    return hipSuccess;
}

static void drop_event_op(emu_op *base) { stamp_release(((event_op *)base)->stamp); }

static bool clone_event_op(emu_op *base) {
    ((event_op *)base)->stamp = NULL;
    return true;
}

emu_op *emu_event_record_op(emu_event *event) {
    event_op *op = emu_op_new(sizeof *op, EMU_OP_EVENT_RECORD, run_record);
    if (!op) return NULL;
    op->event = event;
    op->op.drop = drop_event_op;
    op->op.clone = clone_event_op;
    return &op->op;
}

emu_op *emu_event_wait_op(emu_event *event) {
    event_op *op = emu_op_new(sizeof *op, EMU_OP_EVENT_WAIT, emu_run_nothing);
    if (!op) return NULL;
    op->event = event;
    op->op.drop = drop_event_op;
    op->op.clone = clone_event_op;
    return &op->op;
}

hipEvent_t emu_event_op_event(const emu_op *op) {
    return (hipEvent_t)((const event_op *)op)->event;
}
void emu_event_op_set(emu_op *op, emu_event *event) { ((event_op *)op)->event = event; }

hipError_t emu_event_create(hipEvent_t *event, unsigned flags, int file) {
    emu_event *made = calloc(1, sizeof *made);
    if (!made) return emu_fail(hipErrorOutOfMemory, "no host memory for an event");
    if ((flags & hipEventInterprocess) && !emu_event_share(made, file)) {
        free(made);
        return emu_fail(hipErrorOutOfMemory, "no memory to share an event");
    }
    made->flags = flags;
    made->device = emu_current();
    pthread_mutex_init(&made->lock, NULL);
    emu_handle_add(made, EMU_EVENT);
    *event = (hipEvent_t)made;
    return hipSuccess;
}

hipError_t emu_hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
    const unsigned known = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess |
                           hipEventReleaseToDevice | hipEventReleaseToSystem;
    if (!event || (flags & ~known))
        return emu_fail(hipErrorInvalidValue, "no event or unknown flags %#x", flags);
    if ((flags & hipEventInterprocess) && !(flags & hipEventDisableTiming))
        return emu_fail(hipErrorInvalidValue, "an interprocess event cannot have timing");
    return emu_event_create(event, flags, -1);
}

hipError_t emu_hipEventCreate(hipEvent_t *event) {
    return emu_hipEventCreateWithFlags(event, hipEventDefault);
}

hipError_t emu_hipEventDestroy(hipEvent_t handle) {
    emu_event *event = emu_event_of(handle);
    if (!event || !emu_handle_remove(handle, EMU_EVENT)) return hipErrorInvalidHandle;
    stamp_release(event->stamp);
    free(event->capture_nodes);
    emu_event_unshare(event);
    pthread_mutex_destroy(&event->lock);
    free(event);
    return hipSuccess;
}

static hipError_t record(hipEvent_t handle, hipStream_t on, bool external) {
    emu_event *event = emu_event_of(handle);
    emu_stream *stream = event ? emu_stream_of(on) : NULL;
    if (!stream) return hipErrorInvalidHandle;
    if (event->device != stream->device)
        return emu_fail(hipErrorInvalidHandle, "event and stream are of different devices");
    if (stream->capture) return emu_capture_event(stream, event, external);
    emu_op *base = emu_event_record_op(event);
    emu_stamp *stamp = calloc(1, sizeof *stamp);
    if (!base || !stamp) {
        free(base);
        free(stamp);
        return emu_fail(hipErrorOutOfMemory, "no host memory for an event");
    }
    ((event_op *)base)->stamp = stamp;
    if (event->shared)
        ((event_op *)base)->shared_position = atomic_fetch_add(&event->shared->asked, 1) + 1;
    stamp->references = 2; /* the operation's and the event's */
    stamp->stream = stream;
    pthread_mutex_lock(&emu_engine);
    emu_stream_retain(stream);
    pthread_mutex_unlock(&emu_engine);
    hipError_t error = emu_submit_at(stream, base, &stamp->position);
    if (error) stamp_release(stamp);
    else set_stamp(event, stamp);
    return error;
}

hipError_t emu_hipEventRecord(hipEvent_t event, hipStream_t stream) {
    return record(event, stream, false);
}

hipError_t emu_hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned int flags) {
    if (flags > 1)
        return emu_fail(hipErrorInvalidValue, "unknown flags %#x",
                        flags); /* 1: external, for captures */
    return record(event, stream, flags == 1);
}

static bool reached(emu_stamp *stamp) {
    if (!stamp || !stamp->stream) return true;
    pthread_mutex_lock(&emu_engine);
    bool done = stamp->stream->completed >= stamp->position;
    pthread_mutex_unlock(&emu_engine);
    return done;
}

/* What another process has asked for of an imported event. */
static bool shared_reached(const emu_event *event, uint64_t wanted) {
    return atomic_load(&event->shared->reached) >= wanted;
}

static hipError_t run_shared_wait(emu_op *base, emu_device *device) {
    event_op *op = (event_op *)base;
    struct timespec pause = {0, 20000};
    while (emu_handle_is(op->event, EMU_EVENT) && !shared_reached(op->event, op->shared_position)) {
        if (atomic_load(&device->fault)) break;
        nanosleep(&pause, NULL);
    }
    return hipSuccess;
}

hipError_t emu_hipEventQuery(hipEvent_t handle) {
    emu_event *event = emu_event_of(handle);
    if (!event) return hipErrorInvalidHandle;
    if (event->imported)
        return shared_reached(event, atomic_load(&event->shared->asked)) ? hipSuccess
                                                                         : hipErrorNotReady;
    if (event->capture)
        return emu_fail(hipErrorCapturedEvent, "the event was last recorded in a capture");
    emu_stamp *stamp = stamp_of(event);
    bool done = reached(stamp);
    stamp_release(stamp);
    return done ? hipSuccess : hipErrorNotReady;
}

hipError_t emu_hipEventSynchronize(hipEvent_t handle) {
    emu_event *event = emu_event_of(handle);
    if (!event) return hipErrorInvalidHandle;
    if (event->imported) {
        event_op wait = {.event = event, .shared_position = atomic_load(&event->shared->asked)};
        return run_shared_wait(&wait.op, emu_current());
    }
    if (event->capture)
        return emu_fail(hipErrorCapturedEvent, "the event was last recorded in a capture");
    emu_stamp *stamp = stamp_of(event);
    hipError_t error =
        stamp && stamp->stream ? emu_wait(stamp->stream, stamp->position) : hipSuccess;
    stamp_release(stamp);
    return error;
}

hipError_t emu_hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop) {
    emu_event *from = emu_event_of(start), *to = emu_event_of(stop);
    if (!from || !to) return hipErrorInvalidHandle;
    if (!ms) return emu_fail(hipErrorInvalidValue, "no result");
    if ((from->flags | to->flags) & hipEventDisableTiming)
        return emu_fail(hipErrorInvalidHandle, "the event was created without timing");
    emu_stamp *first = stamp_of(from), *second = stamp_of(to);
    hipError_t error = hipSuccess;
    if (!first || !second) error = emu_fail(hipErrorInvalidHandle, "the event was never recorded");
    else if (!reached(first) || !reached(second)) error = hipErrorNotReady;
    else *ms = (float)((double)(int64_t)(second->reached_ns - first->reached_ns) * 1e-6);
    stamp_release(first);
    stamp_release(second);
    return error;
}

hipError_t emu_hipStreamWaitEvent(hipStream_t handle, hipEvent_t which, unsigned int flags) {
    (void)flags;
    emu_stream *stream = emu_stream_of(handle);
    emu_event *event = stream ? emu_event_of(which) : NULL;
    if (!event) return hipErrorInvalidHandle;
    emu_op *op = emu_event_wait_op(event);
    if (!op) return emu_fail(hipErrorOutOfMemory, "no host memory for a wait");
    if (stream->capture || event->capture) return emu_capture_wait(stream, event, op);
    if (event->imported) {
        ((event_op *)op)->shared_position = atomic_load(&event->shared->asked);
        op->run = run_shared_wait;
        op->worker_only = true;
        return emu_submit(stream, op);
    }
    emu_stamp *stamp = stamp_of(event);
    bool noted = true;
    if (stamp && stamp->stream) {
        pthread_mutex_lock(&emu_engine);
        noted = emu_add_dep(op, stamp->stream, stamp->position);
        pthread_mutex_unlock(&emu_engine);
    }
    stamp_release(stamp);
    if (noted) return emu_submit(stream, op);
    emu_op_free(op);
    return emu_fail(hipErrorOutOfMemory, "no host memory for a wait");
}
