"""Execution control: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Execution control")
fn = chapter.fn

fn("cuFuncGetAttribute", IMPLEMENTED, "CUresult",
   "int *pi, CUfunction_attribute attrib, CUfunction hfunc", since=2020)
fn("cuFuncGetModule", IMPLEMENTED, "CUresult", "CUmodule *hmod, CUfunction hfunc", since=11000)
fn("cuFuncGetName", IMPLEMENTED, "CUresult", "const char **name, CUfunction hfunc", since=12030)
fn("cuFuncGetParamInfo", IMPLEMENTED, "CUresult",
   "CUfunction func, size_t paramIndex, size_t *paramOffset, size_t *paramSize", since=12040)
fn("cuFuncIsLoaded", IMPLEMENTED, "CUresult", "CUfunctionLoadingState *state, CUfunction function", since=12040)
fn("cuFuncLoad", IMPLEMENTED, "CUresult", "CUfunction function", since=12040)
fn("cuFuncSetAttribute", IMPLEMENTED, "CUresult",
   "CUfunction hfunc, CUfunction_attribute attrib, int value", since=9000)
fn("cuFuncSetBlockShape", IMPLEMENTED, "CUresult", "CUfunction hfunc, int x, int y, int z", since=2000)
fn("cuFuncSetCacheConfig", IMPLEMENTED, "CUresult", "CUfunction hfunc, CUfunc_cache config", since=3000)
fn("cuFuncSetSharedMemConfig", IMPLEMENTED, "CUresult", "CUfunction hfunc, CUsharedconfig config", since=4020)
fn("cuFuncSetSharedSize", IMPLEMENTED, "CUresult", "CUfunction hfunc, unsigned int bytes", since=2000)
fn("cuLaunch", IMPLEMENTED, "CUresult", "CUfunction f", since=2000)
fn("cuLaunchCooperativeKernel", IMPLEMENTED, "CUresult",
   "CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ, unsigned int "
   "blockDimX, unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream "
   "hStream, void **kernelParams", since=9000, pt="ptsz")
fn("cuLaunchCooperativeKernelMultiDevice", IMPLEMENTED, "CUresult",
   "CUDA_LAUNCH_PARAMS *launchParamsList, unsigned int numDevices, unsigned int flags", since=9000)
fn("cuLaunchGrid", IMPLEMENTED, "CUresult", "CUfunction f, int grid_width, int grid_height", since=2000)
fn("cuLaunchGridAsync", IMPLEMENTED, "CUresult",
   "CUfunction f, int grid_width, int grid_height, CUstream hStream", since=2000)
fn("cuLaunchHostFunc", IMPLEMENTED, "CUresult",
   "CUstream hStream, CUhostFn fn, void *userData", since=10000, pt="ptsz")
fn("cuLaunchKernel", IMPLEMENTED, "CUresult",
   "CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ, unsigned int "
   "blockDimX, unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream "
   "hStream, void **kernelParams, void **extra", since=4000, pt="ptsz")
fn("cuLaunchKernelEx", IMPLEMENTED, "CUresult",
   "const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra", since=11060, pt="ptsz")
fn("cuParamSetSize", IMPLEMENTED, "CUresult", "CUfunction hfunc, unsigned int numbytes", since=2000)
fn("cuParamSetf", IMPLEMENTED, "CUresult", "CUfunction hfunc, int offset, float value", since=2000)
fn("cuParamSeti", IMPLEMENTED, "CUresult", "CUfunction hfunc, int offset, unsigned int value", since=2000)
fn("cuParamSetv", IMPLEMENTED, "CUresult",
   "CUfunction hfunc, int offset, void *ptr, unsigned int numbytes", since=2000)
fn("cuFuncGetParamCount", IMPLEMENTED, "CUresult", "CUfunction func, size_t *paramCount", since=13020)
fn("cuLaunchHostFunc_v2", IMPLEMENTED, "CUresult",
   "CUstream hStream, CUhostFn fn, void *userData, unsigned int syncMode", since=13020, pt="ptsz")
