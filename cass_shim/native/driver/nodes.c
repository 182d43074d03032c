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

/* No recursion: a capture may be a chain of any length, and a thread's stack small. */
int cass_mark_before(const cass_graph *graph, const cass_nodes *set) {
    cass_node **waiting = malloc((graph->count + 1) * sizeof *waiting);
    size_t count = 0;
    if (!waiting) return OUT_OF_MEMORY;
    for (cass_node *node = graph->first; node; node = node->next) node->mark = 0;
    for (size_t i = 0; i < set->count; i++) {
        if (!set->nodes[i]->mark) waiting[count++] = set->nodes[i];
        set->nodes[i]->mark = 1;
    }
    while (count) {
        const cass_node *node = waiting[--count];
        for (size_t i = 0; i < node->before_count; i++) {
            if (!node->before[i]->mark) waiting[count++] = node->before[i];
            node->before[i]->mark = 1;
        }
    }
    free(waiting);
    return OK;
}
