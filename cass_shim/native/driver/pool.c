/* Memory pools: see pool.h. */
#include "driver/pool.h"

#include "driver/capture.h"

enum { PINNED = 1, LOCATION_DEVICE = 1, FIRST_ATTRIBUTE = 1, LAST_ATTRIBUTE = 8 };
enum { RESERVED = 5, RESERVED_MOST = 6 };
enum {
    FILE_DESCRIPTOR = 1,
    KNOWN_HANDLES = 15
}; /* a kind of handle, as all of CUDA, the driver and HIP number it */

int cass_pools_shared(void) {
    return cass_hip.hipMemPoolExportToShareableHandle && cass_hip.hipMemPoolImportPointer;
}

int cass_pool_create(int device, int handle_types, size_t max_bytes, hipMemPool_t *pool) {
    if (!pool || device < 0 || device >= cass_device_count) return INVALID_VALUE;
    if (handle_types & ~KNOWN_HANDLES) return INVALID_VALUE;
    if (handle_types && (handle_types != FILE_DESCRIPTOR || !cass_pools_shared()))
        return NOT_SUPPORTED;
    hipMemPoolProps properties = {.allocation_type = PINNED,
                                  .handle_types = handle_types,
                                  .location = {LOCATION_DEVICE, device},
                                  .max_bytes = max_bytes};
    return HIP_OPTIONAL(hipMemPoolCreate, pool, &properties);
}

int cass_pool_destroy(hipMemPool_t pool) {
    return pool ? HIP_OPTIONAL(hipMemPoolDestroy, pool) : INVALID_VALUE;
}

int cass_pool_default(int device, hipMemPool_t *pool) {
    if (!pool) return INVALID_VALUE;
    if (device < 0 || device >= cass_device_count) return INVALID_DEVICE;
    return HIP_OPTIONAL(hipDeviceGetDefaultMemPool, pool, device);
}

int cass_pool_current(int device, hipMemPool_t *pool) {
    if (!pool) return INVALID_VALUE;
    if (device < 0 || device >= cass_device_count) return INVALID_DEVICE;
    return HIP_OPTIONAL(hipDeviceGetMemPool, pool, device);
}

int cass_pool_choose(int device, hipMemPool_t pool) {
    if (!pool || device < 0 || device >= cass_device_count) return INVALID_VALUE;
    return HIP_OPTIONAL(hipDeviceSetMemPool, device, pool);
}

int cass_pool_trim(hipMemPool_t pool, size_t keep_bytes) {
    return pool ? HIP_OPTIONAL(hipMemPoolTrimTo, pool, keep_bytes) : INVALID_VALUE;
}

int cass_pool_attribute(hipMemPool_t pool, int attribute, void *value, int set) {
    if (!pool || !value || attribute < FIRST_ATTRIBUTE || attribute > LAST_ATTRIBUTE)
        return INVALID_VALUE;
    if (set) return HIP_OPTIONAL(hipMemPoolSetAttribute, pool, attribute, value);
    int result = HIP_OPTIONAL(hipMemPoolGetAttribute, pool, attribute, value);
    if (!result && (attribute == RESERVED || attribute == RESERVED_MOST))
        *(uint64_t *)value = cass_pool_steps(*(uint64_t *)value);
    return result;
}

uint64_t cass_pool_steps(uint64_t bytes) {
    const uint64_t step = 32 << 20;
    return (bytes + step - 1) / step * step;
}

int cass_pool_access(hipMemPool_t pool, int device, int flags, int *flags_out) {
    if (!pool) return INVALID_VALUE;
    if (device < 0 || device >= cass_device_count)
        return flags_out ? INVALID_VALUE : INVALID_DEVICE;
    hipMemAccessDesc access = {{LOCATION_DEVICE, device}, flags};
    if (flags_out) return HIP_OPTIONAL(hipMemPoolGetAccess, flags_out, pool, &access.location);
    return HIP_OPTIONAL(hipMemPoolSetAccess, pool, &access, 1);
}

int cass_pool_malloc(cass_device *device, void **pointer, size_t bytes, hipMemPool_t pool,
                     hipStream_t stream) {
    if (!pointer || !pool) return INVALID_VALUE;
    cass_capture *capture = cass_capturing(stream);
    if (capture) return cass_capture_malloc(capture, pointer, bytes);
    *pointer = NULL;
    if (!bytes) return OK;
    return cass_note(device, HIP_OPTIONAL(hipMallocFromPoolAsync, pointer, bytes, pool, stream));
}
