/* Sets of nodes: see nodes.h. */
#include "driver/nodes.h"

#include <stdlib.h>
#include <string.h>

int cass_nodes_set(cass_nodes *set, cass_node *const *nodes, size_t count) {
    cass_node **copy = malloc((count + 1) * sizeof *copy);
    if (!copy) return OUT_OF_MEMORY;
    if (count) memcpy(copy, nodes, count * sizeof *copy);
    free(set->nodes);
    *set = (cass_nodes){copy, count};
    return OK;
}

int cass_nodes_add(cass_nodes *set, cass_node *const *nodes, size_t count) {
    cass_node **grown = realloc(set->nodes, (set->count + count + 1) * sizeof *grown);
    if (!grown) return OUT_OF_MEMORY;
    set->nodes = grown;
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < set->count && grown[at] != nodes[i]) at++;
        if (at == set->count) grown[set->count++] = nodes[i];
    }
    return OK;
}

void cass_mark_before(cass_node *node) {
    if (node->mark) return;
    node->mark = 1;
    for (size_t i = 0; i < node->before_count; i++) cass_mark_before(node->before[i]);
}
