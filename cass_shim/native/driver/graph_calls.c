/* What the graph calls of the runtime and the driver have in common: see graph_calls.h. */
#include "driver/graph_calls.h"

#include <string.h>

#include "driver/capture.h"
#include "driver/condition.h"
#include "driver/memory.h"

enum { DEVICE_LAUNCH = 4, IGNORED_ATTRIBUTE = 0 };

int cass_call_edges_possible(const void *edges, size_t count, int to_type) {
    const unsigned char (*all)[8] = edges;
    for (size_t i = 0; all && i < count; i++) {
        int programmatic = all[i][2] == 1 && to_type == CASS_NODE_KERNEL;
        if (all[i][0] > 2 || all[i][1] || (all[i][2] && !programmatic)) return INVALID_VALUE;
        if (all[i][0] || programmatic) return NOT_SUPPORTED;
    }
    return OK;
}

int cass_call_graph_create(void **out, unsigned flags) {
    if (!out || flags) return INVALID_VALUE;
    *out = cass_graph_create();
    return *out ? OK : OUT_OF_MEMORY;
}

int cass_call_graph_destroy(const void *handle) {
    cass_graph *graph = cass_graph_of(handle);
    if (!graph || graph->parent) return INVALID_VALUE;
    cass_graph_destroy(graph);
    return OK;
}

/* Memory and conditions belong to one graph: it is not cloned and becomes no child (recorded). */
static int is_bound(const cass_graph *graph) {
    return cass_graph_has(graph, CASS_NODE_ALLOC) || cass_graph_has(graph, CASS_NODE_FREE) ||
           cass_graph_has(graph, CASS_NODE_CONDITION);
}

int cass_call_graph_clone(void **out, const void *handle) {
    cass_graph *graph = cass_graph_of(handle);
    if (!graph || !out) return INVALID_VALUE;
    if (is_bound(graph)) return NOT_SUPPORTED;
    *out = cass_graph_clone(graph);
    return *out ? OK : OUT_OF_MEMORY;
}

static int frees(const cass_graph *graph, const void *pointer) {
    for (const cass_node *node = graph->first; node; node = node->next)
        if (node->work.type == CASS_NODE_FREE && node->work.memory.pointer == pointer) return 1;
    return 0;
}

int cass_call_add(void **out, const void *handle, const void *before, size_t count,
                  cass_work *work) {
    cass_graph *graph = cass_graph_of(handle);
    int again = graph && work->type == CASS_NODE_FREE && frees(graph, work->memory.pointer);
    if (!graph || !out || again) {
        cass_work_free(work);
        return INVALID_VALUE;
    }
    return cass_graph_add(graph, (cass_node *const *)before, count, work, (cass_node **)out);
}

int cass_call_child(const void *child, cass_work *work) {
    cass_graph *given = cass_graph_of(child);
    if (!given) return INVALID_VALUE;
    *work = (cass_work){.type = CASS_NODE_GRAPH, .child = cass_graph_clone(given)};
    return work->child ? OK : OUT_OF_MEMORY;
}

int cass_call_add_child(void **out, const void *graph, const void *before, size_t count,
                        const void *child) {
    cass_graph *given = cass_graph_of(child);
    if (!given) return INVALID_VALUE;
    if (is_bound(given)) return NOT_SUPPORTED;
    cass_work work;
    int result = cass_call_child(child, &work);
    return result ? result : cass_call_add(out, graph, before, count, &work);
}

int cass_call_connect(const void *handle, const void *from, const void *to, size_t count,
                      int connect) {
    cass_graph *graph = cass_graph_of(handle);
    if (!graph || (count && (!from || !to))) return INVALID_VALUE;
    return (connect ? cass_graph_connect : cass_graph_disconnect)(graph, (cass_node *const *)from,
                                                                  (cass_node *const *)to, count);
}

int cass_call_nodes(const void *handle, int roots_only, void *nodes, size_t *count) {
    cass_graph *graph = cass_graph_of(handle);
    return graph ? cass_graph_nodes(graph, roots_only, nodes, count) : INVALID_VALUE;
}

int cass_call_edges(const void *handle, void *from, void *to, size_t *count) {
    cass_graph *graph = cass_graph_of(handle);
    return graph ? cass_graph_edges(graph, from, to, count) : INVALID_VALUE;
}

int cass_call_neighbours(const void *handle, int after, void *nodes, size_t *count) {
    cass_node *node = cass_node_of(handle);
    if (!node) return INVALID_VALUE;
    return (after ? cass_node_after : cass_node_before)(node, nodes, count);
}

int cass_call_type(const void *handle, int *type) {
    cass_node *node = cass_node_of(handle);
    if (!node || !type) return INVALID_VALUE;
    *type = node->work.type;
    return OK;
}

int cass_call_find(void **out, const void *handle, const void *clone) {
    cass_node *node = cass_node_of(handle);
    cass_graph *graph = cass_graph_of(clone);
    if (!out || !node || !graph || graph->origin != node->graph) return INVALID_VALUE;
    *out = cass_graph_find_copy(graph, node);
    return *out ? OK : INVALID_VALUE;
}

int cass_call_node_destroy(const void *handle) {
    cass_node *node = cass_node_of(handle);
    if (!node) return INVALID_VALUE;
    if (node->work.type == CASS_NODE_ALLOC || node->work.type == CASS_NODE_FREE)
        return NOT_SUPPORTED;
    return cass_node_destroy(node);
}

int cass_call_work(const void *handle, int type, cass_work **work) {
    cass_node *node = cass_node_of(handle);
    if (!node || node->work.type != type) return INVALID_VALUE;
    *work = &node->work;
    return OK;
}

/* The node to change: itself, or its copy in an executable graph. NULL when there is none. */
static cass_node *target(const void *exec, const void *handle) {
    cass_node *node = cass_node_of(handle);
    if (!exec || !node) return exec ? NULL : node;
    cass_exec *of = cass_exec_of(exec);
    return of ? cass_exec_find(of, node) : NULL;
}

/* Where an end of a copy lies: 1 host, 2 device, 0 either (managed memory). */
static int end_of(const cass_place *place) {
    cass_pointer seen;
    if (place->array || place->kind == CASS_PLACE_DEVICE) return 2;
    if (place->kind == CASS_PLACE_HOST) return 1;
    cass_pointer_get(place->pointer, &seen);
    return seen.type == HIP_MEMORY_MANAGED ? 0 : seen.type == HIP_MEMORY_DEVICE ? 2 : 1;
}

static int moves(const cass_place *old, const cass_place *now) {
    int from = end_of(old), to = end_of(now);
    return from && to && from != to;
}

/* What an executable graph's node may not become though its type is the same: a batch of another
 * length, a copy between other kinds of memory (recorded; cudaGraphExecMemcpyNodeSetParams). */
static int is_other(const cass_work *old, const cass_work *now) {
    if (old->type == CASS_NODE_BATCH) return old->batch.count != now->batch.count;
    return old->type == CASS_NODE_COPY &&
           (moves(&old->copy.to, &now->copy.to) || moves(&old->copy.from, &now->copy.from));
}

int cass_call_set(const void *exec, const void *handle, cass_work *work) {
    cass_node *node = target(exec, handle);
    int type = node ? node->work.type : work->type;
    int bound = !exec && (type == CASS_NODE_CONDITION || type == CASS_NODE_ALLOC);
    int other = node && exec && type == work->type && is_other(&node->work, work);
    int child = node && exec && type == CASS_NODE_GRAPH && type == work->type;
    if (node && !bound && !other && !child) return cass_node_set(node, work);
    int result = child ? cass_exec_child(node->work.child, work->child) : INVALID_VALUE;
    cass_work_free(work);
    return bound ? NOT_SUPPORTED : result;
}

int cass_call_set_child(const void *exec, const void *node, const void *child) {
    cass_work work;
    int result = cass_call_child(child, &work);
    return result ? result : cass_call_set(exec, node, &work);
}

/* A graph for device launch has kernels, copies and fills, at least one node (CUDA Programming
 * Guide, Device Graph Launch). */
static int can_launch_on_device(const cass_graph *graph) {
    for (const cass_node *node = graph->first; node; node = node->next) {
        if (node->work.type == CASS_NODE_GRAPH && !can_launch_on_device(node->work.child)) return 0;
        if (node->work.type > CASS_NODE_FILL && node->work.type != CASS_NODE_GRAPH) return 0;
    }
    return graph->first != NULL;
}

int cass_call_instantiate(cass_device *device, void **out, const void *handle,
                          unsigned long long flags, void **bad) {
    cass_graph *graph = cass_graph_of(handle);
    const cass_node *fault = NULL;
    if (!graph || !out || flags > 15 || cass_conditions_check(graph)) return INVALID_VALUE;
    if (flags & DEVICE_LAUNCH && !can_launch_on_device(graph)) return INVALID_VALUE;
    struct cass_live *live = NULL;
    int taken = cass_live_take(graph, &live);
    if (taken) return taken;
    int result = cass_exec_create(device, graph, flags, (cass_exec **)out, &fault);
    if (result) cass_live_drop(live, 1);
    else ((cass_exec *)*out)->live = live;
    if (bad) *bad = (void *)(uintptr_t)fault;
    return result;
}

int cass_call_exec_destroy(const void *handle) {
    cass_exec *exec = cass_exec_of(handle);
    if (!exec) return INVALID_VALUE;
    cass_exec_destroy(exec);
    return OK;
}

int cass_call_launch(cass_device *device, const void *handle, hipStream_t stream) {
    cass_exec *exec = cass_exec_of(handle);
    if (!exec) return INVALID_VALUE;
    cass_capture *capture = cass_capturing(stream);
    if (capture) return cass_capture_graph(capture, exec->graph);
    return cass_exec_launch(device, exec, stream);
}

int cass_call_update(const void *handle, const void *from, int *outcome, void **bad) {
    cass_exec *exec = cass_exec_of(handle);
    cass_graph *graph = cass_graph_of(from);
    const cass_node *fault = NULL;
    if (!exec || !graph) return INVALID_VALUE;
    int result = cass_exec_update(exec, graph, outcome, &fault);
    if (bad) *bad = (void *)(uintptr_t)fault;
    return result;
}

int cass_call_enabled(const void *exec, const void *handle, unsigned *enabled, int set) {
    cass_node *node = exec ? target(exec, handle) : NULL;
    if (!node || !enabled) return INVALID_VALUE;
    if (node->work.type > CASS_NODE_FILL) return INVALID_VALUE; /* kernels, copies and fills only */
    if (set) node->disabled = !*enabled;
    else *enabled = !node->disabled;
    return OK;
}

int cass_call_attribute(const void *handle, unsigned which, void *value, int set) {
    cass_work *work;
    int result = cass_call_work(handle, CASS_NODE_KERNEL, &work);
    if (result || !value || which == IGNORED_ATTRIBUTE || which >= CASS_NODE_ATTRIBUTES)
        return INVALID_VALUE;
    if (!set) {
        memcpy(value, work->kernel.attributes[which], CASS_NODE_ATTRIBUTE_BYTES);
        return OK;
    }
    memcpy(work->kernel.attributes[which], value, CASS_NODE_ATTRIBUTE_BYTES);
    work->kernel.attributes_set |= 1u << which;
    if (which == 2) memcpy(&work->kernel.launch.cooperative, value, sizeof(int)); /* cooperative */
    return OK;
}

int cass_call_copy_attributes(const void *from, const void *to) {
    cass_work *source, *destination;
    int result = cass_call_work(from, CASS_NODE_KERNEL, &source);
    if (!result) result = cass_call_work(to, CASS_NODE_KERNEL, &destination);
    if (result) return result;
    memcpy(destination->kernel.attributes, source->kernel.attributes,
           sizeof source->kernel.attributes);
    destination->kernel.attributes_set = source->kernel.attributes_set;
    destination->kernel.launch.cooperative = source->kernel.launch.cooperative;
    return OK;
}

int cass_call_fill(cass_work *work, void *to, size_t pitch, unsigned value, unsigned element_bytes,
                   size_t width, size_t height) {
    if (!to || (element_bytes != 1 && element_bytes != 2 && element_bytes != 4))
        return INVALID_VALUE;
    if (height > 1 && pitch < width * element_bytes) return INVALID_VALUE;
    *work = (cass_work){.type = CASS_NODE_FILL,
                        .fill = {to, pitch, width, height, value, element_bytes}};
    return OK;
}

void cass_call_line(cass_work *work, void *to, const void *from, size_t bytes, int kind) {
    *work = (cass_work){.type = CASS_NODE_COPY};
    work->copy.copy = (cass_copy){to, from, bytes, bytes, bytes, bytes, bytes, 1, 1, kind};
    int any = kind == HIP_COPY_DEFAULT;
    int from_host = kind == HIP_COPY_HOST_TO_HOST || kind == HIP_COPY_HOST_TO_DEVICE;
    int to_host = kind == HIP_COPY_HOST_TO_HOST || kind == HIP_COPY_DEVICE_TO_HOST;
    work->copy.to = (cass_place){.kind = any       ? CASS_PLACE_UNIFIED
                                         : to_host ? CASS_PLACE_HOST
                                                   : CASS_PLACE_DEVICE,
                                 .pointer = to,
                                 .pitch = bytes,
                                 .rows = 1};
    work->copy.from = (cass_place){.kind = any         ? CASS_PLACE_UNIFIED
                                           : from_host ? CASS_PLACE_HOST
                                                       : CASS_PLACE_DEVICE,
                                   .pointer = (void *)(uintptr_t)from,
                                   .pitch = bytes,
                                   .rows = 1};
    work->copy.width = bytes, work->copy.height = 1, work->copy.depth = 1;
}

int cass_call_block(cass_work *work, const cass_place *to, const cass_place *from, size_t width,
                    size_t height, size_t depth) {
    *work = (cass_work){.type = CASS_NODE_COPY};
    work->copy.to = *to;
    work->copy.from = *from;
    work->copy.width = width, work->copy.height = height, work->copy.depth = depth;
    return cass_copy_between(to, from, width, height, depth, &work->copy.copy);
}
