/* Clusters' occupancy, where managed memory lies, ordering of remote writes, export tables, pools
 * between processes: the driver's answers under the runtime's names. */
#include "driver/managed.h"
#include "driver/properties.h"
#include "runtime/runtime.h"

_Static_assert(sizeof(struct cudaMemLocation) == sizeof(CUmemLocation), "the driver's location");
_Static_assert(sizeof(cudaLaunchConfig_t) == sizeof(CUlaunchConfig), "the driver's configuration");

cudaError_t cass_cudaOccupancyMaxActiveClusters(int *numClusters, const void *func,
                                                const cudaLaunchConfig_t *launchConfig) {
    ENTER(device);
    cass_kernel *kernel;
    TRY(device, cass_find_kernel(func, &kernel));
    return (cudaError_t)cass_cuOccupancyMaxActiveClusters(
        numClusters, (CUfunction)(void *)kernel,
        (const CUlaunchConfig *)(const void *)launchConfig);
}

cudaError_t cass_cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func,
                                                      const cudaLaunchConfig_t *launchConfig) {
    ENTER(device);
    cass_kernel *kernel;
    TRY(device, cass_find_kernel(func, &kernel));
    return (cudaError_t)cass_cuOccupancyMaxPotentialClusterSize(
        clusterSize, (CUfunction)(void *)kernel,
        (const CUlaunchConfig *)(const void *)launchConfig);
}

cudaError_t cass_cudaMemGetLocationInfo(void *devPtr, size_t size, size_t summaryGranularity,
                                        size_t samplingGranularity,
                                        struct cudaMemLocation *location_out) {
    ENTER(device);
    (void)device;
    return (cudaError_t)cass_cuMemGetLocationInfo((CUdeviceptr)(uintptr_t)devPtr, size,
                                                  summaryGranularity, samplingGranularity,
                                                  (CUmemLocation *)(void *)location_out);
}

cudaError_t cass_cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
                                                    enum cudaFlushGPUDirectRDMAWritesScope scope) {
    ENTER(device);
    (void)device;
    return (cudaError_t)cass_cuFlushGPUDirectRDMAWrites((CUflushGPUDirectRDMAWritesTarget)target,
                                                        (CUflushGPUDirectRDMAWritesScope)scope);
}

cudaError_t cass_cudaDeviceGetNvSciSyncAttributes(void *nvSciSyncAttrList, int device, int flags) {
    ENTER(entered);
    (void)entered;
    return (cudaError_t)cass_cuDeviceGetNvSciSyncAttributes(nvSciSyncAttrList, device, flags);
}

cudaError_t cass_cudaGetExportTable(const void **ppExportTable, const cudaUUID_t *pExportTableId) {
    ENTER(device);
    (void)device;
    return (cudaError_t)cass_cuGetExportTable(ppExportTable,
                                              (const CUuuid *)(const void *)pExportTableId);
}

cudaError_t cass_cudaMemPoolExportToShareableHandle(void *shareableHandle, cudaMemPool_t memPool,
                                                    enum cudaMemAllocationHandleType handleType,
                                                    unsigned int flags) {
    ENTER(device);
    (void)device;
    return (cudaError_t)cass_cuMemPoolExportToShareableHandle(
        shareableHandle, memPool, (CUmemAllocationHandleType)handleType, flags);
}

cudaError_t cass_cudaMemPoolImportFromShareableHandle(cudaMemPool_t *memPool, void *shareableHandle,
                                                      enum cudaMemAllocationHandleType handleType,
                                                      unsigned int flags) {
    ENTER(device);
    (void)device;
    return (cudaError_t)cass_cuMemPoolImportFromShareableHandle(
        memPool, shareableHandle, (CUmemAllocationHandleType)handleType, flags);
}

cudaError_t cass_cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *exportData, void *ptr) {
    ENTER(device);
    (void)device;
    return (cudaError_t)cass_cuMemPoolExportPointer((CUmemPoolPtrExportData *)(void *)exportData,
                                                    (CUdeviceptr)(uintptr_t)ptr);
}

cudaError_t cass_cudaMemPoolImportPointer(void **ptr, cudaMemPool_t memPool,
                                          struct cudaMemPoolPtrExportData *exportData) {
    ENTER(device);
    (void)device;
    return (cudaError_t)cass_cuMemPoolImportPointer((CUdeviceptr *)(void *)ptr, memPool,
                                                    (CUmemPoolPtrExportData *)(void *)exportData);
}
