/* Stream capture: see capture.h. Everything here is under one lock; nothing is called while nothing
 * captures. */
#include "driver/capture.h"

#include <stdlib.h>

#include "driver/nodes.h"
#include "driver/stream.h"

enum { GLOBAL = 0, THREAD_LOCAL = 1, RELAXED = 2, STATUS_ACTIVE = 1, STATUS_INVALIDATED = 2 };

typedef struct { /* one capture: the streams that take part share it */
    cass_graph *graph;
    int mode, invalid, borrowed;
    pthread_t owner;
    uint64_t id;
    hipStream_t origin;
    cass_recapture again; /* not active: nodes are added */
} group;

struct cass_capture { /* one stream of a capture */
    hipStream_t stream;
    group *of;
    cass_nodes tail;
    cass_capture *next;
};

typedef struct recorded { /* an event recorded inside a capture */
    hipEvent_t event;
    group *of;
    cass_nodes nodes;
    struct recorded *next;
} recorded;

_Atomic int cass_captures;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cass_capture *captures;
static recorded *events;
static uint64_t next_id = 1;
static cass_capture implicit; /* the legacy stream while a stream that waits for it captures */
static _Thread_local int thread_mode;

/* The caller holds the lock. */
static cass_capture *find(hipStream_t stream) {
    cass_capture *at = captures;
    while (at && at->stream != stream) at = at->next;
    return at;
}

static recorded *find_event(hipEvent_t event) {
    recorded *at = events;
    while (at && at->event != event) at = at->next;
    return at;
}

static int blocking_captures(void) {
    cass_stream_info info;
    for (cass_capture *at = captures; at; at = at->next)
        if (!cass_stream_get(at->stream, &info) && !(info.flags & CASS_STREAM_NON_BLOCKING))
            return 1;
    return 0;
}

cass_capture *cass_capture_of(hipStream_t stream) {
    pthread_mutex_lock(&lock);
    cass_capture *found = find(stream);
    if (!found && (!stream || stream == HIP_STREAM_LEGACY) && blocking_captures())
        found = &implicit;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Whether a node may be added; the code otherwise. */
static int ready(cass_capture *capture) {
    if (capture == &implicit) {
        for (cass_capture *at = captures; at; at = at->next) at->of->invalid = 1;
        return CAPTURE_IMPLICIT;
    }
    return capture->of->invalid ? CAPTURE_INVALIDATED : OK;
}

/* The work becomes the graph's next node once more. The caller holds the lock, which is let go
 * meanwhile: the program's callback may call anything. */
static int recapture(cass_capture *capture, cass_work *work, cass_node **node) {
    group *of = capture->of;
    int result =
        cass_recapture_node(&of->again, capture->tail.nodes, capture->tail.count, work, node);
    if (result) {
        cass_work_free(work);
    } else {
        cass_recapture again = of->again;
        pthread_mutex_unlock(&lock);
        result = cass_recapture_set(&again, *node, work);
        pthread_mutex_lock(&lock);
    }
    if (result) of->invalid = 1;
    return result;
}

int cass_capture_append(cass_capture *capture, cass_work *work) {
    cass_node *node;
    pthread_mutex_lock(&lock);
    int result = ready(capture);
    if (result) cass_work_free(work);
    else if (capture->of->again.active) result = recapture(capture, work, &node);
    else
        result = cass_graph_add(capture->of->graph, capture->tail.nodes, capture->tail.count, work,
                                &node);
    if (!result) result = cass_nodes_set(&capture->tail, &node, 1);
    pthread_mutex_unlock(&lock);
    return result ? cass_capture_lost(capture, result) : OK;
}

int cass_capture_lost(cass_capture *capture, int result) {
    pthread_mutex_lock(&lock);
    if (result == OUT_OF_MEMORY && capture->of) capture->of->invalid = 1;
    pthread_mutex_unlock(&lock);
    return result;
}

static int join(hipStream_t stream, group *of, cass_node *const *nodes, size_t count) {
    cass_capture *made = calloc(1, sizeof *made);
    if (!made || cass_nodes_set(&made->tail, nodes, count)) {
        free(made);
        return OUT_OF_MEMORY;
    }
    made->stream = stream;
    made->of = of;
    made->next = captures;
    captures = made;
    atomic_fetch_add(&cass_captures, 1);
    return OK;
}

/* again: NULL, or what is to be done into `graph`. */
static int begin(hipStream_t stream, int mode, cass_graph *graph, cass_node *const *before,
                 size_t count, const cass_recapture *again) {
    cass_stream_info info;
    if (mode < GLOBAL || mode > RELAXED) return INVALID_VALUE;
    if (!stream || stream == HIP_STREAM_LEGACY) return CAPTURE_UNSUPPORTED;
    int result = cass_stream_get(stream, &info);
    if (result) return result;
    group *made = calloc(1, sizeof *made);
    if (!made || !(made->graph = graph ? graph : cass_graph_create())) {
        free(made);
        return OUT_OF_MEMORY;
    }
    made->mode = mode, made->owner = pthread_self(), made->origin = stream,
    made->borrowed = graph != NULL;
    if (again) made->again = *again;
    pthread_mutex_lock(&lock);
    made->id = next_id++;
    result = find(stream) ? ILLEGAL_STATE : join(stream, made, before, count);
    pthread_mutex_unlock(&lock);
    if (result) {
        if (!graph) cass_graph_destroy(made->graph);
        free(made);
    }
    return result;
}

int cass_capture_begin(hipStream_t stream, int mode, cass_graph *graph, cass_node *const *before,
                       size_t count) {
    return begin(stream, mode, graph, before, count, NULL);
}

int cass_capture_again(hipStream_t stream, int mode, cass_graph *graph, cass_recapture again) {
    if (!graph) return INVALID_VALUE;
    again.active = 1;
    again.next = graph->first;
    int result = begin(stream, mode, graph, NULL, 0, &again);
    if (!result) cass_graph_release_kept(graph); /* as documented */
    return result;
}

int cass_capture_memory(cass_capture *capture, void **pointer, size_t bytes) {
    pthread_mutex_lock(&lock);
    int again = capture->of && capture->of->again.active; /* the implicit one has no group */
    if (again) *pointer = cass_recapture_memory(&capture->of->again, bytes);
    pthread_mutex_unlock(&lock);
    return again;
}

/* 904 where work of a stream that joined is missing from what the first stream waits for. */
static int check_joined(const cass_capture *first) {
    int result = cass_mark_before(first->of->graph, &first->tail);
    for (cass_capture *at = captures; at; at = at->next)
        for (size_t i = 0; !result && at->of == first->of && i < at->tail.count; i++)
            if (!at->tail.nodes[i]->mark) result = CAPTURE_UNJOINED;
    return result;
}

/* Drops a capture's streams and events. The caller holds the lock. */
static void dissolve(group *of) {
    for (cass_capture **link = &captures; *link;) {
        cass_capture *at = *link;
        if (at->of != of) {
            link = &at->next;
            continue;
        }
        *link = at->next;
        free(at->tail.nodes);
        free(at);
        atomic_fetch_sub(&cass_captures, 1);
    }
    for (recorded **link = &events; *link;) {
        recorded *at = *link;
        if (at->of != of) {
            link = &at->next;
            continue;
        }
        *link = at->next;
        free(at->nodes.nodes);
        free(at);
    }
    free(of);
}

int cass_capture_end(hipStream_t stream, cass_graph **graph) {
    pthread_mutex_lock(&lock);
    cass_capture *first = find(stream);
    int result = OK;
    if (graph) *graph = NULL;
    if (!first) result = ILLEGAL_STATE; /* recorded: 401 */
    else if (first->of->origin != stream) result = CAPTURE_UNMATCHED;
    else if (first->of->mode != RELAXED && !pthread_equal(first->of->owner, pthread_self()))
        result = CAPTURE_WRONG_THREAD;
    if (result) {
        if (result == CAPTURE_UNMATCHED) first->of->invalid = 1; /* recorded */
        pthread_mutex_unlock(&lock);
        return result;
    }
    group *of = first->of;
    result = of->invalid ? CAPTURE_INVALIDATED : check_joined(first);
    if (!result && of->again.next) result = GRAPH_RECAPTURE_FAILURE; /* nodes are missing */
    if (!result && graph) *graph = of->graph;
    else if (!of->borrowed) cass_graph_destroy(of->graph); /* nobody has it */
    dissolve(of);
    pthread_mutex_unlock(&lock);
    return result;
}

int cass_capture_status(hipStream_t stream, cass_capture_info *out) {
    *out = (cass_capture_info){0};
    if (!atomic_load(&cass_captures)) return OK;
    pthread_mutex_lock(&lock);
    cass_capture *at = find(stream);
    int implied = !at && (!stream || stream == HIP_STREAM_LEGACY) && blocking_captures();
    if (at) {
        out->status = at->of->invalid ? STATUS_INVALIDATED : STATUS_ACTIVE;
        out->id = at->of->id;
        out->graph = at->of->graph;
        out->nodes = at->tail.nodes;
        out->count = at->tail.count;
    }
    pthread_mutex_unlock(&lock);
    return implied ? CAPTURE_IMPLICIT : OK;
}

int cass_capture_update(hipStream_t stream, cass_node *const *nodes, size_t count, unsigned flags) {
    if (flags > 1 || (count && !nodes)) return INVALID_VALUE;
    pthread_mutex_lock(&lock);
    cass_capture *at = find(stream);
    int result = at ? ready(at) : ILLEGAL_STATE;
    for (size_t i = 0; !result && i < count; i++)
        if (!cass_node_of(nodes[i]) || nodes[i]->graph != at->of->graph) result = INVALID_VALUE;
    if (!result) result = (flags ? cass_nodes_set : cass_nodes_add)(&at->tail, nodes, count);
    pthread_mutex_unlock(&lock);
    return result;
}

int cass_capture_exchange(int mode) {
    int before = thread_mode;
    thread_mode = mode;
    return before;
}

int cass_capture_record(cass_capture *capture, hipEvent_t event, unsigned flags) {
    if (flags) { /* external: a node of its own */
        cass_work work = {.type = CASS_NODE_RECORD_EVENT, .event = event};
        return cass_capture_append(capture, &work);
    }
    pthread_mutex_lock(&lock);
    int result = ready(capture);
    recorded *at = find_event(event);
    if (!result && !at) {
        at = calloc(1, sizeof *at);
        if (at) at->event = event, at->next = events, events = at;
        else result = OUT_OF_MEMORY;
    }
    if (!result) at->of = capture->of;
    if (!result) result = cass_nodes_set(&at->nodes, capture->tail.nodes, capture->tail.count);
    pthread_mutex_unlock(&lock);
    return result;
}

/* An event of the same capture joins its nodes to the stream's; one from outside cannot become an
 * edge. */
static int wait_inside(cass_capture *at, hipStream_t stream, recorded *seen) {
    if (!at) return seen ? join(stream, seen->of, seen->nodes.nodes, seen->nodes.count) : OK;
    int result = ready(at);
    if (!result && !seen) result = CAPTURE_ISOLATION;
    if (!result && seen->of != at->of) result = CAPTURE_MERGE;
    if (!result) return cass_nodes_add(&at->tail, seen->nodes.nodes, seen->nodes.count);
    at->of->invalid = 1;
    return result;
}

int cass_capture_wait(hipStream_t stream, hipEvent_t event, unsigned flags, int *taken) {
    *taken = 0;
    if (!atomic_load_explicit(&cass_captures, memory_order_relaxed)) return OK;
    cass_capture *capture = cass_capture_of(stream);
    if (capture && flags) {
        cass_work work = {.type = CASS_NODE_WAIT_EVENT, .event = event};
        *taken = 1;
        return cass_capture_append(capture, &work);
    }
    pthread_mutex_lock(&lock);
    recorded *seen = find_event(event);
    cass_capture *at = find(stream);
    *taken = at || seen;
    int legacy = seen && (!stream || stream == HIP_STREAM_LEGACY);
    int result = legacy ? CAPTURE_IMPLICIT : wait_inside(at, stream, seen);
    pthread_mutex_unlock(&lock);
    return result;
}

void cass_capture_forget_event(hipEvent_t event) {
    if (!atomic_load_explicit(&cass_captures, memory_order_relaxed)) return;
    pthread_mutex_lock(&lock);
    for (recorded **link = &events; *link; link = &(*link)->next)
        if ((*link)->event == event) {
            recorded *gone = *link;
            *link = gone->next;
            free(gone->nodes.nodes);
            free(gone);
            break;
        }
    pthread_mutex_unlock(&lock);
}

int cass_capture_holds_event(hipEvent_t event) {
    if (!atomic_load_explicit(&cass_captures, memory_order_relaxed)) return 0;
    pthread_mutex_lock(&lock);
    recorded *seen = find_event(event);
    if (seen) seen->of->invalid = 1;
    pthread_mutex_unlock(&lock);
    return seen != NULL;
}

int cass_capture_break(hipStream_t stream, int code) {
    pthread_mutex_lock(&lock);
    cass_capture *at = find(stream);
    if (at) at->of->invalid = 1;
    else code = CAPTURE_IMPLICIT;
    for (cass_capture *other = captures; !at && other; other = other->next) other->of->invalid = 1;
    pthread_mutex_unlock(&lock);
    return code;
}

void cass_capture_abandon(hipStream_t stream) {
    pthread_mutex_lock(&lock);
    for (cass_capture **link = &captures; *link; link = &(*link)->next) {
        cass_capture *at = *link;
        if (at->stream != stream) continue;
        group *of = at->of;
        of->invalid = 1;
        if (of->origin == stream) {
            if (!of->borrowed) cass_graph_destroy(of->graph);
            dissolve(of);
        } else {
            *link = at->next;
            free(at->tail.nodes);
            free(at);
            atomic_fetch_sub(&cass_captures, 1);
        }
        break;
    }
    pthread_mutex_unlock(&lock);
}

int cass_capture_collides(void) {
    int hit = 0;
    if (thread_mode == RELAXED) return OK;
    pthread_mutex_lock(&lock);
    for (cass_capture *at = captures; at; at = at->next) {
        int own = pthread_equal(at->of->owner, pthread_self());
        int counts = at->of->mode == GLOBAL ? thread_mode == GLOBAL || own
                                            : at->of->mode == THREAD_LOCAL && own;
        if (!counts) continue;
        at->of->invalid = 1;
        hit = 1;
    }
    pthread_mutex_unlock(&lock);
    return hit ? CAPTURE_UNSUPPORTED : OK;
}
