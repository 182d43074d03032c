/* Driver API: virtual memory management. */
#include "driver/api.h"

/* CUDA's properties of a physical allocation in HIP's words; 801 for what HIP has no word for. */
static int properties(const CUmemAllocationProp *given, hipMemAllocationProp *own) {
    if (!given || given->type != CU_MEM_ALLOCATION_TYPE_PINNED) return INVALID_VALUE;
    if (given->requestedHandleTypes & ~(unsigned)CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        given->allocFlags.compressionType)
        return NOT_SUPPORTED;
    if (given->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return NOT_SUPPORTED;
    if (given->location.id < 0 || given->location.id >= cass_device_count) return INVALID_DEVICE;
    *own = (hipMemAllocationProp){.type = 1,
                                  .handle_type = (int)given->requestedHandleTypes,
                                  .location = {1, given->location.id}};
    return OK;
}

CUresult cass_cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
                                            CUmemAllocationGranularity_flags option) {
    STARTED();
    hipMemAllocationProp own;
    if (!granularity || (unsigned)option > 1) return CUDA_ERROR_INVALID_VALUE;
    int result = properties(prop, &own);
    if (!result)
        result = HIP_OPTIONAL(hipMemGetAllocationGranularity, granularity, &own, (int)option);
    return RESULT(result);
}

CUresult cass_cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                          const CUmemAllocationProp *prop, unsigned long long flags) {
    STARTED();
    hipMemAllocationProp own;
    hipMemGenericAllocationHandle_t made = NULL;
    if (!handle || !size || flags) return CUDA_ERROR_INVALID_VALUE;
    int result = properties(prop, &own);
    if (!result) result = HIP_OPTIONAL(hipMemCreate, &made, size, &own, flags);
    if (!result) *handle = (CUmemGenericAllocationHandle)(uintptr_t)made;
    return RESULT(result);
}

static hipMemGenericAllocationHandle_t allocation(CUmemGenericAllocationHandle handle) {
    return (hipMemGenericAllocationHandle_t)(uintptr_t)handle;
}

CUresult cass_cuMemRelease(CUmemGenericAllocationHandle handle) {
    STARTED();
    return handle ? RESULT(HIP_OPTIONAL(hipMemRelease, allocation(handle)))
                  : CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
                                  unsigned long long flags) {
    STARTED();
    void *pointer = NULL;
    if (!ptr || !size || flags) return CUDA_ERROR_INVALID_VALUE;
    int result =
        HIP_OPTIONAL(hipMemAddressReserve, &pointer, size, alignment, cass_address(addr), flags);
    if (!result) *ptr = (CUdeviceptr)(uintptr_t)pointer;
    return RESULT(result);
}

CUresult cass_cuMemAddressFree(CUdeviceptr ptr, size_t size) {
    STARTED();
    if (!ptr || !size) return CUDA_ERROR_INVALID_VALUE;
    return RESULT(HIP_OPTIONAL(hipMemAddressFree, cass_address(ptr), size));
}

CUresult cass_cuMemMap(CUdeviceptr ptr, size_t size, size_t offset,
                       CUmemGenericAllocationHandle handle, unsigned long long flags) {
    STARTED();
    if (!ptr || !size || !handle || flags) return CUDA_ERROR_INVALID_VALUE;
    return RESULT(
        HIP_OPTIONAL(hipMemMap, cass_address(ptr), size, offset, allocation(handle), flags));
}

CUresult cass_cuMemUnmap(CUdeviceptr ptr, size_t size) {
    STARTED();
    if (!ptr || !size) return CUDA_ERROR_INVALID_VALUE;
    return RESULT(HIP_OPTIONAL(hipMemUnmap, cass_address(ptr), size));
}

CUresult cass_cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc,
                             size_t count) {
    STARTED();
    if (!ptr || !size || !desc || !count) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        hipMemAccessDesc own = {{1, desc[i].location.id}, (int)desc[i].flags};
        if (desc[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_NOT_SUPPORTED;
        int result = HIP_OPTIONAL(hipMemSetAccess, cass_address(ptr), size, &own, 1);
        if (result) return RESULT(result);
    }
    return CUDA_SUCCESS;
}

/* The host is never given access. */
CUresult cass_cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
                             CUdeviceptr ptr) {
    STARTED();
    if (!flags || !location || !ptr) return CUDA_ERROR_INVALID_VALUE;
    if (location->type == CU_MEM_LOCATION_TYPE_HOST) {
        *flags = 0;
        return CUDA_SUCCESS;
    }
    if (location->type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
    if (location->id < 0 || location->id >= cass_device_count) return CUDA_ERROR_INVALID_DEVICE;
    hipMemLocation own = {1, location->id};
    return RESULT(HIP_OPTIONAL(hipMemGetAccess, flags, &own, cass_address(ptr)));
}

CUresult cass_cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                                     CUmemGenericAllocationHandle handle) {
    STARTED();
    hipMemAllocationProp own;
    if (!prop || !handle) return CUDA_ERROR_INVALID_VALUE;
    int result = HIP_OPTIONAL(hipMemGetAllocationPropertiesFromHandle, &own, allocation(handle));
    if (result) return RESULT(result);
    *prop = (CUmemAllocationProp){
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .requestedHandleTypes = (CUmemAllocationHandleType)own.handle_type,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = own.location.id}};
    return CUDA_SUCCESS;
}

CUresult cass_cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr) {
    STARTED();
    hipMemGenericAllocationHandle_t found = NULL;
    if (!handle || !addr) return CUDA_ERROR_INVALID_VALUE;
    int result = HIP_OPTIONAL(hipMemRetainAllocationHandle, &found, addr);
    if (!result) *handle = (CUmemGenericAllocationHandle)(uintptr_t)found;
    return RESULT(result);
}

/* Only what was made for it, as CUDA has it. */
CUresult cass_cuMemExportToShareableHandle(void *shareableHandle,
                                           CUmemGenericAllocationHandle handle,
                                           CUmemAllocationHandleType handleType,
                                           unsigned long long flags) {
    STARTED();
    hipMemAllocationProp own;
    if (!shareableHandle || !handle || flags) return CUDA_ERROR_INVALID_VALUE;
    int result = HIP_OPTIONAL(hipMemGetAllocationPropertiesFromHandle, &own, allocation(handle));
    if (result) return RESULT(result);
    if (handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        own.handle_type != (int)handleType)
        return CUDA_ERROR_INVALID_VALUE;
    return RESULT(HIP_OPTIONAL(hipMemExportToShareableHandle, shareableHandle, allocation(handle),
                               (int)handleType, flags));
}

CUresult cass_cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle,
                                             CUmemAllocationHandleType shHandleType) {
    STARTED();
    hipMemGenericAllocationHandle_t made = NULL;
    if (!handle || shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_INVALID_VALUE;
    int result = HIP_OPTIONAL(hipMemImportFromShareableHandle, &made, osHandle, (int)shHandleType);
    if (result == INVALID_VALUE) result = UNKNOWN_ERROR; /* no exported memory (recorded) */
    if (!result) *handle = (CUmemGenericAllocationHandle)(uintptr_t)made;
    return RESULT(result);
}
