"""Graph management: the rows of this chapter of the CUDA driver API manual."""
# fmt: off
from __future__ import annotations

from cass_shim.api.spec import STUB, Chapter

chapter = Chapter("driver", "Graph management")
fn = chapter.fn

fn("cuDeviceGetGraphMemAttribute", STUB, "CUresult",
   "CUdevice device, CUgraphMem_attribute attr, void *value", since=11040)
fn("cuDeviceGraphMemTrim", STUB, "CUresult", "CUdevice device", since=11040)
fn("cuDeviceSetGraphMemAttribute", STUB, "CUresult",
   "CUdevice device, CUgraphMem_attribute attr, void *value", since=11040)
fn("cuGraphAddBatchMemOpNode", STUB, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams", since=11070)
fn("cuGraphAddChildGraphNode", STUB, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "CUgraph childGraph", since=10000)
fn("cuGraphAddDependencies", STUB, "CUresult",
   "CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, size_t numDependencies", since=10000)
fn("cuGraphAddDependencies_v2", STUB, "CUresult",
   "CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edgeData, "
   "size_t numDependencies", since=12030)
fn("cuGraphAddEmptyNode", STUB, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies",
   since=10000)
fn("cuGraphAddEventRecordNode", STUB, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "CUevent event", since=11010)
fn("cuGraphAddEventWaitNode", STUB, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "CUevent event", since=11010)
fn("cuGraphAddExternalSemaphoresSignalNode", STUB, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams", since=11020)
fn("cuGraphAddExternalSemaphoresWaitNode", STUB, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams", since=11020)
fn("cuGraphAddHostNode", STUB, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "const CUDA_HOST_NODE_PARAMS *nodeParams", since=10000)
fn("cuGraphAddKernelNode", STUB, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams", since=10000)
fn("cuGraphAddKernelNode_v2", STUB, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "const CUDA_KERNEL_NODE_PARAMS *nodeParams", since=12000)
fn("cuGraphAddMemAllocNode", STUB, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams", since=11040)
fn("cuGraphAddMemFreeNode", STUB, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "CUdeviceptr dptr", since=11040)
fn("cuGraphAddMemcpyNode", STUB, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "const CUDA_MEMCPY3D *copyParams, CUcontext ctx", since=10000)
fn("cuGraphAddMemsetNode", STUB, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx", since=10000)
fn("cuGraphAddNode", STUB, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies, "
   "CUgraphNodeParams *nodeParams", since=12020)
fn("cuGraphAddNode_v2", STUB, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, const CUgraphEdgeData "
   "*dependencyData, size_t numDependencies, CUgraphNodeParams *nodeParams", since=12030)
fn("cuGraphBatchMemOpNodeGetParams", STUB, "CUresult",
   "CUgraphNode hNode, CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams_out", since=11070)
fn("cuGraphBatchMemOpNodeSetParams", STUB, "CUresult",
   "CUgraphNode hNode, const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams", since=11070)
fn("cuGraphChildGraphNodeGetGraph", STUB, "CUresult", "CUgraphNode hNode, CUgraph *phGraph", since=10000)
fn("cuGraphClone", STUB, "CUresult", "CUgraph *phGraphClone, CUgraph originalGraph", since=10000)
fn("cuGraphConditionalHandleCreate", STUB, "CUresult",
   "CUgraphConditionalHandle *pHandle_out, CUgraph hGraph, CUcontext ctx, unsigned int "
   "defaultLaunchValue, unsigned int flags", since=12030)
fn("cuGraphCreate", STUB, "CUresult", "CUgraph *phGraph, unsigned int flags", since=10000)
fn("cuGraphDebugDotPrint", STUB, "CUresult",
   "CUgraph hGraph, const char *path, unsigned int flags", since=11030)
fn("cuGraphDestroy", STUB, "CUresult", "CUgraph hGraph", since=10000)
fn("cuGraphDestroyNode", STUB, "CUresult", "CUgraphNode hNode", since=10000)
fn("cuGraphEventRecordNodeGetEvent", STUB, "CUresult", "CUgraphNode hNode, CUevent *event_out", since=11010)
fn("cuGraphEventRecordNodeSetEvent", STUB, "CUresult", "CUgraphNode hNode, CUevent event", since=11010)
fn("cuGraphEventWaitNodeGetEvent", STUB, "CUresult", "CUgraphNode hNode, CUevent *event_out", since=11010)
fn("cuGraphEventWaitNodeSetEvent", STUB, "CUresult", "CUgraphNode hNode, CUevent event", since=11010)
fn("cuGraphExecBatchMemOpNodeSetParams", STUB, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams", since=11070)
fn("cuGraphExecChildGraphNodeSetParams", STUB, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, CUgraph childGraph", since=11010)
fn("cuGraphExecDestroy", STUB, "CUresult", "CUgraphExec hGraphExec", since=10000)
fn("cuGraphExecEventRecordNodeSetEvent", STUB, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event", since=11010)
fn("cuGraphExecEventWaitNodeSetEvent", STUB, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event", since=11010)
fn("cuGraphExecExternalSemaphoresSignalNodeSetParams", STUB, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams",
   since=11020)
fn("cuGraphExecExternalSemaphoresWaitNodeSetParams", STUB, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams", since=11020)
fn("cuGraphExecGetFlags", STUB, "CUresult", "CUgraphExec hGraphExec, cuuint64_t *flags", since=12000)
fn("cuGraphExecHostNodeSetParams", STUB, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams", since=10020)
fn("cuGraphExecKernelNodeSetParams", STUB, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams", since=10010)
fn("cuGraphExecKernelNodeSetParams_v2", STUB, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams", since=12000)
fn("cuGraphExecMemcpyNodeSetParams", STUB, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMCPY3D *copyParams, CUcontext ctx", since=10020)
fn("cuGraphExecMemsetNodeSetParams", STUB, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext "
   "ctx", since=10020)
fn("cuGraphExecNodeSetParams", STUB, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, CUgraphNodeParams *nodeParams", since=12020)
fn("cuGraphExecUpdate", STUB, "CUresult",
   "CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out, CUgraphExecUpdateResult "
   "*updateResult_out", since=10020)
fn("cuGraphExecUpdate_v2", STUB, "CUresult",
   "CUgraphExec hGraphExec, CUgraph hGraph, CUgraphExecUpdateResultInfo *resultInfo", since=12000)
fn("cuGraphExternalSemaphoresSignalNodeGetParams", STUB, "CUresult",
   "CUgraphNode hNode, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params_out", since=11020)
fn("cuGraphExternalSemaphoresSignalNodeSetParams", STUB, "CUresult",
   "CUgraphNode hNode, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams", since=11020)
fn("cuGraphExternalSemaphoresWaitNodeGetParams", STUB, "CUresult",
   "CUgraphNode hNode, CUDA_EXT_SEM_WAIT_NODE_PARAMS *params_out", since=11020)
fn("cuGraphExternalSemaphoresWaitNodeSetParams", STUB, "CUresult",
   "CUgraphNode hNode, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams", since=11020)
fn("cuGraphGetEdges", STUB, "CUresult",
   "CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges", since=10000)
fn("cuGraphGetEdges_v2", STUB, "CUresult",
   "CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edgeData, size_t *numEdges",
   since=12030)
fn("cuGraphGetNodes", STUB, "CUresult", "CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes", since=10000)
fn("cuGraphGetRootNodes", STUB, "CUresult",
   "CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes", since=10000)
fn("cuGraphHostNodeGetParams", STUB, "CUresult",
   "CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams", since=10000)
fn("cuGraphHostNodeSetParams", STUB, "CUresult",
   "CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams", since=10000)
fn("cuGraphInstantiate", STUB, "CUresult",
   "CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer, size_t "
   "bufferSize", since=10000)
fn("cuGraphInstantiate_v2", STUB, "CUresult",
   "CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer, size_t "
   "bufferSize", since=11000)
fn("cuGraphInstantiateWithFlags", STUB, "CUresult",
   "CUgraphExec *phGraphExec, CUgraph hGraph, unsigned long long flags", since=11040)
fn("cuGraphInstantiateWithParams", STUB, "CUresult",
   "CUgraphExec *phGraphExec, CUgraph hGraph, CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams",
   since=12000, pt="ptsz")
fn("cuGraphKernelNodeCopyAttributes", STUB, "CUresult", "CUgraphNode dst, CUgraphNode src", since=11000)
fn("cuGraphKernelNodeGetAttribute", STUB, "CUresult",
   "CUgraphNode hNode, CUkernelNodeAttrID attr, CUkernelNodeAttrValue *value_out", since=11000)
fn("cuGraphKernelNodeGetParams", STUB, "CUresult",
   "CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams", since=10000)
fn("cuGraphKernelNodeGetParams_v2", STUB, "CUresult",
   "CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams", since=12000)
fn("cuGraphKernelNodeSetAttribute", STUB, "CUresult",
   "CUgraphNode hNode, CUkernelNodeAttrID attr, const CUkernelNodeAttrValue *value", since=11000)
fn("cuGraphKernelNodeSetParams", STUB, "CUresult",
   "CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams", since=10000)
fn("cuGraphKernelNodeSetParams_v2", STUB, "CUresult",
   "CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams", since=12000)
fn("cuGraphLaunch", STUB, "CUresult", "CUgraphExec hGraph, CUstream hStream", since=10000, pt="ptsz")
fn("cuGraphMemAllocNodeGetParams", STUB, "CUresult",
   "CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS *params_out", since=11040)
fn("cuGraphMemFreeNodeGetParams", STUB, "CUresult", "CUgraphNode hNode, CUdeviceptr *dptr_out", since=11040)
fn("cuGraphMemcpyNodeGetParams", STUB, "CUresult",
   "CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams", since=10000)
fn("cuGraphMemcpyNodeSetParams", STUB, "CUresult",
   "CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams", since=10000)
fn("cuGraphMemsetNodeGetParams", STUB, "CUresult",
   "CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams", since=10000)
fn("cuGraphMemsetNodeSetParams", STUB, "CUresult",
   "CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *nodeParams", since=10000)
fn("cuGraphNodeFindInClone", STUB, "CUresult",
   "CUgraphNode *phNode, CUgraphNode hOriginalNode, CUgraph hClonedGraph", since=10000)
fn("cuGraphNodeGetDependencies", STUB, "CUresult",
   "CUgraphNode hNode, CUgraphNode *dependencies, size_t *numDependencies", since=10000)
fn("cuGraphNodeGetDependencies_v2", STUB, "CUresult",
   "CUgraphNode hNode, CUgraphNode *dependencies, CUgraphEdgeData *edgeData, size_t *numDependencies",
   since=12030)
fn("cuGraphNodeGetDependentNodes", STUB, "CUresult",
   "CUgraphNode hNode, CUgraphNode *dependentNodes, size_t *numDependentNodes", since=10000)
fn("cuGraphNodeGetDependentNodes_v2", STUB, "CUresult",
   "CUgraphNode hNode, CUgraphNode *dependentNodes, CUgraphEdgeData *edgeData, size_t "
   "*numDependentNodes", since=12030)
fn("cuGraphNodeGetEnabled", STUB, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int *isEnabled", since=11060)
fn("cuGraphNodeGetType", STUB, "CUresult", "CUgraphNode hNode, CUgraphNodeType *type", since=10000)
fn("cuGraphNodeSetEnabled", STUB, "CUresult",
   "CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled", since=11060)
fn("cuGraphNodeSetParams", STUB, "CUresult", "CUgraphNode hNode, CUgraphNodeParams *nodeParams", since=12020)
fn("cuGraphReleaseUserObject", STUB, "CUresult",
   "CUgraph graph, CUuserObject object, unsigned int count", since=11030)
fn("cuGraphRemoveDependencies", STUB, "CUresult",
   "CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, size_t numDependencies", since=10000)
fn("cuGraphRemoveDependencies_v2", STUB, "CUresult",
   "CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edgeData, "
   "size_t numDependencies", since=12030)
fn("cuGraphRetainUserObject", STUB, "CUresult",
   "CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags", since=11030)
fn("cuGraphUpload", STUB, "CUresult", "CUgraphExec hGraph, CUstream hStream", since=11010, pt="ptsz")
fn("cuUserObjectCreate", STUB, "CUresult",
   "CUuserObject *object_out, void *ptr, CUhostFn destroy, unsigned int initialRefcount, unsigned int "
   "flags", since=11030)
fn("cuUserObjectRelease", STUB, "CUresult", "CUuserObject object, unsigned int count", since=11030)
fn("cuUserObjectRetain", STUB, "CUresult", "CUuserObject object, unsigned int count", since=11030)
fn("cuGraphExecGetId", STUB, "CUresult", "CUgraphExec hGraphExec, unsigned int *graphId", since=13010)
fn("cuGraphGetId", STUB, "CUresult", "CUgraph hGraph, unsigned int *graphId", since=13010)
fn("cuGraphNodeGetContainingGraph", STUB, "CUresult", "CUgraphNode hNode, CUgraph *phGraph", since=13010)
fn("cuGraphNodeGetLocalId", STUB, "CUresult", "CUgraphNode hNode, unsigned int *nodeId", since=13010)
fn("cuGraphNodeGetToolsId", STUB, "CUresult",
   "CUgraphNode hNode, unsigned long long *toolsNodeId", since=13010)
fn("cuGraphNodeGetParams", STUB, "CUresult", "CUgraphNode hNode, CUgraphNodeParams *nodeParams", since=13020)
fn("cuGraphAddNode_v3", STUB, "CUresult",
   "CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, const CUgraphEdgeData "
   "*dependencyData, size_t numDependencies, CUgraphNodeParams *nodeParams", since=13040)
fn("cuGraphNodeSetParams_v2", STUB, "CUresult",
   "CUgraphNode hNode, CUgraphNodeParams *nodeParams", since=13040)

