"""Peer device memory access: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Peer device memory access")
fn = chapter.fn

fn("cuCtxDisablePeerAccess", IMPLEMENTED, "CUresult", "CUcontext peerContext", since=4000)
fn("cuCtxEnablePeerAccess", IMPLEMENTED, "CUresult", "CUcontext peerContext, unsigned int Flags", since=4000)
fn("cuDeviceCanAccessPeer", IMPLEMENTED, "CUresult",
   "int *canAccessPeer, CUdevice dev, CUdevice peerDev", since=4000)
fn("cuDeviceGetP2PAtomicCapabilities", IMPLEMENTED, "CUresult",
   "unsigned int *capabilities, const CUatomicOperation *operations, unsigned int count, CUdevice "
   "srcDevice, CUdevice dstDevice", since=13000)
fn("cuDeviceGetP2PAttribute", IMPLEMENTED, "CUresult",
   "int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice, CUdevice dstDevice", since=8000)
