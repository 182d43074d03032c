/* Execution contexts: the driver's contexts under the runtime's names. A cudaExecutionContext_t is
 * a cass_context: a device's primary one, or that of a green context. */
#include "driver/green.h"
#include "driver/copy.h"
#include "runtime/runtime.h"

_Static_assert(sizeof(cudaDevResource) == sizeof(CUdevResource), "the driver's resource");
_Static_assert(sizeof(cudaDevSmResourceGroupParams) == sizeof(CU_DEV_SM_RESOURCE_GROUP_PARAMS),
               "the driver's group");

enum { SPLIT_FLAGS = 3 }; /* all that there are */

/* The context behind a handle, or returns from the body. */
#define CONTEXT(context, handle)                                                                   \
    ENTER(device);                                                                                 \
    (void)device;                                                                                  \
    cass_context *context = cass_context_of(handle);                                               \
    if (!context) return cudaErrorInvalidValue

#define RESOURCE(pointer) ((CUdevResource *)(void *)(uintptr_t)(pointer))

cudaError_t cass_cudaDeviceGetExecutionCtx(cudaExecutionContext_t *ctx, int device) {
    ENTER(entered);
    (void)entered;
    if (!ctx) return cudaErrorInvalidValue;
    if (device < 0 || device >= cass_device_count) return cudaErrorInvalidDevice;
    cass_context *primary = &cass_devices[device].primary;
    atomic_store(&primary->active, 1);
    *ctx = (cudaExecutionContext_t)(void *)primary;
    return cudaSuccess;
}

cudaError_t cass_cudaDeviceGetDevResource(int device, cudaDevResource *resource,
                                          enum cudaDevResourceType type) {
    ENTER(entered);
    (void)entered;
    if (device < 0 || device >= cass_device_count) return cudaErrorInvalidDevice;
    if (!resource) return cudaErrorInvalidValue;
    return (cudaError_t)cass_resource_get(&cass_devices[device].primary, RESOURCE(resource),
                                          (int)type);
}

cudaError_t cass_cudaExecutionCtxGetDevResource(cudaExecutionContext_t ctx,
                                                cudaDevResource *resource,
                                                enum cudaDevResourceType type) {
    CONTEXT(context, ctx);
    if (!resource) return cudaErrorInvalidValue;
    return (cudaError_t)cass_resource_get(context, RESOURCE(resource), (int)type);
}

cudaError_t cass_cudaStreamGetDevResource(cudaStream_t hStream, cudaDevResource *resource,
                                          enum cudaDevResourceType type) {
    ENTER(device);
    cass_stream_info found;
    if (!resource) return cudaErrorInvalidValue;
    TRY(device, cass_stream_get(cass_stream(hStream), &found));
    return (cudaError_t)cass_resource_get(found.context, RESOURCE(resource), (int)type);
}

cudaError_t cass_cudaDevSmResourceSplitByCount(cudaDevResource *result, unsigned int *nbGroups,
                                               const cudaDevResource *input,
                                               cudaDevResource *remaining, unsigned int flags,
                                               unsigned int minCount) {
    ENTER(device);
    (void)device;
    if (flags > SPLIT_FLAGS)
        return cudaErrorInvalidValue; /* the driver lets them pass (recorded) */
    return (cudaError_t)cass_resource_split(RESOURCE(result), nbGroups, RESOURCE(input),
                                            RESOURCE(remaining), flags, minCount);
}

cudaError_t cass_cudaDevSmResourceSplit(cudaDevResource *result, unsigned int nbGroups,
                                        const cudaDevResource *input, cudaDevResource *remainder,
                                        unsigned int flags,
                                        cudaDevSmResourceGroupParams *groupParams) {
    ENTER(device);
    (void)device;
    if (flags) return cudaErrorInvalidValue;
    return (cudaError_t)cass_resource_split_groups(
        RESOURCE(result), nbGroups, RESOURCE(input), RESOURCE(remainder),
        (CU_DEV_SM_RESOURCE_GROUP_PARAMS *)(void *)groupParams);
}

cudaError_t cass_cudaDevResourceGenerateDesc(cudaDevResourceDesc_t *phDesc,
                                             cudaDevResource *resources, unsigned int nbResources) {
    ENTER(device);
    (void)device;
    return (cudaError_t)cass_resource_describe((CUdevResourceDesc *)(void *)phDesc,
                                               RESOURCE(resources), nbResources);
}

cudaError_t cass_cudaGreenCtxCreate(cudaExecutionContext_t *phCtx, cudaDevResourceDesc_t desc,
                                    int device, unsigned int flags) {
    ENTER(entered);
    (void)entered;
    cass_green *made = NULL;
    if (!phCtx || !desc || flags) return cudaErrorInvalidValue;
    if (device < 0 || device >= cass_device_count) return cudaErrorInvalidDevice;
    int result = cass_green_create(&made, (CUdevResourceDesc)(void *)desc, device);
    if (!result) *phCtx = (cudaExecutionContext_t)(void *)made->context;
    return (cudaError_t)result;
}

/* A primary context is not the program's to destroy. */
cudaError_t cass_cudaExecutionCtxDestroy(cudaExecutionContext_t ctx) {
    CONTEXT(context, ctx);
    if (!context->green) return cudaErrorInvalidValue;
    return (cudaError_t)cass_green_destroy(context->green);
}

cudaError_t cass_cudaExecutionCtxGetDevice(int *device, cudaExecutionContext_t ctx) {
    ENTER(entered);
    (void)entered;
    const cass_context *context = cass_context_of(ctx);
    if (!context || !device) return cudaErrorInvalidValue;
    *device = context->device;
    return cudaSuccess;
}

cudaError_t cass_cudaExecutionCtxGetId(cudaExecutionContext_t ctx, unsigned long long *ctxId) {
    CONTEXT(context, ctx);
    if (!ctxId) return cudaErrorInvalidValue;
    *ctxId = context->id;
    return cudaSuccess;
}

cudaError_t cass_cudaExecutionCtxStreamCreate(cudaStream_t *phStream, cudaExecutionContext_t ctx,
                                              unsigned int flags, int priority) {
    CONTEXT(context, ctx);
    if (!phStream || flags > CASS_STREAM_NON_BLOCKING) return cudaErrorInvalidValue;
    if (context->green) flags = CASS_STREAM_NON_BLOCKING; /* there is no other kind in one */
    return (cudaError_t)cass_context_stream(context, flags, priority,
                                            (hipStream_t *)(void *)phStream);
}

cudaError_t cass_cudaExecutionCtxRecordEvent(cudaExecutionContext_t ctx, cudaEvent_t event) {
    CONTEXT(context, ctx);
    if (!event) return cudaErrorInvalidResourceHandle;
    return DONE(device, cass_context_record(context, cass_event(event)));
}

cudaError_t cass_cudaExecutionCtxWaitEvent(cudaExecutionContext_t ctx, cudaEvent_t event) {
    CONTEXT(context, ctx);
    if (!event) return cudaErrorInvalidResourceHandle;
    return DONE(device, cass_context_wait(context, cass_event(event)));
}

/* All of the device: waiting for more than asked is allowed, and faults are found there. */
cudaError_t cass_cudaExecutionCtxSynchronize(cudaExecutionContext_t ctx) {
    CONTEXT(context, ctx);
    cass_context *before = cass_thread.current;
    int result = cass_set_current(context);
    if (!result) result = cass_wait_device(&cass_devices[context->device]);
    cass_set_current(before);
    return (cudaError_t)result;
}
