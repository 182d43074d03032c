/* Graph nodes of every kind: adding them, reading their parameters, changing them in a graph or an
 * executable one. Parameters always become a checked op; changing a node replaces its op. */
#include "emulator/hip_calls.h"
#include "emulator/hip_copy.h"
#include "emulator/hip_graph_exec.h"
#include "emulator/hip_launch.h"
#include "emulator/hip_register.h"

#include <stdlib.h>

/* The op that kernel node parameters describe; NULL with `error` set. */
static emu_op *kernel_op(const hipKernelNodeParams *params, hipError_t *error) {
    *error = emu_fail(hipErrorInvalidValue, "no parameters");
    if (!params) return NULL;
    const dim3 *grid = &params->gridDim, *block = &params->blockDim;
    const uint32_t groups[] = {grid->x, grid->y, grid->z}, items[] = {block->x, block->y, block->z};
    emu_function *function = emu_function_by_symbol(params->func, error);
    if (!function) return NULL;
    emu_shape shape = emu_shape_of(groups, items, params->sharedMemBytes, false);
    emu_launch_op *op =
        emu_launch_new(function, &shape, params->kernelParams, params->extra, error);
    if (op) op->symbol = params->func;
    return op ? &op->op : NULL;
}

static emu_op *copy_op(const hipMemcpy3DParms *params, hipError_t *error) {
    *error = emu_fail(hipErrorInvalidValue, "no parameters");
    emu_copy_op *op = params ? emu_copy_new(params, error) : NULL;
    if (!op && !*error) *error = emu_fail(hipErrorInvalidValue, "a copy node of no bytes");
    return op ? &op->op : NULL;
}

static emu_op *set_op(const hipMemsetParams *params, hipError_t *error) {
    *error = emu_fail(hipErrorInvalidValue, "no parameters");
    emu_set_op *op = params ? emu_set_new(params, 1, 0, error) : NULL;
    if (!op && !*error) *error = emu_fail(hipErrorInvalidValue, "a fill node of no bytes");
    return op ? &op->op : NULL;
}

static emu_op *host_op(const hipHostNodeParams *params, hipError_t *error) {
    *error = emu_fail(hipErrorInvalidValue, "no parameters or no function");
    return params && params->fn ? emu_host_op(params->fn, params->userData) : NULL;
}

hipError_t emu_node_add(hipGraphNode_t *into, hipGraph_t handle, const hipGraphNode_t *dependencies,
                        size_t count, emu_op *op, hipError_t error) {
    emu_graph *graph = emu_graph_of(handle);
    if (!op || !graph || !into || (count && !dependencies)) {
        emu_op_free(op);
        return op ? emu_fail(hipErrorInvalidValue, "no node, no graph or no dependencies") : error;
    }
    emu_node *node = emu_graph_add(graph, op, (emu_node *const *)(const void *)dependencies, count);
    *into = (hipGraphNode_t)(void *)node;
    return node ? hipSuccess : hipErrorInvalidValue;
}

emu_node *emu_node_of_kind(hipGraphNode_t handle, emu_op_kind kind) {
    emu_node *node = emu_node_of(handle);
    if (node && node->op->kind == kind && !node->child) return node;
    if (node) emu_fail(hipErrorInvalidValue, "the node is of another kind");
    return NULL;
}

hipError_t emu_node_replace(hipGraphNode_t handle, emu_op *op, hipError_t error) {
    emu_node *node = op ? emu_node_of_kind(handle, op->kind) : NULL;
    if (!node) {
        emu_op_free(op);
        return op ? hipErrorInvalidValue : error;
    }
    emu_op_free(node->op);
    node->op = op;
    return hipSuccess;
}

hipError_t emu_step_set(hipGraphExec_t handle, hipGraphNode_t which, emu_op *op, hipError_t error) {
    emu_exec *exec = emu_exec_of(handle);
    emu_node *node = exec && op ? emu_node_of_kind(which, op->kind) : NULL;
    emu_step *step = node ? emu_exec_step(exec, node) : NULL;
    if (!step || step->op->kind != op->kind) {
        emu_op_free(op);
        return op ? hipErrorInvalidValue : error;
    }
    emu_step_replace(exec, step, op);
    return hipSuccess;
}

hipError_t emu_hipGraphAddEmptyNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                    const hipGraphNode_t *pDependencies, size_t numDependencies) {
    emu_op *op = emu_op_new(sizeof *op, EMU_OP_EMPTY, emu_run_nothing);
    return emu_node_add(pGraphNode, graph, pDependencies, numDependencies, op, hipErrorOutOfMemory);
}

hipError_t emu_hipGraphAddKernelNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                     const hipGraphNode_t *pDependencies, size_t numDependencies,
                                     const hipKernelNodeParams *pNodeParams) {
    hipError_t error;
    emu_op *op = kernel_op(pNodeParams, &error);
    return emu_node_add(pGraphNode, graph, pDependencies, numDependencies, op, error);
}

hipError_t emu_hipGraphKernelNodeGetParams(hipGraphNode_t handle,
                                           hipKernelNodeParams *pNodeParams) {
    emu_node *node = emu_node_of_kind(handle, EMU_OP_KERNEL);
    if (!node || !pNodeParams) return emu_fail(hipErrorInvalidValue, "no kernel node or no result");
    emu_launch_op *op = (emu_launch_op *)node->op;
    const emu_shape *shape = &op->shape;
    *pNodeParams = (hipKernelNodeParams){
        .gridDim = {shape->groups[0], shape->groups[1], shape->groups[2]},
        .blockDim = {shape->group_items[0], shape->group_items[1], shape->group_items[2]},
        .func = (void *)(uintptr_t)op->symbol,
        .kernelParams = emu_launch_pointers(op),
        .sharedMemBytes = shape->dynamic_lds};
    return hipSuccess;
}

hipError_t emu_hipGraphKernelNodeSetParams(hipGraphNode_t node,
                                           const hipKernelNodeParams *pNodeParams) {
    hipError_t error;
    emu_op *op = kernel_op(pNodeParams, &error);
    return emu_node_replace(node, op, error);
}

hipError_t emu_hipGraphExecKernelNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                               const hipKernelNodeParams *pNodeParams) {
    hipError_t error;
    emu_op *op = kernel_op(pNodeParams, &error);
    return emu_step_set(hGraphExec, node, op, error);
}

/* Attributes of kernel nodes: only "cooperative" changes what a launch does. */
hipError_t emu_hipGraphKernelNodeSetAttribute(hipGraphNode_t hNode, hipLaunchAttributeID attr,
                                              const hipLaunchAttributeValue *value) {
    emu_node *node = emu_node_of_kind(hNode, EMU_OP_KERNEL);
    if (!node || !value) return emu_fail(hipErrorInvalidValue, "no kernel node or no value");
    emu_launch_op *op = (emu_launch_op *)node->op;
    if (attr == hipLaunchAttributeCooperative) op->shape.cooperative = value->cooperative != 0;
    if (attr == hipLaunchAttributePriority) op->priority = value->priority;
    bool known = attr == hipLaunchAttributeCooperative || attr == hipLaunchAttributePriority ||
                 attr == hipLaunchAttributeAccessPolicyWindow;
    return known ? hipSuccess : emu_fail(hipErrorInvalidValue, "attribute %d", (int)attr);
}

hipError_t emu_hipGraphKernelNodeGetAttribute(hipGraphNode_t hNode, hipLaunchAttributeID attr,
                                              hipLaunchAttributeValue *value) {
    emu_node *node = emu_node_of_kind(hNode, EMU_OP_KERNEL);
    if (!node || !value) return emu_fail(hipErrorInvalidValue, "no kernel node or no value");
    const emu_launch_op *op = (const emu_launch_op *)node->op;
    *value = (hipLaunchAttributeValue){0};
    if (attr == hipLaunchAttributeCooperative) value->cooperative = op->shape.cooperative;
    if (attr == hipLaunchAttributePriority) value->priority = op->priority;
    bool known = attr == hipLaunchAttributeCooperative || attr == hipLaunchAttributePriority ||
                 attr == hipLaunchAttributeAccessPolicyWindow;
    return known ? hipSuccess : emu_fail(hipErrorInvalidValue, "attribute %d", (int)attr);
}

hipError_t emu_hipGraphKernelNodeCopyAttributes(hipGraphNode_t hSrc, hipGraphNode_t hDst) {
    emu_node *from = emu_node_of_kind(hSrc, EMU_OP_KERNEL),
             *to = emu_node_of_kind(hDst, EMU_OP_KERNEL);
    if (!from || !to) return hipErrorInvalidValue;
    ((emu_launch_op *)to->op)->shape.cooperative = ((emu_launch_op *)from->op)->shape.cooperative;
    ((emu_launch_op *)to->op)->priority = ((emu_launch_op *)from->op)->priority;
    return hipSuccess;
}

hipError_t emu_hipGraphAddMemcpyNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                     const hipGraphNode_t *pDependencies, size_t numDependencies,
                                     const hipMemcpy3DParms *pCopyParams) {
    hipError_t error;
    emu_op *op = copy_op(pCopyParams, &error);
    return emu_node_add(pGraphNode, graph, pDependencies, numDependencies, op, error);
}

hipError_t emu_hipGraphMemcpyNodeGetParams(hipGraphNode_t handle, hipMemcpy3DParms *pNodeParams) {
    emu_node *node = emu_node_of_kind(handle, EMU_OP_COPY);
    if (!node || !pNodeParams) return emu_fail(hipErrorInvalidValue, "no copy node or no result");
    *pNodeParams = ((const emu_copy_op *)node->op)->params;
    return hipSuccess;
}

hipError_t emu_hipGraphMemcpyNodeSetParams(hipGraphNode_t node,
                                           const hipMemcpy3DParms *pNodeParams) {
    hipError_t error;
    emu_op *op = copy_op(pNodeParams, &error);
    return emu_node_replace(node, op, error);
}

hipError_t emu_hipGraphExecMemcpyNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                               hipMemcpy3DParms *pNodeParams) {
    hipError_t error;
    emu_op *op = copy_op(pNodeParams, &error);
    return emu_step_set(hGraphExec, node, op, error);
}

hipError_t emu_hipGraphAddMemcpyNode1D(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                       const hipGraphNode_t *pDependencies, size_t numDependencies,
                                       void *dst, const void *src, size_t count,
                                       hipMemcpyKind kind) {
    hipMemcpy3DParms params = emu_copy_linear(dst, src, count, kind);
    return emu_hipGraphAddMemcpyNode(pGraphNode, graph, pDependencies, numDependencies, &params);
}

hipError_t emu_hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void *dst, const void *src,
                                             size_t count, hipMemcpyKind kind) {
    hipMemcpy3DParms params = emu_copy_linear(dst, src, count, kind);
    return emu_hipGraphMemcpyNodeSetParams(node, &params);
}

hipError_t emu_hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                                 void *dst, const void *src, size_t count,
                                                 hipMemcpyKind kind) {
    hipMemcpy3DParms params = emu_copy_linear(dst, src, count, kind);
    return emu_hipGraphExecMemcpyNodeSetParams(hGraphExec, node, &params);
}

hipError_t emu_hipGraphAddMemsetNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                     const hipGraphNode_t *pDependencies, size_t numDependencies,
                                     const hipMemsetParams *pMemsetParams) {
    hipError_t error;
    emu_op *op = set_op(pMemsetParams, &error);
    return emu_node_add(pGraphNode, graph, pDependencies, numDependencies, op, error);
}

hipError_t emu_hipGraphMemsetNodeGetParams(hipGraphNode_t handle, hipMemsetParams *pNodeParams) {
    emu_node *node = emu_node_of_kind(handle, EMU_OP_SET);
    if (!node || !pNodeParams) return emu_fail(hipErrorInvalidValue, "no fill node or no result");
    *pNodeParams = ((const emu_set_op *)node->op)->params;
    return hipSuccess;
}

hipError_t emu_hipGraphMemsetNodeSetParams(hipGraphNode_t node,
                                           const hipMemsetParams *pNodeParams) {
    hipError_t error;
    emu_op *op = set_op(pNodeParams, &error);
    return emu_node_replace(node, op, error);
}

hipError_t emu_hipGraphExecMemsetNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                               const hipMemsetParams *pNodeParams) {
    hipError_t error;
    emu_op *op = set_op(pNodeParams, &error);
    return emu_step_set(hGraphExec, node, op, error);
}

hipError_t emu_hipGraphAddHostNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                   const hipGraphNode_t *pDependencies, size_t numDependencies,
                                   const hipHostNodeParams *pNodeParams) {
    hipError_t error;
    emu_op *op = host_op(pNodeParams, &error);
    return emu_node_add(pGraphNode, graph, pDependencies, numDependencies, op, error);
}

hipError_t emu_hipGraphHostNodeGetParams(hipGraphNode_t handle, hipHostNodeParams *pNodeParams) {
    emu_node *node = emu_node_of_kind(handle, EMU_OP_HOST);
    if (!node || !pNodeParams) return emu_fail(hipErrorInvalidValue, "no host node or no result");
    emu_host_op_get(node->op, pNodeParams);
    return hipSuccess;
}

hipError_t emu_hipGraphHostNodeSetParams(hipGraphNode_t node,
                                         const hipHostNodeParams *pNodeParams) {
    hipError_t error;
    emu_op *op = host_op(pNodeParams, &error);
    return emu_node_replace(node, op, error);
}

hipError_t emu_hipGraphExecHostNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                             const hipHostNodeParams *pNodeParams) {
    hipError_t error;
    emu_op *op = host_op(pNodeParams, &error);
    return emu_step_set(hGraphExec, node, op, error);
}

hipError_t emu_hipGraphAddChildGraphNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                         const hipGraphNode_t *pDependencies,
                                         size_t numDependencies, hipGraph_t childGraph) {
    emu_graph *child = emu_graph_of(childGraph),
              *copy = child && child != emu_graph_of(graph) ? emu_graph_copy(child) : NULL;
    if (!copy) return emu_fail(hipErrorInvalidValue, "no graph to be the child");
    copy->child = true;
    hipError_t error = emu_hipGraphAddEmptyNode(pGraphNode, graph, pDependencies, numDependencies);
    if (error) emu_graph_free(copy);
    else emu_node_of(*pGraphNode)->child = copy;
    return error;
}

hipError_t emu_hipGraphChildGraphNodeGetGraph(hipGraphNode_t handle, hipGraph_t *pGraph) {
    emu_node *node = emu_node_of(handle);
    if (!node || !node->child || !pGraph)
        return emu_fail(hipErrorInvalidValue, "no child graph node or no result");
    *pGraph = (hipGraph_t)(void *)node->child;
    return hipSuccess;
}

hipError_t emu_hipGraphExecChildGraphNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                                   hipGraph_t childGraph) {
    emu_exec *exec = emu_exec_of(hGraphExec);
    emu_node *which = exec ? emu_node_of(node) : NULL;
    emu_step *step = which ? emu_exec_step(exec, which) : NULL;
    emu_graph *child = step ? emu_graph_of(childGraph) : NULL;
    if (!child || !step->child)
        return emu_fail(hipErrorInvalidValue, "no child graph node or no graph");
    uint64_t failed;
    hipGraphExecUpdateResult result;
    return emu_exec_update(step->child, child, &failed, &result)
               ? emu_fail(hipErrorInvalidValue, "the child graph has another shape")
               : hipSuccess;
}
