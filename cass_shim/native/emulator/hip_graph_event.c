/* Graph nodes that record and wait for events, and that allocate and free memory. */
#include "emulator/hip_calls.h"
#include "emulator/hip_graph_exec.h"

static emu_op *event_op(hipEvent_t handle, bool wait, hipError_t *error) {
    *error = hipErrorInvalidValue;
    emu_event *event = emu_event_of(handle);
    if (!event) return NULL;
    return wait ? emu_event_wait_op(event) : emu_event_record_op(event);
}

static hipError_t get_event(hipGraphNode_t handle, emu_op_kind kind, hipEvent_t *event_out) {
    emu_node *node = emu_node_of_kind(handle, kind);
    if (!node || !event_out) return emu_fail(hipErrorInvalidValue, "no event node or no result");
    *event_out = emu_event_op_event(node->op);
    return hipSuccess;
}

hipError_t emu_hipGraphAddEventRecordNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                          const hipGraphNode_t *pDependencies,
                                          size_t numDependencies, hipEvent_t event) {
    hipError_t error;
    emu_op *op = event_op(event, false, &error);
    return emu_node_add(pGraphNode, graph, pDependencies, numDependencies, op, error);
}

hipError_t emu_hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t *event_out) {
    return get_event(node, EMU_OP_EVENT_RECORD, event_out);
}

hipError_t emu_hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
    hipError_t error;
    emu_op *op = event_op(event, false, &error);
    return emu_node_replace(node, op, error);
}

hipError_t emu_hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                                   hipEvent_t event) {
    hipError_t error;
    emu_op *op = event_op(event, false, &error);
    return emu_step_set(hGraphExec, hNode, op, error);
}

hipError_t emu_hipGraphAddEventWaitNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                        const hipGraphNode_t *pDependencies, size_t numDependencies,
                                        hipEvent_t event) {
    hipError_t error;
    emu_op *op = event_op(event, true, &error);
    return emu_node_add(pGraphNode, graph, pDependencies, numDependencies, op, error);
}

hipError_t emu_hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t *event_out) {
    return get_event(node, EMU_OP_EVENT_WAIT, event_out);
}

hipError_t emu_hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
    hipError_t error;
    emu_op *op = event_op(event, true, &error);
    return emu_node_replace(node, op, error);
}

hipError_t emu_hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                                 hipEvent_t event) {
    hipError_t error;
    emu_op *op = event_op(event, true, &error);
    return emu_step_set(hGraphExec, hNode, op, error);
}

hipError_t emu_hipGraphAddMemAllocNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                       const hipGraphNode_t *pDependencies, size_t numDependencies,
                                       hipMemAllocNodeParams *pNodeParams) {
    hipError_t error;
    if (!pNodeParams) return emu_fail(hipErrorInvalidValue, "no parameters");
    emu_op *op = emu_alloc_op(emu_current(), pNodeParams, &pNodeParams->dptr, &error);
    return emu_node_add(pGraphNode, graph, pDependencies, numDependencies, op, error);
}

hipError_t emu_hipGraphMemAllocNodeGetParams(hipGraphNode_t handle,
                                             hipMemAllocNodeParams *pNodeParams) {
    emu_node *node = emu_node_of_kind(handle, EMU_OP_ALLOC);
    if (!node || !pNodeParams)
        return emu_fail(hipErrorInvalidValue, "no allocation node or no result");
    *pNodeParams = *emu_alloc_op_params(node->op);
    return hipSuccess;
}

hipError_t emu_hipGraphAddMemFreeNode(hipGraphNode_t *pGraphNode, hipGraph_t graph,
                                      const hipGraphNode_t *pDependencies, size_t numDependencies,
                                      void *dev_ptr) {
    if (!dev_ptr) return emu_fail(hipErrorInvalidValue, "no memory to free");
    return emu_node_add(pGraphNode, graph, pDependencies, numDependencies,
                        emu_graph_free_op(dev_ptr), hipErrorOutOfMemory);
}

hipError_t emu_hipDrvGraphAddMemFreeNode(hipGraphNode_t *phGraphNode, hipGraph_t hGraph,
                                         const hipGraphNode_t *dependencies, size_t numDependencies,
                                         void *dptr) {
    return emu_hipGraphAddMemFreeNode(phGraphNode, hGraph, dependencies, numDependencies, dptr);
}

hipError_t emu_hipGraphMemFreeNodeGetParams(hipGraphNode_t handle, void *dev_ptr) {
    emu_node *node = emu_node_of_kind(handle, EMU_OP_FREE);
    if (!node || !dev_ptr) return emu_fail(hipErrorInvalidValue, "no free node or no result");
    *(void **)dev_ptr = emu_graph_free_op_address(node->op);
    return hipSuccess;
}
