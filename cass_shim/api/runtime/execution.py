"""Execution control: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, STUB, UNDECLARED, Chapter

chapter = Chapter("runtime", "Execution control")
fn = chapter.fn

fn("cudaFuncGetAttributes", IMPLEMENTED, "cudaError_t",
   "struct cudaFuncAttributes *attr, const void *func", since=3020)
fn("cudaFuncGetName", IMPLEMENTED, "cudaError_t", "const char **name, const void *func", since=12030)
fn("cudaFuncGetParamInfo", IMPLEMENTED, "cudaError_t",
   "const void *func, size_t paramIndex, size_t *paramOffset, size_t *paramSize", since=12040)
fn("cudaFuncSetAttribute", IMPLEMENTED, "cudaError_t",
   "const void *func, enum cudaFuncAttribute attr, int value", since=9000)
fn("cudaFuncSetCacheConfig", IMPLEMENTED, "cudaError_t",
   "const void *func, enum cudaFuncCache cacheConfig", since=3020)
fn("cudaFuncSetSharedMemConfig", IMPLEMENTED, "cudaError_t",
   "const void *func, enum cudaSharedMemConfig config", since=4020)
fn("cudaLaunchCooperativeKernel", IMPLEMENTED, "cudaError_t",
   "const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream",
   since=9000, pt="ptsz")
fn("cudaLaunchCooperativeKernelMultiDevice", IMPLEMENTED, "cudaError_t",
   "struct cudaLaunchParams *launchParamsList, unsigned int numDevices, unsigned int flags",
   since=9000, until=13000)
fn("cudaLaunchHostFunc", IMPLEMENTED, "cudaError_t",
   "cudaStream_t stream, cudaHostFn_t fn, void *userData", since=10000, pt="ptsz")
fn("cudaLaunchKernel", IMPLEMENTED, "cudaError_t",
   "const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream",
   since=7000, pt="ptsz")
fn("cudaLaunchKernelExC", IMPLEMENTED, "cudaError_t",
   "const cudaLaunchConfig_t *config, const void *func, void **args", since=11060, pt="ptsz")
fn("cudaSetDoubleForDevice", IMPLEMENTED, "cudaError_t", "double *d", since=3020, until=13000)
fn("cudaSetDoubleForHost", IMPLEMENTED, "cudaError_t", "double *d", since=3020, until=13000)
fn("cudaFuncGetParamCount", IMPLEMENTED, "cudaError_t", "const void *func, size_t *paramCount", since=13020)
fn("cudaLaunchHostFunc_v2", IMPLEMENTED, "cudaError_t",
   "cudaStream_t stream, cudaHostFn_t fn, void *userData, unsigned int syncMode", since=13020, pt="ptsz")
fn("cudaSubgridCreate", STUB, "cudaError_t", UNDECLARED, since=13030,
   note="parameters in no public header")
fn("cudaSubgridWorkerGridCreate", STUB, "cudaError_t", UNDECLARED, since=13030,
   note="parameters in no public header")
fn("cudaSubgridWorksetCreate", STUB, "cudaError_t", UNDECLARED, since=13030,
   note="parameters in no public header")
