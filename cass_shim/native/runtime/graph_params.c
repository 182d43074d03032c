/* Graphs: reading and replacing the parameters of one kind of node. */
#include <string.h>

#include "driver/graph_calls.h"
#include "runtime/graph_works.h"
#include "runtime/place.h"

/* The node's work of this type, or returns from the body. */
#define READ(device, node, type, out)                                                              \
    ENTER(device);                                                                                 \
    cass_work *work;                                                                               \
    if (!(out)) return cudaErrorInvalidValue;                                                      \
    TRY(device, cass_call_work(node, type, &work))

/* Replaces the work of `node`, in `exec` where that is not NULL, by what `call` makes. */
#define SET(exec, node, call)                                                                      \
    ENTER(device);                                                                                 \
    cass_work work;                                                                                \
    TRY(device, call);                                                                             \
    return DONE(device, cass_call_set(exec, node, &work))

#define NEED(exec)                                                                                 \
    if (!(exec)) return cudaErrorInvalidValue

void *cass_node_function(const cass_kernel_node *node) {
    const void *stub = node->symbol == node->kernel ? cass_kernel_stub(node->kernel) : node->symbol;
    return (void *)(uintptr_t)stub;
}

cudaError_t cass_cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                              struct cudaKernelNodeParams *pNodeParams) {
    READ(device, node, CASS_NODE_KERNEL, pNodeParams);
    const cass_kernel_node *kernel = &work->kernel;
    const unsigned *grid = kernel->launch.grid, *block = kernel->launch.block;
    void *function = cass_node_function(kernel);
    if (!function) return cudaErrorInvalidDeviceFunction; /* recorded */
    *pNodeParams = (struct cudaKernelNodeParams){function,
                                                 {grid[0], grid[1], grid[2]},
                                                 {block[0], block[1], block[2]},
                                                 (unsigned)kernel->launch.shared_bytes,
                                                 kernel->pointers,
                                                 NULL};
    return cudaSuccess;
}

cudaError_t cass_cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                              const struct cudaKernelNodeParams *pNodeParams) {
    SET(NULL, node, cass_kernel_work(pNodeParams, &work));
}

cudaError_t cass_cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                  const struct cudaKernelNodeParams *pNodeParams) {
    NEED(hGraphExec);
    SET(hGraphExec, node, cass_kernel_work(pNodeParams, &work));
}

cudaError_t cass_cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                              struct cudaMemcpy3DParms *pNodeParams) {
    READ(device, node, CASS_NODE_COPY, pNodeParams);
    const cass_copy_node *copy = &work->copy;
    cass_block block = {copy->to, copy->from, copy->width, copy->height, copy->depth};
    cass_block_write(&block, pNodeParams);
    return cudaSuccess;
}

cudaError_t cass_cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                              const struct cudaMemcpy3DParms *pNodeParams) {
    SET(NULL, node, cass_block_work(pNodeParams, &work));
}

cudaError_t cass_cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                  const struct cudaMemcpy3DParms *pNodeParams) {
    NEED(hGraphExec);
    SET(hGraphExec, node, cass_block_work(pNodeParams, &work));
}

cudaError_t cass_cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src,
                                                size_t count, enum cudaMemcpyKind kind) {
    SET(NULL, node, cass_line_work(dst, src, count, kind, &work));
}

cudaError_t cass_cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec,
                                                    cudaGraphNode_t node, void *dst,
                                                    const void *src, size_t count,
                                                    enum cudaMemcpyKind kind) {
    NEED(hGraphExec);
    SET(hGraphExec, node, cass_line_work(dst, src, count, kind, &work));
}

cudaError_t cass_cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                                      const void *src, size_t count, size_t offset,
                                                      enum cudaMemcpyKind kind) {
    SET(NULL, node,
        cass_symbol_work(device, (void *)(uintptr_t)symbol, src, 1, count, offset, kind, &work));
}

cudaError_t cass_cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec,
                                                          cudaGraphNode_t node, const void *symbol,
                                                          const void *src, size_t count,
                                                          size_t offset, enum cudaMemcpyKind kind) {
    NEED(hGraphExec);
    SET(hGraphExec, node,
        cass_symbol_work(device, (void *)(uintptr_t)symbol, src, 1, count, offset, kind, &work));
}

cudaError_t cass_cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                                        const void *symbol, size_t count,
                                                        size_t offset, enum cudaMemcpyKind kind) {
    SET(NULL, node, cass_symbol_work(device, dst, symbol, 0, count, offset, kind, &work));
}

cudaError_t cass_cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec,
                                                            cudaGraphNode_t node, void *dst,
                                                            const void *symbol, size_t count,
                                                            size_t offset,
                                                            enum cudaMemcpyKind kind) {
    NEED(hGraphExec);
    SET(hGraphExec, node, cass_symbol_work(device, dst, symbol, 0, count, offset, kind, &work));
}

cudaError_t cass_cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                              struct cudaMemsetParams *pNodeParams) {
    READ(device, node, CASS_NODE_FILL, pNodeParams);
    const cass_fill *fill = &work->fill;
    *pNodeParams = (struct cudaMemsetParams){
        fill->to, fill->pitch, fill->value, fill->element_bytes, fill->width, fill->height};
    return cudaSuccess;
}

cudaError_t cass_cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                              const struct cudaMemsetParams *pNodeParams) {
    SET(NULL, node, cass_fill_work(pNodeParams, &work));
}

cudaError_t cass_cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                  const struct cudaMemsetParams *pNodeParams) {
    NEED(hGraphExec);
    SET(hGraphExec, node, cass_fill_work(pNodeParams, &work));
}

cudaError_t cass_cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                            struct cudaHostNodeParams *pNodeParams) {
    READ(device, node, CASS_NODE_HOST, pNodeParams);
    *pNodeParams = (struct cudaHostNodeParams){work->host.function, work->host.user};
    return cudaSuccess;
}

cudaError_t cass_cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                            const struct cudaHostNodeParams *pNodeParams) {
    SET(NULL, node, cass_host_work(pNodeParams, &work));
}

cudaError_t cass_cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                const struct cudaHostNodeParams *pNodeParams) {
    NEED(hGraphExec);
    SET(hGraphExec, node, cass_host_work(pNodeParams, &work));
}

cudaError_t cass_cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *pGraph) {
    READ(device, node, CASS_NODE_GRAPH, pGraph);
    *pGraph = work->child;
    return cudaSuccess;
}

cudaError_t cass_cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec,
                                                      cudaGraphNode_t node,
                                                      cudaGraph_t childGraph) {
    NEED(hGraphExec);
    ENTER(device);
    return DONE(device, cass_call_set_child(hGraphExec, node, childGraph));
}

cudaError_t cass_cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out) {
    READ(device, node, CASS_NODE_RECORD_EVENT, event_out);
    *event_out = (cudaEvent_t)work->event;
    return cudaSuccess;
}

cudaError_t cass_cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out) {
    READ(device, node, CASS_NODE_WAIT_EVENT, event_out);
    *event_out = (cudaEvent_t)work->event;
    return cudaSuccess;
}

cudaError_t cass_cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    SET(NULL, node, cass_event_work(event, CASS_NODE_RECORD_EVENT, &work));
}

cudaError_t cass_cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    SET(NULL, node, cass_event_work(event, CASS_NODE_WAIT_EVENT, &work));
}

cudaError_t cass_cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec,
                                                      cudaGraphNode_t hNode, cudaEvent_t event) {
    NEED(hGraphExec);
    SET(hGraphExec, hNode, cass_event_work(event, CASS_NODE_RECORD_EVENT, &work));
}

cudaError_t cass_cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec,
                                                    cudaGraphNode_t hNode, cudaEvent_t event) {
    NEED(hGraphExec);
    SET(hGraphExec, hNode, cass_event_work(event, CASS_NODE_WAIT_EVENT, &work));
}

cudaError_t cass_cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                                struct cudaMemAllocNodeParams *params_out) {
    READ(device, node, CASS_NODE_ALLOC, params_out);
    memset(params_out, 0, sizeof *params_out);
    params_out->bytesize = work->memory.bytes;
    params_out->dptr = work->memory.pointer;
    return cudaSuccess;
}

cudaError_t cass_cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out) {
    READ(device, node, CASS_NODE_FREE, dptr_out);
    *(void **)dptr_out = work->memory.pointer;
    return cudaSuccess;
}

cudaError_t cass_cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                                 cudaLaunchAttributeValue *value_out) {
    ENTER(device);
    return DONE(device, cass_call_attribute(hNode, (unsigned)attr, value_out, 0));
}

cudaError_t cass_cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                                 const cudaLaunchAttributeValue *value) {
    ENTER(device);
    return DONE(device, cass_call_attribute(hNode, (unsigned)attr, (void *)(uintptr_t)value, 1));
}

/* The destination comes first. Headers before 13.0 have the two names the other way round, above
 * the same code of libcudart (api/cudart: one hash for all releases). */
cudaError_t cass_cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst, cudaGraphNode_t hSrc) {
    ENTER(device);
    return DONE(device, cass_call_copy_attributes(hSrc, hDst));
}
