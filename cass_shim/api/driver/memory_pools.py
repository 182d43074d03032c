"""Stream-ordered memory allocator: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Stream-ordered memory allocator")
fn = chapter.fn

fn("cuMemAllocAsync", IMPLEMENTED, "CUresult",
   "CUdeviceptr *dptr, size_t bytesize, CUstream hStream", since=11020, pt="ptsz")
fn("cuMemAllocFromPoolAsync", IMPLEMENTED, "CUresult",
   "CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream", since=11020, pt="ptsz")
fn("cuMemFreeAsync", IMPLEMENTED, "CUresult", "CUdeviceptr dptr, CUstream hStream", since=11020, pt="ptsz")
fn("cuMemGetDefaultMemPool", IMPLEMENTED, "CUresult",
   "CUmemoryPool *pool_out, CUmemLocation *location, CUmemAllocationType type", since=13000)
fn("cuMemGetMemPool", IMPLEMENTED, "CUresult",
   "CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type", since=13000)
fn("cuMemPoolCreate", IMPLEMENTED, "CUresult", "CUmemoryPool *pool, const CUmemPoolProps *poolProps", since=11020)
fn("cuMemPoolDestroy", IMPLEMENTED, "CUresult", "CUmemoryPool pool", since=11020)
fn("cuMemPoolExportPointer", IMPLEMENTED, "CUresult",
   "CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr", since=11020)
fn("cuMemPoolExportToShareableHandle", IMPLEMENTED, "CUresult",
   "void *handle_out, CUmemoryPool pool, CUmemAllocationHandleType handleType, unsigned long long "
   "flags", since=11020)
fn("cuMemPoolGetAccess", IMPLEMENTED, "CUresult",
   "CUmemAccess_flags *flags, CUmemoryPool memPool, CUmemLocation *location", since=11020)
fn("cuMemPoolGetAttribute", IMPLEMENTED, "CUresult",
   "CUmemoryPool pool, CUmemPool_attribute attr, void *value", since=11020)
fn("cuMemPoolImportFromShareableHandle", IMPLEMENTED, "CUresult",
   "CUmemoryPool *pool_out, void *handle, CUmemAllocationHandleType handleType, unsigned long long "
   "flags", since=11020)
fn("cuMemPoolImportPointer", IMPLEMENTED, "CUresult",
   "CUdeviceptr *ptr_out, CUmemoryPool pool, CUmemPoolPtrExportData *shareData", since=11020)
fn("cuMemPoolSetAccess", IMPLEMENTED, "CUresult",
   "CUmemoryPool pool, const CUmemAccessDesc *map, size_t count", since=11020)
fn("cuMemPoolSetAttribute", IMPLEMENTED, "CUresult",
   "CUmemoryPool pool, CUmemPool_attribute attr, void *value", since=11020)
fn("cuMemPoolTrimTo", IMPLEMENTED, "CUresult", "CUmemoryPool pool, size_t minBytesToKeep", since=11020)
fn("cuMemSetMemPool", IMPLEMENTED, "CUresult",
   "CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool", since=13000)
