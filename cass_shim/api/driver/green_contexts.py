"""Green contexts: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Green contexts")
fn = chapter.fn

fn("cuCtxFromGreenCtx", IMPLEMENTED, "CUresult", "CUcontext *pContext, CUgreenCtx hCtx", since=12040)
fn("cuCtxGetDevResource", IMPLEMENTED, "CUresult",
   "CUcontext hCtx, CUdevResource *resource, CUdevResourceType type", since=12040)
fn("cuDevResourceGenerateDesc", IMPLEMENTED, "CUresult",
   "CUdevResourceDesc *phDesc, CUdevResource *resources, unsigned int nbResources", since=12040)
fn("cuDevSmResourceSplitByCount", IMPLEMENTED, "CUresult",
   "CUdevResource *result, unsigned int *nbGroups, const CUdevResource *input, CUdevResource "
   "*remaining, unsigned int useFlags, unsigned int minCount", since=12040)
fn("cuDeviceGetDevResource", IMPLEMENTED, "CUresult",
   "CUdevice device, CUdevResource *resource, CUdevResourceType type", since=12040)
fn("cuGreenCtxCreate", IMPLEMENTED, "CUresult",
   "CUgreenCtx *phCtx, CUdevResourceDesc desc, CUdevice dev, unsigned int flags", since=12040)
fn("cuGreenCtxDestroy", IMPLEMENTED, "CUresult", "CUgreenCtx hCtx", since=12040)
fn("cuGreenCtxGetDevResource", IMPLEMENTED, "CUresult",
   "CUgreenCtx hCtx, CUdevResource *resource, CUdevResourceType type", since=12040)
fn("cuGreenCtxGetId", IMPLEMENTED, "CUresult", "CUgreenCtx greenCtx, unsigned long long *greenCtxId", since=12090)
fn("cuGreenCtxRecordEvent", IMPLEMENTED, "CUresult", "CUgreenCtx hCtx, CUevent hEvent", since=12040)
fn("cuGreenCtxStreamCreate", IMPLEMENTED, "CUresult",
   "CUstream *phStream, CUgreenCtx greenCtx, unsigned int flags, int priority", since=12050)
fn("cuGreenCtxWaitEvent", IMPLEMENTED, "CUresult", "CUgreenCtx hCtx, CUevent hEvent", since=12040)
fn("cuStreamGetGreenCtx", IMPLEMENTED, "CUresult", "CUstream hStream, CUgreenCtx *phCtx", since=12040)
fn("cuDevSmResourceSplit", IMPLEMENTED, "CUresult",
   "CUdevResource *result, unsigned int nbGroups, const CUdevResource *input, CUdevResource "
   "*remainder, unsigned int flags, CU_DEV_SM_RESOURCE_GROUP_PARAMS *groupParams", since=13010)
fn("cuStreamGetDevResource", IMPLEMENTED, "CUresult",
   "CUstream hStream, CUdevResource *resource, CUdevResourceType type", since=13010, pt="ptsz")
