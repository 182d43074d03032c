/* What graphs own besides nodes: memory of allocation nodes, and user objects.
 *
 * The memory of an allocation node has one address for as long as any op or executable graph refers
 * to it, so every launch sees the address that the node told. Freeing it, by a node or a call, only
 * ends the contents' life. */
#include "emulator/hip_calls.h"
#include "emulator/hip_graph.h"
#include "emulator/memory.h"

#include <stdlib.h>

typedef struct {
    _Atomic unsigned references;
    void *address;
    int device;
    uint64_t bytes;
} graph_memory;

typedef struct {
    emu_op op;
    hipMemAllocNodeParams params;
    graph_memory *memory;
} alloc_op;

typedef struct {
    emu_op op;
    void *address;
} free_node_op;

static _Atomic uint64_t in_use[EMU_MAX_DEVICES], high[EMU_MAX_DEVICES];

static void drop_alloc(emu_op *base) {
    graph_memory *memory = ((alloc_op *)base)->memory;
    if (atomic_fetch_sub(&memory->references, 1) != 1) return;
    emu_memory_free(memory->address, 1u << EMU_MEMORY_DEVICE);
    atomic_fetch_sub(&in_use[memory->device], memory->bytes);
    free(memory);
}

static bool clone_alloc(emu_op *base) {
    atomic_fetch_add(&((alloc_op *)base)->memory->references, 1);
    return true;
}

static void mark(emu_block *block, void *unused) {
    (void)unused;
    block->graph = true;
}

static graph_memory *memory_new(int device, uint64_t bytes) {
    graph_memory *memory = calloc(1, sizeof *memory);
    if (!memory) return NULL;
    memory->address = emu_memory_alloc(EMU_MEMORY_DEVICE, device, bytes, 256, 0);
    if (!memory->address) {
        free(memory);
        return NULL;
    }
    emu_memory_update(memory->address, mark, NULL);
    memory->references = 1;
    memory->device = device;
    memory->bytes = bytes;
    uint64_t now = atomic_fetch_add(&in_use[device], bytes) + bytes,
             most = atomic_load(&high[device]);
    while (most < now && !atomic_compare_exchange_weak(&high[device], &most, now)) continue;
    return memory;
}

emu_op *emu_alloc_op(emu_device *device, const hipMemAllocNodeParams *params, void **address,
                     hipError_t *error) {
    const hipMemPoolProps *props = &params->poolProps;
    int where = props->location.id;
    (void)device;
    *error = hipErrorInvalidValue;
    if (!params->bytesize || props->allocType != hipMemAllocationTypePinned ||
        props->location.type != hipMemLocationTypeDevice || where < 0 ||
        where >= emu_config.device_count) {
        emu_fail(*error, "an allocation node needs a size and pinned memory of a device");
        return NULL;
    }
    alloc_op *op = emu_op_new(sizeof *op, EMU_OP_ALLOC, emu_run_nothing);
    graph_memory *memory = op ? memory_new(where, params->bytesize) : NULL;
    if (!memory) {
        free(op);
        *error = emu_fail(hipErrorOutOfMemory, "%zu bytes asked for by a graph", params->bytesize);
        return NULL;
    }
    op->memory = memory;
    op->params = *params;
    op->params.dptr = *address = memory->address;
    op->op.drop = drop_alloc;
    op->op.clone = clone_alloc;
    return &op->op;
}

const hipMemAllocNodeParams *emu_alloc_op_params(const emu_op *op) {
    return &((const alloc_op *)op)->params;
}

emu_op *emu_graph_free_op(void *address) {
    free_node_op *op = emu_op_new(sizeof *op, EMU_OP_FREE, emu_run_nothing);
    if (!op) return NULL;
    op->address = address;
    return &op->op;
}

void *emu_graph_free_op_address(const emu_op *op) { return ((const free_node_op *)op)->address; }

static hipError_t graph_memory_cell(int device, hipGraphMemAttributeType attr, bool write,
                                    _Atomic uint64_t **cell) {
    if (device < 0 || device >= emu_config.device_count)
        return emu_fail(hipErrorInvalidDevice, "device %d does not exist", device);
    bool peak = attr == hipGraphMemAttrUsedMemHigh || attr == hipGraphMemAttrReservedMemHigh;
    if ((int)attr < hipGraphMemAttrUsedMemCurrent || attr > hipGraphMemAttrReservedMemHigh ||
        (write && !peak))
        return emu_fail(hipErrorInvalidValue, "graph memory attribute %d", (int)attr);
    *cell = peak ? &high[device] : &in_use[device];
    return hipSuccess;
}

hipError_t emu_hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType attr,
                                             void *value) {
    _Atomic uint64_t *cell = NULL;
    if (!value) return emu_fail(hipErrorInvalidValue, "no value");
    hipError_t error = graph_memory_cell(device, attr, false, &cell);
    if (!error) *(uint64_t *)value = atomic_load(cell);
    return error;
}

hipError_t emu_hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType attr,
                                             void *value) {
    _Atomic uint64_t *cell = NULL;
    if (!value || *(uint64_t *)value)
        return emu_fail(hipErrorInvalidValue, "a peak can only be set back to 0");
    hipError_t error = graph_memory_cell(device, attr, true, &cell);
    if (!error) atomic_store(cell, atomic_load(&in_use[device]));
    return error;
}

hipError_t emu_hipDeviceGraphMemTrim(int device) {
    if (device < 0 || device >= emu_config.device_count)
        return emu_fail(hipErrorInvalidDevice, "device %d does not exist", device);
    return hipSuccess; /* nothing is kept for reuse */
}

/* A counted object of the program; its destructor runs when the last reference goes. */
typedef struct emu_user_object {
    _Atomic unsigned references;
    void *object;
    hipHostFn_t destroy;
} emu_user_object;

static emu_user_object *user_of(hipUserObject_t handle) {
    if (emu_handle_is(handle, EMU_USER_OBJECT)) return (emu_user_object *)(void *)handle;
    emu_fail(hipErrorInvalidValue, "not a live user object: %p", (void *)handle);
    return NULL;
}

static void user_drop(emu_user_object *user, unsigned count) {
    if (atomic_fetch_sub(&user->references, count) != count) return;
    emu_handle_remove(user, EMU_USER_OBJECT);
    user->destroy(user->object);
    free(user);
}

void emu_user_release(emu_user_reference *references) {
    while (references) {
        emu_user_reference *next = references->next;
        user_drop(references->object, references->count);
        free(references);
        references = next;
    }
}

emu_user_reference *emu_user_copy(const emu_user_reference *references) {
    emu_user_reference *list = NULL;
    for (; references; references = references->next) {
        emu_user_reference *copy = malloc(sizeof *copy);
        if (!copy) break;
        *copy = (emu_user_reference){references->object, 1, list};
        atomic_fetch_add(&references->object->references, 1);
        list = copy;
    }
    return list;
}

hipError_t emu_hipUserObjectCreate(hipUserObject_t *object_out, void *ptr, hipHostFn_t destroy,
                                   unsigned int initialRefcount, unsigned int flags) {
    if (!object_out || !ptr || !destroy || !initialRefcount ||
        flags != hipUserObjectNoDestructorSync)
        return emu_fail(
            hipErrorInvalidValue,
            "a user object needs an object, a destructor, a count and the no-sync flag");
    emu_user_object *user = calloc(1, sizeof *user);
    if (!user) return emu_fail(hipErrorOutOfMemory, "no host memory for a user object");
    user->references = initialRefcount;
    user->object = ptr;
    user->destroy = destroy;
    emu_handle_add(user, EMU_USER_OBJECT);
    *object_out = (hipUserObject_t)(void *)user;
    return hipSuccess;
}

hipError_t emu_hipUserObjectRelease(hipUserObject_t object, unsigned int count) {
    emu_user_object *user = user_of(object);
    if (!user || !count || count > atomic_load(&user->references))
        return emu_fail(hipErrorInvalidValue, "%u references to release", count);
    user_drop(user, count);
    return hipSuccess;
}

hipError_t emu_hipUserObjectRetain(hipUserObject_t object, unsigned int count) {
    emu_user_object *user = user_of(object);
    if (!user || !count) return emu_fail(hipErrorInvalidValue, "%u references to take", count);
    atomic_fetch_add(&user->references, count);
    return hipSuccess;
}

hipError_t emu_hipGraphRetainUserObject(hipGraph_t handle, hipUserObject_t object,
                                        unsigned int count, unsigned int flags) {
    emu_graph *graph = emu_graph_of(handle);
    emu_user_object *user = user_of(object);
    emu_user_reference *reference = graph && user && count ? malloc(sizeof *reference) : NULL;
    if (!reference || (flags & ~(unsigned)hipGraphUserObjectMove)) {
        free(reference);
        return emu_fail(hipErrorInvalidValue, "no graph, no object, no count, or flags %#x", flags);
    }
    if (!(flags & hipGraphUserObjectMove)) atomic_fetch_add(&user->references, count);
    *reference = (emu_user_reference){user, count, graph->users};
    graph->users = reference;
    return hipSuccess;
}

hipError_t emu_hipGraphReleaseUserObject(hipGraph_t handle, hipUserObject_t object,
                                         unsigned int count) {
    emu_graph *graph = emu_graph_of(handle);
    emu_user_object *user = user_of(object);
    if (!graph || !user) return hipErrorInvalidValue;
    for (emu_user_reference **link = &graph->users; *link; link = &(*link)->next) {
        emu_user_reference *one = *link;
        if (one->object != user || one->count < count) continue;
        one->count -= count;
        if (!one->count) {
            *link = one->next;
            free(one);
        }
        user_drop(user, count);
        return hipSuccess;
    }
    return emu_fail(hipErrorInvalidValue, "the graph does not hold %u references", count);
}
