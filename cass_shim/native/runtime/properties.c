/* cudaDeviceProp in its three layouts: 11.x (also 12.x's unversioned name), 12.x and 13.x. */
#include <string.h>

#include "driver/properties.h"
#include "runtime/runtime.h"

/* Fields that all layouts share, by attribute number; p: the structure, A: the attribute's value.
 */
#define SHARED_FIELDS(p, A)                                                                        \
    p->sharedMemPerBlock = (size_t)A(8), p->regsPerBlock = A(12), p->warpSize = A(10);             \
    p->memPitch = (size_t)A(11), p->maxThreadsPerBlock = A(1), p->totalConstMem = (size_t)A(9);    \
    p->maxThreadsDim[0] = A(2), p->maxThreadsDim[1] = A(3), p->maxThreadsDim[2] = A(4);            \
    p->maxGridSize[0] = A(5), p->maxGridSize[1] = A(6), p->maxGridSize[2] = A(7);                  \
    p->major = A(75), p->minor = A(76), p->textureAlignment = (size_t)A(14);                       \
    p->texturePitchAlignment = (size_t)A(51), p->multiProcessorCount = A(16);                      \
    p->integrated = A(18), p->canMapHostMemory = A(19), p->maxTexture1D = A(21);                   \
    p->maxTexture1DMipmap = A(77), p->maxTexture2D[0] = A(22), p->maxTexture2D[1] = A(23);         \
    p->maxTexture2DMipmap[0] = A(73), p->maxTexture2DMipmap[1] = A(74);                            \
    p->maxTexture2DLinear[0] = A(70), p->maxTexture2DLinear[1] = A(71);                            \
    p->maxTexture2DLinear[2] = A(72), p->maxTexture2DGather[0] = A(45);                            \
    p->maxTexture2DGather[1] = A(46), p->maxTexture3D[0] = A(24), p->maxTexture3D[1] = A(25);      \
    p->maxTexture3D[2] = A(26), p->maxTexture3DAlt[0] = A(47), p->maxTexture3DAlt[1] = A(48);      \
    p->maxTexture3DAlt[2] = A(49), p->maxTextureCubemap = A(52);                                   \
    p->maxTexture1DLayered[0] = A(42), p->maxTexture1DLayered[1] = A(43);                          \
    p->maxTexture2DLayered[0] = A(27), p->maxTexture2DLayered[1] = A(28);                          \
    p->maxTexture2DLayered[2] = A(29), p->maxTextureCubemapLayered[0] = A(53);                     \
    p->maxTextureCubemapLayered[1] = A(54), p->maxSurface1D = A(55);                               \
    p->maxSurface2D[0] = A(56), p->maxSurface2D[1] = A(57), p->maxSurface3D[0] = A(58);            \
    p->maxSurface3D[1] = A(59), p->maxSurface3D[2] = A(60), p->maxSurface1DLayered[0] = A(61);     \
    p->maxSurface1DLayered[1] = A(62), p->maxSurface2DLayered[0] = A(63);                          \
    p->maxSurface2DLayered[1] = A(64), p->maxSurface2DLayered[2] = A(65);                          \
    p->maxSurfaceCubemap = A(66), p->maxSurfaceCubemapLayered[0] = A(67);                          \
    p->maxSurfaceCubemapLayered[1] = A(68), p->surfaceAlignment = (size_t)A(30);                   \
    p->concurrentKernels = A(31), p->ECCEnabled = A(32), p->pciBusID = A(33);                      \
    p->pciDeviceID = A(34), p->pciDomainID = A(50), p->tccDriver = A(35);                          \
    p->asyncEngineCount = A(40), p->unifiedAddressing = A(41), p->memoryBusWidth = A(37);          \
    p->l2CacheSize = A(38), p->persistingL2CacheMaxSize = A(108);                                  \
    p->maxThreadsPerMultiProcessor = A(39), p->streamPrioritiesSupported = A(78);                  \
    p->globalL1CacheSupported = A(79), p->localL1CacheSupported = A(80);                           \
    p->sharedMemPerMultiprocessor = (size_t)A(81), p->regsPerMultiprocessor = A(82);               \
    p->managedMemory = A(83), p->isMultiGpuBoard = A(84), p->multiGpuBoardGroupID = A(85);         \
    p->hostNativeAtomicSupported = A(86), p->pageableMemoryAccess = A(88);                         \
    p->concurrentManagedAccess = A(89), p->computePreemptionSupported = A(90);                     \
    p->canUseHostPointerForRegisteredMem = A(91), p->cooperativeLaunch = A(95);                    \
    p->sharedMemPerBlockOptin = (size_t)A(97);                                                     \
    p->pageableMemoryAccessUsesHostPageTables = A(100);                                            \
    p->directManagedMemAccessFromHost = A(101), p->maxBlocksPerMultiProcessor = A(106);            \
    p->accessPolicyMaxWindowSize = A(109), p->reservedSharedMemPerBlock = (size_t)A(111)

/* Fields of 12.x and 13.x. */
#define NEWER_FIELDS(p, A)                                                                         \
    p->hostRegisterSupported = A(99), p->sparseCudaArraySupported = A(112);                        \
    p->hostRegisterReadOnlySupported = A(113), p->timelineSemaphoreInteropSupported = A(114);      \
    p->memoryPoolsSupported = A(115), p->gpuDirectRDMASupported = A(116);                          \
    p->gpuDirectRDMAFlushWritesOptions = (unsigned)A(117);                                         \
    p->gpuDirectRDMAWritesOrdering = A(118);                                                       \
    p->memoryPoolSupportedHandleTypes = (unsigned)A(119);                                          \
    p->deferredMappingCudaArraySupported = A(121), p->ipcEventSupported = A(125);                  \
    p->clusterLaunch = A(120), p->unifiedFunctionPointers = A(129)

#define VALUE(number) cass_attribute_value(device, number)

static void identify(int index, char *name, cudaUUID_t *uuid, size_t *memory) {
    cass_device_name(index, name, 256);
    cass_device_uuid(index, (unsigned char *)uuid);
    cass_device_memory(index, memory);
}

static void fill_12(struct cudaDeviceProp_v12 *p, const cass_device *device) {
    memset(p, 0, sizeof *p);
    identify(cass_device_index(device), p->name, &p->uuid, &p->totalGlobalMem);
    SHARED_FIELDS(p, VALUE);
    NEWER_FIELDS(p, VALUE);
    p->clockRate = VALUE(13), p->memoryClockRate = VALUE(36), p->deviceOverlap = VALUE(15);
    p->kernelExecTimeoutEnabled = VALUE(17), p->computeMode = VALUE(20);
    p->maxTexture1DLinear = VALUE(69), p->singleToDoublePrecisionPerfRatio = VALUE(87);
    p->cooperativeMultiDeviceLaunch = VALUE(96);
}

static void fill_13(struct cudaDeviceProp *p, const cass_device *device) {
    memset(p, 0, sizeof *p);
    identify(cass_device_index(device), p->name, &p->uuid, &p->totalGlobalMem);
    SHARED_FIELDS(p, VALUE);
    NEWER_FIELDS(p, VALUE);
    p->deviceNumaConfig = VALUE(130), p->deviceNumaId = VALUE(131), p->mpsEnabled = VALUE(133);
    p->hostNumaId = VALUE(134), p->gpuPciDeviceID = (unsigned)VALUE(139);
    p->gpuPciSubsystemID = (unsigned)VALUE(140), p->hostNumaMultinodeIpcSupported = VALUE(143);
}

static int check(const void *properties, int device) {
    int started = cass_start();
    if (started) return started;
    if (!properties) return INVALID_VALUE;
    return device < 0 || device >= cass_device_count ? INVALID_DEVICE : OK;
}

cudaError_t cass_cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device) {
    int result = check(prop, device);
    if (result) return (cudaError_t)result;
    if (cass_caller_is_13()) {
        fill_13(prop, &cass_devices[device]);
        return cudaSuccess;
    }
    struct cudaDeviceProp_v12 full;
    fill_12(&full, &cass_devices[device]);
    memcpy(prop, &full, sizeof(struct cudaDeviceProp_v11)); /* the older layout is its beginning */
    return cudaSuccess;
}

cudaError_t cass_cudaGetDeviceProperties_v2(struct cudaDeviceProp *prop, int device) {
    int result = check(prop, device);
    if (!result) fill_12((struct cudaDeviceProp_v12 *)(void *)prop, &cass_devices[device]);
    return (cudaError_t)result;
}

cudaError_t cass_cudaChooseDevice(int *device, const struct cudaDeviceProp *prop) {
    int result = check(prop, 0);
    if (result || !device) return result ? (cudaError_t)result : cudaErrorInvalidValue;
    *device = 0; /* all devices of a host are alike to a CUDA program here */
    return cudaSuccess;
}
