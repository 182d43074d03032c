/* Driver API: graphs, executable graphs, capture, user objects. */
#include "driver/api.h"
#include "driver/capture.h"
#include "driver/graph_calls.h"

#define OUT(pointer) ((void **)(void *)(pointer))
#define SIMPLE(call)                                                                               \
    do {                                                                                           \
        ENTER(device);                                                                             \
        return DONE(device, call);                                                                 \
    } while (0)

CUresult cass_cuGraphCreate(CUgraph *phGraph, unsigned int flags) {
    SIMPLE(cass_call_graph_create(OUT(phGraph), flags));
}

CUresult cass_cuGraphDestroy(CUgraph hGraph) { SIMPLE(cass_call_graph_destroy(hGraph)); }

CUresult cass_cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph) {
    SIMPLE(cass_call_graph_clone(OUT(phGraphClone), originalGraph));
}

CUresult cass_cuGraphNodeFindInClone(CUgraphNode *phNode, CUgraphNode hOriginalNode,
                                     CUgraph hClonedGraph) {
    SIMPLE(cass_call_find(OUT(phNode), hOriginalNode, hClonedGraph));
}

CUresult cass_cuGraphDestroyNode(CUgraphNode hNode) { SIMPLE(cass_call_node_destroy(hNode)); }

CUresult cass_cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type) {
    int found = 0;
    if (!type) return CUDA_ERROR_INVALID_VALUE;
    ENTER(device);
    TRY(device, cass_call_type(hNode, &found));
    *type = (CUgraphNodeType)found;
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes) {
    SIMPLE(cass_call_nodes(hGraph, 0, nodes, numNodes));
}

CUresult cass_cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes) {
    SIMPLE(cass_call_nodes(hGraph, 1, rootNodes, numRootNodes));
}

static void clear_edges(CUgraphEdgeData *edges, const size_t *count) {
    for (size_t i = 0; edges && count && i < *count; i++) edges[i] = (CUgraphEdgeData){0};
}

static int plain_edges(const CUgraphEdgeData *edges, size_t count) {
    for (size_t i = 0; edges && i < count; i++)
        if (edges[i].type || edges[i].from_port || edges[i].to_port) return NOT_SUPPORTED;
    return OK;
}

CUresult cass_cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to,
                                 CUgraphEdgeData *edgeData, size_t *numEdges) {
    ENTER(device);
    TRY(device, cass_call_edges(hGraph, from, to, numEdges));
    clear_edges(edgeData, numEdges);
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to,
                              size_t *numEdges) {
    return cass_cuGraphGetEdges_v2(hGraph, from, to, NULL, numEdges);
}

CUresult cass_cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies,
                                            CUgraphEdgeData *edgeData, size_t *numDependencies) {
    ENTER(device);
    TRY(device, cass_call_neighbours(hNode, 0, dependencies, numDependencies));
    clear_edges(edgeData, numDependencies);
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode *dependencies,
                                         size_t *numDependencies) {
    return cass_cuGraphNodeGetDependencies_v2(hNode, dependencies, NULL, numDependencies);
}

CUresult cass_cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode *dependentNodes,
                                              CUgraphEdgeData *edgeData,
                                              size_t *numDependentNodes) {
    ENTER(device);
    TRY(device, cass_call_neighbours(hNode, 1, dependentNodes, numDependentNodes));
    clear_edges(edgeData, numDependentNodes);
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode *dependentNodes,
                                           size_t *numDependentNodes) {
    return cass_cuGraphNodeGetDependentNodes_v2(hNode, dependentNodes, NULL, numDependentNodes);
}

CUresult cass_cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from,
                                        const CUgraphNode *to, const CUgraphEdgeData *edgeData,
                                        size_t numDependencies) {
    ENTER(device);
    TRY(device, plain_edges(edgeData, numDependencies));
    return DONE(device, cass_call_connect(hGraph, from, to, numDependencies, 1));
}

CUresult cass_cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                     size_t numDependencies) {
    return cass_cuGraphAddDependencies_v2(hGraph, from, to, NULL, numDependencies);
}

CUresult cass_cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from,
                                           const CUgraphNode *to, const CUgraphEdgeData *edgeData,
                                           size_t numDependencies) {
    ENTER(device);
    TRY(device, plain_edges(edgeData, numDependencies));
    return DONE(device, cass_call_connect(hGraph, from, to, numDependencies, 0));
}

CUresult cass_cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode *from,
                                        const CUgraphNode *to, size_t numDependencies) {
    return cass_cuGraphRemoveDependencies_v2(hGraph, from, to, NULL, numDependencies);
}

CUresult cass_cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph,
                                          unsigned long long flags) {
    SIMPLE(cass_call_instantiate(device, OUT(phGraphExec), hGraph, flags, NULL));
}

CUresult cass_cuGraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph,
                                    CUgraphNode *phErrorNode, char *logBuffer, size_t bufferSize) {
    if (logBuffer && bufferSize) *logBuffer = 0;
    SIMPLE(cass_call_instantiate(device, OUT(phGraphExec), hGraph, 0, OUT(phErrorNode)));
}

CUresult cass_cuGraphInstantiate(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode,
                                 char *logBuffer, size_t bufferSize) {
    return cass_cuGraphInstantiate_v2(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
}

CUresult cass_cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams) {
    ENTER(device);
    if (!instantiateParams) return CUDA_ERROR_INVALID_VALUE;
    void *bad = NULL;
    int result =
        cass_call_instantiate(device, OUT(phGraphExec), hGraph, instantiateParams->flags, &bad);
    instantiateParams->hErrNode_out = bad;
    instantiateParams->result_out = !result ? CUDA_GRAPH_INSTANTIATE_SUCCESS
                                    : bad   ? CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE
                                            : CUDA_GRAPH_INSTANTIATE_ERROR;
    return DONE(device, result);
}

CUresult cass_cuGraphExecDestroy(CUgraphExec hGraphExec) {
    SIMPLE(cass_call_exec_destroy(hGraphExec));
}

CUresult cass_cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t *flags) {
    ENTER(device);
    (void)device;
    cass_exec *exec = cass_exec_of(hGraphExec);
    if (!exec || !flags) return CUDA_ERROR_INVALID_VALUE;
    *flags = exec->flags;
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphLaunch(CUgraphExec hGraph, CUstream hStream) {
    ENTER(device);
    return RESULT(cass_call_launch(device, hGraph, cass_stream(hStream)));
}

CUresult cass_cuGraphUpload(CUgraphExec hGraph, CUstream hStream) {
    ENTER(device);
    (void)device, (void)hStream; /* nothing waits to be uploaded */
    return cass_exec_of(hGraph) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
                                   CUgraphExecUpdateResultInfo *resultInfo) {
    ENTER(device);
    int outcome = CU_GRAPH_EXEC_UPDATE_ERROR;
    void *bad = NULL;
    if (!resultInfo || !cass_exec_of(hGraphExec)) return CUDA_ERROR_INVALID_VALUE;
    int result = cass_call_update(hGraphExec, hGraph, &outcome, &bad);
    *resultInfo = (CUgraphExecUpdateResultInfo){(CUgraphExecUpdateResult)outcome, bad, NULL};
    return DONE(device, result);
}

CUresult cass_cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out,
                                CUgraphExecUpdateResult *updateResult_out) {
    CUgraphExecUpdateResultInfo found = {0};
    if (!updateResult_out) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = cass_cuGraphExecUpdate_v2(hGraphExec, hGraph, &found);
    *updateResult_out = found.result;
    if (hErrorNode_out) *hErrorNode_out = found.errorNode;
    return result;
}

CUresult cass_cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode,
                                    unsigned int *isEnabled) {
    SIMPLE(cass_call_enabled(hGraphExec, hNode, isEnabled, 0));
}

CUresult cass_cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode,
                                    unsigned int isEnabled) {
    SIMPLE(cass_call_enabled(hGraphExec, hNode, &isEnabled, 1));
}

CUresult cass_cuGraphDebugDotPrint(CUgraph hGraph, const char *path, unsigned int flags) {
    ENTER(device);
    cass_graph *graph = cass_graph_of(hGraph);
    return graph ? DONE(device, cass_graph_print(graph, path, flags)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuUserObjectCreate(CUuserObject *object_out, void *ptr, CUhostFn destroy,
                                 unsigned int initialRefcount, unsigned int flags) {
    SIMPLE(cass_object_create(ptr, destroy, initialRefcount, flags,
                              (struct cass_object **)(void *)object_out));
}

CUresult cass_cuUserObjectRetain(CUuserObject object, unsigned int count) {
    SIMPLE(cass_object_change((struct cass_object *)(void *)object, (long)count));
}

CUresult cass_cuUserObjectRelease(CUuserObject object, unsigned int count) {
    SIMPLE(cass_object_change((struct cass_object *)(void *)object, -(long)count));
}

CUresult cass_cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count,
                                      unsigned int flags) {
    ENTER(device);
    cass_graph *of = cass_graph_of(graph);
    if (!of || flags > 1) return CUDA_ERROR_INVALID_VALUE;
    return DONE(device,
                cass_graph_keep(of, (struct cass_object *)(void *)object, count, flags == 1));
}

CUresult cass_cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count) {
    ENTER(device);
    cass_graph *of = cass_graph_of(graph);
    if (!of) return CUDA_ERROR_INVALID_VALUE;
    return DONE(device, cass_graph_unkeep(of, (struct cass_object *)(void *)object, count));
}

CUresult cass_cuGraphGetId(CUgraph hGraph, unsigned int *graphId) {
    STARTED();
    cass_graph *graph = cass_graph_of(hGraph);
    if (!graph || !graphId) return CUDA_ERROR_INVALID_VALUE;
    *graphId = graph->id;
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphExecGetId(CUgraphExec hGraphExec, unsigned int *graphId) {
    STARTED();
    cass_exec *exec = cass_exec_of(hGraphExec);
    if (!exec || !graphId) return CUDA_ERROR_INVALID_VALUE;
    *graphId = exec->graph->id;
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphNodeGetContainingGraph(CUgraphNode hNode, CUgraph *phGraph) {
    STARTED();
    cass_node *node = cass_node_of(hNode);
    if (!node || !phGraph) return CUDA_ERROR_INVALID_VALUE;
    *phGraph = node->graph;
    return CUDA_SUCCESS;
}

CUresult cass_cuGraphNodeGetLocalId(CUgraphNode hNode, unsigned int *nodeId) {
    STARTED();
    cass_node *node = cass_node_of(hNode);
    if (!node || !nodeId) return CUDA_ERROR_INVALID_VALUE;
    *nodeId = node->id;
    return CUDA_SUCCESS;
}
