/* Devices: choice, properties, limits, peers, reset, versions. */
#include "driver/device.h"

#include "driver/capture.h"
#include "driver/copy.h"
#include "driver/limits.h"
#include "driver/properties.h"
#include "driver/stream.h"
#include "runtime/runtime.h"

/* Starts without making a context, for calls that only ask. */
#define START()                                                                                    \
    do {                                                                                           \
        int started = cass_start();                                                                \
        if (started) return (cudaError_t)started;                                                  \
    } while (0)

cudaError_t cass_cudaGetDeviceCount(int *count) {
    if (!count) return cudaErrorInvalidValue;
    *count = 0;
    if (!cass_is_forked_child()) START(); /* a forked child gets the parent's answer: recorded */
    *count = cass_device_count;
    return cudaSuccess;
}

cudaError_t cass_cudaSetDevice(int device) {
    START();
    if (device < 0 || device >= cass_device_count) return cudaErrorInvalidDevice;
    cass_thread.device = device;
    atomic_store(&cass_devices[device].primary.active, 1);
    return (cudaError_t)cass_set_current(&cass_devices[device].primary);
}

cudaError_t cass_cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags) {
    START();
    if (device < 0 || device >= cass_device_count) return cudaErrorInvalidDevice;
    if (!cass_device_flags_valid(deviceFlags)) return cudaErrorInvalidValue;
    if (flags & 1) cass_devices[device].primary.flags = deviceFlags;
    return cudaSuccess;
}

cudaError_t cass_cudaGetDevice(int *device) {
    START();
    if (!device) return cudaErrorInvalidValue;
    *device = cass_thread.current ? cass_thread.current->device : cass_thread.device;
    return cudaSuccess;
}

cudaError_t cass_cudaSetValidDevices(int *device_arr, int len) {
    START();
    if (len < 0 || (len && !device_arr)) return cudaErrorInvalidValue;
    for (int i = 0; i < len; i++)
        if (device_arr[i] < 0 || device_arr[i] >= cass_device_count) return cudaErrorInvalidDevice;
    if (len && !cass_thread.current) cass_thread.device = device_arr[0];
    return cudaSuccess;
}

cudaError_t cass_cudaSetDeviceFlags(unsigned int flags) {
    START();
    if (!cass_device_flags_valid(flags)) return cudaErrorInvalidValue;
    int device = cass_thread.current ? cass_thread.current->device : cass_thread.device;
    cass_devices[device].primary.flags = flags;
    return cudaSuccess;
}

cudaError_t cass_cudaGetDeviceFlags(unsigned int *flags) {
    START();
    if (!flags) return cudaErrorInvalidValue;
    int device = cass_thread.current ? cass_thread.current->device : cass_thread.device;
    *flags = cass_devices[device].primary.flags | 8; /* host memory is always mapped: recorded */
    return cudaSuccess;
}

cudaError_t cass_cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device) {
    START();
    return (cudaError_t)cass_attribute(device, (int)attr, value);
}

cudaError_t cass_cudaDeviceSynchronize(void) {
    ENTER(device);
    int forbidden = cass_capture_forbids();
    if (forbidden) return (cudaError_t)forbidden;
    return (cudaError_t)cass_wait_device(device);
}

cudaError_t cass_cudaDeviceReset(void) {
    START();
    int device = cass_thread.current ? cass_thread.current->device : cass_thread.device;
    return (cudaError_t)cass_device_reset(device);
}

cudaError_t cass_cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit) {
    ENTER(device);
    return (cudaError_t)cass_limit_get(device, (int)limit, pValue);
}

cudaError_t cass_cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    ENTER(device);
    return (cudaError_t)cass_limit_set(device, (int)limit, value);
}

cudaError_t cass_cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig) {
    ENTER(device);
    if (!pCacheConfig) return cudaErrorInvalidValue;
    *pCacheConfig = (enum cudaFuncCache)device->primary.cache_config;
    return cudaSuccess;
}

cudaError_t cass_cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig) {
    ENTER(device);
    if ((unsigned)cacheConfig > cudaFuncCachePreferEqual) return cudaErrorInvalidValue;
    device->primary.cache_config = (int)cacheConfig;
    return cudaSuccess;
}

cudaError_t cass_cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *pConfig) {
    ENTER(device);
    (void)device;
    if (!pConfig) return cudaErrorInvalidValue;
    *pConfig = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

cudaError_t cass_cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
    ENTER(device);
    (void)device;
    return (unsigned)config > cudaSharedMemBankSizeEightByte ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cass_cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
    ENTER(device);
    (void)device;
    if (leastPriority) *leastPriority = CASS_LOWEST_PRIORITY;
    if (greatestPriority) *greatestPriority = CASS_HIGHEST_PRIORITY;
    return cudaSuccess;
}

cudaError_t cass_cudaDeviceGetPCIBusId(char *pciBusId, int len, int device) {
    START();
    return (cudaError_t)cass_pci_text(pciBusId, len, device);
}

cudaError_t cass_cudaDeviceGetByPCIBusId(int *device, const char *pciBusId) {
    START();
    return (cudaError_t)cass_pci_find(device, pciBusId);
}

cudaError_t cass_cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice) {
    START();
    return (cudaError_t)cass_peer_can(canAccessPeer, device, peerDevice);
}

cudaError_t cass_cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags) {
    ENTER(device);
    return (cudaError_t)cass_peer_enable(device, peerDevice, flags);
}

cudaError_t cass_cudaDeviceDisablePeerAccess(int peerDevice) {
    ENTER(device);
    return (cudaError_t)cass_peer_disable(device, peerDevice);
}

cudaError_t cass_cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int srcDevice,
                                           int dstDevice) {
    START();
    if (!value) return cudaErrorInvalidValue;
    int can = 0, result = cass_peer_can(&can, srcDevice, dstDevice);
    if (result || srcDevice == dstDevice)
        return result ? (cudaError_t)result : cudaErrorInvalidDevice;
    if ((unsigned)attr < 1 || (unsigned)attr > 4) return cudaErrorInvalidValue;
    *value = attr == cudaDevP2PAttrAccessSupported ? can : 0;
    return cudaSuccess;
}

cudaError_t cass_cudaRuntimeGetVersion(int *runtimeVersion) {
    if (!runtimeVersion) return cudaErrorInvalidValue;
    *runtimeVersion = (int)cass_caller_now()->version;
    return cudaSuccess;
}

cudaError_t cass_cudaDriverGetVersion(int *driverVersion) {
    if (!driverVersion) return cudaErrorInvalidValue;
    *driverVersion = CASS_DRIVER_VERSION;
    return cudaSuccess;
}

/* No profiler: what it would write, and where, changes nothing. */
cudaError_t cass_cudaProfilerInitialize(const char *configFile, const char *outputFile,
                                        cudaOutputMode_t outputMode) {
    (void)configFile, (void)outputFile;
    return (unsigned)outputMode > cudaCSV ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cass_cudaProfilerStart(void) { return cudaSuccess; }
cudaError_t cass_cudaProfilerStop(void) { return cudaSuccess; }

/* For devices without doubles, before compute capability 1.3: nothing is converted on any other. */
cudaError_t cass_cudaSetDoubleForDevice(double *d) {
    (void)d;
    return cudaSuccess;
}

cudaError_t cass_cudaSetDoubleForHost(double *d) { return d ? cudaSuccess : cudaErrorInvalidValue; }

cudaError_t cass_cudaCtxResetPersistingL2Cache(void) {
    ENTER(device);
    (void)device;
    return cudaSuccess;
}

cudaError_t cass_cudaThreadExit(void) { return cass_cudaDeviceReset(); }
cudaError_t cass_cudaThreadSynchronize(void) { return cass_cudaDeviceSynchronize(); }

cudaError_t cass_cudaThreadGetLimit(size_t *pValue, enum cudaLimit limit) {
    return cass_cudaDeviceGetLimit(pValue, limit);
}

cudaError_t cass_cudaThreadSetLimit(enum cudaLimit limit, size_t value) {
    return cass_cudaDeviceSetLimit(limit, value);
}

cudaError_t cass_cudaThreadGetCacheConfig(enum cudaFuncCache *pCacheConfig) {
    return cass_cudaDeviceGetCacheConfig(pCacheConfig);
}

cudaError_t cass_cudaThreadSetCacheConfig(enum cudaFuncCache cacheConfig) {
    return cass_cudaDeviceSetCacheConfig(cacheConfig);
}
