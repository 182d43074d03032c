/* Sets of a graph's nodes, as a capture keeps them: what the next node depends on. */
#ifndef CASS_NODES_H
#define CASS_NODES_H

#include "driver/graph.h"

typedef struct {
    cass_node **nodes; /* owned */
    size_t count;
} cass_nodes;

/* Each is 0 or 2. */
int cass_nodes_set(cass_nodes *set, cass_node *const *nodes, size_t count);
/* Those that are not in it. */
int cass_nodes_add(cass_nodes *set, cass_node *const *nodes, size_t count);

/* Marks the nodes of a set and all that they come after, and no other of the graph. 0 or 2. */
int cass_mark_before(const cass_graph *graph, const cass_nodes *set);

#endif
