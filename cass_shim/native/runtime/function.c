/* Functions: attributes and occupancy. */
#include <string.h>

#include "driver/function.h"
#include "driver/shared.h"
#include "runtime/runtime.h"

/* Enters and finds the kernel, or returns from the body. */
#define KERNEL(device, kernel, function)                                                           \
    ENTER(device);                                                                                 \
    cass_kernel *kernel;                                                                           \
    TRY(device, cass_find_kernel(function, &kernel))

cudaError_t cass_cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func) {
    if (!attr) return cudaErrorInvalidValue;
    KERNEL(device, kernel, func);
    struct cudaFuncAttributes all = {
        .sharedSizeBytes = cass_static_shared(kernel),
        .constSizeBytes = kernel->info->const_bytes,
        .localSizeBytes = kernel->info->local_bytes,
        .maxThreadsPerBlock = kernel->most_threads,
        .numRegs = (int)kernel->info->registers,
        .ptxVersion = (int)kernel->info->sm,
        .binaryVersion = (int)kernel->info->sm,
        .maxDynamicSharedSizeBytes = kernel->dynamic_limit,
        .preferredShmemCarveout = kernel->carveout,
    };
    int older = cass_caller_now()->version < 12000;
    memcpy(attr, &all, older ? sizeof(struct cudaFuncAttributes_v11) : sizeof all);
    return cudaSuccess;
}

cudaError_t cass_cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value) {
    if (!func && !attr) return cudaErrorInvalidValue;
    KERNEL(device, kernel, func);
    return DONE(device, cass_function_set(kernel, (int)attr, value));
}

cudaError_t cass_cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig) {
    KERNEL(device, kernel, func);
    if ((unsigned)cacheConfig > cudaFuncCachePreferEqual) return cudaErrorInvalidValue;
    kernel->cache_config = (int)cacheConfig;
    return cudaSuccess;
}

cudaError_t cass_cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config) {
    KERNEL(device, kernel, func);
    (void)kernel;
    return (unsigned)config > cudaSharedMemBankSizeEightByte ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cass_cudaFuncGetName(const char **name, const void *func) {
    if (!name) return cudaErrorInvalidValue;
    KERNEL(device, kernel, func);
    *name = kernel->info->name;
    return cudaSuccess;
}

cudaError_t cass_cudaFuncGetParamCount(const void *func, size_t *paramCount) {
    KERNEL(device, kernel, func);
    if (!paramCount) return cudaErrorInvalidValue;
    *paramCount = kernel->info->param_count;
    return cudaSuccess;
}

cudaError_t cass_cudaFuncGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset,
                                      size_t *paramSize) {
    KERNEL(device, kernel, func);
    return DONE(device, cass_function_parameter(kernel, paramIndex, paramOffset, paramSize));
}

cudaError_t cass_cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
                                                               int blockSize,
                                                               size_t dynamicSMemSize) {
    KERNEL(device, kernel, func);
    return DONE(device, cass_occupancy(kernel, device, blockSize, dynamicSMemSize, numBlocks));
}

cudaError_t cass_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *numBlocks, const void *func, int blockSize, size_t dynamicSMemSize, unsigned int flags) {
    if (flags > 1) return cudaErrorInvalidValue;
    return cass_cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, func, blockSize,
                                                              dynamicSMemSize);
}

cudaError_t cass_cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize,
                                                           const void *func, int numBlocks,
                                                           int blockSize) {
    KERNEL(device, kernel, func);
    (void)device;
    return (cudaError_t)cass_available_shared(kernel, numBlocks, blockSize, dynamicSmemSize);
}
