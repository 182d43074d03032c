/* Stream capture, as the bodies see it: calls on a capturing stream become nodes instead of work.
 */
#ifndef CASS_CAPTURE_H
#define CASS_CAPTURE_H

#include "driver/graph.h"
#include "driver/recapture.h"

typedef struct cass_capture cass_capture;

extern _Atomic int cass_captures; /* streams that capture, in the whole process */

cass_capture *cass_capture_of(hipStream_t stream);

/* The capture of this stream, or NULL: one load while nothing captures. */
static inline cass_capture *cass_capturing(hipStream_t stream) {
    if (!atomic_load_explicit(&cass_captures, memory_order_relaxed)) return NULL;
    return cass_capture_of(stream);
}

/* Capture modes are cudaStreamCaptureMode. graph: capture into this one, after `before`; NULL: into
 * a new one. */
int cass_capture_begin(hipStream_t stream, int mode, cass_graph *graph, cass_node *const *before,
                       size_t count);
/* Into a graph that is there, node by node; of `again` the callback counts. */
int cass_capture_again(hipStream_t stream, int mode, cass_graph *graph, cass_recapture again);
/* 918 where nodes of a graph that is captured again are missing. */
int cass_capture_end(hipStream_t stream, cass_graph **graph);

typedef struct {
    int status; /* cudaStreamCaptureStatus */
    uint64_t id;
    cass_graph *graph;
    cass_node *const
        *nodes; /* what the next node will depend on; valid until the next call on the stream */
    size_t count;
} cass_capture_info;

int cass_capture_status(hipStream_t stream, cass_capture_info *out);
/* flags 0: add to the dependencies, 1: replace them. */
int cass_capture_update(hipStream_t stream, cass_node *const *nodes, size_t count, unsigned flags);
/* Swaps the thread's mode: the one before. CUDA takes any number (recorded). */
int cass_capture_exchange(int mode);

/* Adds a node and takes over what `work` owns, also when it fails (901 invalidated, 906 legacy
 * stream). */
int cass_capture_append(cass_capture *capture, cass_work *work);

/* A node could not be made. For want of memory the capture is invalid from now on: programs seldom
 * look at what a launch answers, and a graph without it would run. Returns `result`. */
int cass_capture_lost(cass_capture *capture, int result);

/* Each adds a node after what the stream has captured so far. */
int cass_capture_graph(cass_capture *capture, const cass_graph *graph);
int cass_capture_kernel(cass_device *device, cass_kernel *kernel, const cass_launch *launch);
int cass_capture_copy(cass_capture *capture, const cass_copy *copy);
int cass_capture_fill(cass_capture *capture, const cass_fill *fill);
/* Whether a graph is captured again: then the memory of the node that is next, NULL where that is
 * no allocation of so many bytes. */
int cass_capture_memory(cass_capture *capture, void **pointer, size_t bytes);
int cass_capture_malloc(cass_capture *capture, void **pointer, size_t bytes);
int cass_capture_free(cass_capture *capture, void *pointer);
int cass_capture_host(cass_capture *capture, hipHostFn_t function, void *user);

/* Records an event inside a capture; waits for one: *taken when the wait became part of a capture
 * (or joined this stream to one). An event that a capture recorded has no meaning outside it. */
int cass_capture_record(cass_capture *capture, hipEvent_t event, unsigned flags);
int cass_capture_wait(hipStream_t stream, hipEvent_t event, unsigned flags, int *taken);
void cass_capture_forget_event(hipEvent_t event);
int cass_capture_holds_event(hipEvent_t event);

/* A call that a capturing stream cannot take: invalidates the capture and returns `code`. */
int cass_capture_break(hipStream_t stream, int code);

/* The stream is being destroyed. */
void cass_capture_abandon(hipStream_t stream);

/* For calls that may not happen while a capture runs (allocation, synchronous copies): invalidates
 * the captures this thread's call collides with and returns 900; 0 when there is none. */
int cass_capture_collides(void);
static inline int cass_capture_forbids(void) {
    if (!atomic_load_explicit(&cass_captures, memory_order_relaxed)) return OK;
    return cass_capture_collides();
}

#endif
