/* Driver API: memory pools, sharing between processes, profiler control. */
#include <string.h>

#include "driver/api.h"
#include "driver/pool.h"
#include "driver/stream.h"

static hipMemPool_t pool_of(CUmemoryPool pool) { return (hipMemPool_t)(void *)pool; }
static hipMemPool_t *out(CUmemoryPool *pool) { return (hipMemPool_t *)(void *)pool; }

CUresult cass_cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps) {
    STARTED();
    if (!poolProps || poolProps->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    if (poolProps->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
    return RESULT(cass_pool_create(poolProps->location.id, (int)poolProps->handleTypes,
                                   poolProps->maxSize, out(pool)));
}

CUresult cass_cuMemPoolDestroy(CUmemoryPool pool) {
    STARTED();
    return RESULT(cass_pool_destroy(pool_of(pool)));
}

CUresult cass_cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev) {
    STARTED();
    return RESULT(cass_pool_default(dev, out(pool_out)));
}

CUresult cass_cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev) {
    STARTED();
    return RESULT(cass_pool_current(dev, out(pool)));
}

CUresult cass_cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
    STARTED();
    return RESULT(cass_pool_choose(dev, pool_of(pool)));
}

/* Pools of other kinds of location do not exist here. */
static int location_device(const CUmemLocation *location, CUmemAllocationType type) {
    if (!location || type != CU_MEM_ALLOCATION_TYPE_PINNED) return -1;
    return location->type == CU_MEM_LOCATION_TYPE_DEVICE ? location->id : -1;
}

CUresult cass_cuMemGetDefaultMemPool(CUmemoryPool *pool_out, CUmemLocation *location,
                                     CUmemAllocationType type) {
    int device = location_device(location, type);
    return device < 0 ? CUDA_ERROR_NOT_SUPPORTED : cass_cuDeviceGetDefaultMemPool(pool_out, device);
}

CUresult cass_cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location,
                              CUmemAllocationType type) {
    int device = location_device(location, type);
    return device < 0 ? CUDA_ERROR_NOT_SUPPORTED : cass_cuDeviceGetMemPool(pool, device);
}

CUresult cass_cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type,
                              CUmemoryPool pool) {
    int device = location_device(location, type);
    return device < 0 ? CUDA_ERROR_NOT_SUPPORTED : cass_cuDeviceSetMemPool(device, pool);
}

CUresult cass_cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep) {
    STARTED();
    return RESULT(cass_pool_trim(pool_of(pool), minBytesToKeep));
}

CUresult cass_cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
    STARTED();
    return RESULT(cass_pool_attribute(pool_of(pool), (int)attr, value, 1));
}

CUresult cass_cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
    STARTED();
    return RESULT(cass_pool_attribute(pool_of(pool), (int)attr, value, 0));
}

CUresult cass_cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count) {
    STARTED();
    if (!map || !count) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        int result = cass_pool_access(pool_of(pool), map[i].location.id, (int)map[i].flags, NULL);
        if (result) return RESULT(result);
    }
    return CUDA_SUCCESS;
}

CUresult cass_cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool,
                                 CUmemLocation *location) {
    STARTED();
    int found = 0;
    if (!flags || !location) return CUDA_ERROR_INVALID_VALUE;
    int result = cass_pool_access(pool_of(memPool), location->id, 0, &found);
    if (!result) *flags = (CUmemAccess_flags)found;
    return RESULT(result);
}

CUresult cass_cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool,
                                      CUstream hStream) {
    ENTER(device);
    void *pointer = NULL;
    if (!dptr || !bytesize) return CUDA_ERROR_INVALID_VALUE;
    TRY(device, cass_pool_malloc(device, &pointer, bytesize, pool_of(pool), cass_stream(hStream)));
    *dptr = (CUdeviceptr)(uintptr_t)pointer;
    return CUDA_SUCCESS;
}

CUresult cass_cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr) {
    ENTER(device);
    if (!pHandle || !dptr) return CUDA_ERROR_INVALID_VALUE;
    return DONE(device, HIP_OPTIONAL(hipIpcGetMemHandle, (hipIpcMemHandle_t *)(void *)pHandle,
                                     cass_address(dptr)));
}

CUresult cass_cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags) {
    ENTER(device);
    hipIpcMemHandle_t given;
    void *pointer = NULL;
    if (!pdptr || Flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) return CUDA_ERROR_INVALID_VALUE;
    memcpy(&given, &handle, sizeof given);
    TRY(device, HIP_OPTIONAL(hipIpcOpenMemHandle, &pointer, given, Flags));
    *pdptr = (CUdeviceptr)(uintptr_t)pointer;
    return CUDA_SUCCESS;
}

CUresult cass_cuIpcOpenMemHandle(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags) {
    return cass_cuIpcOpenMemHandle_v2(pdptr, handle, Flags);
}

CUresult cass_cuIpcCloseMemHandle(CUdeviceptr dptr) {
    ENTER(device);
    if (!dptr) return CUDA_ERROR_INVALID_VALUE;
    return DONE(device, HIP_OPTIONAL(hipIpcCloseMemHandle, cass_address(dptr)));
}

CUresult cass_cuIpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event) {
    ENTER(device);
    if (!pHandle || !event) return CUDA_ERROR_INVALID_VALUE;
    return DONE(device, HIP_OPTIONAL(hipIpcGetEventHandle, (hipIpcEventHandle_t *)(void *)pHandle,
                                     cass_event(event)));
}

CUresult cass_cuIpcOpenEventHandle(CUevent *phEvent, CUipcEventHandle handle) {
    ENTER(device);
    hipIpcEventHandle_t given;
    if (!phEvent) return CUDA_ERROR_INVALID_VALUE;
    memcpy(&given, &handle, sizeof given);
    TRY(device, HIP_OPTIONAL(hipIpcOpenEventHandle, (hipEvent_t *)(void *)phEvent, given));
    return DONE(device, cass_event_adopt(cass_event(*phEvent)));
}

/* No profiler: what it would write, and where, changes nothing. */
CUresult cass_cuProfilerInitialize(const char *configFile, const char *outputFile, int outputMode) {
    (void)configFile, (void)outputFile, (void)outputMode;
    return CUDA_ERROR_NOT_SUPPORTED; /* before cuInit, too (recorded) */
}

CUresult cass_cuProfilerStart(void) {
    ENTER(device);
    (void)device;
    return CUDA_SUCCESS;
}

CUresult cass_cuProfilerStop(void) {
    ENTER(device);
    (void)device;
    return CUDA_SUCCESS;
}
