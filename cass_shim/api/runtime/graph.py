"""Graph management: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "Graph management")
fn = chapter.fn
same = chapter.same

fn("cudaDeviceGetGraphMemAttribute", IMPLEMENTED, "cudaError_t",
   "int device, enum cudaGraphMemAttributeType attr, void *value", since=11040)
fn("cudaDeviceGraphMemTrim", IMPLEMENTED, "cudaError_t", "int device", since=11040)
fn("cudaDeviceSetGraphMemAttribute", IMPLEMENTED, "cudaError_t",
   "int device, enum cudaGraphMemAttributeType attr, void *value", since=11040)
fn("cudaGraphAddChildGraphNode", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, cudaGraph_t childGraph", since=10000)
fn("cudaGraphAddDependencies", IMPLEMENTED, "cudaError_t",
   "cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t numDependencies",
   since=10000, until=13000)
same("cudaGraphAddDependencies", "cudaGraphAddDependencies_v2", since=13000)
fn("cudaGraphAddDependencies_v2", IMPLEMENTED, "cudaError_t",
   "cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData "
   "*edgeData, size_t numDependencies", since=12090, until=13000)
fn("cudaGraphAddEmptyNode", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies", since=10000)
fn("cudaGraphAddEventRecordNode", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, cudaEvent_t event", since=11010)
fn("cudaGraphAddEventWaitNode", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, cudaEvent_t event", since=11010)
fn("cudaGraphAddExternalSemaphoresSignalNode", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, const struct cudaExternalSemaphoreSignalNodeParams *nodeParams", since=11020)
fn("cudaGraphAddExternalSemaphoresWaitNode", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, const struct cudaExternalSemaphoreWaitNodeParams *nodeParams", since=11020)
fn("cudaGraphAddHostNode", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, const struct cudaHostNodeParams *pNodeParams", since=10000)
fn("cudaGraphAddKernelNode", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, const struct cudaKernelNodeParams *pNodeParams", since=10000)
fn("cudaGraphAddMemAllocNode", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, struct cudaMemAllocNodeParams *nodeParams", since=11040)
fn("cudaGraphAddMemFreeNode", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, void *dptr", since=11040)
fn("cudaGraphAddMemcpyNode", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, const struct cudaMemcpy3DParms *pCopyParams", since=10000)
fn("cudaGraphAddMemcpyNode1D", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, void *dst, const void *src, size_t count, enum cudaMemcpyKind kind", since=11010)
fn("cudaGraphAddMemcpyNodeFromSymbol", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind "
   "kind", since=11010)
fn("cudaGraphAddMemcpyNodeToSymbol", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, const void *symbol, const void *src, size_t count, size_t offset, enum "
   "cudaMemcpyKind kind", since=11010)
fn("cudaGraphAddMemsetNode", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, const struct cudaMemsetParams *pMemsetParams", since=10000)
fn("cudaGraphAddNode", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, struct cudaGraphNodeParams *nodeParams", since=12020, until=13000)
same("cudaGraphAddNode", "cudaGraphAddNode_v2", since=13000)
fn("cudaGraphAddNode_v2", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, const "
   "cudaGraphEdgeData *dependencyData, size_t numDependencies, struct cudaGraphNodeParams *nodeParams",
   since=12090, until=13000)
fn("cudaGraphChildGraphNodeGetGraph", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, cudaGraph_t *pGraph", since=10000)
fn("cudaGraphClone", IMPLEMENTED, "cudaError_t", "cudaGraph_t *pGraphClone, cudaGraph_t originalGraph", since=10000)
fn("cudaGraphConditionalHandleCreate", IMPLEMENTED, "cudaError_t",
   "cudaGraphConditionalHandle *pHandle_out, cudaGraph_t graph, unsigned int defaultLaunchValue, "
   "unsigned int flags", since=12030)
fn("cudaGraphCreate", IMPLEMENTED, "cudaError_t", "cudaGraph_t *pGraph, unsigned int flags", since=10000)
fn("cudaGraphDebugDotPrint", IMPLEMENTED, "cudaError_t",
   "cudaGraph_t graph, const char *path, unsigned int flags", since=11030)
fn("cudaGraphDestroy", IMPLEMENTED, "cudaError_t", "cudaGraph_t graph", since=10000)
fn("cudaGraphDestroyNode", IMPLEMENTED, "cudaError_t", "cudaGraphNode_t node", since=10000)
fn("cudaGraphEventRecordNodeGetEvent", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, cudaEvent_t *event_out", since=11010)
fn("cudaGraphEventRecordNodeSetEvent", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, cudaEvent_t event", since=11010)
fn("cudaGraphEventWaitNodeGetEvent", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, cudaEvent_t *event_out", since=11010)
fn("cudaGraphEventWaitNodeSetEvent", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, cudaEvent_t event", since=11010)
fn("cudaGraphExecChildGraphNodeSetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t node, cudaGraph_t childGraph", since=11010)
fn("cudaGraphExecDestroy", IMPLEMENTED, "cudaError_t", "cudaGraphExec_t graphExec", since=10000)
fn("cudaGraphExecEventRecordNodeSetEvent", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, cudaEvent_t event", since=11010)
fn("cudaGraphExecEventWaitNodeSetEvent", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, cudaEvent_t event", since=11010)
fn("cudaGraphExecExternalSemaphoresSignalNodeSetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, const struct "
   "cudaExternalSemaphoreSignalNodeParams *nodeParams", since=11020)
fn("cudaGraphExecExternalSemaphoresWaitNodeSetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, const struct "
   "cudaExternalSemaphoreWaitNodeParams *nodeParams", since=11020)
fn("cudaGraphExecGetFlags", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t graphExec, unsigned long long *flags", since=12000)
fn("cudaGraphExecHostNodeSetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t node, const struct cudaHostNodeParams *pNodeParams",
   since=10020)
fn("cudaGraphExecKernelNodeSetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t node, const struct cudaKernelNodeParams *pNodeParams",
   since=10010)
fn("cudaGraphExecMemcpyNodeSetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t node, const struct cudaMemcpy3DParms *pNodeParams",
   since=10020)
fn("cudaGraphExecMemcpyNodeSetParams1D", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst, const void *src, size_t count, enum "
   "cudaMemcpyKind kind", since=11010)
fn("cudaGraphExecMemcpyNodeSetParamsFromSymbol", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst, const void *symbol, size_t count, "
   "size_t offset, enum cudaMemcpyKind kind", since=11010)
fn("cudaGraphExecMemcpyNodeSetParamsToSymbol", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t node, const void *symbol, const void *src, size_t "
   "count, size_t offset, enum cudaMemcpyKind kind", since=11010)
fn("cudaGraphExecMemsetNodeSetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t node, const struct cudaMemsetParams *pNodeParams",
   since=10020)
fn("cudaGraphExecNodeSetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t graphExec, cudaGraphNode_t node, struct cudaGraphNodeParams *nodeParams", since=12020)
fn("cudaGraphExecUpdate", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraph_t hGraph, cudaGraphNode_t *hErrorNode_out, enum "
   "cudaGraphExecUpdateResult *updateResult_out", since=10020, until=12000)
fn("cudaGraphExecUpdate", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraph_t hGraph, cudaGraphExecUpdateResultInfo *resultInfo",
   since=12000, body="cudaGraphExecUpdate_v12")
fn("cudaGraphExternalSemaphoresSignalNodeGetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t hNode, struct cudaExternalSemaphoreSignalNodeParams *params_out", since=11020)
fn("cudaGraphExternalSemaphoresSignalNodeSetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t hNode, const struct cudaExternalSemaphoreSignalNodeParams *nodeParams", since=11020)
fn("cudaGraphExternalSemaphoresWaitNodeGetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t hNode, struct cudaExternalSemaphoreWaitNodeParams *params_out", since=11020)
fn("cudaGraphExternalSemaphoresWaitNodeSetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t hNode, const struct cudaExternalSemaphoreWaitNodeParams *nodeParams", since=11020)
fn("cudaGraphGetEdges", IMPLEMENTED, "cudaError_t",
   "cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *numEdges",
   since=10000, until=13000)
same("cudaGraphGetEdges", "cudaGraphGetEdges_v2", since=13000)
fn("cudaGraphGetEdges_v2", IMPLEMENTED, "cudaError_t",
   "cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edgeData, size_t "
   "*numEdges", since=12090, until=13000)
fn("cudaGraphGetNodes", IMPLEMENTED, "cudaError_t",
   "cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes", since=10000)
fn("cudaGraphGetRootNodes", IMPLEMENTED, "cudaError_t",
   "cudaGraph_t graph, cudaGraphNode_t *pRootNodes, size_t *pNumRootNodes", since=10000)
fn("cudaGraphHostNodeGetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, struct cudaHostNodeParams *pNodeParams", since=10000)
fn("cudaGraphHostNodeSetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, const struct cudaHostNodeParams *pNodeParams", since=10000)
fn("cudaGraphInstantiate", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t *pGraphExec, cudaGraph_t graph, cudaGraphNode_t *pErrorNode, char *pLogBuffer, "
   "size_t bufferSize", since=10000, until=12000)
same("cudaGraphInstantiate", "cudaGraphInstantiateWithFlags", since=12000)
fn("cudaGraphInstantiateWithFlags", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t *pGraphExec, cudaGraph_t graph, unsigned long long flags", since=11040)
fn("cudaGraphInstantiateWithParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t *pGraphExec, cudaGraph_t graph, cudaGraphInstantiateParams *instantiateParams",
   since=12000, pt="ptsz")
fn("cudaGraphKernelNodeCopyAttributes", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t hDst, cudaGraphNode_t hSrc", since=11000)
fn("cudaGraphKernelNodeGetAttribute", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t hNode, cudaLaunchAttributeID attr, cudaLaunchAttributeValue *value_out", since=11000)
fn("cudaGraphKernelNodeGetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, struct cudaKernelNodeParams *pNodeParams", since=10000)
fn("cudaGraphKernelNodeSetAttribute", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t hNode, cudaLaunchAttributeID attr, const cudaLaunchAttributeValue *value", since=11000)
fn("cudaGraphKernelNodeSetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, const struct cudaKernelNodeParams *pNodeParams", since=10000)
fn("cudaGraphLaunch", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t graphExec, cudaStream_t stream", since=10000, pt="ptsz")
fn("cudaGraphMemAllocNodeGetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, struct cudaMemAllocNodeParams *params_out", since=11040)
fn("cudaGraphMemFreeNodeGetParams", IMPLEMENTED, "cudaError_t", "cudaGraphNode_t node, void *dptr_out", since=11040)
fn("cudaGraphMemcpyNodeGetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, struct cudaMemcpy3DParms *pNodeParams", since=10000)
fn("cudaGraphMemcpyNodeSetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, const struct cudaMemcpy3DParms *pNodeParams", since=10000)
fn("cudaGraphMemcpyNodeSetParams1D", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, void *dst, const void *src, size_t count, enum cudaMemcpyKind kind", since=11010)
fn("cudaGraphMemcpyNodeSetParamsFromSymbol", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, void *dst, const void *symbol, size_t count, size_t offset, enum "
   "cudaMemcpyKind kind", since=11010)
fn("cudaGraphMemcpyNodeSetParamsToSymbol", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, const void *symbol, const void *src, size_t count, size_t offset, enum "
   "cudaMemcpyKind kind", since=11010)
fn("cudaGraphMemsetNodeGetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, struct cudaMemsetParams *pNodeParams", since=10000)
fn("cudaGraphMemsetNodeSetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, const struct cudaMemsetParams *pNodeParams", since=10000)
fn("cudaGraphNodeFindInClone", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t *pNode, cudaGraphNode_t originalNode, cudaGraph_t clonedGraph", since=10000)
fn("cudaGraphNodeGetDependencies", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, cudaGraphNode_t *pDependencies, size_t *pNumDependencies", since=10000, until=13000)
same("cudaGraphNodeGetDependencies", "cudaGraphNodeGetDependencies_v2", since=13000)
fn("cudaGraphNodeGetDependencies_v2", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, cudaGraphNode_t *pDependencies, cudaGraphEdgeData *edgeData, size_t "
   "*pNumDependencies", since=12090, until=13000)
fn("cudaGraphNodeGetDependentNodes", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes, size_t *pNumDependentNodes",
   since=10000, until=13000)
same("cudaGraphNodeGetDependentNodes", "cudaGraphNodeGetDependentNodes_v2", since=13000)
fn("cudaGraphNodeGetDependentNodes_v2", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes, cudaGraphEdgeData *edgeData, size_t "
   "*pNumDependentNodes", since=12090, until=13000)
fn("cudaGraphNodeGetEnabled", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int *isEnabled", since=11060)
fn("cudaGraphNodeGetType", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, enum cudaGraphNodeType *pType", since=10000)
fn("cudaGraphNodeSetEnabled", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int isEnabled", since=11060)
fn("cudaGraphNodeSetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, struct cudaGraphNodeParams *nodeParams", since=12020)
fn("cudaGraphReleaseUserObject", IMPLEMENTED, "cudaError_t",
   "cudaGraph_t graph, cudaUserObject_t object, unsigned int count", since=11030)
fn("cudaGraphRemoveDependencies", IMPLEMENTED, "cudaError_t",
   "cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t numDependencies",
   since=10000, until=13000)
same("cudaGraphRemoveDependencies", "cudaGraphRemoveDependencies_v2", since=13000)
fn("cudaGraphRemoveDependencies_v2", IMPLEMENTED, "cudaError_t",
   "cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData "
   "*edgeData, size_t numDependencies", since=12090, until=13000)
fn("cudaGraphRetainUserObject", IMPLEMENTED, "cudaError_t",
   "cudaGraph_t graph, cudaUserObject_t object, unsigned int count, unsigned int flags", since=11030)
fn("cudaGraphUpload", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t graphExec, cudaStream_t stream", since=10000, pt="ptsz")
fn("cudaUserObjectCreate", IMPLEMENTED, "cudaError_t",
   "cudaUserObject_t *object_out, void *ptr, cudaHostFn_t destroy, unsigned int initialRefcount, "
   "unsigned int flags", since=11030)
fn("cudaUserObjectRelease", IMPLEMENTED, "cudaError_t", "cudaUserObject_t object, unsigned int count", since=11030)
fn("cudaUserObjectRetain", IMPLEMENTED, "cudaError_t", "cudaUserObject_t object, unsigned int count", since=11030)
fn("cudaGraphConditionalHandleCreate_v2", IMPLEMENTED, "cudaError_t",
   "cudaGraphConditionalHandle *pHandle_out, cudaGraph_t graph, cudaExecutionContext_t ctx, unsigned "
   "int defaultLaunchValue, unsigned int flags", since=13010)
fn("cudaGraphExecGetId", IMPLEMENTED, "cudaError_t",
   "cudaGraphExec_t hGraphExec, unsigned int *graphID", since=13010)
fn("cudaGraphGetId", IMPLEMENTED, "cudaError_t", "cudaGraph_t hGraph, unsigned int *graphID", since=13010)
fn("cudaGraphNodeGetContainingGraph", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t hNode, cudaGraph_t *phGraph", since=13010)
fn("cudaGraphNodeGetLocalId", IMPLEMENTED, "cudaError_t", "cudaGraphNode_t hNode, unsigned int *nodeId", since=13010)
fn("cudaGraphNodeGetToolsId", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t hNode, unsigned long long *toolsNodeId", since=13010)
fn("cudaGraphNodeGetParams", IMPLEMENTED, "cudaError_t",
   "cudaGraphNode_t node, struct cudaGraphNodeParams *nodeParams", since=13020)
