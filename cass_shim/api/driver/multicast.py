"""Multicast object management: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Multicast object management")
fn = chapter.fn

fn("cuMulticastAddDevice", IMPLEMENTED, "CUresult",
   "CUmemGenericAllocationHandle mcHandle, CUdevice dev", since=12010)
fn("cuMulticastBindAddr", IMPLEMENTED, "CUresult",
   "CUmemGenericAllocationHandle mcHandle, size_t mcOffset, CUdeviceptr memptr, size_t size, unsigned "
   "long long flags", since=12010)
fn("cuMulticastBindMem", IMPLEMENTED, "CUresult",
   "CUmemGenericAllocationHandle mcHandle, size_t mcOffset, CUmemGenericAllocationHandle memHandle, "
   "size_t memOffset, size_t size, unsigned long long flags", since=12010)
fn("cuMulticastCreate", IMPLEMENTED, "CUresult",
   "CUmemGenericAllocationHandle *mcHandle, const CUmulticastObjectProp *prop", since=12010)
fn("cuMulticastGetGranularity", IMPLEMENTED, "CUresult",
   "size_t *granularity, const CUmulticastObjectProp *prop, CUmulticastGranularity_flags option", since=12010)
fn("cuMulticastUnbind", IMPLEMENTED, "CUresult",
   "CUmemGenericAllocationHandle mcHandle, CUdevice dev, size_t mcOffset, size_t size", since=12010)
fn("cuMulticastBindAddr_v2", IMPLEMENTED, "CUresult",
   "CUmemGenericAllocationHandle mcHandle, CUdevice dev, size_t mcOffset, CUdeviceptr memptr, size_t "
   "size, unsigned long long flags", since=13010)
fn("cuMulticastBindMem_v2", IMPLEMENTED, "CUresult",
   "CUmemGenericAllocationHandle mcHandle, CUdevice dev, size_t mcOffset, CUmemGenericAllocationHandle "
   "memHandle, size_t memOffset, size_t size, unsigned long long flags", since=13010)
