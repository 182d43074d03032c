/* Graphs: executable graphs. See graph.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/batch.h"
#include "driver/condition.h"
#include "driver/stream.h"

enum { AUTO_FREE = 1 }; /* CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH */
enum { EXEC_MAGIC = 0x43455845, VERBOSE = 1 };
enum { /* cudaGraphExecUpdateResult */
       UPDATED = 0,
       TOPOLOGY_CHANGED = 2,
       TYPE_CHANGED = 3,
       FUNCTION_CHANGED = 4,
       NOT_UPDATABLE = 6
};

/* Nodes in an order that respects the edges, oldest first among the ready. NULL for a cycle (*bad
 * says where) and where memory is lacking (*bad stays). */
static cass_node **sort(const cass_graph *graph, const cass_node **bad) {
    cass_node **order = calloc(graph->count + 1, sizeof *order);
    size_t done = 0;
    for (cass_node *node = graph->first; node; node = node->next) node->mark = 0;
    while (order && done < graph->count) {
        size_t before = done;
        for (cass_node *node = graph->first; node; node = node->next) {
            size_t ready = 0;
            while (ready < node->before_count && node->before[ready]->mark) ready++;
            if (node->mark || ready < node->before_count) continue;
            node->mark = 1;
            order[done++] = node;
        }
        if (done > before) continue;
        for (cass_node *node = graph->first; node; node = node->next)
            if (!node->mark) *bad = node;
        free(order);
        return NULL;
    }
    return order;
}

cass_exec *cass_exec_of(const void *handle) {
    cass_exec *exec = (cass_exec *)(uintptr_t)handle;
    return exec && (uintptr_t)handle % 8 == 0 && exec->magic == EXEC_MAGIC ? exec : NULL;
}

int cass_exec_create(cass_device *device, const cass_graph *graph, unsigned long long flags,
                     cass_exec **out, const cass_node **bad) {
    cass_exec *made = calloc(1, sizeof *made);
    const cass_node *cycle = NULL;
    if (!made || !(made->graph = cass_graph_clone(graph))) {
        free(made);
        return OUT_OF_MEMORY;
    }
    made->order = sort(made->graph, &cycle);
    if (!made->order) {
        if (bad) *bad = cycle ? cycle->origin : NULL;
        cass_graph_destroy(made->graph);
        free(made);
        return cycle ? INVALID_VALUE : OUT_OF_MEMORY;
    }
    made->magic = EXEC_MAGIC;
    made->conditional = cass_graph_has(graph, CASS_NODE_CONDITION);
    made->flags = flags;
    made->count = made->graph->count;
    made->device = cass_device_index(device);
    *out = made;
    return OK;
}

void cass_exec_destroy(cass_exec *exec) {
    if (exec->done) (void)HIP(hipEventDestroy, exec->done);
    cass_graph_destroy(exec->graph);
    cass_live_drop(exec->live, 1);
    exec->magic = 0;
    free(exec->order);
    free(exec);
}

/* Also in child graphs and bodies: the program names the nodes of the graphs it was given. */
static cass_node *find_below(const cass_graph *graph, const cass_node *node) {
    cass_node *found = cass_graph_find_copy(graph, node);
    for (const cass_node *at = graph->first; at && !found; at = at->next) {
        const cass_work *work = &at->work;
        if (work->type == CASS_NODE_GRAPH) found = find_below(work->child, node);
        if (work->type != CASS_NODE_CONDITION) continue;
        for (unsigned i = 0; i < work->condition.size && !found; i++)
            found = find_below(work->condition.bodies[i], node);
    }
    return found;
}

cass_node *cass_exec_find(const cass_exec *exec, const cass_node *node) {
    return find_below(exec->graph, node);
}

int cass_graph_run_whole(cass_device *device, const cass_graph *graph, hipStream_t stream) {
    const cass_node *bad = NULL;
    cass_node **order = sort(graph, &bad);
    if (!order) return bad ? INVALID_VALUE : OUT_OF_MEMORY;
    int result = cass_graph_run(device, order, graph->count, stream);
    free(order);
    return result;
}

static int run_node(cass_device *device, cass_node *node, hipStream_t stream) {
    cass_work *work = &node->work;
    switch (work->type) {
    case CASS_NODE_KERNEL: {
        cass_launch launch = work->kernel.launch;
        launch.stream = stream;
        return cass_launch_now(device, work->kernel.kernel, &launch);
    }
    case CASS_NODE_COPY:
        return cass_copy_now(&work->copy.copy, stream);
    case CASS_NODE_FILL:
        return cass_fill_now(&work->fill, stream);
    case CASS_NODE_HOST:
        return cass_stream_host_now(stream, work->host.function, work->host.user);
    case CASS_NODE_GRAPH:
        return cass_graph_run_whole(device, work->child, stream);
    case CASS_NODE_SIGNAL:
    case CASS_NODE_WAIT: /* no semaphore can be imported: what handles there are name none */
        return work->semaphores.count ? INVALID_VALUE : OK;
    case CASS_NODE_BATCH:
        return cass_batch_now(stream, work->batch.operations, work->batch.count);
    case CASS_NODE_CONDITION:
        return cass_condition_run(device, work, stream);
    case CASS_NODE_WAIT_EVENT:
        return HIP(hipStreamWaitEvent, stream, work->event, 0);
    case CASS_NODE_RECORD_EVENT:
        return HIP(hipEventRecord, work->event, stream);
    default:
        return OK; /* empty; memory of allocation nodes exists as long as their graph does */
    }
}

/* A node of another device than the stream's, in a stream of its own device between two events. */
static int run_elsewhere(cass_node *node, hipStream_t stream) {
    cass_context *before = cass_thread.current;
    cass_device *there = &cass_devices[node->device];
    hipStream_t side = NULL;
    int result = cass_set_current(&there->primary);
    if (!result) result = HIP(hipStreamCreateWithFlags, &side, CASS_STREAM_NON_BLOCKING);
    int back = cass_set_current(before);
    if (!result) result = back ? back : cass_stream_follow(side, stream);
    if (!result) result = cass_set_current(&there->primary);
    if (!result) result = run_node(there, node, side);
    if (!result) result = cass_stream_follow(stream, side);
    if (side) (void)HIP(hipStreamDestroy, side);
    back = cass_set_current(before);
    return result ? result : back;
}

int cass_graph_run(cass_device *device, cass_node **order, size_t count, hipStream_t stream) {
    int result = OK, here = cass_device_index(device);
    for (size_t i = 0; i < count && !result; i++)
        if (!order[i]->disabled)
            result = order[i]->device == here ? run_node(device, order[i], stream)
                                              : run_elsewhere(order[i], stream);
    return result;
}

/* Executable graphs of one graph share their conditions' words, so one runs at a time. */
static int run_conditional(cass_device *device, const cass_exec *exec, hipStream_t stream) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    int result = cass_conditions_begin(exec->graph, stream);
    if (!result) result = cass_graph_run(device, exec->order, exec->count, stream);
    if (!result) result = cass_wait_stream(device, stream);
    pthread_mutex_unlock(&lock);
    return result;
}

/* CUDA runs the launches of one executable graph one after the other, whatever their streams
 * (Programming Guide, CUDA Graphs). */
static int run_after_the_last(cass_device *device, cass_exec *exec, hipStream_t stream) {
    int result = exec->done ? HIP(hipStreamWaitEvent, stream, exec->done, 0) : OK;
    if (exec->done && exec->done_device != cass_device_index(device)) {
        (void)HIP(hipEventDestroy, exec->done);
        exec->done = NULL;
    }
    if (!result && !exec->done) {
        result = HIP(hipEventCreateWithFlags, &exec->done, CASS_EVENT_DISABLE_TIMING);
        exec->done_device = cass_device_index(device);
    }
    if (!result)
        result = exec->conditional ? run_conditional(device, exec, stream)
                                   : cass_graph_run(device, exec->order, exec->count, stream);
    int recorded = HIP(hipEventRecord, exec->done, stream);
    return result ? result : recorded;
}

/* The stream says on which device the launch is ordered, whatever the thread's current one. */
int cass_exec_launch(cass_device *device, cass_exec *exec, hipStream_t stream) {
    if (exec->done && !(exec->flags & AUTO_FREE) && cass_graph_holds_memory(exec->graph))
        return INVALID_VALUE; /* of its last launch (recorded) */
    cass_stream_info of = {.device = cass_device_index(device)};
    if (cass_device_count > 1) (void)cass_stream_get(stream, &of);
    cass_device *where = &cass_devices[of.device];
    if (where == device) return cass_note(device, run_after_the_last(device, exec, stream));
    cass_context *before = cass_thread.current;
    int result = cass_set_current(&where->primary);
    if (!result) result = cass_note(where, run_after_the_last(where, exec, stream));
    int back = cass_set_current(before);
    return result ? result : back;
}

/* Whether `to` may become `from` while keeping its place; the result's number. */
static int compatible(const cass_node *to, const cass_node *from) {
    if (to->work.type != from->work.type) return TYPE_CHANGED;
    if (to->before_count != from->before_count) return TOPOLOGY_CHANGED;
    if (to->work.type == CASS_NODE_ALLOC || to->work.type == CASS_NODE_FREE)
        return to->work.memory.pointer == from->work.memory.pointer ? UPDATED : NOT_UPDATABLE;
    return UPDATED;
}

/* Whether the nodes of `to` may become those of `from`: the result's number, and the node that may
 * not be taken. Nodes are paired in the order they were added, as CUDA pairs what a program builds
 * twice. */
static int all_compatible(const cass_graph *to, const cass_graph *from, const cass_node **bad) {
    *bad = NULL;
    if (to->count != from->count) return TOPOLOGY_CHANGED;
    const cass_node *theirs = from->first;
    for (const cass_node *ours = to->first; ours; ours = ours->next, theirs = theirs->next) {
        int outcome = compatible(ours, theirs);
        if (!outcome) continue;
        *bad = theirs;
        return outcome;
    }
    return UPDATED;
}

static int take_work(cass_node *to, const cass_node *from) {
    cass_work work;
    int result = cass_work_copy(&work, &from->work);
    if (result) return result;
    cass_work_free(&to->work);
    to->work = work;
    return OK;
}

int cass_exec_update(cass_exec *exec, const cass_graph *graph, int *outcome,
                     const cass_node **bad) {
    *outcome = all_compatible(exec->graph, graph, bad);
    if (*outcome) return GRAPH_UPDATE_FAILURE;
    const cass_node *from = graph->first;
    for (cass_node *to = exec->graph->first; to; to = to->next, from = from->next) {
        int result = take_work(to, from);
        if (result) return result;
        to->origin = from; /* later changes name nodes of the new graph */
    }
    exec->conditional = cass_graph_has(exec->graph, CASS_NODE_CONDITION);
    return cass_conditions_share(exec->graph, graph);
}

int cass_exec_child(cass_graph *to, const cass_graph *from) {
    const cass_node *bad;
    if (all_compatible(to, from, &bad)) return INVALID_VALUE;
    const cass_node *theirs = from->first;
    int result = OK;
    for (cass_node *ours = to->first; ours && !result; ours = ours->next, theirs = theirs->next)
        result = ours->work.type == CASS_NODE_GRAPH
                     ? cass_exec_child(ours->work.child, theirs->work.child)
                     : take_work(ours, theirs);
    return result;
}

static const char *type_name(int type) {
    static const char *const names[] = {"KERNEL",     "MEMCPY",   "MEMSET", "HOST",
                                        "GRAPH",      "EMPTY",    "WAIT",   "RECORD",
                                        "SEM_SIGNAL", "SEM_WAIT", "ALLOC",  "FREE"};
    return type >= 0 && type < (int)(sizeof names / sizeof *names) ? names[type] : "NODE";
}

int cass_graph_print(const cass_graph *graph, const char *path, unsigned flags) {
    if (!path) return INVALID_VALUE;
    FILE *file = fopen(path, "we");
    if (!file) return OPERATING_SYSTEM;
    fprintf(file,
            "digraph dot {\nsubgraph cluster_%u {\nlabel=\"graph_%u\" graph[style=\"dashed\"];\n",
            graph->id, graph->id);
    for (const cass_node *node = graph->first; node; node = node->next) {
        fprintf(file, "\"graph_%u_node_%u\"[shape=\"record\" label=\"%u\\n%s", graph->id, node->id,
                node->id, type_name(node->work.type));
        if (node->work.type == CASS_NODE_KERNEL) {
            const cass_kernel_node *kernel = &node->work.kernel;
            fprintf(file, "\\n%s", kernel->kernel->info->name);
            if (flags & VERBOSE)
                fprintf(file, "\\n\\<\\<\\<(%u,%u,%u),(%u,%u,%u),%zu\\>\\>\\>",
                        kernel->launch.grid[0], kernel->launch.grid[1], kernel->launch.grid[2],
                        kernel->launch.block[0], kernel->launch.block[1], kernel->launch.block[2],
                        kernel->launch.shared_bytes);
        }
        fprintf(file, "\"];\n");
        for (size_t i = 0; i < node->before_count; i++)
            fprintf(file, "\"graph_%u_node_%u\" -> \"graph_%u_node_%u\";\n", graph->id,
                    node->before[i]->id, graph->id, node->id);
    }
    fprintf(file, "}\n}\n");
    return fclose(file) ? INVALID_VALUE : OK;
}
