/* Conditional nodes: a value that kernels set, and the bodies it chooses among.
 *
 * A condition handle is the device address of a 32-bit word: cudaGraphSetConditional in device code
 * is a store to it. The host reads the word when the node's turn has come, so that launching a
 * graph with conditional nodes returns only when the graph has run. */
#ifndef CASS_CONDITION_H
#define CASS_CONDITION_H

#include "driver/graph.h"

enum { CASS_CONDITION_IF = 0, CASS_CONDITION_WHILE = 1, CASS_CONDITION_SWITCH = 2 };

/* A handle of this graph. flags 1: `initial` is the value at every launch. 1 for other flags. */
int cass_condition_create(cass_graph *graph, unsigned initial, unsigned flags, uint64_t *handle);

/* A conditional node's work with `size` empty bodies. 1 for a handle that is not of this graph or
 * has a node already, and for a size that the type does not have. */
int cass_condition_work(cass_graph *graph, uint64_t handle, int type, unsigned size,
                        cass_work *work);
uint64_t cass_condition_handle(const cass_work *work);
int cass_condition_copy(cass_work *to, const cass_work *from);
void cass_condition_free(cass_work *work);

/* A clone's kernels hold the handles of the graph they come from: both keep them. */
int cass_conditions_share(cass_graph *to, const cass_graph *from);
void cass_conditions_drop(cass_graph *graph);

/* Bodies hold kernels, copies, fills, empty nodes, child graphs and conditional nodes only (CUDA
 * Programming Guide). 1 for others. */
int cass_conditions_check(const cass_graph *graph);

/* Sets every condition that has a default. */
int cass_conditions_begin(const cass_graph *graph, hipStream_t stream);
int cass_condition_run(cass_device *device, const cass_work *work, hipStream_t stream);

#endif
