/* What the graph calls of the runtime and the driver have in common: handles checked, lists copied.
 * All return codes in the runtime's numbering; handle arguments are the program's. */
#ifndef CASS_GRAPH_CALLS_H
#define CASS_GRAPH_CALLS_H

#include "driver/graph.h"

int cass_call_graph_create(void **out, unsigned flags);
int cass_call_graph_destroy(const void *graph);
int cass_call_graph_clone(void **out, const void *graph);
/* What is asked of an edge to a node of this type: 801 for programmatic edges of kernels, 1 for
 * what no edge can be. Each entry is {from_port, to_port, type, reserved[5]}, the same in the
 * runtime and the driver. */
int cass_call_edges_possible(const void *edges, size_t count, int to_type);
int cass_call_add(void **out, const void *graph, const void *before, size_t count, cass_work *work);
/* The work of a node that holds a copy of `child`. */
int cass_call_child(const void *child, cass_work *work);
int cass_call_add_child(void **out, const void *graph, const void *before, size_t count,
                        const void *child);
int cass_call_connect(const void *graph, const void *from, const void *to, size_t count,
                      int connect);
int cass_call_nodes(const void *graph, int roots_only, void *nodes, size_t *count);
int cass_call_edges(const void *graph, void *from, void *to, size_t *count);
int cass_call_neighbours(const void *node, int after, void *nodes, size_t *count);
int cass_call_type(const void *node, int *type);
int cass_call_find(void **out, const void *node, const void *clone);
int cass_call_node_destroy(const void *node);

/* A node's work for reading; 1 when it is no node of that type. */
int cass_call_work(const void *node, int type, cass_work **work);
/* Replaces the work of a node (exec NULL), or of its copy in an executable graph. Takes `work`
 * over. */
int cass_call_set(const void *exec, const void *node, cass_work *work);
int cass_call_set_child(const void *exec, const void *node, const void *child);

int cass_call_instantiate(cass_device *device, void **out, const void *graph,
                          unsigned long long flags, void **bad);
int cass_call_exec_destroy(const void *exec);
int cass_call_launch(cass_device *device, const void *exec, hipStream_t stream);
int cass_call_update(const void *exec, const void *graph, int *outcome, void **bad);
int cass_call_enabled(const void *exec, const void *node, unsigned *enabled, int set);
int cass_call_attribute(const void *node, unsigned which, void *value, int set);
int cass_call_copy_attributes(const void *from, const void *to);

/* A fill and a one-dimensional copy as works. 1 for an element size CUDA lacks. */
int cass_call_fill(cass_work *work, void *to, size_t pitch, unsigned value, unsigned element_bytes,
                   size_t width, size_t height);
void cass_call_line(cass_work *work, void *to, const void *from, size_t bytes, int kind);
int cass_call_block(cass_work *work, const cass_place *to, const cass_place *from, size_t width,
                    size_t height, size_t depth);

#endif
