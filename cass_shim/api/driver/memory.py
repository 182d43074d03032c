"""Memory management: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Memory management")
fn = chapter.fn

fn("cuArray3DCreate", IMPLEMENTED, "CUresult",
   "CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR_v1 *pAllocateArray", since=2000)
fn("cuArray3DCreate_v2", IMPLEMENTED, "CUresult",
   "CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray", since=3020)
fn("cuArray3DGetDescriptor", IMPLEMENTED, "CUresult",
   "CUDA_ARRAY3D_DESCRIPTOR_v1 *pArrayDescriptor, CUarray hArray", since=2000)
fn("cuArray3DGetDescriptor_v2", IMPLEMENTED, "CUresult",
   "CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray", since=3020)
fn("cuArrayCreate", IMPLEMENTED, "CUresult",
   "CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR_v1 *pAllocateArray", since=2000)
fn("cuArrayCreate_v2", IMPLEMENTED, "CUresult",
   "CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray", since=3020)
fn("cuArrayDestroy", IMPLEMENTED, "CUresult", "CUarray hArray", since=2000)
fn("cuArrayGetDescriptor", IMPLEMENTED, "CUresult",
   "CUDA_ARRAY_DESCRIPTOR_v1 *pArrayDescriptor, CUarray hArray", since=2000)
fn("cuArrayGetDescriptor_v2", IMPLEMENTED, "CUresult",
   "CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray", since=3020)
fn("cuArrayGetMemoryRequirements", IMPLEMENTED, "CUresult",
   "CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements, CUarray array, CUdevice device", since=11060)
fn("cuArrayGetPlane", IMPLEMENTED, "CUresult",
   "CUarray *pPlaneArray, CUarray hArray, unsigned int planeIdx", since=11020)
fn("cuArrayGetSparseProperties", IMPLEMENTED, "CUresult",
   "CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties, CUarray array", since=11010)
fn("cuDeviceGetByPCIBusId", IMPLEMENTED, "CUresult", "CUdevice *dev, const char *pciBusId", since=4010)
fn("cuDeviceGetPCIBusId", IMPLEMENTED, "CUresult", "char *pciBusId, int len, CUdevice dev", since=4010)
fn("cuDeviceRegisterAsyncNotification", IMPLEMENTED, "CUresult",
   "CUdevice device, CUasyncCallback callbackFunc, void *userData, CUasyncCallbackHandle *callback",
   since=12040)
fn("cuDeviceUnregisterAsyncNotification", IMPLEMENTED, "CUresult",
   "CUdevice device, CUasyncCallbackHandle callback", since=12040)
fn("cuIpcCloseMemHandle", IMPLEMENTED, "CUresult", "CUdeviceptr dptr", since=4010)
fn("cuIpcGetEventHandle", IMPLEMENTED, "CUresult", "CUipcEventHandle *pHandle, CUevent event", since=4010)
fn("cuIpcGetMemHandle", IMPLEMENTED, "CUresult", "CUipcMemHandle *pHandle, CUdeviceptr dptr", since=4010)
fn("cuIpcOpenEventHandle", IMPLEMENTED, "CUresult", "CUevent *phEvent, CUipcEventHandle handle", since=4010)
fn("cuIpcOpenMemHandle", IMPLEMENTED, "CUresult",
   "CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags", since=4010)
fn("cuIpcOpenMemHandle_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags", since=11000)
fn("cuMemAlloc", IMPLEMENTED, "CUresult", "CUdeviceptr_v1 *dptr, unsigned int bytesize", since=2000)
fn("cuMemAlloc_v2", IMPLEMENTED, "CUresult", "CUdeviceptr *dptr, size_t bytesize", since=3020)
fn("cuMemAllocHost", IMPLEMENTED, "CUresult", "void **pp, unsigned int bytesize", since=2000)
fn("cuMemAllocHost_v2", IMPLEMENTED, "CUresult", "void **pp, size_t bytesize", since=3020)
fn("cuMemAllocManaged", IMPLEMENTED, "CUresult",
   "CUdeviceptr *dptr, size_t bytesize, unsigned int flags", since=6000)
fn("cuMemAllocPitch", IMPLEMENTED, "CUresult",
   "CUdeviceptr_v1 *dptr, unsigned int *pPitch, unsigned int WidthInBytes, unsigned int Height, "
   "unsigned int ElementSizeBytes", since=2000)
fn("cuMemAllocPitch_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height, unsigned int "
   "ElementSizeBytes", since=3020)
fn("cuMemBatchDecompressAsync", IMPLEMENTED, "CUresult",
   "CUmemDecompressParams *paramsArray, size_t count, unsigned int flags, size_t *errorIndex, CUstream "
   "stream", since=12060, pt="ptsz")
fn("cuMemFree", IMPLEMENTED, "CUresult", "CUdeviceptr_v1 dptr", since=2000)
fn("cuMemFree_v2", IMPLEMENTED, "CUresult", "CUdeviceptr dptr", since=3020)
fn("cuMemFreeHost", IMPLEMENTED, "CUresult", "void *p", since=2000)
fn("cuMemGetAddressRange", IMPLEMENTED, "CUresult",
   "CUdeviceptr_v1 *pbase, unsigned int *psize, CUdeviceptr_v1 dptr", since=2000)
fn("cuMemGetAddressRange_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr", since=3020)
fn("cuMemGetHandleForAddressRange", IMPLEMENTED, "CUresult",
   "void *handle, CUdeviceptr dptr, size_t size, CUmemRangeHandleType handleType, unsigned long long "
   "flags", since=11070)
fn("cuMemGetInfo", IMPLEMENTED, "CUresult", "unsigned int *free, unsigned int *total", since=2000)
fn("cuMemGetInfo_v2", IMPLEMENTED, "CUresult", "size_t *free, size_t *total", since=3020)
fn("cuMemHostAlloc", IMPLEMENTED, "CUresult", "void **pp, size_t bytesize, unsigned int Flags", since=2020)
fn("cuMemHostGetDevicePointer", IMPLEMENTED, "CUresult",
   "CUdeviceptr_v1 *pdptr, void *p, unsigned int Flags", since=2020)
fn("cuMemHostGetDevicePointer_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr *pdptr, void *p, unsigned int Flags", since=3020)
fn("cuMemHostGetFlags", IMPLEMENTED, "CUresult", "unsigned int *pFlags, void *p", since=2030)
fn("cuMemHostRegister", IMPLEMENTED, "CUresult", "void *p, size_t bytesize, unsigned int Flags", since=4000)
fn("cuMemHostRegister_v2", IMPLEMENTED, "CUresult", "void *p, size_t bytesize, unsigned int Flags", since=6050)
fn("cuMemHostUnregister", IMPLEMENTED, "CUresult", "void *p", since=4000)
fn("cuMemcpy", IMPLEMENTED, "CUresult", "CUdeviceptr dst, CUdeviceptr src, size_t ByteCount", since=4000, pt="ptds")
fn("cuMemcpy2D", IMPLEMENTED, "CUresult", "const CUDA_MEMCPY2D_v1 *pCopy", since=2000)
fn("cuMemcpy2D_v2", IMPLEMENTED, "CUresult", "const CUDA_MEMCPY2D *pCopy", since=3020, pt="ptds")
fn("cuMemcpy2DAsync", IMPLEMENTED, "CUresult", "const CUDA_MEMCPY2D_v1 *pCopy, CUstream hStream", since=2000)
fn("cuMemcpy2DAsync_v2", IMPLEMENTED, "CUresult",
   "const CUDA_MEMCPY2D *pCopy, CUstream hStream", since=3020, pt="ptsz")
fn("cuMemcpy2DUnaligned", IMPLEMENTED, "CUresult", "const CUDA_MEMCPY2D_v1 *pCopy", since=2000)
fn("cuMemcpy2DUnaligned_v2", IMPLEMENTED, "CUresult", "const CUDA_MEMCPY2D *pCopy", since=3020, pt="ptds")
fn("cuMemcpy3D", IMPLEMENTED, "CUresult", "const CUDA_MEMCPY3D_v1 *pCopy", since=2000)
fn("cuMemcpy3D_v2", IMPLEMENTED, "CUresult", "const CUDA_MEMCPY3D *pCopy", since=3020, pt="ptds")
fn("cuMemcpy3DAsync", IMPLEMENTED, "CUresult", "const CUDA_MEMCPY3D_v1 *pCopy, CUstream hStream", since=2000)
fn("cuMemcpy3DAsync_v2", IMPLEMENTED, "CUresult",
   "const CUDA_MEMCPY3D *pCopy, CUstream hStream", since=3020, pt="ptsz")
fn("cuMemcpy3DBatchAsync", IMPLEMENTED, "CUresult",
   "size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx, unsigned long long flags, CUstream "
   "hStream", since=12080, pt="ptsz")
fn("cuMemcpy3DBatchAsync_v2", IMPLEMENTED, "CUresult",
   "size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, unsigned long long flags, CUstream hStream",
   since=13000, pt="ptsz")
fn("cuMemcpy3DPeer", IMPLEMENTED, "CUresult", "const CUDA_MEMCPY3D_PEER *pCopy", since=4000, pt="ptds")
fn("cuMemcpy3DPeerAsync", IMPLEMENTED, "CUresult",
   "const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream", since=4000, pt="ptsz")
fn("cuMemcpyAsync", IMPLEMENTED, "CUresult",
   "CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream", since=4000, pt="ptsz")
fn("cuMemcpyAtoA", IMPLEMENTED, "CUresult",
   "CUarray dstArray, unsigned int dstOffset, CUarray srcArray, unsigned int srcOffset, unsigned int "
   "ByteCount", since=2000)
fn("cuMemcpyAtoA_v2", IMPLEMENTED, "CUresult",
   "CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset, size_t ByteCount",
   since=3020, pt="ptds")
fn("cuMemcpyAtoD", IMPLEMENTED, "CUresult",
   "CUdeviceptr_v1 dstDevice, CUarray srcArray, unsigned int srcOffset, unsigned int ByteCount", since=2000)
fn("cuMemcpyAtoD_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset, size_t ByteCount", since=3020, pt="ptds")
fn("cuMemcpyAtoH", IMPLEMENTED, "CUresult",
   "void *dstHost, CUarray srcArray, unsigned int srcOffset, unsigned int ByteCount", since=2000)
fn("cuMemcpyAtoH_v2", IMPLEMENTED, "CUresult",
   "void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount", since=3020, pt="ptds")
fn("cuMemcpyAtoHAsync", IMPLEMENTED, "CUresult",
   "void *dstHost, CUarray srcArray, unsigned int srcOffset, unsigned int ByteCount, CUstream hStream",
   since=2000)
fn("cuMemcpyAtoHAsync_v2", IMPLEMENTED, "CUresult",
   "void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount, CUstream hStream",
   since=3020, pt="ptsz")
fn("cuMemcpyBatchAsync", IMPLEMENTED, "CUresult",
   "CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count, CUmemcpyAttributes *attrs, "
   "size_t *attrsIdxs, size_t numAttrs, size_t *failIdx, CUstream hStream", since=12080, pt="ptsz")
fn("cuMemcpyBatchAsync_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count, CUmemcpyAttributes *attrs, "
   "size_t *attrsIdxs, size_t numAttrs, CUstream hStream", since=13000, pt="ptsz")
fn("cuMemcpyDtoA", IMPLEMENTED, "CUresult",
   "CUarray dstArray, unsigned int dstOffset, CUdeviceptr_v1 srcDevice, unsigned int ByteCount", since=2000)
fn("cuMemcpyDtoA_v2", IMPLEMENTED, "CUresult",
   "CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice, size_t ByteCount", since=3020, pt="ptds")
fn("cuMemcpyDtoD", IMPLEMENTED, "CUresult",
   "CUdeviceptr_v1 dstDevice, CUdeviceptr_v1 srcDevice, unsigned int ByteCount", since=2000)
fn("cuMemcpyDtoD_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount", since=3020, pt="ptds")
fn("cuMemcpyDtoDAsync", IMPLEMENTED, "CUresult",
   "CUdeviceptr_v1 dstDevice, CUdeviceptr_v1 srcDevice, unsigned int ByteCount, CUstream hStream", since=3000)
fn("cuMemcpyDtoDAsync_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream", since=3020, pt="ptsz")
fn("cuMemcpyDtoH", IMPLEMENTED, "CUresult",
   "void *dstHost, CUdeviceptr_v1 srcDevice, unsigned int ByteCount", since=2000)
fn("cuMemcpyDtoH_v2", IMPLEMENTED, "CUresult",
   "void *dstHost, CUdeviceptr srcDevice, size_t ByteCount", since=3020, pt="ptds")
fn("cuMemcpyDtoHAsync", IMPLEMENTED, "CUresult",
   "void *dstHost, CUdeviceptr_v1 srcDevice, unsigned int ByteCount, CUstream hStream", since=2000)
fn("cuMemcpyDtoHAsync_v2", IMPLEMENTED, "CUresult",
   "void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream", since=3020, pt="ptsz")
fn("cuMemcpyHtoA", IMPLEMENTED, "CUresult",
   "CUarray dstArray, unsigned int dstOffset, const void *srcHost, unsigned int ByteCount", since=2000)
fn("cuMemcpyHtoA_v2", IMPLEMENTED, "CUresult",
   "CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount", since=3020, pt="ptds")
fn("cuMemcpyHtoAAsync", IMPLEMENTED, "CUresult",
   "CUarray dstArray, unsigned int dstOffset, const void *srcHost, unsigned int ByteCount, CUstream "
   "hStream", since=2000)
fn("cuMemcpyHtoAAsync_v2", IMPLEMENTED, "CUresult",
   "CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount, CUstream hStream",
   since=3020, pt="ptsz")
fn("cuMemcpyHtoD", IMPLEMENTED, "CUresult",
   "CUdeviceptr_v1 dstDevice, const void *srcHost, unsigned int ByteCount", since=2000)
fn("cuMemcpyHtoD_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount", since=3020, pt="ptds")
fn("cuMemcpyHtoDAsync", IMPLEMENTED, "CUresult",
   "CUdeviceptr_v1 dstDevice, const void *srcHost, unsigned int ByteCount, CUstream hStream", since=2000)
fn("cuMemcpyHtoDAsync_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream", since=3020, pt="ptsz")
fn("cuMemcpyPeer", IMPLEMENTED, "CUresult",
   "CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext, size_t "
   "ByteCount", since=4000, pt="ptds")
fn("cuMemcpyPeerAsync", IMPLEMENTED, "CUresult",
   "CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext, size_t "
   "ByteCount, CUstream hStream", since=4000, pt="ptsz")
fn("cuMemsetD16", IMPLEMENTED, "CUresult", "CUdeviceptr_v1 dstDevice, unsigned short us, unsigned int N", since=2000)
fn("cuMemsetD16_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr dstDevice, unsigned short us, size_t N", since=3020, pt="ptds")
fn("cuMemsetD16Async", IMPLEMENTED, "CUresult",
   "CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream", since=3020, pt="ptsz")
fn("cuMemsetD2D16", IMPLEMENTED, "CUresult",
   "CUdeviceptr_v1 dstDevice, unsigned int dstPitch, unsigned short us, unsigned int Width, unsigned "
   "int Height", since=2000)
fn("cuMemsetD2D16_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height",
   since=3020, pt="ptds")
fn("cuMemsetD2D16Async", IMPLEMENTED, "CUresult",
   "CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height, CUstream "
   "hStream", since=3020, pt="ptsz")
fn("cuMemsetD2D32", IMPLEMENTED, "CUresult",
   "CUdeviceptr_v1 dstDevice, unsigned int dstPitch, unsigned int ui, unsigned int Width, unsigned int "
   "Height", since=2000)
fn("cuMemsetD2D32_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height",
   since=3020, pt="ptds")
fn("cuMemsetD2D32Async", IMPLEMENTED, "CUresult",
   "CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height, CUstream "
   "hStream", since=3020, pt="ptsz")
fn("cuMemsetD2D8", IMPLEMENTED, "CUresult",
   "CUdeviceptr_v1 dstDevice, unsigned int dstPitch, unsigned char uc, unsigned int Width, unsigned "
   "int Height", since=2000)
fn("cuMemsetD2D8_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height",
   since=3020, pt="ptds")
fn("cuMemsetD2D8Async", IMPLEMENTED, "CUresult",
   "CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height, CUstream "
   "hStream", since=3020, pt="ptsz")
fn("cuMemsetD32", IMPLEMENTED, "CUresult", "CUdeviceptr_v1 dstDevice, unsigned int ui, unsigned int N", since=2000)
fn("cuMemsetD32_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr dstDevice, unsigned int ui, size_t N", since=3020, pt="ptds")
fn("cuMemsetD32Async", IMPLEMENTED, "CUresult",
   "CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream", since=3020, pt="ptsz")
fn("cuMemsetD8", IMPLEMENTED, "CUresult", "CUdeviceptr_v1 dstDevice, unsigned char uc, unsigned int N", since=2000)
fn("cuMemsetD8_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr dstDevice, unsigned char uc, size_t N", since=3020, pt="ptds")
fn("cuMemsetD8Async", IMPLEMENTED, "CUresult",
   "CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream", since=3020, pt="ptsz")
fn("cuMipmappedArrayCreate", IMPLEMENTED, "CUresult",
   "CUmipmappedArray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc, unsigned int "
   "numMipmapLevels", since=5000)
fn("cuMipmappedArrayDestroy", IMPLEMENTED, "CUresult", "CUmipmappedArray hMipmappedArray", since=5000)
fn("cuMipmappedArrayGetLevel", IMPLEMENTED, "CUresult",
   "CUarray *pLevelArray, CUmipmappedArray hMipmappedArray, unsigned int level", since=5000)
fn("cuMipmappedArrayGetMemoryRequirements", IMPLEMENTED, "CUresult",
   "CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements, CUmipmappedArray mipmap, CUdevice device",
   since=11060)
fn("cuMipmappedArrayGetSparseProperties", IMPLEMENTED, "CUresult",
   "CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties, CUmipmappedArray mipmap", since=11010)
fn("cuMemcpy3DWithAttributesAsync", IMPLEMENTED, "CUresult",
   "CUDA_MEMCPY3D_BATCH_OP *op, unsigned long long flags, CUstream hStream", since=13020, pt="ptsz")
fn("cuMemcpyWithAttributesAsync", IMPLEMENTED, "CUresult",
   "CUdeviceptr dst, CUdeviceptr src, size_t size, CUmemcpyAttributes *attr, CUstream hStream",
   since=13020, pt="ptsz")
fn("cuMemGetLocationInfo", IMPLEMENTED, "CUresult",
   "CUdeviceptr ptr, size_t size, size_t summaryGranularity, size_t samplingGranularity, CUmemLocation "
   "*location_out", since=13040)
fn("cuFabricCpyBatchAsync", IMPLEMENTED, "CUresult",
   "size_t numOps, CUDA_FABRIC_COPY_BATCH_OP *opList, unsigned long long flags, CUstream hStream",
   since=13050, pt="ptsz")
