/* Driver API: graph nodes of any type by the tagged union of 12.2, conditional nodes, batches of
 * memory operations. */
#include <string.h>

#include "driver/batch.h"
#include "driver/capture.h"
#include "driver/condition.h"
#include "driver/graph_works.h"
#include "driver/place.h"

enum { LAST_NODE_TYPE = CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH };

/* Nodes that come with handles or lists of their own; any other type. */
static int other_work(cass_graph *graph, CUgraphNodeParams *p, cass_work *work) {
    switch ((int)p->type) {
    case CASS_NODE_BATCH:
        return cass_batch_work(work, p->memOp.ctx, p->memOp.paramArray, p->memOp.count,
                               p->memOp.flags);
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
        return (int)p->type > LAST_NODE_TYPE ? INVALID_VALUE : NOT_SUPPORTED;
    }
}

/* A node of any type from the tagged union of 12.2. */
static int any_work(cass_graph *graph, CUgraphNodeParams *p, cass_work *work) {
    if (!p || p->reserved0[0] || p->reserved0[1] || p->reserved0[2] || p->reserved2)
        return INVALID_VALUE;
    switch ((int)p->type) {
    case CASS_NODE_KERNEL:
        return cass_cu_kernel_work((const CUDA_KERNEL_NODE_PARAMS_v1 *)(void *)&p->kernel,
                                   p->kernel.kern, work);
    case CASS_NODE_COPY:
        return cass_cu_block_work(&p->memcpy.copyParams, work);
    case CASS_NODE_FILL:
        return cass_cu_fill_work((const CUDA_MEMSET_NODE_PARAMS *)(void *)&p->memset, work);
    case CASS_NODE_HOST:
        return cass_cu_host_work((const CUDA_HOST_NODE_PARAMS *)(void *)&p->host, work);
    case CASS_NODE_GRAPH:
        return cass_call_child(p->graph.graph, work);
    case CASS_NODE_EMPTY:
        *work = (cass_work){.type = CASS_NODE_EMPTY};
        return OK;
    case CASS_NODE_WAIT_EVENT:
        return cass_cu_event_work(p->eventWait.event, CASS_NODE_WAIT_EVENT, work);
    case CASS_NODE_RECORD_EVENT:
        return cass_cu_event_work(p->eventRecord.event, CASS_NODE_RECORD_EVENT, work);
    case CASS_NODE_ALLOC:
        return cass_cu_alloc_work(&p->alloc.dptr, p->alloc.bytesize, work);
    case CASS_NODE_FREE:
        *work = (cass_work){.type = CASS_NODE_FREE, .memory = {cass_address(p->free.dptr), 0}};
        return p->free.dptr ? OK : INVALID_VALUE;
    default:
        return other_work(graph, p, work);
    }
}

CUresult cass_cuGraphAddNode(NODE_ARGUMENTS, CUgraphNodeParams *nodeParams) {
    ENTER(device);
    cass_work work;
    TRY(device, any_work(cass_graph_of(hGraph), nodeParams, &work));
    TRY(device, cass_call_add(OUT(phGraphNode), hGraph, dependencies, numDependencies, &work));
    if (work.type == CASS_NODE_CONDITION)
        nodeParams->conditional.phGraph_out = work.condition.bodies;
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
                                const CUgraphNode *dependencies,
                                const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                CUgraphNodeParams *nodeParams) {
    int bad = cass_call_edges_possible(dependencyData, numDependencies,
                                       nodeParams ? (int)nodeParams->type : 0);
    if (bad) return (CUresult)bad;
    return cass_cuGraphAddNode(phGraphNode, hGraph, dependencies, numDependencies, nodeParams);
}

CUresult cass_cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams) {
    SET(NULL, hNode, any_work(NULL, nodeParams, &work));
}

CUresult cass_cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                       CUgraphNodeParams *nodeParams) {
    NEED(cass_exec_of(hGraphExec));
    SET(hGraphExec, hNode, any_work(NULL, nodeParams, &work));
}

CUresult cass_cuGraphAddNode_v3(CUgraphNode *phGraphNode, CUgraph hGraph,
                                const CUgraphNode *dependencies,
                                const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                CUgraphNodeParams *nodeParams) {
    return cass_cuGraphAddNode_v2(phGraphNode, hGraph, dependencies, dependencyData,
                                  numDependencies, nodeParams);
}

CUresult cass_cuGraphNodeSetParams_v2(CUgraphNode hNode, CUgraphNodeParams *nodeParams) {
    return cass_cuGraphNodeSetParams(hNode, nodeParams);
}

static void describe_kernel(const cass_kernel_node *node, CUDA_KERNEL_NODE_PARAMS_v3 *out) {
    const unsigned *grid = node->launch.grid, *block = node->launch.block;
    *out = (CUDA_KERNEL_NODE_PARAMS_v3){node->kernel,
                                        grid[0],
                                        grid[1],
                                        grid[2],
                                        block[0],
                                        block[1],
                                        block[2],
                                        (unsigned)node->launch.shared_bytes,
                                        node->pointers,
                                        NULL,
                                        cass_cu_library_kernel(node->kernel),
                                        cass_thread.current};
}

static void describe_copy(const cass_copy_node *node, CUDA_MEMCPY_NODE_PARAMS *out) {
    cass_block block = {node->to, node->from, node->width, node->height, node->depth};
    out->copyCtx = cass_thread.current;
    cass_block_to_3d(&block, &out->copyParams);
}

/* Nodes of events, memory, batches and conditions. */
static void describe_other(const cass_work *work, CUgraphNodeParams *out) {
    CUdeviceptr memory = (CUdeviceptr)(uintptr_t)work->memory.pointer;
    switch (work->type) {
    case CASS_NODE_WAIT_EVENT:
        out->eventWait.event = (CUevent)work->event;
        return;
    case CASS_NODE_RECORD_EVENT:
        out->eventRecord.event = (CUevent)work->event;
        return;
    case CASS_NODE_ALLOC:
        out->alloc.bytesize = work->memory.bytes, out->alloc.dptr = memory;
        return;
    case CASS_NODE_FREE:
        out->free.dptr = memory;
        return;
    case CASS_NODE_BATCH:
        out->memOp = (CUDA_BATCH_MEM_OP_NODE_PARAMS_v2){work->batch.context, work->batch.count,
                                                        work->batch.operations, work->batch.flags};
        return;
    case CASS_NODE_CONDITION:
        out->conditional = (CUDA_CONDITIONAL_NODE_PARAMS){
            cass_condition_handle(work), (CUgraphConditionalNodeType)work->condition.type,
            work->condition.size, work->condition.bodies, cass_thread.current};
        return;
    default:
        return; /* empty */
    }
}

static void describe(const cass_work *work, CUgraphNodeParams *out) {
    const cass_fill *fill = &work->fill;
    switch (work->type) {
    case CASS_NODE_KERNEL:
        describe_kernel(&work->kernel, &out->kernel);
        return;
    case CASS_NODE_COPY:
        describe_copy(&work->copy, &out->memcpy);
        return;
    case CASS_NODE_FILL:
        out->memset = (CUDA_MEMSET_NODE_PARAMS_v2){(CUdeviceptr)(uintptr_t)fill->to,
                                                   fill->pitch,
                                                   fill->value,
                                                   fill->element_bytes,
                                                   fill->width,
                                                   fill->height,
                                                   cass_thread.current};
        return;
    case CASS_NODE_HOST:
        out->host.fn = work->host.function, out->host.userData = work->host.user;
        return;
    case CASS_NODE_GRAPH:
        out->graph.graph = work->child;
        return;
    default:
        describe_other(work, out);
    }
}

static void describe_whole(const cass_work *work, CUgraphNodeParams *out) {
    memset(out, 0, sizeof *out);
    out->type = (CUgraphNodeType)work->type;
    describe(work, out);
}

CUresult cass_cuGraphNodeGetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams) {
    ENTER(device);
    (void)device;
    cass_node *node = cass_node_of(hNode);
    if (!node || !nodeParams) return CUDA_ERROR_INVALID_VALUE;
    describe_whole(&node->work, nodeParams);
    return CUDA_SUCCESS;
}

/* What an executable graph takes over here is every parameter, so that all are eligible. */
static int tell(void *callback, void *user, cass_node *node, const cass_work *now) {
    CUgraphNodeParams old, new;
    CUgraphRecaptureCallback call;
    memcpy(&call, &callback, sizeof call);
    describe_whole(&node->work, &old);
    describe_whole(now, &new);
    return (int)call(user, node, &old, &new, CU_GRAPH_RECAPTURE_ELIGIBLE_FOR_UPDATE);
}

CUresult cass_cuStreamBeginRecaptureToGraph(CUstream hStream, CUstreamCaptureMode mode,
                                            CUgraph hGraph, CUgraphRecaptureCallback callbackFunc,
                                            void *userData) {
    ENTER(device);
    cass_recapture again = {.tell = tell, .user = userData};
    memcpy(&again.callback, &callbackFunc, sizeof again.callback);
    return DONE(device,
                cass_capture_again(cass_stream(hStream), (int)mode, cass_graph_of(hGraph), again));
}

/* Unique among the nodes of all graphs: graphs are numbered from 1. */
CUresult cass_cuGraphNodeGetToolsId(CUgraphNode hNode, unsigned long long *toolsNodeId) {
    STARTED();
    cass_node *node = cass_node_of(hNode);
    if (!node || !toolsNodeId) return CUDA_ERROR_INVALID_VALUE;
    *toolsNodeId = (unsigned long long)node->graph->id << 32 | node->id;
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphConditionalHandleCreate(CUgraphConditionalHandle *pHandle_out, CUgraph hGraph,
                                             CUcontext ctx, unsigned int defaultLaunchValue,
                                             unsigned int flags) {
    ENTER(device);
    (void)ctx;
    cass_graph *graph = cass_graph_of(hGraph);
    if (!graph || !pHandle_out) return CUDA_ERROR_INVALID_VALUE;
    uint64_t handle = 0;
    TRY(device, cass_condition_create(graph, defaultLaunchValue, flags, &handle));
    *pHandle_out = handle;
    return CUDA_SUCCESS;
}

static int batch_work(const CUDA_BATCH_MEM_OP_NODE_PARAMS *p, cass_work *work) {
    return p ? cass_batch_work(work, p->ctx, p->paramArray, p->count, p->flags) : INVALID_VALUE;
}

CUresult cass_cuGraphAddBatchMemOpNode(NODE_ARGUMENTS,
                                       const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams) {
    ADD(batch_work(nodeParams, &work));
}

CUresult cass_cuGraphBatchMemOpNodeGetParams(CUgraphNode hNode,
                                             CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams_out) {
    READ(device, hNode, CASS_NODE_BATCH, nodeParams_out);
    *nodeParams_out = (CUDA_BATCH_MEM_OP_NODE_PARAMS){work->batch.context, work->batch.count,
                                                      work->batch.operations, work->batch.flags};
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphBatchMemOpNodeSetParams(CUgraphNode hNode,
                                             const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams) {
    SET(NULL, hNode, batch_work(nodeParams, &work));
}

CUresult cass_cuGraphExecBatchMemOpNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                 const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams) {
    NEED(hGraphExec);
    SET(hGraphExec, hNode, batch_work(nodeParams, &work));
}
