/* The engine behind streams: queues, their workers, waiting (hip_queue.h). */
#include "emulator/hip_queue.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

pthread_mutex_t emu_engine = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t emu_progress = PTHREAD_COND_INITIALIZER;
static unsigned long long next_stream_id = 1;

void *emu_op_new(size_t bytes, emu_op_kind kind, hipError_t (*run)(emu_op *, emu_device *)) {
    emu_op *op = calloc(1, bytes);
    if (!op) return NULL;
    op->kind = kind;
    op->bytes = (uint32_t)bytes;
    op->run = run;
    return op;
}

hipError_t emu_run_nothing(emu_op *op, emu_device *device) {
    (void)op;
    (void)device;
    return hipSuccess;
}

static void drop_deps(emu_op *op) {
    for (uint32_t i = 0; i < op->dep_count; i++) emu_stream_release(op->deps[i].stream);
    free(op->deps);
    op->deps = NULL;
    op->dep_count = 0;
}

void emu_op_free(emu_op *op) {
    if (!op) return;
    if (op->dep_count) {
        pthread_mutex_lock(&emu_engine);
        drop_deps(op);
        pthread_mutex_unlock(&emu_engine);
    }
    if (op->drop) op->drop(op);
    free(op);
}

emu_op *emu_op_clone(const emu_op *op) {
    emu_op *copy = malloc(op->bytes);
    if (!copy) return NULL;
    memcpy(copy, op, op->bytes);
    copy->next = NULL;
    copy->deps = NULL;
    copy->dep_count = 0;
    if (op->clone && !op->clone(copy)) {
        free(copy);
        return NULL;
    }
    return copy;
}

void emu_stream_retain(emu_stream *stream) { stream->references++; }

void emu_stream_release(emu_stream *stream) {
    if (--stream->references) return;
    pthread_cond_destroy(&stream->work);
    free(stream->tail_nodes);
    free(stream);
}

bool emu_add_dep(emu_op *op, emu_stream *stream, uint64_t position) {
    if (stream->completed >= position) return true;
    emu_dep *grown = realloc(op->deps, (op->dep_count + 1) * sizeof *grown);
    if (!grown) return false;
    op->deps = grown;
    op->deps[op->dep_count++] = (emu_dep){stream, position};
    emu_stream_retain(stream);
    return true;
}

/* Drops what has completed; true when nothing is left to wait for. */
static bool unblocked(emu_op *op) {
    while (op->dep_count) {
        emu_dep *last = &op->deps[op->dep_count - 1];
        if (last->stream->completed < last->position) return false;
        emu_stream_release(last->stream);
        op->dep_count--;
    }
    return true;
}

static bool runnable(emu_stream *stream) {
    return stream->head && !stream->running && unblocked(stream->head);
}

/* Runs the first op; engine lock held before and after, not during. */
static void run_head(emu_stream *stream) {
    emu_op *op = stream->head;
    emu_device *device = stream->device;
    stream->running = true;
    pthread_mutex_unlock(&emu_engine);
    if (op->on_fault || atomic_load(&device->fault) == hipSuccess) {
        emu_me.inside++;
        hipError_t error = op->run(op, device);
        emu_me.inside--;
        if (error) emu_device_fault(device, error, emu_me.reason);
    }
    pthread_mutex_lock(&emu_engine);
    stream->head = op->next;
    if (!stream->head) stream->tail = NULL;
    stream->completed++;
    stream->running = false;
    if (stream->head && stream->worker) pthread_cond_signal(&stream->work);
    pthread_cond_broadcast(&emu_progress);
    drop_deps(op);
    pthread_mutex_unlock(&emu_engine);
    emu_op_free(op);
    pthread_mutex_lock(&emu_engine);
}

static void unlink_stream(const emu_stream *stream) {
    for (emu_stream **link = &stream->device->streams; *link; link = &(*link)->sibling) {
        if (*link != stream) continue;
        *link = stream->sibling;
        break;
    }
}

static void *work(void *argument) {
    emu_stream *stream = argument;
    emu_me.device = stream->device->ordinal;
    pthread_setname_np(pthread_self(), "cass-stream"); /* another thread's goes through /proc */
    pthread_mutex_lock(&emu_engine);
    for (;;) {
        if (runnable(stream)) run_head(stream);
        else if (stream->head && !stream->running) pthread_cond_wait(&emu_progress, &emu_engine);
        else if (stream->closing && !stream->head) break;
        else pthread_cond_wait(&stream->work, &emu_engine);
    }
    stream->worker = false;
    unlink_stream(stream);
    emu_stream_release(stream);
    pthread_mutex_unlock(&emu_engine);
    return NULL;
}

/* Starts or wakes the worker; engine lock held. False: no thread could be had, the waiting host
 * runs the ops. */
static bool wake(emu_stream *stream) {
    if (stream->worker) {
        pthread_cond_signal(&stream->work);
        return true;
    }
    sigset_t every, before;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    pthread_t thread;
    int failed = pthread_create(&thread, NULL, work, stream);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) return false;
    pthread_detach(thread);
    stream->worker = true;
    emu_stream_retain(stream);
    return true;
}

/* The waits that the default stream's rules ask for (HIP and CUDA: the legacy stream and blocking
 * streams order each other, non-blocking streams stand apart). */
static bool order(emu_stream *stream, emu_op *op) {
    emu_device *device = stream->device;
    if (stream->legacy) {
        for (emu_stream *other = device->streams; other; other = other->sibling)
            if (!other->legacy && !(other->flags & hipStreamNonBlocking) &&
                !emu_add_dep(op, other, other->submitted))
                return false;
    } else if (!(stream->flags & hipStreamNonBlocking) && device->legacy) {
        return emu_add_dep(op, device->legacy, device->legacy->submitted);
    }
    return true;
}

static void append(emu_stream *stream, emu_op *op) {
    if (stream->tail) stream->tail->next = op;
    else stream->head = op;
    stream->tail = op;
    stream->submitted++;
}

static void wait_locked(emu_stream *stream, uint64_t position) {
    while (stream->completed < position) {
        bool wanted = stream->head && !stream->running && stream->head->worker_only;
        bool here = !wanted || !wake(stream); /* without a worker even a host function runs here */
        if (here && runnable(stream)) run_head(stream);
        else pthread_cond_wait(&emu_progress, &emu_engine);
    }
}

static hipError_t out_of_host_memory(emu_op *op) {
    pthread_mutex_unlock(&emu_engine);
    emu_op_free(op);
    return emu_fail(hipErrorOutOfMemory, "no host memory for a stream operation");
}

hipError_t emu_submit(emu_stream *stream, emu_op *op) {
    if (!op) return emu_fail(hipErrorOutOfMemory, "no host memory for a stream operation");
    if (stream->capture) return emu_capture_record(stream, op);
    hipError_t refused = emu_capture_legacy(stream);
    if (refused) {
        emu_op_free(op);
        return refused;
    }
    uint64_t position;
    return emu_submit_at(stream, op, &position);
}

/* A host that is far ahead waits, as it does in CUDA (there at about a thousand), so that a loop of
 * launches does not fill the memory. Not inside an op: it would wait for itself. */
static void hold_back(emu_stream *stream) {
    enum { DEEPEST = 16384 };
    if (stream->submitted - stream->completed < DEEPEST || emu_me.inside) return;
    emu_stream_retain(stream);
    wait_locked(stream, stream->submitted - DEEPEST / 2);
    emu_stream_release(stream);
}

hipError_t emu_submit_at(emu_stream *stream, emu_op *op, uint64_t *position) {
    pthread_mutex_lock(&emu_engine);
    hold_back(stream);
    if (!order(stream, op)) return out_of_host_memory(op);
    append(stream, op);
    *position = stream->submitted;
    if (!wake(stream)) wait_locked(stream, stream->submitted);
    pthread_mutex_unlock(&emu_engine);
    return hipSuccess;
}

hipError_t emu_submit_wait(emu_stream *stream, emu_op *op) {
    if (!op) return emu_fail(hipErrorOutOfMemory, "no host memory for a stream operation");
    hipError_t refused = emu_refuse_capture(stream);
    if (refused) {
        emu_op_free(op);
        return refused;
    }
    emu_device *device = stream->device;
    pthread_mutex_lock(&emu_engine);
    if (!order(stream, op)) return out_of_host_memory(op);
    emu_stream_retain(stream);
    append(stream, op);
    wait_locked(stream, stream->submitted);
    emu_stream_release(stream);
    pthread_mutex_unlock(&emu_engine);
    return (hipError_t)atomic_load(&device->fault);
}

hipError_t emu_wait(emu_stream *stream, uint64_t position) {
    emu_device *device = stream->device;
    pthread_mutex_lock(&emu_engine);
    emu_stream_retain(stream);
    wait_locked(stream, position);
    emu_stream_release(stream);
    pthread_mutex_unlock(&emu_engine);
    return (hipError_t)atomic_load(&device->fault);
}

/* Waits for everything submitted so far, stream by stream; a stream may go away while its neighbour
 * is waited for, so the search starts again after each. */
hipError_t emu_wait_device(emu_device *device) {
    pthread_mutex_lock(&emu_engine);
    for (bool again = true; again;) {
        again = false;
        for (emu_stream *stream = device->streams; stream && !again; stream = stream->sibling) {
            if (stream->completed >= stream->submitted) continue;
            emu_stream_retain(stream);
            wait_locked(stream, stream->submitted);
            emu_stream_release(stream);
            again = true;
        }
    }
    pthread_mutex_unlock(&emu_engine);
    return (hipError_t)atomic_load(&device->fault);
}

emu_stream *emu_stream_create(emu_device *device, unsigned flags, int priority) {
    emu_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    *stream = (emu_stream){.device = device, .flags = flags, .priority = priority, .references = 1};
    memset(stream->cu_mask, 0xff, sizeof stream->cu_mask);
    pthread_cond_init(&stream->work, NULL);
    pthread_mutex_lock(&emu_engine);
    stream->id = next_stream_id++;
    stream->sibling = device->streams;
    device->streams = stream;
    pthread_mutex_unlock(&emu_engine);
    return stream;
}

/* A stream stays in its device's list until its queue is empty, so that whoever waits for the
 * device waits for it. */
void emu_stream_retire(emu_stream *stream) {
    if (stream->capture) emu_capture_stream_gone(stream);
    pthread_mutex_lock(&emu_engine);
    stream->closing = true;
    if (stream->worker) {
        pthread_cond_signal(&stream->work);
    } else {
        wait_locked(stream, stream->submitted);
        unlink_stream(stream);
    }
    emu_stream_release(stream);
    pthread_mutex_unlock(&emu_engine);
}

static pthread_key_t own_key;
static pthread_once_t own_once = PTHREAD_ONCE_INIT;

static void retire_own(void *streams) {
    emu_stream **own = streams;
    for (int i = 0; i < EMU_MAX_DEVICES && !emu_after_fork(); i++)
        if (own[i]) emu_stream_retire(own[i]);
}

static void make_own_key(void) { pthread_key_create(&own_key, retire_own); }

/* The calling thread's own default stream, made at first use and retired with the thread. */
static emu_stream *own_stream(void) {
    emu_stream **own = &emu_me.own[emu_me.device];
    if (!*own) {
        pthread_once(&own_once, make_own_key);
        *own = emu_stream_create(emu_current(), hipStreamDefault, 0);
        pthread_setspecific(own_key, emu_me.own);
    }
    return *own;
}

static emu_stream *legacy_stream(void) {
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
    emu_device *device = emu_current();
    pthread_mutex_lock(&making);
    if (!device->legacy) {
        emu_stream *made = emu_stream_create(device, hipStreamDefault, 0);
        if (made) made->legacy = true;
        pthread_mutex_lock(&emu_engine);
        device->legacy = made;
        pthread_mutex_unlock(&emu_engine);
    }
    emu_stream *stream = device->legacy;
    pthread_mutex_unlock(&making);
    return stream;
}

emu_stream *emu_stream_of(hipStream_t handle) {
    if (handle == hipStreamPerThread || (!handle && emu_me.per_thread_default)) return own_stream();
    if (!handle || handle == hipStreamLegacy) return legacy_stream();
    if (emu_handle_is(handle, EMU_STREAM)) return (emu_stream *)handle;
    emu_fail(hipErrorInvalidHandle, "not a live stream: %p", (void *)handle);
    return NULL;
}

hipError_t emu_refuse_capture(emu_stream *stream) {
    if (!stream->capture) return emu_capture_legacy(stream);
    return emu_fail(hipErrorStreamCaptureUnsupported,
                    "not allowed while the stream is being captured");
}
