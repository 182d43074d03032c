"""Peer device memory access: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "Peer device memory access")
fn = chapter.fn

fn("cudaDeviceCanAccessPeer", IMPLEMENTED, "cudaError_t",
   "int *canAccessPeer, int device, int peerDevice", since=4000)
fn("cudaDeviceDisablePeerAccess", IMPLEMENTED, "cudaError_t", "int peerDevice", since=4000)
fn("cudaDeviceEnablePeerAccess", IMPLEMENTED, "cudaError_t", "int peerDevice, unsigned int flags", since=4000)
