/* Graphs: parameters of a node of any type, conditional handles. */
#include <string.h>

#include "driver/capture.h"
#include "driver/condition.h"
#include "driver/graph_calls.h"
#include "runtime/graph_works.h"
#include "runtime/place.h"
#include "runtime/runtime.h"

static void describe_kernel(const cass_kernel_node *node, struct cudaKernelNodeParamsV2 *out) {
    const unsigned *grid = node->launch.grid, *block = node->launch.block;
    void *stub = cass_node_function(node);
    *out = (struct cudaKernelNodeParamsV2){.func = stub ? stub : node->kernel,
                                           .gridDim = {grid[0], grid[1], grid[2]},
                                           .blockDim = {block[0], block[1], block[2]},
                                           .sharedMemBytes = (unsigned)node->launch.shared_bytes,
                                           .kernelParams = node->pointers};
}

/* Nodes of events, memory, batches and conditions. */
static void describe_other(const cass_work *work, struct cudaGraphNodeParams *out) {
    switch (work->type) {
    case CASS_NODE_WAIT_EVENT:
        out->eventWait.event = (cudaEvent_t)work->event;
        break;
    case CASS_NODE_RECORD_EVENT:
        out->eventRecord.event = (cudaEvent_t)work->event;
        break;
    case CASS_NODE_ALLOC:
        out->alloc.bytesize = work->memory.bytes, out->alloc.dptr = work->memory.pointer;
        break;
    case CASS_NODE_FREE:
        out->free.dptr = work->memory.pointer;
        break;
    case CASS_NODE_CONDITION:
        out->conditional.handle = cass_condition_handle(work);
        out->conditional.type = (enum cudaGraphConditionalNodeType)work->condition.type;
        out->conditional.size = work->condition.size;
        out->conditional.phGraph_out = work->condition.bodies;
        break;
    default:
        break; /* empty; batches of memory operations have no runtime form */
    }
}

static void describe(const cass_work *work, struct cudaGraphNodeParams *out) {
    const cass_fill *fill = &work->fill;
    cass_block block = {work->copy.to, work->copy.from, work->copy.width, work->copy.height,
                        work->copy.depth};
    switch (work->type) {
    case CASS_NODE_KERNEL:
        describe_kernel(&work->kernel, &out->kernel);
        break;
    case CASS_NODE_COPY:
        cass_block_write(&block, &out->memcpy.copyParams);
        break;
    case CASS_NODE_FILL:
        out->memset = (struct cudaMemsetParamsV2){.dst = fill->to,
                                                  .pitch = fill->pitch,
                                                  .value = fill->value,
                                                  .elementSize = fill->element_bytes,
                                                  .width = fill->width,
                                                  .height = fill->height};
        break;
    case CASS_NODE_HOST:
        out->host.fn = work->host.function, out->host.userData = work->host.user;
        break;
    case CASS_NODE_GRAPH:
        out->graph.graph = work->child;
        break;
    default:
        describe_other(work, out);
    }
}

static void describe_whole(const cass_work *work, struct cudaGraphNodeParams *out) {
    memset(out, 0, sizeof *out);
    out->type = (enum cudaGraphNodeType)work->type;
    describe(work, out);
}

/* What an executable graph takes over here is every parameter, so that all are eligible. */
static int tell(void *callback, void *user, cass_node *node, const cass_work *now) {
    struct cudaGraphNodeParams old, new;
    cudaGraphRecaptureCallback_t call;
    memcpy(&call, &callback, sizeof call);
    describe_whole(&node->work, &old);
    describe_whole(now, &new);
    return (int)call(user, node, &old, &new, cudaGraphRecaptureEligibleForUpdate);
}

cudaError_t
cass_cudaStreamBeginRecaptureToGraph(cudaStream_t stream, enum cudaStreamCaptureMode mode,
                                     cudaGraph_t graph,
                                     struct cudaGraphRecaptureCallbackData *callbackData) {
    ENTER(device);
    cass_recapture again = {.tell = tell};
    if (callbackData) {
        memcpy(&again.callback, &callbackData->callbackFunc, sizeof again.callback);
        again.user = callbackData->userData;
    }
    return DONE(device,
                cass_capture_again(cass_stream(stream), (int)mode, cass_graph_of(graph), again));
}

cudaError_t cass_cudaGraphNodeGetParams(cudaGraphNode_t node,
                                        struct cudaGraphNodeParams *nodeParams) {
    ENTER(device);
    (void)device;
    const cass_node *found = cass_node_of(node);
    if (!found || !nodeParams) return cudaErrorInvalidValue;
    describe_whole(&found->work, nodeParams);
    return cudaSuccess;
}

cudaError_t cass_cudaGraphNodeGetToolsId(cudaGraphNode_t hNode, unsigned long long *toolsNodeId) {
    ENTER(device);
    (void)device;
    return (cudaError_t)cass_cuGraphNodeGetToolsId(hNode, toolsNodeId);
}

cudaError_t cass_cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *pHandle_out,
                                                  cudaGraph_t graph,
                                                  unsigned int defaultLaunchValue,
                                                  unsigned int flags) {
    ENTER(device);
    cass_graph *of = cass_graph_of(graph);
    if (!of || !pHandle_out) return cudaErrorInvalidValue;
    uint64_t handle = 0;
    TRY(device, cass_condition_create(of, defaultLaunchValue, flags, &handle));
    *pHandle_out = handle;
    return cudaSuccess;
}

cudaError_t cass_cudaGraphConditionalHandleCreate_v2(cudaGraphConditionalHandle *pHandle_out,
                                                     cudaGraph_t graph, cudaExecutionContext_t ctx,
                                                     unsigned int defaultLaunchValue,
                                                     unsigned int flags) {
    (void)ctx; /* every execution context is over the whole device */
    return cass_cudaGraphConditionalHandleCreate(pHandle_out, graph, defaultLaunchValue, flags);
}

cudaError_t cass_cudaLaunchHostFunc_v2(cudaStream_t stream, cudaHostFn_t fn, void *userData,
                                       unsigned int syncMode) {
    (void)syncMode; /* how to wait: a hint */
    return cass_cudaLaunchHostFunc(stream, fn, userData);
}
