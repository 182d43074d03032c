"""Context management: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Context management")
fn = chapter.fn

fn("cuCtxAttach", IMPLEMENTED, "CUresult", "CUcontext *pctx, unsigned int flags", since=2000)
fn("cuCtxCreate", IMPLEMENTED, "CUresult", "CUcontext *pctx, unsigned int flags, CUdevice dev", since=2000)
fn("cuCtxCreate_v2", IMPLEMENTED, "CUresult", "CUcontext *pctx, unsigned int flags, CUdevice dev", since=3020)
fn("cuCtxCreate_v3", IMPLEMENTED, "CUresult",
   "CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams, unsigned int flags, CUdevice dev",
   since=11040)
fn("cuCtxCreate_v4", IMPLEMENTED, "CUresult",
   "CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags, CUdevice dev", since=12050)
fn("cuCtxDestroy", IMPLEMENTED, "CUresult", "CUcontext ctx", since=2000)
fn("cuCtxDestroy_v2", IMPLEMENTED, "CUresult", "CUcontext ctx", since=4000)
fn("cuCtxDetach", IMPLEMENTED, "CUresult", "CUcontext ctx", since=2000)
fn("cuCtxGetApiVersion", IMPLEMENTED, "CUresult", "CUcontext ctx, unsigned int *version", since=3020)
fn("cuCtxGetCacheConfig", IMPLEMENTED, "CUresult", "CUfunc_cache *pconfig", since=3020)
fn("cuCtxGetCurrent", IMPLEMENTED, "CUresult", "CUcontext *pctx", since=4000)
fn("cuCtxGetDevice", IMPLEMENTED, "CUresult", "CUdevice *device", since=2000)
fn("cuCtxGetDevice_v2", IMPLEMENTED, "CUresult", "CUdevice *device, CUcontext ctx", since=13000)
fn("cuCtxGetExecAffinity", IMPLEMENTED, "CUresult",
   "CUexecAffinityParam *pExecAffinity, CUexecAffinityType type", since=11040)
fn("cuCtxGetFlags", IMPLEMENTED, "CUresult", "unsigned int *flags", since=7000)
fn("cuCtxGetId", IMPLEMENTED, "CUresult", "CUcontext ctx, unsigned long long *ctxId", since=12000)
fn("cuCtxGetLimit", IMPLEMENTED, "CUresult", "size_t *pvalue, CUlimit limit", since=3010)
fn("cuCtxGetSharedMemConfig", IMPLEMENTED, "CUresult", "CUsharedconfig *pConfig", since=4020)
fn("cuCtxGetStreamPriorityRange", IMPLEMENTED, "CUresult", "int *leastPriority, int *greatestPriority", since=5050)
fn("cuCtxPopCurrent", IMPLEMENTED, "CUresult", "CUcontext *pctx", since=2000)
fn("cuCtxPopCurrent_v2", IMPLEMENTED, "CUresult", "CUcontext *pctx", since=4000)
fn("cuCtxPushCurrent", IMPLEMENTED, "CUresult", "CUcontext ctx", since=2000)
fn("cuCtxPushCurrent_v2", IMPLEMENTED, "CUresult", "CUcontext ctx", since=4000)
fn("cuCtxRecordEvent", IMPLEMENTED, "CUresult", "CUcontext hCtx, CUevent hEvent", since=12050)
fn("cuCtxResetPersistingL2Cache", IMPLEMENTED, "CUresult", "void", since=11000)
fn("cuCtxSetCacheConfig", IMPLEMENTED, "CUresult", "CUfunc_cache config", since=3020)
fn("cuCtxSetCurrent", IMPLEMENTED, "CUresult", "CUcontext ctx", since=4000)
fn("cuCtxSetFlags", IMPLEMENTED, "CUresult", "unsigned int flags", since=12010)
fn("cuCtxSetLimit", IMPLEMENTED, "CUresult", "CUlimit limit, size_t value", since=3010)
fn("cuCtxSetSharedMemConfig", IMPLEMENTED, "CUresult", "CUsharedconfig config", since=4020)
fn("cuCtxSynchronize", IMPLEMENTED, "CUresult", "void", since=2000)
fn("cuCtxSynchronize_v2", IMPLEMENTED, "CUresult", "CUcontext ctx", since=13000)
fn("cuCtxWaitEvent", IMPLEMENTED, "CUresult", "CUcontext hCtx, CUevent hEvent", since=12050)
