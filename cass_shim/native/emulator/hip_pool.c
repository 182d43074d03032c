/* Stream-ordered allocation and its pools (hip_pool.h).
 *
 * hipMallocAsync hands out memory at once, which any order of the stream allows; hipFreeAsync gives
 * it back when the stream gets there. What a pool would keep for reuse is given back too; the
 * account of what it has reserved is kept as if it were not. */
#include "emulator/hip_pool.h"
#include "emulator/hip_calls.h"
#include "emulator/hip_graph.h"
#include "emulator/memory.h"

#include <stdlib.h>

typedef struct {
    emu_op op;
    void *memory;
} free_op;

/* Gives back what is reserved beyond `bytes` and not in use. */
static void keep(emu_pool *pool, uint64_t bytes) {
    uint64_t least = pool->used > bytes ? pool->used : bytes;
    if (pool->reserved > least) pool->reserved = least;
}

static void count(emu_pool *pool, uint64_t added, uint64_t removed) {
    pthread_mutex_lock(&pool->lock);
    pool->used += added;
    pool->used -= removed < pool->used ? removed : pool->used;
    if (pool->used > pool->used_high) pool->used_high = pool->used;
    if (removed) keep(pool, pool->threshold);
    if (pool->used > pool->reserved) pool->reserved = pool->used;
    if (pool->reserved > pool->reserved_high) pool->reserved_high = pool->reserved;
    pthread_mutex_unlock(&pool->lock);
}

void emu_pool_forget(emu_pool *pool, uint64_t bytes) {
    if (emu_handle_is(pool, EMU_POOL)) count(pool, 0, bytes);
}

emu_pool *emu_pool_create(emu_device *device, const hipMemPoolProps *props) {
    emu_pool *pool = calloc(1, sizeof *pool);
    if (!pool) return NULL;
    pool->device = device;
    pthread_mutex_init(&pool->lock, NULL);
    pool->props = *props;
    pool->flags[0] = pool->flags[1] = pool->flags[2] = 1;
    emu_handle_add(pool, EMU_POOL);
    return pool;
}

static emu_pool *default_pool(emu_device *device) {
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&making);
    if (!device->default_pool) {
        hipMemPoolProps props = {.allocType = hipMemAllocationTypePinned,
                                 .location = {hipMemLocationTypeDevice, device->ordinal}};
        device->default_pool = emu_pool_create(device, &props);
        if (device->default_pool) device->default_pool->is_default = true;
        if (!device->current_pool) device->current_pool = device->default_pool;
    }
    emu_pool *pool = device->default_pool;
    pthread_mutex_unlock(&making);
    return pool;
}

static emu_pool *pool_of(hipMemPool_t handle) {
    if (emu_handle_is(handle, EMU_POOL)) return (emu_pool *)handle;
    emu_fail(hipErrorInvalidValue, "not a live memory pool: %p", (void *)handle);
    return NULL;
}

static void set_pool(emu_block *block, void *pool) { block->pool = pool; }

static hipError_t capture_alloc(emu_stream *stream, void **ptr, size_t bytes) {
    hipError_t error;
    hipMemAllocNodeParams params = {
        .poolProps.allocType = hipMemAllocationTypePinned,
        .poolProps.location = {hipMemLocationTypeDevice, stream->device->ordinal},
        .bytesize = bytes};
    emu_op *op = emu_alloc_op(stream->device, &params, ptr, &error);
    return op ? emu_submit(stream, op) : error;
}

static hipError_t allocate(void **ptr, size_t bytes, emu_pool *pool, hipStream_t handle) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (!ptr || !pool) return emu_fail(hipErrorInvalidValue, "no pointer or no pool");
    *ptr = NULL;
    if (pool->imported)
        return emu_fail(hipErrorInvalidValue, "an imported pool holds what is imported into it");
    if (bytes == 0) return hipSuccess;
    if (stream->capture) return capture_alloc(stream, ptr, bytes);
    hipError_t refused = emu_capture_legacy(stream);
    if (refused) return refused;
    if (pool->props.maxSize &&
        (bytes > pool->props.maxSize || pool->used > pool->props.maxSize - bytes))
        return emu_fail(hipErrorOutOfMemory, "the pool holds at most %zu bytes",
                        pool->props.maxSize);
    void *memory = emu_memory_alloc(EMU_MEMORY_DEVICE, pool->device->ordinal, bytes, 256, 0);
    if (!memory) return emu_fail(hipErrorOutOfMemory, "%zu bytes asked for", bytes);
    emu_memory_update(memory, set_pool, pool);
    count(pool, bytes, 0);
    *ptr = memory;
    return hipSuccess;
}

hipError_t emu_hipMallocAsync(void **dev_ptr, size_t size, hipStream_t stream) {
    default_pool(emu_current());
    return allocate(dev_ptr, size, emu_current()->current_pool, stream);
}

hipError_t emu_hipMallocFromPoolAsync(void **dev_ptr, size_t size, hipMemPool_t mem_pool,
                                      hipStream_t stream) {
    emu_pool *pool = pool_of(mem_pool);
    return pool ? allocate(dev_ptr, size, pool, stream) : hipErrorInvalidValue;
}

typedef struct {
    bool change, before; /* what to make of it, what it was */
} freeing;

static void set_freeing(emu_block *block, void *context) {
    freeing *mark = context;
    mark->before = block->freeing;
    block->freeing = mark->change && !block->graph;
}

static hipError_t run_free(emu_op *base, emu_device *device) {
    (void)device;
    free_op *op = (free_op *)base;
    emu_block block;
    bool known = emu_memory_find(op->memory, &block);
    if (known && block.mapped) return emu_ipc_close(op->memory) ? hipSuccess : hipErrorInvalidValue;
    if (!known || block.base != op->memory)
        return emu_fail(hipErrorIllegalAddress, "%p was freed twice", op->memory);
    if (block.graph) return hipSuccess;
    if (block.pool) emu_pool_forget(block.pool, block.bytes);
    if (block.shared) emu_ipc_forget(block.id);
    emu_memory_free(op->memory, 1u << EMU_MEMORY_DEVICE | 1u << EMU_MEMORY_MANAGED);
    return hipSuccess;
}

emu_op *emu_free_op(void *memory) {
    free_op *op = emu_op_new(sizeof *op, EMU_OP_FREE, run_free);
    if (!op) return NULL;
    op->memory = memory;
    return &op->op;
}

hipError_t emu_hipFreeAsync(void *dev_ptr, hipStream_t handle) {
    emu_stream *stream = emu_stream_of(handle);
    emu_block block;
    if (!stream) return hipErrorInvalidHandle;
    if (!dev_ptr) return hipSuccess;
    if (!emu_ipc_imported(dev_ptr) && (!emu_memory_find(dev_ptr, &block) || block.base != dev_ptr ||
                                       block.kind != EMU_MEMORY_DEVICE))
        return emu_fail(hipErrorInvalidValue, "%p is not the start of a device allocation",
                        dev_ptr);
    if (stream->capture) return emu_submit(stream, emu_graph_free_op(dev_ptr));
    freeing mark = {.change = true};
    emu_memory_update(dev_ptr, set_freeing, &mark);
    if (mark.before) return emu_fail(hipErrorInvalidValue, "%p is being freed already", dev_ptr);
    hipError_t error = emu_submit(stream, emu_free_op(dev_ptr));
    mark.change = false;
    if (error) emu_memory_update(dev_ptr, set_freeing, &mark);
    return error;
}

hipError_t emu_hipDeviceGetDefaultMemPool(hipMemPool_t *mem_pool, int device) {
    if (!mem_pool || device < 0 || device >= emu_config.device_count)
        return emu_fail(hipErrorInvalidValue, "no pool or no device %d", device);
    *mem_pool = (hipMemPool_t)default_pool(&emu_devices[device]);
    return *mem_pool ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t emu_hipDeviceGetMemPool(hipMemPool_t *mem_pool, int device) {
    hipError_t error = emu_hipDeviceGetDefaultMemPool(mem_pool, device);
    if (!error) *mem_pool = (hipMemPool_t)emu_devices[device].current_pool;
    return error;
}

hipError_t emu_hipDeviceSetMemPool(int device, hipMemPool_t mem_pool) {
    emu_pool *pool = pool_of(mem_pool);
    if (!pool || device < 0 || device >= emu_config.device_count || pool->device->ordinal != device)
        return emu_fail(hipErrorInvalidValue, "not a pool of device %d", device);
    emu_devices[device].current_pool = pool;
    return hipSuccess;
}

hipError_t emu_hipMemPoolCreate(hipMemPool_t *mem_pool, const hipMemPoolProps *pool_props) {
    if (!mem_pool || !pool_props) return emu_fail(hipErrorInvalidValue, "no pool or no properties");
    const hipMemLocation *where = &pool_props->location;
    if (pool_props->allocType != hipMemAllocationTypePinned ||
        where->type != hipMemLocationTypeDevice || where->id < 0 ||
        where->id >= emu_config.device_count)
        return emu_fail(hipErrorInvalidValue, "a pool holds pinned memory of one device");
    if (pool_props->handleTypes != hipMemHandleTypeNone &&
        pool_props->handleTypes != hipMemHandleTypePosixFileDescriptor)
        return emu_fail(hipErrorNotSupported, "pools are exported as file descriptors only");
    *mem_pool = (hipMemPool_t)emu_pool_create(&emu_devices[where->id], pool_props);
    return *mem_pool ? hipSuccess : emu_fail(hipErrorOutOfMemory, "no host memory for a pool");
}

hipError_t emu_hipMemPoolDestroy(hipMemPool_t mem_pool) {
    emu_pool *pool = pool_of(mem_pool);
    if (!pool || pool->is_default)
        return emu_fail(hipErrorInvalidValue, "not a pool that can be destroyed");
    emu_handle_remove(pool, EMU_POOL);
    default_pool(pool->device);
    if (pool->device->current_pool == pool) pool->device->current_pool = pool->device->default_pool;
    pthread_mutex_destroy(&pool->lock);
    free(pool);
    return hipSuccess;
}

hipError_t emu_hipMemPoolTrimTo(hipMemPool_t mem_pool, size_t min_bytes_to_hold) {
    emu_pool *pool = pool_of(mem_pool);
    if (!pool) return hipErrorInvalidValue;
    pthread_mutex_lock(&pool->lock);
    keep(pool, min_bytes_to_hold);
    pthread_mutex_unlock(&pool->lock);
    return hipSuccess;
}

/* The attribute's 64-bit cell, or the int flag cells of the reuse policies. */
hipError_t emu_hipMemPoolSetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void *value) {
    emu_pool *pool = pool_of(mem_pool);
    if (!pool || !value) return emu_fail(hipErrorInvalidValue, "no pool or no value");
    hipError_t error = hipSuccess;
    pthread_mutex_lock(&pool->lock);
    if (attr >= hipMemPoolReuseFollowEventDependencies &&
        attr <= hipMemPoolReuseAllowInternalDependencies)
        pool->flags[attr - hipMemPoolReuseFollowEventDependencies] = *(int *)value != 0;
    else if (attr == hipMemPoolAttrReleaseThreshold) pool->threshold = *(uint64_t *)value;
    else if (attr == hipMemPoolAttrUsedMemHigh && *(uint64_t *)value == 0)
        pool->used_high = pool->used;
    else if (attr == hipMemPoolAttrReservedMemHigh && *(uint64_t *)value == 0)
        pool->reserved_high = pool->reserved;
    else error = hipErrorInvalidValue;
    pthread_mutex_unlock(&pool->lock);
    return error ? emu_fail(error, "pool attribute %d cannot be set to that", (int)attr)
                 : hipSuccess;
}

hipError_t emu_hipMemPoolGetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void *value) {
    emu_pool *pool = pool_of(mem_pool);
    if (!pool || !value) return emu_fail(hipErrorInvalidValue, "no pool or no value");
    hipError_t error = hipSuccess;
    pthread_mutex_lock(&pool->lock);
    switch (attr) {
    case hipMemPoolReuseFollowEventDependencies:
    case hipMemPoolReuseAllowOpportunistic:
    case hipMemPoolReuseAllowInternalDependencies:
        *(int *)value = (int)pool->flags[attr - hipMemPoolReuseFollowEventDependencies];
        break;
    case hipMemPoolAttrReleaseThreshold:
        *(uint64_t *)value = pool->threshold;
        break;
    case hipMemPoolAttrReservedMemCurrent:
        *(uint64_t *)value = pool->reserved;
        break;
    case hipMemPoolAttrUsedMemCurrent:
        *(uint64_t *)value = pool->used;
        break;
    case hipMemPoolAttrReservedMemHigh:
        *(uint64_t *)value = pool->reserved_high;
        break;
    case hipMemPoolAttrUsedMemHigh:
        *(uint64_t *)value = pool->used_high;
        break;
    default:
        error = hipErrorInvalidValue;
    }
    pthread_mutex_unlock(&pool->lock);
    return error ? emu_fail(error, "pool attribute %d does not exist", (int)attr) : hipSuccess;
}

hipError_t emu_hipMemPoolSetAccess(hipMemPool_t mem_pool, const hipMemAccessDesc *desc_list,
                                   size_t count_) {
    emu_pool *pool = pool_of(mem_pool);
    if (!pool || (!desc_list && count_))
        return emu_fail(hipErrorInvalidValue, "no pool or no list");
    for (size_t i = 0; i < count_; i++) {
        const hipMemLocation *where = &desc_list[i].location;
        if (where->type != hipMemLocationTypeDevice || where->id < 0 ||
            where->id >= emu_config.device_count)
            return emu_fail(hipErrorInvalidValue, "entry %zu names no device", i);
        if (where->id != pool->device->ordinal) pool->peer_access = desc_list[i].flags;
        else if (desc_list[i].flags == hipMemAccessFlagsProtNone)
            return emu_fail(hipErrorInvalidDevice, "a pool's own device keeps its access");
    }
    return hipSuccess;
}

hipError_t emu_hipMemPoolGetAccess(hipMemAccessFlags *flags, hipMemPool_t mem_pool,
                                   hipMemLocation *location) {
    emu_pool *pool = pool_of(mem_pool);
    if (!pool || !flags || !location)
        return emu_fail(hipErrorInvalidValue, "no pool, flags or location");
    *flags =
        location->id == pool->device->ordinal ? hipMemAccessFlagsProtReadWrite : pool->peer_access;
    return hipSuccess;
}
