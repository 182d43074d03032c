/* Streams and events. */
#include "driver/managed.h"
#include "driver/stream.h"

#include <stdlib.h>

#include "runtime/runtime.h"

cudaError_t cass_cudaStreamCreate(cudaStream_t *pStream) {
    ENTER(device);
    return DONE(device, cass_stream_create(0, 0, (hipStream_t *)(void *)pStream));
}

cudaError_t cass_cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags) {
    ENTER(device);
    return DONE(device, cass_stream_create(flags, 0, (hipStream_t *)(void *)pStream));
}

cudaError_t cass_cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags,
                                              int priority) {
    ENTER(device);
    return DONE(device, cass_stream_create(flags, priority, (hipStream_t *)(void *)pStream));
}

cudaError_t cass_cudaStreamDestroy(cudaStream_t stream) {
    ENTER(device);
    return (cudaError_t)cass_stream_destroy(device, cass_stream(stream));
}

cudaError_t cass_cudaStreamSynchronize(cudaStream_t stream) {
    ENTER(device);
    return (cudaError_t)cass_stream_synchronize(device, cass_stream(stream));
}

cudaError_t cass_cudaStreamQuery(cudaStream_t stream) {
    ENTER(device);
    return (cudaError_t)cass_stream_query(device, cass_stream(stream));
}

cudaError_t cass_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
    ENTER(device);
    return (cudaError_t)cass_stream_wait(device, cass_stream(stream), cass_event(event), flags);
}

cudaError_t cass_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData) {
    ENTER(device);
    return (cudaError_t)cass_stream_host(device, cass_stream(stream), fn, userData);
}

typedef struct {
    cudaStreamCallback_t function;
    void *user;
} callback;

static void call_back(hipStream_t stream, hipError_t status, void *user) {
    callback what = *(callback *)user;
    free(user);
    int told = cass_host_function_begin();
    what.function((cudaStream_t)stream, (cudaError_t)cass_hip_error(status), what.user);
    cass_host_function_end(told);
}

cudaError_t cass_cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function,
                                       void *userData, unsigned int flags) {
    ENTER(device);
    if (!function || flags) return cudaErrorInvalidValue;
    callback *what = malloc(sizeof *what);
    if (!what) return cudaErrorMemoryAllocation;
    *what = (callback){function, userData};
    int result = HIP_OPTIONAL(hipStreamAddCallback, cass_stream(stream), call_back, what, 0);
    if (result) free(what);
    return DONE(device, result);
}

static cudaError_t stream_info(cudaStream_t stream, cass_stream_info *found) {
    ENTER(device);
    (void)device;
    return (cudaError_t)cass_stream_get(cass_stream(stream), found);
}

cudaError_t cass_cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags) {
    cass_stream_info found;
    if (!flags) return cudaErrorInvalidValue;
    cudaError_t result = stream_info(hStream, &found);
    if (!result) *flags = found.flags;
    return result;
}

cudaError_t cass_cudaStreamGetPriority(cudaStream_t hStream, int *priority) {
    cass_stream_info found;
    if (!priority) return cudaErrorInvalidValue;
    cudaError_t result = stream_info(hStream, &found);
    if (!result) *priority = found.priority;
    return result;
}

cudaError_t cass_cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId) {
    cass_stream_info found;
    if (!streamId) return cudaErrorInvalidValue;
    cudaError_t result = stream_info(hStream, &found);
    if (!result) *streamId = found.id;
    return result;
}

cudaError_t cass_cudaStreamGetDevice(cudaStream_t hStream, int *device) {
    cass_stream_info found;
    if (!device) return cudaErrorInvalidValue;
    cudaError_t result = stream_info(hStream, &found);
    if (!result) *device = found.device;
    return result;
}

cudaError_t cass_cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length,
                                          unsigned int flags) {
    cass_stream_info found;
    if (!cass_attach_ok(devPtr, length, cass_stream(stream), flags)) return cudaErrorInvalidValue;
    return stream_info(stream, &found); /* managed memory is visible to all streams here */
}

cudaError_t cass_cudaEventCreate(cudaEvent_t *event) {
    ENTER(device);
    return DONE(device, cass_event_create(0, (hipEvent_t *)(void *)event));
}

cudaError_t cass_cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
    ENTER(device);
    return DONE(device, cass_event_create(flags, (hipEvent_t *)(void *)event));
}

cudaError_t cass_cudaEventDestroy(cudaEvent_t event) {
    ENTER(device);
    return DONE(device, cass_event_destroy(cass_event(event)));
}

cudaError_t cass_cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    ENTER(device);
    return (cudaError_t)cass_event_record(device, cass_event(event), cass_stream(stream), 0);
}

cudaError_t cass_cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                          unsigned int flags) {
    ENTER(device);
    return (cudaError_t)cass_event_record(device, cass_event(event), cass_stream(stream), flags);
}

cudaError_t cass_cudaEventQuery(cudaEvent_t event) {
    ENTER(device);
    return (cudaError_t)cass_event_query(device, cass_event(event));
}

cudaError_t cass_cudaEventSynchronize(cudaEvent_t event) {
    ENTER(device);
    return (cudaError_t)cass_event_synchronize(device, cass_event(event));
}

cudaError_t cass_cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
    ENTER(device);
    if (!ms) return cudaErrorInvalidValue;
    return (cudaError_t)cass_event_elapsed(device, ms, cass_event(start), cass_event(end));
}

cudaError_t cass_cudaEventElapsedTime_v2(float *ms, cudaEvent_t start, cudaEvent_t end) {
    return cass_cudaEventElapsedTime(ms, start, end);
}
