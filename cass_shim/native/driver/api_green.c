/* Driver API: device resources and green contexts. */
#include "driver/api.h"
#include "driver/green.h"

enum { DEFAULT_STREAM = 1 };

#define GREEN(green, handle)                                                                       \
    STARTED();                                                                                     \
    cass_green *green = cass_green_of(handle);                                                     \
    if (!green) return CUDA_ERROR_INVALID_CONTEXT

CUresult cass_cuDeviceGetDevResource(CUdevice device, CUdevResource *resource,
                                     CUdevResourceType type) {
    KNOWN_DEVICE(device);
    if (!resource) return CUDA_ERROR_INVALID_VALUE;
    return RESULT(cass_resource_get(&cass_devices[device].primary, resource, (int)type));
}

CUresult cass_cuCtxGetDevResource(CUcontext hCtx, CUdevResource *resource, CUdevResourceType type) {
    STARTED();
    if (!resource) return CUDA_ERROR_INVALID_VALUE;
    cass_context *context = cass_context_of(hCtx);
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    return RESULT(cass_resource_get(context, resource, (int)type));
}

CUresult cass_cuGreenCtxGetDevResource(CUgreenCtx hCtx, CUdevResource *resource,
                                       CUdevResourceType type) {
    if (!resource) return CUDA_ERROR_INVALID_VALUE;
    GREEN(green, hCtx);
    return RESULT(cass_resource_get(green->context, resource, (int)type));
}

CUresult cass_cuStreamGetDevResource(CUstream hStream, CUdevResource *resource,
                                     CUdevResourceType type) {
    ENTER(device);
    cass_stream_info found;
    if (!resource) return CUDA_ERROR_INVALID_VALUE;
    TRY(device, cass_stream_get(cass_stream(hStream), &found));
    return RESULT(cass_resource_get(found.context, resource, (int)type));
}

CUresult cass_cuDevSmResourceSplitByCount(CUdevResource *result, unsigned int *nbGroups,
                                          const CUdevResource *input, CUdevResource *remaining,
                                          unsigned int useFlags, unsigned int minCount) {
    STARTED();
    return RESULT(cass_resource_split(result, nbGroups, input, remaining, useFlags, minCount));
}

CUresult cass_cuDevSmResourceSplit(CUdevResource *result, unsigned int nbGroups,
                                   const CUdevResource *input, CUdevResource *remainder,
                                   unsigned int flags,
                                   CU_DEV_SM_RESOURCE_GROUP_PARAMS *groupParams) {
    STARTED();
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    return RESULT(cass_resource_split_groups(result, nbGroups, input, remainder, groupParams));
}

CUresult cass_cuDevResourceGenerateDesc(CUdevResourceDesc *phDesc, CUdevResource *resources,
                                        unsigned int nbResources) {
    STARTED();
    return RESULT(cass_resource_describe(phDesc, resources, nbResources));
}

CUresult cass_cuGreenCtxCreate(CUgreenCtx *phCtx, CUdevResourceDesc desc, CUdevice dev,
                               unsigned int flags) {
    KNOWN_DEVICE(dev);
    if (flags != DEFAULT_STREAM)
        return CUDA_ERROR_INVALID_VALUE; /* as driver 580 has it (recorded) */
    return RESULT(cass_green_create(phCtx, desc, dev));
}

CUresult cass_cuGreenCtxDestroy(CUgreenCtx hCtx) {
    GREEN(green, hCtx);
    return RESULT(cass_green_destroy(green));
}

CUresult cass_cuCtxFromGreenCtx(CUcontext *pContext, CUgreenCtx hCtx) {
    if (!pContext) return CUDA_ERROR_INVALID_VALUE;
    GREEN(green, hCtx);
    *pContext = green->context;
    return CUDA_SUCCESS;
}

CUresult cass_cuGreenCtxGetId(CUgreenCtx greenCtx, unsigned long long *greenCtxId) {
    STARTED();
    if (!greenCtxId) return CUDA_ERROR_INVALID_VALUE;
    const cass_green *green = greenCtx              ? cass_green_of(greenCtx)
                              : cass_thread.current ? cass_thread.current->green
                                                    : NULL;
    if (!green) return CUDA_ERROR_INVALID_CONTEXT;
    *greenCtxId = green->context->id;
    return CUDA_SUCCESS;
}

CUresult cass_cuGreenCtxStreamCreate(CUstream *phStream, CUgreenCtx greenCtx, unsigned int flags,
                                     int priority) {
    if (!phStream) return CUDA_ERROR_INVALID_VALUE;
    GREEN(green, greenCtx);
    if (!phStream || flags != CASS_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    return RESULT(
        cass_context_stream(green->context, flags, priority, (hipStream_t *)(void *)phStream));
}

CUresult cass_cuGreenCtxRecordEvent(CUgreenCtx hCtx, CUevent hEvent) {
    GREEN(green, hCtx);
    if (!hEvent) return CUDA_ERROR_INVALID_HANDLE;
    return RESULT(cass_context_record(green->context, cass_event(hEvent)));
}

CUresult cass_cuGreenCtxWaitEvent(CUgreenCtx hCtx, CUevent hEvent) {
    GREEN(green, hCtx);
    if (!hEvent) return CUDA_ERROR_INVALID_HANDLE;
    return RESULT(cass_context_wait(green->context, cass_event(hEvent)));
}

CUresult cass_cuStreamGetGreenCtx(CUstream hStream, CUgreenCtx *phCtx) {
    ENTER(device);
    cass_stream_info found;
    if (!phCtx) return CUDA_ERROR_INVALID_VALUE;
    TRY(device, cass_stream_get(cass_stream(hStream), &found));
    *phCtx = found.context->green;
    return CUDA_SUCCESS;
}
