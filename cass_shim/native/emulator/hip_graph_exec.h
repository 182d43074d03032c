/* An instantiated graph: its work in an order that respects the edges. */
#ifndef CASS_EMU_HIP_GRAPH_EXEC_H
#define CASS_EMU_HIP_GRAPH_EXEC_H

#include "emulator/hip_graph.h"

typedef struct emu_exec emu_exec;

typedef struct {
    uint64_t node, origin; /* ids of the node it came from, and of what that was cloned from */
    hipGraphNodeType type;
    emu_op *op;
    emu_exec *child;
    bool enabled;
    size_t *dependencies; /* earlier steps */
    size_t dependency_count;
} emu_step;

struct emu_exec {
    _Atomic unsigned references; /* the handle's and one per launch in flight */
    pthread_mutex_t lock;        /* held while it runs */
    emu_step *steps;
    size_t count;
    bool has_host;
    unsigned long long flags;
    emu_user_reference *users;
};

emu_exec *emu_exec_of(hipGraphExec_t handle);
/* The step of a node of the graph that was instantiated; NULL with a reason. */
emu_step *emu_exec_step(emu_exec *exec, const emu_node *node);
/* Gives a step other work of the same kind; waits for a launch that runs. */
void emu_step_replace(emu_exec *exec, emu_step *step, emu_op *op);
/* hipGraphExecUpdate; failed: id of the first node that differs, 0 if none. */
hipError_t emu_exec_update(emu_exec *exec, const emu_graph *graph, uint64_t *failed,
                           hipGraphExecUpdateResult *result);

/* What all node calls come down to; each takes `op` over, and passes `error` on where it is NULL.
 * hip_graph_node.c */
hipError_t emu_node_add(hipGraphNode_t *into, hipGraph_t graph, const hipGraphNode_t *dependencies,
                        size_t count, emu_op *op, hipError_t error);
hipError_t emu_node_replace(hipGraphNode_t node, emu_op *op, hipError_t error);
hipError_t emu_step_set(hipGraphExec_t exec, hipGraphNode_t node, emu_op *op, hipError_t error);
/* The node behind a handle if its work is of `kind`; NULL with a reason. */
emu_node *emu_node_of_kind(hipGraphNode_t handle, emu_op_kind kind);

#endif
