/* The structure of graphs: nodes, edges, copies (hip_graph.h). */
#include "emulator/hip_graph.h"
#include "emulator/hip_calls.h"

#include <stdlib.h>
#include <string.h>

static _Atomic uint64_t next_id = 1;

emu_graph *emu_graph_of(hipGraph_t handle) {
    if (emu_handle_is(handle, EMU_GRAPH)) return (emu_graph *)(void *)handle;
    emu_fail(hipErrorInvalidValue, "not a live graph: %p", (void *)handle);
    return NULL;
}

emu_node *emu_node_of(hipGraphNode_t handle) {
    if (emu_handle_is(handle, EMU_GRAPH_NODE)) return (emu_node *)(void *)handle;
    emu_fail(hipErrorInvalidValue, "not a live graph node: %p", (void *)handle);
    return NULL;
}

emu_graph *emu_graph_create(void) {
    emu_graph *graph = calloc(1, sizeof *graph);
    if (!graph) return NULL;
    graph->id = graph->origin = atomic_fetch_add(&next_id, 1);
    emu_handle_add(graph, EMU_GRAPH);
    return graph;
}

static void node_free(emu_node *node) {
    emu_handle_remove(node, EMU_GRAPH_NODE);
    emu_op_free(node->op);
    if (node->child) emu_graph_free(node->child);
    free(node->dependencies);
    free(node);
}

void emu_graph_free(emu_graph *graph) {
    emu_handle_remove(graph, EMU_GRAPH);
    for (size_t i = 0; i < graph->count; i++) node_free(graph->nodes[i]);
    emu_user_release(graph->users);
    free(graph->nodes);
    free(graph);
}

bool emu_node_depend(emu_node *node, emu_node *on) {
    for (size_t i = 0; i < node->dependency_count; i++)
        if (node->dependencies[i] == on) return true;
    emu_node **grown =
        realloc(node->dependencies, (node->dependency_count + 1) * sizeof(emu_node *));
    if (!grown) return false;
    node->dependencies = grown;
    grown[node->dependency_count++] = on;
    return true;
}

static bool room_for_node(emu_graph *graph) {
    if (graph->count < graph->capacity) return true;
    size_t wanted = graph->capacity ? graph->capacity * 2 : 16;
    emu_node **grown = realloc(graph->nodes, wanted * sizeof(emu_node *));
    if (!grown) return false;
    graph->nodes = grown;
    graph->capacity = wanted;
    return true;
}

emu_node *emu_graph_add(emu_graph *graph, emu_op *op, emu_node *const *dependencies, size_t count) {
    emu_node *node = op && room_for_node(graph) ? calloc(1, sizeof *node) : NULL;
    if (!node) {
        emu_op_free(op);
        emu_fail(hipErrorOutOfMemory, "no host memory for a graph node");
        return NULL;
    }
    node->graph = graph;
    node->id = node->origin = atomic_fetch_add(&next_id, 1);
    node->op = op;
    for (size_t i = 0; i < count; i++) {
        bool fits =
            emu_handle_is(dependencies[i], EMU_GRAPH_NODE) && dependencies[i]->graph == graph;
        if (fits && emu_node_depend(node, dependencies[i])) continue;
        emu_fail(hipErrorInvalidValue, "dependency %zu is no node of the graph", i);
        node_free(node);
        return NULL;
    }
    emu_handle_add(node, EMU_GRAPH_NODE);
    graph->nodes[graph->count++] = node;
    return node;
}

static size_t position_of(const emu_graph *graph, const emu_node *node) {
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i] == node) return i;
    return SIZE_MAX;
}

static emu_node *copy_node(emu_graph *into, const emu_node *node) {
    emu_op *op = emu_op_clone(node->op);
    emu_node *made = op ? emu_graph_add(into, op, NULL, 0) : NULL;
    if (!made) return NULL;
    made->origin = node->id;
    if (node->child && !(made->child = emu_graph_copy(node->child))) return NULL;
    if (made->child) made->child->child = true;
    return made;
}

emu_graph *emu_graph_copy(const emu_graph *graph) {
    emu_graph *copy = emu_graph_create();
    bool good = copy != NULL;
    for (size_t i = 0; i < graph->count && good; i++)
        good = copy_node(copy, graph->nodes[i]) != NULL;
    for (size_t i = 0; i < graph->count && good; i++)
        for (size_t d = 0; d < graph->nodes[i]->dependency_count && good; d++)
            good = emu_node_depend(
                copy->nodes[i], copy->nodes[position_of(graph, graph->nodes[i]->dependencies[d])]);
    if (!good) {
        if (copy) emu_graph_free(copy);
        return NULL;
    }
    copy->origin = graph->id;
    copy->users = emu_user_copy(graph->users);
    return copy;
}

bool emu_graph_order(const emu_graph *graph, size_t *order) {
    size_t placed = 0, before = SIZE_MAX;
    bool *done = calloc(graph->count + 1, sizeof *done);
    while (done && placed < graph->count && placed != before) {
        before = placed;
        for (size_t i = 0; i < graph->count; i++) {
            const emu_node *node = graph->nodes[i];
            bool ready = !done[i];
            for (size_t d = 0; d < node->dependency_count && ready; d++)
                ready = done[position_of(graph, node->dependencies[d])];
            if (!ready) continue;
            done[i] = true;
            order[placed++] = i;
        }
    }
    free(done);
    return placed == graph->count;
}

hipGraphNodeType emu_node_type(const emu_node *node) {
    if (node->child) return hipGraphNodeTypeGraph;
    switch (node->op->kind) {
    case EMU_OP_KERNEL:
        return hipGraphNodeTypeKernel;
    case EMU_OP_COPY:
        return hipGraphNodeTypeMemcpy;
    case EMU_OP_SET:
        return hipGraphNodeTypeMemset;
    case EMU_OP_HOST:
        return hipGraphNodeTypeHost;
    case EMU_OP_EVENT_RECORD:
        return hipGraphNodeTypeEventRecord;
    case EMU_OP_EVENT_WAIT:
        return hipGraphNodeTypeWaitEvent;
    case EMU_OP_ALLOC:
        return hipGraphNodeTypeMemAlloc;
    case EMU_OP_FREE:
        return hipGraphNodeTypeMemFree;
    case EMU_OP_WAIT_VALUE:
    case EMU_OP_WRITE_VALUE:
        return hipGraphNodeTypeBatchMemOp;
    default:
        return hipGraphNodeTypeEmpty;
    }
}

hipError_t emu_hipGraphCreate(hipGraph_t *pGraph, unsigned int flags) {
    if (!pGraph || flags)
        return emu_fail(hipErrorInvalidValue, "no graph, or flags that must be 0");
    *pGraph = (hipGraph_t)(void *)emu_graph_create();
    return *pGraph ? hipSuccess : emu_fail(hipErrorOutOfMemory, "no host memory for a graph");
}

hipError_t emu_hipGraphDestroy(hipGraph_t handle) {
    emu_graph *graph = emu_graph_of(handle);
    if (!graph || graph->child)
        return emu_fail(hipErrorInvalidValue, "not a graph that can be destroyed");
    emu_graph_free(graph);
    return hipSuccess;
}

hipError_t emu_hipGraphClone(hipGraph_t *pGraphClone, hipGraph_t originalGraph) {
    emu_graph *graph = emu_graph_of(originalGraph);
    if (!graph || !pGraphClone) return emu_fail(hipErrorInvalidValue, "no graph");
    *pGraphClone = (hipGraph_t)(void *)emu_graph_copy(graph);
    return *pGraphClone ? hipSuccess : emu_fail(hipErrorOutOfMemory, "no host memory for a graph");
}

hipError_t emu_hipGraphNodeFindInClone(hipGraphNode_t *pNode, hipGraphNode_t originalNode,
                                       hipGraph_t clonedGraph) {
    emu_node *original = emu_node_of(originalNode);
    emu_graph *clone = emu_graph_of(clonedGraph);
    if (!original || !clone || !pNode) return emu_fail(hipErrorInvalidValue, "no node or no graph");
    for (size_t i = 0; i < clone->count; i++)
        if (clone->nodes[i]->origin == original->id) {
            *pNode = (hipGraphNode_t)(void *)clone->nodes[i];
            return hipSuccess;
        }
    return emu_fail(hipErrorInvalidValue, "the graph is no clone of the node's");
}

/* The convention of every list query: count only when there is no array; fill and null-pad
 * otherwise. */
static hipError_t give_nodes(emu_node *const *nodes, size_t count, hipGraphNode_t *list,
                             size_t *room) {
    if (!room) return emu_fail(hipErrorInvalidValue, "no count");
    for (size_t i = 0; list && i < *room; i++)
        list[i] = i < count ? (hipGraphNode_t)(void *)nodes[i] : NULL;
    if (!list || *room > count) *room = count;
    return hipSuccess;
}

hipError_t emu_hipGraphGetNodes(hipGraph_t handle, hipGraphNode_t *nodes, size_t *numNodes) {
    emu_graph *graph = emu_graph_of(handle);
    return graph ? give_nodes(graph->nodes, graph->count, nodes, numNodes) : hipErrorInvalidValue;
}

/* Nodes for which `wanted` holds, as a list query. */
static hipError_t give_matching(const emu_graph *graph,
                                bool (*wanted)(const emu_node *, const emu_node *),
                                const emu_node *with, hipGraphNode_t *list, size_t *room) {
    emu_node **found = calloc(graph->count + 1, sizeof(emu_node *));
    size_t count = 0;
    if (!found) return emu_fail(hipErrorOutOfMemory, "no host memory for a list");
    for (size_t i = 0; i < graph->count; i++)
        if (wanted(graph->nodes[i], with)) found[count++] = graph->nodes[i];
    hipError_t error = give_nodes(found, count, list, room);
    free(found);
    return error;
}

static bool is_root(const emu_node *node, const emu_node *with) {
    (void)with;
    return node->dependency_count == 0;
}

static bool depends_on(const emu_node *node, const emu_node *with) {
    for (size_t i = 0; i < node->dependency_count; i++)
        if (node->dependencies[i] == with) return true;
    return false;
}

hipError_t emu_hipGraphGetRootNodes(hipGraph_t handle, hipGraphNode_t *pRootNodes,
                                    size_t *pNumRootNodes) {
    emu_graph *graph = emu_graph_of(handle);
    return graph ? give_matching(graph, is_root, NULL, pRootNodes, pNumRootNodes)
                 : hipErrorInvalidValue;
}

hipError_t emu_hipGraphNodeGetDependencies(hipGraphNode_t handle, hipGraphNode_t *pDependencies,
                                           size_t *pNumDependencies) {
    emu_node *node = emu_node_of(handle);
    return node ? give_nodes(node->dependencies, node->dependency_count, pDependencies,
                             pNumDependencies)
                : hipErrorInvalidValue;
}

hipError_t emu_hipGraphNodeGetDependentNodes(hipGraphNode_t handle, hipGraphNode_t *pDependentNodes,
                                             size_t *pNumDependentNodes) {
    emu_node *node = emu_node_of(handle);
    return node ? give_matching(node->graph, depends_on, node, pDependentNodes, pNumDependentNodes)
                : hipErrorInvalidValue;
}

hipError_t emu_hipGraphGetEdges(hipGraph_t handle, hipGraphNode_t *from_, hipGraphNode_t *to,
                                size_t *numEdges) {
    emu_graph *graph = emu_graph_of(handle);
    if (!graph || !numEdges || !from_ != !to)
        return emu_fail(hipErrorInvalidValue, "no graph, no count, or one list only");
    size_t count = 0;
    for (size_t i = 0; i < graph->count; i++)
        for (size_t d = 0; d < graph->nodes[i]->dependency_count; d++, count++) {
            if (!from_ || count >= *numEdges) continue;
            from_[count] = (hipGraphNode_t)(void *)graph->nodes[i]->dependencies[d];
            to[count] = (hipGraphNode_t)(void *)graph->nodes[i];
        }
    if (!from_ || *numEdges > count) *numEdges = count;
    return hipSuccess;
}

static hipError_t edge(hipGraph_t graph, hipGraphNode_t from, hipGraphNode_t to, emu_node **ends) {
    ends[0] = emu_node_of(from);
    ends[1] = emu_node_of(to);
    if (!ends[0] || !ends[1] || ends[0]->graph != emu_graph_of(graph) ||
        ends[1]->graph != ends[0]->graph || ends[0] == ends[1])
        return emu_fail(hipErrorInvalidValue, "an edge needs two nodes of the graph");
    return hipSuccess;
}

hipError_t emu_hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from_,
                                       const hipGraphNode_t *to, size_t numDependencies) {
    if (numDependencies && (!from_ || !to)) return emu_fail(hipErrorInvalidValue, "no nodes");
    for (size_t i = 0; i < numDependencies; i++) {
        emu_node *ends[2];
        hipError_t error = edge(graph, from_[i], to[i], ends);
        if (error) return error;
        if (depends_on(ends[1], ends[0]))
            return emu_fail(hipErrorInvalidValue, "edge %zu exists already", i);
        if (!emu_node_depend(ends[1], ends[0]))
            return emu_fail(hipErrorOutOfMemory, "no host memory for an edge");
    }
    return hipSuccess;
}

static bool forget(emu_node *node, const emu_node *on) {
    for (size_t i = 0; i < node->dependency_count; i++)
        if (node->dependencies[i] == on) {
            node->dependencies[i] = node->dependencies[--node->dependency_count];
            return true;
        }
    return false;
}

hipError_t emu_hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t *from_,
                                          const hipGraphNode_t *to, size_t numDependencies) {
    if (numDependencies && (!from_ || !to)) return emu_fail(hipErrorInvalidValue, "no nodes");
    for (size_t i = 0; i < numDependencies; i++) {
        emu_node *ends[2];
        hipError_t error = edge(graph, from_[i], to[i], ends);
        if (error) return error;
        if (!forget(ends[1], ends[0]))
            return emu_fail(hipErrorInvalidValue, "edge %zu does not exist", i);
    }
    return hipSuccess;
}

hipError_t emu_hipGraphNodeGetType(hipGraphNode_t handle, hipGraphNodeType *pType) {
    emu_node *node = emu_node_of(handle);
    if (!node || !pType) return emu_fail(hipErrorInvalidValue, "no node or no result");
    *pType = emu_node_type(node);
    return hipSuccess;
}

hipError_t emu_hipGraphDestroyNode(hipGraphNode_t handle) {
    emu_node *node = emu_node_of(handle);
    if (!node) return hipErrorInvalidValue;
    emu_graph *graph = node->graph;
    size_t at = position_of(graph, node);
    memmove(graph->nodes + at, graph->nodes + at + 1, (graph->count - at - 1) * sizeof(emu_node *));
    graph->count--;
    for (size_t i = 0; i < graph->count; i++) forget(graph->nodes[i], node);
    node_free(node);
    return hipSuccess;
}
