/* What a kernel is and how much of it fits: attributes and occupancy. */
#include "emulator/hip_calls.h"
#include "emulator/hip_launch.h"
#include "emulator/hip_register.h"

#define LDS_LIMIT 65536u

static uint32_t thread_limit(const emu_function *function) {
    return function->max_threads ? function->max_threads : 1024;
}

static hipError_t attribute(int *value, hipFunction_attribute attrib,
                            const emu_function *function) {
    switch (attrib) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = (int)thread_limit(function);
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)function->lds_bytes;
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)function->scratch_bytes;
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS:
        *value = (int)function->vgprs;
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = 110;
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = (int)(function->max_dynamic_lds ? function->max_dynamic_lds
                                                 : LDS_LIMIT - function->lds_bytes);
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = 0;
        return hipSuccess;
    default:
        return emu_fail(hipErrorInvalidValue, "kernel attribute %d does not exist", (int)attrib);
    }
}

hipError_t emu_hipFuncGetAttribute(int *value, hipFunction_attribute attrib, hipFunction_t hfunc) {
    emu_function *function = emu_function_of(hfunc);
    if (!function) return hipErrorInvalidDeviceFunction;
    return value ? attribute(value, attrib, function) : emu_fail(hipErrorInvalidValue, "no value");
}

hipError_t emu_hipFuncGetAttributes(hipFuncAttributes *attr, const void *func) {
    hipError_t error;
    emu_function *function = emu_function_by_symbol(func, &error);
    if (!function) return error;
    if (!attr) return emu_fail(hipErrorInvalidValue, "no attributes");
    *attr = (hipFuncAttributes){.binaryVersion = 110,
                                .ptxVersion = 110,
                                .localSizeBytes = function->scratch_bytes,
                                .sharedSizeBytes = function->lds_bytes,
                                .maxThreadsPerBlock = (int)thread_limit(function),
                                .numRegs = (int)function->vgprs};
    return attribute(&attr->maxDynamicSharedSizeBytes,
                     HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function);
}

hipError_t emu_hipFuncSetAttribute(const void *func, hipFuncAttribute attr, int value) {
    hipError_t error;
    emu_function *function = emu_function_by_symbol(func, &error);
    if (!function) return error;
    if (attr == hipFuncAttributePreferredSharedMemoryCarveout)
        return hipSuccess; /* no cache to carve */
    if (attr != hipFuncAttributeMaxDynamicSharedMemorySize)
        return emu_fail(hipErrorInvalidValue, "kernel attribute %d cannot be set", (int)attr);
    if (value < 0 || (uint32_t)value > LDS_LIMIT - function->lds_bytes)
        return emu_fail(hipErrorInvalidValue, "%d bytes of dynamic LDS, at most %u", value,
                        LDS_LIMIT - function->lds_bytes);
    function->max_dynamic_lds = (uint32_t)value;
    return hipSuccess;
}

hipError_t emu_hipFuncSetCacheConfig(const void *func, hipFuncCache_t config) {
    hipError_t error;
    (void)config; /* caches are not modelled */
    return emu_function_by_symbol(func, &error) ? hipSuccess : error;
}

hipError_t emu_hipFuncSetSharedMemConfig(const void *func, hipSharedMemConfig config) {
    hipError_t error;
    (void)config;
    return emu_function_by_symbol(func, &error) ? hipSuccess : error;
}

static hipError_t active(int *count, const emu_function *function, int block, size_t dynamic) {
    if (!count || block <= 0)
        return emu_fail(hipErrorInvalidValue, "no result, or workgroups of %d", block);
    bool fits = (uint32_t)block <= thread_limit(function);
    *count = fits ? (int)emu_resident_groups(function, (uint32_t)block, dynamic) : 0;
    return hipSuccess;
}

/* The workgroup size with the most resident work-items; the larger of equals, as CUDA's calculator
 * has it. */
static hipError_t best(int *grid, int *block, const emu_function *function, size_t dynamic,
                       int limit) {
    if (!grid || !block) return emu_fail(hipErrorInvalidValue, "no result");
    uint32_t most = 0, top = thread_limit(function);
    if (limit > 0 && (uint32_t)limit < top) top = (uint32_t)limit;
    *grid = *block = 0;
    for (uint32_t items = top; items > 0; items = items > 32 ? (items - 1) / 32 * 32 : 0) {
        uint32_t groups = emu_resident_groups(function, items, dynamic);
        if (groups * items <= most) continue;
        most = groups * items;
        *block = (int)items;
        *grid = (int)groups * emu_config.compute_units;
    }
    return hipSuccess;
}

hipError_t emu_hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, hipFunction_t f,
                                                                  int blockSize,
                                                                  size_t dynSharedMemPerBlk) {
    emu_function *function = emu_function_of(f);
    return function ? active(numBlocks, function, blockSize, dynSharedMemPerBlk)
                    : hipErrorInvalidDeviceFunction;
}

hipError_t emu_hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *numBlocks, hipFunction_t f, int blockSize, size_t dynSharedMemPerBlk, unsigned int flags) {
    if (flags > 1) return emu_fail(hipErrorInvalidValue, "flags %#x", flags);
    return emu_hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, f, blockSize,
                                                                  dynSharedMemPerBlk);
}

hipError_t emu_hipOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *f,
                                                            int blockSize,
                                                            size_t dynSharedMemPerBlk) {
    hipError_t error;
    emu_function *function = emu_function_by_symbol(f, &error);
    return function ? active(numBlocks, function, blockSize, dynSharedMemPerBlk) : error;
}

hipError_t emu_hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *f,
                                                                     int blockSize,
                                                                     size_t dynSharedMemPerBlk,
                                                                     unsigned int flags) {
    if (flags > 1) return emu_fail(hipErrorInvalidValue, "flags %#x", flags);
    return emu_hipOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, f, blockSize,
                                                            dynSharedMemPerBlk);
}

hipError_t emu_hipModuleOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize,
                                                       hipFunction_t f, size_t dynSharedMemPerBlk,
                                                       int blockSizeLimit) {
    emu_function *function = emu_function_of(f);
    return function ? best(gridSize, blockSize, function, dynSharedMemPerBlk, blockSizeLimit)
                    : hipErrorInvalidDeviceFunction;
}

hipError_t emu_hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *gridSize, int *blockSize,
                                                                hipFunction_t f,
                                                                size_t dynSharedMemPerBlk,
                                                                int blockSizeLimit,
                                                                unsigned int flags) {
    if (flags > 1) return emu_fail(hipErrorInvalidValue, "flags %#x", flags);
    return emu_hipModuleOccupancyMaxPotentialBlockSize(gridSize, blockSize, f, dynSharedMemPerBlk,
                                                       blockSizeLimit);
}

hipError_t emu_hipOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, const void *f,
                                                 size_t dynSharedMemPerBlk, int blockSizeLimit) {
    hipError_t error;
    emu_function *function = emu_function_by_symbol(f, &error);
    return function ? best(gridSize, blockSize, function, dynSharedMemPerBlk, blockSizeLimit)
                    : error;
}

/* The LDS that is left to each of `numBlocks` workgroups on one compute unit. */
hipError_t emu_hipOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *f,
                                                        int numBlocks, int blockSize) {
    hipError_t error;
    emu_function *function = emu_function_by_symbol(f, &error);
    if (!function) return error;
    if (!dynamicSmemSize || numBlocks <= 0 || blockSize <= 0)
        return emu_fail(hipErrorInvalidValue, "no result, or no workgroups");
    uint32_t share = 2 * LDS_LIMIT / (uint32_t)numBlocks;
    if (share > LDS_LIMIT) share = LDS_LIMIT;
    *dynamicSmemSize = share > function->lds_bytes ? share - function->lds_bytes : 0;
    return hipSuccess;
}

const char *emu_hipKernelNameRef(const hipFunction_t f) {
    emu_function *function = emu_function_of(f);
    return function ? function->name : NULL;
}

const char *emu_hipKernelNameRefByPtr(const void *hostFunction, hipStream_t stream) {
    hipError_t error;
    (void)stream;
    emu_function *function = emu_function_by_symbol(hostFunction, &error);
    return function ? function->name : NULL;
}
