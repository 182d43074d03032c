"""Interactions with the driver: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "Interactions with the driver")
fn = chapter.fn

fn("cudaGetFuncBySymbol", IMPLEMENTED, "cudaError_t",
   "cudaFunction_t *functionPtr, const void *symbolPtr", since=11000)
fn("cudaGetKernel", IMPLEMENTED, "cudaError_t", "cudaKernel_t *kernelPtr, const void *entryFuncAddr", since=12000)
