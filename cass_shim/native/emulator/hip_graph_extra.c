/* Graph nodes by the generic and driver calls, nodes that name symbols, and the printed graph. */
#include "emulator/hip_calls.h"
#include "emulator/hip_copy.h"
#include "emulator/hip_graph_exec.h"
#include "emulator/hip_launch.h"
#include "emulator/hip_register.h"

#include <stdio.h>

hipError_t emu_hipGraphAddNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                               const hipGraphNode_t *pDependencies, size_t numDependencies,
                               hipGraphNodeParams *nodeParams) {
    if (!nodeParams) return emu_fail(hipErrorInvalidValue, "no parameters");
    hipGraphNodeParams_union_0 *p = &nodeParams->params;
    switch ((int)nodeParams->type) {
    case hipGraphNodeTypeKernel:
        return emu_hipGraphAddKernelNode(pGraphNode, graph, pDependencies, numDependencies,
                                         &p->kernel);
    case hipGraphNodeTypeMemcpy:
        return emu_hipGraphAddMemcpyNode(pGraphNode, graph, pDependencies, numDependencies,
                                         &p->memcpy.copyParams);
    case hipGraphNodeTypeMemset:
        return emu_hipGraphAddMemsetNode(pGraphNode, graph, pDependencies, numDependencies,
                                         &p->memset);
    case hipGraphNodeTypeHost:
        return emu_hipGraphAddHostNode(pGraphNode, graph, pDependencies, numDependencies, &p->host);
    case hipGraphNodeTypeGraph:
        return emu_hipGraphAddChildGraphNode(pGraphNode, graph, pDependencies, numDependencies,
                                             p->graph.graph);
    case hipGraphNodeTypeEmpty:
        return emu_hipGraphAddEmptyNode(pGraphNode, graph, pDependencies, numDependencies);
    case hipGraphNodeTypeWaitEvent:
        return emu_hipGraphAddEventWaitNode(pGraphNode, graph, pDependencies, numDependencies,
                                            p->eventWait.event);
    case hipGraphNodeTypeEventRecord:
        return emu_hipGraphAddEventRecordNode(pGraphNode, graph, pDependencies, numDependencies,
                                              p->eventRecord.event);
    case hipGraphNodeTypeMemAlloc:
        return emu_hipGraphAddMemAllocNode(pGraphNode, graph, pDependencies, numDependencies,
                                           &p->alloc);
    case hipGraphNodeTypeMemFree:
        return emu_hipGraphAddMemFreeNode(pGraphNode, graph, pDependencies, numDependencies,
                                          p->free.dptr);
    default:
        return emu_fail(hipErrorNotSupported, "a graph node of type %d", (int)nodeParams->type);
    }
}

hipError_t emu_hipGraphNodeSetParams(hipGraphNode_t node, hipGraphNodeParams *nodeParams) {
    if (!nodeParams) return emu_fail(hipErrorInvalidValue, "no parameters");
    hipGraphNodeParams_union_0 *p = &nodeParams->params;
    switch ((int)nodeParams->type) {
    case hipGraphNodeTypeKernel:
        return emu_hipGraphKernelNodeSetParams(node, &p->kernel);
    case hipGraphNodeTypeMemcpy:
        return emu_hipGraphMemcpyNodeSetParams(node, &p->memcpy.copyParams);
    case hipGraphNodeTypeMemset:
        return emu_hipGraphMemsetNodeSetParams(node, &p->memset);
    case hipGraphNodeTypeHost:
        return emu_hipGraphHostNodeSetParams(node, &p->host);
    case hipGraphNodeTypeWaitEvent:
        return emu_hipGraphEventWaitNodeSetEvent(node, p->eventWait.event);
    case hipGraphNodeTypeEventRecord:
        return emu_hipGraphEventRecordNodeSetEvent(node, p->eventRecord.event);
    default:
        return emu_fail(hipErrorNotSupported, "changing a graph node of type %d",
                        (int)nodeParams->type);
    }
}

hipError_t emu_hipGraphExecNodeSetParams(hipGraphExec_t graphExec, hipGraphNode_t node,
                                         hipGraphNodeParams *nodeParams) {
    if (!nodeParams) return emu_fail(hipErrorInvalidValue, "no parameters");
    hipGraphNodeParams_union_0 *p = &nodeParams->params;
    switch ((int)nodeParams->type) {
    case hipGraphNodeTypeKernel:
        return emu_hipGraphExecKernelNodeSetParams(graphExec, node, &p->kernel);
    case hipGraphNodeTypeMemcpy:
        return emu_hipGraphExecMemcpyNodeSetParams(graphExec, node, &p->memcpy.copyParams);
    case hipGraphNodeTypeMemset:
        return emu_hipGraphExecMemsetNodeSetParams(graphExec, node, &p->memset);
    case hipGraphNodeTypeHost:
        return emu_hipGraphExecHostNodeSetParams(graphExec, node, &p->host);
    case hipGraphNodeTypeGraph:
        return emu_hipGraphExecChildGraphNodeSetParams(graphExec, node, p->graph.graph);
    case hipGraphNodeTypeWaitEvent:
        return emu_hipGraphExecEventWaitNodeSetEvent(graphExec, node, p->eventWait.event);
    case hipGraphNodeTypeEventRecord:
        return emu_hipGraphExecEventRecordNodeSetEvent(graphExec, node, p->eventRecord.event);
    default:
        return emu_fail(hipErrorNotSupported, "changing a graph node of type %d",
                        (int)nodeParams->type);
    }
}

hipError_t emu_hipDrvGraphAddMemcpyNode(hipGraphNode_t *phGraphNode, hipGraph_t hGraph,
                                        const hipGraphNode_t *dependencies, size_t numDependencies,
                                        const HIP_MEMCPY3D *copyParams, hipCtx_t ctx) {
    hipMemcpy3DParms params;
    (void)ctx;
    hipError_t error = emu_driver_copy(copyParams, &params);
    return error ? error
                 : emu_hipGraphAddMemcpyNode(phGraphNode, hGraph, dependencies, numDependencies,
                                             &params);
}

hipError_t emu_hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t hNode,
                                              const HIP_MEMCPY3D *nodeParams) {
    hipMemcpy3DParms params;
    hipError_t error = emu_driver_copy(nodeParams, &params);
    return error ? error : emu_hipGraphMemcpyNodeSetParams(hNode, &params);
}

hipError_t emu_hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                                  const HIP_MEMCPY3D *copyParams, hipCtx_t ctx) {
    hipMemcpy3DParms params;
    (void)ctx;
    hipError_t error = emu_driver_copy(copyParams, &params);
    return error ? error : emu_hipGraphExecMemcpyNodeSetParams(hGraphExec, hNode, &params);
}

hipError_t emu_hipDrvGraphAddMemsetNode(hipGraphNode_t *phGraphNode, hipGraph_t hGraph,
                                        const hipGraphNode_t *dependencies, size_t numDependencies,
                                        const hipMemsetParams *memsetParams, hipCtx_t ctx) {
    (void)ctx;
    return emu_hipGraphAddMemsetNode(phGraphNode, hGraph, dependencies, numDependencies,
                                     memsetParams);
}

hipError_t emu_hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                                  const hipMemsetParams *memsetParams,
                                                  hipCtx_t ctx) {
    (void)ctx;
    return emu_hipGraphExecMemsetNodeSetParams(hGraphExec, hNode, memsetParams);
}

/* Address of a part of a variable; NULL with an error if it leaves the variable. */
static hipError_t part_of(const void *symbol, size_t offset, size_t count, void **address) {
    size_t bytes = 0;
    hipError_t error = emu_variable_by_symbol(symbol, address, &bytes);
    if (error) return error;
    if (offset > bytes || count > bytes - offset)
        return emu_fail(hipErrorInvalidValue, "the copy leaves the variable of %zu bytes", bytes);
    *address = (uint8_t *)*address + offset;
    return hipSuccess;
}

hipError_t emu_hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                               const hipGraphNode_t *pDependencies,
                                               size_t numDependencies, void *dst,
                                               const void *symbol, size_t count, size_t offset,
                                               hipMemcpyKind kind) {
    void *at;
    hipError_t error = part_of(symbol, offset, count, &at);
    return error ? error
                 : emu_hipGraphAddMemcpyNode1D(pGraphNode, graph, pDependencies, numDependencies,
                                               dst, at, count, kind);
}

hipError_t emu_hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                             const hipGraphNode_t *pDependencies,
                                             size_t numDependencies, const void *symbol,
                                             const void *src, size_t count, size_t offset,
                                             hipMemcpyKind kind) {
    void *at;
    hipError_t error = part_of(symbol, offset, count, &at);
    return error ? error
                 : emu_hipGraphAddMemcpyNode1D(pGraphNode, graph, pDependencies, numDependencies,
                                               at, src, count, kind);
}

hipError_t emu_hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void *dst,
                                                     const void *symbol, size_t count,
                                                     size_t offset, hipMemcpyKind kind) {
    void *at;
    hipError_t error = part_of(symbol, offset, count, &at);
    return error ? error : emu_hipGraphMemcpyNodeSetParams1D(node, dst, at, count, kind);
}

hipError_t emu_hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void *symbol,
                                                   const void *src, size_t count, size_t offset,
                                                   hipMemcpyKind kind) {
    void *at;
    hipError_t error = part_of(symbol, offset, count, &at);
    return error ? error : emu_hipGraphMemcpyNodeSetParams1D(node, at, src, count, kind);
}

hipError_t emu_hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t hGraphExec,
                                                         hipGraphNode_t node, void *dst,
                                                         const void *symbol, size_t count,
                                                         size_t offset, hipMemcpyKind kind) {
    void *at;
    hipError_t error = part_of(symbol, offset, count, &at);
    return error ? error
                 : emu_hipGraphExecMemcpyNodeSetParams1D(hGraphExec, node, dst, at, count, kind);
}

hipError_t emu_hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t hGraphExec,
                                                       hipGraphNode_t node, const void *symbol,
                                                       const void *src, size_t count, size_t offset,
                                                       hipMemcpyKind kind) {
    void *at;
    hipError_t error = part_of(symbol, offset, count, &at);
    return error ? error
                 : emu_hipGraphExecMemcpyNodeSetParams1D(hGraphExec, node, at, src, count, kind);
}

static const char *label(const emu_node *node) {
    static const char *const names[] = {"kernel", "copy",   "fill",   "host", "graph", "empty",
                                        "wait",   "record", "signal", "wait", "alloc", "free"};
    hipGraphNodeType type = emu_node_type(node);
    return (size_t)type < sizeof names / sizeof names[0] ? names[type] : "memory operation";
}

/* Graphviz text of the nodes, kernels by name, and their edges. */
hipError_t emu_hipGraphDebugDotPrint(hipGraph_t handle, const char *path, unsigned int flags) {
    emu_graph *graph = emu_graph_of(handle);
    (void)flags;
    if (!graph || !path) return emu_fail(hipErrorInvalidValue, "no graph or no path");
    FILE *file = fopen(path, "we");
    if (!file) return emu_fail(hipErrorOperatingSystem, "cannot write %.300s", path);
    fprintf(file, "digraph graph_%llu {\n", (unsigned long long)graph->id);
    for (size_t i = 0; i < graph->count; i++) {
        const emu_node *node = graph->nodes[i];
        bool kernel = node->op->kind == EMU_OP_KERNEL && !node->child;
        const char *name = kernel ? ((const emu_launch_op *)node->op)->function->name : "";
        fprintf(file, "  n%llu [label=\"%s%s%s\"];\n", (unsigned long long)node->id, label(node),
                kernel ? " " : "", name);
        for (size_t d = 0; d < node->dependency_count; d++)
            fprintf(file, "  n%llu -> n%llu;\n", (unsigned long long)node->dependencies[d]->id,
                    (unsigned long long)node->id);
    }
    fprintf(file, "}\n");
    return fclose(file) == 0 ? hipSuccess
                             : emu_fail(hipErrorOperatingSystem, "cannot write %.300s", path);
}
