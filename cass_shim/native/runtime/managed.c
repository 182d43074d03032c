/* Managed memory advice, prefetching, and batches of copies. */
#include "driver/managed.h"

#include "driver/array.h"
#include "driver/batch.h"
#include "runtime/runtime.h"

/* A location as a device number; -3 for one that is none. */
static int place(struct cudaMemLocation location) {
    switch ((int)location.type) {
    case cudaMemLocationTypeDevice:
        return location.id;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent:
        return CASS_CPU;
    default:
        return CASS_NOWHERE - 1;
    }
}

cudaError_t cass_cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                               int device) {
    ENTER(entered);
    return DONE(entered, cass_advise(devPtr, count, (int)advice, device));
}

cudaError_t cass_cudaMemAdvise_v2(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                                  struct cudaMemLocation location) {
    cudaError_t result = cass_cudaMemAdvise(devPtr, count, advice, place(location));
    return result == cudaErrorInvalidDevice ? cudaErrorInvalidValue : result; /* recorded */
}

cudaError_t cass_cudaMemPrefetchAsync(const void *devPtr, size_t count, int dstDevice,
                                      cudaStream_t stream) {
    ENTER(device);
    return (cudaError_t)cass_prefetch(device, devPtr, count, dstDevice, cass_stream(stream));
}

cudaError_t cass_cudaMemPrefetchAsync_v2(const void *devPtr, size_t count,
                                         struct cudaMemLocation location, unsigned int flags,
                                         cudaStream_t stream) {
    if (flags) return cudaErrorInvalidValue;
    return cass_cudaMemPrefetchAsync(devPtr, count, place(location), stream);
}

cudaError_t cass_cudaMemRangeGetAttribute(void *data, size_t dataSize,
                                          enum cudaMemRangeAttribute attribute, const void *devPtr,
                                          size_t count) {
    ENTER(device);
    return DONE(device, cass_range_get(data, dataSize, (int)attribute, devPtr, count));
}

cudaError_t cass_cudaMemRangeGetAttributes(void **data, size_t *dataSizes,
                                           enum cudaMemRangeAttribute *attributes,
                                           size_t numAttributes, const void *devPtr, size_t count) {
    if (!data || !dataSizes || !attributes || !numAttributes) return cudaErrorInvalidValue;
    for (size_t i = 0; i < numAttributes; i++) {
        cudaError_t result =
            cass_cudaMemRangeGetAttribute(data[i], dataSizes[i], attributes[i], devPtr, count);
        if (result) return result;
    }
    return cudaSuccess;
}

/* The location of entry i: indices mark where each location starts to hold. */
static int place_of(size_t i, const struct cudaMemLocation *locations, const size_t *starts,
                    size_t count) {
    size_t at = 0;
    while (at + 1 < count && starts[at + 1] <= i) at++;
    return place(locations[at]);
}

cudaError_t cass_cudaMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                           struct cudaMemLocation *prefetchLocs,
                                           size_t *prefetchLocIdxs, size_t numPrefetchLocs,
                                           unsigned long long flags, cudaStream_t stream) {
    if (!dptrs || !sizes || !count || !prefetchLocs || !prefetchLocIdxs || !numPrefetchLocs ||
        flags)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        int where = place_of(i, prefetchLocs, prefetchLocIdxs, numPrefetchLocs);
        cudaError_t result = cass_cudaMemPrefetchAsync(dptrs[i], sizes[i], where, stream);
        if (result) return result;
    }
    return cudaSuccess;
}

/* Discarded content may stay as it is. */
cudaError_t cass_cudaMemDiscardBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                          unsigned long long flags, cudaStream_t stream) {
    ENTER(device);
    (void)stream;
    if (!dptrs || !sizes || !count || flags) return cudaErrorInvalidValue;
    return DONE(device, cass_all_managed((const void *const *)dptrs, sizes, count));
}

cudaError_t cass_cudaMemDiscardAndPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                                     struct cudaMemLocation *prefetchLocs,
                                                     size_t *prefetchLocIdxs,
                                                     size_t numPrefetchLocs,
                                                     unsigned long long flags,
                                                     cudaStream_t stream) {
    return cass_cudaMemPrefetchBatchAsync(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
                                          numPrefetchLocs, flags, stream);
}

/* Attributes only say how much earlier a source may be read than in stream order; stream order
 * always serves. */
static cudaError_t batch(cass_device *device, void *const *to, const void *const *from,
                         const size_t *sizes, size_t count, size_t *failed, cudaStream_t stream) {
    cass_order order = {cass_stream(stream), 0};
    if (failed) *failed = SIZE_MAX;
    if (!to || !from) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        int result = cass_copy_line(device, to[i], from[i], sizes[i], HIP_COPY_DEFAULT, order);
        if (!result) continue;
        if (failed) *failed = i;
        return (cudaError_t)result;
    }
    return cudaSuccess;
}

static int copies_check(const size_t *sizes, size_t count,
                        const struct cudaMemcpyAttributes *attributes, const size_t *indices,
                        size_t attribute_count, cudaStream_t stream) {
    return cass_copies_check(sizes, count, (const CUmemcpyAttributes *)(const void *)attributes,
                             indices, attribute_count, stream);
}

cudaError_t cass_cudaMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count,
                                      struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs,
                                      size_t numAttrs, size_t *failIdx, cudaStream_t stream) {
    ENTER(device);
    TRY(device, copies_check(sizes, count, attrs, attrsIdxs, numAttrs, stream));
    return batch(device, dsts, (const void *const *)srcs, sizes, count, failIdx, stream);
}

cudaError_t cass_cudaMemcpyBatchAsync_v13(void *const *dsts, const void *const *srcs,
                                          const size_t *sizes, size_t count,
                                          struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs,
                                          size_t numAttrs, cudaStream_t stream) {
    ENTER(device);
    TRY(device, copies_check(sizes, count, attrs, attrsIdxs, numAttrs, stream));
    return batch(device, dsts, srcs, sizes, count, NULL, stream);
}

cudaError_t cass_cudaMemcpyWithAttributesAsync(void *dst, const void *src, size_t size,
                                               struct cudaMemcpyAttributes *attr,
                                               cudaStream_t stream) {
    ENTER(device);
    if (!attr) return cudaErrorInvalidValue;
    return batch(device, &dst, &src, &size, 1, NULL, stream);
}

/* rowLength is in elements of the array at the other end; in bytes between two pointers. */
static int operand(const struct cudaMemcpy3DOperand *from, size_t element_bytes, cass_place *to) {
    *to = (cass_place){.kind = CASS_PLACE_UNIFIED};
    if (from->type == cudaMemcpyOperandTypeArray) {
        to->array = cass_array_of(from->op.array.array);
        to->x = from->op.array.offset.x * element_bytes;
        to->y = from->op.array.offset.y, to->z = from->op.array.offset.z;
        return to->array ? OK : INVALID_HANDLE;
    }
    if (from->type != cudaMemcpyOperandTypePointer || !from->op.ptr.ptr) return INVALID_VALUE;
    to->pointer = from->op.ptr.ptr;
    to->pitch = from->op.ptr.rowLength * element_bytes;
    to->rows = from->op.ptr.layerHeight;
    return OK;
}

static size_t element_of(const struct cudaMemcpy3DOperand *end) {
    const cass_array *array =
        end->type == cudaMemcpyOperandTypeArray ? cass_array_of(end->op.array.array) : NULL;
    return array ? array->element_bytes : 0;
}

static int one_block(cass_device *device, const struct cudaMemcpy3DBatchOp *op, cass_order order) {
    cass_place to, from;
    cass_copy copy;
    size_t element = element_of(&op->src) ? element_of(&op->src) : element_of(&op->dst);
    if (!element) element = 1;
    if (!op->extent.width || !op->extent.height || !op->extent.depth) return INVALID_VALUE;
    int result = operand(&op->src, element, &from);
    if (!result) result = operand(&op->dst, element, &to);
    if (!result)
        result = cass_copy_between(&to, &from, op->extent.width * element, op->extent.height,
                                   op->extent.depth, &copy);
    return result ? result : cass_copy_run(device, &copy, order);
}

cudaError_t cass_cudaMemcpy3DBatchAsync(size_t numOps, struct cudaMemcpy3DBatchOp *opList,
                                        size_t *failIdx, unsigned long long flags,
                                        cudaStream_t stream) {
    ENTER(device);
    cass_order order = {cass_stream(stream), 0};
    if (failIdx) *failIdx = SIZE_MAX;
    if (!numOps || !opList || flags) return cudaErrorInvalidValue;
    for (size_t i = 0; i < numOps; i++) {
        int result = one_block(device, &opList[i], order);
        if (!result) continue;
        if (failIdx) *failIdx = i;
        return DONE(device, result);
    }
    return cudaSuccess;
}

cudaError_t cass_cudaMemcpy3DBatchAsync_v13(size_t numOps, struct cudaMemcpy3DBatchOp *opList,
                                            unsigned long long flags, cudaStream_t stream) {
    return cass_cudaMemcpy3DBatchAsync(numOps, opList, NULL, flags, stream);
}

cudaError_t cass_cudaMemcpy3DWithAttributesAsync(struct cudaMemcpy3DBatchOp *op,
                                                 unsigned long long flags, cudaStream_t stream) {
    return cass_cudaMemcpy3DBatchAsync(1, op, NULL, flags, stream);
}
