"""Graph management: the rows of this chapter of the CUDA runtime API manual."""
# fmt: off
from __future__ import annotations

from cass_shim.api.spec import STUB, Chapter

chapter = Chapter("runtime", "Graph management")
fn = chapter.fn
same = chapter.same

fn("cudaDeviceGetGraphMemAttribute", STUB, "cudaError_t",
   "int device, enum cudaGraphMemAttributeType attr, void *value", since=11040)
fn("cudaDeviceGraphMemTrim", STUB, "cudaError_t", "int device", since=11040)
fn("cudaDeviceSetGraphMemAttribute", STUB, "cudaError_t",
   "int device, enum cudaGraphMemAttributeType attr, void *value", since=11040)
fn("cudaGraphAddChildGraphNode", STUB, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, cudaGraph_t childGraph", since=10000)
fn("cudaGraphAddDependencies", STUB, "cudaError_t",
   "cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t numDependencies",
   since=10000, until=13000)
same("cudaGraphAddDependencies", "cudaGraphAddDependencies_v2", since=13000)
fn("cudaGraphAddDependencies_v2", STUB, "cudaError_t",
   "cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData "
   "*edgeData, size_t numDependencies", since=12090, until=13000)
fn("cudaGraphAddEmptyNode", STUB, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies", since=10000)
fn("cudaGraphAddEventRecordNode", STUB, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, cudaEvent_t event", since=11010)
fn("cudaGraphAddEventWaitNode", STUB, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, cudaEvent_t event", since=11010)
fn("cudaGraphAddExternalSemaphoresSignalNode", STUB, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, const struct cudaExternalSemaphoreSignalNodeParams *nodeParams", since=11020)
fn("cudaGraphAddExternalSemaphoresWaitNode", STUB, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, const struct cudaExternalSemaphoreWaitNodeParams *nodeParams", since=11020)
fn("cudaGraphAddHostNode", STUB, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, const struct cudaHostNodeParams *pNodeParams", since=10000)
fn("cudaGraphAddKernelNode", STUB, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, const struct cudaKernelNodeParams *pNodeParams", since=10000)
fn("cudaGraphAddMemAllocNode", STUB, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, struct cudaMemAllocNodeParams *nodeParams", since=11040)
fn("cudaGraphAddMemFreeNode", STUB, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, void *dptr", since=11040)
fn("cudaGraphAddMemcpyNode", STUB, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, const struct cudaMemcpy3DParms *pCopyParams", since=10000)
fn("cudaGraphAddMemcpyNode1D", STUB, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, void *dst, const void *src, size_t count, enum cudaMemcpyKind kind", since=11010)
fn("cudaGraphAddMemcpyNodeFromSymbol", STUB, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind "
   "kind", since=11010)
fn("cudaGraphAddMemcpyNodeToSymbol", STUB, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, const void *symbol, const void *src, size_t count, size_t offset, enum "
   "cudaMemcpyKind kind", since=11010)
fn("cudaGraphAddMemsetNode", STUB, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, const struct cudaMemsetParams *pMemsetParams", since=10000)
fn("cudaGraphAddNode", STUB, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, size_t "
   "numDependencies, struct cudaGraphNodeParams *nodeParams", since=12020, until=13000)
same("cudaGraphAddNode", "cudaGraphAddNode_v2", since=13000)
fn("cudaGraphAddNode_v2", STUB, "cudaError_t",
   "cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies, const "
   "cudaGraphEdgeData *dependencyData, size_t numDependencies, struct cudaGraphNodeParams *nodeParams",
   since=12090, until=13000)
fn("cudaGraphChildGraphNodeGetGraph", STUB, "cudaError_t",
   "cudaGraphNode_t node, cudaGraph_t *pGraph", since=10000)
fn("cudaGraphClone", STUB, "cudaError_t", "cudaGraph_t *pGraphClone, cudaGraph_t originalGraph", since=10000)
fn("cudaGraphConditionalHandleCreate", STUB, "cudaError_t",
   "cudaGraphConditionalHandle *pHandle_out, cudaGraph_t graph, unsigned int defaultLaunchValue, "
   "unsigned int flags", since=12030)
fn("cudaGraphCreate", STUB, "cudaError_t", "cudaGraph_t *pGraph, unsigned int flags", since=10000)
fn("cudaGraphDebugDotPrint", STUB, "cudaError_t",
   "cudaGraph_t graph, const char *path, unsigned int flags", since=11030)
fn("cudaGraphDestroy", STUB, "cudaError_t", "cudaGraph_t graph", since=10000)
fn("cudaGraphDestroyNode", STUB, "cudaError_t", "cudaGraphNode_t node", since=10000)
fn("cudaGraphEventRecordNodeGetEvent", STUB, "cudaError_t",
   "cudaGraphNode_t node, cudaEvent_t *event_out", since=11010)
fn("cudaGraphEventRecordNodeSetEvent", STUB, "cudaError_t",
   "cudaGraphNode_t node, cudaEvent_t event", since=11010)
fn("cudaGraphEventWaitNodeGetEvent", STUB, "cudaError_t",
   "cudaGraphNode_t node, cudaEvent_t *event_out", since=11010)
fn("cudaGraphEventWaitNodeSetEvent", STUB, "cudaError_t",
   "cudaGraphNode_t node, cudaEvent_t event", since=11010)
fn("cudaGraphExecChildGraphNodeSetParams", STUB, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t node, cudaGraph_t childGraph", since=11010)
fn("cudaGraphExecDestroy", STUB, "cudaError_t", "cudaGraphExec_t graphExec", since=10000)
fn("cudaGraphExecEventRecordNodeSetEvent", STUB, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, cudaEvent_t event", since=11010)
fn("cudaGraphExecEventWaitNodeSetEvent", STUB, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, cudaEvent_t event", since=11010)
fn("cudaGraphExecExternalSemaphoresSignalNodeSetParams", STUB, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, const struct "
   "cudaExternalSemaphoreSignalNodeParams *nodeParams", since=11020)
fn("cudaGraphExecExternalSemaphoresWaitNodeSetParams", STUB, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, const struct "
   "cudaExternalSemaphoreWaitNodeParams *nodeParams", since=11020)
fn("cudaGraphExecGetFlags", STUB, "cudaError_t",
   "cudaGraphExec_t graphExec, unsigned long long *flags", since=12000)
fn("cudaGraphExecHostNodeSetParams", STUB, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t node, const struct cudaHostNodeParams *pNodeParams",
   since=10020)
fn("cudaGraphExecKernelNodeSetParams", STUB, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t node, const struct cudaKernelNodeParams *pNodeParams",
   since=10010)
fn("cudaGraphExecMemcpyNodeSetParams", STUB, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t node, const struct cudaMemcpy3DParms *pNodeParams",
   since=10020)
fn("cudaGraphExecMemcpyNodeSetParams1D", STUB, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst, const void *src, size_t count, enum "
   "cudaMemcpyKind kind", since=11010)
fn("cudaGraphExecMemcpyNodeSetParamsFromSymbol", STUB, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst, const void *symbol, size_t count, "
   "size_t offset, enum cudaMemcpyKind kind", since=11010)
fn("cudaGraphExecMemcpyNodeSetParamsToSymbol", STUB, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t node, const void *symbol, const void *src, size_t "
   "count, size_t offset, enum cudaMemcpyKind kind", since=11010)
fn("cudaGraphExecMemsetNodeSetParams", STUB, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t node, const struct cudaMemsetParams *pNodeParams",
   since=10020)
fn("cudaGraphExecNodeSetParams", STUB, "cudaError_t",
   "cudaGraphExec_t graphExec, cudaGraphNode_t node, struct cudaGraphNodeParams *nodeParams", since=12020)
fn("cudaGraphExecUpdate", STUB, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraph_t hGraph, cudaGraphNode_t *hErrorNode_out, enum "
   "cudaGraphExecUpdateResult *updateResult_out", since=10020, until=12000)
fn("cudaGraphExecUpdate", STUB, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraph_t hGraph, cudaGraphExecUpdateResultInfo *resultInfo",
   since=12000, body="cudaGraphExecUpdate_v12")
fn("cudaGraphExternalSemaphoresSignalNodeGetParams", STUB, "cudaError_t",
   "cudaGraphNode_t hNode, struct cudaExternalSemaphoreSignalNodeParams *params_out", since=11020)
fn("cudaGraphExternalSemaphoresSignalNodeSetParams", STUB, "cudaError_t",
   "cudaGraphNode_t hNode, const struct cudaExternalSemaphoreSignalNodeParams *nodeParams", since=11020)
fn("cudaGraphExternalSemaphoresWaitNodeGetParams", STUB, "cudaError_t",
   "cudaGraphNode_t hNode, struct cudaExternalSemaphoreWaitNodeParams *params_out", since=11020)
fn("cudaGraphExternalSemaphoresWaitNodeSetParams", STUB, "cudaError_t",
   "cudaGraphNode_t hNode, const struct cudaExternalSemaphoreWaitNodeParams *nodeParams", since=11020)
fn("cudaGraphGetEdges", STUB, "cudaError_t",
   "cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *numEdges",
   since=10000, until=13000)
same("cudaGraphGetEdges", "cudaGraphGetEdges_v2", since=13000)
fn("cudaGraphGetEdges_v2", STUB, "cudaError_t",
   "cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edgeData, size_t "
   "*numEdges", since=12090, until=13000)
fn("cudaGraphGetNodes", STUB, "cudaError_t",
   "cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes", since=10000)
fn("cudaGraphGetRootNodes", STUB, "cudaError_t",
   "cudaGraph_t graph, cudaGraphNode_t *pRootNodes, size_t *pNumRootNodes", since=10000)
fn("cudaGraphHostNodeGetParams", STUB, "cudaError_t",
   "cudaGraphNode_t node, struct cudaHostNodeParams *pNodeParams", since=10000)
fn("cudaGraphHostNodeSetParams", STUB, "cudaError_t",
   "cudaGraphNode_t node, const struct cudaHostNodeParams *pNodeParams", since=10000)
fn("cudaGraphInstantiate", STUB, "cudaError_t",
   "cudaGraphExec_t *pGraphExec, cudaGraph_t graph, cudaGraphNode_t *pErrorNode, char *pLogBuffer, "
   "size_t bufferSize", since=10000, until=12000)
same("cudaGraphInstantiate", "cudaGraphInstantiateWithFlags", since=12000)
fn("cudaGraphInstantiateWithFlags", STUB, "cudaError_t",
   "cudaGraphExec_t *pGraphExec, cudaGraph_t graph, unsigned long long flags", since=11040)
fn("cudaGraphInstantiateWithParams", STUB, "cudaError_t",
   "cudaGraphExec_t *pGraphExec, cudaGraph_t graph, cudaGraphInstantiateParams *instantiateParams",
   since=12000, pt="ptsz")
fn("cudaGraphKernelNodeCopyAttributes", STUB, "cudaError_t",
   "cudaGraphNode_t hSrc, cudaGraphNode_t hDst", since=11000)
fn("cudaGraphKernelNodeGetAttribute", STUB, "cudaError_t",
   "cudaGraphNode_t hNode, cudaLaunchAttributeID attr, cudaLaunchAttributeValue *value_out", since=11000)
fn("cudaGraphKernelNodeGetParams", STUB, "cudaError_t",
   "cudaGraphNode_t node, struct cudaKernelNodeParams *pNodeParams", since=10000)
fn("cudaGraphKernelNodeSetAttribute", STUB, "cudaError_t",
   "cudaGraphNode_t hNode, cudaLaunchAttributeID attr, const cudaLaunchAttributeValue *value", since=11000)
fn("cudaGraphKernelNodeSetParams", STUB, "cudaError_t",
   "cudaGraphNode_t node, const struct cudaKernelNodeParams *pNodeParams", since=10000)
fn("cudaGraphLaunch", STUB, "cudaError_t",
   "cudaGraphExec_t graphExec, cudaStream_t stream", since=10000, pt="ptsz")
fn("cudaGraphMemAllocNodeGetParams", STUB, "cudaError_t",
   "cudaGraphNode_t node, struct cudaMemAllocNodeParams *params_out", since=11040)
fn("cudaGraphMemFreeNodeGetParams", STUB, "cudaError_t", "cudaGraphNode_t node, void *dptr_out", since=11040)
fn("cudaGraphMemcpyNodeGetParams", STUB, "cudaError_t",
   "cudaGraphNode_t node, struct cudaMemcpy3DParms *pNodeParams", since=10000)
fn("cudaGraphMemcpyNodeSetParams", STUB, "cudaError_t",
   "cudaGraphNode_t node, const struct cudaMemcpy3DParms *pNodeParams", since=10000)
fn("cudaGraphMemcpyNodeSetParams1D", STUB, "cudaError_t",
   "cudaGraphNode_t node, void *dst, const void *src, size_t count, enum cudaMemcpyKind kind", since=11010)
fn("cudaGraphMemcpyNodeSetParamsFromSymbol", STUB, "cudaError_t",
   "cudaGraphNode_t node, void *dst, const void *symbol, size_t count, size_t offset, enum "
   "cudaMemcpyKind kind", since=11010)
fn("cudaGraphMemcpyNodeSetParamsToSymbol", STUB, "cudaError_t",
   "cudaGraphNode_t node, const void *symbol, const void *src, size_t count, size_t offset, enum "
   "cudaMemcpyKind kind", since=11010)
fn("cudaGraphMemsetNodeGetParams", STUB, "cudaError_t",
   "cudaGraphNode_t node, struct cudaMemsetParams *pNodeParams", since=10000)
fn("cudaGraphMemsetNodeSetParams", STUB, "cudaError_t",
   "cudaGraphNode_t node, const struct cudaMemsetParams *pNodeParams", since=10000)
fn("cudaGraphNodeFindInClone", STUB, "cudaError_t",
   "cudaGraphNode_t *pNode, cudaGraphNode_t originalNode, cudaGraph_t clonedGraph", since=10000)
fn("cudaGraphNodeGetDependencies", STUB, "cudaError_t",
   "cudaGraphNode_t node, cudaGraphNode_t *pDependencies, size_t *pNumDependencies", since=10000, until=13000)
same("cudaGraphNodeGetDependencies", "cudaGraphNodeGetDependencies_v2", since=13000)
fn("cudaGraphNodeGetDependencies_v2", STUB, "cudaError_t",
   "cudaGraphNode_t node, cudaGraphNode_t *pDependencies, cudaGraphEdgeData *edgeData, size_t "
   "*pNumDependencies", since=12090, until=13000)
fn("cudaGraphNodeGetDependentNodes", STUB, "cudaError_t",
   "cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes, size_t *pNumDependentNodes",
   since=10000, until=13000)
same("cudaGraphNodeGetDependentNodes", "cudaGraphNodeGetDependentNodes_v2", since=13000)
fn("cudaGraphNodeGetDependentNodes_v2", STUB, "cudaError_t",
   "cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes, cudaGraphEdgeData *edgeData, size_t "
   "*pNumDependentNodes", since=12090, until=13000)
fn("cudaGraphNodeGetEnabled", STUB, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int *isEnabled", since=11060)
fn("cudaGraphNodeGetType", STUB, "cudaError_t",
   "cudaGraphNode_t node, enum cudaGraphNodeType *pType", since=10000)
fn("cudaGraphNodeSetEnabled", STUB, "cudaError_t",
   "cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int isEnabled", since=11060)
fn("cudaGraphNodeSetParams", STUB, "cudaError_t",
   "cudaGraphNode_t node, struct cudaGraphNodeParams *nodeParams", since=12020)
fn("cudaGraphReleaseUserObject", STUB, "cudaError_t",
   "cudaGraph_t graph, cudaUserObject_t object, unsigned int count", since=11030)
fn("cudaGraphRemoveDependencies", STUB, "cudaError_t",
   "cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t numDependencies",
   since=10000, until=13000)
same("cudaGraphRemoveDependencies", "cudaGraphRemoveDependencies_v2", since=13000)
fn("cudaGraphRemoveDependencies_v2", STUB, "cudaError_t",
   "cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData "
   "*edgeData, size_t numDependencies", since=12090, until=13000)
fn("cudaGraphRetainUserObject", STUB, "cudaError_t",
   "cudaGraph_t graph, cudaUserObject_t object, unsigned int count, unsigned int flags", since=11030)
fn("cudaGraphUpload", STUB, "cudaError_t",
   "cudaGraphExec_t graphExec, cudaStream_t stream", since=10000, pt="ptsz")
fn("cudaUserObjectCreate", STUB, "cudaError_t",
   "cudaUserObject_t *object_out, void *ptr, cudaHostFn_t destroy, unsigned int initialRefcount, "
   "unsigned int flags", since=11030)
fn("cudaUserObjectRelease", STUB, "cudaError_t", "cudaUserObject_t object, unsigned int count", since=11030)
fn("cudaUserObjectRetain", STUB, "cudaError_t", "cudaUserObject_t object, unsigned int count", since=11030)
fn("cudaGraphConditionalHandleCreate_v2", STUB, "cudaError_t",
   "cudaGraphConditionalHandle *pHandle_out, cudaGraph_t graph, cudaExecutionContext_t ctx, unsigned "
   "int defaultLaunchValue, unsigned int flags", since=13010)
fn("cudaGraphExecGetId", STUB, "cudaError_t",
   "cudaGraphExec_t hGraphExec, unsigned int *graphID", since=13010)
fn("cudaGraphGetId", STUB, "cudaError_t", "cudaGraph_t hGraph, unsigned int *graphID", since=13010)
fn("cudaGraphNodeGetContainingGraph", STUB, "cudaError_t",
   "cudaGraphNode_t hNode, cudaGraph_t *phGraph", since=13010)
fn("cudaGraphNodeGetLocalId", STUB, "cudaError_t", "cudaGraphNode_t hNode, unsigned int *nodeId", since=13010)
fn("cudaGraphNodeGetToolsId", STUB, "cudaError_t",
   "cudaGraphNode_t hNode, unsigned long long *toolsNodeId", since=13010)
fn("cudaGraphNodeGetParams", STUB, "cudaError_t",
   "cudaGraphNode_t node, struct cudaGraphNodeParams *nodeParams", since=13020)

