/* Conditional nodes: see condition.h. */
#include "driver/condition.h"

#include <stdlib.h>
#include <string.h>

enum { ASSIGN_DEFAULT = 1, WORD_BYTES = 4 };

struct cass_condition {
    _Atomic long references;
    void *word; /* in device memory; the handle */
    unsigned initial, flags;
    int taken; /* a node has it */
};

/* A graph's own conditions and those of the graphs it was cloned from. */
struct cass_condition_list {
    cass_condition *condition;
    int own;
    struct cass_condition_list *next;
};

static void drop(cass_condition *condition) {
    if (atomic_fetch_sub(&condition->references, 1) > 1) return;
    (void)HIP(hipFree, condition->word);
    free(condition);
}

static int keep(cass_graph *graph, cass_condition *condition, int own) {
    struct cass_condition_list *made = calloc(1, sizeof *made);
    if (!made) return OUT_OF_MEMORY;
    *made = (struct cass_condition_list){condition, own, graph->conditions};
    graph->conditions = made;
    atomic_fetch_add(&condition->references, 1);
    return OK;
}

int cass_condition_create(cass_graph *graph, unsigned initial, unsigned flags, uint64_t *handle) {
    if (flags & ~(unsigned)ASSIGN_DEFAULT) return INVALID_VALUE;
    cass_condition *made = calloc(1, sizeof *made);
    if (!made) return OUT_OF_MEMORY;
    made->initial = initial, made->flags = flags;
    int result = HIP(hipMalloc, &made->word, WORD_BYTES);
    if (result) {
        free(made);
        return result;
    }
    made->references = 1;
    result = HIP(hipMemset, made->word, 0, WORD_BYTES);
    if (!result) result = keep(graph, made, 1);
    drop(made);
    if (!result) *handle = (uint64_t)(uintptr_t)made->word;
    return result;
}

/* A body may use the conditions of the graphs around it. */
static cass_condition *find(const cass_graph *graph, uint64_t handle) {
    for (; graph; graph = graph->parent ? graph->parent->graph : NULL)
        for (struct cass_condition_list *at = graph->conditions; at; at = at->next)
            if (at->own && (uintptr_t)at->condition->word == handle) return at->condition;
    return NULL;
}

static int size_is_possible(int type, unsigned size) {
    if (type == CASS_CONDITION_IF) return size == 1 || size == 2;
    return type == CASS_CONDITION_WHILE ? size == 1 : type == CASS_CONDITION_SWITCH && size > 0;
}

int cass_condition_work(cass_graph *graph, uint64_t handle, int type, unsigned size,
                        cass_work *work) {
    if (!graph) return NOT_SUPPORTED; /* a conditional node is not changed (recorded) */
    cass_condition *condition = find(graph, handle);
    if (!condition || condition->taken || !size_is_possible(type, size)) return INVALID_VALUE;
    *work = (cass_work){.type = CASS_NODE_CONDITION, .condition = {condition, type, size, NULL}};
    atomic_fetch_add(&condition->references, 1);
    work->condition.bodies = calloc(size, sizeof *work->condition.bodies);
    for (unsigned i = 0; work->condition.bodies && i < size; i++)
        if (!(work->condition.bodies[i] = cass_graph_create())) {
            cass_work_free(work);
            return OUT_OF_MEMORY;
        }
    if (!work->condition.bodies) {
        cass_work_free(work);
        return OUT_OF_MEMORY;
    }
    condition->taken = 1;
    return OK;
}

uint64_t cass_condition_handle(const cass_work *work) {
    return (uint64_t)(uintptr_t)work->condition.of->word;
}

int cass_condition_copy(cass_work *to, const cass_work *from) {
    unsigned size = from->condition.size;
    *to = *from;
    atomic_fetch_add(&to->condition.of->references, 1);
    to->condition.bodies = calloc(size, sizeof *to->condition.bodies);
    for (unsigned i = 0; to->condition.bodies && i < size; i++)
        if (!(to->condition.bodies[i] = cass_graph_clone(from->condition.bodies[i]))) {
            cass_work_free(to);
            return OUT_OF_MEMORY;
        }
    if (to->condition.bodies) return OK;
    cass_work_free(to);
    return OUT_OF_MEMORY;
}

void cass_condition_free(cass_work *work) {
    for (unsigned i = 0; work->condition.bodies && i < work->condition.size; i++)
        if (work->condition.bodies[i]) cass_graph_destroy(work->condition.bodies[i]);
    free(work->condition.bodies);
    drop(work->condition.of);
}

int cass_conditions_share(cass_graph *to, const cass_graph *from) {
    int result = OK;
    for (struct cass_condition_list *at = from->conditions; at && !result; at = at->next)
        result = keep(to, at->condition, 0);
    return result;
}

void cass_conditions_drop(cass_graph *graph) {
    while (graph->conditions) {
        struct cass_condition_list *at = graph->conditions;
        graph->conditions = at->next;
        drop(at->condition);
        free(at);
    }
}

static int body_is_possible(const cass_graph *body) {
    for (const cass_node *node = body->first; node; node = node->next) switch (node->work.type) {
        case CASS_NODE_KERNEL:
        case CASS_NODE_COPY:
        case CASS_NODE_FILL:
        case CASS_NODE_EMPTY:
        case CASS_NODE_CONDITION:
            break;
        case CASS_NODE_GRAPH:
            if (!body_is_possible(node->work.child)) return 0;
            break;
        default:
            return 0;
        }
    return cass_conditions_check(body) == OK;
}

int cass_conditions_check(const cass_graph *graph) {
    for (const cass_node *node = graph->first; node; node = node->next) {
        const cass_work *work = &node->work;
        if (work->type != CASS_NODE_CONDITION) continue;
        for (unsigned i = 0; i < work->condition.size; i++)
            if (!body_is_possible(work->condition.bodies[i])) return INVALID_VALUE;
    }
    return OK;
}

static int assign(const cass_condition *condition, hipStream_t stream) {
    if (!(condition->flags & ASSIGN_DEFAULT)) return OK;
    cass_fill fill = {condition->word, WORD_BYTES, 1, 1, condition->initial, WORD_BYTES};
    return cass_fill_now(&fill, stream);
}

int cass_conditions_begin(const cass_graph *graph, hipStream_t stream) {
    int result = OK;
    for (const cass_node *node = graph->first; node && !result; node = node->next) {
        const cass_work *work = &node->work;
        if (work->type == CASS_NODE_GRAPH) result = cass_conditions_begin(work->child, stream);
        if (work->type != CASS_NODE_CONDITION) continue;
        result = assign(work->condition.of, stream);
        for (unsigned i = 0; i < work->condition.size && !result; i++)
            result = cass_conditions_begin(work->condition.bodies[i], stream);
    }
    return result;
}

static int value_now(cass_device *device, const cass_condition *condition, hipStream_t stream,
                     unsigned *value) {
    int result = cass_wait_stream(device, stream);
    return result ? result
                  : HIP(hipMemcpy, value, condition->word, WORD_BYTES, HIP_COPY_DEVICE_TO_HOST);
}

int cass_condition_run(cass_device *device, const cass_work *work, hipStream_t stream) {
    unsigned value = 0;
    int result = value_now(device, work->condition.of, stream, &value);
    if (work->condition.type == CASS_CONDITION_IF) value = !value; /* body 1 is the else */
    if (work->condition.type != CASS_CONDITION_WHILE)
        return result || value >= work->condition.size
                   ? result
                   : cass_graph_run_whole(device, work->condition.bodies[value], stream);
    while (!result && value) {
        result = cass_graph_run_whole(device, work->condition.bodies[0], stream);
        if (!result) result = value_now(device, work->condition.of, stream, &value);
    }
    return result;
}
