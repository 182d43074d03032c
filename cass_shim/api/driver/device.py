"""Device management: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Device management")
fn = chapter.fn

fn("cuDeviceComputeCapability", IMPLEMENTED, "CUresult", "int *major, int *minor, CUdevice dev", since=2000)
fn("cuDeviceGet", IMPLEMENTED, "CUresult", "CUdevice *device, int ordinal", since=2000)
fn("cuDeviceGetAttribute", IMPLEMENTED, "CUresult", "int *pi, CUdevice_attribute attrib, CUdevice dev", since=2000)
fn("cuDeviceGetCount", IMPLEMENTED, "CUresult", "int *count", since=2000)
fn("cuDeviceGetDefaultMemPool", IMPLEMENTED, "CUresult", "CUmemoryPool *pool_out, CUdevice dev", since=11020)
fn("cuDeviceGetExecAffinitySupport", IMPLEMENTED, "CUresult",
   "int *pi, CUexecAffinityType type, CUdevice dev", since=11040)
fn("cuDeviceGetHostAtomicCapabilities", IMPLEMENTED, "CUresult",
   "unsigned int *capabilities, const CUatomicOperation *operations, unsigned int count, CUdevice dev",
   since=13000)
fn("cuDeviceGetLuid", IMPLEMENTED, "CUresult", "char *luid, unsigned int *deviceNodeMask, CUdevice dev", since=10000)
fn("cuDeviceGetMemPool", IMPLEMENTED, "CUresult", "CUmemoryPool *pool, CUdevice dev", since=11020)
fn("cuDeviceGetName", IMPLEMENTED, "CUresult", "char *name, int len, CUdevice dev", since=2000)
fn("cuDeviceGetNvSciSyncAttributes", IMPLEMENTED, "CUresult",
   "void *nvSciSyncAttrList, CUdevice dev, int flags", since=10020)
fn("cuDeviceGetProperties", IMPLEMENTED, "CUresult", "CUdevprop *prop, CUdevice dev", since=2000)
fn("cuDeviceGetTexture1DLinearMaxWidth", IMPLEMENTED, "CUresult",
   "size_t *maxWidthInElements, CUarray_format format, unsigned numChannels, CUdevice dev", since=11010)
fn("cuDeviceGetUuid", IMPLEMENTED, "CUresult", "CUuuid *uuid, CUdevice dev", since=9020)
fn("cuDeviceGetUuid_v2", IMPLEMENTED, "CUresult", "CUuuid *uuid, CUdevice dev", since=11040)
fn("cuDeviceSetMemPool", IMPLEMENTED, "CUresult", "CUdevice dev, CUmemoryPool pool", since=11020)
fn("cuDeviceTotalMem", IMPLEMENTED, "CUresult", "unsigned int *bytes, CUdevice dev", since=2000)
fn("cuDeviceTotalMem_v2", IMPLEMENTED, "CUresult", "size_t *bytes, CUdevice dev", since=3020)
fn("cuFlushGPUDirectRDMAWrites", IMPLEMENTED, "CUresult",
   "CUflushGPUDirectRDMAWritesTarget target, CUflushGPUDirectRDMAWritesScope scope", since=11030)
fn("cuDeviceGetCliqueCount", IMPLEMENTED, "CUresult", "size_t *count, CUdevice dev", since=13040)
fn("cuDeviceGetCliqueInfo", IMPLEMENTED, "CUresult",
   "CUcliqueInfo *cliqueInfo, size_t *count, CUdevice dev", since=13040)
fn("cuDeviceGetFabricClusterUuid", IMPLEMENTED, "CUresult", "CUuuid *uuid, CUdevice dev", since=13040)
