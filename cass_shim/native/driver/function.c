/* What a program may ask and set of a kernel: see function.h. */
#include "driver/function.h"

#include "driver/launch.h"
#include "driver/properties.h"
#include "driver/shared.h"

enum { /* CUfunction_attribute */
       MAX_THREADS = 0,
       SHARED_BYTES = 1,
       CONST_BYTES = 2,
       LOCAL_BYTES = 3,
       REGISTERS = 4,
       PTX_VERSION = 5,
       BINARY_VERSION = 6,
       CACHE_MODE = 7,
       MAX_DYNAMIC_SHARED = 8,
       CARVEOUT = 9,
       CLUSTER_MUST_BE_SET = 10,
       NON_PORTABLE_CLUSTER = 14,
       CLUSTER_POLICY = 15
};

int cass_function_set(cass_kernel *kernel, int attribute, int value) {
    switch (attribute) {
    case MAX_DYNAMIC_SHARED:
        if (value < 0 || (size_t)value > cass_dynamic_room(kernel)) return INVALID_VALUE;
        kernel->dynamic_limit = value;
        return OK;
    case CARVEOUT:
        if (value < -1 || value > 100) return INVALID_VALUE;
        kernel->carveout = value;
        return OK;
    case NON_PORTABLE_CLUSTER:
        kernel->non_portable_clusters = value != 0;
        return OK;
    case CLUSTER_POLICY:
        return value < 0 || value > 2 ? INVALID_VALUE : OK;
    default:
        return INVALID_VALUE;
    }
}

int cass_function_get(cass_kernel *kernel, int attribute, int *value) {
    const cass_kernel_info *info = kernel->info;
    if (!value) return INVALID_VALUE;
    switch (attribute) {
    case MAX_THREADS:
        *value = kernel->most_threads;
        break;
    case SHARED_BYTES:
        *value = (int)cass_static_shared(kernel);
        break;
    case CONST_BYTES:
        *value = (int)info->const_bytes;
        break;
    case LOCAL_BYTES:
        *value = (int)info->local_bytes;
        break;
    case REGISTERS:
        *value = (int)info->registers;
        break;
    case PTX_VERSION:
    case BINARY_VERSION:
        *value = (int)info->sm;
        break;
    case MAX_DYNAMIC_SHARED:
        *value = kernel->dynamic_limit;
        break;
    case CARVEOUT:
        *value = kernel->carveout;
        break;
    case NON_PORTABLE_CLUSTER:
        *value = kernel->non_portable_clusters;
        break;
    default:
        if (attribute < CACHE_MODE || attribute > CLUSTER_POLICY) return INVALID_VALUE;
        *value = 0; /* no cache mode, no clusters */
    }
    return OK;
}

int cass_function_parameter(const cass_kernel *kernel, size_t index, size_t *offset,
                            size_t *bytes) {
    if (index >= kernel->info->param_count) return INVALID_VALUE;
    if (offset) *offset = kernel->info->params[index].offset;
    if (bytes) *bytes = kernel->info->params[index].size;
    return OK;
}

int cass_available_shared(const cass_kernel *kernel, int blocks, int threads, size_t *bytes) {
    if (!bytes || blocks <= 0 || threads <= 0) return INVALID_VALUE;
    if (threads > kernel->most_threads || blocks * ((threads + 31) / 32) * 32 > CASS_SM_THREADS)
        return INVALID_VALUE;
    size_t each = (size_t)CASS_SM_SHARED / (size_t)blocks, used = CASS_RESERVED_SHARED;
    each &= ~(size_t)127;
    used += cass_static_shared(kernel);
    *bytes = each > used ? each - used : 0;
    if (*bytes > cass_dynamic_room(kernel)) *bytes = cass_dynamic_room(kernel);
    return OK;
}

int cass_best_block(cass_kernel *kernel, cass_device *device, size_t (*shared_of)(int),
                    size_t shared_bytes, int limit, int *grid, int *block) {
    int most = kernel->most_threads, best = 0, best_blocks = 0, most_warps = 0;
    if (limit && limit < most) most = limit;
    for (int tried = (most + 31) / 32 * 32; tried > 0; tried -= 32) {
        int size = tried < most ? tried : most, blocks;
        int result = cass_occupancy(kernel, device, size,
                                    shared_of ? shared_of(size) : shared_bytes, &blocks);
        if (result) return result;
        int warps = blocks * ((size + 31) / 32);
        if (warps > most_warps) { /* an H200's driver counts warps, not threads: recorded */
            most_warps = warps;
            best = size;
            best_blocks = blocks;
        }
    }
    *block = best;
    *grid = best_blocks * cass_attribute_value(device, CASS_ATTRIBUTE_MULTIPROCESSORS);
    return OK;
}
