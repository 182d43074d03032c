/* Memory pools and sharing of memory between processes. */
#include "driver/pool.h"

#include <string.h>

#include "driver/stream.h"
#include "runtime/runtime.h"

static hipMemPool_t handle(cudaMemPool_t pool) { return (hipMemPool_t)(void *)pool; }
static hipMemPool_t *out(cudaMemPool_t *pool) { return (hipMemPool_t *)(void *)pool; }

cudaError_t cass_cudaMemPoolCreate(cudaMemPool_t *memPool,
                                   const struct cudaMemPoolProps *poolProps) {
    ENTER(device);
    if (!poolProps || poolProps->allocType != cudaMemAllocationTypePinned)
        return cudaErrorInvalidValue;
    if (poolProps->location.type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
    size_t most = cass_caller_now()->version < 12000 ? 0 : poolProps->maxSize;
    return DONE(device, cass_pool_create(poolProps->location.id, (int)poolProps->handleTypes, most,
                                         out(memPool)));
}

cudaError_t cass_cudaMemPoolDestroy(cudaMemPool_t memPool) {
    ENTER(device);
    return DONE(device, cass_pool_destroy(handle(memPool)));
}

cudaError_t cass_cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device) {
    ENTER(entered);
    return DONE(entered, cass_pool_default(device, out(memPool)));
}

cudaError_t cass_cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device) {
    ENTER(entered);
    return DONE(entered, cass_pool_current(device, out(memPool)));
}

cudaError_t cass_cudaDeviceSetMemPool(int device, cudaMemPool_t memPool) {
    ENTER(entered);
    return DONE(entered, cass_pool_choose(device, handle(memPool)));
}

/* Pools of other kinds of location do not exist here. */
static int location_device(const struct cudaMemLocation *location,
                           enum cudaMemAllocationType type) {
    if (!location || type != cudaMemAllocationTypePinned) return -1;
    return location->type == cudaMemLocationTypeDevice ? location->id : -1;
}

cudaError_t cass_cudaMemGetDefaultMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                                          enum cudaMemAllocationType type) {
    int device = location_device(location, type);
    return device < 0 ? cudaErrorNotSupported : cass_cudaDeviceGetDefaultMemPool(memPool, device);
}

cudaError_t cass_cudaMemGetMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                                   enum cudaMemAllocationType type) {
    int device = location_device(location, type);
    return device < 0 ? cudaErrorNotSupported : cass_cudaDeviceGetMemPool(memPool, device);
}

cudaError_t cass_cudaMemSetMemPool(struct cudaMemLocation *location,
                                   enum cudaMemAllocationType type, cudaMemPool_t memPool) {
    int device = location_device(location, type);
    return device < 0 ? cudaErrorNotSupported : cass_cudaDeviceSetMemPool(device, memPool);
}

cudaError_t cass_cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep) {
    ENTER(device);
    return DONE(device, cass_pool_trim(handle(memPool), minBytesToKeep));
}

cudaError_t cass_cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr,
                                         void *value) {
    ENTER(device);
    return DONE(device, cass_pool_attribute(handle(memPool), (int)attr, value, 1));
}

cudaError_t cass_cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr,
                                         void *value) {
    ENTER(device);
    return DONE(device, cass_pool_attribute(handle(memPool), (int)attr, value, 0));
}

cudaError_t cass_cudaMemPoolSetAccess(cudaMemPool_t memPool,
                                      const struct cudaMemAccessDesc *descList, size_t count) {
    ENTER(device);
    if (!descList || !count) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        TRY(device, cass_pool_access(handle(memPool), descList[i].location.id,
                                     (int)descList[i].flags, NULL));
    return cudaSuccess;
}

cudaError_t cass_cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool,
                                      struct cudaMemLocation *location) {
    ENTER(device);
    int found = 0;
    if (!flags || !location) return cudaErrorInvalidValue;
    TRY(device, cass_pool_access(handle(memPool), location->id, 0, &found));
    *flags = (enum cudaMemAccessFlags)found;
    return cudaSuccess;
}

cudaError_t cass_cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool,
                                         cudaStream_t stream) {
    ENTER(device);
    return (cudaError_t)cass_pool_malloc(device, ptr, size, handle(memPool), cass_stream(stream));
}

cudaError_t cass_cudaIpcGetMemHandle(cudaIpcMemHandle_t *memory, void *devPtr) {
    ENTER(device);
    if (!memory || !devPtr) return cudaErrorInvalidValue;
    return DONE(device,
                HIP_OPTIONAL(hipIpcGetMemHandle, (hipIpcMemHandle_t *)(void *)memory, devPtr));
}

cudaError_t cass_cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t memory,
                                      unsigned int flags) {
    ENTER(device);
    hipIpcMemHandle_t given;
    if (!devPtr || flags != 1) return cudaErrorInvalidValue;
    memcpy(&given, &memory, sizeof given);
    return DONE(device, HIP_OPTIONAL(hipIpcOpenMemHandle, devPtr, given, flags));
}

cudaError_t cass_cudaIpcCloseMemHandle(void *devPtr) {
    ENTER(device);
    return devPtr ? DONE(device, HIP_OPTIONAL(hipIpcCloseMemHandle, devPtr))
                  : cudaErrorInvalidValue;
}

cudaError_t cass_cudaIpcGetEventHandle(cudaIpcEventHandle_t *event_handle, cudaEvent_t event) {
    ENTER(device);
    if (!event_handle || !event) return cudaErrorInvalidValue;
    return DONE(device,
                HIP_OPTIONAL(hipIpcGetEventHandle, (hipIpcEventHandle_t *)(void *)event_handle,
                             cass_event(event)));
}

cudaError_t cass_cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t event_handle) {
    ENTER(device);
    hipIpcEventHandle_t given;
    if (!event) return cudaErrorInvalidValue;
    memcpy(&given, &event_handle, sizeof given);
    TRY(device, HIP_OPTIONAL(hipIpcOpenEventHandle, (hipEvent_t *)(void *)event, given));
    return DONE(device, cass_event_adopt(cass_event(*event)));
}
