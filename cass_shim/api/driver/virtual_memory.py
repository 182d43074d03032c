"""Virtual memory management: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Virtual memory management")
fn = chapter.fn

fn("cuMemAddressFree", IMPLEMENTED, "CUresult", "CUdeviceptr ptr, size_t size", since=10020)
fn("cuMemAddressReserve", IMPLEMENTED, "CUresult",
   "CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr, unsigned long long flags", since=10020)
fn("cuMemCreate", IMPLEMENTED, "CUresult",
   "CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop, unsigned long "
   "long flags", since=10020)
fn("cuMemExportToShareableHandle", IMPLEMENTED, "CUresult",
   "void *shareableHandle, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType handleType, "
   "unsigned long long flags", since=10020)
fn("cuMemGetAccess", IMPLEMENTED, "CUresult",
   "unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr", since=10020)
fn("cuMemGetAllocationGranularity", IMPLEMENTED, "CUresult",
   "size_t *granularity, const CUmemAllocationProp *prop, CUmemAllocationGranularity_flags option",
   since=10020)
fn("cuMemGetAllocationPropertiesFromHandle", IMPLEMENTED, "CUresult",
   "CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle", since=10020)
fn("cuMemImportFromShareableHandle", IMPLEMENTED, "CUresult",
   "CUmemGenericAllocationHandle *handle, void *osHandle, CUmemAllocationHandleType shHandleType",
   since=10020)
fn("cuMemMap", IMPLEMENTED, "CUresult",
   "CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle, unsigned long "
   "long flags", since=10020)
fn("cuMemMapArrayAsync", IMPLEMENTED, "CUresult",
   "CUarrayMapInfo *mapInfoList, unsigned int count, CUstream hStream", since=11010, pt="ptsz")
fn("cuMemRelease", IMPLEMENTED, "CUresult", "CUmemGenericAllocationHandle handle", since=10020)
fn("cuMemRetainAllocationHandle", IMPLEMENTED, "CUresult",
   "CUmemGenericAllocationHandle *handle, void *addr", since=11000)
fn("cuMemSetAccess", IMPLEMENTED, "CUresult",
   "CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count", since=10020)
fn("cuMemUnmap", IMPLEMENTED, "CUresult", "CUdeviceptr ptr, size_t size", since=10020)
