/* Driver API: copies with attributes, where managed memory lies, occupancy of clusters, export
 * tables, ordering of remote writes, sparse arrays. */
#include "driver/api.h"
#include "driver/copy.h"
#include "driver/launch.h"
#include "driver/managed.h"
#include "driver/memory.h"
#include "driver/properties.h"

enum { OWNER = 100, ALL_DEVICES = 200, LAST_PREFETCH = 4, MANAGED_KIND = 3 };

/* How early the source may be read is a hint: stream order serves. */
CUresult cass_cuMemcpyWithAttributesAsync(CUdeviceptr dst, CUdeviceptr src, size_t size,
                                          CUmemcpyAttributes *attr, CUstream hStream) {
    size_t first = 0;
    if (!attr) return CUDA_ERROR_INVALID_VALUE;
    return cass_cuMemcpyBatchAsync(&dst, &src, &size, 1, attr, &first, 1, NULL, hStream);
}

CUresult cass_cuMemcpy3DWithAttributesAsync(CUDA_MEMCPY3D_BATCH_OP *op, unsigned long long flags,
                                            CUstream hStream) {
    return cass_cuMemcpy3DBatchAsync(1, op, NULL, flags, hStream);
}

/* Managed memory lies where it was prefetched to last, and else on the host. */
static int location_of(const void *pointer, size_t bytes, CUmemLocation *location) {
    int where = CASS_NOWHERE;
    int result = cass_range_get(&where, sizeof where, LAST_PREFETCH, pointer, bytes);
    if (result) return result;
    *location = (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_HOST, .id = 0};
    if (where >= 0) *location = (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = where};
    return OK;
}

CUresult cass_cuMemGetLocationInfo(CUdeviceptr ptr, size_t size, size_t summaryGranularity,
                                   size_t samplingGranularity, CUmemLocation *location_out) {
    ENTER(device);
    if (!ptr || !size || !location_out || !summaryGranularity || summaryGranularity > size ||
        samplingGranularity > summaryGranularity)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t at = 0, i = 0; at < size; at += summaryGranularity, i++) {
        size_t part = size - at < summaryGranularity ? size - at : summaryGranularity;
        TRY(device, location_of(cass_address(ptr + at), part, &location_out[i]));
    }
    return CUDA_SUCCESS;
}

/* Clusters of one block exist; of more, not on this device. */
static int cluster_is_possible(const CUlaunchConfig *config) {
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const CUlaunchAttribute *one = &config->attrs[i];
        if (one->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
            (one->value.clusterDim.x != 1 || one->value.clusterDim.y != 1 ||
             one->value.clusterDim.z != 1))
            return 0;
    }
    return 1;
}

CUresult cass_cuOccupancyMaxActiveClusters(int *numClusters, CUfunction func,
                                           const CUlaunchConfig *config) {
    ENTER(device);
    if (!numClusters || !config) return CUDA_ERROR_INVALID_VALUE;
    cass_kernel *kernel = cass_kernel_of(func);
    int blocks = 0;
    if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
    if (!cluster_is_possible(config)) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    int threads = (int)(config->blockDimX * config->blockDimY * config->blockDimZ);
    TRY(device, cass_occupancy(kernel, device, threads, config->sharedMemBytes, &blocks));
    *numClusters = blocks * cass_attribute_value(device, CASS_ATTRIBUTE_MULTIPROCESSORS);
    return CUDA_SUCCESS;
}

CUresult cass_cuOccupancyMaxPotentialClusterSize(int *clusterSize, CUfunction func,
                                                 const CUlaunchConfig *config) {
    ENTER(device);
    (void)device;
    if (!clusterSize || !config) return CUDA_ERROR_INVALID_VALUE;
    if (!cass_kernel_of(func)) return CUDA_ERROR_INVALID_HANDLE;
    *clusterSize = 1;
    return CUDA_SUCCESS;
}

/* The device offers no flush that the host could ask for (attribute 117 is 0). */
CUresult cass_cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target,
                                         CUflushGPUDirectRDMAWritesScope scope) {
    ENTER(device);
    (void)device;
    if ((int)target != 0 || ((int)scope != OWNER && (int)scope != ALL_DEVICES))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* Undocumented tables by UUID: none is known here, and callers must live without one
 * (recorded: the same before cuInit). */
CUresult cass_cuGetExportTable(const void **ppExportTable, const CUuuid *pExportTableId) {
    (void)pExportTableId;
    if (ppExportTable) *ppExportTable = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

/* Sparse arrays cannot be made (attribute 116), so an entry names none. */
CUresult cass_cuMemMapArrayAsync(CUarrayMapInfo *mapInfoList, unsigned int count,
                                 CUstream hStream) {
    ENTER(device);
    (void)device, (void)mapInfoList, (void)count, (void)hStream;
    return CUDA_ERROR_INVALID_VALUE;
}

/* No algorithm is supported (attribute 136). */
CUresult cass_cuMemBatchDecompressAsync(CUmemDecompressParams *paramsArray, size_t count,
                                        unsigned int flags, size_t *errorIndex, CUstream stream) {
    ENTER(device);
    (void)device, (void)paramsArray, (void)count, (void)flags, (void)errorIndex, (void)stream;
    return CUDA_ERROR_NOT_SUPPORTED; /* before any argument is looked at (recorded) */
}
