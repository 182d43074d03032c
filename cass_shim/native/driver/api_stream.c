/* Driver API: streams and events. */
#include <stdlib.h>

#include "driver/api.h"
#include "driver/batch.h"
#include "driver/managed.h"
#include "driver/stream.h"

CUresult cass_cuStreamCreate(CUstream *phStream, unsigned int Flags) {
    ENTER(device);
    return DONE(device, cass_stream_create(Flags, 0, (hipStream_t *)(void *)phStream));
}

CUresult cass_cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority) {
    ENTER(device);
    return DONE(device, cass_stream_create(flags, priority, (hipStream_t *)(void *)phStream));
}

CUresult cass_cuStreamDestroy_v2(CUstream hStream) {
    ENTER(device);
    return RESULT(cass_stream_destroy(device, cass_stream(hStream)));
}

CUresult cass_cuStreamDestroy(CUstream hStream) { return cass_cuStreamDestroy_v2(hStream); }

CUresult cass_cuStreamSynchronize(CUstream hStream) {
    ENTER(device);
    return RESULT(cass_stream_synchronize(device, cass_stream(hStream)));
}

CUresult cass_cuStreamQuery(CUstream hStream) {
    ENTER(device);
    return RESULT(cass_stream_query(device, cass_stream(hStream)));
}

CUresult cass_cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
    ENTER(device);
    return RESULT(cass_stream_wait(device, cass_stream(hStream), cass_event(hEvent), Flags));
}

CUresult cass_cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData) {
    ENTER(device);
    return RESULT(cass_stream_host(device, cass_stream(hStream), fn, userData));
}

CUresult cass_cuLaunchHostFunc_v2(CUstream hStream, CUhostFn fn, void *userData,
                                  unsigned int syncMode) {
    (void)syncMode; /* how to wait: a hint */
    return cass_cuLaunchHostFunc(hStream, fn, userData);
}

typedef struct {
    CUstreamCallback function;
    void *user;
} callback;

static void call_back(hipStream_t stream, hipError_t status, void *user) {
    callback what = *(callback *)user;
    free(user);
    int told = cass_host_function_begin();
    what.function((CUstream)stream, RESULT(cass_hip_error(status)), what.user);
    cass_host_function_end(told);
}

CUresult cass_cuStreamAddCallback(CUstream hStream, CUstreamCallback function, void *userData,
                                  unsigned int flags) {
    ENTER(device);
    if (!function || flags) return CUDA_ERROR_INVALID_VALUE;
    callback *what = malloc(sizeof *what);
    if (!what) return CUDA_ERROR_OUT_OF_MEMORY;
    *what = (callback){function, userData};
    int result = HIP_OPTIONAL(hipStreamAddCallback, cass_stream(hStream), call_back, what, 0);
    if (result) free(what);
    return DONE(device, result);
}

static CUresult stream_info(CUstream stream, cass_stream_info *found) {
    ENTER(device);
    (void)device;
    return RESULT(cass_stream_get(cass_stream(stream), found));
}

CUresult cass_cuStreamGetFlags(CUstream hStream, unsigned int *flags) {
    cass_stream_info found;
    CUresult result = flags ? stream_info(hStream, &found) : CUDA_ERROR_INVALID_VALUE;
    if (!result) *flags = found.flags;
    return result;
}

CUresult cass_cuStreamGetPriority(CUstream hStream, int *priority) {
    cass_stream_info found;
    CUresult result = priority ? stream_info(hStream, &found) : CUDA_ERROR_INVALID_VALUE;
    if (!result) *priority = found.priority;
    return result;
}

CUresult cass_cuStreamGetId(CUstream hStream, unsigned long long *streamId) {
    cass_stream_info found;
    CUresult result = streamId ? stream_info(hStream, &found) : CUDA_ERROR_INVALID_VALUE;
    if (!result) *streamId = found.id;
    return result;
}

CUresult cass_cuStreamGetDevice(CUstream hStream, CUdevice *device) {
    cass_stream_info found;
    CUresult result = device ? stream_info(hStream, &found) : CUDA_ERROR_INVALID_VALUE;
    if (!result) *device = found.device;
    return result;
}

CUresult cass_cuStreamGetCtx(CUstream hStream, CUcontext *pctx) {
    cass_stream_info found;
    CUresult result = pctx ? stream_info(hStream, &found) : CUDA_ERROR_INVALID_VALUE;
    if (!result) *pctx = found.context;
    return result;
}

CUresult cass_cuStreamGetCtx_v2(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx) {
    cass_stream_info found;
    CUresult result = pCtx ? stream_info(hStream, &found) : CUDA_ERROR_INVALID_VALUE;
    if (result) return result;
    cass_context *of = found.context;
    *pCtx = of->green ? &cass_devices[of->device].primary : of;
    if (pGreenCtx) *pGreenCtx = of->green;
    return CUDA_SUCCESS;
}

CUresult cass_cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length,
                                     unsigned int flags) {
    cass_stream_info found;
    if (!cass_attach_ok(cass_address(dptr), length, cass_stream(hStream), flags))
        return CUDA_ERROR_INVALID_VALUE;
    return stream_info(hStream, &found); /* managed memory is visible to all streams here */
}

CUresult cass_cuEventCreate(CUevent *phEvent, unsigned int Flags) {
    ENTER(device);
    return DONE(device, cass_event_create(Flags, (hipEvent_t *)(void *)phEvent));
}

CUresult cass_cuEventDestroy_v2(CUevent hEvent) {
    ENTER(device);
    return DONE(device, cass_event_destroy(cass_event(hEvent)));
}

CUresult cass_cuEventDestroy(CUevent hEvent) { return cass_cuEventDestroy_v2(hEvent); }

CUresult cass_cuEventRecord(CUevent hEvent, CUstream hStream) {
    ENTER(device);
    return RESULT(cass_event_record(device, cass_event(hEvent), cass_stream(hStream), 0));
}

CUresult cass_cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags) {
    ENTER(device);
    return RESULT(cass_event_record(device, cass_event(hEvent), cass_stream(hStream), flags));
}

CUresult cass_cuEventQuery(CUevent hEvent) {
    ENTER(device);
    return RESULT(cass_event_query(device, cass_event(hEvent)));
}

CUresult cass_cuEventSynchronize(CUevent hEvent) {
    ENTER(device);
    return RESULT(cass_event_synchronize(device, cass_event(hEvent)));
}

CUresult cass_cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd) {
    ENTER(device);
    return RESULT(cass_event_elapsed(device, pMilliseconds, cass_event(hStart), cass_event(hEnd)));
}

CUresult cass_cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd) {
    return cass_cuEventElapsedTime(pMilliseconds, hStart, hEnd);
}

/* Waiting for and writing one word in stream order: a batch of one operation. */
static CUresult one_word(CUstream stream, CUstreamBatchMemOpType operation, CUdeviceptr address,
                         uint64_t value, unsigned flags) {
    ENTER(device);
    CUstreamBatchMemOpParams one = {.waitValue = {.operation = operation, .address = address}};
    one.waitValue.value64 = value;
    one.waitValue.flags = flags;
    return DONE(device, cass_batch_run(device, cass_stream(stream), &one, 1, 0));
}

CUresult cass_cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                     unsigned int flags) {
    return one_word(stream, CU_STREAM_MEM_OP_WAIT_VALUE_32, addr, value, flags);
}

CUresult cass_cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                     unsigned int flags) {
    return one_word(stream, CU_STREAM_MEM_OP_WAIT_VALUE_64, addr, value, flags);
}

CUresult cass_cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                      unsigned int flags) {
    return one_word(stream, CU_STREAM_MEM_OP_WRITE_VALUE_32, addr, value, flags);
}

CUresult cass_cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                      unsigned int flags) {
    return one_word(stream, CU_STREAM_MEM_OP_WRITE_VALUE_64, addr, value, flags);
}

CUresult cass_cuStreamWaitValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                  unsigned int flags) {
    return cass_cuStreamWaitValue32_v2(stream, addr, value, flags);
}

CUresult cass_cuStreamWaitValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                  unsigned int flags) {
    return cass_cuStreamWaitValue64_v2(stream, addr, value, flags);
}

CUresult cass_cuStreamWriteValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                   unsigned int flags) {
    return cass_cuStreamWriteValue32_v2(stream, addr, value, flags);
}

CUresult cass_cuStreamWriteValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                   unsigned int flags) {
    return cass_cuStreamWriteValue64_v2(stream, addr, value, flags);
}
