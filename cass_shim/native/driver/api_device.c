/* Driver API: start, devices, errors, versions, entry points, peers. */
#include <stdio.h>
#include <string.h>

#include "driver/api.h"
#include "driver/device.h"
#include "driver/properties.h"

enum { NOT_FOUND = 1, VERSION_TOO_OLD = 2, FLAG_PER_THREAD = 2, FLAG_LEGACY = 1 };

CUresult cass_cuInit(unsigned int Flags) {
    if (Flags) return CUDA_ERROR_INVALID_VALUE;
    return RESULT(cass_start());
}

CUresult cass_cuDriverGetVersion(int *driverVersion) {
    if (!driverVersion) return CUDA_ERROR_INVALID_VALUE;
    *driverVersion = CASS_DRIVER_VERSION;
    return CUDA_SUCCESS;
}

CUresult cass_cuGetErrorName(CUresult error, const char **pStr) {
    if (!pStr) return CUDA_ERROR_INVALID_VALUE;
    *pStr = cass_error_name((int)error, 1);
    return *pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuGetErrorString(CUresult error, const char **pStr) {
    if (!pStr) return CUDA_ERROR_INVALID_VALUE;
    *pStr = cass_error_text((int)error, 1);
    return *pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Programs that probe for a feature take their fallback when its name is not found; with room for a
 * status that is where they are told (recorded). */
CUresult cass_cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                                  CUdriverProcAddressQueryResult *symbolStatus) {
    int status = 0;
    if (!symbol || !pfn || flags > (FLAG_PER_THREAD | FLAG_LEGACY)) return CUDA_ERROR_INVALID_VALUE;
    *pfn = cass_proc_lookup(symbol, cudaVersion, (flags & FLAG_PER_THREAD) != 0, &status);
    if (symbolStatus) *symbolStatus = (CUdriverProcAddressQueryResult)status;
    return *pfn || symbolStatus ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cass_cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags) {
    return cass_cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, NULL);
}

CUresult cass_cuDeviceGetCount(int *count) {
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    STARTED();
    *count = cass_device_count;
    return CUDA_SUCCESS;
}

CUresult cass_cuDeviceGet(CUdevice *device, int ordinal) {
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    KNOWN_DEVICE(ordinal);
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cass_cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev) {
    STARTED();
    return RESULT(cass_attribute(dev, (int)attrib, pi));
}

CUresult cass_cuDeviceGetName(char *name, int len, CUdevice dev) {
    STARTED();
    if (len <= 0) return CUDA_ERROR_INVALID_VALUE;
    return RESULT(cass_device_name(dev, name, (size_t)len));
}

CUresult cass_cuDeviceGetUuid(CUuuid *uuid, CUdevice dev) {
    STARTED();
    return RESULT(cass_device_uuid(dev, (unsigned char *)uuid));
}

CUresult cass_cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev) {
    return cass_cuDeviceGetUuid(uuid, dev);
}

CUresult cass_cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev) {
    STARTED();
    return RESULT(cass_device_memory(dev, bytes));
}

CUresult cass_cuDeviceGetLuid(char *luid, unsigned int *deviceNodeMask, CUdevice dev) {
    KNOWN_DEVICE(dev);
    if (!luid || !deviceNodeMask) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_NOT_SUPPORTED; /* a Windows notion */
}

CUresult cass_cuDeviceComputeCapability(int *major, int *minor, CUdevice dev) {
    KNOWN_DEVICE(dev);
    if (!major || !minor) return CUDA_ERROR_INVALID_VALUE;
    cass_attribute(dev, 75, major);
    return RESULT(cass_attribute(dev, 76, minor));
}

CUresult cass_cuDeviceGetProperties(CUdevprop *prop, CUdevice dev) {
    KNOWN_DEVICE(dev);
    if (!prop) return CUDA_ERROR_INVALID_VALUE;
    const cass_device *device = &cass_devices[dev];
    *prop = (CUdevprop){
        .maxThreadsPerBlock = cass_attribute_value(device, 1),
        .maxThreadsDim = {cass_attribute_value(device, 2), cass_attribute_value(device, 3),
                          cass_attribute_value(device, 4)},
        .maxGridSize = {cass_attribute_value(device, 5), cass_attribute_value(device, 6),
                        cass_attribute_value(device, 7)},
        .sharedMemPerBlock = cass_attribute_value(device, 8),
        .totalConstantMemory = cass_attribute_value(device, 9),
        .SIMDWidth = cass_attribute_value(device, 10),
        .memPitch = cass_attribute_value(device, 11),
        .regsPerBlock = cass_attribute_value(device, 12),
        .clockRate = cass_attribute_value(device, 13),
        .textureAlign = cass_attribute_value(device, 14),
    };
    return CUDA_SUCCESS;
}

CUresult cass_cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev) {
    KNOWN_DEVICE(dev);
    (void)type; /* any (recorded) */
    if (!pi) return CUDA_ERROR_INVALID_VALUE;
    *pi = 0;
    return CUDA_SUCCESS;
}

CUresult cass_cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev) {
    STARTED();
    return RESULT(cass_pci_text(pciBusId, len, dev));
}

CUresult cass_cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId) {
    STARTED();
    return RESULT(cass_pci_find(dev, pciBusId));
}

CUresult cass_cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev) {
    STARTED();
    return RESULT(cass_peer_can(canAccessPeer, dev, peerDev));
}

CUresult cass_cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice,
                                      CUdevice dstDevice) {
    STARTED();
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    int can = 0, result = cass_peer_can(&can, srcDevice, dstDevice);
    if (result) return RESULT(result);
    if (srcDevice == dstDevice) return CUDA_ERROR_INVALID_DEVICE;
    if ((unsigned)attrib < 1 || (unsigned)attrib > 4) return CUDA_ERROR_INVALID_VALUE;
    *value = attrib == CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED ? can : 0;
    return CUDA_SUCCESS;
}

CUresult cass_cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
    ENTER(device);
    cass_context *peer = cass_context_of(peerContext);
    if (!peer) return CUDA_ERROR_INVALID_CONTEXT;
    return DONE(device, cass_peer_enable(device, peer->device, Flags));
}

CUresult cass_cuCtxDisablePeerAccess(CUcontext peerContext) {
    ENTER(device);
    cass_context *peer = cass_context_of(peerContext);
    if (!peer) return CUDA_ERROR_INVALID_CONTEXT;
    return DONE(device, cass_peer_disable(device, peer->device));
}
