"""Logical endpoints: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import STUB, Chapter

chapter = Chapter("driver", "Logical endpoints")
fn = chapter.fn
fn("cuLogicalEndpointAddDevice", STUB, "CUresult", "CUlogicalEndpointId leId, CUdevice dev", since=13030)
fn("cuLogicalEndpointBindAddr", STUB, "CUresult",
   "CUlogicalEndpointId leId, CUdevice dev, cuuint64_t offset, void *ptr, cuuint64_t size, unsigned "
   "long long flags", since=13030)
fn("cuLogicalEndpointBindMem", STUB, "CUresult",
   "CUlogicalEndpointId leId, CUdevice dev, cuuint64_t offset, CUmemGenericAllocationHandle memHandle, "
   "cuuint64_t memOffset, cuuint64_t size, unsigned long long flags", since=13030)
fn("cuLogicalEndpointCreate", STUB, "CUresult",
   "CUlogicalEndpointId leId, const CUlogicalEndpointProp *prop", since=13030)
fn("cuLogicalEndpointDestroy", STUB, "CUresult", "CUlogicalEndpointId leId", since=13030)
fn("cuLogicalEndpointExport", STUB, "CUresult",
   "void *handle, CUlogicalEndpointId leId, CUlogicalEndpointIpcHandleType handleType", since=13030)
fn("cuLogicalEndpointGetLimits", STUB, "CUresult",
   "cuuint64_t *bindAlignment, cuuint64_t *maxSize, const CUlogicalEndpointProp *prop", since=13030)
fn("cuLogicalEndpointIdRelease", STUB, "CUresult",
   "CUlogicalEndpointId baseLeId, cuuint32_t count", since=13030)
fn("cuLogicalEndpointIdReserve", STUB, "CUresult",
   "CUlogicalEndpointId *baseLeId, cuuint32_t count", since=13030)
fn("cuLogicalEndpointImport", STUB, "CUresult",
   "CUlogicalEndpointId leId, const void *handle, CUlogicalEndpointIpcHandleType handleType", since=13030)
fn("cuLogicalEndpointQuery", STUB, "CUresult",
   "CUlogicalEndpointId leId, cuuint32_t count, int *queryStatus", since=13030)
fn("cuLogicalEndpointUnbind", STUB, "CUresult",
   "CUlogicalEndpointId leId, CUdevice dev, cuuint64_t offset, cuuint64_t size", since=13030)
