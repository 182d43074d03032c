/* Driver API: primary contexts, created contexts, the thread's stack of them. */
#include "driver/api.h"
#include "driver/properties.h"
#include "driver/capture.h"
#include "driver/copy.h"
#include "driver/device.h"
#include "driver/limits.h"
#include "driver/stream.h"

enum { API_VERSION = 3020, MAP_HOST = 8 };

CUresult cass_cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev) {
    if (!pctx) return CUDA_ERROR_INVALID_VALUE;
    KNOWN_DEVICE(dev);
    cass_context *primary = &cass_devices[dev].primary;
    atomic_fetch_add(&primary->retained, 1);
    atomic_store(&primary->active, 1);
    *pctx = primary;
    return CUDA_SUCCESS;
}

CUresult cass_cuDevicePrimaryCtxRelease_v2(CUdevice dev) {
    KNOWN_DEVICE(dev);
    cass_context *primary = &cass_devices[dev].primary;
    if (primary->retained <= 0) return CUDA_ERROR_INVALID_CONTEXT;
    if (atomic_fetch_sub(&primary->retained, 1) == 1) return RESULT(cass_device_reset(dev));
    return CUDA_SUCCESS;
}

CUresult cass_cuDevicePrimaryCtxRelease(CUdevice dev) {
    return cass_cuDevicePrimaryCtxRelease_v2(dev);
}

CUresult cass_cuDevicePrimaryCtxReset_v2(CUdevice dev) {
    KNOWN_DEVICE(dev);
    return RESULT(cass_device_reset(dev));
}

CUresult cass_cuDevicePrimaryCtxReset(CUdevice dev) { return cass_cuDevicePrimaryCtxReset_v2(dev); }

CUresult cass_cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags) {
    KNOWN_DEVICE(dev);
    if (!cass_device_flags_valid(flags)) return CUDA_ERROR_INVALID_VALUE;
    cass_devices[dev].primary.flags = flags;
    return CUDA_SUCCESS;
}

CUresult cass_cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags) {
    return cass_cuDevicePrimaryCtxSetFlags_v2(dev, flags);
}

CUresult cass_cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active) {
    if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
    KNOWN_DEVICE(dev);
    *flags = cass_devices[dev].primary.flags;
    *active = cass_devices[dev].primary.active != 0;
    return CUDA_SUCCESS;
}

static CUresult push(cass_context *context) {
    if (cass_thread.depth >= CASS_CONTEXT_STACK) return CUDA_ERROR_OUT_OF_MEMORY;
    cass_thread.stack[cass_thread.depth++] = cass_thread.current;
    return RESULT(cass_set_current(context));
}

CUresult cass_cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev) {
    if (!pctx || !cass_device_flags_valid(flags)) return CUDA_ERROR_INVALID_VALUE;
    KNOWN_DEVICE(dev);
    cass_context *made = cass_context_create(dev, flags);
    if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
    *pctx = made;
    return push(made);
}

/* A context of 32-bit addresses cannot be had by a 64-bit process (recorded). */
CUresult cass_cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev) {
    if (!pctx || !cass_device_flags_valid(flags)) return CUDA_ERROR_INVALID_VALUE;
    KNOWN_DEVICE(dev);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cass_cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams,
                             unsigned int flags, CUdevice dev) {
    if (numParams || paramsArray) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    return cass_cuCtxCreate_v2(pctx, flags, dev);
}

CUresult cass_cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams,
                             unsigned int flags, CUdevice dev) {
    if (ctxCreateParams && ctxCreateParams->numExecAffinityParams)
        return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    if (ctxCreateParams && ctxCreateParams->cigParams) return CUDA_ERROR_NOT_SUPPORTED;
    return cass_cuCtxCreate_v2(pctx, flags, dev);
}

CUresult cass_cuCtxDestroy_v2(CUcontext ctx) {
    STARTED();
    if (!ctx) return CUDA_ERROR_INVALID_VALUE;
    cass_context *context = cass_context_of(ctx);
    if (!context) return RESULT(cass_context_fault(ctx));
    if (context->primary || context->green) return CUDA_ERROR_INVALID_CONTEXT;
    if (cass_thread.current == context) {
        cass_device *device;
        if (!cass_enter_driver(&device)) cass_wait_device(device);
        cass_context *below = cass_thread.depth ? cass_thread.stack[--cass_thread.depth] : NULL;
        cass_set_current(below);
    }
    return RESULT(cass_context_destroy(context));
}

CUresult cass_cuCtxDestroy(CUcontext ctx) { return cass_cuCtxDestroy_v2(ctx); }

CUresult cass_cuCtxAttach(CUcontext *pctx, unsigned int flags) {
    if (!pctx || flags) return CUDA_ERROR_INVALID_VALUE;
    STARTED();
    if (!cass_thread.current) return CUDA_ERROR_INVALID_CONTEXT;
    *pctx = cass_thread.current;
    return CUDA_SUCCESS;
}

CUresult cass_cuCtxDetach(CUcontext ctx) {
    STARTED();
    return cass_context_of(ctx) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cass_cuCtxPushCurrent_v2(CUcontext ctx) {
    STARTED();
    if (!ctx) return CUDA_ERROR_INVALID_VALUE;
    cass_context *context = cass_context_of(ctx);
    return context ? push(context) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cass_cuCtxPushCurrent(CUcontext ctx) { return cass_cuCtxPushCurrent_v2(ctx); }

CUresult cass_cuCtxPopCurrent_v2(CUcontext *pctx) {
    STARTED();
    if (!cass_thread.current) return CUDA_ERROR_INVALID_CONTEXT;
    if (pctx) *pctx = cass_thread.current;
    cass_context *below = cass_thread.depth ? cass_thread.stack[--cass_thread.depth] : NULL;
    return RESULT(cass_set_current(below));
}

CUresult cass_cuCtxPopCurrent(CUcontext *pctx) { return cass_cuCtxPopCurrent_v2(pctx); }

/* Replaces the top of the stack; NULL empties it by one, as documented. */
CUresult cass_cuCtxSetCurrent(CUcontext ctx) {
    STARTED();
    cass_context *context = NULL;
    if (ctx && !(context = cass_context_of(ctx))) return CUDA_ERROR_INVALID_CONTEXT;
    if (!context && cass_thread.depth) context = cass_thread.stack[--cass_thread.depth];
    return RESULT(cass_set_current(context));
}

CUresult cass_cuCtxGetCurrent(CUcontext *pctx) {
    if (!pctx) return CUDA_ERROR_INVALID_VALUE;
    STARTED();
    *pctx = cass_thread.current;
    return CUDA_SUCCESS;
}

CUresult cass_cuCtxGetDevice(CUdevice *device) {
    STARTED();
    if (!cass_thread.current) return CUDA_ERROR_INVALID_CONTEXT;
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    *device = cass_thread.current->device;
    return CUDA_SUCCESS;
}

CUresult cass_cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx) {
    STARTED();
    cass_context *context = ctx ? cass_context_of(ctx) : cass_thread.current;
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    *device = context->device;
    return CUDA_SUCCESS;
}

CUresult cass_cuCtxGetFlags(unsigned int *flags) {
    ENTER(device);
    (void)device;
    if (!flags) return CUDA_ERROR_INVALID_VALUE;
    *flags = cass_thread.current->flags;
    return CUDA_SUCCESS;
}

CUresult cass_cuCtxSetFlags(unsigned int flags) {
    ENTER(device);
    (void)device;
    if (!cass_device_flags_valid(flags)) return CUDA_ERROR_INVALID_VALUE;
    cass_thread.current->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cass_cuCtxGetId(CUcontext ctx, unsigned long long *ctxId) {
    STARTED();
    cass_context *context = ctx ? cass_context_of(ctx) : cass_thread.current;
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    if (!ctxId) return CUDA_ERROR_INVALID_VALUE;
    *ctxId = context->id;
    return CUDA_SUCCESS;
}

CUresult cass_cuCtxGetApiVersion(CUcontext ctx, unsigned int *version) {
    STARTED();
    if (ctx && !cass_context_of(ctx)) return CUDA_ERROR_INVALID_CONTEXT;
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = API_VERSION;
    return CUDA_SUCCESS;
}

CUresult cass_cuCtxSynchronize(void) {
    ENTER(device);
    int forbidden = cass_capture_forbids();
    return RESULT(forbidden ? forbidden : cass_wait_device(device));
}

CUresult cass_cuCtxSynchronize_v2(CUcontext ctx) {
    if (!ctx) return cass_cuCtxSynchronize();
    STARTED();
    cass_context *context = cass_context_of(ctx), *before = cass_thread.current;
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    cass_set_current(context);
    CUresult result = cass_cuCtxSynchronize();
    cass_set_current(before);
    return result;
}

CUresult cass_cuCtxGetLimit(size_t *pvalue, CUlimit limit) {
    ENTER(device);
    return RESULT(cass_limit_get(device, (int)limit, pvalue));
}

CUresult cass_cuCtxSetLimit(CUlimit limit, size_t value) {
    ENTER(device);
    return RESULT(cass_limit_set(device, (int)limit, value));
}

CUresult cass_cuCtxGetCacheConfig(CUfunc_cache *pconfig) {
    ENTER(device);
    (void)device;
    if (!pconfig) return CUDA_ERROR_INVALID_VALUE;
    *pconfig = (CUfunc_cache)cass_thread.current->cache_config;
    return CUDA_SUCCESS;
}

CUresult cass_cuCtxSetCacheConfig(CUfunc_cache config) {
    ENTER(device);
    (void)device;
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL) return CUDA_ERROR_INVALID_VALUE;
    cass_thread.current->cache_config = (int)config;
    return CUDA_SUCCESS;
}

CUresult cass_cuCtxGetSharedMemConfig(CUsharedconfig *pConfig) {
    ENTER(device);
    (void)device;
    if (!pConfig) return CUDA_ERROR_INVALID_VALUE;
    *pConfig = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return CUDA_SUCCESS;
}

CUresult cass_cuCtxSetSharedMemConfig(CUsharedconfig config) {
    ENTER(device);
    (void)device;
    return (unsigned)config > 2 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cass_cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
    ENTER(device);
    (void)device;
    if (leastPriority) *leastPriority = CASS_LOWEST_PRIORITY;
    if (greatestPriority) *greatestPriority = CASS_HIGHEST_PRIORITY;
    return CUDA_SUCCESS;
}

CUresult cass_cuCtxResetPersistingL2Cache(void) {
    ENTER(device);
    (void)device;
    return CUDA_SUCCESS;
}

CUresult cass_cuCtxGetExecAffinity(CUexecAffinityParam *pExecAffinity, CUexecAffinityType type) {
    ENTER(device);
    if (!pExecAffinity) return CUDA_ERROR_INVALID_VALUE;
    *pExecAffinity = (CUexecAffinityParam){.type = type};
    pExecAffinity->param.smCount.val =
        (unsigned)cass_attribute_value(device, CASS_ATTRIBUTE_MULTIPROCESSORS);
    return CUDA_SUCCESS;
}
