/* Driver API: graph nodes and their parameters. */
#include <string.h>

#include "driver/api.h"
#include "driver/graph_works.h"
#include "driver/place.h"

int cass_cu_kernel_work(const CUDA_KERNEL_NODE_PARAMS_v1 *p, const void *kern, cass_work *work) {
    if (!p) return INVALID_VALUE;
    cass_kernel *kernel = cass_kernel_of(p->func ? (const void *)p->func : kern);
    if (!kernel) return INVALID_HANDLE;
    cass_launch launch = {.grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
                          .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
                          .shared_bytes = p->sharedMemBytes,
                          .parameters = p->kernelParams};
    for (int i = 0; !p->kernelParams && p->extra && i < 4 && p->extra[i]; i += 2) {
        if (p->extra[i] == (void *)1) launch.packed = p->extra[i + 1];
        else launch.packed_bytes = *(size_t *)p->extra[i + 1];
    }
    int result = cass_launch_check(kernel, &launch);
    return result ? result : cass_work_kernel(work, kernel, kernel, &launch);
}

CUkernel cass_cu_library_kernel(cass_kernel *kernel) {
    return kernel->module->of_context ? NULL : (CUkernel)(void *)kernel;
}

/* The second version is the first with a kernel handle behind it. */
static int kernel_work_v2(const CUDA_KERNEL_NODE_PARAMS *p, cass_work *work) {
    return cass_cu_kernel_work((const CUDA_KERNEL_NODE_PARAMS_v1 *)(const void *)p,
                               p ? p->kern : NULL, work);
}

int cass_cu_block_work(const CUDA_MEMCPY3D *p, cass_work *work) {
    cass_block block;
    int result = cass_block_from_3d(p, &block);
    if (result) return result;
    return cass_call_block(work, &block.to, &block.from, block.width, block.height, block.depth);
}

int cass_cu_fill_work(const CUDA_MEMSET_NODE_PARAMS *p, cass_work *work) {
    if (!p) return INVALID_VALUE;
    return cass_call_fill(work, cass_address(p->dst), p->pitch, p->value, p->elementSize, p->width,
                          p->height);
}

int cass_cu_host_work(const CUDA_HOST_NODE_PARAMS *p, cass_work *work) {
    if (!p || !p->fn) return INVALID_VALUE;
    *work = (cass_work){.type = CASS_NODE_HOST, .host = {p->fn, p->userData}};
    return OK;
}

int cass_cu_event_work(CUevent event, int type, cass_work *work) {
    if (!event) return INVALID_VALUE;
    *work = (cass_work){.type = type, .event = cass_event(event)};
    return OK;
}

int cass_cu_alloc_work(CUdeviceptr *address, size_t bytes, cass_work *work) {
    *work = (cass_work){.type = CASS_NODE_ALLOC, .memory = {NULL, bytes}};
    int result = cass_graph_memory(&work->memory.pointer, bytes);
    *address = (CUdeviceptr)(uintptr_t)work->memory.pointer;
    return result;
}

CUresult cass_cuGraphAddKernelNode(NODE_ARGUMENTS, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams) {
    ADD(cass_cu_kernel_work(nodeParams, NULL, &work));
}

CUresult cass_cuGraphAddKernelNode_v2(NODE_ARGUMENTS, const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
    ADD(kernel_work_v2(nodeParams, &work));
}

CUresult cass_cuGraphAddMemcpyNode(NODE_ARGUMENTS, const CUDA_MEMCPY3D *copyParams, CUcontext ctx) {
    (void)ctx;
    ADD(cass_cu_block_work(copyParams, &work));
}

CUresult cass_cuGraphAddMemsetNode(NODE_ARGUMENTS, const CUDA_MEMSET_NODE_PARAMS *memsetParams,
                                   CUcontext ctx) {
    (void)ctx;
    ADD(cass_cu_fill_work(memsetParams, &work));
}

CUresult cass_cuGraphAddHostNode(NODE_ARGUMENTS, const CUDA_HOST_NODE_PARAMS *nodeParams) {
    ADD(cass_cu_host_work(nodeParams, &work));
}

CUresult cass_cuGraphAddEmptyNode(NODE_ARGUMENTS) {
    ADD((work = (cass_work){.type = CASS_NODE_EMPTY}, 0));
}

CUresult cass_cuGraphAddEventRecordNode(NODE_ARGUMENTS, CUevent event) {
    ADD(cass_cu_event_work(event, CASS_NODE_RECORD_EVENT, &work));
}

CUresult cass_cuGraphAddEventWaitNode(NODE_ARGUMENTS, CUevent event) {
    ADD(cass_cu_event_work(event, CASS_NODE_WAIT_EVENT, &work));
}

CUresult cass_cuGraphAddChildGraphNode(NODE_ARGUMENTS, CUgraph childGraph) {
    ENTER(device);
    return DONE(device, cass_call_add_child(OUT(phGraphNode), hGraph, dependencies, numDependencies,
                                            childGraph));
}

CUresult cass_cuGraphAddMemAllocNode(NODE_ARGUMENTS, CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams) {
    NEED(nodeParams);
    ADD(cass_cu_alloc_work(&nodeParams->dptr, nodeParams->bytesize, &work));
}

CUresult cass_cuGraphAddMemFreeNode(NODE_ARGUMENTS, CUdeviceptr dptr) {
    NEED(dptr);
    ADD((work = (cass_work){.type = CASS_NODE_FREE, .memory = {cass_address(dptr), 0}}, 0));
}

CUresult cass_cuGraphKernelNodeGetParams(CUgraphNode hNode,
                                         CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams) {
    READ(device, hNode, CASS_NODE_KERNEL, nodeParams);
    const cass_kernel_node *kernel = &work->kernel;
    const unsigned *grid = kernel->launch.grid, *block = kernel->launch.block;
    *nodeParams = (CUDA_KERNEL_NODE_PARAMS_v1){
        kernel->kernel,   grid[0],  grid[1],  grid[2],
        block[0],         block[1], block[2], (unsigned)kernel->launch.shared_bytes,
        kernel->pointers, NULL};
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphKernelNodeGetParams_v2(CUgraphNode hNode,
                                            CUDA_KERNEL_NODE_PARAMS *nodeParams) {
    NEED(nodeParams);
    CUDA_KERNEL_NODE_PARAMS_v1 first;
    CUresult result = cass_cuGraphKernelNodeGetParams(hNode, &first);
    if (result) return result;
    *nodeParams = (CUDA_KERNEL_NODE_PARAMS){0};
    memcpy(nodeParams, &first, sizeof first);
    nodeParams->kern = cass_cu_library_kernel(first.func);
    nodeParams->ctx = cass_thread.current;
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphKernelNodeSetParams(CUgraphNode hNode,
                                         const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams) {
    SET(NULL, hNode, cass_cu_kernel_work(nodeParams, NULL, &work));
}

CUresult cass_cuGraphKernelNodeSetParams_v2(CUgraphNode hNode,
                                            const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
    SET(NULL, hNode, kernel_work_v2(nodeParams, &work));
}

CUresult cass_cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                             const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams) {
    NEED(hGraphExec);
    SET(hGraphExec, hNode, cass_cu_kernel_work(nodeParams, NULL, &work));
}

CUresult cass_cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
    NEED(hGraphExec);
    SET(hGraphExec, hNode, kernel_work_v2(nodeParams, &work));
}

CUresult cass_cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams) {
    READ(device, hNode, CASS_NODE_COPY, nodeParams);
    const cass_copy_node *copy = &work->copy;
    cass_block block = {copy->to, copy->from, copy->width, copy->height, copy->depth};
    cass_block_to_3d(&block, nodeParams);
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams) {
    SET(NULL, hNode, cass_cu_block_work(nodeParams, &work));
}

CUresult cass_cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                             const CUDA_MEMCPY3D *copyParams, CUcontext ctx) {
    (void)ctx;
    NEED(hGraphExec);
    SET(hGraphExec, hNode, cass_cu_block_work(copyParams, &work));
}

CUresult cass_cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams) {
    READ(device, hNode, CASS_NODE_FILL, nodeParams);
    const cass_fill *fill = &work->fill;
    *nodeParams = (CUDA_MEMSET_NODE_PARAMS){(CUdeviceptr)(uintptr_t)fill->to,
                                            fill->pitch,
                                            fill->value,
                                            fill->element_bytes,
                                            fill->width,
                                            fill->height};
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphMemsetNodeSetParams(CUgraphNode hNode,
                                         const CUDA_MEMSET_NODE_PARAMS *nodeParams) {
    SET(NULL, hNode, cass_cu_fill_work(nodeParams, &work));
}

CUresult cass_cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                             const CUDA_MEMSET_NODE_PARAMS *memsetParams,
                                             CUcontext ctx) {
    (void)ctx;
    NEED(hGraphExec);
    SET(hGraphExec, hNode, cass_cu_fill_work(memsetParams, &work));
}

CUresult cass_cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams) {
    READ(device, hNode, CASS_NODE_HOST, nodeParams);
    *nodeParams = (CUDA_HOST_NODE_PARAMS){work->host.function, work->host.user};
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams) {
    SET(NULL, hNode, cass_cu_host_work(nodeParams, &work));
}

CUresult cass_cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                           const CUDA_HOST_NODE_PARAMS *nodeParams) {
    NEED(hGraphExec);
    SET(hGraphExec, hNode, cass_cu_host_work(nodeParams, &work));
}

CUresult cass_cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph *phGraph) {
    READ(device, hNode, CASS_NODE_GRAPH, phGraph);
    *phGraph = work->child;
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                 CUgraph childGraph) {
    NEED(hGraphExec);
    ENTER(device);
    return DONE(device, cass_call_set_child(hGraphExec, hNode, childGraph));
}

CUresult cass_cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent *event_out) {
    READ(device, hNode, CASS_NODE_RECORD_EVENT, event_out);
    *event_out = (CUevent)work->event;
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent *event_out) {
    READ(device, hNode, CASS_NODE_WAIT_EVENT, event_out);
    *event_out = (CUevent)work->event;
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event) {
    SET(NULL, hNode, cass_cu_event_work(event, CASS_NODE_RECORD_EVENT, &work));
}

CUresult cass_cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event) {
    SET(NULL, hNode, cass_cu_event_work(event, CASS_NODE_WAIT_EVENT, &work));
}

CUresult cass_cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                 CUevent event) {
    NEED(hGraphExec);
    SET(hGraphExec, hNode, cass_cu_event_work(event, CASS_NODE_RECORD_EVENT, &work));
}

CUresult cass_cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                               CUevent event) {
    NEED(hGraphExec);
    SET(hGraphExec, hNode, cass_cu_event_work(event, CASS_NODE_WAIT_EVENT, &work));
}

CUresult cass_cuGraphMemAllocNodeGetParams(CUgraphNode hNode,
                                           CUDA_MEM_ALLOC_NODE_PARAMS *params_out) {
    READ(device, hNode, CASS_NODE_ALLOC, params_out);
    memset(params_out, 0, sizeof *params_out);
    params_out->bytesize = work->memory.bytes;
    params_out->dptr = (CUdeviceptr)(uintptr_t)work->memory.pointer;
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr *dptr_out) {
    READ(device, hNode, CASS_NODE_FREE, dptr_out);
    *dptr_out = (CUdeviceptr)(uintptr_t)work->memory.pointer;
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                            CUkernelNodeAttrValue *value_out) {
    ENTER(device);
    return DONE(device, cass_call_attribute(hNode, (unsigned)attr, value_out, 0));
}

CUresult cass_cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                            const CUkernelNodeAttrValue *value) {
    ENTER(device);
    return DONE(device, cass_call_attribute(hNode, (unsigned)attr, (void *)(uintptr_t)value, 1));
}

CUresult cass_cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src) {
    ENTER(device);
    return DONE(device, cass_call_copy_attributes(src, dst));
}
