/* The calls that launch kernels: by handle, by registered host function, by configuration. */
#include "emulator/hip_calls.h"
#include "emulator/hip_launch.h"
#include "emulator/hip_register.h"

static hipError_t submit(emu_function *function, const emu_shape *shape, hipStream_t handle,
                         void **params, void **extra) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (stream->device != function->module->device)
        return emu_fail(hipErrorInvalidHandle, "%s was loaded on another device than the stream's",
                        function->name);
    hipError_t error;
    emu_launch_op *op = emu_launch_new(function, shape, params, extra, &error);
    return op ? emu_submit(stream, &op->op) : error;
}

hipError_t emu_hipModuleLaunchKernel(hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY,
                                     unsigned int gridDimZ, unsigned int blockDimX,
                                     unsigned int blockDimY, unsigned int blockDimZ,
                                     unsigned int sharedMemBytes, hipStream_t stream,
                                     void **kernelParams, void **extra) {
    const uint32_t groups[] = {gridDimX, gridDimY, gridDimZ},
                   items[] = {blockDimX, blockDimY, blockDimZ};
    emu_function *function = emu_function_of(f);
    if (!function) return hipErrorInvalidDeviceFunction;
    emu_shape shape = emu_shape_of(groups, items, sharedMemBytes, false);
    return submit(function, &shape, stream, kernelParams, extra);
}

hipError_t emu_hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned int gridDimX,
                                                unsigned int gridDimY, unsigned int gridDimZ,
                                                unsigned int blockDimX, unsigned int blockDimY,
                                                unsigned int blockDimZ, unsigned int sharedMemBytes,
                                                hipStream_t stream, void **kernelParams) {
    const uint32_t groups[] = {gridDimX, gridDimY, gridDimZ},
                   items[] = {blockDimX, blockDimY, blockDimZ};
    emu_function *function = emu_function_of(f);
    if (!function) return hipErrorInvalidDeviceFunction;
    emu_shape shape = emu_shape_of(groups, items, sharedMemBytes, true);
    return submit(function, &shape, stream, kernelParams, NULL);
}

/* Sizes in work-items, so the last workgroup of a dimension may be partial. */
hipError_t emu_hipExtModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX,
                                        uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ,
                                        uint32_t localWorkSizeX, uint32_t localWorkSizeY,
                                        uint32_t localWorkSizeZ, size_t sharedMemBytes,
                                        hipStream_t hStream, void **kernelParams, void **extra,
                                        hipEvent_t startEvent, hipEvent_t stopEvent,
                                        uint32_t flags) {
    (void)flags;
    const uint32_t all[] = {globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ};
    const uint32_t items[] = {localWorkSizeX, localWorkSizeY, localWorkSizeZ};
    uint32_t groups[3];
    emu_function *function = emu_function_of(f);
    if (!function) return hipErrorInvalidDeviceFunction;
    for (int i = 0; i < 3; i++)
        groups[i] = items[i] ? (uint32_t)(((uint64_t)all[i] + items[i] - 1) / items[i]) : 0;
    emu_shape shape = emu_shape_of(groups, items, sharedMemBytes, false);
    for (int i = 0; i < 3; i++) shape.grid_items[i] = all[i];
    hipError_t error = startEvent ? emu_hipEventRecord(startEvent, hStream) : hipSuccess;
    if (!error) error = submit(function, &shape, hStream, kernelParams, extra);
    if (!error && stopEvent) error = emu_hipEventRecord(stopEvent, hStream);
    return error;
}

static hipError_t by_symbol(const void *symbol, dim3 grid, dim3 block, void **args, size_t shared,
                            hipStream_t stream, bool cooperative) {
    const uint32_t groups[] = {grid.x, grid.y, grid.z}, items[] = {block.x, block.y, block.z};
    hipError_t error;
    emu_function *function = emu_function_by_symbol(symbol, &error);
    if (!function) return error;
    emu_shape shape = emu_shape_of(groups, items, shared, cooperative);
    return submit(function, &shape, stream, args, NULL);
}

hipError_t emu_hipLaunchKernel(const void *function_address, dim3 numBlocks, dim3 dimBlocks,
                               void **args, size_t sharedMemBytes, hipStream_t stream) {
    return by_symbol(function_address, numBlocks, dimBlocks, args, sharedMemBytes, stream, false);
}

hipError_t emu_hipExtLaunchKernel(const void *function_address, dim3 numBlocks, dim3 dimBlocks,
                                  void **args, size_t sharedMemBytes, hipStream_t stream,
                                  hipEvent_t startEvent, hipEvent_t stopEvent, int flags) {
    (void)flags;
    hipError_t error = startEvent ? emu_hipEventRecord(startEvent, stream) : hipSuccess;
    if (!error)
        error =
            by_symbol(function_address, numBlocks, dimBlocks, args, sharedMemBytes, stream, false);
    if (!error && stopEvent) error = emu_hipEventRecord(stopEvent, stream);
    return error;
}

hipError_t emu_hipLaunchCooperativeKernel(const void *f, dim3 gridDim, dim3 blockDimX,
                                          void **kernelParams, unsigned int sharedMemBytes,
                                          hipStream_t stream) {
    return by_symbol(f, gridDim, blockDimX, kernelParams, sharedMemBytes, stream, true);
}

/* Whether the attributes ask for a cooperative launch; false with an error for what the board
 * lacks. */
static hipError_t read_attributes(const hipLaunchAttribute_st *attrs, unsigned count,
                                  bool *cooperative) {
    *cooperative = false;
    if (count && !attrs) return emu_fail(hipErrorInvalidValue, "no attributes");
    for (unsigned i = 0; i < count; i++) {
        if (attrs[i].id == hipLaunchAttributeCooperative)
            *cooperative = attrs[i].value.cooperative != 0;
        if (attrs[i].id == hipLaunchAttributeClusterDimension)
            return emu_fail(hipErrorNotSupported, "gfx1100 has no workgroup clusters");
    }
    return hipSuccess; /* the others are hints */
}

hipError_t emu_hipLaunchKernelExC(const hipLaunchConfig_st *config, const void *fPtr, void **args) {
    bool cooperative;
    if (!config) return emu_fail(hipErrorInvalidConfiguration, "no configuration");
    hipError_t error = read_attributes(config->attrs, config->numAttrs, &cooperative);
    if (error) return error;
    return by_symbol(fPtr, config->gridDim, config->blockDim, args, config->dynamicSmemBytes,
                     config->stream, cooperative);
}

hipError_t emu_hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG_st *config, hipFunction_t f,
                                    void **params, void **extra) {
    bool cooperative;
    emu_function *function = emu_function_of(f);
    if (!config || !function)
        return emu_fail(hipErrorInvalidValue, "no configuration or no kernel");
    hipError_t error = read_attributes(config->attrs, config->numAttrs, &cooperative);
    if (error) return error;
    const uint32_t groups[] = {config->gridDimX, config->gridDimY, config->gridDimZ};
    const uint32_t items[] = {config->blockDimX, config->blockDimY, config->blockDimZ};
    emu_shape shape = emu_shape_of(groups, items, config->sharedMemBytes, cooperative);
    return submit(function, &shape, config->hStream, params, extra);
}

hipError_t emu_hipGetFuncBySymbol(hipFunction_t *functionPtr, const void *symbolPtr) {
    hipError_t error;
    if (!functionPtr) return emu_fail(hipErrorInvalidValue, "no function");
    *functionPtr = (hipFunction_t)(void *)emu_function_by_symbol(symbolPtr, &error);
    return *functionPtr ? hipSuccess : error;
}
