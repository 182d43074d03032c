/* Devices: selection, limits, versions; what a board is stands in hip_board.c. */
#include "emulator/hip_calls.h"
#include "emulator/hip_queue.h"
#include "emulator/memory.h"

#include <stdio.h>

/* HIP 7.2: the oldest interface that the supported hip-python releases bind. */
#define HIP_VERSION_NUMBER 70200000

hipError_t emu_hipInit(unsigned int flags) {
    return flags ? emu_fail(hipErrorInvalidValue, "hipInit flags must be 0") : hipSuccess;
}

static hipError_t version(int *into) {
    if (!into) return hipErrorInvalidValue;
    *into = HIP_VERSION_NUMBER;
    return hipSuccess;
}

hipError_t emu_hipDriverGetVersion(int *driverVersion) { return version(driverVersion); }
hipError_t emu_hipRuntimeGetVersion(int *runtimeVersion) { return version(runtimeVersion); }

hipError_t emu_hipGetDeviceCount(int *count) {
    if (!count) return emu_fail(hipErrorInvalidValue, "no count");
    *count = emu_config.device_count;
    return hipSuccess;
}

static hipError_t check_device(int device) {
    if (device >= 0 && device < emu_config.device_count) return hipSuccess;
    return emu_fail(hipErrorInvalidDevice, "device %d does not exist, there are %d", device,
                    emu_config.device_count);
}

hipError_t emu_hipDeviceGet(hipDevice_t *device, int ordinal) {
    if (!device) return emu_fail(hipErrorInvalidValue, "no device");
    hipError_t error = check_device(ordinal);
    if (!error) *device = ordinal;
    return error;
}

hipError_t emu_hipSetDevice(int deviceId) {
    hipError_t error = check_device(deviceId);
    if (!error) emu_me.device = deviceId;
    return error;
}

hipError_t emu_hipGetDevice(int *deviceId) {
    if (!deviceId) return emu_fail(hipErrorInvalidValue, "no device");
    *deviceId = emu_me.device;
    return hipSuccess;
}

hipError_t emu_hipSetValidDevices(int *device_arr, int len) {
    for (int i = 0; i < len && device_arr; i++) {
        hipError_t error = check_device(device_arr[i]);
        if (error) return error;
    }
    if (device_arr && len > 0) emu_me.device = device_arr[0];
    return hipSuccess;
}

hipError_t emu_hipChooseDeviceR0600(int *device, const hipDeviceProp_t *prop) {
    if (!device || !prop) return emu_fail(hipErrorInvalidValue, "no device or no properties");
    *device = 0; /* every emulated board is the same */
    return hipSuccess;
}

hipError_t emu_hipDeviceGetName(char *name, int len, hipDevice_t device) {
    if (!name || len <= 0) return emu_fail(hipErrorInvalidValue, "no room for a name");
    hipError_t error = check_device(device);
    if (!error) snprintf(name, (size_t)len, "%s", EMU_BOARD);
    return error;
}

hipError_t emu_hipDeviceGetUuid(hipUUID_t *uuid, hipDevice_t device) {
    hipDeviceProp_t prop;
    if (!uuid) return emu_fail(hipErrorInvalidValue, "no uuid");
    hipError_t error = emu_hipGetDevicePropertiesR0600(&prop, device);
    if (!error) *uuid = prop.uuid;
    return error;
}

hipError_t emu_hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device) {
    if (!major || !minor) return emu_fail(hipErrorInvalidValue, "no version");
    *major = 11;
    *minor = 0;
    return check_device(device);
}

hipError_t emu_hipDeviceTotalMem(size_t *bytes, hipDevice_t device) {
    if (!bytes) return emu_fail(hipErrorInvalidValue, "no size");
    *bytes = emu_config.memory_bytes;
    return check_device(device);
}

hipError_t emu_hipDeviceGetPCIBusId(char *pciBusId, int len, int device) {
    hipError_t error = check_device(device);
    if (error) return error;
    if (!pciBusId || len < 13) return emu_fail(hipErrorInvalidValue, "a PCI bus id takes 13 bytes");
    snprintf(pciBusId, (size_t)len, "0000:%02x:00.0", 3 + device);
    return hipSuccess;
}

hipError_t emu_hipDeviceGetByPCIBusId(int *device, const char *pciBusId) {
    unsigned domain = 0, bus = 0;
    if (!device || !pciBusId) return emu_fail(hipErrorInvalidValue, "no device or no bus id");
    bool long_form = sscanf(pciBusId, "%x:%x:", &domain, &bus) == 2;
    if (!long_form || domain || check_device((int)bus - 3))
        return emu_fail(hipErrorInvalidValue, "no device at PCI bus %.40s", pciBusId);
    *device = (int)bus - 3;
    return hipSuccess;
}

hipError_t emu_hipDeviceSynchronize(void) { return emu_wait_device(emu_current()); }

hipError_t emu_hipDeviceSetLimit(hipLimit_t limit, size_t value) {
    if ((int)limit < 0 || limit >= hipLimitRange)
        return emu_fail(hipErrorUnsupportedLimit, "limit %d", (int)limit);
    emu_current()->limits[limit] = value;
    return hipSuccess;
}

hipError_t emu_hipDeviceGetLimit(size_t *pValue, hipLimit_t limit) {
    if (!pValue) return emu_fail(hipErrorInvalidValue, "no value");
    if ((int)limit < 0 || limit >= hipLimitRange)
        return emu_fail(hipErrorUnsupportedLimit, "limit %d", (int)limit);
    *pValue = emu_current()->limits[limit];
    return hipSuccess;
}

hipError_t emu_hipDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
    if (leastPriority) *leastPriority = 1;
    if (greatestPriority) *greatestPriority = -1;
    return hipSuccess;
}

hipError_t emu_hipSetDeviceFlags(unsigned int flags) {
    emu_current()->flags = flags;
    return hipSuccess;
}

hipError_t emu_hipGetDeviceFlags(unsigned int *flags) {
    if (!flags) return emu_fail(hipErrorInvalidValue, "no flags");
    *flags = emu_current()->flags | hipDeviceMapHost;
    return hipSuccess;
}

/* Caches and banks are not modelled: any preference is accepted, none changes anything. */
hipError_t emu_hipDeviceSetCacheConfig(hipFuncCache_t cacheConfig) {
    (void)cacheConfig;
    return hipSuccess;
}

hipError_t emu_hipDeviceGetCacheConfig(hipFuncCache_t *cacheConfig) {
    if (!cacheConfig) return emu_fail(hipErrorInvalidValue, "no value");
    *cacheConfig = hipFuncCachePreferNone;
    return hipSuccess;
}

hipError_t emu_hipDeviceGetSharedMemConfig(hipSharedMemConfig *pConfig) {
    if (!pConfig) return emu_fail(hipErrorInvalidValue, "no value");
    *pConfig = hipSharedMemBankSizeFourByte;
    return hipSuccess;
}

hipError_t emu_hipDeviceSetSharedMemConfig(hipSharedMemConfig config) {
    (void)config;
    return hipSuccess;
}
