"""Context management: the rows of this chapter of the CUDA driver API manual."""
# fmt: off
from __future__ import annotations

from cass_shim.api.spec import STUB, Chapter

chapter = Chapter("driver", "Context management")
fn = chapter.fn

fn("cuCtxAttach", STUB, "CUresult", "CUcontext *pctx, unsigned int flags", since=2000)
fn("cuCtxCreate", STUB, "CUresult", "CUcontext *pctx, unsigned int flags, CUdevice dev", since=2000)
fn("cuCtxCreate_v2", STUB, "CUresult", "CUcontext *pctx, unsigned int flags, CUdevice dev", since=3020)
fn("cuCtxCreate_v3", STUB, "CUresult",
   "CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams, unsigned int flags, CUdevice dev",
   since=11040)
fn("cuCtxCreate_v4", STUB, "CUresult",
   "CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags, CUdevice dev", since=12050)
fn("cuCtxDestroy", STUB, "CUresult", "CUcontext ctx", since=2000)
fn("cuCtxDestroy_v2", STUB, "CUresult", "CUcontext ctx", since=4000)
fn("cuCtxDetach", STUB, "CUresult", "CUcontext ctx", since=2000)
fn("cuCtxGetApiVersion", STUB, "CUresult", "CUcontext ctx, unsigned int *version", since=3020)
fn("cuCtxGetCacheConfig", STUB, "CUresult", "CUfunc_cache *pconfig", since=3020)
fn("cuCtxGetCurrent", STUB, "CUresult", "CUcontext *pctx", since=4000)
fn("cuCtxGetDevice", STUB, "CUresult", "CUdevice *device", since=2000)
fn("cuCtxGetDevice_v2", STUB, "CUresult", "CUdevice *device, CUcontext ctx", since=13000)
fn("cuCtxGetExecAffinity", STUB, "CUresult",
   "CUexecAffinityParam *pExecAffinity, CUexecAffinityType type", since=11040)
fn("cuCtxGetFlags", STUB, "CUresult", "unsigned int *flags", since=7000)
fn("cuCtxGetId", STUB, "CUresult", "CUcontext ctx, unsigned long long *ctxId", since=12000)
fn("cuCtxGetLimit", STUB, "CUresult", "size_t *pvalue, CUlimit limit", since=3010)
fn("cuCtxGetSharedMemConfig", STUB, "CUresult", "CUsharedconfig *pConfig", since=4020)
fn("cuCtxGetStreamPriorityRange", STUB, "CUresult", "int *leastPriority, int *greatestPriority", since=5050)
fn("cuCtxPopCurrent", STUB, "CUresult", "CUcontext *pctx", since=2000)
fn("cuCtxPopCurrent_v2", STUB, "CUresult", "CUcontext *pctx", since=4000)
fn("cuCtxPushCurrent", STUB, "CUresult", "CUcontext ctx", since=2000)
fn("cuCtxPushCurrent_v2", STUB, "CUresult", "CUcontext ctx", since=4000)
fn("cuCtxRecordEvent", STUB, "CUresult", "CUcontext hCtx, CUevent hEvent", since=12050)
fn("cuCtxResetPersistingL2Cache", STUB, "CUresult", "void", since=11000)
fn("cuCtxSetCacheConfig", STUB, "CUresult", "CUfunc_cache config", since=3020)
fn("cuCtxSetCurrent", STUB, "CUresult", "CUcontext ctx", since=4000)
fn("cuCtxSetFlags", STUB, "CUresult", "unsigned int flags", since=12010)
fn("cuCtxSetLimit", STUB, "CUresult", "CUlimit limit, size_t value", since=3010)
fn("cuCtxSetSharedMemConfig", STUB, "CUresult", "CUsharedconfig config", since=4020)
fn("cuCtxSynchronize", STUB, "CUresult", "void", since=2000)
fn("cuCtxSynchronize_v2", STUB, "CUresult", "CUcontext ctx", since=13000)
fn("cuCtxWaitEvent", STUB, "CUresult", "CUcontext hCtx, CUevent hEvent", since=12050)
