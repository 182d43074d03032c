"""Graph management: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Graph management")
fn = chapter.fn

fn("cuDeviceGetGraphMemAttribute", IMPLEMENTED, "CUresult",
   "CUdevice device, CUgraphMem_attribute attr, void *value", since=11040)
fn("cuDeviceGraphMemTrim", IMPLEMENTED, "CUresult", "CUdevice device", since=11040)
fn("cuDeviceSetGraphMemAttribute", IMPLEMENTED, "CUresult",
   "CUdevice device, CUgraphMem_attribute attr, void *value", since=11040)
fn("cuGraphAddBatchMemOpNode", IMPLEMENTED, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams", since=11070)
fn("cuGraphAddChildGraphNode", IMPLEMENTED, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "CUgraph childGraph", since=10000)
fn("cuGraphAddDependencies", IMPLEMENTED, "CUresult",
   "CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, size_t numDependencies", since=10000)
fn("cuGraphAddDependencies_v2", IMPLEMENTED, "CUresult",
   "CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edgeData, "
   "size_t numDependencies", since=12030)
fn("cuGraphAddEmptyNode", IMPLEMENTED, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies",
   since=10000)
fn("cuGraphAddEventRecordNode", IMPLEMENTED, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "CUevent event", since=11010)
fn("cuGraphAddEventWaitNode", IMPLEMENTED, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "CUevent event", since=11010)
fn("cuGraphAddExternalSemaphoresSignalNode", IMPLEMENTED, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams", since=11020)
fn("cuGraphAddExternalSemaphoresWaitNode", IMPLEMENTED, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams", since=11020)
fn("cuGraphAddHostNode", IMPLEMENTED, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "const CUDA_HOST_NODE_PARAMS *nodeParams", since=10000)
fn("cuGraphAddKernelNode", IMPLEMENTED, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams", since=10000)
fn("cuGraphAddKernelNode_v2", IMPLEMENTED, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "const CUDA_KERNEL_NODE_PARAMS *nodeParams", since=12000)
fn("cuGraphAddMemAllocNode", IMPLEMENTED, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams", since=11040)
fn("cuGraphAddMemFreeNode", IMPLEMENTED, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "CUdeviceptr dptr", since=11040)
fn("cuGraphAddMemcpyNode", IMPLEMENTED, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "const CUDA_MEMCPY3D *copyParams, CUcontext ctx", since=10000)
fn("cuGraphAddMemsetNode", IMPLEMENTED, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx", since=10000)
fn("cuGraphAddNode", IMPLEMENTED, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "CUgraphNodeParams *nodeParams", since=12020)
fn("cuGraphAddNode_v2", IMPLEMENTED, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, const CUgraphEdgeData "
   "*dependencyData, size_t numDependencies, CUgraphNodeParams *nodeParams", since=12030)
fn("cuGraphBatchMemOpNodeGetParams", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams_out", since=11070)
fn("cuGraphBatchMemOpNodeSetParams", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams", since=11070)
fn("cuGraphChildGraphNodeGetGraph", IMPLEMENTED, "CUresult", "CUgraphNode hNode, CUgraph *phGraph", since=10000)
fn("cuGraphClone", IMPLEMENTED, "CUresult", "CUgraph *phGraphClone, CUgraph originalGraph", since=10000)
fn("cuGraphConditionalHandleCreate", IMPLEMENTED, "CUresult",
   "CUgraphConditionalHandle *pHandle_out, CUgraph hGraph, CUcontext ctx, unsigned int "
   "defaultLaunchValue, unsigned int flags", since=12030)
fn("cuGraphCreate", IMPLEMENTED, "CUresult", "CUgraph *phGraph, unsigned int flags", since=10000)
fn("cuGraphDebugDotPrint", IMPLEMENTED, "CUresult",
   "CUgraph hGraph, const char *path, unsigned int flags", since=11030)
fn("cuGraphDestroy", IMPLEMENTED, "CUresult", "CUgraph hGraph", since=10000)
fn("cuGraphDestroyNode", IMPLEMENTED, "CUresult", "CUgraphNode hNode", since=10000)
fn("cuGraphEventRecordNodeGetEvent", IMPLEMENTED, "CUresult", "CUgraphNode hNode, CUevent *event_out", since=11010)
fn("cuGraphEventRecordNodeSetEvent", IMPLEMENTED, "CUresult", "CUgraphNode hNode, CUevent event", since=11010)
fn("cuGraphEventWaitNodeGetEvent", IMPLEMENTED, "CUresult", "CUgraphNode hNode, CUevent *event_out", since=11010)
fn("cuGraphEventWaitNodeSetEvent", IMPLEMENTED, "CUresult", "CUgraphNode hNode, CUevent event", since=11010)
fn("cuGraphExecBatchMemOpNodeSetParams", IMPLEMENTED, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams", since=11070)
fn("cuGraphExecChildGraphNodeSetParams", IMPLEMENTED, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, CUgraph childGraph", since=11010)
fn("cuGraphExecDestroy", IMPLEMENTED, "CUresult", "CUgraphExec hGraphExec", since=10000)
fn("cuGraphExecEventRecordNodeSetEvent", IMPLEMENTED, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event", since=11010)
fn("cuGraphExecEventWaitNodeSetEvent", IMPLEMENTED, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event", since=11010)
fn("cuGraphExecExternalSemaphoresSignalNodeSetParams", IMPLEMENTED, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams",
   since=11020)
fn("cuGraphExecExternalSemaphoresWaitNodeSetParams", IMPLEMENTED, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams", since=11020)
fn("cuGraphExecGetFlags", IMPLEMENTED, "CUresult", "CUgraphExec hGraphExec, cuuint64_t *flags", since=12000)
fn("cuGraphExecHostNodeSetParams", IMPLEMENTED, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams", since=10020)
fn("cuGraphExecKernelNodeSetParams", IMPLEMENTED, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams", since=10010)
fn("cuGraphExecKernelNodeSetParams_v2", IMPLEMENTED, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams", since=12000)
fn("cuGraphExecMemcpyNodeSetParams", IMPLEMENTED, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMCPY3D *copyParams, CUcontext ctx", since=10020)
fn("cuGraphExecMemsetNodeSetParams", IMPLEMENTED, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext "
   "ctx", since=10020)
fn("cuGraphExecNodeSetParams", IMPLEMENTED, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, CUgraphNodeParams *nodeParams", since=12020)
fn("cuGraphExecUpdate", IMPLEMENTED, "CUresult",
   "CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out, CUgraphExecUpdateResult "
   "*updateResult_out", since=10020)
fn("cuGraphExecUpdate_v2", IMPLEMENTED, "CUresult",
   "CUgraphExec hGraphExec, CUgraph hGraph, CUgraphExecUpdateResultInfo *resultInfo", since=12000)
fn("cuGraphExternalSemaphoresSignalNodeGetParams", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params_out", since=11020)
fn("cuGraphExternalSemaphoresSignalNodeSetParams", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams", since=11020)
fn("cuGraphExternalSemaphoresWaitNodeGetParams", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, CUDA_EXT_SEM_WAIT_NODE_PARAMS *params_out", since=11020)
fn("cuGraphExternalSemaphoresWaitNodeSetParams", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams", since=11020)
fn("cuGraphGetEdges", IMPLEMENTED, "CUresult",
   "CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges", since=10000)
fn("cuGraphGetEdges_v2", IMPLEMENTED, "CUresult",
   "CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edgeData, size_t *numEdges",
   since=12030)
fn("cuGraphGetNodes", IMPLEMENTED, "CUresult", "CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes", since=10000)
fn("cuGraphGetRootNodes", IMPLEMENTED, "CUresult",
   "CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes", since=10000)
fn("cuGraphHostNodeGetParams", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams", since=10000)
fn("cuGraphHostNodeSetParams", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams", since=10000)
fn("cuGraphInstantiate", IMPLEMENTED, "CUresult",
   "CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer, size_t "
   "bufferSize", since=10000)
fn("cuGraphInstantiate_v2", IMPLEMENTED, "CUresult",
   "CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer, size_t "
   "bufferSize", since=11000)
fn("cuGraphInstantiateWithFlags", IMPLEMENTED, "CUresult",
   "CUgraphExec *phGraphExec, CUgraph hGraph, unsigned long long flags", since=11040)
fn("cuGraphInstantiateWithParams", IMPLEMENTED, "CUresult",
   "CUgraphExec *phGraphExec, CUgraph hGraph, CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams",
   since=12000, pt="ptsz")
fn("cuGraphKernelNodeCopyAttributes", IMPLEMENTED, "CUresult", "CUgraphNode dst, CUgraphNode src", since=11000)
fn("cuGraphKernelNodeGetAttribute", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, CUkernelNodeAttrID attr, CUkernelNodeAttrValue *value_out", since=11000)
fn("cuGraphKernelNodeGetParams", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams", since=10000)
fn("cuGraphKernelNodeGetParams_v2", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams", since=12000)
fn("cuGraphKernelNodeSetAttribute", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, CUkernelNodeAttrID attr, const CUkernelNodeAttrValue *value", since=11000)
fn("cuGraphKernelNodeSetParams", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams", since=10000)
fn("cuGraphKernelNodeSetParams_v2", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams", since=12000)
fn("cuGraphLaunch", IMPLEMENTED, "CUresult", "CUgraphExec hGraph, CUstream hStream", since=10000, pt="ptsz")
fn("cuGraphMemAllocNodeGetParams", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS *params_out", since=11040)
fn("cuGraphMemFreeNodeGetParams", IMPLEMENTED, "CUresult", "CUgraphNode hNode, CUdeviceptr *dptr_out", since=11040)
fn("cuGraphMemcpyNodeGetParams", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams", since=10000)
fn("cuGraphMemcpyNodeSetParams", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams", since=10000)
fn("cuGraphMemsetNodeGetParams", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams", since=10000)
fn("cuGraphMemsetNodeSetParams", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *nodeParams", since=10000)
fn("cuGraphNodeFindInClone", IMPLEMENTED, "CUresult",
   "CUgraphNode *phNode, CUgraphNode hOriginalNode, CUgraph hClonedGraph", since=10000)
fn("cuGraphNodeGetDependencies", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, CUgraphNode *dependencies, size_t *numDependencies", since=10000)
fn("cuGraphNodeGetDependencies_v2", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, CUgraphNode *dependencies, CUgraphEdgeData *edgeData, size_t *numDependencies",
   since=12030)
fn("cuGraphNodeGetDependentNodes", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, CUgraphNode *dependentNodes, size_t *numDependentNodes", since=10000)
fn("cuGraphNodeGetDependentNodes_v2", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, CUgraphNode *dependentNodes, CUgraphEdgeData *edgeData, size_t "
   "*numDependentNodes", since=12030)
fn("cuGraphNodeGetEnabled", IMPLEMENTED, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int *isEnabled", since=11060)
fn("cuGraphNodeGetType", IMPLEMENTED, "CUresult", "CUgraphNode hNode, CUgraphNodeType *type", since=10000)
fn("cuGraphNodeSetEnabled", IMPLEMENTED, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled", since=11060)
fn("cuGraphNodeSetParams", IMPLEMENTED, "CUresult", "CUgraphNode hNode, CUgraphNodeParams *nodeParams", since=12020)
fn("cuGraphReleaseUserObject", IMPLEMENTED, "CUresult",
   "CUgraph graph, CUuserObject object, unsigned int count", since=11030)
fn("cuGraphRemoveDependencies", IMPLEMENTED, "CUresult",
   "CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, size_t numDependencies", since=10000)
fn("cuGraphRemoveDependencies_v2", IMPLEMENTED, "CUresult",
   "CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edgeData, "
   "size_t numDependencies", since=12030)
fn("cuGraphRetainUserObject", IMPLEMENTED, "CUresult",
   "CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags", since=11030)
fn("cuGraphUpload", IMPLEMENTED, "CUresult", "CUgraphExec hGraph, CUstream hStream", since=11010, pt="ptsz")
fn("cuUserObjectCreate", IMPLEMENTED, "CUresult",
   "CUuserObject *object_out, void *ptr, CUhostFn destroy, unsigned int initialRefcount, unsigned int "
   "flags", since=11030)
fn("cuUserObjectRelease", IMPLEMENTED, "CUresult", "CUuserObject object, unsigned int count", since=11030)
fn("cuUserObjectRetain", IMPLEMENTED, "CUresult", "CUuserObject object, unsigned int count", since=11030)
fn("cuGraphExecGetId", IMPLEMENTED, "CUresult", "CUgraphExec hGraphExec, unsigned int *graphId", since=13010)
fn("cuGraphGetId", IMPLEMENTED, "CUresult", "CUgraph hGraph, unsigned int *graphId", since=13010)
fn("cuGraphNodeGetContainingGraph", IMPLEMENTED, "CUresult", "CUgraphNode hNode, CUgraph *phGraph", since=13010)
fn("cuGraphNodeGetLocalId", IMPLEMENTED, "CUresult", "CUgraphNode hNode, unsigned int *nodeId", since=13010)
fn("cuGraphNodeGetToolsId", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, unsigned long long *toolsNodeId", since=13010)
fn("cuGraphNodeGetParams", IMPLEMENTED, "CUresult", "CUgraphNode hNode, CUgraphNodeParams *nodeParams", since=13020)
fn("cuGraphAddNode_v3", IMPLEMENTED, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, const CUgraphEdgeData "
   "*dependencyData, size_t numDependencies, CUgraphNodeParams *nodeParams", since=13040)
fn("cuGraphNodeSetParams_v2", IMPLEMENTED, "CUresult",
   "CUgraphNode hNode, CUgraphNodeParams *nodeParams", since=13040)
