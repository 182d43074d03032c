/* The board: properties, attributes, limits, selection, versions. */
#include "emulator/hip_calls.h"
#include "emulator/hip_queue.h"
#include "emulator/memory.h"

#include <stdio.h>
#include <string.h>

/* HIP 7.2: the oldest interface that the supported hip-python releases bind. */
#define HIP_VERSION_NUMBER 70200000
#define BOARD "AMD Radeon RX 7900 XTX (emulated)"

/* Figures of the Radeon RX 7900 XTX as ROCm reports them; compute units (as WGPs) and memory come
 * from the settings. Source: AMD's RDNA3 ISA manual and LLVM AMDGPUUsage for limits that code
 * depends on. */
hipError_t emu_hipGetDevicePropertiesR0600(hipDeviceProp_t *prop, int deviceId) {
    if (!prop) return emu_fail(hipErrorInvalidValue, "no properties");
    if (deviceId < 0 || deviceId >= emu_config.device_count)
        return emu_fail(hipErrorInvalidDevice, "device %d does not exist", deviceId);
    *prop = (hipDeviceProp_t){
        .totalGlobalMem = emu_config.memory_bytes,
        .sharedMemPerBlock = 65536,
        .regsPerBlock = 65536,
        .warpSize = 32,
        .memPitch = 0x7fffffff,
        .maxThreadsPerBlock = 1024,
        .maxThreadsDim = {1024, 1024, 1024},
        .maxGridSize = {0x7fffffff, 65535, 65535},
        .clockRate = 2482000,
        .totalConstMem = 0x7fffffff,
        .major = 11,
        .minor = 0,
        .textureAlignment = 256,
        .texturePitchAlignment = 256,
        .deviceOverlap = 1,
        .multiProcessorCount = emu_config.compute_units,
        .canMapHostMemory = 1,
        .maxTexture1D = 16384,
        .maxTexture1DMipmap = 16384,
        .maxTexture1DLinear = 1 << 27,
        .maxTexture2D = {16384, 16384},
        .maxTexture2DMipmap = {16384, 16384},
        .maxTexture2DLinear = {16384, 16384, 65536},
        .maxTexture2DGather = {16384, 16384},
        .maxTexture3D = {16384, 16384, 8192},
        .maxTexture3DAlt = {16384, 16384, 8192},
        .maxTextureCubemap = 16384,
        .maxTexture1DLayered = {16384, 2048},
        .maxTexture2DLayered = {16384, 16384, 2048},
        .maxTextureCubemapLayered = {16384, 2046},
        .maxSurface1D = 16384,
        .maxSurface2D = {16384, 16384},
        .maxSurface3D = {16384, 16384, 8192},
        .maxSurface1DLayered = {16384, 2048},
        .maxSurface2DLayered = {16384, 16384, 2048},
        .maxSurfaceCubemap = 16384,
        .maxSurfaceCubemapLayered = {16384, 2046},
        .surfaceAlignment = 256,
        .concurrentKernels = 1,
        .pciBusID = 3 + deviceId,
        .asyncEngineCount = 2,
        .unifiedAddressing = 1,
        .memoryClockRate = 1249000,
        .memoryBusWidth = 384,
        .l2CacheSize = 6 << 20,
        .maxThreadsPerMultiProcessor = 2048,
        .streamPrioritiesSupported = 1,
        .globalL1CacheSupported = 1,
        .localL1CacheSupported = 1,
        .sharedMemPerMultiprocessor = 131072,
        .regsPerMultiprocessor = 196608,
        .managedMemory = 1,
        .hostNativeAtomicSupported = 1,
        .singleToDoublePrecisionPerfRatio = 32,
        .concurrentManagedAccess = 1,
        .canUseHostPointerForRegisteredMem = 1,
        .cooperativeLaunch = 1,
        .sharedMemPerBlockOptin = 65536,
        .directManagedMemAccessFromHost = 1,
        .maxBlocksPerMultiProcessor = 32,
        .hostRegisterSupported = 1,
        .memoryPoolsSupported = 1,
        .unifiedFunctionPointers = 1,
        .ipcEventSupported = 0,
        .maxSharedMemoryPerMultiProcessor = 131072,
        .clockInstructionRate = 100000,
        .isLargeBar = 1,
        .asicRevision = 0,
        .arch = {.hasGlobalInt32Atomics = 1,
                 .hasGlobalFloatAtomicExch = 1,
                 .hasSharedInt32Atomics = 1,
                 .hasSharedFloatAtomicExch = 1,
                 .hasFloatAtomicAdd = 1,
                 .hasGlobalInt64Atomics = 1,
                 .hasSharedInt64Atomics = 1,
                 .hasDoubles = 1,
                 .hasWarpVote = 1,
                 .hasWarpBallot = 1,
                 .hasWarpShuffle = 1,
                 .hasThreadFenceSystem = 1,
                 .hasSyncThreadsExt = 1,
                 .has3dGrid = 1},
    };
    snprintf(prop->name, sizeof prop->name, "%s", BOARD);
    snprintf(prop->gcnArchName, sizeof prop->gcnArchName, "gfx1100");
    snprintf(prop->uuid.bytes, sizeof prop->uuid.bytes, "CASS-EMU-%04x",
             (unsigned)deviceId & 0xffffu);
    return hipSuccess;
}

/* Attribute values are properties; the rows say where. 'i' int, 'z' size_t (clamped to int). */
#define INT(attribute, field) {attribute, (uint16_t)offsetof(hipDeviceProp_t, field), 'i'}
#define SIZE(attribute, field) {attribute, (uint16_t)offsetof(hipDeviceProp_t, field), 'z'}
static const struct {
    hipDeviceAttribute_t attribute;
    uint16_t offset;
    char type;
} attributes[] = {
    INT(hipDeviceAttributeEccEnabled, ECCEnabled),
    INT(hipDeviceAttributeAccessPolicyMaxWindowSize, accessPolicyMaxWindowSize),
    INT(hipDeviceAttributeAsyncEngineCount, asyncEngineCount),
    INT(hipDeviceAttributeCanMapHostMemory, canMapHostMemory),
    INT(hipDeviceAttributeCanUseHostPointerForRegisteredMem, canUseHostPointerForRegisteredMem),
    INT(hipDeviceAttributeClockRate, clockRate),
    INT(hipDeviceAttributeComputeMode, computeMode),
    INT(hipDeviceAttributeComputePreemptionSupported, computePreemptionSupported),
    INT(hipDeviceAttributeConcurrentKernels, concurrentKernels),
    INT(hipDeviceAttributeConcurrentManagedAccess, concurrentManagedAccess),
    INT(hipDeviceAttributeCooperativeLaunch, cooperativeLaunch),
    INT(hipDeviceAttributeCooperativeMultiDeviceLaunch, cooperativeMultiDeviceLaunch),
    INT(hipDeviceAttributeDeviceOverlap, deviceOverlap),
    INT(hipDeviceAttributeDirectManagedMemAccessFromHost, directManagedMemAccessFromHost),
    INT(hipDeviceAttributeGlobalL1CacheSupported, globalL1CacheSupported),
    INT(hipDeviceAttributeHostNativeAtomicSupported, hostNativeAtomicSupported),
    INT(hipDeviceAttributeIntegrated, integrated),
    INT(hipDeviceAttributeIsMultiGpuBoard, isMultiGpuBoard),
    INT(hipDeviceAttributeKernelExecTimeout, kernelExecTimeoutEnabled),
    INT(hipDeviceAttributeL2CacheSize, l2CacheSize),
    INT(hipDeviceAttributeLocalL1CacheSupported, localL1CacheSupported),
    INT(hipDeviceAttributeLuidDeviceNodeMask, luidDeviceNodeMask),
    INT(hipDeviceAttributeComputeCapabilityMajor, major),
    INT(hipDeviceAttributeManagedMemory, managedMemory),
    INT(hipDeviceAttributeMaxBlocksPerMultiProcessor, maxBlocksPerMultiProcessor),
    INT(hipDeviceAttributeMaxBlockDimX, maxThreadsDim[0]),
    INT(hipDeviceAttributeMaxBlockDimY, maxThreadsDim[1]),
    INT(hipDeviceAttributeMaxBlockDimZ, maxThreadsDim[2]),
    INT(hipDeviceAttributeMaxGridDimX, maxGridSize[0]),
    INT(hipDeviceAttributeMaxGridDimY, maxGridSize[1]),
    INT(hipDeviceAttributeMaxGridDimZ, maxGridSize[2]),
    INT(hipDeviceAttributeMaxSurface1D, maxSurface1D),
    INT(hipDeviceAttributeMaxSurface1DLayered, maxSurface1DLayered[0]),
    INT(hipDeviceAttributeMaxSurface2D, maxSurface2D[0]),
    INT(hipDeviceAttributeMaxSurface2DLayered, maxSurface2DLayered[0]),
    INT(hipDeviceAttributeMaxSurface3D, maxSurface3D[0]),
    INT(hipDeviceAttributeMaxSurfaceCubemap, maxSurfaceCubemap),
    INT(hipDeviceAttributeMaxSurfaceCubemapLayered, maxSurfaceCubemapLayered[0]),
    INT(hipDeviceAttributeMaxTexture1DWidth, maxTexture1D),
    INT(hipDeviceAttributeMaxTexture1DLayered, maxTexture1DLayered[0]),
    INT(hipDeviceAttributeMaxTexture1DLinear, maxTexture1DLinear),
    INT(hipDeviceAttributeMaxTexture1DMipmap, maxTexture1DMipmap),
    INT(hipDeviceAttributeMaxTexture2DWidth, maxTexture2D[0]),
    INT(hipDeviceAttributeMaxTexture2DHeight, maxTexture2D[1]),
    INT(hipDeviceAttributeMaxTexture2DGather, maxTexture2DGather[0]),
    INT(hipDeviceAttributeMaxTexture2DLayered, maxTexture2DLayered[0]),
    INT(hipDeviceAttributeMaxTexture2DLinear, maxTexture2DLinear[0]),
    INT(hipDeviceAttributeMaxTexture2DMipmap, maxTexture2DMipmap[0]),
    INT(hipDeviceAttributeMaxTexture3DWidth, maxTexture3D[0]),
    INT(hipDeviceAttributeMaxTexture3DHeight, maxTexture3D[1]),
    INT(hipDeviceAttributeMaxTexture3DDepth, maxTexture3D[2]),
    INT(hipDeviceAttributeMaxTexture3DAlt, maxTexture3DAlt[0]),
    INT(hipDeviceAttributeMaxTextureCubemap, maxTextureCubemap),
    INT(hipDeviceAttributeMaxTextureCubemapLayered, maxTextureCubemapLayered[0]),
    INT(hipDeviceAttributeMaxThreadsDim, maxThreadsDim[0]),
    INT(hipDeviceAttributeMaxThreadsPerBlock, maxThreadsPerBlock),
    INT(hipDeviceAttributeMaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    SIZE(hipDeviceAttributeMaxPitch, memPitch),
    INT(hipDeviceAttributeMemoryBusWidth, memoryBusWidth),
    INT(hipDeviceAttributeMemoryClockRate, memoryClockRate),
    INT(hipDeviceAttributeComputeCapabilityMinor, minor),
    INT(hipDeviceAttributeMultiGpuBoardGroupID, multiGpuBoardGroupID),
    INT(hipDeviceAttributeMultiprocessorCount, multiProcessorCount),
    INT(hipDeviceAttributePageableMemoryAccess, pageableMemoryAccess),
    INT(hipDeviceAttributePageableMemoryAccessUsesHostPageTables,
        pageableMemoryAccessUsesHostPageTables),
    INT(hipDeviceAttributePciBusId, pciBusID),
    INT(hipDeviceAttributePciDeviceId, pciDeviceID),
    INT(hipDeviceAttributePciDomainId, pciDomainID),
    INT(hipDeviceAttributePersistingL2CacheMaxSize, persistingL2CacheMaxSize),
    INT(hipDeviceAttributeMaxRegistersPerBlock, regsPerBlock),
    INT(hipDeviceAttributeMaxRegistersPerMultiprocessor, regsPerMultiprocessor),
    SIZE(hipDeviceAttributeReservedSharedMemPerBlock, reservedSharedMemPerBlock),
    SIZE(hipDeviceAttributeMaxSharedMemoryPerBlock, sharedMemPerBlock),
    SIZE(hipDeviceAttributeSharedMemPerBlockOptin, sharedMemPerBlockOptin),
    SIZE(hipDeviceAttributeSharedMemPerMultiprocessor, sharedMemPerMultiprocessor),
    INT(hipDeviceAttributeSingleToDoublePrecisionPerfRatio, singleToDoublePrecisionPerfRatio),
    INT(hipDeviceAttributeStreamPrioritiesSupported, streamPrioritiesSupported),
    SIZE(hipDeviceAttributeSurfaceAlignment, surfaceAlignment),
    INT(hipDeviceAttributeTccDriver, tccDriver),
    SIZE(hipDeviceAttributeTextureAlignment, textureAlignment),
    SIZE(hipDeviceAttributeTexturePitchAlignment, texturePitchAlignment),
    SIZE(hipDeviceAttributeTotalConstantMemory, totalConstMem),
    SIZE(hipDeviceAttributeTotalGlobalMem, totalGlobalMem),
    INT(hipDeviceAttributeUnifiedAddressing, unifiedAddressing),
    INT(hipDeviceAttributeWarpSize, warpSize),
    INT(hipDeviceAttributeMemoryPoolsSupported, memoryPoolsSupported),
    INT(hipDeviceAttributeHostRegisterSupported, hostRegisterSupported),
    INT(hipDeviceAttributeClockInstructionRate, clockInstructionRate),
    SIZE(hipDeviceAttributeMaxSharedMemoryPerMultiprocessor, maxSharedMemoryPerMultiProcessor),
    INT(hipDeviceAttributeIsLargeBar, isLargeBar),
    INT(hipDeviceAttributeAsicRevision, asicRevision),
    INT(hipDeviceAttributePhysicalMultiProcessorCount, multiProcessorCount),
    INT(hipDeviceAttributeWallClockRate, clockInstructionRate),
};

hipError_t emu_hipDeviceGetAttribute(int *pi, hipDeviceAttribute_t attr, int deviceId) {
    hipDeviceProp_t prop;
    if (!pi) return emu_fail(hipErrorInvalidValue, "no value");
    hipError_t error = emu_hipGetDevicePropertiesR0600(&prop, deviceId);
    if (error) return error;
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        if (attributes[i].attribute != attr) continue;
        const uint8_t *at = (const uint8_t *)&prop + attributes[i].offset;
        size_t size;
        if (attributes[i].type == 'i') {
            memcpy(pi, at, sizeof *pi);
            return hipSuccess;
        }
        memcpy(&size, at, sizeof size);
        *pi = size > 0x7fffffff ? 0x7fffffff : (int)size;
        return hipSuccess;
    }
    switch ((int)attr) {
    case hipDeviceAttributeCanUseStreamWaitValue:
    case hipDeviceAttributeFineGrainSupport:
    case hipDeviceAttributeImageSupport:
    case hipDeviceAttributeNumberOfXccs:
        *pi = 1;
        return hipSuccess;
    case hipDeviceAttributeMaxAvailableVgprsPerThread:
        *pi = 256;
        return hipSuccess;
    case hipDeviceAttributeVirtualMemoryManagementSupported:
    case hipDeviceAttributeMemoryPoolSupportedHandleTypes:
    case hipDeviceAttributeHostNumaId:
    case hipDeviceAttributeDmaBufSupported:
    case hipDeviceAttributePciChipId:
    case hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc:
    case hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim:
    case hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim:
    case hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem:
        *pi = 0;
        return hipSuccess;
    default:
        return emu_fail(hipErrorInvalidValue, "device attribute %d does not exist", (int)attr);
    }
}

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
    if (!error) snprintf(name, (size_t)len, "%s", BOARD);
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
