/* Stream capture: the nodes that calls on a capturing stream become. See capture.h. */
#include "driver/capture.h"
#include "driver/graph_calls.h"

int cass_capture_kernel(cass_device *device, cass_kernel *kernel, const cass_launch *launch) {
    cass_work work;
    (void)device;
    cass_capture *capture = cass_capture_of(launch->stream);
    int result = cass_work_kernel(&work, kernel, kernel, launch);
    return result ? cass_capture_lost(capture, result) : cass_capture_append(capture, &work);
}

int cass_capture_copy(cass_capture *capture, const cass_copy *copy) {
    cass_work work;
    cass_call_line(&work, copy->to, copy->from, copy->width, copy->kind);
    work.copy.copy = *copy;
    work.copy.from.pitch = copy->from_pitch, work.copy.from.rows = copy->height;
    work.copy.to.pitch = copy->to_pitch, work.copy.to.rows = copy->height;
    work.copy.height = copy->height, work.copy.depth = copy->depth;
    return cass_capture_append(capture, &work);
}

int cass_capture_fill(cass_capture *capture, const cass_fill *fill) {
    cass_work work = {.type = CASS_NODE_FILL, .fill = *fill};
    return cass_capture_append(capture, &work);
}

int cass_capture_host(cass_capture *capture, hipHostFn_t function, void *user) {
    cass_work work = {.type = CASS_NODE_HOST, .host = {function, user}};
    return cass_capture_append(capture, &work);
}

int cass_capture_graph(cass_capture *capture, const cass_graph *graph) {
    cass_work work = {.type = CASS_NODE_GRAPH, .child = cass_graph_clone(graph)};
    return work.child ? cass_capture_append(capture, &work)
                      : cass_capture_lost(capture, OUT_OF_MEMORY);
}

int cass_capture_malloc(cass_capture *capture, void **pointer, size_t bytes) {
    cass_work work = {.type = CASS_NODE_ALLOC, .memory = {NULL, bytes}};
    int known = cass_capture_memory(capture, &work.memory.pointer, bytes);
    int result = known ? OK : cass_graph_memory(&work.memory.pointer, bytes);
    void *memory = work.memory.pointer;
    if (!result) {
        result = cass_capture_append(capture, &work);
        if (result && !known) cass_graph_memory_back(memory, bytes); /* no node has it */
    }
    if (!result) *pointer = memory;
    return result;
}

int cass_capture_free(cass_capture *capture, void *pointer) {
    cass_work work = {.type = CASS_NODE_FREE, .memory = {pointer, 0}};
    return cass_capture_append(capture, &work);
}
