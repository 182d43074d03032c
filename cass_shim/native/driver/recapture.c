/* Recapture: see recapture.h. */
#include "driver/recapture.h"

#include <string.h>

static int same_place(const cass_place *a, const cass_place *b) {
    return a->kind == b->kind && a->pointer == b->pointer && a->pitch == b->pitch &&
           a->rows == b->rows && a->array == b->array && a->x == b->x && a->y == b->y &&
           a->z == b->z;
}

static int same_copy(const cass_copy_node *a, const cass_copy_node *b) {
    return a->width == b->width && a->height == b->height && a->depth == b->depth &&
           a->copy.to == b->copy.to && a->copy.from == b->copy.from &&
           a->copy.kind == b->copy.kind && same_place(&a->to, &b->to) &&
           same_place(&a->from, &b->from);
}

static int same_fill(const cass_fill *a, const cass_fill *b) {
    return a->to == b->to && a->pitch == b->pitch && a->width == b->width &&
           a->height == b->height && a->value == b->value && a->element_bytes == b->element_bytes;
}

static int same_kernel(const cass_kernel_node *a, const cass_kernel_node *b) {
    const cass_launch *x = &a->launch, *y = &b->launch;
    return a->kernel == b->kernel && !memcmp(x->grid, y->grid, sizeof x->grid) &&
           !memcmp(x->block, y->block, sizeof x->block) && x->shared_bytes == y->shared_bytes &&
           x->cooperative == y->cooperative &&
           !memcmp(a->block, b->block, a->kernel->info->params_bytes);
}

static int same_work(const cass_work *a, const cass_work *b);

static int same_graph(const cass_graph *a, const cass_graph *b) {
    const cass_node *x = a->first, *y = b->first;
    if (a->count != b->count) return 0;
    for (; x && y; x = x->next, y = y->next) {
        if (x->before_count != y->before_count || x->disabled != y->disabled ||
            !same_work(&x->work, &y->work))
            return 0;
    }
    return 1;
}

/* Whether two works are the same in everything that a program can ask of them. Types that no
 * stream can be asked to do differ. */
static int same_work(const cass_work *a, const cass_work *b) {
    if (a->type != b->type) return 0;
    switch (a->type) {
    case CASS_NODE_KERNEL:
        return same_kernel(&a->kernel, &b->kernel);
    case CASS_NODE_COPY:
        return same_copy(&a->copy, &b->copy);
    case CASS_NODE_FILL:
        return same_fill(&a->fill, &b->fill);
    case CASS_NODE_HOST:
        return a->host.function == b->host.function && a->host.user == b->host.user;
    case CASS_NODE_GRAPH:
        return same_graph(a->child, b->child);
    case CASS_NODE_WAIT_EVENT:
    case CASS_NODE_RECORD_EVENT:
        return a->event == b->event;
    case CASS_NODE_ALLOC:
        return a->memory.pointer == b->memory.pointer && a->memory.bytes == b->memory.bytes;
    case CASS_NODE_FREE:
        return a->memory.pointer == b->memory.pointer;
    case CASS_NODE_BATCH:
        return a->batch.count == b->batch.count && a->batch.flags == b->batch.flags &&
               !memcmp(a->batch.operations, b->batch.operations,
                       a->batch.count * sizeof *a->batch.operations);
    default:
        return a->type == CASS_NODE_EMPTY;
    }
}

static int comes_after(const cass_node *node, const cass_node *other) {
    for (size_t i = 0; i < node->before_count; i++)
        if (node->before[i] == other) return 1;
    return 0;
}

int cass_recapture_node(cass_recapture *again, cass_node *const *before, size_t count,
                        const cass_work *work, cass_node **out) {
    cass_node *node = again->next;
    if (!node || node->work.type != work->type || node->before_count != count)
        return GRAPH_RECAPTURE_FAILURE;
    for (size_t i = 0; i < count; i++)
        if (!comes_after(node, before[i])) return GRAPH_RECAPTURE_FAILURE;
    int fixed = work->type == CASS_NODE_ALLOC || work->type == CASS_NODE_FREE;
    if (fixed && !same_work(&node->work, work)) return GRAPH_RECAPTURE_FAILURE;
    again->next = node->next;
    *out = node;
    return OK;
}

int cass_recapture_set(const cass_recapture *again, cass_node *node, cass_work *work) {
    if (same_work(&node->work, work)) {
        cass_work_free(work);
        return OK;
    }
    if (again->callback && again->tell(again->callback, again->user, node, work)) {
        cass_work_free(work);
        return GRAPH_RECAPTURE_FAILURE;
    }
    return cass_node_set(node, work);
}

void *cass_recapture_memory(const cass_recapture *again, size_t bytes) {
    const cass_work *work = again->next ? &again->next->work : NULL;
    return work && work->type == CASS_NODE_ALLOC && work->memory.bytes == bytes
               ? work->memory.pointer
               : NULL;
}
