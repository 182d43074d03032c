/* Executable graphs: instantiation, launch, update. */
#include "emulator/hip_calls.h"
#include "emulator/hip_graph_exec.h"

#include <stdlib.h>
#include <string.h>

emu_exec *emu_exec_of(hipGraphExec_t handle) {
    if (emu_handle_is(handle, EMU_GRAPH_EXEC)) return (emu_exec *)(void *)handle;
    emu_fail(hipErrorInvalidValue, "not a live executable graph: %p", (void *)handle);
    return NULL;
}

static void exec_release(emu_exec *exec) {
    if (atomic_fetch_sub(&exec->references, 1) != 1) return;
    for (size_t i = 0; i < exec->count; i++) {
        emu_op_free(exec->steps[i].op);
        if (exec->steps[i].child) exec_release(exec->steps[i].child);
        free(exec->steps[i].dependencies);
    }
    emu_user_release(exec->users);
    pthread_mutex_destroy(&exec->lock);
    free(exec->steps);
    free(exec);
}

static bool add_step(emu_exec *exec, const emu_graph *graph, const emu_node *node);

static emu_exec *exec_create(const emu_graph *graph) {
    emu_exec *exec = calloc(1, sizeof *exec);
    size_t *order = calloc(graph->count + 1, sizeof *order);
    bool good =
        exec && order && (exec->steps = calloc(graph->count + 1, sizeof *exec->steps)) != NULL;
    if (exec) {
        exec->references = 1;
        pthread_mutex_init(&exec->lock, NULL);
    }
    if (good && !emu_graph_order(graph, order)) {
        emu_fail(hipErrorInvalidValue, "the graph has a cycle");
        good = false;
    }
    for (size_t i = 0; i < graph->count && good; i++)
        good = add_step(exec, graph, graph->nodes[order[i]]);
    free(order);
    if (good) exec->users = emu_user_copy(graph->users);
    if (!good && exec) exec_release(exec);
    return good ? exec : NULL;
}

/* Clones the node's work; its dependencies are positions of earlier steps, kept for updates to
 * compare. */
static bool add_step(emu_exec *exec, const emu_graph *graph, const emu_node *node) {
    emu_step *step = &exec->steps[exec->count++];
    (void)graph;
    step->node = node->id;
    step->origin = node->origin;
    step->type = emu_node_type(node);
    step->enabled = true;
    step->op = emu_op_clone(node->op);
    step->dependencies = calloc(node->dependency_count + 1, sizeof *step->dependencies);
    if (!step->op || !step->dependencies) return false;
    for (size_t d = 0; d < node->dependency_count; d++)
        for (size_t i = 0; i + 1 < exec->count; i++)
            if (exec->steps[i].node == node->dependencies[d]->id)
                step->dependencies[step->dependency_count++] = i;
    if (node->child && !(step->child = exec_create(node->child))) return false;
    exec->has_host |= step->op->worker_only || (step->child && step->child->has_host);
    return true;
}

static hipError_t run_steps(emu_exec *exec, emu_device *device) {
    hipError_t error = hipSuccess;
    for (size_t i = 0; i < exec->count && !error; i++) {
        emu_step *step = &exec->steps[i];
        if (!step->enabled) continue;
        error = step->child ? run_steps(step->child, device) : step->op->run(step->op, device);
    }
    return error;
}

typedef struct {
    emu_op op;
    emu_exec *exec;
} graph_op;

static hipError_t run_graph(emu_op *base, emu_device *device) {
    emu_exec *exec = ((graph_op *)base)->exec;
    pthread_mutex_lock(&exec->lock); /* launches of one executable graph do not overlap */
    hipError_t error = run_steps(exec, device);
    pthread_mutex_unlock(&exec->lock);
    return error;
}

static void drop_graph(emu_op *base) { exec_release(((graph_op *)base)->exec); }

hipError_t emu_hipGraphLaunch(hipGraphExec_t graphExec, hipStream_t handle) {
    emu_exec *exec = emu_exec_of(graphExec);
    emu_stream *stream = exec ? emu_stream_of(handle) : NULL;
    if (!stream) return exec ? hipErrorInvalidHandle : hipErrorInvalidValue;
    hipError_t refused = emu_refuse_capture(stream);
    if (refused) return refused;
    graph_op *op = emu_op_new(sizeof *op, EMU_OP_GRAPH, run_graph);
    if (!op) return emu_fail(hipErrorOutOfMemory, "no host memory for a graph launch");
    op->exec = exec;
    op->op.drop = drop_graph;
    op->op.worker_only = exec->has_host;
    atomic_fetch_add(&exec->references, 1);
    return emu_submit(stream, &op->op);
}

hipError_t emu_hipGraphUpload(hipGraphExec_t graphExec, hipStream_t stream) {
    if (!emu_stream_of(stream)) return hipErrorInvalidHandle;
    return emu_exec_of(graphExec) ? hipSuccess : hipErrorInvalidValue; /* nothing lies elsewhere */
}

static hipError_t instantiate(hipGraphExec_t *into, hipGraph_t handle, unsigned long long flags) {
    const unsigned long long known = hipGraphInstantiateFlagAutoFreeOnLaunch |
                                     hipGraphInstantiateFlagUpload |
                                     hipGraphInstantiateFlagUseNodePriority;
    emu_graph *graph = emu_graph_of(handle);
    if (!graph || !into) return emu_fail(hipErrorInvalidValue, "no graph");
    if (flags & ~known) return emu_fail(hipErrorNotSupported, "instantiation flags %#llx", flags);
    emu_me.reason[0] = 0;
    emu_exec *exec = exec_create(graph);
    if (!exec)
        return emu_me.reason[0] ? hipErrorInvalidValue
                                : emu_fail(hipErrorOutOfMemory, "no host memory for a graph");
    exec->flags = flags;
    emu_handle_add(exec, EMU_GRAPH_EXEC);
    *into = (hipGraphExec_t)(void *)exec;
    return hipSuccess;
}

hipError_t emu_hipGraphInstantiate(hipGraphExec_t *pGraphExec, hipGraph_t graph,
                                   hipGraphNode_t *pErrorNode, char *pLogBuffer,
                                   size_t bufferSize) {
    hipError_t error = instantiate(pGraphExec, graph, 0);
    if (pErrorNode) *pErrorNode = NULL;
    if (pLogBuffer && bufferSize) {
        size_t length = error ? strnlen(emu_me.reason, bufferSize - 1) : 0;
        memcpy(pLogBuffer, emu_me.reason, length);
        pLogBuffer[length] = 0;
    }
    return error;
}

hipError_t emu_hipGraphInstantiateWithFlags(hipGraphExec_t *pGraphExec, hipGraph_t graph,
                                            unsigned long long flags) {
    return instantiate(pGraphExec, graph, flags);
}

hipError_t emu_hipGraphInstantiateWithParams(hipGraphExec_t *pGraphExec, hipGraph_t graph,
                                             hipGraphInstantiateParams *instantiateParams) {
    if (!instantiateParams) return emu_fail(hipErrorInvalidValue, "no parameters");
    hipError_t error = instantiate(pGraphExec, graph, instantiateParams->flags);
    instantiateParams->errNode_out = NULL;
    instantiateParams->result_out = error ? hipGraphInstantiateError : hipGraphInstantiateSuccess;
    return error;
}

hipError_t emu_hipGraphExecGetFlags(hipGraphExec_t graphExec, unsigned long long *flags) {
    emu_exec *exec = emu_exec_of(graphExec);
    if (!exec || !flags) return emu_fail(hipErrorInvalidValue, "no executable graph or no result");
    *flags = exec->flags;
    return hipSuccess;
}

hipError_t emu_hipGraphExecDestroy(hipGraphExec_t graphExec) {
    emu_exec *exec = emu_exec_of(graphExec);
    if (!exec || !emu_handle_remove(exec, EMU_GRAPH_EXEC)) return hipErrorInvalidValue;
    exec_release(exec);
    return hipSuccess;
}

emu_step *emu_exec_step(emu_exec *exec, const emu_node *node) {
    for (size_t i = 0; i < exec->count; i++)
        if (exec->steps[i].node == node->id || exec->steps[i].origin == node->id ||
            exec->steps[i].node == node->origin)
            return &exec->steps[i];
    emu_fail(hipErrorInvalidValue, "the executable graph was not made from the node's graph");
    return NULL;
}

void emu_step_replace(emu_exec *exec, emu_step *step, emu_op *op) {
    pthread_mutex_lock(&exec->lock);
    emu_op *before = step->op;
    step->op = op;
    pthread_mutex_unlock(&exec->lock);
    emu_op_free(before);
}

/* Whether `next` has the shape of `exec`; the first step that differs otherwise. */
static hipGraphExecUpdateResult compare(const emu_exec *exec, const emu_exec *next, size_t *at) {
    *at = 0;
    if (exec->count != next->count) return hipGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < exec->count; i++) {
        const emu_step *old = &exec->steps[i], *new = &next->steps[i];
        *at = i;
        if (old->type != new->type) return hipGraphExecUpdateErrorNodeTypeChanged;
        if (old->dependency_count != new->dependency_count ||
            memcmp(old->dependencies, new->dependencies,
                   old->dependency_count * sizeof *old->dependencies))
            return hipGraphExecUpdateErrorTopologyChanged;
        if (old->child) {
            size_t inner;
            hipGraphExecUpdateResult result = compare(old->child, new->child, &inner);
            if (result != hipGraphExecUpdateSuccess) return result;
        }
    }
    return hipGraphExecUpdateSuccess;
}

/* Exchanges the work of two executable graphs of one shape. */
static void exchange(emu_exec *exec, emu_exec *next) {
    for (size_t i = 0; i < exec->count; i++) {
        emu_op *op = exec->steps[i].op;
        exec->steps[i].op = next->steps[i].op;
        next->steps[i].op = op;
        if (exec->steps[i].child) exchange(exec->steps[i].child, next->steps[i].child);
    }
}

hipError_t emu_exec_update(emu_exec *exec, const emu_graph *graph, uint64_t *failed,
                           hipGraphExecUpdateResult *result) {
    emu_exec *next = exec_create(graph);
    size_t at = 0;
    *failed = 0;
    *result = next ? compare(exec, next, &at) : hipGraphExecUpdateError;
    if (*result == hipGraphExecUpdateSuccess) {
        pthread_mutex_lock(&exec->lock);
        exchange(exec, next);
        pthread_mutex_unlock(&exec->lock);
    } else if (next && at < next->count) {
        *failed = next->steps[at].node;
    }
    if (next) exec_release(next);
    return *result == hipGraphExecUpdateSuccess
               ? hipSuccess
               : emu_fail(hipErrorGraphExecUpdateFailure, "the graph differs, result %d",
                          (int)*result);
}

hipError_t emu_hipGraphExecUpdate(hipGraphExec_t hGraphExec, hipGraph_t hGraph,
                                  hipGraphNode_t *hErrorNode_out,
                                  hipGraphExecUpdateResult *updateResult_out) {
    emu_exec *exec = emu_exec_of(hGraphExec);
    emu_graph *graph = exec ? emu_graph_of(hGraph) : NULL;
    if (!graph || !updateResult_out) return emu_fail(hipErrorInvalidValue, "no graph or no result");
    uint64_t failed;
    hipError_t error = emu_exec_update(exec, graph, &failed, updateResult_out);
    for (size_t i = 0; hErrorNode_out && i < graph->count; i++)
        if (i == 0 || graph->nodes[i]->id == failed)
            *hErrorNode_out =
                graph->nodes[i]->id == failed ? (hipGraphNode_t)(void *)graph->nodes[i] : NULL;
    return error;
}

hipError_t emu_hipGraphNodeSetEnabled(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                      unsigned int isEnabled) {
    emu_exec *exec = emu_exec_of(hGraphExec);
    emu_node *node = exec ? emu_node_of(hNode) : NULL;
    emu_step *step = node ? emu_exec_step(exec, node) : NULL;
    if (!step) return hipErrorInvalidValue;
    if (step->type != hipGraphNodeTypeKernel && step->type != hipGraphNodeTypeMemcpy &&
        step->type != hipGraphNodeTypeMemset)
        return emu_fail(hipErrorInvalidValue, "only kernel, copy and fill nodes can be disabled");
    step->enabled = isEnabled != 0;
    return hipSuccess;
}

hipError_t emu_hipGraphNodeGetEnabled(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                      unsigned int *isEnabled) {
    emu_exec *exec = emu_exec_of(hGraphExec);
    emu_node *node = exec ? emu_node_of(hNode) : NULL;
    emu_step *step = node ? emu_exec_step(exec, node) : NULL;
    if (!step || !isEnabled) return emu_fail(hipErrorInvalidValue, "no node or no result");
    *isEnabled = step->enabled;
    return hipSuccess;
}
