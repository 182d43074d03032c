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

/* Marks every node that `node` comes after, and itself. */
void cass_mark_before(cass_node *node);

#endif
