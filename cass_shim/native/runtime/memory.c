/* Memory: allocation, pinned and managed memory, what is known of an address. */
#include "driver/memory.h"

#include <string.h>

#include "runtime/runtime.h"

cudaError_t cass_cudaMalloc(void **devPtr, size_t size) {
    ENTER(device);
    return (cudaError_t)cass_malloc(device, devPtr, size);
}

cudaError_t cass_cudaFree(void *devPtr) {
    ENTER(device);
    return (cudaError_t)cass_free(device, devPtr);
}

cudaError_t cass_cudaMallocHost(void **ptr, size_t size) {
    ENTER(device);
    return (cudaError_t)cass_malloc_host(device, ptr, size, 0);
}

cudaError_t cass_cudaHostAlloc(void **pHost, size_t size, unsigned int flags) {
    ENTER(device);
    return (cudaError_t)cass_malloc_host(device, pHost, size, flags);
}

cudaError_t cass_cudaFreeHost(void *ptr) {
    ENTER(device);
    return (cudaError_t)cass_free_host(device, ptr);
}

cudaError_t cass_cudaMallocManaged(void **devPtr, size_t size, unsigned int flags) {
    ENTER(device);
    return (cudaError_t)cass_malloc_managed(device, devPtr, size, flags);
}

cudaError_t cass_cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height) {
    ENTER(device);
    return (cudaError_t)cass_malloc_pitch(device, devPtr, pitch, width, height);
}

cudaError_t cass_cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent) {
    ENTER(device);
    if (!pitchedDevPtr) return cudaErrorInvalidValue;
    size_t rows;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        return cudaErrorMemoryAllocation;
    TRY(device,
        cass_malloc_pitch(device, &pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent.width, rows));
    pitchedDevPtr->xsize = extent.width;
    pitchedDevPtr->ysize = extent.height;
    return cudaSuccess;
}

cudaError_t cass_cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream) {
    ENTER(device);
    return (cudaError_t)cass_malloc_async(device, devPtr, size, cass_stream(hStream));
}

cudaError_t cass_cudaFreeAsync(void *devPtr, cudaStream_t hStream) {
    ENTER(device);
    return (cudaError_t)cass_free_async(device, devPtr, cass_stream(hStream));
}

cudaError_t cass_cudaHostRegister(void *ptr, size_t size, unsigned int flags) {
    ENTER(device);
    return (cudaError_t)cass_host_register(device, ptr, size, flags);
}

cudaError_t cass_cudaHostUnregister(void *ptr) {
    ENTER(device);
    return (cudaError_t)cass_host_unregister(device, ptr);
}

cudaError_t cass_cudaHostGetFlags(unsigned int *pFlags, void *pHost) {
    ENTER(device);
    return DONE(device, cass_host_flags(pHost, pFlags));
}

cudaError_t cass_cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags) {
    ENTER(device);
    return DONE(device, cass_host_device_pointer(pDevice, pHost, flags));
}

cudaError_t cass_cudaMemGetInfo(size_t *free, size_t *total) {
    ENTER(device);
    size_t ignored;
    return DONE(device, HIP(hipMemGetInfo, free ? free : &ignored, total ? total : &ignored));
}

cudaError_t cass_cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                          const void *ptr) {
    cass_device *device;
    cass_pointer seen;
    int entered = cass_enter_after_fault(&device); /* it answers then, as recorded */
    if (entered) return (cudaError_t)entered;
    if (!attributes) return cudaErrorInvalidValue;
    cass_pointer_get(ptr, &seen);
    struct cudaPointerAttributes_v12 answer = {.device = seen.device,
                                               .devicePointer = seen.device_pointer,
                                               .hostPointer = seen.host_pointer};
    switch (seen.type) {
    case HIP_MEMORY_HOST:
        answer.type = cudaMemoryTypeHost;
        break;
    case HIP_MEMORY_DEVICE:
        answer.type = cudaMemoryTypeDevice;
        break;
    case HIP_MEMORY_MANAGED:
        answer.type = cudaMemoryTypeManaged;
        break;
    default:
        answer.type = cudaMemoryTypeUnregistered;
    }
    if (cass_caller_is_13()) memset(attributes, 0, sizeof *attributes);
    memcpy(attributes, &answer, sizeof answer);
    return cudaSuccess;
}
