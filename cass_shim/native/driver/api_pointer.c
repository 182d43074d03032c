/* Driver API: what is known of an address. */
#include <string.h>

#include "driver/api.h"
#include "driver/memory.h"

/* One attribute into `data`; 0 or a code. Addresses HIP does not know have none (1). */
static int answer(void *data, CUpointer_attribute attribute, const cass_pointer *seen,
                  CUdeviceptr pointer) {
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)data = &cass_devices[seen->device < 0 ? 0 : seen->device].primary;
        return OK;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)data =
            seen->type == HIP_MEMORY_HOST ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return OK;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)data = (CUdeviceptr)(uintptr_t)seen->device_pointer;
        return OK;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (seen->type == HIP_MEMORY_DEVICE) return INVALID_VALUE;
        *(void **)data = cass_address(pointer);
        return OK;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *(int *)data = 0;
        return OK;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        *(unsigned long long *)data = (unsigned long long)(uintptr_t)seen->base;
        return OK;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(int *)data = seen->type == HIP_MEMORY_MANAGED;
        return OK;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = seen->device;
        return OK;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)data = (CUdeviceptr)(uintptr_t)seen->base;
        return OK;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)data = seen->bytes;
        return OK;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(int *)data = 1;
        return OK;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        *(int *)data = seen->type == HIP_MEMORY_DEVICE;
        return OK;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        *(unsigned long long *)data = 0;
        return OK;
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        *(int *)data = attribute == CU_POINTER_ATTRIBUTE_ACCESS_FLAGS ? 3 : 0; /* read and write */
        return OK;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        *(void **)data = NULL;
        return OK;
    default:
        return INVALID_VALUE;
    }
}

CUresult cass_cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr) {
    STARTED();
    cass_pointer seen;
    if (!data) return CUDA_ERROR_INVALID_VALUE;
    cass_pointer_get(cass_address(ptr), &seen);
    if (seen.type == HIP_MEMORY_UNREGISTERED) return CUDA_ERROR_INVALID_VALUE;
    return RESULT(answer(data, attribute, &seen, ptr));
}

/* As documented: attributes of an unknown address are zero, and the call succeeds. */
CUresult cass_cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes,
                                     void **data, CUdeviceptr ptr) {
    STARTED();
    cass_pointer seen;
    if (!attributes || !data) return CUDA_ERROR_INVALID_VALUE;
    cass_pointer_get(cass_address(ptr), &seen);
    for (unsigned i = 0; i < numAttributes; i++) {
        if (!data[i]) continue;
        int known =
            seen.type != HIP_MEMORY_UNREGISTERED && !answer(data[i], attributes[i], &seen, ptr);
        if (known) continue;
        switch (attributes[i]) {
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            *(int *)data[i] = -2;
            break;
        case CU_POINTER_ATTRIBUTE_HOST_POINTER:
            *(void **)data[i] = seen.type == HIP_MEMORY_UNREGISTERED ? cass_address(ptr) : NULL;
            break;
        case CU_POINTER_ATTRIBUTE_CONTEXT:
        case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
            memset(data[i], 0, 8);
            break;
        default:
            memset(data[i], 0, 4);
        }
    }
    return CUDA_SUCCESS;
}

CUresult cass_cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
                                    CUdeviceptr ptr) {
    STARTED();
    cass_pointer seen;
    cass_pointer_get(cass_address(ptr), &seen);
    if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ||
        seen.type == HIP_MEMORY_UNREGISTERED)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS; /* copies here are never more asynchronous than this asks for */
}
