/* Graphs: what a node does, with the memory it owns; and user objects. See graph.h. */
#include <stdlib.h>
#include <string.h>

#include "driver/batch.h"
#include "driver/capture.h"
#include "driver/condition.h"
#include "driver/graph.h"
#include "driver/memory.h"
#include "driver/pool.h"

/* Own copies of the parameter block and of the array that points into it. */
static int own_block(cass_kernel_node *node, const cass_kernel_info *info) {
    node->block = calloc(1, info->params_bytes + 16);
    node->pointers = calloc(info->param_count + 1, sizeof *node->pointers);
    if (!node->block || !node->pointers) {
        free(node->block);
        free(node->pointers);
        return OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < info->param_count; i++)
        node->pointers[i] = node->block + info->params[i].offset;
    node->launch.parameters = NULL;
    node->launch.packed = node->block;
    node->launch.packed_bytes = info->params_bytes;
    return OK;
}

int cass_work_kernel(cass_work *work, cass_kernel *kernel, const void *symbol,
                     const cass_launch *launch) {
    const cass_kernel_info *info = kernel->info;
    *work = (cass_work){.type = CASS_NODE_KERNEL};
    cass_kernel_node *node = &work->kernel;
    node->kernel = kernel;
    node->symbol = symbol;
    node->launch = *launch;
    if (info->param_count && !launch->parameters && !launch->packed) return INVALID_VALUE;
    int result = own_block(node, info);
    if (result) return result;
    size_t packed =
        launch->packed_bytes < info->params_bytes ? launch->packed_bytes : info->params_bytes;
    if (launch->packed) memcpy(node->block, launch->packed, packed);
    for (uint32_t i = 0; !launch->packed && i < info->param_count; i++)
        if (launch->parameters[i])
            memcpy(node->pointers[i], launch->parameters[i], info->params[i].size);
    return OK;
}

int cass_semaphores_work(cass_work *work, int type, const void *handles, const void *parameters,
                         unsigned count, size_t each) {
    if (count && (!handles || !parameters)) return INVALID_VALUE;
    *work = (cass_work){.type = type, .semaphores = {.count = count, .each = each}};
    work->semaphores.handles = calloc(count + 1, sizeof(void *));
    work->semaphores.parameters = calloc(count + 1, each);
    if (!work->semaphores.handles || !work->semaphores.parameters) {
        cass_work_free(work);
        return OUT_OF_MEMORY;
    }
    if (count) {
        memcpy(work->semaphores.handles, handles, count * sizeof(void *));
        memcpy(work->semaphores.parameters, parameters, count * each);
    }
    return OK;
}

int cass_work_copy(cass_work *to, const cass_work *from) {
    *to = *from;
    if (from->type == CASS_NODE_GRAPH) {
        to->child = cass_graph_clone(from->child);
        return to->child ? OK : OUT_OF_MEMORY;
    }
    if (from->type == CASS_NODE_BATCH) return cass_batch_copy(to, from);
    if (from->type == CASS_NODE_SIGNAL || from->type == CASS_NODE_WAIT)
        return cass_semaphores_work(to, from->type, from->semaphores.handles,
                                    from->semaphores.parameters, from->semaphores.count,
                                    from->semaphores.each);
    if (from->type == CASS_NODE_CONDITION) return cass_condition_copy(to, from);
    if (from->type != CASS_NODE_KERNEL) return OK;
    int result = own_block(&to->kernel, from->kernel.kernel->info);
    if (!result)
        memcpy(to->kernel.block, from->kernel.block, from->kernel.kernel->info->params_bytes);
    return result;
}

struct cass_live {
    _Atomic int references, executable;
};

int cass_live_take(cass_graph *graph, struct cass_live **out) {
    if (!cass_graph_has(graph, CASS_NODE_ALLOC)) return OK;
    if (!graph->live && !(graph->live = calloc(1, sizeof *graph->live))) return OUT_OF_MEMORY;
    if (!graph->live->references) graph->live->references = 1;
    if (atomic_exchange(&graph->live->executable, 1)) return NOT_SUPPORTED;
    atomic_fetch_add(&graph->live->references, 1);
    *out = graph->live;
    return OK;
}

void cass_live_drop(struct cass_live *live, int ends) {
    if (!live) return;
    if (ends) live->executable = 0;
    if (atomic_fetch_sub(&live->references, 1) == 1) free(live);
}

static int frees(const cass_graph *graph, const void *pointer) {
    for (const cass_node *node = graph->first; node; node = node->next)
        if (node->work.type == CASS_NODE_FREE && node->work.memory.pointer == pointer) return 1;
    return 0;
}

int cass_graph_holds_memory(const cass_graph *graph) {
    for (const cass_node *node = graph->first; node; node = node->next) {
        const void *pointer = node->work.memory.pointer;
        cass_pointer seen;
        if (node->work.type != CASS_NODE_ALLOC || frees(graph, pointer)) continue;
        cass_pointer_find(pointer, &seen);
        if (seen.type != HIP_MEMORY_UNREGISTERED) return 1;
    }
    return 0;
}

static _Atomic uint64_t memory_now, memory_most;

int cass_graph_memory_attribute(int attribute, uint64_t *value, int set) {
    if (!value || attribute < 0 || attribute > 3) return INVALID_VALUE;
    if (!set) *value = cass_pool_steps(attribute & 1 ? memory_most : memory_now);
    else if (!(attribute & 1) || *value) return INVALID_VALUE;
    else memory_most = memory_now;
    return OK;
}

int cass_graph_memory(void **pointer, size_t bytes) {
    if (!bytes) return INVALID_VALUE;
    int result = HIP(hipMalloc, pointer, bytes);
    if (result) return result;
    uint64_t now = atomic_fetch_add(&memory_now, bytes) + bytes;
    if (now > memory_most) memory_most = now;
    return OK;
}

void cass_graph_memory_back(void *pointer, size_t bytes) {
    (void)HIP(hipFree, pointer);
    atomic_fetch_sub(&memory_now, bytes);
}

void cass_work_free(cass_work *work) {
    if (work->type == CASS_NODE_KERNEL) {
        free(work->kernel.block);
        free(work->kernel.pointers);
    } else if (work->type == CASS_NODE_GRAPH && work->child) {
        cass_graph_destroy(work->child);
    } else if (work->type == CASS_NODE_BATCH) {
        free(work->batch.operations);
    } else if (work->type == CASS_NODE_SIGNAL || work->type == CASS_NODE_WAIT) {
        free(work->semaphores.handles);
        free(work->semaphores.parameters);
    } else if (work->type == CASS_NODE_CONDITION) {
        cass_condition_free(work);
    }
    work->type = CASS_NODE_EMPTY;
}

struct cass_object {
    _Atomic long references;
    void *pointer;
    hipHostFn_t destroy;
};

struct cass_kept {
    struct cass_object *object;
    unsigned count;
    struct cass_kept *next;
};

int cass_object_create(void *pointer, hipHostFn_t destroy, unsigned references, unsigned flags,
                       struct cass_object **out) {
    if (!out || !destroy || !references || flags != 1) return INVALID_VALUE;
    struct cass_object *made = calloc(1, sizeof *made);
    if (!made) return OUT_OF_MEMORY;
    made->references = (long)references;
    made->pointer = pointer;
    made->destroy = destroy;
    *out = made;
    return OK;
}

int cass_object_change(struct cass_object *object, long change) {
    if (!object || !change) return INVALID_VALUE;
    if (atomic_fetch_add(&object->references, change) + change > 0) return OK;
    object->destroy(object->pointer);
    free(object);
    return OK;
}

int cass_graph_keep(cass_graph *graph, struct cass_object *object, unsigned count, int move) {
    if (!object || !count) return INVALID_VALUE;
    struct cass_kept *made = calloc(1, sizeof *made);
    if (!made) return OUT_OF_MEMORY;
    *made = (struct cass_kept){object, count, graph->kept};
    graph->kept = made;
    return move ? OK : cass_object_change(object, (long)count);
}

int cass_graph_unkeep(cass_graph *graph, struct cass_object *object, unsigned count) {
    for (struct cass_kept **link = &graph->kept; *link; link = &(*link)->next) {
        struct cass_kept *at = *link;
        if (at->object != object || at->count < count || !count) continue;
        at->count -= count;
        if (!at->count) {
            *link = at->next;
            free(at);
        }
        return cass_object_change(object, -(long)count);
    }
    return object && count ? OK : INVALID_VALUE; /* what it has not is nothing (recorded) */
}

void cass_graph_release_kept(cass_graph *graph) {
    while (graph->kept) {
        struct cass_kept *at = graph->kept;
        graph->kept = at->next;
        cass_object_change(at->object, -(long)at->count);
        free(at);
    }
}
