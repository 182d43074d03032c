/* Batches of memory operations: see batch.h. */
#include "driver/batch.h"

#include <stdlib.h>
#include <string.h>

#include "driver/capture.h"

/* CUDA's comparisons 0..3 are HIP's; "flush" (0x40000000) is a hint. */
enum { COMPARE_MASK = 3, FLUSH = 0x40000000, NO_BARRIER = 1 };

static int address_is_possible(CUdeviceptr address, unsigned bytes) {
    return address && address % bytes == 0;
}

static int flags_are_known(unsigned flags) { return !(flags & ~(unsigned)(COMPARE_MASK | FLUSH)); }

static int check_one(const CUstreamBatchMemOpParams *one) {
    int waits = one->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
                one->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
    int writes = one->operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ||
                 one->operation == CU_STREAM_MEM_OP_WRITE_VALUE_64;
    if (waits && !flags_are_known(one->waitValue.flags)) return INVALID_VALUE;
    if (writes && one->writeValue.flags & ~(unsigned)NO_BARRIER) return INVALID_VALUE;
    switch (one->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        return address_is_possible(one->waitValue.address, 4) ? OK : INVALID_VALUE;
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        return address_is_possible(one->waitValue.address, 8) ? OK : INVALID_VALUE;
    case CU_STREAM_MEM_OP_BARRIER:
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
        return OK;
    default:
        return INVALID_VALUE;
    }
}

int cass_batch_check(const CUstreamBatchMemOpParams *operations, unsigned count, unsigned flags) {
    if ((count && !operations) || count > CASS_BATCH_MOST || flags) return INVALID_VALUE;
    int result = OK;
    for (unsigned i = 0; i < count && !result; i++) result = check_one(&operations[i]);
    return result;
}

static int one_now(hipStream_t stream, const CUstreamBatchMemOpParams *one) {
    void *address = (void *)(uintptr_t)one->waitValue.address;
    switch (one->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        return HIP_OPTIONAL(hipStreamWaitValue32, stream, address, one->waitValue.value,
                            one->waitValue.flags & COMPARE_MASK, UINT32_MAX);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        return HIP_OPTIONAL(hipStreamWaitValue64, stream, address, one->waitValue.value64,
                            one->waitValue.flags & COMPARE_MASK, UINT64_MAX);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        return HIP_OPTIONAL(hipStreamWriteValue32, stream, address, one->writeValue.value, 0);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        return HIP_OPTIONAL(hipStreamWriteValue64, stream, address, one->writeValue.value64, 0);
    default:
        return OK; /* barriers and flushes: stream order is stronger */
    }
}

int cass_batch_now(hipStream_t stream, const CUstreamBatchMemOpParams *operations, unsigned count) {
    int result = OK;
    for (unsigned i = 0; i < count && !result; i++) result = one_now(stream, &operations[i]);
    return result;
}

int cass_batch_run(cass_device *device, hipStream_t stream,
                   const CUstreamBatchMemOpParams *operations, unsigned count, unsigned flags) {
    int result = cass_batch_check(operations, count, flags);
    if (result || !count) return result;
    cass_capture *capture = cass_capturing(stream);
    if (!capture) return cass_batch_now(stream, operations, count);
    cass_work work;
    result = cass_batch_work(&work, &device->primary, operations, count, flags);
    return result ? result : cass_capture_append(capture, &work);
}

int cass_batch_work(cass_work *work, void *context, const CUstreamBatchMemOpParams *operations,
                    unsigned count, unsigned flags) {
    int result = context ? cass_batch_check(operations, count, flags) : INVALID_VALUE;
    if (result) return result;
    *work = (cass_work){.type = CASS_NODE_BATCH, .batch = {context, NULL, count, flags}};
    work->batch.operations = calloc(count + 1, sizeof *operations);
    if (!work->batch.operations) return OUT_OF_MEMORY;
    if (count) memcpy(work->batch.operations, operations, count * sizeof *operations);
    return OK;
}

int cass_batch_copy(cass_work *to, const cass_work *from) {
    return cass_batch_work(to, from->batch.context, from->batch.operations, from->batch.count,
                           from->batch.flags);
}

int cass_copies_check(const size_t *sizes, size_t count, const CUmemcpyAttributes *attributes,
                      const size_t *indices, size_t attribute_count, CUstream stream) {
    if (!sizes || !count || !attributes || !indices || !attribute_count || attribute_count > count)
        return INVALID_VALUE;
    if (!stream || stream == CU_STREAM_LEGACY || indices[0]) return INVALID_VALUE;
    for (size_t i = 0; i < attribute_count; i++)
        if (attributes[i].srcAccessOrder < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
            attributes[i].srcAccessOrder > CU_MEMCPY_SRC_ACCESS_ORDER_ANY)
            return INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!sizes[i]) return INVALID_VALUE;
    return OK;
}
