/* Driver API: functions, kernels, launches, occupancy. A CUfunction and a CUkernel are both a
 * cass_kernel. */
#include "driver/api.h"
#include "driver/function.h"
#include "driver/launch.h"

enum { EXTRA_END = 0, EXTRA_POINTER = 1, EXTRA_SIZE = 2, LARGEST_EXTRA = 16 };

/* The kernel of a handle, or returns from the body. */
#define KERNEL(kernel, handle)                                                                     \
    cass_kernel *kernel = cass_kernel_of(handle);                                                  \
    if (!kernel) return CUDA_ERROR_INVALID_HANDLE

/* CU_LAUNCH_PARAM_BUFFER_POINTER, ..._SIZE, ..._END in any order. */
static int read_extra(void **extra, cass_launch *launch) {
    for (int i = 0; i < LARGEST_EXTRA; i += 2) {
        switch ((uintptr_t)extra[i]) {
        case EXTRA_END:
            return launch->packed ? OK : INVALID_VALUE;
        case EXTRA_POINTER:
            launch->packed = extra[i + 1];
            break;
        case EXTRA_SIZE:
            launch->packed_bytes = *(size_t *)extra[i + 1];
            break;
        default:
            return INVALID_VALUE;
        }
    }
    return INVALID_VALUE;
}

static CUresult launch_kernel(CUfunction function, cass_launch *launch, void **extra) {
    ENTER(device);
    KERNEL(kernel, function);
    if (extra && launch->parameters) return CUDA_ERROR_INVALID_VALUE;
    if (extra) TRY(device, read_extra(extra, launch));
    return RESULT(cass_launch_kernel(device, kernel, launch));
}

CUresult cass_cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                             unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                             unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                             void **kernelParams, void **extra) {
    cass_launch launch = {.grid = {gridDimX, gridDimY, gridDimZ},
                          .block = {blockDimX, blockDimY, blockDimZ},
                          .shared_bytes = sharedMemBytes,
                          .stream = cass_stream(hStream),
                          .parameters = kernelParams};
    return launch_kernel(f, &launch, extra);
}

CUresult cass_cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                        unsigned int gridDimZ, unsigned int blockDimX,
                                        unsigned int blockDimY, unsigned int blockDimZ,
                                        unsigned int sharedMemBytes, CUstream hStream,
                                        void **kernelParams) {
    cass_launch launch = {.grid = {gridDimX, gridDimY, gridDimZ},
                          .block = {blockDimX, blockDimY, blockDimZ},
                          .shared_bytes = sharedMemBytes,
                          .stream = cass_stream(hStream),
                          .parameters = kernelParams,
                          .cooperative = 1};
    return launch_kernel(f, &launch, NULL);
}

#define LAST_ATTRIBUTE CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE

/* event: recorded behind the kernel (runtime/launch.c says why that is enough). */
static CUresult read_attributes(const CUlaunchConfig *config, cass_launch *launch, CUevent *event,
                                unsigned *event_flags) {
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const CUlaunchAttribute *one = &config->attrs[i];
        switch (one->id) {
        case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
            launch->cooperative = one->value.cooperative;
            break;
        case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
            if (one->value.clusterDim.x > 1 || one->value.clusterDim.y > 1 ||
                one->value.clusterDim.z > 1)
                return CUDA_ERROR_INVALID_CLUSTER_SIZE;
            break;
        case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
            *event = one->value.programmaticEvent.event;
            *event_flags = (unsigned)one->value.programmaticEvent.flags;
            break;
        case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
            *event = one->value.launchCompletionEvent.event;
            *event_flags = (unsigned)one->value.launchCompletionEvent.flags;
            break;
        default: /* hints */
            if ((int)one->id < 0 || one->id > LAST_ATTRIBUTE) return CUDA_ERROR_INVALID_VALUE;
            break;
        }
    }
    return CUDA_SUCCESS;
}

CUresult cass_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams,
                               void **extra) {
    if (!config || (config->numAttrs && !config->attrs)) return CUDA_ERROR_INVALID_VALUE;
    hipStream_t stream = cass_stream(config->hStream);
    cass_launch launch = {.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                          .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                          .shared_bytes = config->sharedMemBytes,
                          .stream = stream ? stream : cass_default_stream(),
                          .parameters = kernelParams};
    CUevent event = NULL;
    unsigned flags = 0;
    CUresult result = read_attributes(config, &launch, &event, &flags);
    if (!result) result = launch_kernel(f, &launch, extra);
    if (result || !event) return result;
    return cass_cuEventRecordWithFlags(event, (CUstream)launch.stream, flags);
}

CUresult cass_cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc) {
    ENTER(device);
    if (!pi) return CUDA_ERROR_INVALID_VALUE;
    KERNEL(kernel, hfunc);
    return DONE(device, cass_function_get(kernel, (int)attrib, pi));
}

CUresult cass_cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
    ENTER(device);
    KERNEL(kernel, hfunc);
    return DONE(device, cass_function_set(kernel, (int)attrib, value));
}

CUresult cass_cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config) {
    ENTER(device);
    (void)device;
    KERNEL(kernel, hfunc);
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL) return CUDA_ERROR_INVALID_VALUE;
    kernel->cache_config = (int)config;
    return CUDA_SUCCESS;
}

CUresult cass_cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config) {
    ENTER(device);
    (void)device;
    KERNEL(kernel, hfunc);
    (void)kernel;
    return (unsigned)config > 2 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cass_cuFuncGetModule(CUmodule *hmod, CUfunction hfunc) {
    ENTER(device);
    (void)device;
    if (!hmod) return CUDA_ERROR_INVALID_VALUE;
    KERNEL(kernel, hfunc);
    *hmod = cass_module_whole(kernel->module);
    return CUDA_SUCCESS;
}

CUresult cass_cuFuncGetName(const char **name, CUfunction hfunc) {
    STARTED();
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    KERNEL(kernel, hfunc);
    *name = kernel->info->name;
    return CUDA_SUCCESS;
}

CUresult cass_cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset,
                                 size_t *paramSize) {
    STARTED();
    if (!paramOffset) return CUDA_ERROR_INVALID_VALUE;
    KERNEL(kernel, func);
    return RESULT(cass_function_parameter(kernel, paramIndex, paramOffset, paramSize));
}

CUresult cass_cuFuncGetParamCount(CUfunction func, size_t *paramCount) {
    STARTED();
    KERNEL(kernel, func);
    if (!paramCount) return CUDA_ERROR_INVALID_VALUE;
    *paramCount = kernel->info->param_count;
    return CUDA_SUCCESS;
}

CUresult cass_cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function) {
    ENTER(device);
    if (!state) return CUDA_ERROR_INVALID_VALUE;
    KERNEL(kernel, function);
    *state = kernel->device[0][cass_device_index(device)] ? CU_FUNCTION_LOADING_STATE_LOADED
                                                          : CU_FUNCTION_LOADING_STATE_UNLOADED;
    return CUDA_SUCCESS;
}

CUresult cass_cuFuncLoad(CUfunction function) {
    ENTER(device);
    cass_kernel_device *code;
    KERNEL(kernel, function);
    /* Code that is judged by its first launch waits for that. */
    if (cass_client_wants_launch(kernel->module->manifest, kernel->index, 0)) return CUDA_SUCCESS;
    return DONE(device, cass_kernel_prepare(kernel, device, NULL, &code));
}

CUresult cass_cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel,
                                   CUdevice dev) {
    KNOWN_DEVICE(dev);
    KERNEL(known, kernel);
    return RESULT(cass_function_get(known, (int)attrib, pi));
}

CUresult cass_cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel,
                                   CUdevice dev) {
    KNOWN_DEVICE(dev);
    KERNEL(known, kernel);
    return RESULT(cass_function_set(known, (int)attrib, val));
}

CUresult cass_cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev) {
    KNOWN_DEVICE(dev);
    KERNEL(known, kernel);
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL) return CUDA_ERROR_INVALID_VALUE;
    known->cache_config = (int)config;
    return CUDA_SUCCESS;
}

CUresult cass_cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel) {
    ENTER(device);
    (void)device;
    if (!pFunc) return CUDA_ERROR_INVALID_VALUE;
    KERNEL(known, kernel);
    *pFunc = known;
    return CUDA_SUCCESS;
}

CUresult cass_cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel) {
    STARTED();
    if (!pLib) return CUDA_ERROR_INVALID_VALUE;
    KERNEL(known, kernel);
    *pLib = (CUlibrary)(void *)cass_module_whole(known->module);
    return CUDA_SUCCESS;
}

CUresult cass_cuKernelGetName(const char **name, CUkernel hfunc) {
    return cass_cuFuncGetName(name, (CUfunction)(void *)hfunc);
}

CUresult cass_cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset,
                                   size_t *paramSize) {
    return cass_cuFuncGetParamInfo((CUfunction)(void *)kernel, paramIndex, paramOffset, paramSize);
}

CUresult cass_cuKernelGetParamCount(CUkernel kernel, size_t *paramCount) {
    return cass_cuFuncGetParamCount((CUfunction)(void *)kernel, paramCount);
}

CUresult cass_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func,
                                                          int blockSize, size_t dynamicSMemSize) {
    ENTER(device);
    if (!numBlocks) return CUDA_ERROR_INVALID_VALUE;
    KERNEL(kernel, func);
    return DONE(device, cass_occupancy(kernel, device, blockSize, dynamicSMemSize, numBlocks));
}

CUresult cass_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func,
                                                                   int blockSize,
                                                                   size_t dynamicSMemSize,
                                                                   unsigned int flags) {
    if (flags > 1) return CUDA_ERROR_INVALID_VALUE;
    return cass_cuOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, func, blockSize,
                                                            dynamicSMemSize);
}

CUresult cass_cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func,
                                                      int numBlocks, int blockSize) {
    ENTER(device);
    if (!dynamicSmemSize) return CUDA_ERROR_INVALID_VALUE;
    KERNEL(kernel, func);
    return DONE(device, cass_available_shared(kernel, numBlocks, blockSize, dynamicSmemSize));
}

CUresult
cass_cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, CUfunction func,
                                               CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                               size_t dynamicSMemSize, int blockSizeLimit,
                                               unsigned int flags) {
    ENTER(device);
    if (!minGridSize || !blockSize) return CUDA_ERROR_INVALID_VALUE;
    KERNEL(kernel, func);
    if (blockSizeLimit < 0 || flags > 1) return CUDA_ERROR_INVALID_VALUE;
    return DONE(device, cass_best_block(kernel, device, blockSizeToDynamicSMemSize, dynamicSMemSize,
                                        blockSizeLimit, minGridSize, blockSize));
}

CUresult cass_cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
                                               CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                               size_t dynamicSMemSize, int blockSizeLimit) {
    return cass_cuOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func,
                                                          blockSizeToDynamicSMemSize,
                                                          dynamicSMemSize, blockSizeLimit, 0);
}
