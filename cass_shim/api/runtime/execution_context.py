"""Execution contexts: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "Execution contexts")
fn = chapter.fn
fn("cudaDevResourceGenerateDesc", IMPLEMENTED, "cudaError_t",
   "cudaDevResourceDesc_t *phDesc, cudaDevResource *resources, unsigned int nbResources", since=13010)
fn("cudaDevSmResourceSplit", IMPLEMENTED, "cudaError_t",
   "cudaDevResource *result, unsigned int nbGroups, const cudaDevResource *input, cudaDevResource "
   "*remainder, unsigned int flags, cudaDevSmResourceGroupParams *groupParams", since=13010)
fn("cudaDevSmResourceSplitByCount", IMPLEMENTED, "cudaError_t",
   "cudaDevResource *result, unsigned int *nbGroups, const cudaDevResource *input, cudaDevResource "
   "*remaining, unsigned int flags, unsigned int minCount", since=13010)
fn("cudaDeviceGetDevResource", IMPLEMENTED, "cudaError_t",
   "int device, cudaDevResource *resource, enum cudaDevResourceType type", since=13010)
fn("cudaDeviceGetExecutionCtx", IMPLEMENTED, "cudaError_t", "cudaExecutionContext_t *ctx, int device", since=13010)
fn("cudaExecutionCtxDestroy", IMPLEMENTED, "cudaError_t", "cudaExecutionContext_t ctx", since=13010)
fn("cudaExecutionCtxGetDevResource", IMPLEMENTED, "cudaError_t",
   "cudaExecutionContext_t ctx, cudaDevResource *resource, enum cudaDevResourceType type", since=13010)
fn("cudaExecutionCtxGetDevice", IMPLEMENTED, "cudaError_t", "int *device, cudaExecutionContext_t ctx", since=13010)
fn("cudaExecutionCtxGetId", IMPLEMENTED, "cudaError_t",
   "cudaExecutionContext_t ctx, unsigned long long *ctxId", since=13010)
fn("cudaExecutionCtxRecordEvent", IMPLEMENTED, "cudaError_t",
   "cudaExecutionContext_t ctx, cudaEvent_t event", since=13010)
fn("cudaExecutionCtxStreamCreate", IMPLEMENTED, "cudaError_t",
   "cudaStream_t *phStream, cudaExecutionContext_t ctx, unsigned int flags, int priority", since=13010)
fn("cudaExecutionCtxSynchronize", IMPLEMENTED, "cudaError_t", "cudaExecutionContext_t ctx", since=13010)
fn("cudaExecutionCtxWaitEvent", IMPLEMENTED, "cudaError_t",
   "cudaExecutionContext_t ctx, cudaEvent_t event", since=13010)
fn("cudaGreenCtxCreate", IMPLEMENTED, "cudaError_t",
   "cudaExecutionContext_t *phCtx, cudaDevResourceDesc_t desc, int device, unsigned int flags", since=13010)
fn("cudaStreamGetDevResource", IMPLEMENTED, "cudaError_t",
   "cudaStream_t hStream, cudaDevResource *resource, enum cudaDevResourceType type", since=13010, pt="ptsz")
