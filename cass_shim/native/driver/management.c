/* The devices as libnvidia-ml.so.1 shows them: see shim/management.h. */
#include "shim/management.h"

#include "driver/properties.h"
#include "driver/state.h"

static int count(int *devices) {
    int result = cass_start();
    *devices = result ? 0 : cass_device_count;
    return result == NO_DEVICE ? OK : result;
}

/* HIP answers for the calling thread's device; the thread gets its own back. */
static int memory(int device, size_t *free_bytes, size_t *total_bytes) {
    if (device < 0 || device >= cass_device_count) return INVALID_DEVICE;
    int before = cass_thread.hip_device ? cass_thread.hip_device - 1 : 0;
    int result = HIP(hipSetDevice, device);
    if (!result) result = HIP(hipMemGetInfo, free_bytes, total_bytes);
    int back = HIP(hipSetDevice, before);
    return result ? result : back;
}

static int active(int device) {
    return device >= 0 && device < cass_device_count && cass_devices[device].primary.active;
}

const cass_management cass_management_1 = {
    .count = count,
    .name = cass_device_name,
    .uuid = cass_device_uuid,
    .attribute = cass_attribute,
    .memory = memory,
    .active = active,
};
