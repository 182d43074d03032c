/* Managed memory: hints, prefetches and ranges. Host and board share the memory, so a hint is
 * checked and kept as an answer to later queries is not needed by any kernel; queries answer what
 * is true here. */
#include "emulator/hip_calls.h"
#include "emulator/hip_queue.h"
#include "emulator/memory.h"

#include <string.h>

static hipError_t managed(const void *address, size_t count) {
    emu_block block;
    if (!count || !emu_memory_find(address, &block) || block.kind != EMU_MEMORY_MANAGED ||
        !emu_memory_covers(address, count))
        return emu_fail(hipErrorInvalidValue, "%zu bytes at %p are not one managed allocation",
                        count, address);
    return hipSuccess;
}

static hipError_t location_exists(int device) {
    if (device == hipCpuDeviceId || (device >= 0 && device < emu_config.device_count))
        return hipSuccess;
    return emu_fail(hipErrorInvalidDevice, "device %d does not exist", device);
}

hipError_t emu_hipMemAdvise(const void *dev_ptr, size_t count, hipMemoryAdvise advice, int device) {
    hipError_t error = managed(dev_ptr, count);
    bool known = (advice >= hipMemAdviseSetReadMostly && advice <= hipMemAdviseUnsetAccessedBy) ||
                 advice == hipMemAdviseSetCoarseGrain || advice == hipMemAdviseUnsetCoarseGrain;
    if (!error && !known) error = emu_fail(hipErrorInvalidValue, "advice %d", (int)advice);
    bool placed =
        advice >= hipMemAdviseSetPreferredLocation && advice <= hipMemAdviseUnsetAccessedBy;
    return error || !placed ? error : location_exists(device);
}

hipError_t emu_hipMemAdvise_v2(const void *dev_ptr, size_t count, hipMemoryAdvise advice,
                               hipMemLocation location) {
    return emu_hipMemAdvise(dev_ptr, count, advice,
                            location.type == hipMemLocationTypeDevice ? location.id
                                                                      : hipCpuDeviceId);
}

hipError_t emu_hipMemPrefetchAsync(const void *dev_ptr, size_t count, int device,
                                   hipStream_t handle) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    hipError_t error = managed(dev_ptr, count);
    return error ? error : location_exists(device);
}

hipError_t emu_hipMemPrefetchAsync_v2(const void *dev_ptr, size_t count, hipMemLocation location,
                                      unsigned int flags, hipStream_t stream) {
    if (flags) return emu_fail(hipErrorInvalidValue, "flags %#x", flags);
    int device = location.type == hipMemLocationTypeDevice ? location.id : hipCpuDeviceId;
    return emu_hipMemPrefetchAsync(dev_ptr, count, device, stream);
}

hipError_t emu_hipStreamAttachMemAsync(hipStream_t handle, void *dev_ptr, size_t length,
                                       unsigned int flags) {
    if (!emu_stream_of(handle)) return hipErrorInvalidHandle;
    if (flags != hipMemAttachGlobal && flags != hipMemAttachHost && flags != hipMemAttachSingle)
        return emu_fail(hipErrorInvalidValue, "flags %#x", flags);
    return managed(dev_ptr, length ? length : 1);
}

hipError_t emu_hipMemRangeGetAttribute(void *data, size_t data_size, hipMemRangeAttribute attribute,
                                       const void *dev_ptr, size_t count) {
    hipError_t error = managed(dev_ptr, count);
    if (error) return error;
    if (!data || data_size < sizeof(int) || data_size % sizeof(int))
        return emu_fail(hipErrorInvalidValue, "a result of %zu bytes", data_size);
    int *values = data;
    size_t room = data_size / sizeof(int);
    for (size_t i = 0; i < room; i++) values[i] = hipInvalidDeviceId;
    switch ((int)attribute) {
    case hipMemRangeAttributeReadMostly:
        values[0] = 0;
        return hipSuccess;
    case hipMemRangeAttributePreferredLocation:
    case hipMemRangeAttributeLastPrefetchLocation:
        return hipSuccess; /* nowhere in particular */
    case hipMemRangeAttributeAccessedBy:
        for (size_t i = 0; i < room && i < (size_t)emu_config.device_count; i++) values[i] = (int)i;
        return hipSuccess;
    case hipMemRangeAttributeCoherencyMode:
        values[0] = hipMemRangeCoherencyModeFineGrain;
        return hipSuccess;
    default:
        return emu_fail(hipErrorInvalidValue, "range attribute %d", (int)attribute);
    }
}

hipError_t emu_hipMemRangeGetAttributes(void **data, size_t *data_sizes,
                                        hipMemRangeAttribute *attributes, size_t num_attributes,
                                        const void *dev_ptr, size_t count) {
    if (!data || !data_sizes || !attributes) return emu_fail(hipErrorInvalidValue, "no results");
    hipError_t error = hipSuccess;
    for (size_t i = 0; i < num_attributes && !error; i++)
        error = emu_hipMemRangeGetAttribute(data[i], data_sizes[i], attributes[i], dev_ptr, count);
    return error;
}

/* Which pool an allocation type uses; only pinned memory of a device has pools. */
static hipError_t location_device(const hipMemLocation *location, hipMemAllocationType type,
                                  int *device) {
    if (!location || location->type != hipMemLocationTypeDevice ||
        type != hipMemAllocationTypePinned)
        return emu_fail(hipErrorInvalidValue, "only pinned memory of a device has a pool");
    *device = location->id;
    return hipSuccess;
}

hipError_t emu_hipMemGetDefaultMemPool(hipMemPool_t *memPool, hipMemLocation *location,
                                       hipMemAllocationType type) {
    int device = 0;
    hipError_t error = location_device(location, type, &device);
    return error ? error : emu_hipDeviceGetDefaultMemPool(memPool, device);
}

hipError_t emu_hipMemGetMemPool(hipMemPool_t *pool, hipMemLocation *location,
                                hipMemAllocationType type) {
    int device = 0;
    hipError_t error = location_device(location, type, &device);
    return error ? error : emu_hipDeviceGetMemPool(pool, device);
}

hipError_t emu_hipMemSetMemPool(hipMemLocation *location, hipMemAllocationType type,
                                hipMemPool_t pool) {
    int device = 0;
    hipError_t error = location_device(location, type, &device);
    return error ? error : emu_hipDeviceSetMemPool(device, pool);
}
