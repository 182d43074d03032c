"""Primary context management: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Primary context management")
fn = chapter.fn

fn("cuDevicePrimaryCtxGetState", IMPLEMENTED, "CUresult",
   "CUdevice dev, unsigned int *flags, int *active", since=7000)
fn("cuDevicePrimaryCtxRelease", IMPLEMENTED, "CUresult", "CUdevice dev", since=7000)
fn("cuDevicePrimaryCtxRelease_v2", IMPLEMENTED, "CUresult", "CUdevice dev", since=11000)
fn("cuDevicePrimaryCtxReset", IMPLEMENTED, "CUresult", "CUdevice dev", since=7000)
fn("cuDevicePrimaryCtxReset_v2", IMPLEMENTED, "CUresult", "CUdevice dev", since=11000)
fn("cuDevicePrimaryCtxRetain", IMPLEMENTED, "CUresult", "CUcontext *pctx, CUdevice dev", since=7000)
fn("cuDevicePrimaryCtxSetFlags", IMPLEMENTED, "CUresult", "CUdevice dev, unsigned int flags", since=7000)
fn("cuDevicePrimaryCtxSetFlags_v2", IMPLEMENTED, "CUresult", "CUdevice dev, unsigned int flags", since=11000)
