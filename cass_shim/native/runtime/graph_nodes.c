/* Graphs: nodes and their parameters. */
#include <string.h>

#include "driver/condition.h"
#include "driver/graph_calls.h"
#include "driver/memory.h"
#include "runtime/graph_works.h"
#include "runtime/place.h"

#define OUT(pointer) ((void **)(void *)(pointer))

/* Makes a work, or returns what failed from the body. */
#define WORK(device, call)                                                                         \
    ENTER(device);                                                                                 \
    cass_work work;                                                                                \
    TRY(device, call)

#define ADD(device)                                                                                \
    DONE(device, cass_call_add(OUT(pGraphNode), graph, pDependencies, numDependencies, &work))

int cass_kernel_work(const struct cudaKernelNodeParams *p, cass_work *work) {
    cass_kernel *kernel;
    if (!p) return INVALID_VALUE;
    int result = cass_find_kernel(p->func, &kernel);
    if (result) return result;
    if (p->func == kernel && kernel->module->of_context) return INVALID_HANDLE; /* recorded */
    cass_launch launch = {.grid = {p->gridDim.x, p->gridDim.y, p->gridDim.z},
                          .block = {p->blockDim.x, p->blockDim.y, p->blockDim.z},
                          .shared_bytes = p->sharedMemBytes,
                          .parameters = p->kernelParams};
    if (!p->kernelParams && p->extra) {
        for (int i = 0; i < 4 && p->extra[i]; i += 2) {
            if (p->extra[i] == (void *)1) launch.packed = p->extra[i + 1];
            else launch.packed_bytes = *(size_t *)p->extra[i + 1];
        }
    }
    result = cass_launch_check(kernel, &launch);
    return result ? result : cass_work_kernel(work, kernel, p->func, &launch);
}

int cass_block_work(const struct cudaMemcpy3DParms *p, cass_work *work) {
    cass_block block;
    int result = cass_block_read(p, &block);
    if (result) return result;
    return cass_call_block(work, &block.to, &block.from, block.width, block.height, block.depth);
}

int cass_line_work(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                   cass_work *work) {
    if (cass_hip_kind(kind) < 0) return INVALID_DIRECTION;
    if (!to || !from) return INVALID_VALUE;
    cass_call_line(work, to, from, bytes, cass_hip_kind(kind));
    return OK;
}

int cass_symbol_work(cass_device *device, void *to, const void *from, int to_symbol, size_t count,
                     size_t offset, enum cudaMemcpyKind kind, cass_work *work) {
    void *address;
    int result = cass_symbol_part(device, to_symbol ? to : from, count, offset, &address);
    if (result) return result;
    return cass_line_work(to_symbol ? address : to, to_symbol ? from : address, count, kind, work);
}

int cass_fill_work(const struct cudaMemsetParams *p, cass_work *work) {
    if (!p) return INVALID_VALUE;
    return cass_call_fill(work, p->dst, p->pitch, p->value, p->elementSize, p->width, p->height);
}

int cass_host_work(const struct cudaHostNodeParams *p, cass_work *work) {
    if (!p || !p->fn) return INVALID_VALUE;
    *work = (cass_work){.type = CASS_NODE_HOST, .host = {p->fn, p->userData}};
    return OK;
}

int cass_event_work(cudaEvent_t event, int type, cass_work *work) {
    if (!event) return INVALID_VALUE;
    *work = (cass_work){.type = type, .event = cass_event(event)};
    return OK;
}

static int alloc_work(struct cudaMemAllocNodeParams *p, cass_work *work) {
    if (!p || !p->bytesize) return INVALID_VALUE;
    *work = (cass_work){.type = CASS_NODE_ALLOC, .memory = {NULL, p->bytesize}};
    int result = cass_graph_memory(&work->memory.pointer, p->bytesize);
    p->dptr = work->memory.pointer;
    return result;
}

#define NODE_ARGUMENTS                                                                             \
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,          \
        size_t numDependencies

cudaError_t cass_cudaGraphAddKernelNode(NODE_ARGUMENTS,
                                        const struct cudaKernelNodeParams *pNodeParams) {
    WORK(device, cass_kernel_work(pNodeParams, &work));
    return ADD(device);
}

cudaError_t cass_cudaGraphAddMemcpyNode(NODE_ARGUMENTS,
                                        const struct cudaMemcpy3DParms *pCopyParams) {
    WORK(device, cass_block_work(pCopyParams, &work));
    return ADD(device);
}

cudaError_t cass_cudaGraphAddMemcpyNode1D(NODE_ARGUMENTS, void *dst, const void *src, size_t count,
                                          enum cudaMemcpyKind kind) {
    WORK(device, cass_line_work(dst, src, count, kind, &work));
    return ADD(device);
}

cudaError_t cass_cudaGraphAddMemcpyNodeToSymbol(NODE_ARGUMENTS, const void *symbol, const void *src,
                                                size_t count, size_t offset,
                                                enum cudaMemcpyKind kind) {
    WORK(device,
         cass_symbol_work(device, (void *)(uintptr_t)symbol, src, 1, count, offset, kind, &work));
    return ADD(device);
}

cudaError_t cass_cudaGraphAddMemcpyNodeFromSymbol(NODE_ARGUMENTS, void *dst, const void *symbol,
                                                  size_t count, size_t offset,
                                                  enum cudaMemcpyKind kind) {
    WORK(device, cass_symbol_work(device, dst, symbol, 0, count, offset, kind, &work));
    return ADD(device);
}

cudaError_t cass_cudaGraphAddMemsetNode(NODE_ARGUMENTS,
                                        const struct cudaMemsetParams *pMemsetParams) {
    WORK(device, cass_fill_work(pMemsetParams, &work));
    return ADD(device);
}

cudaError_t cass_cudaGraphAddHostNode(NODE_ARGUMENTS,
                                      const struct cudaHostNodeParams *pNodeParams) {
    WORK(device, cass_host_work(pNodeParams, &work));
    return ADD(device);
}

cudaError_t cass_cudaGraphAddEmptyNode(NODE_ARGUMENTS) {
    ENTER(device);
    cass_work work = {.type = CASS_NODE_EMPTY};
    return ADD(device);
}

cudaError_t cass_cudaGraphAddChildGraphNode(NODE_ARGUMENTS, cudaGraph_t childGraph) {
    ENTER(device);
    return DONE(device, cass_call_add_child(OUT(pGraphNode), graph, pDependencies, numDependencies,
                                            childGraph));
}

cudaError_t cass_cudaGraphAddEventRecordNode(NODE_ARGUMENTS, cudaEvent_t event) {
    WORK(device, cass_event_work(event, CASS_NODE_RECORD_EVENT, &work));
    return ADD(device);
}

cudaError_t cass_cudaGraphAddEventWaitNode(NODE_ARGUMENTS, cudaEvent_t event) {
    WORK(device, cass_event_work(event, CASS_NODE_WAIT_EVENT, &work));
    return ADD(device);
}

cudaError_t cass_cudaGraphAddMemAllocNode(NODE_ARGUMENTS,
                                          struct cudaMemAllocNodeParams *nodeParams) {
    WORK(device, alloc_work(nodeParams, &work));
    return ADD(device);
}

cudaError_t cass_cudaGraphAddMemFreeNode(NODE_ARGUMENTS, void *dptr) {
    ENTER(device);
    if (!dptr) return cudaErrorInvalidValue;
    cass_work work = {.type = CASS_NODE_FREE, .memory = {dptr, 0}};
    return ADD(device);
}

/* Nodes that come with handles or lists of their own; any other type. */
static int other_work(cass_graph *graph, struct cudaGraphNodeParams *p, cass_work *work) {
    switch ((int)p->type) {
    case CASS_NODE_FREE:
        *work = (cass_work){.type = CASS_NODE_FREE, .memory = {p->free.dptr, 0}};
        return p->free.dptr ? OK : INVALID_VALUE;
    case CASS_NODE_CONDITION:
        return cass_condition_work(graph, p->conditional.handle, (int)p->conditional.type,
                                   p->conditional.size, work);
    case CASS_NODE_SIGNAL:
        return cass_semaphores_work(work, CASS_NODE_SIGNAL, p->extSemSignal.extSemArray,
                                    p->extSemSignal.paramsArray, p->extSemSignal.numExtSems,
                                    sizeof *p->extSemSignal.paramsArray);
    case CASS_NODE_WAIT:
        return cass_semaphores_work(work, CASS_NODE_WAIT, p->extSemWait.extSemArray,
                                    p->extSemWait.paramsArray, p->extSemWait.numExtSems,
                                    sizeof *p->extSemWait.paramsArray);
    default:
        return p->type >= cudaGraphNodeTypeCount ? INVALID_VALUE : NOT_SUPPORTED;
    }
}

/* A node of any type from the tagged union of 12.2. */
static int any_work(cass_graph *graph, struct cudaGraphNodeParams *p, cass_work *work) {
    if (!p || p->reserved0[0] || p->reserved0[1] || p->reserved0[2] || p->reserved2)
        return INVALID_VALUE;
    switch ((int)p->type) {
    case CASS_NODE_KERNEL: {
        struct cudaKernelNodeParams kernel = {p->kernel.func,         p->kernel.gridDim,
                                              p->kernel.blockDim,     p->kernel.sharedMemBytes,
                                              p->kernel.kernelParams, p->kernel.extra};
        return cass_kernel_work(&kernel, work);
    }
    case CASS_NODE_COPY:
        return cass_block_work(&p->memcpy.copyParams, work);
    case CASS_NODE_FILL:
        return cass_call_fill(work, p->memset.dst, p->memset.pitch, p->memset.value,
                              p->memset.elementSize, p->memset.width, p->memset.height);
    case CASS_NODE_HOST: {
        struct cudaHostNodeParams host = {p->host.fn, p->host.userData};
        return cass_host_work(&host, work);
    }
    case CASS_NODE_GRAPH:
        return cass_call_child(p->graph.graph, work);
    case CASS_NODE_EMPTY:
        *work = (cass_work){.type = CASS_NODE_EMPTY};
        return OK;
    case CASS_NODE_WAIT_EVENT:
        return cass_event_work(p->eventWait.event, CASS_NODE_WAIT_EVENT, work);
    case CASS_NODE_RECORD_EVENT:
        return cass_event_work(p->eventRecord.event, CASS_NODE_RECORD_EVENT, work);
    case CASS_NODE_ALLOC: {
        struct cudaMemAllocNodeParams alloc = {.bytesize = p->alloc.bytesize};
        int result = alloc_work(&alloc, work);
        p->alloc.dptr = alloc.dptr;
        return result;
    }
    default:
        return other_work(graph, p, work);
    }
}

cudaError_t cass_cudaGraphAddNode(NODE_ARGUMENTS, struct cudaGraphNodeParams *nodeParams) {
    WORK(device, any_work(cass_graph_of(graph), nodeParams, &work));
    TRY(device, cass_call_add(OUT(pGraphNode), graph, pDependencies, numDependencies, &work));
    if (work.type == CASS_NODE_CONDITION)
        nodeParams->conditional.phGraph_out = work.condition.bodies;
    return cudaSuccess;
}

cudaError_t cass_cudaGraphAddNode_v2(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies,
                                     const cudaGraphEdgeData *dependencyData,
                                     size_t numDependencies,
                                     struct cudaGraphNodeParams *nodeParams) {
    int bad = cass_call_edges_possible(dependencyData, numDependencies,
                                       nodeParams ? (int)nodeParams->type : 0);
    if (bad) return (cudaError_t)bad;
    return cass_cudaGraphAddNode(pGraphNode, graph, pDependencies, numDependencies, nodeParams);
}

cudaError_t cass_cudaGraphNodeSetParams(cudaGraphNode_t node,
                                        struct cudaGraphNodeParams *nodeParams) {
    WORK(device, any_work(NULL, nodeParams, &work));
    return DONE(device, cass_call_set(NULL, node, &work));
}

cudaError_t cass_cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                            struct cudaGraphNodeParams *nodeParams) {
    if (!cass_exec_of(graphExec)) return cudaErrorInvalidValue;
    WORK(device, any_work(NULL, nodeParams, &work));
    return DONE(device, cass_call_set(graphExec, node, &work));
}
