/* What the emulated board is: properties and attributes. */
#include "emulator/hip_calls.h"
#include "emulator/hip_state.h"

#include <stdio.h>
#include <string.h>

/* Figures of the Radeon RX 7900 XTX as ROCm reports them; compute units (as WGPs) and memory come
 * from the settings. Source: AMD's RDNA3 ISA manual and LLVM AMDGPUUsage for limits that code
 * depends on. */
static const hipDeviceProp_t board = {
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
    .cooperativeMultiDeviceLaunch = 1,
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

hipError_t emu_hipGetDevicePropertiesR0600(hipDeviceProp_t *prop, int deviceId) {
    if (!prop) return emu_fail(hipErrorInvalidValue, "no properties");
    if (deviceId < 0 || deviceId >= emu_config.device_count)
        return emu_fail(hipErrorInvalidDevice, "device %d does not exist", deviceId);
    *prop = board;
    prop->totalGlobalMem = emu_config.memory_bytes;
    prop->multiProcessorCount = emu_config.compute_units;
    prop->pciBusID = 3 + deviceId;
    snprintf(prop->name, sizeof prop->name, "%s", EMU_BOARD);
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

/* Attributes that are no properties. */
static hipError_t other_attribute(int *pi, hipDeviceAttribute_t attr) {
    switch ((int)attr) {
    case hipDeviceAttributeCanUseStreamWaitValue:
    case hipDeviceAttributeFineGrainSupport:
    case hipDeviceAttributeImageSupport:
    case hipDeviceAttributeNumberOfXccs:
    case hipDeviceAttributeVirtualMemoryManagementSupported:
        *pi = 1;
        return hipSuccess;
    case hipDeviceAttributeMaxAvailableVgprsPerThread:
        *pi = 256;
        return hipSuccess;
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
    return other_attribute(pi, attr);
}
