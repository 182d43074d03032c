/* Driver API: memory pools between processes. */
#include "driver/api.h"
#include "driver/pool.h"

static hipMemPool_t pool_of(CUmemoryPool pool) { return (hipMemPool_t)(void *)pool; }

CUresult cass_cuMemPoolExportToShareableHandle(void *handle_out, CUmemoryPool pool,
                                               CUmemAllocationHandleType handleType,
                                               unsigned long long flags) {
    STARTED();
    if (!handle_out || !pool || flags || handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_INVALID_VALUE;
    return RESULT(HIP_OPTIONAL(hipMemPoolExportToShareableHandle, handle_out, pool_of(pool),
                               (int)handleType, 0));
}

CUresult cass_cuMemPoolImportFromShareableHandle(CUmemoryPool *pool_out, void *handle,
                                                 CUmemAllocationHandleType handleType,
                                                 unsigned long long flags) {
    STARTED();
    if (!pool_out || flags || handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_INVALID_VALUE;
    int result = HIP_OPTIONAL(hipMemPoolImportFromShareableHandle, (hipMemPool_t *)(void *)pool_out,
                              handle, (int)handleType, 0);
    if (result == INVALID_VALUE) result = UNKNOWN_ERROR; /* no exported pool (recorded) */
    return RESULT(result);
}

CUresult cass_cuMemPoolExportPointer(CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr) {
    STARTED();
    if (!shareData_out || !ptr) return CUDA_ERROR_INVALID_VALUE;
    return RESULT(HIP_OPTIONAL(hipMemPoolExportPointer, shareData_out, cass_address(ptr)));
}

CUresult cass_cuMemPoolImportPointer(CUdeviceptr *ptr_out, CUmemoryPool pool,
                                     CUmemPoolPtrExportData *shareData) {
    STARTED();
    void *pointer = NULL;
    if (!ptr_out || !pool || !shareData) return CUDA_ERROR_INVALID_VALUE;
    int result = HIP_OPTIONAL(hipMemPoolImportPointer, &pointer, pool_of(pool), shareData);
    if (!result) *ptr_out = (CUdeviceptr)(uintptr_t)pointer;
    return RESULT(result);
}
