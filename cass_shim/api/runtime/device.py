"""Device management: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "Device management")
fn = chapter.fn

fn("cudaChooseDevice", IMPLEMENTED, "cudaError_t", "int *device, const struct cudaDeviceProp *prop", since=3020)
fn("cudaDeviceFlushGPUDirectRDMAWrites", IMPLEMENTED, "cudaError_t",
   "enum cudaFlushGPUDirectRDMAWritesTarget target, enum cudaFlushGPUDirectRDMAWritesScope scope",
   since=11030)
fn("cudaDeviceGetAttribute", IMPLEMENTED, "cudaError_t",
   "int *value, enum cudaDeviceAttr attr, int device", since=5000)
fn("cudaDeviceGetByPCIBusId", IMPLEMENTED, "cudaError_t", "int *device, const char *pciBusId", since=4010)
fn("cudaDeviceGetCacheConfig", IMPLEMENTED, "cudaError_t", "enum cudaFuncCache *pCacheConfig", since=3020)
fn("cudaDeviceGetDefaultMemPool", IMPLEMENTED, "cudaError_t", "cudaMemPool_t *memPool, int device", since=11020)
fn("cudaDeviceGetHostAtomicCapabilities", IMPLEMENTED, "cudaError_t",
   "unsigned int *capabilities, const enum cudaAtomicOperation *operations, unsigned int count, int "
   "device", since=13000)
fn("cudaDeviceGetLimit", IMPLEMENTED, "cudaError_t", "size_t *pValue, enum cudaLimit limit", since=3020)
fn("cudaDeviceGetMemPool", IMPLEMENTED, "cudaError_t", "cudaMemPool_t *memPool, int device", since=11020)
fn("cudaDeviceGetNvSciSyncAttributes", IMPLEMENTED, "cudaError_t",
   "void *nvSciSyncAttrList, int device, int flags", since=10020)
fn("cudaDeviceGetP2PAtomicCapabilities", IMPLEMENTED, "cudaError_t",
   "unsigned int *capabilities, const enum cudaAtomicOperation *operations, unsigned int count, int "
   "srcDevice, int dstDevice", since=13000)
fn("cudaDeviceGetP2PAttribute", IMPLEMENTED, "cudaError_t",
   "int *value, enum cudaDeviceP2PAttr attr, int srcDevice, int dstDevice", since=8000)
fn("cudaDeviceGetPCIBusId", IMPLEMENTED, "cudaError_t", "char *pciBusId, int len, int device", since=4010)
fn("cudaDeviceGetSharedMemConfig", IMPLEMENTED, "cudaError_t", "enum cudaSharedMemConfig *pConfig", since=4020)
fn("cudaDeviceGetStreamPriorityRange", IMPLEMENTED, "cudaError_t",
   "int *leastPriority, int *greatestPriority", since=5050)
fn("cudaDeviceGetTexture1DLinearMaxWidth", IMPLEMENTED, "cudaError_t",
   "size_t *maxWidthInElements, const struct cudaChannelFormatDesc *fmtDesc, int device", since=11010)
fn("cudaDeviceRegisterAsyncNotification", IMPLEMENTED, "cudaError_t",
   "int device, cudaAsyncCallback callbackFunc, void *userData, cudaAsyncCallbackHandle_t *callback",
   since=12040)
fn("cudaDeviceReset", IMPLEMENTED, "cudaError_t", "void", since=3020)
fn("cudaDeviceSetCacheConfig", IMPLEMENTED, "cudaError_t", "enum cudaFuncCache cacheConfig", since=3020)
fn("cudaDeviceSetLimit", IMPLEMENTED, "cudaError_t", "enum cudaLimit limit, size_t value", since=3020)
fn("cudaDeviceSetMemPool", IMPLEMENTED, "cudaError_t", "int device, cudaMemPool_t memPool", since=11020)
fn("cudaDeviceSetSharedMemConfig", IMPLEMENTED, "cudaError_t", "enum cudaSharedMemConfig config", since=4020)
fn("cudaDeviceSynchronize", IMPLEMENTED, "cudaError_t", "void", since=3020)
fn("cudaDeviceUnregisterAsyncNotification", IMPLEMENTED, "cudaError_t",
   "int device, cudaAsyncCallbackHandle_t callback", since=12040)
fn("cudaGetDevice", IMPLEMENTED, "cudaError_t", "int *device", since=3020)
fn("cudaGetDeviceCount", IMPLEMENTED, "cudaError_t", "int *count", since=3020, pure=True)
fn("cudaGetDeviceFlags", IMPLEMENTED, "cudaError_t", "unsigned int *flags", since=7000)
fn("cudaGetDeviceProperties", IMPLEMENTED, "cudaError_t", "struct cudaDeviceProp *prop, int device", since=3020)
fn("cudaGetDeviceProperties_v2", IMPLEMENTED, "cudaError_t",
   "struct cudaDeviceProp *prop, int device", since=12000, until=13000)
fn("cudaInitDevice", IMPLEMENTED, "cudaError_t",
   "int device, unsigned int deviceFlags, unsigned int flags", since=12000)
fn("cudaIpcCloseMemHandle", IMPLEMENTED, "cudaError_t", "void *devPtr", since=4010)
fn("cudaIpcGetEventHandle", IMPLEMENTED, "cudaError_t",
   "cudaIpcEventHandle_t *handle, cudaEvent_t event", since=4010)
fn("cudaIpcGetMemHandle", IMPLEMENTED, "cudaError_t", "cudaIpcMemHandle_t *handle, void *devPtr", since=4010)
fn("cudaIpcOpenEventHandle", IMPLEMENTED, "cudaError_t",
   "cudaEvent_t *event, cudaIpcEventHandle_t handle", since=4010)
fn("cudaIpcOpenMemHandle", IMPLEMENTED, "cudaError_t",
   "void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags", since=4010)
fn("cudaSetDevice", IMPLEMENTED, "cudaError_t", "int device", since=3020)
fn("cudaSetDeviceFlags", IMPLEMENTED, "cudaError_t", "unsigned int flags", since=3020)
fn("cudaSetValidDevices", IMPLEMENTED, "cudaError_t", "int *device_arr, int len", since=3020)
fn("cudaThreadExit", IMPLEMENTED, "cudaError_t", "void", since=3020, until=13000)
fn("cudaThreadGetCacheConfig", IMPLEMENTED, "cudaError_t",
   "enum cudaFuncCache *pCacheConfig", since=3020, until=13000)
fn("cudaThreadGetLimit", IMPLEMENTED, "cudaError_t", "size_t *pValue, enum cudaLimit limit", since=3020, until=13000)
fn("cudaThreadSetCacheConfig", IMPLEMENTED, "cudaError_t", "enum cudaFuncCache cacheConfig", since=3020, until=13000)
fn("cudaThreadSetLimit", IMPLEMENTED, "cudaError_t", "enum cudaLimit limit, size_t value", since=3020, until=13000)
fn("cudaThreadSynchronize", IMPLEMENTED, "cudaError_t", "void", since=3020, until=13000)
