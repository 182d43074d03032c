"""Logical endpoints: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Logical endpoints")
fn = chapter.fn
fn("cuLogicalEndpointAddDevice", IMPLEMENTED, "CUresult", "CUlogicalEndpointId leId, CUdevice dev", since=13030)
fn("cuLogicalEndpointBindAddr", IMPLEMENTED, "CUresult",
   "CUlogicalEndpointId leId, CUdevice dev, cuuint64_t offset, void *ptr, cuuint64_t size, unsigned "
   "long long flags", since=13030)
fn("cuLogicalEndpointBindMem", IMPLEMENTED, "CUresult",
   "CUlogicalEndpointId leId, CUdevice dev, cuuint64_t offset, CUmemGenericAllocationHandle memHandle, "
   "cuuint64_t memOffset, cuuint64_t size, unsigned long long flags", since=13030)
fn("cuLogicalEndpointCreate", IMPLEMENTED, "CUresult",
   "CUlogicalEndpointId leId, const CUlogicalEndpointProp *prop", since=13030)
fn("cuLogicalEndpointDestroy", IMPLEMENTED, "CUresult", "CUlogicalEndpointId leId", since=13030)
fn("cuLogicalEndpointExport", IMPLEMENTED, "CUresult",
   "void *handle, CUlogicalEndpointId leId, CUlogicalEndpointIpcHandleType handleType", since=13030)
fn("cuLogicalEndpointGetLimits", IMPLEMENTED, "CUresult",
   "cuuint64_t *bindAlignment, cuuint64_t *maxSize, const CUlogicalEndpointProp *prop", since=13030)
fn("cuLogicalEndpointIdRelease", IMPLEMENTED, "CUresult",
   "CUlogicalEndpointId baseLeId, cuuint32_t count", since=13030)
fn("cuLogicalEndpointIdReserve", IMPLEMENTED, "CUresult",
   "CUlogicalEndpointId *baseLeId, cuuint32_t count", since=13030)
fn("cuLogicalEndpointImport", IMPLEMENTED, "CUresult",
   "CUlogicalEndpointId leId, const void *handle, CUlogicalEndpointIpcHandleType handleType", since=13030)
fn("cuLogicalEndpointQuery", IMPLEMENTED, "CUresult",
   "CUlogicalEndpointId leId, cuuint32_t count, int *queryStatus", since=13030)
fn("cuLogicalEndpointUnbind", IMPLEMENTED, "CUresult",
   "CUlogicalEndpointId leId, CUdevice dev, cuuint64_t offset, cuuint64_t size", since=13030)
