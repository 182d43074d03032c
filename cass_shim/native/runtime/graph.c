/* Graphs: structure, executable graphs, capture, user objects. */
#include "driver/capture.h"
#include "driver/graph_calls.h"
#include "runtime/runtime.h"

/* Handles are pointers, handle arrays arrays of pointers: what graph_calls.h takes. */
#define OUT(pointer) ((void **)(void *)(pointer))

/* A call that needs no device but must fail where CUDA's would. */
#define SIMPLE(call)                                                                               \
    do {                                                                                           \
        ENTER(device);                                                                             \
        return DONE(device, call);                                                                 \
    } while (0)

/* What needs no device works after a fault too (recorded). */
#define AFTER_FAULT(call)                                                                          \
    do {                                                                                           \
        cass_device *device;                                                                       \
        int entered = cass_enter_after_fault(&device);                                             \
        return (cudaError_t)(entered ? entered : (call));                                          \
    } while (0)

cudaError_t cass_cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags) {
    AFTER_FAULT(cass_call_graph_create(OUT(pGraph), flags));
}

cudaError_t cass_cudaGraphDestroy(cudaGraph_t graph) {
    AFTER_FAULT(cass_call_graph_destroy(graph));
}

cudaError_t cass_cudaGraphClone(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph) {
    SIMPLE(cass_call_graph_clone(OUT(pGraphClone), originalGraph));
}

cudaError_t cass_cudaGraphNodeFindInClone(cudaGraphNode_t *pNode, cudaGraphNode_t originalNode,
                                          cudaGraph_t clonedGraph) {
    SIMPLE(cass_call_find(OUT(pNode), originalNode, clonedGraph));
}

cudaError_t cass_cudaGraphDestroyNode(cudaGraphNode_t node) {
    SIMPLE(cass_call_node_destroy(node));
}

cudaError_t cass_cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *pType) {
    int type = 0;
    if (!pType) return cudaErrorInvalidValue;
    ENTER(device);
    TRY(device, cass_call_type(node, &type));
    *pType = (enum cudaGraphNodeType)type;
    return cudaSuccess;
}

cudaError_t cass_cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes) {
    SIMPLE(cass_call_nodes(graph, 0, nodes, numNodes));
}

cudaError_t cass_cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *pRootNodes,
                                       size_t *pNumRootNodes) {
    SIMPLE(cass_call_nodes(graph, 1, pRootNodes, pNumRootNodes));
}

/* Edge data is all zeros: programmatic dependencies do not exist here. */
static void clear_edges(cudaGraphEdgeData *edges, const size_t *count) {
    for (size_t i = 0; edges && count && i < *count; i++) edges[i] = (cudaGraphEdgeData){0};
}

static int plain_edges(const cudaGraphEdgeData *edges, size_t count) {
    for (size_t i = 0; edges && i < count; i++)
        if (edges[i].type || edges[i].from_port || edges[i].to_port) return NOT_SUPPORTED;
    return OK;
}

cudaError_t cass_cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                      cudaGraphEdgeData *edgeData, size_t *numEdges) {
    ENTER(device);
    TRY(device, cass_call_edges(graph, from, to, numEdges));
    clear_edges(edgeData, numEdges);
    return cudaSuccess;
}

cudaError_t cass_cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                   size_t *numEdges) {
    return cass_cudaGraphGetEdges_v2(graph, from, to, NULL, numEdges);
}

cudaError_t cass_cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node,
                                                 cudaGraphNode_t *pDependencies,
                                                 cudaGraphEdgeData *edgeData,
                                                 size_t *pNumDependencies) {
    ENTER(device);
    TRY(device, cass_call_neighbours(node, 0, pDependencies, pNumDependencies));
    clear_edges(edgeData, pNumDependencies);
    return cudaSuccess;
}

cudaError_t cass_cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *pDependencies,
                                              size_t *pNumDependencies) {
    return cass_cudaGraphNodeGetDependencies_v2(node, pDependencies, NULL, pNumDependencies);
}

cudaError_t cass_cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node,
                                                   cudaGraphNode_t *pDependentNodes,
                                                   cudaGraphEdgeData *edgeData,
                                                   size_t *pNumDependentNodes) {
    ENTER(device);
    TRY(device, cass_call_neighbours(node, 1, pDependentNodes, pNumDependentNodes));
    clear_edges(edgeData, pNumDependentNodes);
    return cudaSuccess;
}

cudaError_t cass_cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                                cudaGraphNode_t *pDependentNodes,
                                                size_t *pNumDependentNodes) {
    return cass_cudaGraphNodeGetDependentNodes_v2(node, pDependentNodes, NULL, pNumDependentNodes);
}

cudaError_t cass_cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                             const cudaGraphNode_t *to,
                                             const cudaGraphEdgeData *edgeData,
                                             size_t numDependencies) {
    ENTER(device);
    TRY(device, plain_edges(edgeData, numDependencies));
    return DONE(device, cass_call_connect(graph, from, to, numDependencies, 1));
}

cudaError_t cass_cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                          const cudaGraphNode_t *to, size_t numDependencies) {
    return cass_cudaGraphAddDependencies_v2(graph, from, to, NULL, numDependencies);
}

cudaError_t cass_cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                const cudaGraphNode_t *to,
                                                const cudaGraphEdgeData *edgeData,
                                                size_t numDependencies) {
    ENTER(device);
    TRY(device, plain_edges(edgeData, numDependencies));
    return DONE(device, cass_call_connect(graph, from, to, numDependencies, 0));
}

cudaError_t cass_cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                             const cudaGraphNode_t *to, size_t numDependencies) {
    return cass_cudaGraphRemoveDependencies_v2(graph, from, to, NULL, numDependencies);
}

cudaError_t cass_cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                               unsigned long long flags) {
    SIMPLE(cass_call_instantiate(device, OUT(pGraphExec), graph, flags, NULL));
}

cudaError_t cass_cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                      cudaGraphNode_t *pErrorNode, char *pLogBuffer,
                                      size_t bufferSize) {
    if (pLogBuffer && bufferSize) *pLogBuffer = 0;
    SIMPLE(cass_call_instantiate(device, OUT(pGraphExec), graph, 0, OUT(pErrorNode)));
}

cudaError_t cass_cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                                cudaGraphInstantiateParams *instantiateParams) {
    ENTER(device);
    if (!instantiateParams) return cudaErrorInvalidValue;
    void *bad = NULL;
    int result =
        cass_call_instantiate(device, OUT(pGraphExec), graph, instantiateParams->flags, &bad);
    instantiateParams->errNode_out = bad;
    instantiateParams->result_out = !result ? cudaGraphInstantiateSuccess
                                    : bad   ? cudaGraphInstantiateInvalidStructure
                                            : cudaGraphInstantiateError;
    return DONE(device, result);
}

cudaError_t cass_cudaGraphExecDestroy(cudaGraphExec_t graphExec) {
    SIMPLE(cass_call_exec_destroy(graphExec));
}

cudaError_t cass_cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long *flags) {
    ENTER(device);
    (void)device;
    cass_exec *exec = cass_exec_of(graphExec);
    if (!exec || !flags) return cudaErrorInvalidValue;
    *flags = exec->flags;
    return cudaSuccess;
}

cudaError_t cass_cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream) {
    ENTER(device);
    return (cudaError_t)cass_call_launch(device, graphExec, cass_stream(stream));
}

cudaError_t cass_cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream) {
    ENTER(device);
    (void)device, (void)stream; /* nothing waits to be uploaded */
    return cass_exec_of(graphExec) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cass_cudaGraphExecUpdate_v12(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                         cudaGraphExecUpdateResultInfo *resultInfo) {
    ENTER(device);
    int outcome = cudaGraphExecUpdateError;
    void *bad = NULL;
    if (!resultInfo || !cass_exec_of(hGraphExec)) return cudaErrorInvalidValue;
    int result = cass_call_update(hGraphExec, hGraph, &outcome, &bad);
    resultInfo->result = (enum cudaGraphExecUpdateResult)outcome;
    resultInfo->errorNode = bad;
    resultInfo->errorFromNode = NULL;
    return DONE(device, result);
}

cudaError_t cass_cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                     cudaGraphNode_t *hErrorNode_out,
                                     enum cudaGraphExecUpdateResult *updateResult_out) {
    ENTER(device);
    int outcome = cudaGraphExecUpdateError;
    void *bad = NULL;
    if (!updateResult_out) return cudaErrorInvalidValue;
    int result = cass_call_update(hGraphExec, hGraph, &outcome, &bad);
    *updateResult_out = (enum cudaGraphExecUpdateResult)outcome;
    if (hErrorNode_out) *hErrorNode_out = bad;
    return DONE(device, result);
}

cudaError_t cass_cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                         unsigned int *isEnabled) {
    SIMPLE(cass_call_enabled(hGraphExec, hNode, isEnabled, 0));
}

cudaError_t cass_cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                         unsigned int isEnabled) {
    SIMPLE(cass_call_enabled(hGraphExec, hNode, &isEnabled, 1));
}

cudaError_t cass_cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags) {
    ENTER(device);
    cass_graph *of = cass_graph_of(graph);
    return of ? DONE(device, cass_graph_print(of, path, flags)) : cudaErrorInvalidValue;
}

cudaError_t cass_cudaUserObjectCreate(cudaUserObject_t *object_out, void *ptr, cudaHostFn_t destroy,
                                      unsigned int initialRefcount, unsigned int flags) {
    SIMPLE(cass_object_create(ptr, destroy, initialRefcount, flags,
                              (struct cass_object **)(void *)object_out));
}

cudaError_t cass_cudaUserObjectRetain(cudaUserObject_t object, unsigned int count) {
    SIMPLE(cass_object_change((struct cass_object *)(void *)object, (long)count));
}

cudaError_t cass_cudaUserObjectRelease(cudaUserObject_t object, unsigned int count) {
    SIMPLE(cass_object_change((struct cass_object *)(void *)object, -(long)count));
}

cudaError_t cass_cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                           unsigned int count, unsigned int flags) {
    ENTER(device);
    cass_graph *of = cass_graph_of(graph);
    if (!of || flags > 1) return cudaErrorInvalidValue;
    return DONE(device,
                cass_graph_keep(of, (struct cass_object *)(void *)object, count, flags == 1));
}

cudaError_t cass_cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                            unsigned int count) {
    ENTER(device);
    cass_graph *of = cass_graph_of(graph);
    if (!of) return cudaErrorInvalidValue;
    return DONE(device, cass_graph_unkeep(of, (struct cass_object *)(void *)object, count));
}

cudaError_t cass_cudaGraphGetId(cudaGraph_t hGraph, unsigned int *graphID) {
    ENTER(device);
    (void)device;
    cass_graph *of = cass_graph_of(hGraph);
    if (!of || !graphID) return cudaErrorInvalidValue;
    *graphID = of->id;
    return cudaSuccess;
}

cudaError_t cass_cudaGraphExecGetId(cudaGraphExec_t hGraphExec, unsigned int *graphID) {
    ENTER(device);
    (void)device;
    cass_exec *of = cass_exec_of(hGraphExec);
    if (!of || !graphID) return cudaErrorInvalidValue;
    *graphID = of->graph->id;
    return cudaSuccess;
}

cudaError_t cass_cudaGraphNodeGetContainingGraph(cudaGraphNode_t hNode, cudaGraph_t *phGraph) {
    ENTER(device);
    (void)device;
    cass_node *node = cass_node_of(hNode);
    if (!node || !phGraph) return cudaErrorInvalidValue;
    *phGraph = node->graph;
    return cudaSuccess;
}

cudaError_t cass_cudaGraphNodeGetLocalId(cudaGraphNode_t hNode, unsigned int *nodeId) {
    ENTER(device);
    (void)device;
    cass_node *node = cass_node_of(hNode);
    if (!node || !nodeId) return cudaErrorInvalidValue;
    *nodeId = node->id;
    return cudaSuccess;
}
