/* Capturing streams into graphs.
 *
 * A capture starts on one stream and spreads to others by waiting for events that it recorded;
 * every captured operation comes after the nodes in its stream's tail. One lock guards all
 * captures. */
#include "emulator/hip_calls.h"
#include "emulator/hip_graph.h"

#include <stdlib.h>
#include <string.h>

struct emu_capture {
    uint64_t id;
    emu_graph *graph;
    bool into_existing; /* hipStreamBeginCaptureToGraph: the graph is the caller's */
    hipStreamCaptureMode mode;
    emu_stream *origin;
    pthread_t thread;
    bool invalid;
    emu_stream **streams;
    size_t stream_count;
    emu_capture *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static emu_capture *active;
static _Atomic unsigned active_count;
static uint64_t next_id = 1;

static emu_capture *by_id(uint64_t id) {
    emu_capture *one = active;
    while (one && one->id != id) one = one->next;
    return one;
}

static bool set_tail(emu_stream *stream, emu_node *const *nodes, size_t count) {
    emu_node **copy = malloc((count + 1) * sizeof(emu_node *));
    if (!copy) return false;
    if (count) memcpy(copy, nodes, count * sizeof(emu_node *));
    free(stream->tail_nodes);
    stream->tail_nodes = copy;
    stream->tail_count = count;
    return true;
}

static bool add_tail(emu_stream *stream, emu_node *const *nodes, size_t count) {
    emu_node **grown =
        realloc(stream->tail_nodes, (stream->tail_count + count + 1) * sizeof(emu_node *));
    if (!grown) return false;
    stream->tail_nodes = grown;
    for (size_t i = 0; i < count; i++) {
        bool there = false;
        for (size_t t = 0; t < stream->tail_count; t++) there |= grown[t] == nodes[i];
        if (!there) grown[stream->tail_count++] = nodes[i];
    }
    return true;
}

static bool join(emu_capture *capture, emu_stream *stream) {
    emu_stream **grown =
        realloc(capture->streams, (capture->stream_count + 1) * sizeof(emu_stream *));
    if (!grown) return false;
    capture->streams = grown;
    grown[capture->stream_count++] = stream;
    stream->capture = capture;
    return true;
}

/* Frees every stream from the capture and forgets it; the graph stays. */
static void dissolve(emu_capture *capture) {
    for (size_t i = 0; i < capture->stream_count; i++) {
        capture->streams[i]->capture = NULL;
        capture->streams[i]->tail_count = 0;
    }
    for (emu_capture **link = &active; *link; link = &(*link)->next)
        if (*link == capture) {
            *link = capture->next;
            break;
        }
    atomic_fetch_sub(&active_count, 1);
    free(capture->streams);
    free(capture);
}

static hipError_t invalidated(void) {
    return emu_fail(hipErrorStreamCaptureInvalidated,
                    "an earlier call has invalidated the capture");
}

hipError_t emu_capture_record(emu_stream *stream, emu_op *op) {
    hipError_t error = hipSuccess;
    pthread_mutex_lock(&lock);
    emu_capture *capture = stream->capture;
    if (!capture || capture->invalid) {
        emu_op_free(op);
        error = invalidated();
    } else {
        emu_node *node = emu_graph_add(capture->graph, op, stream->tail_nodes, stream->tail_count);
        if (!node || !set_tail(stream, &node, 1)) {
            capture->invalid = true;
            error = hipErrorOutOfMemory;
        }
    }
    pthread_mutex_unlock(&lock);
    return error;
}

hipError_t emu_capture_event(emu_stream *stream, emu_event *event, bool external) {
    if (external) return emu_capture_record(stream, emu_event_record_op(event));
    hipError_t error = hipSuccess;
    pthread_mutex_lock(&lock);
    emu_capture *capture = stream->capture;
    emu_node **nodes = malloc((stream->tail_count + 1) * sizeof(emu_node *));
    if (!capture || capture->invalid || !nodes) {
        free(nodes);
        error = invalidated();
    } else {
        if (stream->tail_count)
            memcpy(nodes, stream->tail_nodes, stream->tail_count * sizeof(emu_node *));
        pthread_mutex_lock(&event->lock);
        free(event->capture_nodes);
        event->capture = capture->id;
        event->capture_nodes = nodes;
        event->capture_count = stream->tail_count;
        pthread_mutex_unlock(&event->lock);
    }
    pthread_mutex_unlock(&lock);
    return error;
}

static hipError_t wait_captured(emu_stream *stream, emu_event *event) {
    emu_capture *capture = by_id(event->capture), *mine = stream->capture;
    if (!event->capture) {
        if (mine) mine->invalid = true;
        return emu_fail(hipErrorStreamCaptureIsolation,
                        "a captured stream waits for an event from outside the capture");
    }
    if (!capture)
        return emu_fail(hipErrorCapturedEvent,
                        "the event was last recorded in a capture that has ended");
    if (capture->invalid) return invalidated();
    if (mine && mine != capture) {
        mine->invalid = capture->invalid = true;
        return emu_fail(hipErrorStreamCaptureMerge, "the wait would join two captures");
    }
    if (stream->legacy)
        return emu_fail(hipErrorStreamCaptureImplicit, "the legacy stream cannot be captured");
    bool good = (mine || join(capture, stream)) &&
                add_tail(stream, event->capture_nodes, event->capture_count);
    return good ? hipSuccess : emu_fail(hipErrorOutOfMemory, "no host memory for a capture");
}

hipError_t emu_capture_wait(emu_stream *stream, emu_event *event, emu_op *op) {
    emu_op_free(op); /* in a capture a wait is an edge, not a node */
    pthread_mutex_lock(&lock);
    hipError_t error = wait_captured(stream, event);
    pthread_mutex_unlock(&lock);
    return error;
}

hipError_t emu_capture_legacy(emu_stream *stream) {
    if (!stream->legacy || atomic_load(&active_count) == 0) return hipSuccess;
    hipError_t error = hipSuccess;
    pthread_mutex_lock(&lock);
    for (emu_capture *one = active; one; one = one->next) {
        if (one->origin->device != stream->device || (one->origin->flags & hipStreamNonBlocking))
            continue;
        one->invalid = true;
        error = emu_fail(hipErrorStreamCaptureImplicit,
                         "the legacy stream would have to wait for a capturing stream");
    }
    pthread_mutex_unlock(&lock);
    return error;
}

void emu_capture_stream_gone(emu_stream *stream) {
    pthread_mutex_lock(&lock);
    emu_capture *capture = stream->capture;
    if (capture && capture->origin == stream) {
        if (!capture->into_existing) emu_graph_free(capture->graph);
        dissolve(capture);
    } else if (capture) {
        capture->invalid = true;
        for (size_t i = 0; i < capture->stream_count; i++)
            if (capture->streams[i] == stream)
                capture->streams[i] = capture->streams[--capture->stream_count];
        stream->capture = NULL;
    }
    pthread_mutex_unlock(&lock);
}

/* CUDA's rules: a global capture forbids unsafe calls everywhere, a thread-local one in its own
 * thread; a thread in relaxed mode may make them. */
hipError_t emu_unsafe_while_capturing(const char *call) {
    if (atomic_load(&active_count) == 0 || emu_me.capture_mode == hipStreamCaptureModeRelaxed)
        return hipSuccess;
    hipError_t error = hipSuccess;
    pthread_mutex_lock(&lock);
    for (emu_capture *one = active; one; one = one->next) {
        bool own = pthread_equal(one->thread, pthread_self());
        bool forbids = one->mode == hipStreamCaptureModeGlobal
                           ? own || emu_me.capture_mode == hipStreamCaptureModeGlobal
                           : one->mode == hipStreamCaptureModeThreadLocal && own;
        if (!forbids) continue;
        one->invalid = true;
        error = emu_fail(hipErrorStreamCaptureUnsupported,
                         "%s is not allowed while a stream is captured", call);
    }
    pthread_mutex_unlock(&lock);
    return error;
}

static hipError_t begin(hipStream_t handle, emu_graph *graph, bool existing,
                        hipStreamCaptureMode mode, emu_node *const *dependencies, size_t count) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (stream->legacy)
        return emu_fail(hipErrorStreamCaptureUnsupported, "the legacy stream cannot be captured");
    if ((int)mode < 0 || mode > hipStreamCaptureModeRelaxed)
        return emu_fail(hipErrorInvalidValue, "capture mode %d", (int)mode);
    if (stream->capture)
        return emu_fail(hipErrorIllegalState, "the stream is being captured already");
    emu_capture *capture = graph ? calloc(1, sizeof *capture) : NULL;
    if (!capture) return emu_fail(hipErrorOutOfMemory, "no host memory for a capture");
    *capture = (emu_capture){.graph = graph,
                             .into_existing = existing,
                             .mode = mode,
                             .origin = stream,
                             .thread = pthread_self()};
    pthread_mutex_lock(&lock);
    capture->id = next_id++;
    bool good = set_tail(stream, dependencies, count) && join(capture, stream);
    if (good) {
        capture->next = active;
        active = capture;
        atomic_fetch_add(&active_count, 1);
    }
    pthread_mutex_unlock(&lock);
    if (good) return hipSuccess;
    free(capture);
    return emu_fail(hipErrorOutOfMemory, "no host memory for a capture");
}

hipError_t emu_hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
    emu_graph *graph = emu_graph_create();
    hipError_t error = begin(stream, graph, false, mode, NULL, 0);
    if (error && graph) emu_graph_free(graph);
    return error;
}

hipError_t emu_hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t handle,
                                            const hipGraphNode_t *dependencies,
                                            const hipGraphEdgeData *dependencyData,
                                            size_t numDependencies, hipStreamCaptureMode mode) {
    emu_graph *graph = emu_graph_of(handle);
    if (!graph || (numDependencies && !dependencies) || dependencyData)
        return emu_fail(hipErrorInvalidValue, "no graph, no dependencies, or edge data");
    for (size_t i = 0; i < numDependencies; i++) {
        emu_node *node = emu_node_of(dependencies[i]);
        if (!node || node->graph != graph)
            return emu_fail(hipErrorInvalidValue, "dependency %zu is no node of the graph", i);
    }
    return begin(stream, graph, true, mode, (emu_node *const *)(const void *)dependencies,
                 numDependencies);
}

/* Marks what lies before `tail`, that included. A node's dependencies were added before it, so one
 * pass from the newest to the oldest sees every path. */
static void mark_reached(const emu_graph *graph, emu_node *const *tail, size_t count) {
    for (size_t i = 0; i < graph->count; i++) graph->nodes[i]->reached = false;
    for (size_t i = 0; i < count; i++) tail[i]->reached = true;
    for (size_t i = graph->count; i-- > 0;)
        for (size_t d = 0; d < graph->nodes[i]->dependency_count && graph->nodes[i]->reached; d++)
            graph->nodes[i]->dependencies[d]->reached = true;
}

/* Whether every node that a joined stream ends with comes before the origin's tail. */
static bool all_joined(const emu_capture *capture) {
    mark_reached(capture->graph, capture->origin->tail_nodes, capture->origin->tail_count);
    for (size_t i = 0; i < capture->stream_count; i++) {
        const emu_stream *other = capture->streams[i];
        for (size_t t = 0; t < other->tail_count; t++)
            if (!other->tail_nodes[t]->reached) return false;
    }
    return true;
}

hipError_t emu_hipStreamEndCapture(hipStream_t handle, hipGraph_t *pGraph) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (!pGraph) return emu_fail(hipErrorInvalidValue, "no graph");
    *pGraph = NULL;
    pthread_mutex_lock(&lock);
    emu_capture *capture = stream->capture;
    hipError_t error = hipSuccess;
    if (!capture) error = emu_fail(hipErrorIllegalState, "the stream is not being captured");
    else if (capture->origin != stream)
        error =
            emu_fail(hipErrorStreamCaptureUnmatched, "the capture was not started on this stream");
    else if (capture->mode != hipStreamCaptureModeRelaxed &&
             !pthread_equal(capture->thread, pthread_self()))
        error =
            emu_fail(hipErrorStreamCaptureWrongThread, "the capture was started by another thread");
    else {
        if (capture->invalid) error = invalidated();
        else if (!all_joined(capture))
            error = emu_fail(hipErrorStreamCaptureUnjoined,
                             "a stream that joined the capture was not joined back");
        if (!error) *pGraph = (hipGraph_t)(void *)capture->graph;
        else if (!capture->into_existing) emu_graph_free(capture->graph);
        dissolve(capture);
    }
    pthread_mutex_unlock(&lock);
    return error;
}

static hipStreamCaptureStatus status_of(const emu_capture *capture) {
    if (!capture) return hipStreamCaptureStatusNone;
    return capture->invalid ? hipStreamCaptureStatusInvalidated : hipStreamCaptureStatusActive;
}

hipError_t emu_hipStreamIsCapturing(hipStream_t handle, hipStreamCaptureStatus *pCaptureStatus) {
    return emu_hipStreamGetCaptureInfo_v2(handle, pCaptureStatus, NULL, NULL, NULL, NULL);
}

hipError_t emu_hipStreamGetCaptureInfo(hipStream_t handle, hipStreamCaptureStatus *pCaptureStatus,
                                       unsigned long long *pId) {
    return emu_hipStreamGetCaptureInfo_v2(handle, pCaptureStatus, pId, NULL, NULL, NULL);
}

hipError_t emu_hipStreamGetCaptureInfo_v2(hipStream_t handle,
                                          hipStreamCaptureStatus *captureStatus_out,
                                          unsigned long long *id_out, hipGraph_t *graph_out,
                                          const hipGraphNode_t **dependencies_out,
                                          size_t *numDependencies_out) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (!captureStatus_out) return emu_fail(hipErrorInvalidValue, "no status");
    pthread_mutex_lock(&lock);
    const emu_capture *capture = stream->capture;
    *captureStatus_out = status_of(capture);
    if (capture && id_out) *id_out = capture->id;
    if (capture && graph_out) *graph_out = (hipGraph_t)(void *)capture->graph;
    if (capture && dependencies_out)
        *dependencies_out = (const hipGraphNode_t *)(const void *)stream->tail_nodes;
    if (capture && numDependencies_out) *numDependencies_out = stream->tail_count;
    pthread_mutex_unlock(&lock);
    return hipSuccess;
}

hipError_t emu_hipStreamUpdateCaptureDependencies(hipStream_t handle, hipGraphNode_t *dependencies,
                                                  size_t numDependencies, unsigned int flags) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    if ((numDependencies && !dependencies) || flags > hipStreamSetCaptureDependencies)
        return emu_fail(hipErrorInvalidValue, "no nodes, or flags %#x", flags);
    pthread_mutex_lock(&lock);
    emu_capture *capture = stream->capture;
    hipError_t error =
        capture ? hipSuccess : emu_fail(hipErrorIllegalState, "the stream is not being captured");
    for (size_t i = 0; i < numDependencies && !error; i++) {
        emu_node *node = emu_node_of(dependencies[i]);
        if (!node || node->graph != capture->graph)
            error = emu_fail(hipErrorInvalidValue, "dependency %zu is no node of the capture", i);
    }
    emu_node *const *nodes = (emu_node *const *)(void *)dependencies;
    if (!error) {
        bool good = flags == hipStreamSetCaptureDependencies
                        ? set_tail(stream, nodes, numDependencies)
                        : add_tail(stream, nodes, numDependencies);
        if (!good) error = emu_fail(hipErrorOutOfMemory, "no host memory for a capture");
    }
    pthread_mutex_unlock(&lock);
    return error;
}

hipError_t emu_hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode) {
    if (!mode || (int)*mode < 0 || *mode > hipStreamCaptureModeRelaxed)
        return emu_fail(hipErrorInvalidValue, "no mode");
    hipStreamCaptureMode before = emu_me.capture_mode;
    emu_me.capture_mode = *mode;
    *mode = before;
    return hipSuccess;
}
