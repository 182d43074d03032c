"""Every function that the emulated `libamdhip64.so` exports: one row each.

In: the HIP 7 runtime interface (names and parameters as hip-python 10.0 and 7.2 bind them). Out: what
`hip_generate.py` makes of a row: the exported entry, the prototype of its body `emu_<name>` and the line of the
name table behind hipGetProcAddress. `fn` rows need that body in hip_*.c and do not link without it; `stub` rows
answer hipErrorNotSupported with a reason and are counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Guard(Enum):
    """What an entry checks before its body runs.

    NONE: nothing, usable before initialisation and after fork. HOST: initialises; works on a faulted device.
    DEVICE: initialises, and answers the device's sticky error while it has one.
    """

    NONE = "NONE"
    HOST = "HOST"
    DEVICE = "DEVICE"


NONE, HOST, DEVICE = Guard.NONE, Guard.HOST, Guard.DEVICE


@dataclass(frozen=True)
class Function:
    """One exported function. parameters: as in C, names included. body: name of the C body without `emu_`.

    per_thread: the default stream is the calling thread's own while the body runs (the `_spt` names).
    """

    name: str
    parameters: str
    returns: str = "hipError_t"
    guard: Guard = DEVICE
    implemented: bool = True
    per_thread: bool = False
    body: str = ""


def fn(name: str, parameters: str, returns: str = "hipError_t", guard: Guard = DEVICE, body: str = "") -> Function:
    """An implemented function; its body is `emu_<body or name>`."""
    return Function(name, parameters, returns, guard, body=body or name)


def stub(name: str, parameters: str, returns: str = "hipError_t", guard: Guard = DEVICE) -> Function:
    """A function that answers hipErrorNotSupported."""
    return Function(name, parameters, returns, guard, implemented=False)


DECLARED: tuple[Function, ...] = (
    fn(
        "hipCreateChannelDesc",
        "int x, int y, int z, int w, hipChannelFormatKind f",
        returns="hipChannelFormatDesc",
        guard=NONE,
    ),
    fn("hipInit", "unsigned int flags", guard=HOST),
    fn("hipDriverGetVersion", "int *driverVersion", guard=NONE),
    fn("hipRuntimeGetVersion", "int *runtimeVersion", guard=NONE),
    fn("hipDeviceGet", "int *device, int ordinal", guard=HOST),
    fn("hipDeviceComputeCapability", "int *major, int *minor, int device", guard=HOST),
    fn("hipDeviceGetName", "char *name, int len, int device", guard=HOST),
    fn("hipDeviceGetUuid", "hipUUID_t *uuid, int device", guard=HOST),
    fn(
        "hipDeviceGetP2PAttribute",
        "int *value, hipDeviceP2PAttr attr, int srcDevice, int dstDevice",
        guard=HOST,
    ),
    fn("hipDeviceGetPCIBusId", "char *pciBusId, int len, int device", guard=HOST),
    fn("hipDeviceGetByPCIBusId", "int *device, const char *pciBusId", guard=HOST),
    fn("hipDeviceTotalMem", "size_t *bytes, int device", guard=HOST),
    fn("hipDeviceSynchronize", ""),
    fn("hipDeviceReset", "", guard=HOST),
    fn("hipSetDevice", "int deviceId", guard=HOST),
    fn("hipSetValidDevices", "int *device_arr, int len"),
    fn("hipGetDevice", "int *deviceId", guard=HOST),
    fn("hipGetDeviceCount", "int *count", guard=HOST),
    fn("hipDeviceGetAttribute", "int *pi, hipDeviceAttribute_t attr, int deviceId", guard=HOST),
    fn("hipDeviceGetDefaultMemPool", "hipMemPool_t *mem_pool, int device"),
    fn("hipDeviceSetMemPool", "int device, hipMemPool_t mem_pool"),
    fn("hipDeviceGetMemPool", "hipMemPool_t *mem_pool, int device"),
    fn("hipGetDevicePropertiesR0600", "hipDeviceProp_t *prop, int deviceId", guard=HOST),
    fn(
        "hipDeviceGetTexture1DLinearMaxWidth",
        "size_t *max_width, const hipChannelFormatDesc *desc, int device",
    ),
    fn("hipDeviceSetCacheConfig", "hipFuncCache_t cacheConfig"),
    fn("hipDeviceGetCacheConfig", "hipFuncCache_t *cacheConfig"),
    fn("hipDeviceGetLimit", "size_t *pValue, hipLimit_t limit", guard=HOST),
    fn("hipDeviceSetLimit", "hipLimit_t limit, size_t value"),
    fn("hipDeviceGetSharedMemConfig", "hipSharedMemConfig *pConfig"),
    fn("hipGetDeviceFlags", "unsigned int *flags", guard=HOST),
    fn("hipDeviceSetSharedMemConfig", "hipSharedMemConfig config"),
    fn("hipSetDeviceFlags", "unsigned int flags"),
    fn("hipChooseDeviceR0600", "int *device, const hipDeviceProp_t *prop", guard=HOST),
    fn("hipExtGetLinkTypeAndHopCount", "int device1, int device2, uint32_t *linktype, uint32_t *hopcount"),
    fn("hipIpcGetMemHandle", "hipIpcMemHandle_st *handle, void *devPtr"),
    fn("hipIpcOpenMemHandle", "void **devPtr, hipIpcMemHandle_st handle, unsigned int flags"),
    fn("hipIpcCloseMemHandle", "void *devPtr"),
    fn("hipIpcGetEventHandle", "hipIpcEventHandle_st *handle, hipEvent_t event"),
    fn("hipIpcOpenEventHandle", "hipEvent_t *event, hipIpcEventHandle_st handle"),
    fn("hipFuncSetAttribute", "const void *func, hipFuncAttribute attr, int value"),
    fn("hipKernelSetAttribute", "hipFunction_attribute attrib, int value, hipKernel_t kernel, int dev"),
    fn("hipKernelGetFunction", "hipFunction_t *pFunc, hipKernel_t kernel"),
    fn("hipFuncSetCacheConfig", "const void *func, hipFuncCache_t config"),
    fn("hipFuncSetSharedMemConfig", "const void *func, hipSharedMemConfig config"),
    fn("hipGetLastError", "", guard=HOST),
    fn("hipExtGetLastError", "", guard=HOST),
    fn("hipPeekAtLastError", "", guard=HOST),
    fn("hipGetErrorName", "hipError_t hip_error", returns="const char *", guard=NONE),
    fn("hipGetErrorString", "hipError_t hipError", returns="const char *", guard=NONE),
    fn("hipDrvGetErrorName", "hipError_t hipError, const char **errorString", guard=NONE),
    fn("hipDrvGetErrorString", "hipError_t hipError, const char **errorString", guard=NONE),
    fn("hipStreamCreate", "hipStream_t *stream"),
    fn("hipStreamCreateWithFlags", "hipStream_t *stream, unsigned int flags"),
    fn("hipStreamCreateWithPriority", "hipStream_t *stream, unsigned int flags, int priority"),
    fn("hipDeviceGetStreamPriorityRange", "int *leastPriority, int *greatestPriority", guard=HOST),
    fn("hipStreamDestroy", "hipStream_t stream", guard=HOST),
    fn("hipStreamQuery", "hipStream_t stream"),
    fn("hipStreamSynchronize", "hipStream_t stream"),
    fn("hipStreamWaitEvent", "hipStream_t stream, hipEvent_t event, unsigned int flags"),
    fn("hipStreamGetFlags", "hipStream_t stream, unsigned int *flags"),
    fn("hipStreamGetId", "hipStream_t stream, unsigned long long *streamId"),
    fn("hipStreamGetPriority", "hipStream_t stream, int *priority"),
    fn("hipStreamGetDevice", "hipStream_t stream, int *device"),
    fn("hipExtStreamCreateWithCUMask", "hipStream_t *stream, uint32_t cuMaskSize, const uint32_t *cuMask"),
    fn("hipExtStreamGetCUMask", "hipStream_t stream, uint32_t cuMaskSize, uint32_t *cuMask"),
    fn(
        "hipStreamAddCallback",
        "hipStream_t stream, hipStreamCallback_t callback, void *userData, unsigned int flags",
    ),
    fn(
        "hipStreamSetAttribute",
        "hipStream_t stream, hipLaunchAttributeID attr, const hipLaunchAttributeValue *value",
    ),
    fn(
        "hipStreamGetAttribute",
        "hipStream_t stream, hipLaunchAttributeID attr, hipLaunchAttributeValue *value_out",
    ),
    fn("hipStreamCopyAttributes", "hipStream_t dst, hipStream_t src"),
    fn(
        "hipStreamWaitValue32",
        "hipStream_t stream, void *ptr, uint32_t value, unsigned int flags, uint32_t mask",
    ),
    fn(
        "hipStreamWaitValue64",
        "hipStream_t stream, void *ptr, uint64_t value, unsigned int flags, uint64_t mask",
    ),
    fn("hipStreamWriteValue32", "hipStream_t stream, void *ptr, uint32_t value, unsigned int flags"),
    fn("hipStreamWriteValue64", "hipStream_t stream, void *ptr, uint64_t value, unsigned int flags"),
    fn(
        "hipStreamBatchMemOp",
        "hipStream_t stream, unsigned int count, hipStreamBatchMemOpParams_union *paramArray, unsigned int flags",
    ),
    stub(
        "hipGraphAddBatchMemOpNode",
        "hipGraphNode_t *phGraphNode, hipGraph_t hGraph, const hipGraphNode_t *dependencies, "
        "size_t numDependencies, const hipBatchMemOpNodeParams *nodeParams",
    ),
    stub("hipGraphBatchMemOpNodeGetParams", "hipGraphNode_t hNode, hipBatchMemOpNodeParams *nodeParams_out"),
    stub("hipGraphBatchMemOpNodeSetParams", "hipGraphNode_t hNode, hipBatchMemOpNodeParams *nodeParams"),
    stub(
        "hipGraphExecBatchMemOpNodeSetParams",
        "hipGraphExec_t hGraphExec, hipGraphNode_t hNode, const hipBatchMemOpNodeParams *nodeParams",
    ),
    fn("hipEventCreateWithFlags", "hipEvent_t *event, unsigned int flags"),
    fn("hipEventCreate", "hipEvent_t *event"),
    fn("hipEventRecordWithFlags", "hipEvent_t event, hipStream_t stream, unsigned int flags"),
    fn("hipEventRecord", "hipEvent_t event, hipStream_t stream"),
    fn("hipEventDestroy", "hipEvent_t event", guard=HOST),
    fn("hipEventSynchronize", "hipEvent_t event"),
    fn("hipEventElapsedTime", "float *ms, hipEvent_t start, hipEvent_t stop"),
    fn("hipEventQuery", "hipEvent_t event"),
    fn("hipPointerSetAttribute", "const void *value, hipPointer_attribute attribute, void *ptr"),
    fn("hipPointerGetAttributes", "hipPointerAttribute_t *attributes, const void *ptr", guard=HOST),
    fn("hipPointerGetAttribute", "void *data, hipPointer_attribute attribute, void *ptr", guard=HOST),
    fn(
        "hipDrvPointerGetAttributes",
        "unsigned int numAttributes, hipPointer_attribute *attributes, void **data, void *ptr",
    ),
    stub(
        "hipImportExternalSemaphore",
        "void **extSem_out, const hipExternalSemaphoreHandleDesc *semHandleDesc",
    ),
    stub(
        "hipSignalExternalSemaphoresAsync",
        "void *const * extSemArray, const hipExternalSemaphoreSignalParams *paramsArray, "
        "unsigned int numExtSems, hipStream_t stream",
    ),
    stub(
        "hipWaitExternalSemaphoresAsync",
        "void *const * extSemArray, const hipExternalSemaphoreWaitParams *paramsArray, "
        "unsigned int numExtSems, hipStream_t stream",
    ),
    stub("hipDestroyExternalSemaphore", "void *extSem"),
    fn("hipImportExternalMemory", "void **extMem_out, const hipExternalMemoryHandleDesc *memHandleDesc"),
    fn(
        "hipExternalMemoryGetMappedBuffer",
        "void **devPtr, void *extMem, const hipExternalMemoryBufferDesc *bufferDesc",
    ),
    fn("hipDestroyExternalMemory", "void *extMem"),
    stub(
        "hipExternalMemoryGetMappedMipmappedArray",
        "hipMipmappedArray_t *mipmap, void *extMem, const hipExternalMemoryMipmappedArrayDesc *mipmapDesc",
    ),
    fn("hipMalloc", "void **ptr, size_t size"),
    fn("hipExtMallocWithFlags", "void **ptr, size_t sizeBytes, unsigned int flags"),
    fn("hipMallocHost", "void **ptr, size_t size"),
    fn("hipMemAllocHost", "void **ptr, size_t size"),
    fn("hipHostMalloc", "void **ptr, size_t size, unsigned int flags"),
    fn("hipMallocManaged", "void **dev_ptr, size_t size, unsigned int flags"),
    fn("hipMemPrefetchAsync", "const void *dev_ptr, size_t count, int device, hipStream_t stream"),
    fn(
        "hipMemPrefetchAsync_v2",
        "const void *dev_ptr, size_t count, hipMemLocation location, unsigned int flags, hipStream_t stream",
    ),
    stub(
        "hipMemPrefetchBatchAsync",
        "void **dev_ptrs, size_t *sizes, size_t count, hipMemLocation *prefetch_locs, "
        "size_t *prefetch_loc_idxs, size_t num_prefetch_locs, unsigned long long flags, "
        "hipStream_t stream",
    ),
    stub(
        "hipMemDiscardBatchAsync",
        "void **dev_ptrs, size_t *sizes, size_t count, unsigned long long flags, hipStream_t stream",
    ),
    stub(
        "hipDrvMemDiscardBatchAsync",
        "void **dptrs, size_t *sizes, size_t count, unsigned long long flags, hipStream_t stream",
    ),
    stub(
        "hipMemDiscardAndPrefetchBatchAsync",
        "void **dptrs, size_t *sizes, size_t count, hipMemLocation *prefetchLocs, "
        "size_t *prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags, "
        "hipStream_t stream",
    ),
    stub(
        "hipDrvMemDiscardAndPrefetchBatchAsync",
        "void **dptrs, size_t *sizes, size_t count, hipMemLocation *prefetchLocs, "
        "size_t *prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags, "
        "hipStream_t stream",
    ),
    fn("hipMemAdvise", "const void *dev_ptr, size_t count, hipMemoryAdvise advice, int device"),
    fn(
        "hipMemAdvise_v2",
        "const void *dev_ptr, size_t count, hipMemoryAdvise advice, hipMemLocation location",
    ),
    fn(
        "hipMemRangeGetAttribute",
        "void *data, size_t data_size, hipMemRangeAttribute attribute, const void *dev_ptr, size_t count",
    ),
    fn(
        "hipMemRangeGetAttributes",
        "void **data, size_t *data_sizes, hipMemRangeAttribute *attributes, size_t num_attributes, "
        "const void *dev_ptr, size_t count",
    ),
    fn("hipStreamAttachMemAsync", "hipStream_t stream, void *dev_ptr, size_t length, unsigned int flags"),
    fn("hipMallocAsync", "void **dev_ptr, size_t size, hipStream_t stream"),
    fn("hipFreeAsync", "void *dev_ptr, hipStream_t stream"),
    fn("hipMemPoolTrimTo", "hipMemPool_t mem_pool, size_t min_bytes_to_hold"),
    fn("hipMemPoolSetAttribute", "hipMemPool_t mem_pool, hipMemPoolAttr attr, void *value"),
    fn("hipMemPoolGetAttribute", "hipMemPool_t mem_pool, hipMemPoolAttr attr, void *value"),
    fn("hipMemPoolSetAccess", "hipMemPool_t mem_pool, const hipMemAccessDesc *desc_list, size_t count"),
    fn("hipMemPoolGetAccess", "hipMemAccessFlags *flags, hipMemPool_t mem_pool, hipMemLocation *location"),
    fn("hipMemPoolCreate", "hipMemPool_t *mem_pool, const hipMemPoolProps *pool_props"),
    fn("hipMemPoolDestroy", "hipMemPool_t mem_pool"),
    fn("hipMallocFromPoolAsync", "void **dev_ptr, size_t size, hipMemPool_t mem_pool, hipStream_t stream"),
    fn(
        "hipMemPoolExportToShareableHandle",
        "void *shared_handle, hipMemPool_t mem_pool, hipMemAllocationHandleType handle_type, unsigned int flags",
    ),
    fn(
        "hipMemPoolImportFromShareableHandle",
        "hipMemPool_t *mem_pool, void *shared_handle, hipMemAllocationHandleType handle_type, unsigned int flags",
    ),
    fn("hipMemPoolExportPointer", "hipMemPoolPtrExportData *export_data, void *dev_ptr"),
    fn(
        "hipMemPoolImportPointer",
        "void **dev_ptr, hipMemPool_t mem_pool, hipMemPoolPtrExportData *export_data",
    ),
    fn("hipMemSetMemPool", "hipMemLocation *location, hipMemAllocationType type, hipMemPool_t pool"),
    fn("hipMemGetMemPool", "hipMemPool_t *pool, hipMemLocation *location, hipMemAllocationType type"),
    fn(
        "hipMemGetDefaultMemPool",
        "hipMemPool_t *memPool, hipMemLocation *location, hipMemAllocationType type",
    ),
    fn("hipHostAlloc", "void **ptr, size_t size, unsigned int flags"),
    fn("hipHostGetDevicePointer", "void **devPtr, void *hstPtr, unsigned int flags"),
    fn("hipHostGetFlags", "unsigned int *flagsPtr, void *hostPtr"),
    fn("hipHostRegister", "void *hostPtr, size_t sizeBytes, unsigned int flags"),
    fn("hipHostUnregister", "void *hostPtr"),
    fn("hipMallocPitch", "void **ptr, size_t *pitch, size_t width, size_t height"),
    fn(
        "hipMemAllocPitch",
        "void **dptr, size_t *pitch, size_t widthInBytes, size_t height, unsigned int elementSizeBytes",
    ),
    fn("hipFree", "void *ptr"),
    fn("hipFreeHost", "void *ptr"),
    fn("hipHostFree", "void *ptr"),
    fn("hipMemcpy", "void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind"),
    fn(
        "hipMemcpyWithStream",
        "void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind, hipStream_t stream",
    ),
    fn("hipMemcpyHtoD", "void *dst, const void *src, size_t sizeBytes"),
    fn("hipMemcpyDtoH", "void *dst, void *src, size_t sizeBytes"),
    fn("hipMemcpyDtoD", "void *dst, void *src, size_t sizeBytes"),
    fn("hipMemcpyAtoD", "void *dstDevice, hipArray_t srcArray, size_t srcOffset, size_t ByteCount"),
    fn("hipMemcpyDtoA", "hipArray_t dstArray, size_t dstOffset, void *srcDevice, size_t ByteCount"),
    fn(
        "hipMemcpyAtoA",
        "hipArray_t dstArray, size_t dstOffset, hipArray_t srcArray, size_t srcOffset, size_t ByteCount",
    ),
    fn("hipMemcpyHtoDAsync", "void *dst, const void *src, size_t sizeBytes, hipStream_t stream"),
    fn("hipMemcpyDtoHAsync", "void *dst, void *src, size_t sizeBytes, hipStream_t stream"),
    fn("hipMemcpyDtoDAsync", "void *dst, void *src, size_t sizeBytes, hipStream_t stream"),
    fn(
        "hipMemcpyAtoHAsync",
        "void *dstHost, hipArray_t srcArray, size_t srcOffset, size_t ByteCount, hipStream_t stream",
    ),
    fn(
        "hipMemcpyHtoAAsync",
        "hipArray_t dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount, hipStream_t stream",
    ),
    fn("hipModuleGetGlobal", "void **dptr, size_t *bytes, hipModule_t hmod, const char *name"),
    fn("hipGetSymbolAddress", "void **devPtr, const void *symbol"),
    fn("hipGetSymbolSize", "size_t *size, const void *symbol"),
    fn(
        "hipGetProcAddress",
        "const char *symbol, void **pfn, int hipVersion, uint64_t flags, hipDriverProcAddressQueryResult *symbolStatus",
        guard=HOST,
    ),
    fn(
        "hipMemcpyToSymbol",
        "const void *symbol, const void *src, size_t sizeBytes, size_t offset, hipMemcpyKind kind",
    ),
    fn(
        "hipMemcpyToSymbolAsync",
        "const void *symbol, const void *src, size_t sizeBytes, size_t offset, hipMemcpyKind kind, hipStream_t stream",
    ),
    fn(
        "hipMemcpyFromSymbol",
        "void *dst, const void *symbol, size_t sizeBytes, size_t offset, hipMemcpyKind kind",
    ),
    fn(
        "hipMemcpyFromSymbolAsync",
        "void *dst, const void *symbol, size_t sizeBytes, size_t offset, hipMemcpyKind kind, hipStream_t stream",
    ),
    fn(
        "hipMemcpyAsync",
        "void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind, hipStream_t stream",
    ),
    fn("hipMemset", "void *dst, int value, size_t sizeBytes"),
    fn("hipMemsetD8", "void *dest, unsigned char value, size_t count"),
    fn("hipMemsetD8Async", "void *dest, unsigned char value, size_t count, hipStream_t stream"),
    fn("hipMemsetD16", "void *dest, unsigned short value, size_t count"),
    fn("hipMemsetD16Async", "void *dest, unsigned short value, size_t count, hipStream_t stream"),
    fn("hipMemsetD32", "void *dest, int value, size_t count"),
    fn("hipMemsetAsync", "void *dst, int value, size_t sizeBytes, hipStream_t stream"),
    fn("hipMemsetD32Async", "void *dst, int value, size_t count, hipStream_t stream"),
    fn("hipMemset2D", "void *dst, size_t pitch, int value, size_t width, size_t height"),
    fn(
        "hipMemset2DAsync",
        "void *dst, size_t pitch, int value, size_t width, size_t height, hipStream_t stream",
    ),
    fn("hipMemset3D", "hipPitchedPtr pitchedDevPtr, int value, hipExtent extent"),
    fn("hipMemset3DAsync", "hipPitchedPtr pitchedDevPtr, int value, hipExtent extent, hipStream_t stream"),
    fn("hipMemsetD2D8", "void *dst, size_t dstPitch, unsigned char value, size_t width, size_t height"),
    fn(
        "hipMemsetD2D8Async",
        "void *dst, size_t dstPitch, unsigned char value, size_t width, size_t height, hipStream_t stream",
    ),
    fn("hipMemsetD2D16", "void *dst, size_t dstPitch, unsigned short value, size_t width, size_t height"),
    fn(
        "hipMemsetD2D16Async",
        "void *dst, size_t dstPitch, unsigned short value, size_t width, size_t height, hipStream_t stream",
    ),
    fn("hipMemsetD2D32", "void *dst, size_t dstPitch, unsigned int value, size_t width, size_t height"),
    fn(
        "hipMemsetD2D32Async",
        "void *dst, size_t dstPitch, unsigned int value, size_t width, size_t height, hipStream_t stream",
    ),
    fn("hipMemGetInfo", "size_t *free, size_t *total"),
    fn("hipMemPtrGetInfo", "void *ptr, size_t *size"),
    fn(
        "hipMallocArray",
        "hipArray_t *array, const hipChannelFormatDesc *desc, size_t width, size_t height, unsigned int flags",
    ),
    fn("hipArrayCreate", "hipArray_t *pHandle, const HIP_ARRAY_DESCRIPTOR *pAllocateArray"),
    fn("hipArrayDestroy", "hipArray_t array"),
    fn("hipArray3DCreate", "hipArray_t *array, const HIP_ARRAY3D_DESCRIPTOR *pAllocateArray"),
    fn("hipMalloc3D", "hipPitchedPtr *pitchedDevPtr, hipExtent extent"),
    fn("hipFreeArray", "hipArray_t array"),
    fn(
        "hipMalloc3DArray",
        "hipArray_t *array, const hipChannelFormatDesc *desc, hipExtent extent, unsigned int flags",
    ),
    fn(
        "hipArrayGetInfo",
        "hipChannelFormatDesc *desc, hipExtent *extent, unsigned int *flags, hipArray_t array",
    ),
    fn("hipArrayGetDescriptor", "HIP_ARRAY_DESCRIPTOR *pArrayDescriptor, hipArray_t array"),
    fn("hipArray3DGetDescriptor", "HIP_ARRAY3D_DESCRIPTOR *pArrayDescriptor, hipArray_t array"),
    fn(
        "hipMemcpy2D",
        "void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, hipMemcpyKind kind",
    ),
    fn("hipMemcpyParam2D", "const hip_Memcpy2D *pCopy"),
    fn("hipMemcpyParam2DAsync", "const hip_Memcpy2D *pCopy, hipStream_t stream"),
    fn(
        "hipMemcpy2DAsync",
        "void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, "
        "hipMemcpyKind kind, hipStream_t stream",
    ),
    fn(
        "hipMemcpy2DToArray",
        "hipArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width, "
        "size_t height, hipMemcpyKind kind",
    ),
    fn(
        "hipMemcpy2DToArrayAsync",
        "hipArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width, "
        "size_t height, hipMemcpyKind kind, hipStream_t stream",
    ),
    fn(
        "hipMemcpy2DArrayToArray",
        "hipArray_t dst, size_t wOffsetDst, size_t hOffsetDst, hipArray_const_t src, "
        "size_t wOffsetSrc, size_t hOffsetSrc, size_t width, size_t height, hipMemcpyKind kind",
    ),
    fn(
        "hipMemcpyToArray",
        "hipArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count, hipMemcpyKind kind",
    ),
    fn(
        "hipMemcpyFromArray",
        "void *dst, hipArray_const_t srcArray, size_t wOffset, size_t hOffset, size_t count, hipMemcpyKind kind",
    ),
    fn(
        "hipMemcpy2DFromArray",
        "void *dst, size_t dpitch, hipArray_const_t src, size_t wOffset, size_t hOffset, size_t width, "
        "size_t height, hipMemcpyKind kind",
    ),
    fn(
        "hipMemcpy2DFromArrayAsync",
        "void *dst, size_t dpitch, hipArray_const_t src, size_t wOffset, size_t hOffset, size_t width, "
        "size_t height, hipMemcpyKind kind, hipStream_t stream",
    ),
    fn("hipMemcpyAtoH", "void *dst, hipArray_t srcArray, size_t srcOffset, size_t count"),
    fn("hipMemcpyHtoA", "hipArray_t dstArray, size_t dstOffset, const void *srcHost, size_t count"),
    fn("hipMemcpy3D", "const hipMemcpy3DParms *p"),
    fn("hipMemcpy3DAsync", "const hipMemcpy3DParms *p, hipStream_t stream"),
    fn("hipDrvMemcpy3D", "const HIP_MEMCPY3D *pCopy"),
    fn("hipDrvMemcpy3DAsync", "const HIP_MEMCPY3D *pCopy, hipStream_t stream"),
    fn("hipMemGetAddressRange", "void **pbase, size_t *psize, void *dptr"),
    fn(
        "hipMemcpyBatchAsync",
        "void **dsts, void **srcs, size_t *sizes, size_t count, hipMemcpyAttributes *attrs, "
        "size_t *attrsIdxs, size_t numAttrs, size_t *failIdx, hipStream_t stream",
    ),
    stub(
        "hipMemcpy3DBatchAsync",
        "size_t numOps, hipMemcpy3DBatchOp *opList, size_t *failIdx, unsigned long long flags, hipStream_t stream",
    ),
    fn("hipMemcpy3DPeer", "hipMemcpy3DPeerParms *p"),
    fn("hipMemcpy3DPeerAsync", "hipMemcpy3DPeerParms *p, hipStream_t stream"),
    stub(
        "hipMipmappedArrayGetMemoryRequirements",
        "hipArrayMemoryRequirements *memoryRequirements, hipMipmappedArray_t mipmap, int device",
    ),
    fn("hipDeviceCanAccessPeer", "int *canAccessPeer, int deviceId, int peerDeviceId", guard=HOST),
    fn("hipDeviceEnablePeerAccess", "int peerDeviceId, unsigned int flags"),
    fn("hipDeviceDisablePeerAccess", "int peerDeviceId"),
    fn("hipMemcpyPeer", "void *dst, int dstDeviceId, const void *src, int srcDeviceId, size_t sizeBytes"),
    fn(
        "hipMemcpyPeerAsync",
        "void *dst, int dstDeviceId, const void *src, int srcDevice, size_t sizeBytes, hipStream_t stream",
    ),
    stub("hipDeviceGetDevResource", "int device, hipDevResource *resource, hipDevResourceType type"),
    stub(
        "hipDevSmResourceSplitByCount",
        "hipDevResource *result, unsigned int *nbGroups, const hipDevResource *input, "
        "hipDevResource *remainder, unsigned int flags, unsigned int minCount",
    ),
    stub(
        "hipDevSmResourceSplit",
        "hipDevResource *result, unsigned int nbGroups, const hipDevResource *input, "
        "hipDevResource *remainder, unsigned int flags, "
        "hipDevSmResourceGroupParams *groupParams",
    ),
    stub(
        "hipDevResourceGenerateDesc",
        "hipDevResourceDesc_t *phDesc, hipDevResource *resources, unsigned int nbResources",
    ),
    stub(
        "hipGreenCtxCreate",
        "hipExecutionCtx_t *ctx, hipDevResourceDesc_t desc, int device, unsigned int flags",
    ),
    stub("hipExecutionCtxDestroy", "hipExecutionCtx_t ctx"),
    stub("hipDeviceGetExecutionCtx", "hipExecutionCtx_t *ctx, int device"),
    stub(
        "hipExecutionCtxStreamCreate",
        "hipStream_t *stream, hipExecutionCtx_t greenctx, unsigned int flags, int priority",
    ),
    stub(
        "hipExecutionCtxGetDevResource",
        "hipExecutionCtx_t ctx, hipDevResource *resource, hipDevResourceType type",
    ),
    stub("hipExecutionCtxGetDevice", "int *device, hipExecutionCtx_t ctx"),
    stub("hipExecutionCtxGetId", "hipExecutionCtx_t ctx, unsigned long long *ctxId"),
    stub(
        "hipStreamGetDevResource",
        "hipStream_t hStream, hipDevResource *resource, hipDevResourceType type",
    ),
    stub("hipExecutionCtxRecordEvent", "hipExecutionCtx_t ctx, hipEvent_t event"),
    stub("hipExecutionCtxSynchronize", "hipExecutionCtx_t ctx"),
    stub("hipExecutionCtxWaitEvent", "hipExecutionCtx_t ctx, hipEvent_t event"),
    fn("hipCtxCreate", "hipCtx_t *ctx, unsigned int flags, int device"),
    fn("hipCtxDestroy", "hipCtx_t ctx"),
    fn("hipCtxPopCurrent", "hipCtx_t *ctx"),
    fn("hipCtxPushCurrent", "hipCtx_t ctx"),
    fn("hipCtxSetCurrent", "hipCtx_t ctx", guard=HOST),
    fn("hipCtxGetCurrent", "hipCtx_t *ctx", guard=HOST),
    fn("hipCtxGetDevice", "int *device"),
    fn("hipCtxGetApiVersion", "hipCtx_t ctx, unsigned int *apiVersion"),
    fn("hipCtxGetCacheConfig", "hipFuncCache_t *cacheConfig"),
    fn("hipCtxSetCacheConfig", "hipFuncCache_t cacheConfig"),
    fn("hipCtxSetSharedMemConfig", "hipSharedMemConfig config"),
    fn("hipCtxGetSharedMemConfig", "hipSharedMemConfig *pConfig"),
    fn("hipCtxSynchronize", ""),
    fn("hipCtxGetFlags", "unsigned int *flags"),
    fn("hipCtxEnablePeerAccess", "hipCtx_t peerCtx, unsigned int flags"),
    fn("hipCtxDisablePeerAccess", "hipCtx_t peerCtx"),
    fn("hipDevicePrimaryCtxGetState", "int dev, unsigned int *flags, int *active"),
    fn("hipDevicePrimaryCtxRelease", "int dev", guard=HOST),
    fn("hipDevicePrimaryCtxRetain", "hipCtx_t *pctx, int dev", guard=HOST),
    fn("hipDevicePrimaryCtxReset", "int dev", guard=HOST),
    fn("hipDevicePrimaryCtxSetFlags", "int dev, unsigned int flags"),
    stub("hipModuleLoadFatBinary", "hipModule_t *module, const void *fatbin"),
    fn("hipModuleLoad", "hipModule_t *module, const char *fname"),
    fn("hipModuleUnload", "hipModule_t module", guard=HOST),
    fn("hipModuleGetFunction", "hipFunction_t *function, hipModule_t module, const char *kname"),
    fn("hipModuleGetFunctionCount", "unsigned int *count, hipModule_t mod"),
    fn("hipKernelGetAttribute", "int *pi, hipFunction_attribute attrib, hipKernel_t kernel, int dev"),
    fn(
        "hipLibraryLoadData",
        "hipLibrary_t *library, const void *code, hipJitOption *jitOptions, void **jitOptionsValues, "
        "unsigned int numJitOptions, hipLibraryOption_e *libraryOptions, void **libraryOptionValues, "
        "unsigned int numLibraryOptions",
    ),
    fn(
        "hipLibraryLoadFromFile",
        "hipLibrary_t *library, const char *fileName, hipJitOption *jitOptions, "
        "void **jitOptionsValues, unsigned int numJitOptions, hipLibraryOption_e *libraryOptions, "
        "void **libraryOptionValues, unsigned int numLibraryOptions",
    ),
    fn("hipLibraryUnload", "hipLibrary_t library"),
    fn("hipLibraryGetKernel", "hipKernel_t *pKernel, hipLibrary_t library, const char *name"),
    fn("hipLibraryGetKernelCount", "unsigned int *count, hipLibrary_t library"),
    fn("hipLibraryGetGlobal", "void **dptr, size_t *bytes, hipLibrary_t library, const char *name"),
    fn("hipLibraryGetManaged", "void **dptr, size_t *bytes, hipLibrary_t library, const char *name"),
    fn("hipLibraryEnumerateKernels", "hipKernel_t *kernels, unsigned int numKernels, hipLibrary_t library"),
    fn("hipKernelGetLibrary", "hipLibrary_t *library, hipKernel_t kernel"),
    fn("hipKernelGetName", "const char **name, hipKernel_t kernel"),
    fn(
        "hipKernelGetParamInfo",
        "hipKernel_t kernel, size_t paramIndex, size_t *paramOffset, size_t *paramSize",
    ),
    fn("hipFuncGetAttributes", "hipFuncAttributes *attr, const void *func", guard=HOST),
    fn("hipFuncGetAttribute", "int *value, hipFunction_attribute attrib, hipFunction_t hfunc", guard=HOST),
    fn("hipGetFuncBySymbol", "hipFunction_t *functionPtr, const void *symbolPtr"),
    fn(
        "hipGetDriverEntryPoint",
        "const char *symbol, void **funcPtr, unsigned long long flags, hipDriverEntryPointQueryResult *driverStatus",
    ),
    stub("hipModuleGetTexRef", "textureReference **texRef, hipModule_t hmod, const char *name"),
    fn("hipModuleLoadData", "hipModule_t *module, const void *image"),
    fn(
        "hipModuleLoadDataEx",
        "hipModule_t *module, const void *image, unsigned int numOptions, hipJitOption *options, void **optionValues",
    ),
    stub(
        "hipLinkAddData",
        "hipLinkState_t state, hipJitInputType type, void *data, size_t size, const char *name, "
        "unsigned int numOptions, hipJitOption *options, void **optionValues",
    ),
    stub(
        "hipLinkAddFile",
        "hipLinkState_t state, hipJitInputType type, const char *path, unsigned int numOptions, "
        "hipJitOption *options, void **optionValues",
    ),
    stub("hipLinkComplete", "hipLinkState_t state, void **hipBinOut, size_t *sizeOut"),
    stub(
        "hipLinkCreate",
        "unsigned int numOptions, hipJitOption *options, void **optionValues, hipLinkState_t *stateOut",
    ),
    stub("hipLinkDestroy", "hipLinkState_t state"),
    fn(
        "hipModuleLaunchKernel",
        "hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ, "
        "unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ, "
        "unsigned int sharedMemBytes, hipStream_t stream, void **kernelParams, void **extra",
    ),
    fn(
        "hipModuleLaunchCooperativeKernel",
        "hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ, "
        "unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ, "
        "unsigned int sharedMemBytes, hipStream_t stream, void **kernelParams",
    ),
    fn(
        "hipModuleLaunchCooperativeKernelMultiDevice",
        "hipFunctionLaunchParams_t *launchParamsList, unsigned int numDevices, unsigned int flags",
    ),
    fn(
        "hipLaunchCooperativeKernel",
        "const void *f, dim3 gridDim, dim3 blockDimX, void **kernelParams, "
        "unsigned int sharedMemBytes, hipStream_t stream",
    ),
    fn(
        "hipLaunchCooperativeKernelMultiDevice",
        "hipLaunchParams_t *launchParamsList, int numDevices, unsigned int flags",
    ),
    fn(
        "hipExtLaunchMultiKernelMultiDevice",
        "hipLaunchParams_t *launchParamsList, int numDevices, unsigned int flags",
    ),
    fn("hipLaunchKernelExC", "const hipLaunchConfig_st *config, const void *fPtr, void **args"),
    fn(
        "hipDrvLaunchKernelEx",
        "const HIP_LAUNCH_CONFIG_st *config, hipFunction_t f, void **params, void **extra",
    ),
    stub(
        "hipMemGetHandleForAddressRange",
        "void *handle, void *dptr, size_t size, hipMemRangeHandleType handleType, unsigned long long flags",
    ),
    fn(
        "hipModuleOccupancyMaxPotentialBlockSize",
        "int *gridSize, int *blockSize, hipFunction_t f, size_t dynSharedMemPerBlk, int blockSizeLimit",
    ),
    fn(
        "hipModuleOccupancyMaxPotentialBlockSizeWithFlags",
        "int *gridSize, int *blockSize, hipFunction_t f, size_t dynSharedMemPerBlk, "
        "int blockSizeLimit, unsigned int flags",
    ),
    fn(
        "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor",
        "int *numBlocks, hipFunction_t f, int blockSize, size_t dynSharedMemPerBlk",
    ),
    fn(
        "hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
        "int *numBlocks, hipFunction_t f, int blockSize, size_t dynSharedMemPerBlk, unsigned int flags",
    ),
    fn(
        "hipOccupancyMaxActiveBlocksPerMultiprocessor",
        "int *numBlocks, const void *f, int blockSize, size_t dynSharedMemPerBlk",
    ),
    fn(
        "hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
        "int *numBlocks, const void *f, int blockSize, size_t dynSharedMemPerBlk, unsigned int flags",
    ),
    fn(
        "hipOccupancyMaxPotentialBlockSize",
        "int *gridSize, int *blockSize, const void *f, size_t dynSharedMemPerBlk, int blockSizeLimit",
    ),
    fn(
        "hipOccupancyAvailableDynamicSMemPerBlock",
        "size_t *dynamicSmemSize, const void *f, int numBlocks, int blockSize",
    ),
    stub(
        "hipOccupancyMaxActiveClusters",
        "int *numClusters, const void *f, const hipLaunchConfig_st *config",
    ),
    stub(
        "hipOccupancyMaxPotentialClusterSize",
        "int *clusterSize, const void *f, const hipLaunchConfig_st *config",
    ),
    fn("hipProfilerStart", ""),
    fn("hipProfilerStop", ""),
    stub("hipConfigureCall", "dim3 gridDim, dim3 blockDim, size_t sharedMem, hipStream_t stream"),
    stub("hipSetupArgument", "const void *arg, size_t size, size_t offset"),
    stub("hipLaunchByPtr", "const void *func"),
    fn(
        "hipLaunchKernel",
        "const void *function_address, dim3 numBlocks, dim3 dimBlocks, void **args, "
        "size_t sharedMemBytes, hipStream_t stream",
    ),
    fn("hipLaunchHostFunc", "hipStream_t stream, hipHostFn_t fn, void *userData"),
    fn("hipDrvMemcpy2DUnaligned", "const hip_Memcpy2D *pCopy"),
    fn(
        "hipExtLaunchKernel",
        "const void *function_address, dim3 numBlocks, dim3 dimBlocks, void **args, "
        "size_t sharedMemBytes, hipStream_t stream, hipEvent_t startEvent, hipEvent_t stopEvent, "
        "int flags",
    ),
    fn(
        "hipCreateTextureObject",
        "hipTextureObject_t *pTexObject, const hipResourceDesc *pResDesc, "
        "const hipTextureDesc *pTexDesc, const hipResourceViewDesc *pResViewDesc",
    ),
    fn("hipDestroyTextureObject", "hipTextureObject_t textureObject"),
    fn("hipGetChannelDesc", "hipChannelFormatDesc *desc, hipArray_const_t array"),
    fn("hipGetTextureObjectResourceDesc", "hipResourceDesc *pResDesc, hipTextureObject_t textureObject"),
    fn(
        "hipGetTextureObjectResourceViewDesc",
        "hipResourceViewDesc *pResViewDesc, hipTextureObject_t textureObject",
    ),
    fn("hipGetTextureObjectTextureDesc", "hipTextureDesc *pTexDesc, hipTextureObject_t textureObject"),
    fn(
        "hipTexObjectCreate",
        "hipTextureObject_t *pTexObject, const HIP_RESOURCE_DESC_st *pResDesc, "
        "const HIP_TEXTURE_DESC_st *pTexDesc, const HIP_RESOURCE_VIEW_DESC_st *pResViewDesc",
    ),
    fn("hipTexObjectDestroy", "hipTextureObject_t texObject"),
    fn("hipTexObjectGetResourceDesc", "HIP_RESOURCE_DESC_st *pResDesc, hipTextureObject_t texObject"),
    fn(
        "hipTexObjectGetResourceViewDesc",
        "HIP_RESOURCE_VIEW_DESC_st *pResViewDesc, hipTextureObject_t texObject",
    ),
    fn("hipTexObjectGetTextureDesc", "HIP_TEXTURE_DESC_st *pTexDesc, hipTextureObject_t texObject"),
    fn(
        "hipMallocMipmappedArray",
        "hipMipmappedArray_t *mipmappedArray, const hipChannelFormatDesc *desc, hipExtent extent, "
        "unsigned int numLevels, unsigned int flags",
    ),
    fn("hipFreeMipmappedArray", "hipMipmappedArray_t mipmappedArray"),
    fn(
        "hipGetMipmappedArrayLevel",
        "hipArray_t *levelArray, hipMipmappedArray_const_t mipmappedArray, unsigned int level",
    ),
    fn(
        "hipMipmappedArrayCreate",
        "hipMipmappedArray_t *pHandle, HIP_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc, unsigned int numMipmapLevels",
    ),
    fn("hipMipmappedArrayDestroy", "hipMipmappedArray_t hMipmappedArray"),
    fn(
        "hipMipmappedArrayGetLevel",
        "hipArray_t *pLevelArray, hipMipmappedArray_t hMipMappedArray, unsigned int level",
    ),
    stub(
        "hipBindTextureToMipmappedArray",
        "const textureReference *tex, hipMipmappedArray_const_t mipmappedArray, const hipChannelFormatDesc *desc",
    ),
    stub("hipGetTextureReference", "const textureReference **texref, const void *symbol"),
    stub("hipTexRefGetBorderColor", "float *pBorderColor, const textureReference *texRef"),
    stub("hipTexRefGetArray", "hipArray_t *pArray, const textureReference *texRef"),
    stub("hipTexRefSetAddressMode", "textureReference *texRef, int dim, hipTextureAddressMode am"),
    stub("hipTexRefSetArray", "textureReference *tex, hipArray_const_t array, unsigned int flags"),
    stub("hipTexRefSetFilterMode", "textureReference *texRef, hipTextureFilterMode fm"),
    stub("hipTexRefSetFlags", "textureReference *texRef, unsigned int Flags"),
    stub("hipTexRefSetFormat", "textureReference *texRef, hipArray_Format fmt, int NumPackedComponents"),
    stub(
        "hipBindTexture",
        "size_t *offset, const textureReference *tex, const void *devPtr, "
        "const hipChannelFormatDesc *desc, size_t size",
    ),
    stub(
        "hipBindTexture2D",
        "size_t *offset, const textureReference *tex, const void *devPtr, "
        "const hipChannelFormatDesc *desc, size_t width, size_t height, size_t pitch",
    ),
    stub(
        "hipBindTextureToArray",
        "const textureReference *tex, hipArray_const_t array, const hipChannelFormatDesc *desc",
    ),
    stub("hipGetTextureAlignmentOffset", "size_t *offset, const textureReference *texref"),
    stub("hipUnbindTexture", "const textureReference *tex"),
    stub("hipTexRefGetAddress", "void **dev_ptr, const textureReference *texRef"),
    stub("hipTexRefGetAddressMode", "hipTextureAddressMode *pam, const textureReference *texRef, int dim"),
    stub("hipTexRefGetFilterMode", "hipTextureFilterMode *pfm, const textureReference *texRef"),
    stub("hipTexRefGetFlags", "unsigned int *pFlags, const textureReference *texRef"),
    stub("hipTexRefGetFormat", "hipArray_Format *pFormat, int *pNumChannels, const textureReference *texRef"),
    stub("hipTexRefGetMaxAnisotropy", "int *pmaxAnsio, const textureReference *texRef"),
    stub("hipTexRefGetMipmapFilterMode", "hipTextureFilterMode *pfm, const textureReference *texRef"),
    stub("hipTexRefGetMipmapLevelBias", "float *pbias, const textureReference *texRef"),
    stub(
        "hipTexRefGetMipmapLevelClamp",
        "float *pminMipmapLevelClamp, float *pmaxMipmapLevelClamp, const textureReference *texRef",
    ),
    stub("hipTexRefGetMipMappedArray", "hipMipmappedArray_t *pArray, const textureReference *texRef"),
    stub("hipTexRefSetAddress", "size_t *ByteOffset, textureReference *texRef, void *dptr, size_t bytes"),
    stub(
        "hipTexRefSetAddress2D",
        "textureReference *texRef, const HIP_ARRAY_DESCRIPTOR *desc, void *dptr, size_t Pitch",
    ),
    stub("hipTexRefSetMaxAnisotropy", "textureReference *texRef, unsigned int maxAniso"),
    stub("hipTexRefSetBorderColor", "textureReference *texRef, float *pBorderColor"),
    stub("hipTexRefSetMipmapFilterMode", "textureReference *texRef, hipTextureFilterMode fm"),
    stub("hipTexRefSetMipmapLevelBias", "textureReference *texRef, float bias"),
    stub(
        "hipTexRefSetMipmapLevelClamp",
        "textureReference *texRef, float minMipMapLevelClamp, float maxMipMapLevelClamp",
    ),
    stub(
        "hipTexRefSetMipmappedArray",
        "textureReference *texRef, hipMipmappedArray *mipmappedArray, unsigned int Flags",
    ),
    stub("hipApiName", "uint32_t id", returns="const char *", guard=NONE),
    fn("hipKernelNameRef", "const hipFunction_t f", returns="const char *", guard=NONE),
    fn(
        "hipKernelNameRefByPtr",
        "const void *hostFunction, hipStream_t stream",
        returns="const char *",
        guard=NONE,
    ),
    fn("hipGetStreamDeviceId", "hipStream_t stream", returns="int", guard=NONE),
    fn("hipStreamBeginCapture", "hipStream_t stream, hipStreamCaptureMode mode"),
    fn(
        "hipStreamBeginCaptureToGraph",
        "hipStream_t stream, hipGraph_t graph, const hipGraphNode_t *dependencies, "
        "const hipGraphEdgeData *dependencyData, size_t numDependencies, hipStreamCaptureMode mode",
    ),
    fn("hipStreamEndCapture", "hipStream_t stream, hipGraph_t *pGraph"),
    fn(
        "hipStreamGetCaptureInfo",
        "hipStream_t stream, hipStreamCaptureStatus *pCaptureStatus, unsigned long long *pId",
    ),
    fn(
        "hipStreamGetCaptureInfo_v2",
        "hipStream_t stream, hipStreamCaptureStatus *captureStatus_out, unsigned long long *id_out, "
        "hipGraph_t *graph_out, const hipGraphNode_t **dependencies_out, size_t *numDependencies_out",
    ),
    fn("hipStreamIsCapturing", "hipStream_t stream, hipStreamCaptureStatus *pCaptureStatus"),
    fn(
        "hipStreamUpdateCaptureDependencies",
        "hipStream_t stream, hipGraphNode_t *dependencies, size_t numDependencies, unsigned int flags",
    ),
    fn("hipThreadExchangeStreamCaptureMode", "hipStreamCaptureMode *mode"),
    fn("hipGraphCreate", "hipGraph_t *pGraph, unsigned int flags"),
    fn("hipGraphDestroy", "hipGraph_t graph"),
    fn(
        "hipGraphAddDependencies",
        "hipGraph_t graph, const hipGraphNode_t *from_, const hipGraphNode_t *to, size_t numDependencies",
    ),
    fn(
        "hipGraphRemoveDependencies",
        "hipGraph_t graph, const hipGraphNode_t *from_, const hipGraphNode_t *to, size_t numDependencies",
    ),
    fn("hipGraphGetEdges", "hipGraph_t graph, hipGraphNode_t *from_, hipGraphNode_t *to, size_t *numEdges"),
    fn("hipGraphGetNodes", "hipGraph_t graph, hipGraphNode_t *nodes, size_t *numNodes"),
    fn("hipGraphGetRootNodes", "hipGraph_t graph, hipGraphNode_t *pRootNodes, size_t *pNumRootNodes"),
    fn(
        "hipGraphNodeGetDependencies",
        "hipGraphNode_t node, hipGraphNode_t *pDependencies, size_t *pNumDependencies",
    ),
    fn(
        "hipGraphNodeGetDependentNodes",
        "hipGraphNode_t node, hipGraphNode_t *pDependentNodes, size_t *pNumDependentNodes",
    ),
    fn("hipGraphNodeGetType", "hipGraphNode_t node, hipGraphNodeType *pType"),
    fn("hipGraphDestroyNode", "hipGraphNode_t node"),
    fn("hipGraphClone", "hipGraph_t *pGraphClone, hipGraph_t originalGraph"),
    fn(
        "hipGraphNodeFindInClone",
        "hipGraphNode_t *pNode, hipGraphNode_t originalNode, hipGraph_t clonedGraph",
    ),
    fn(
        "hipGraphInstantiate",
        "hipGraphExec_t *pGraphExec, hipGraph_t graph, hipGraphNode_t *pErrorNode, char *pLogBuffer, size_t bufferSize",
    ),
    fn(
        "hipGraphInstantiateWithFlags",
        "hipGraphExec_t *pGraphExec, hipGraph_t graph, unsigned long long flags",
    ),
    fn(
        "hipGraphInstantiateWithParams",
        "hipGraphExec_t *pGraphExec, hipGraph_t graph, hipGraphInstantiateParams *instantiateParams",
    ),
    fn("hipGraphLaunch", "hipGraphExec_t graphExec, hipStream_t stream"),
    fn("hipGraphUpload", "hipGraphExec_t graphExec, hipStream_t stream"),
    fn(
        "hipGraphAddNode",
        "hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies, "
        "size_t numDependencies, hipGraphNodeParams *nodeParams",
    ),
    fn("hipGraphExecGetFlags", "hipGraphExec_t graphExec, unsigned long long *flags"),
    fn("hipGraphNodeSetParams", "hipGraphNode_t node, hipGraphNodeParams *nodeParams"),
    fn(
        "hipGraphExecNodeSetParams",
        "hipGraphExec_t graphExec, hipGraphNode_t node, hipGraphNodeParams *nodeParams",
    ),
    fn("hipGraphExecDestroy", "hipGraphExec_t graphExec"),
    fn(
        "hipGraphExecUpdate",
        "hipGraphExec_t hGraphExec, hipGraph_t hGraph, hipGraphNode_t *hErrorNode_out, "
        "hipGraphExecUpdateResult *updateResult_out",
    ),
    fn(
        "hipGraphAddKernelNode",
        "hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies, "
        "size_t numDependencies, const hipKernelNodeParams *pNodeParams",
    ),
    fn("hipGraphKernelNodeGetParams", "hipGraphNode_t node, hipKernelNodeParams *pNodeParams"),
    fn("hipGraphKernelNodeSetParams", "hipGraphNode_t node, const hipKernelNodeParams *pNodeParams"),
    fn(
        "hipGraphExecKernelNodeSetParams",
        "hipGraphExec_t hGraphExec, hipGraphNode_t node, const hipKernelNodeParams *pNodeParams",
    ),
    fn(
        "hipDrvGraphAddMemcpyNode",
        "hipGraphNode_t *phGraphNode, hipGraph_t hGraph, const hipGraphNode_t *dependencies, "
        "size_t numDependencies, const HIP_MEMCPY3D *copyParams, hipCtx_t ctx",
    ),
    fn(
        "hipGraphAddMemcpyNode",
        "hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies, "
        "size_t numDependencies, const hipMemcpy3DParms *pCopyParams",
    ),
    fn("hipGraphMemcpyNodeGetParams", "hipGraphNode_t node, hipMemcpy3DParms *pNodeParams"),
    fn("hipGraphMemcpyNodeSetParams", "hipGraphNode_t node, const hipMemcpy3DParms *pNodeParams"),
    fn(
        "hipGraphKernelNodeSetAttribute",
        "hipGraphNode_t hNode, hipLaunchAttributeID attr, const hipLaunchAttributeValue *value",
    ),
    fn(
        "hipGraphKernelNodeGetAttribute",
        "hipGraphNode_t hNode, hipLaunchAttributeID attr, hipLaunchAttributeValue *value",
    ),
    fn(
        "hipGraphExecMemcpyNodeSetParams",
        "hipGraphExec_t hGraphExec, hipGraphNode_t node, hipMemcpy3DParms *pNodeParams",
    ),
    fn(
        "hipGraphAddMemcpyNode1D",
        "hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies, "
        "size_t numDependencies, void *dst, const void *src, size_t count, hipMemcpyKind kind",
    ),
    fn(
        "hipGraphMemcpyNodeSetParams1D",
        "hipGraphNode_t node, void *dst, const void *src, size_t count, hipMemcpyKind kind",
    ),
    fn(
        "hipGraphExecMemcpyNodeSetParams1D",
        "hipGraphExec_t hGraphExec, hipGraphNode_t node, void *dst, const void *src, size_t count, hipMemcpyKind kind",
    ),
    fn(
        "hipGraphAddMemcpyNodeFromSymbol",
        "hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies, "
        "size_t numDependencies, void *dst, const void *symbol, size_t count, size_t offset, "
        "hipMemcpyKind kind",
    ),
    fn(
        "hipGraphMemcpyNodeSetParamsFromSymbol",
        "hipGraphNode_t node, void *dst, const void *symbol, size_t count, size_t offset, hipMemcpyKind kind",
    ),
    fn(
        "hipGraphExecMemcpyNodeSetParamsFromSymbol",
        "hipGraphExec_t hGraphExec, hipGraphNode_t node, void *dst, const void *symbol, size_t count, "
        "size_t offset, hipMemcpyKind kind",
    ),
    fn(
        "hipGraphAddMemcpyNodeToSymbol",
        "hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies, "
        "size_t numDependencies, const void *symbol, const void *src, size_t count, size_t offset, "
        "hipMemcpyKind kind",
    ),
    fn(
        "hipGraphMemcpyNodeSetParamsToSymbol",
        "hipGraphNode_t node, const void *symbol, const void *src, size_t count, size_t offset, hipMemcpyKind kind",
    ),
    fn(
        "hipGraphExecMemcpyNodeSetParamsToSymbol",
        "hipGraphExec_t hGraphExec, hipGraphNode_t node, const void *symbol, const void *src, "
        "size_t count, size_t offset, hipMemcpyKind kind",
    ),
    fn(
        "hipGraphAddMemsetNode",
        "hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies, "
        "size_t numDependencies, const hipMemsetParams *pMemsetParams",
    ),
    fn("hipGraphMemsetNodeGetParams", "hipGraphNode_t node, hipMemsetParams *pNodeParams"),
    fn("hipGraphMemsetNodeSetParams", "hipGraphNode_t node, const hipMemsetParams *pNodeParams"),
    fn(
        "hipGraphExecMemsetNodeSetParams",
        "hipGraphExec_t hGraphExec, hipGraphNode_t node, const hipMemsetParams *pNodeParams",
    ),
    fn(
        "hipGraphAddHostNode",
        "hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies, "
        "size_t numDependencies, const hipHostNodeParams *pNodeParams",
    ),
    fn("hipGraphHostNodeGetParams", "hipGraphNode_t node, hipHostNodeParams *pNodeParams"),
    fn("hipGraphHostNodeSetParams", "hipGraphNode_t node, const hipHostNodeParams *pNodeParams"),
    fn(
        "hipGraphExecHostNodeSetParams",
        "hipGraphExec_t hGraphExec, hipGraphNode_t node, const hipHostNodeParams *pNodeParams",
    ),
    fn(
        "hipGraphAddChildGraphNode",
        "hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies, "
        "size_t numDependencies, hipGraph_t childGraph",
    ),
    fn("hipGraphChildGraphNodeGetGraph", "hipGraphNode_t node, hipGraph_t *pGraph"),
    fn(
        "hipGraphExecChildGraphNodeSetParams",
        "hipGraphExec_t hGraphExec, hipGraphNode_t node, hipGraph_t childGraph",
    ),
    fn(
        "hipGraphAddEmptyNode",
        "hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies, size_t numDependencies",
    ),
    fn(
        "hipGraphAddEventRecordNode",
        "hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies, "
        "size_t numDependencies, hipEvent_t event",
    ),
    fn("hipGraphEventRecordNodeGetEvent", "hipGraphNode_t node, hipEvent_t *event_out"),
    fn("hipGraphEventRecordNodeSetEvent", "hipGraphNode_t node, hipEvent_t event"),
    fn(
        "hipGraphExecEventRecordNodeSetEvent",
        "hipGraphExec_t hGraphExec, hipGraphNode_t hNode, hipEvent_t event",
    ),
    fn(
        "hipGraphAddEventWaitNode",
        "hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies, "
        "size_t numDependencies, hipEvent_t event",
    ),
    fn("hipGraphEventWaitNodeGetEvent", "hipGraphNode_t node, hipEvent_t *event_out"),
    fn("hipGraphEventWaitNodeSetEvent", "hipGraphNode_t node, hipEvent_t event"),
    fn(
        "hipGraphExecEventWaitNodeSetEvent",
        "hipGraphExec_t hGraphExec, hipGraphNode_t hNode, hipEvent_t event",
    ),
    fn(
        "hipGraphAddMemAllocNode",
        "hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies, "
        "size_t numDependencies, hipMemAllocNodeParams *pNodeParams",
    ),
    fn("hipGraphMemAllocNodeGetParams", "hipGraphNode_t node, hipMemAllocNodeParams *pNodeParams"),
    fn(
        "hipGraphAddMemFreeNode",
        "hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies, "
        "size_t numDependencies, void *dev_ptr",
    ),
    fn("hipGraphMemFreeNodeGetParams", "hipGraphNode_t node, void *dev_ptr"),
    fn("hipDeviceGetGraphMemAttribute", "int device, hipGraphMemAttributeType attr, void *value"),
    fn("hipDeviceSetGraphMemAttribute", "int device, hipGraphMemAttributeType attr, void *value"),
    fn("hipDeviceGraphMemTrim", "int device"),
    fn(
        "hipUserObjectCreate",
        "hipUserObject_t *object_out, void *ptr, hipHostFn_t destroy, unsigned int initialRefcount, unsigned int flags",
    ),
    fn("hipUserObjectRelease", "hipUserObject_t object, unsigned int count"),
    fn("hipUserObjectRetain", "hipUserObject_t object, unsigned int count"),
    fn(
        "hipGraphRetainUserObject",
        "hipGraph_t graph, hipUserObject_t object, unsigned int count, unsigned int flags",
    ),
    fn("hipGraphReleaseUserObject", "hipGraph_t graph, hipUserObject_t object, unsigned int count"),
    fn("hipGraphDebugDotPrint", "hipGraph_t graph, const char *path, unsigned int flags"),
    fn("hipGraphKernelNodeCopyAttributes", "hipGraphNode_t hSrc, hipGraphNode_t hDst"),
    fn("hipGraphNodeSetEnabled", "hipGraphExec_t hGraphExec, hipGraphNode_t hNode, unsigned int isEnabled"),
    fn(
        "hipGraphNodeGetEnabled",
        "hipGraphExec_t hGraphExec, hipGraphNode_t hNode, unsigned int *isEnabled",
    ),
    stub(
        "hipGraphAddExternalSemaphoresWaitNode",
        "hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies, "
        "size_t numDependencies, const hipExternalSemaphoreWaitNodeParams *nodeParams",
    ),
    stub(
        "hipGraphAddExternalSemaphoresSignalNode",
        "hipGraphNode_t *pGraphNode, hipGraph_t graph, const hipGraphNode_t *pDependencies, "
        "size_t numDependencies, const hipExternalSemaphoreSignalNodeParams *nodeParams",
    ),
    stub(
        "hipGraphExternalSemaphoresSignalNodeSetParams",
        "hipGraphNode_t hNode, const hipExternalSemaphoreSignalNodeParams *nodeParams",
    ),
    stub(
        "hipGraphExternalSemaphoresWaitNodeSetParams",
        "hipGraphNode_t hNode, const hipExternalSemaphoreWaitNodeParams *nodeParams",
    ),
    stub(
        "hipGraphExternalSemaphoresSignalNodeGetParams",
        "hipGraphNode_t hNode, hipExternalSemaphoreSignalNodeParams *params_out",
    ),
    stub(
        "hipGraphExternalSemaphoresWaitNodeGetParams",
        "hipGraphNode_t hNode, hipExternalSemaphoreWaitNodeParams *params_out",
    ),
    stub(
        "hipGraphExecExternalSemaphoresSignalNodeSetParams",
        "hipGraphExec_t hGraphExec, hipGraphNode_t hNode, const hipExternalSemaphoreSignalNodeParams *nodeParams",
    ),
    stub(
        "hipGraphExecExternalSemaphoresWaitNodeSetParams",
        "hipGraphExec_t hGraphExec, hipGraphNode_t hNode, const hipExternalSemaphoreWaitNodeParams *nodeParams",
    ),
    stub("hipDrvGraphMemcpyNodeGetParams", "hipGraphNode_t hNode, HIP_MEMCPY3D *nodeParams"),
    fn("hipDrvGraphMemcpyNodeSetParams", "hipGraphNode_t hNode, const HIP_MEMCPY3D *nodeParams"),
    fn(
        "hipDrvGraphAddMemsetNode",
        "hipGraphNode_t *phGraphNode, hipGraph_t hGraph, const hipGraphNode_t *dependencies, "
        "size_t numDependencies, const hipMemsetParams *memsetParams, hipCtx_t ctx",
    ),
    fn(
        "hipDrvGraphAddMemFreeNode",
        "hipGraphNode_t *phGraphNode, hipGraph_t hGraph, const hipGraphNode_t *dependencies, "
        "size_t numDependencies, void *dptr",
    ),
    fn(
        "hipDrvGraphExecMemcpyNodeSetParams",
        "hipGraphExec_t hGraphExec, hipGraphNode_t hNode, const HIP_MEMCPY3D *copyParams, hipCtx_t ctx",
    ),
    fn(
        "hipDrvGraphExecMemsetNodeSetParams",
        "hipGraphExec_t hGraphExec, hipGraphNode_t hNode, const hipMemsetParams *memsetParams, hipCtx_t ctx",
    ),
    fn("hipMemAddressFree", "void *devPtr, size_t size"),
    fn(
        "hipMemAddressReserve",
        "void **ptr, size_t size, size_t alignment, void *addr, unsigned long long flags",
    ),
    fn(
        "hipMemCreate",
        "hipMemGenericAllocationHandle_t *handle, size_t size, const hipMemAllocationProp *prop, "
        "unsigned long long flags",
    ),
    fn(
        "hipMemExportToShareableHandle",
        "void *shareableHandle, hipMemGenericAllocationHandle_t handle, "
        "hipMemAllocationHandleType handleType, unsigned long long flags",
    ),
    fn("hipMemGetAccess", "unsigned long long *flags, const hipMemLocation *location, void *ptr"),
    fn(
        "hipMemGetAllocationGranularity",
        "size_t *granularity, const hipMemAllocationProp *prop, hipMemAllocationGranularity_flags option",
    ),
    fn(
        "hipMemGetAllocationPropertiesFromHandle",
        "hipMemAllocationProp *prop, hipMemGenericAllocationHandle_t handle",
    ),
    fn(
        "hipMemImportFromShareableHandle",
        "hipMemGenericAllocationHandle_t *handle, void *osHandle, hipMemAllocationHandleType shHandleType",
    ),
    fn(
        "hipMemMap",
        "void *ptr, size_t size, size_t offset, hipMemGenericAllocationHandle_t handle, unsigned long long flags",
    ),
    stub("hipMemMapArrayAsync", "hipArrayMapInfo *mapInfoList, unsigned int count, hipStream_t stream"),
    fn("hipMemRelease", "hipMemGenericAllocationHandle_t handle"),
    fn("hipMemRetainAllocationHandle", "hipMemGenericAllocationHandle_t *handle, void *addr"),
    fn("hipMemSetAccess", "void *ptr, size_t size, const hipMemAccessDesc *desc, size_t count"),
    fn("hipMemUnmap", "void *ptr, size_t size"),
    stub("hipGraphicsMapResources", "int count, hipGraphicsResource_t *resources, hipStream_t stream"),
    stub(
        "hipGraphicsSubResourceGetMappedArray",
        "hipArray_t *array, hipGraphicsResource_t resource, unsigned int arrayIndex, unsigned int mipLevel",
    ),
    stub(
        "hipGraphicsResourceGetMappedPointer",
        "void **devPtr, size_t *size, hipGraphicsResource_t resource",
    ),
    stub("hipGraphicsUnmapResources", "int count, hipGraphicsResource_t *resources, hipStream_t stream"),
    stub("hipGraphicsUnregisterResource", "hipGraphicsResource_t resource"),
    fn("hipCreateSurfaceObject", "hipSurfaceObject_t *pSurfObject, const hipResourceDesc *pResDesc"),
    fn("hipDestroySurfaceObject", "hipSurfaceObject_t surfaceObject"),
    stub("hipExtEnableLogging", ""),
    stub("hipExtDisableLogging", ""),
    stub(
        "hipExtSetLoggingParams", "size_t log_level, size_t log_size, size_t log_mask"
    ),  # Names that AMD's library has beyond what hip-python binds.
    fn(
        "hipExtModuleLaunchKernel",
        "hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ, "
        "uint32_t localWorkSizeX, uint32_t localWorkSizeY, uint32_t localWorkSizeZ, size_t sharedMemBytes, "
        "hipStream_t hStream, void **kernelParams, void **extra, hipEvent_t startEvent, hipEvent_t stopEvent, "
        "uint32_t flags",
    ),
    # What the host code of HIP programs calls (clang's CUDA/HIP runtime glue).
    fn("__hipRegisterFatBinary", "const void *data", returns="void **", guard=NONE, body="registerFatBinary"),
    fn("__hipUnregisterFatBinary", "void **modules", returns="void", guard=NONE, body="unregisterFatBinary"),
    fn(
        "__hipRegisterFunction",
        "void **modules, const void *hostFunction, char *deviceFunction, const char *deviceName, "
        "unsigned int threadLimit, void *tid, void *bid, void *blockDim, void *gridDim, int *wSize",
        returns="void",
        guard=NONE,
        body="registerFunction",
    ),
    fn(
        "__hipRegisterVar",
        "void **modules, void *var, char *hostVar, char *deviceVar, int ext, size_t size, int constant, int global",
        returns="void",
        guard=NONE,
        body="registerVar",
    ),
    fn(
        "__hipPushCallConfiguration",
        "dim3 gridDim, dim3 blockDim, size_t sharedMem, hipStream_t stream",
        guard=NONE,
        body="pushCallConfiguration",
    ),
    fn(
        "__hipPopCallConfiguration",
        "dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, hipStream_t *stream",
        guard=NONE,
        body="popCallConfiguration",
    ),
    # Our own queries.
    fn("hipCassFaultStatus", "void", returns="int", guard=NONE),
    fn("hipCassLastFault", "char *text, size_t bytes", returns="size_t", guard=NONE),
    fn("hipCassBorderColor", "const unsigned int *bits, unsigned int *index"),
    fn("hipCassRowAlign", "unsigned int *bytes"),
    fn("hipCassInstructions", "void", returns="size_t", guard=NONE),
    fn("hipCassLimit", "size_t instructions", guard=HOST),
)

# The same calls with the calling thread's own default stream (hip_runtime_api.h built with
# HIP_API_PER_THREAD_DEFAULT_STREAM refers to these names).
PER_THREAD = (
    "hipMemcpy",
    "hipMemcpyAsync",
    "hipMemcpy2D",
    "hipMemcpy2DAsync",
    "hipMemcpy2DFromArray",
    "hipMemcpy2DFromArrayAsync",
    "hipMemcpy2DToArray",
    "hipMemcpy2DToArrayAsync",
    "hipMemcpy3D",
    "hipMemcpy3DAsync",
    "hipMemcpyFromArray",
    "hipMemcpyFromSymbol",
    "hipMemcpyFromSymbolAsync",
    "hipMemcpyToSymbol",
    "hipMemcpyToSymbolAsync",
    "hipMemset",
    "hipMemsetAsync",
    "hipMemset2D",
    "hipMemset2DAsync",
    "hipMemset3D",
    "hipMemset3DAsync",
    "hipStreamQuery",
    "hipStreamSynchronize",
    "hipStreamGetPriority",
    "hipStreamWaitEvent",
    "hipStreamGetFlags",
    "hipStreamAddCallback",
    "hipEventRecord",
    "hipLaunchCooperativeKernel",
    "hipLaunchKernel",
    "hipGraphLaunch",
    "hipStreamBeginCapture",
    "hipStreamEndCapture",
    "hipStreamIsCapturing",
    "hipStreamGetCaptureInfo",
    "hipStreamGetCaptureInfo_v2",
    "hipLaunchHostFunc",
    "hipGetDriverEntryPoint",
    "hipGetProcAddress",
)


def functions() -> list[Function]:
    """All rows, the per-thread names derived from theirs."""
    by_name = {row.name: row for row in DECLARED}
    if len(by_name) != len(DECLARED):
        raise ValueError("hip_table: a name is declared twice")
    derived = [
        Function(f"{name}_spt", row.parameters, row.returns, row.guard, row.implemented, True, row.body)
        for name in PER_THREAD
        for row in (by_name[name],)
    ]
    return [*DECLARED, *derived]
