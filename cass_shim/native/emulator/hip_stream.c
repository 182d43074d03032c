/* Streams: creation, queries, host functions and callbacks. */
#include "emulator/hip_calls.h"
#include "emulator/hip_queue.h"

#include <stdlib.h>
#include <string.h>

static hipError_t create(hipStream_t *stream, unsigned flags, int priority) {
    if (!stream) return emu_fail(hipErrorInvalidValue, "no stream");
    if (flags & ~(unsigned)hipStreamNonBlocking)
        return emu_fail(hipErrorInvalidValue, "unknown stream flags %#x", flags);
    emu_stream *made = emu_stream_create(emu_current(), flags,
                                         priority < -1  ? -1
                                         : priority > 1 ? 1
                                                        : priority);
    if (!made) return emu_fail(hipErrorOutOfMemory, "no host memory for a stream");
    emu_handle_add(made, EMU_STREAM);
    *stream = (hipStream_t)made;
    return hipSuccess;
}

hipError_t emu_hipStreamCreate(hipStream_t *stream) { return create(stream, hipStreamDefault, 0); }

hipError_t emu_hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags) {
    return create(stream, flags, 0);
}

hipError_t emu_hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags, int priority) {
    return create(stream, flags, priority);
}

/* Compute units are not told apart; the mask is kept for hipExtStreamGetCUMask. */
hipError_t emu_hipExtStreamCreateWithCUMask(hipStream_t *stream, uint32_t cuMaskSize,
                                            const uint32_t *cuMask) {
    if (!cuMask || cuMaskSize == 0) return emu_fail(hipErrorInvalidValue, "no mask");
    hipError_t error = create(stream, hipStreamDefault, 0);
    if (error) return error;
    emu_stream *made = (emu_stream *)*stream;
    size_t words = cuMaskSize < 4 ? cuMaskSize : 4;
    memset(made->cu_mask, 0, sizeof made->cu_mask);
    memcpy(made->cu_mask, cuMask, words * sizeof *cuMask);
    return hipSuccess;
}

hipError_t emu_hipExtStreamGetCUMask(hipStream_t handle, uint32_t cuMaskSize, uint32_t *cuMask) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (!cuMask || cuMaskSize == 0) return emu_fail(hipErrorInvalidValue, "no room for a mask");
    memset(cuMask, 0, cuMaskSize * sizeof *cuMask);
    memcpy(cuMask, stream->cu_mask, (cuMaskSize < 4 ? cuMaskSize : 4) * sizeof *cuMask);
    return hipSuccess;
}

hipError_t emu_hipStreamDestroy(hipStream_t handle) {
    if (!handle || handle == hipStreamLegacy || handle == hipStreamPerThread ||
        !emu_handle_remove(handle, EMU_STREAM))
        return emu_fail(hipErrorInvalidHandle, "not a live stream: %p", (void *)handle);
    emu_stream_retire((emu_stream *)handle);
    return hipSuccess;
}

static uint64_t last_position(emu_stream *stream) {
    pthread_mutex_lock(&emu_engine);
    uint64_t position = stream->submitted;
    pthread_mutex_unlock(&emu_engine);
    return position;
}

/* What synchronising the legacy stream means: it also waits for the blocking streams it would wait
 * for. */
static hipError_t wait_blocking(emu_device *device) {
    emu_stream *stream = emu_stream_of(hipStreamLegacy);
    emu_op *nothing = stream ? emu_op_new(sizeof *nothing, EMU_OP_EMPTY, emu_run_nothing) : NULL;
    return nothing ? emu_submit_wait(stream, nothing) : emu_wait_device(device);
}

hipError_t emu_hipStreamSynchronize(hipStream_t handle) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    hipError_t refused = emu_refuse_capture(stream);
    if (refused) return refused;
    return stream->legacy ? wait_blocking(stream->device) : emu_wait(stream, last_position(stream));
}

hipError_t emu_hipStreamQuery(hipStream_t handle) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    hipError_t refused = emu_refuse_capture(stream);
    if (refused) return refused;
    pthread_mutex_lock(&emu_engine);
    bool idle = stream->completed >= stream->submitted;
    for (emu_stream *other = stream->device->streams; other && stream->legacy;
         other = other->sibling)
        if (!(other->flags & hipStreamNonBlocking))
            idle = idle && other->completed >= other->submitted;
    pthread_mutex_unlock(&emu_engine);
    return idle ? hipSuccess : hipErrorNotReady;
}

hipError_t emu_hipStreamGetFlags(hipStream_t handle, unsigned int *flags) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (!flags) return emu_fail(hipErrorInvalidValue, "no flags");
    *flags = stream->flags;
    return hipSuccess;
}

hipError_t emu_hipStreamGetPriority(hipStream_t handle, int *priority) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (!priority) return emu_fail(hipErrorInvalidValue, "no priority");
    *priority = stream->priority;
    return hipSuccess;
}

hipError_t emu_hipStreamGetDevice(hipStream_t handle, hipDevice_t *device) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (!device) return emu_fail(hipErrorInvalidValue, "no device");
    *device = stream->device->ordinal;
    return hipSuccess;
}

int emu_hipGetStreamDeviceId(hipStream_t handle) {
    emu_stream *stream = emu_enter(EMU_GUARD_HOST, 0) ? NULL : emu_stream_of(handle);
    return stream ? stream->device->ordinal : -1;
}

hipError_t emu_hipStreamGetId(hipStream_t handle, unsigned long long *streamId) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (!streamId) return emu_fail(hipErrorInvalidValue, "no id");
    *streamId = stream->id;
    return hipSuccess;
}

/* A host function in stream order. A callback (the older form) also hears of the stream's error, so
 * it runs on a faulted device too; a host function does not, as CUDA has it. */
typedef struct {
    emu_op op;
    hipHostFn_t function;
    hipStreamCallback_t callback;
    hipStream_t stream;
    void *argument;
} host_op;

static hipError_t run_host(emu_op *base, emu_device *device) {
    host_op *op = (host_op *)base;
    if (op->callback)
        op->callback(op->stream, (hipError_t)atomic_load(&device->fault), op->argument);
    else op->function(op->argument);
    return hipSuccess;
}

emu_op *emu_host_op(hipHostFn_t function, void *argument) {
    host_op *op = emu_op_new(sizeof *op, EMU_OP_HOST, run_host);
    if (!op) return NULL;
    op->op.worker_only = true;
    op->function = function;
    op->argument = argument;
    return &op->op;
}

void emu_host_op_get(const emu_op *op, hipHostNodeParams *params) {
    *params = (hipHostNodeParams){((const host_op *)op)->function, ((const host_op *)op)->argument};
}

void emu_host_op_set(emu_op *op, const hipHostNodeParams *params) {
    ((host_op *)op)->function = params->fn;
    ((host_op *)op)->argument = params->userData;
}

hipError_t emu_hipLaunchHostFunc(hipStream_t handle, hipHostFn_t fn, void *userData) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (!fn) return emu_fail(hipErrorInvalidValue, "no function");
    return emu_submit(stream, emu_host_op(fn, userData));
}

hipError_t emu_hipStreamAddCallback(hipStream_t handle, hipStreamCallback_t callback,
                                    void *userData, unsigned int flags) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (!callback || flags)
        return emu_fail(hipErrorInvalidValue, "no callback, or flags that must be 0");
    hipError_t refused = emu_refuse_capture(stream);
    if (refused) return refused;
    host_op *op = (host_op *)emu_host_op(NULL, userData);
    if (!op) return emu_fail(hipErrorOutOfMemory, "no host memory for a callback");
    op->callback = callback;
    op->stream = handle;
    op->op.on_fault = true;
    return emu_submit(stream, &op->op);
}

/* Attributes of streams are hints; they are kept so that they can be asked for and copied. */
static bool known_attribute(hipLaunchAttributeID attr) {
    return attr == hipLaunchAttributeAccessPolicyWindow ||
           attr == hipLaunchAttributeSynchronizationPolicy || attr == hipLaunchAttributePriority ||
           attr == hipLaunchAttributeMemSyncDomain || attr == hipLaunchAttributeMemSyncDomainMap;
}

hipError_t emu_hipStreamSetAttribute(hipStream_t handle, hipLaunchAttributeID attr,
                                     const hipLaunchAttributeValue *value) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (!value || !known_attribute(attr))
        return emu_fail(hipErrorInvalidValue, "no value, or attribute %d", (int)attr);
    pthread_mutex_lock(&emu_engine);
    stream->attributes[attr] = *value;
    if (attr == hipLaunchAttributePriority) stream->priority = value->priority;
    pthread_mutex_unlock(&emu_engine);
    return hipSuccess;
}

hipError_t emu_hipStreamGetAttribute(hipStream_t handle, hipLaunchAttributeID attr,
                                     hipLaunchAttributeValue *value_out) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (!value_out || !known_attribute(attr))
        return emu_fail(hipErrorInvalidValue, "no result, or attribute %d", (int)attr);
    pthread_mutex_lock(&emu_engine);
    *value_out = stream->attributes[attr];
    if (attr == hipLaunchAttributePriority) value_out->priority = stream->priority;
    pthread_mutex_unlock(&emu_engine);
    return hipSuccess;
}

hipError_t emu_hipStreamCopyAttributes(hipStream_t dst, hipStream_t src) {
    emu_stream *to = emu_stream_of(dst), *from = emu_stream_of(src);
    if (!to || !from) return hipErrorInvalidHandle;
    pthread_mutex_lock(&emu_engine);
    memcpy(to->attributes, from->attributes, sizeof to->attributes);
    pthread_mutex_unlock(&emu_engine);
    return hipSuccess;
}
