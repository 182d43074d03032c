/* Graphs: operations as nodes, made by calls or by capturing a stream; instantiated, launched,
 * updated. Like HIP's, graph objects are not for two threads at once. Captures are. */
#ifndef CASS_EMU_HIP_GRAPH_H
#define CASS_EMU_HIP_GRAPH_H

#include "emulator/hip_event.h"
#include "emulator/hip_queue.h"

typedef struct emu_graph emu_graph;
typedef struct emu_node emu_node;

struct emu_node {
    emu_graph *graph;
    uint64_t id; /* unique in the process; clones and executables find their original by it */
    uint64_t origin;
    emu_op *op;       /* owned; kind EMU_OP_EMPTY for empty nodes and children */
    emu_graph *child; /* owned; not NULL for a child graph */
    emu_node **dependencies;
    size_t dependency_count;
    bool reached; /* for the capture's own search */
};

typedef struct emu_user_reference {
    struct emu_user_object *object;
    unsigned count;
    struct emu_user_reference *next;
} emu_user_reference;

struct emu_graph {
    emu_node **nodes; /* in the order they were added */
    size_t count, capacity;
    uint64_t id, origin;
    bool child; /* belongs to a node */
    emu_user_reference *users;
};

emu_graph *emu_graph_of(hipGraph_t handle);
emu_node *emu_node_of(hipGraphNode_t handle);
emu_graph *emu_graph_create(void);
emu_graph *emu_graph_copy(const emu_graph *graph);
void emu_graph_free(emu_graph *graph);
/* Takes `op` over. NULL: no memory, or a dependency that is not a node of the graph (reason set).
 */
emu_node *emu_graph_add(emu_graph *graph, emu_op *op, emu_node *const *dependencies, size_t count);
bool emu_node_depend(emu_node *node, emu_node *on);
hipGraphNodeType emu_node_type(const emu_node *node);
/* Positions in an order that respects every edge; false if there is a cycle. order: graph->count
 * entries. */
bool emu_graph_order(const emu_graph *graph, size_t *order);
void emu_user_release(emu_user_reference *references);
emu_user_reference *emu_user_copy(const emu_user_reference *references);

/* Ops of graph memory: the block lives as long as any op refers to it. hip_graph_memory.c */
emu_op *emu_alloc_op(emu_device *device, const hipMemAllocNodeParams *params, void **address,
                     hipError_t *error);
emu_op *emu_graph_free_op(void *address);
const hipMemAllocNodeParams *emu_alloc_op_params(const emu_op *op);
void *emu_graph_free_op_address(const emu_op *op);

/* hipErrorStreamCaptureUnsupported where a capture forbids the calling thread this kind of call;
 * invalidates that capture. hip_capture.c */
hipError_t emu_unsafe_while_capturing(const char *call);

#endif
