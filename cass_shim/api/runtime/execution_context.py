"""Execution contexts: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import STUB, Chapter

chapter = Chapter("runtime", "Execution contexts")
fn = chapter.fn
fn("cudaDevResourceGenerateDesc", STUB, "cudaError_t",
   "cudaDevResourceDesc_t *phDesc, cudaDevResource *resources, unsigned int nbResources", since=13010)
fn("cudaDevSmResourceSplit", STUB, "cudaError_t",
   "cudaDevResource *result, unsigned int nbGroups, const cudaDevResource *input, cudaDevResource "
   "*remainder, unsigned int flags, cudaDevSmResourceGroupParams *groupParams", since=13010)
fn("cudaDevSmResourceSplitByCount", STUB, "cudaError_t",
   "cudaDevResource *result, unsigned int *nbGroups, const cudaDevResource *input, cudaDevResource "
   "*remaining, unsigned int flags, unsigned int minCount", since=13010)
fn("cudaDeviceGetDevResource", STUB, "cudaError_t",
   "int device, cudaDevResource *resource, enum cudaDevResourceType type", since=13010)
fn("cudaDeviceGetExecutionCtx", STUB, "cudaError_t", "cudaExecutionContext_t *ctx, int device", since=13010)
fn("cudaExecutionCtxDestroy", STUB, "cudaError_t", "cudaExecutionContext_t ctx", since=13010)
fn("cudaExecutionCtxGetDevResource", STUB, "cudaError_t",
   "cudaExecutionContext_t ctx, cudaDevResource *resource, enum cudaDevResourceType type", since=13010)
fn("cudaExecutionCtxGetDevice", STUB, "cudaError_t", "int *device, cudaExecutionContext_t ctx", since=13010)
fn("cudaExecutionCtxGetId", STUB, "cudaError_t",
   "cudaExecutionContext_t ctx, unsigned long long *ctxId", since=13010)
fn("cudaExecutionCtxRecordEvent", STUB, "cudaError_t",
   "cudaExecutionContext_t ctx, cudaEvent_t event", since=13010)
fn("cudaExecutionCtxStreamCreate", STUB, "cudaError_t",
   "cudaStream_t *phStream, cudaExecutionContext_t ctx, unsigned int flags, int priority", since=13010)
fn("cudaExecutionCtxSynchronize", STUB, "cudaError_t", "cudaExecutionContext_t ctx", since=13010)
fn("cudaExecutionCtxWaitEvent", STUB, "cudaError_t",
   "cudaExecutionContext_t ctx, cudaEvent_t event", since=13010)
fn("cudaGreenCtxCreate", STUB, "cudaError_t",
   "cudaExecutionContext_t *phCtx, cudaDevResourceDesc_t desc, int device, unsigned int flags", since=13010)
fn("cudaStreamGetDevResource", STUB, "cudaError_t",
   "cudaStream_t hStream, cudaDevResource *resource, enum cudaDevResourceType type", since=13010, pt="ptsz")
