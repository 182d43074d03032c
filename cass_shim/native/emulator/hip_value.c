/* Stream operations on one memory word: wait until it has a value, write one; names and addresses
 * of our calls. */
#include "emulator/hip_calls.h"
#include "emulator/hip_queue.h"
#include "emulator/memory.h"

#include <string.h>
#include <time.h>

typedef struct {
    emu_op op;
    void *address;
    uint64_t value, mask;
    unsigned compare;
    uint32_t bytes;
} value_op;

static uint64_t load(const value_op *op) {
    if (op->bytes == 4) return __atomic_load_n((uint32_t *)op->address, __ATOMIC_ACQUIRE);
    return __atomic_load_n((uint64_t *)op->address, __ATOMIC_ACQUIRE);
}

static bool met(const value_op *op) {
    uint64_t now = load(op) & op->mask, wanted = op->value & op->mask;
    switch (op->compare) {
    case hipStreamWaitValueGte: /* by the sign of the difference, as the hardware compares */
        return op->bytes == 4 ? (int32_t)((uint32_t)now - (uint32_t)wanted) >= 0
                              : (int64_t)(now - wanted) >= 0;
    case hipStreamWaitValueEq:
        return now == wanted;
    case hipStreamWaitValueAnd:
        return (now & wanted) != 0;
    default:
        return (~(now | wanted) & op->mask) != 0;
    }
}

/* Polls: the word may be written by a kernel, another stream or the host. Ends when the device
 * faults. */
static hipError_t run_wait(emu_op *base, emu_device *device) {
    value_op *op = (value_op *)base;
    struct timespec pause = {0, 1000};
    while (!met(op)) {
        if (atomic_load(&device->fault)) return hipSuccess;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 200000) pause.tv_nsec *= 2;
    }
    return hipSuccess;
}

static hipError_t run_write(emu_op *base, emu_device *device) {
    (void)device;
    value_op *op = (value_op *)base;
    if (op->bytes == 4)
        __atomic_store_n((uint32_t *)op->address, (uint32_t)op->value, __ATOMIC_RELEASE);
    else __atomic_store_n((uint64_t *)op->address, op->value, __ATOMIC_RELEASE);
    return hipSuccess;
}

static hipError_t queue(hipStream_t handle, value_op wanted, bool wait) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    if ((uint64_t)wanted.address % wanted.bytes || !emu_memory_covers(wanted.address, wanted.bytes))
        return emu_fail(hipErrorInvalidValue, "%p is no aligned word of device memory",
                        wanted.address);
    if (wait && wanted.compare > hipStreamWaitValueNor)
        return emu_fail(hipErrorInvalidValue, "comparison %u", wanted.compare);
    value_op *op = emu_op_new(sizeof *op, wait ? EMU_OP_WAIT_VALUE : EMU_OP_WRITE_VALUE,
                              wait ? run_wait : run_write);
    if (!op) return emu_fail(hipErrorOutOfMemory, "no host memory for a stream operation");
    wanted.op = op->op;
    *op = wanted;
    op->op.worker_only = wait; /* the host that waits for it may be the one to write the word */
    return emu_submit(stream, &op->op);
}

hipError_t emu_hipStreamWaitValue32(hipStream_t stream, void *ptr, uint32_t value,
                                    unsigned int flags, uint32_t mask) {
    return queue(
        stream,
        (value_op){.address = ptr, .value = value, .mask = mask, .compare = flags, .bytes = 4},
        true);
}

hipError_t emu_hipStreamWaitValue64(hipStream_t stream, void *ptr, uint64_t value,
                                    unsigned int flags, uint64_t mask) {
    return queue(
        stream,
        (value_op){.address = ptr, .value = value, .mask = mask, .compare = flags, .bytes = 8},
        true);
}

hipError_t emu_hipStreamWriteValue32(hipStream_t stream, void *ptr, uint32_t value,
                                     unsigned int flags) {
    (void)flags;
    return queue(stream, (value_op){.address = ptr, .value = value, .bytes = 4}, false);
}

hipError_t emu_hipStreamWriteValue64(hipStream_t stream, void *ptr, uint64_t value,
                                     unsigned int flags) {
    (void)flags;
    return queue(stream, (value_op){.address = ptr, .value = value, .bytes = 8}, false);
}

static hipError_t one_memory_op(hipStream_t stream, const hipStreamBatchMemOpParams *params) {
    switch ((int)params->operation) {
    case hipStreamMemOpWaitValue32:
        return emu_hipStreamWaitValue32(stream, params->waitValue.address,
                                        params->waitValue.data.value, params->waitValue.flags & 7,
                                        UINT32_MAX);
    case hipStreamMemOpWaitValue64:
        return emu_hipStreamWaitValue64(stream, params->waitValue.address,
                                        params->waitValue.data.value64, params->waitValue.flags & 7,
                                        UINT64_MAX);
    case hipStreamMemOpWriteValue32:
        return emu_hipStreamWriteValue32(stream, params->writeValue.address,
                                         params->writeValue.data.value, 0);
    case hipStreamMemOpWriteValue64:
        return emu_hipStreamWriteValue64(stream, params->writeValue.address,
                                         params->writeValue.data.value64, 0);
    case hipStreamMemOpBarrier:
    case hipStreamMemOpFlushRemoteWrites:
        return hipSuccess; /* operations of a stream run in order and complete */
    default:
        return emu_fail(hipErrorInvalidValue, "memory operation %d", (int)params->operation);
    }
}

hipError_t emu_hipStreamBatchMemOp(hipStream_t stream, unsigned int count,
                                   hipStreamBatchMemOpParams *paramArray, unsigned int flags) {
    if (!paramArray || flags)
        return emu_fail(hipErrorInvalidValue, "no operations, or flags that must be 0");
    hipError_t error = hipSuccess;
    for (unsigned i = 0; i < count && !error; i++) error = one_memory_op(stream, &paramArray[i]);
    return error;
}

static void *address_of(const char *symbol, bool per_thread) {
    char name[128];
    size_t low = 0, high = emu_export_count, length = strlen(symbol);
    if (length + 5 > sizeof name) return NULL;
    memcpy(name, symbol, length + 1);
    if (per_thread) {
        memcpy(name + length, "_spt", 5);
        void *own = address_of(name, false);
        if (own) return own;
        name[length] = 0;
    }
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(emu_exports[middle].name, name);
        if (order == 0) return emu_exports[middle].address;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

/* flags: 1 asks for the legacy default stream, 2 for the per-thread one (hip_runtime_api.h,
 * HIP_GET_PROC_ADDRESS_*). */
hipError_t emu_hipGetProcAddress(const char *symbol, void **pfn, int hipVersion, uint64_t flags,
                                 hipDriverProcAddressQueryResult *symbolStatus) {
    (void)hipVersion;
    if (!symbol || !pfn) return emu_fail(hipErrorInvalidValue, "no name or no result");
    *pfn = address_of(symbol, flags == 2);
    if (symbolStatus)
        *symbolStatus = *pfn ? HIP_GET_PROC_ADDRESS_SUCCESS : HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *pfn ? hipSuccess : emu_fail(hipErrorNotFound, "no function %.100s", symbol);
}

hipError_t emu_hipGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
                                      hipDriverEntryPointQueryResult *driverStatus) {
    if (!symbol || !funcPtr) return emu_fail(hipErrorInvalidValue, "no name or no result");
    *funcPtr = address_of(symbol, flags == 2);
    if (driverStatus)
        *driverStatus = *funcPtr ? hipDriverEntryPointSuccess : hipDriverEntryPointSymbolNotFound;
    return *funcPtr || driverStatus ? hipSuccess
                                    : emu_fail(hipErrorNotFound, "no function %.100s", symbol);
}

hipError_t emu_hipProfilerStart(void) { return hipSuccess; }
hipError_t emu_hipProfilerStop(void) { return hipSuccess; }
