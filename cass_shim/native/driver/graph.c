/* Graphs: structure. See graph.h. */
#include "driver/condition.h"
#include "driver/graph.h"

#include <stdlib.h>
#include <string.h>

enum { GRAPH_MAGIC = 0x43475048, NODE_MAGIC = 0x434e4f44 };

static _Atomic uint32_t next_graph_id = 1;

cass_graph *cass_graph_create(void) {
    cass_graph *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->magic = GRAPH_MAGIC;
    made->id = atomic_fetch_add(&next_graph_id, 1);
    return made;
}

cass_graph *cass_graph_of(const void *handle) {
    cass_graph *graph = (cass_graph *)(uintptr_t)handle;
    return graph && (uintptr_t)handle % 8 == 0 && graph->magic == GRAPH_MAGIC ? graph : NULL;
}

cass_node *cass_node_of(const void *handle) {
    cass_node *node = (cass_node *)(uintptr_t)handle;
    return node && (uintptr_t)handle % 8 == 0 && node->magic == NODE_MAGIC ? node : NULL;
}

static void free_node(cass_node *node) {
    cass_work_free(&node->work);
    node->magic = 0;
    free(node->before);
    free(node);
}

void cass_graph_destroy(cass_graph *graph) {
    for (cass_node *node = graph->first, *next; node; node = next) {
        next = node->next;
        free_node(node);
    }
    cass_graph_release_kept(graph);
    cass_conditions_drop(graph);
    cass_live_drop(graph->live, 0);
    graph->magic = 0;
    free(graph);
}

static int depends(const cass_node *node, const cass_node *on) {
    for (size_t i = 0; i < node->before_count; i++)
        if (node->before[i] == on) return 1;
    return 0;
}

static int add_dependency(cass_node *node, cass_node *on) {
    if (depends(node, on)) return OK;
    if (node->before_count == node->before_room) {
        size_t room = node->before_room ? node->before_room * 2 : 4;
        cass_node **grown = realloc(node->before, room * sizeof *grown);
        if (!grown) return OUT_OF_MEMORY;
        node->before = grown;
        node->before_room = room;
    }
    node->before[node->before_count++] = on;
    return OK;
}

static int drop_dependency(cass_node *node, const cass_node *on) {
    for (size_t i = 0; i < node->before_count; i++)
        if (node->before[i] == on) {
            node->before[i] = node->before[--node->before_count];
            return 1;
        }
    return 0;
}

static int all_in(const cass_graph *graph, cass_node *const *nodes, size_t count) {
    if (count && !nodes) return 0;
    for (size_t i = 0; i < count; i++)
        if (!cass_node_of(nodes[i]) || nodes[i]->graph != graph) return 0;
    return 1;
}

/* Graphs inside a node belong to it. */
static void adopt(cass_node *node) {
    cass_work *work = &node->work;
    if (work->type == CASS_NODE_GRAPH) work->child->parent = node;
    for (unsigned i = 0; work->type == CASS_NODE_CONDITION && i < work->condition.size; i++)
        work->condition.bodies[i]->parent = node;
}

int cass_graph_has(const cass_graph *graph, int type) {
    for (const cass_node *node = graph->first; node; node = node->next) {
        if (node->work.type == type) return 1;
        if (node->work.type == CASS_NODE_GRAPH && cass_graph_has(node->work.child, type)) return 1;
    }
    return 0;
}

int cass_graph_add(cass_graph *graph, cass_node *const *before, size_t count, cass_work *work,
                   cass_node **out) {
    int fits = out && all_in(graph, before, count);
    cass_node *made = fits ? calloc(1, sizeof *made) : NULL;
    if (!made) {
        cass_work_free(work);
        return fits ? OUT_OF_MEMORY : INVALID_VALUE;
    }
    made->magic = NODE_MAGIC;
    made->id = graph->next_node++;
    made->graph = graph;
    made->device = cass_thread.current ? cass_thread.current->device : 0;
    made->work = *work;
    adopt(made);
    for (size_t i = 0; i < count; i++)
        if (add_dependency(made, before[i])) {
            free_node(made);
            return OUT_OF_MEMORY;
        }
    if (graph->last) graph->last->next = made;
    else graph->first = made;
    graph->last = made;
    graph->count++;
    *out = made;
    return OK;
}

int cass_node_destroy(cass_node *node) {
    cass_graph *graph = node->graph;
    cass_node *previous = NULL;
    for (cass_node *at = graph->first; at; at = at->next) {
        drop_dependency(at, node);
        if (at->next == node) previous = at;
    }
    if (previous) previous->next = node->next;
    else graph->first = node->next;
    if (graph->last == node) graph->last = previous;
    graph->count--;
    free_node(node);
    return OK;
}

int cass_graph_connect(cass_graph *graph, cass_node *const *from, cass_node *const *to,
                       size_t count) {
    if (!all_in(graph, from, count) || !all_in(graph, to, count)) return INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (from[i] == to[i] || depends(to[i], from[i])) return INVALID_VALUE;
    int result = OK;
    for (size_t i = 0; i < count && !result; i++) result = add_dependency(to[i], from[i]);
    return result;
}

int cass_graph_disconnect(cass_graph *graph, cass_node *const *from, cass_node *const *to,
                          size_t count) {
    if (!all_in(graph, from, count) || !all_in(graph, to, count)) return INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!drop_dependency(to[i], from[i])) return INVALID_VALUE;
    return OK;
}

/* One item of a list in CUDA's protocol: counted, and stored while there is room. */
static void put(cass_node **list, size_t room, size_t *found, cass_node *node) {
    if (list && *found < room) list[*found] = node;
    ++*found;
}

static int finish(cass_node **list, size_t room, size_t found, size_t *count) {
    for (size_t i = found; list && i < room; i++) list[i] = NULL;
    *count = list && room < found ? room : found;
    return OK;
}

int cass_graph_nodes(const cass_graph *graph, int roots_only, cass_node **nodes, size_t *count) {
    if (!count) return INVALID_VALUE;
    size_t room = *count, found = 0;
    for (cass_node *node = graph->first; node; node = node->next)
        if (!roots_only || !node->before_count) put(nodes, room, &found, node);
    return finish(nodes, room, found, count);
}

int cass_graph_edges(const cass_graph *graph, cass_node **from, cass_node **to, size_t *count) {
    if (!count || (!from != !to)) return INVALID_VALUE;
    size_t room = *count, found = 0;
    for (cass_node *node = graph->first; node; node = node->next)
        for (size_t i = 0; i < node->before_count; i++) {
            size_t same = found;
            put(from, room, &same, node->before[i]);
            put(to, room, &found, node);
        }
    finish(from, room, found, count);
    *count = room;
    return finish(to, room, found, count);
}

int cass_node_before(const cass_node *node, cass_node **nodes, size_t *count) {
    if (!count) return INVALID_VALUE;
    size_t room = *count, found = 0;
    for (size_t i = 0; i < node->before_count; i++) put(nodes, room, &found, node->before[i]);
    return finish(nodes, room, found, count);
}

int cass_node_after(const cass_node *node, cass_node **nodes, size_t *count) {
    if (!count) return INVALID_VALUE;
    size_t room = *count, found = 0;
    for (cass_node *at = node->graph->first; at; at = at->next)
        if (depends(at, node)) put(nodes, room, &found, at);
    return finish(nodes, room, found, count);
}

cass_node *cass_graph_find_copy(const cass_graph *clone, const cass_node *node) {
    for (cass_node *at = clone->first; at; at = at->next)
        if (at->origin == node) return at;
    return NULL;
}

cass_graph *cass_graph_clone(const cass_graph *graph) {
    cass_graph *made = cass_graph_create();
    if (!made) return NULL;
    made->origin = graph;
    if (cass_conditions_share(made, graph)) {
        cass_graph_destroy(made);
        return NULL;
    }
    for (const cass_node *node = graph->first; node; node = node->next) {
        cass_work work;
        cass_node *copy;
        if (cass_work_copy(&work, &node->work) || cass_graph_add(made, NULL, 0, &work, &copy)) {
            cass_graph_destroy(made);
            return NULL;
        }
        copy->origin = node;
        copy->disabled = node->disabled;
        copy->device = node->device;
    }
    for (cass_node *copy = made->first; copy; copy = copy->next)
        for (size_t i = 0; i < copy->origin->before_count; i++)
            if (add_dependency(copy, cass_graph_find_copy(made, copy->origin->before[i]))) {
                cass_graph_destroy(made);
                return NULL;
            }
    return made;
}

int cass_node_set(cass_node *node, cass_work *work) {
    if (node->work.type != work->type) {
        cass_work_free(work);
        return INVALID_VALUE;
    }
    cass_work old = node->work;
    if (work->type == CASS_NODE_KERNEL) { /* attributes stay */
        memcpy(work->kernel.attributes, old.kernel.attributes, sizeof old.kernel.attributes);
        work->kernel.attributes_set = old.kernel.attributes_set;
    }
    node->work = *work;
    adopt(node);
    cass_work_free(&old);
    return OK;
}
