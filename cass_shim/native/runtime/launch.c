/* Launches: the call configuration stack, stubs, and the C entry points. */
#include "runtime/runtime.h"

enum { NESTED_LAUNCHES = 16 };

typedef struct {
    dim3 grid, block;
    size_t shared_bytes;
    struct CUstream_st *stream;
} configuration;

static _Thread_local struct {
    int depth;
    configuration stack[NESTED_LAUNCHES];
} calls __attribute__((tls_model("initial-exec")));

unsigned int cass___cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                              struct CUstream_st *stream) {
    if (calls.depth >= NESTED_LAUNCHES) return 1;
    calls.stack[calls.depth++] = (configuration){gridDim, blockDim, sharedMem, stream};
    return 0;
}

cudaError_t cass___cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem,
                                            void *stream) {
    if (!calls.depth) return cudaErrorMissingConfiguration;
    const configuration *top = &calls.stack[--calls.depth];
    *gridDim = top->grid;
    *blockDim = top->block;
    *sharedMem = top->shared_bytes;
    *(struct CUstream_st **)stream = top->stream;
    return cudaSuccess;
}

static cudaError_t launch(cass_kernel *kernel, cass_device *device, dim3 grid, dim3 block,
                          void **args, size_t shared_bytes, cudaStream_t stream, int cooperative) {
    cass_launch request = {.grid = {grid.x, grid.y, grid.z},
                           .block = {block.x, block.y, block.z},
                           .shared_bytes = shared_bytes,
                           .stream = cass_stream(stream),
                           .parameters = args,
                           .cooperative = cooperative};
    int result = cass_launch_kernel(device, kernel, &request);
    /* before 13.0 the runtime checked dimensions itself and called a bad one a configuration error
     */
    if (result == INVALID_VALUE && !cass_caller_is_13() && cass_launch_check(kernel, &request))
        result = INVALID_CONFIGURATION;
    return (cudaError_t)result;
}

static cudaError_t launch_function(const void *func, dim3 grid, dim3 block, void **args,
                                   size_t shared_bytes, cudaStream_t stream, int cooperative) {
    cass_kernel *kernel;
    ENTER(device);
    int result = cass_find_kernel(func, &kernel);
    if (result) return (cudaError_t)result;
    return launch(kernel, device, grid, block, args, shared_bytes, stream, cooperative);
}

cudaError_t cass_cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                  size_t sharedMem, cudaStream_t stream) {
    return launch_function(func, gridDim, blockDim, args, sharedMem, stream, 0);
}

cudaError_t cass_cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim,
                                             void **args, size_t sharedMem, cudaStream_t stream) {
    return launch_function(func, gridDim, blockDim, args, sharedMem, stream, 1);
}

/* One launch per device; a barrier across devices does not exist here, so more than one device is
 * refused. */
cudaError_t cass_cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *launchParamsList,
                                                        unsigned int numDevices,
                                                        unsigned int flags) {
    if (!launchParamsList || !numDevices || flags > 3) return cudaErrorInvalidValue;
    if (numDevices > 1) return cudaErrorNotSupported;
    const struct cudaLaunchParams *p = launchParamsList;
    return launch_function(p->func, p->gridDim, p->blockDim, p->args, p->sharedMem, p->stream, 1);
}

cudaError_t cass___cudaGetKernel(cudaKernel_t *kernel, const void *entryFuncAddr) {
    if (!kernel) return cudaErrorInvalidValue;
    return (cudaError_t)cass_find_kernel(entryFuncAddr, (cass_kernel **)(void *)kernel);
}

cudaError_t cass_cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr) {
    ENTER(device);
    (void)device;
    cudaError_t result = cass___cudaGetKernel(kernelPtr, entryFuncAddr);
    return result == cudaErrorInvalidResourceHandle ? cudaErrorInvalidDeviceFunction : result;
}

cudaError_t cass_cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr) {
    ENTER(device);
    (void)device;
    if (!functionPtr) return cudaErrorInvalidValue;
    return (cudaError_t)cass_find_kernel(symbolPtr, (cass_kernel **)(void *)functionPtr);
}

cudaError_t cass___cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args,
                                    size_t sharedMem, cudaStream_t stream) {
    ENTER(device);
    cass_kernel *known = cass_kernel_of(kernel);
    if (!known) return cudaErrorInvalidResourceHandle;
    return launch(known, device, gridDim, blockDim, args, sharedMem, stream, 0);
}

#define LAST_ATTRIBUTE cudaLaunchAttributeSharedMemoryMode

/* What attributes ask for beside the launch itself. event: recorded behind the kernel, which is no
 * earlier than the programmatic or launch completion event of CUDA, whose blocks still run then. */
typedef struct {
    int cooperative;
    cudaEvent_t event;
    unsigned event_flags;
} attributes;

/* Attributes that change what runs are honoured or refused; hints are accepted. */
static int read_attributes(const cudaLaunchConfig_t *config, attributes *found) {
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *one = &config->attrs[i];
        switch (one->id) {
        case cudaLaunchAttributeCooperative:
            found->cooperative = one->val.cooperative;
            break;
        case cudaLaunchAttributeClusterDimension:
            if (one->val.clusterDim.x > 1 || one->val.clusterDim.y > 1 || one->val.clusterDim.z > 1)
                return cudaErrorInvalidClusterSize;
            break;
        case cudaLaunchAttributeProgrammaticEvent:
            found->event = one->val.programmaticEvent.event;
            found->event_flags = (unsigned)one->val.programmaticEvent.flags;
            break;
        case cudaLaunchAttributeLaunchCompletionEvent:
            found->event = one->val.launchCompletionEvent.event;
            found->event_flags = (unsigned)one->val.launchCompletionEvent.flags;
            break;
        default:
            if ((int)one->id < 0 || one->id > LAST_ATTRIBUTE) return cudaErrorInvalidValue;
            break;
        }
    }
    return OK;
}

cudaError_t cass_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func,
                                     void **args) {
    attributes asked = {0};
    if (!config || (config->numAttrs && !config->attrs)) return cudaErrorInvalidValue;
    int result = read_attributes(config, &asked);
    if (result) return (cudaError_t)result;
    cudaStream_t stream = config->stream;
    if (!stream && cass_call_per_thread()) stream = (cudaStream_t)HIP_STREAM_PER_THREAD;
    result = launch_function(func, config->gridDim, config->blockDim, args,
                             config->dynamicSmemBytes, stream, asked.cooperative);
    if (result || !asked.event) return (cudaError_t)result;
    return cass_cudaEventRecordWithFlags(asked.event, stream, asked.event_flags);
}
