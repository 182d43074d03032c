/* Driver API: managed memory advice, prefetching, batches of copies and of stream operations. */
#include "driver/api.h"
#include "driver/batch.h"
#include "driver/copy.h"
#include "driver/managed.h"

/* A location as a device number; -3 for one that is none. */
static int place(CUmemLocation location) {
    switch ((int)location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        return location.id;
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
        return CASS_CPU;
    default:
        return CASS_NOWHERE - 1;
    }
}

CUresult cass_cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device) {
    STARTED();
    return RESULT(cass_advise(cass_address(devPtr), count, (int)advice, device));
}

CUresult cass_cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
                             CUmemLocation location) {
    CUresult result = cass_cuMemAdvise(devPtr, count, advice, place(location));
    return result == CUDA_ERROR_INVALID_DEVICE ? CUDA_ERROR_INVALID_VALUE : result; /* recorded */
}

CUresult cass_cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
                                 CUstream hStream) {
    ENTER(device);
    return RESULT(
        cass_prefetch(device, cass_address(devPtr), count, dstDevice, cass_stream(hStream)));
}

CUresult cass_cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location,
                                    unsigned int flags, CUstream hStream) {
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    return cass_cuMemPrefetchAsync(devPtr, count, place(location), hStream);
}

CUresult cass_cuMemRangeGetAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute,
                                     CUdeviceptr devPtr, size_t count) {
    STARTED();
    return RESULT(cass_range_get(data, dataSize, (int)attribute, cass_address(devPtr), count));
}

CUresult cass_cuMemRangeGetAttributes(void **data, size_t *dataSizes,
                                      CUmem_range_attribute *attributes, size_t numAttributes,
                                      CUdeviceptr devPtr, size_t count) {
    if (!data || !dataSizes || !attributes || !numAttributes) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < numAttributes; i++) {
        CUresult result =
            cass_cuMemRangeGetAttribute(data[i], dataSizes[i], attributes[i], devPtr, count);
        if (result) return result;
    }
    return CUDA_SUCCESS;
}

/* The location of entry i: indices mark where each location starts to hold. */
static int place_of(size_t i, const CUmemLocation *locations, const size_t *starts, size_t count) {
    size_t at = 0;
    while (at + 1 < count && starts[at + 1] <= i) at++;
    return place(locations[at]);
}

CUresult cass_cuMemPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                      CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                      size_t numPrefetchLocs, unsigned long long flags,
                                      CUstream hStream) {
    if (!dptrs || !sizes || !count || !prefetchLocs || !prefetchLocIdxs || !numPrefetchLocs ||
        flags)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        int where = place_of(i, prefetchLocs, prefetchLocIdxs, numPrefetchLocs);
        CUresult result = cass_cuMemPrefetchAsync(dptrs[i], sizes[i], where, hStream);
        if (result) return result;
    }
    return CUDA_SUCCESS;
}

/* Discarded content may stay as it is. */
CUresult cass_cuMemDiscardBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                     unsigned long long flags, CUstream hStream) {
    ENTER(device);
    (void)hStream;
    if (!dptrs || !sizes || !count || flags) return CUDA_ERROR_INVALID_VALUE;
    return DONE(device, cass_all_managed((const void *const *)(const void *)dptrs, sizes, count));
}

CUresult cass_cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                                CUmemLocation *prefetchLocs,
                                                size_t *prefetchLocIdxs, size_t numPrefetchLocs,
                                                unsigned long long flags, CUstream hStream) {
    return cass_cuMemPrefetchBatchAsync(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
                                        numPrefetchLocs, flags, hStream);
}

CUresult cass_cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                 CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                                 size_t *failIdx, CUstream hStream) {
    ENTER(device);
    cass_order order = {cass_stream(hStream), 0}; /* no source is read earlier */
    if (failIdx) *failIdx = SIZE_MAX;
    if (!dsts || !srcs) return CUDA_ERROR_INVALID_VALUE;
    TRY(device, cass_copies_check(sizes, count, attrs, attrsIdxs, numAttrs, hStream));
    for (size_t i = 0; i < count; i++) {
        int result = cass_copy_line(device, cass_address(dsts[i]), cass_address(srcs[i]), sizes[i],
                                    HIP_COPY_DEFAULT, order);
        if (!result) continue;
        if (failIdx) *failIdx = i;
        return RESULT(result);
    }
    return CUDA_SUCCESS;
}

CUresult cass_cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes,
                                    size_t count, CUmemcpyAttributes *attrs, size_t *attrsIdxs,
                                    size_t numAttrs, CUstream hStream) {
    return cass_cuMemcpyBatchAsync(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, NULL,
                                   hStream);
}

CUresult cass_cuStreamBatchMemOp_v2(CUstream stream, unsigned int count,
                                    CUstreamBatchMemOpParams *paramArray, unsigned int flags) {
    ENTER(device);
    return DONE(device, cass_batch_run(device, cass_stream(stream), paramArray, count, flags));
}

CUresult cass_cuStreamBatchMemOp(CUstream stream, unsigned int count,
                                 CUstreamBatchMemOpParams *paramArray, unsigned int flags) {
    return cass_cuStreamBatchMemOp_v2(stream, count, paramArray, flags);
}
