"""Stream-ordered memory allocator: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "Stream-ordered memory allocator")
fn = chapter.fn

fn("cudaFreeAsync", IMPLEMENTED, "cudaError_t", "void *devPtr, cudaStream_t hStream", since=11020, pt="ptsz")
fn("cudaMallocAsync", IMPLEMENTED, "cudaError_t",
   "void **devPtr, size_t size, cudaStream_t hStream", since=11020, pt="ptsz")
fn("cudaMallocFromPoolAsync", IMPLEMENTED, "cudaError_t",
   "void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream", since=11020, pt="ptsz")
fn("cudaMemGetDefaultMemPool", IMPLEMENTED, "cudaError_t",
   "cudaMemPool_t *memPool, struct cudaMemLocation *location, enum cudaMemAllocationType type", since=13000)
fn("cudaMemGetMemPool", IMPLEMENTED, "cudaError_t",
   "cudaMemPool_t *memPool, struct cudaMemLocation *location, enum cudaMemAllocationType type", since=13000)
fn("cudaMemPoolCreate", IMPLEMENTED, "cudaError_t",
   "cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps", since=11020)
fn("cudaMemPoolDestroy", IMPLEMENTED, "cudaError_t", "cudaMemPool_t memPool", since=11020)
fn("cudaMemPoolExportPointer", IMPLEMENTED, "cudaError_t",
   "struct cudaMemPoolPtrExportData *exportData, void *ptr", since=11020)
fn("cudaMemPoolExportToShareableHandle", IMPLEMENTED, "cudaError_t",
   "void *shareableHandle, cudaMemPool_t memPool, enum cudaMemAllocationHandleType handleType, "
   "unsigned int flags", since=11020)
fn("cudaMemPoolGetAccess", IMPLEMENTED, "cudaError_t",
   "enum cudaMemAccessFlags *flags, cudaMemPool_t memPool, struct cudaMemLocation *location", since=11020)
fn("cudaMemPoolGetAttribute", IMPLEMENTED, "cudaError_t",
   "cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value", since=11020)
fn("cudaMemPoolImportFromShareableHandle", IMPLEMENTED, "cudaError_t",
   "cudaMemPool_t *memPool, void *shareableHandle, enum cudaMemAllocationHandleType handleType, "
   "unsigned int flags", since=11020)
fn("cudaMemPoolImportPointer", IMPLEMENTED, "cudaError_t",
   "void **ptr, cudaMemPool_t memPool, struct cudaMemPoolPtrExportData *exportData", since=11020)
fn("cudaMemPoolSetAccess", IMPLEMENTED, "cudaError_t",
   "cudaMemPool_t memPool, const struct cudaMemAccessDesc *descList, size_t count", since=11020)
fn("cudaMemPoolSetAttribute", IMPLEMENTED, "cudaError_t",
   "cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value", since=11020)
fn("cudaMemPoolTrimTo", IMPLEMENTED, "cudaError_t", "cudaMemPool_t memPool, size_t minBytesToKeep", since=11020)
fn("cudaMemSetMemPool", IMPLEMENTED, "cudaError_t",
   "struct cudaMemLocation *location, enum cudaMemAllocationType type, cudaMemPool_t memPool", since=13000)
