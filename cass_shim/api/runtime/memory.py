"""Memory management: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "Memory management")
fn = chapter.fn
same = chapter.same

fn("cudaArrayGetInfo", IMPLEMENTED, "cudaError_t",
   "struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags, cudaArray_t "
   "array", since=4010)
fn("cudaArrayGetMemoryRequirements", IMPLEMENTED, "cudaError_t",
   "struct cudaArrayMemoryRequirements *memoryRequirements, cudaArray_t array, int device", since=11060)
fn("cudaArrayGetPlane", IMPLEMENTED, "cudaError_t",
   "cudaArray_t *pPlaneArray, cudaArray_t hArray, unsigned int planeIdx", since=11020)
fn("cudaArrayGetSparseProperties", IMPLEMENTED, "cudaError_t",
   "struct cudaArraySparseProperties *sparseProperties, cudaArray_t array", since=11010)
fn("cudaFree", IMPLEMENTED, "cudaError_t", "void *devPtr", since=3020)
fn("cudaFreeArray", IMPLEMENTED, "cudaError_t", "cudaArray_t array", since=3020)
fn("cudaFreeHost", IMPLEMENTED, "cudaError_t", "void *ptr", since=3020)
fn("cudaFreeMipmappedArray", IMPLEMENTED, "cudaError_t", "cudaMipmappedArray_t mipmappedArray", since=5000)
fn("cudaGetMipmappedArrayLevel", IMPLEMENTED, "cudaError_t",
   "cudaArray_t *levelArray, cudaMipmappedArray_const_t mipmappedArray, unsigned int level", since=5000)
fn("cudaGetSymbolAddress", IMPLEMENTED, "cudaError_t", "void **devPtr, const void *symbol", since=3020)
fn("cudaGetSymbolSize", IMPLEMENTED, "cudaError_t", "size_t *size, const void *symbol", since=3020)
fn("cudaHostAlloc", IMPLEMENTED, "cudaError_t", "void **pHost, size_t size, unsigned int flags", since=3020)
fn("cudaHostGetDevicePointer", IMPLEMENTED, "cudaError_t",
   "void **pDevice, void *pHost, unsigned int flags", since=3020)
fn("cudaHostGetFlags", IMPLEMENTED, "cudaError_t", "unsigned int *pFlags, void *pHost", since=3020)
fn("cudaHostRegister", IMPLEMENTED, "cudaError_t", "void *ptr, size_t size, unsigned int flags", since=4000)
fn("cudaHostUnregister", IMPLEMENTED, "cudaError_t", "void *ptr", since=4000)
fn("cudaMalloc", IMPLEMENTED, "cudaError_t", "void **devPtr, size_t size", since=3020)
fn("cudaMalloc3D", IMPLEMENTED, "cudaError_t",
   "struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent", since=3020)
fn("cudaMalloc3DArray", IMPLEMENTED, "cudaError_t",
   "cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned "
   "int flags", since=3020)
fn("cudaMallocArray", IMPLEMENTED, "cudaError_t",
   "cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height, "
   "unsigned int flags", since=3020)
fn("cudaMallocHost", IMPLEMENTED, "cudaError_t", "void **ptr, size_t size", since=3020)
fn("cudaMallocManaged", IMPLEMENTED, "cudaError_t", "void **devPtr, size_t size, unsigned int flags", since=6000)
fn("cudaMallocMipmappedArray", IMPLEMENTED, "cudaError_t",
   "cudaMipmappedArray_t *mipmappedArray, const struct cudaChannelFormatDesc *desc, struct cudaExtent "
   "extent, unsigned int numLevels, unsigned int flags", since=5000)
fn("cudaMallocPitch", IMPLEMENTED, "cudaError_t",
   "void **devPtr, size_t *pitch, size_t width, size_t height", since=3020)
fn("cudaMemAdvise", IMPLEMENTED, "cudaError_t",
   "const void *devPtr, size_t count, enum cudaMemoryAdvise advice, int device", since=8000, until=13000)
same("cudaMemAdvise", "cudaMemAdvise_v2", since=13000)
fn("cudaMemAdvise_v2", IMPLEMENTED, "cudaError_t",
   "const void *devPtr, size_t count, enum cudaMemoryAdvise advice, struct cudaMemLocation location",
   since=12090, until=13000)
fn("cudaMemDiscardAndPrefetchBatchAsync", IMPLEMENTED, "cudaError_t",
   "void **dptrs, size_t *sizes, size_t count, struct cudaMemLocation *prefetchLocs, size_t "
   "*prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream",
   since=13000, pt="ptsz")
fn("cudaMemDiscardBatchAsync", IMPLEMENTED, "cudaError_t",
   "void **dptrs, size_t *sizes, size_t count, unsigned long long flags, cudaStream_t stream",
   since=13000, pt="ptsz")
fn("cudaMemGetInfo", IMPLEMENTED, "cudaError_t", "size_t *free, size_t *total", since=3020)
fn("cudaMemPrefetchAsync", IMPLEMENTED, "cudaError_t",
   "const void *devPtr, size_t count, int dstDevice, cudaStream_t stream", since=8000, until=13000, pt="ptsz")
same("cudaMemPrefetchAsync", "cudaMemPrefetchAsync_v2", since=13000)
fn("cudaMemPrefetchAsync_v2", IMPLEMENTED, "cudaError_t",
   "const void *devPtr, size_t count, struct cudaMemLocation location, unsigned int flags, "
   "cudaStream_t stream", since=12090, until=13000, pt="ptsz")
fn("cudaMemPrefetchBatchAsync", IMPLEMENTED, "cudaError_t",
   "void **dptrs, size_t *sizes, size_t count, struct cudaMemLocation *prefetchLocs, size_t "
   "*prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream",
   since=13000, pt="ptsz")
fn("cudaMemRangeGetAttribute", IMPLEMENTED, "cudaError_t",
   "void *data, size_t dataSize, enum cudaMemRangeAttribute attribute, const void *devPtr, size_t "
   "count", since=8000)
fn("cudaMemRangeGetAttributes", IMPLEMENTED, "cudaError_t",
   "void **data, size_t *dataSizes, enum cudaMemRangeAttribute *attributes, size_t numAttributes, "
   "const void *devPtr, size_t count", since=8000)
fn("cudaMemcpy", IMPLEMENTED, "cudaError_t",
   "void *dst, const void *src, size_t count, enum cudaMemcpyKind kind", since=3020, pt="ptds")
fn("cudaMemcpy2D", IMPLEMENTED, "cudaError_t",
   "void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, enum "
   "cudaMemcpyKind kind", since=3020, pt="ptds")
fn("cudaMemcpy2DArrayToArray", IMPLEMENTED, "cudaError_t",
   "cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src, size_t wOffsetSrc, "
   "size_t hOffsetSrc, size_t width, size_t height, enum cudaMemcpyKind kind", since=3020, pt="ptds")
fn("cudaMemcpy2DAsync", IMPLEMENTED, "cudaError_t",
   "void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, enum "
   "cudaMemcpyKind kind, cudaStream_t stream", since=3020, pt="ptsz")
fn("cudaMemcpy2DFromArray", IMPLEMENTED, "cudaError_t",
   "void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t width, "
   "size_t height, enum cudaMemcpyKind kind", since=3020, pt="ptds")
fn("cudaMemcpy2DFromArrayAsync", IMPLEMENTED, "cudaError_t",
   "void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t width, "
   "size_t height, enum cudaMemcpyKind kind, cudaStream_t stream", since=3020, pt="ptsz")
fn("cudaMemcpy2DToArray", IMPLEMENTED, "cudaError_t",
   "cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width, "
   "size_t height, enum cudaMemcpyKind kind", since=3020, pt="ptds")
fn("cudaMemcpy2DToArrayAsync", IMPLEMENTED, "cudaError_t",
   "cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width, "
   "size_t height, enum cudaMemcpyKind kind, cudaStream_t stream", since=3020, pt="ptsz")
fn("cudaMemcpy3D", IMPLEMENTED, "cudaError_t", "const struct cudaMemcpy3DParms *p", since=3020, pt="ptds")
fn("cudaMemcpy3DAsync", IMPLEMENTED, "cudaError_t",
   "const struct cudaMemcpy3DParms *p, cudaStream_t stream", since=3020, pt="ptsz")
fn("cudaMemcpy3DBatchAsync", IMPLEMENTED, "cudaError_t",
   "size_t numOps, struct cudaMemcpy3DBatchOp *opList, size_t *failIdx, unsigned long long flags, "
   "cudaStream_t stream", since=12080, until=13000, pt="ptsz")
fn("cudaMemcpy3DBatchAsync", IMPLEMENTED, "cudaError_t",
   "size_t numOps, struct cudaMemcpy3DBatchOp *opList, unsigned long long flags, cudaStream_t stream",
   since=13000, pt="ptsz", body="cudaMemcpy3DBatchAsync_v13")
fn("cudaMemcpy3DPeer", IMPLEMENTED, "cudaError_t", "const struct cudaMemcpy3DPeerParms *p", since=4000, pt="ptds")
fn("cudaMemcpy3DPeerAsync", IMPLEMENTED, "cudaError_t",
   "const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream", since=4000, pt="ptsz")
fn("cudaMemcpyArrayToArray", IMPLEMENTED, "cudaError_t",
   "cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src, size_t wOffsetSrc, "
   "size_t hOffsetSrc, size_t count, enum cudaMemcpyKind kind", since=3020, pt="ptds")
fn("cudaMemcpyAsync", IMPLEMENTED, "cudaError_t",
   "void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream",
   since=3020, pt="ptsz")
fn("cudaMemcpyBatchAsync", IMPLEMENTED, "cudaError_t",
   "void **dsts, void **srcs, size_t *sizes, size_t count, struct cudaMemcpyAttributes *attrs, size_t "
   "*attrsIdxs, size_t numAttrs, size_t *failIdx, cudaStream_t stream", since=12080, until=13000, pt="ptsz")
fn("cudaMemcpyBatchAsync", IMPLEMENTED, "cudaError_t",
   "void * const *dsts, const void * const *srcs, const size_t *sizes, size_t count, struct "
   "cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, cudaStream_t stream",
   since=13000, pt="ptsz", body="cudaMemcpyBatchAsync_v13")
fn("cudaMemcpyFromArray", IMPLEMENTED, "cudaError_t",
   "void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count, enum "
   "cudaMemcpyKind kind", since=3020, pt="ptds")
fn("cudaMemcpyFromArrayAsync", IMPLEMENTED, "cudaError_t",
   "void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count, enum "
   "cudaMemcpyKind kind, cudaStream_t stream", since=3020, pt="ptsz")
fn("cudaMemcpyFromSymbol", IMPLEMENTED, "cudaError_t",
   "void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind",
   since=3020, pt="ptds")
fn("cudaMemcpyFromSymbolAsync", IMPLEMENTED, "cudaError_t",
   "void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind, cudaStream_t "
   "stream", since=3020, pt="ptsz")
fn("cudaMemcpyPeer", IMPLEMENTED, "cudaError_t",
   "void *dst, int dstDevice, const void *src, int srcDevice, size_t count", since=4000)
fn("cudaMemcpyPeerAsync", IMPLEMENTED, "cudaError_t",
   "void *dst, int dstDevice, const void *src, int srcDevice, size_t count, cudaStream_t stream", since=4000)
fn("cudaMemcpyToArray", IMPLEMENTED, "cudaError_t",
   "cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count, enum "
   "cudaMemcpyKind kind", since=3020, pt="ptds")
fn("cudaMemcpyToArrayAsync", IMPLEMENTED, "cudaError_t",
   "cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count, enum "
   "cudaMemcpyKind kind, cudaStream_t stream", since=3020, pt="ptsz")
fn("cudaMemcpyToSymbol", IMPLEMENTED, "cudaError_t",
   "const void *symbol, const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind",
   since=3020, pt="ptds")
fn("cudaMemcpyToSymbolAsync", IMPLEMENTED, "cudaError_t",
   "const void *symbol, const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind, "
   "cudaStream_t stream", since=3020, pt="ptsz")
fn("cudaMemset", IMPLEMENTED, "cudaError_t", "void *devPtr, int value, size_t count", since=3020, pt="ptds")
fn("cudaMemset2D", IMPLEMENTED, "cudaError_t",
   "void *devPtr, size_t pitch, int value, size_t width, size_t height", since=3020, pt="ptds")
fn("cudaMemset2DAsync", IMPLEMENTED, "cudaError_t",
   "void *devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream",
   since=3020, pt="ptsz")
fn("cudaMemset3D", IMPLEMENTED, "cudaError_t",
   "struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent", since=3020, pt="ptds")
fn("cudaMemset3DAsync", IMPLEMENTED, "cudaError_t",
   "struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent, cudaStream_t stream",
   since=3020, pt="ptsz")
fn("cudaMemsetAsync", IMPLEMENTED, "cudaError_t",
   "void *devPtr, int value, size_t count, cudaStream_t stream", since=3020, pt="ptsz")
fn("cudaMipmappedArrayGetMemoryRequirements", IMPLEMENTED, "cudaError_t",
   "struct cudaArrayMemoryRequirements *memoryRequirements, cudaMipmappedArray_t mipmap, int device",
   since=11060)
fn("cudaMipmappedArrayGetSparseProperties", IMPLEMENTED, "cudaError_t",
   "struct cudaArraySparseProperties *sparseProperties, cudaMipmappedArray_t mipmap", since=11010)
fn("cudaMemcpy3DWithAttributesAsync", IMPLEMENTED, "cudaError_t",
   "struct cudaMemcpy3DBatchOp *op, unsigned long long flags, cudaStream_t stream", since=13020, pt="ptsz")
fn("cudaMemcpyWithAttributesAsync", IMPLEMENTED, "cudaError_t",
   "void *dst, const void *src, size_t size, struct cudaMemcpyAttributes *attr, cudaStream_t stream",
   since=13020, pt="ptsz")
fn("cudaMemGetLocationInfo", IMPLEMENTED, "cudaError_t",
   "void *devPtr, size_t size, size_t summaryGranularity, size_t samplingGranularity, struct "
   "cudaMemLocation *location_out", since=13040)
