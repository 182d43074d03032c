"""Driver entry point access: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "Driver entry point access")
fn = chapter.fn

fn("cudaGetDriverEntryPoint", IMPLEMENTED, "cudaError_t",
   "const char *symbol, void **funcPtr, unsigned long long flags", since=11030, until=12000, pt="ptsz")
fn("cudaGetDriverEntryPoint", IMPLEMENTED, "cudaError_t",
   "const char *symbol, void **funcPtr, unsigned long long flags, enum cudaDriverEntryPointQueryResult "
   "*driverStatus", since=12000, pt="ptsz", body="cudaGetDriverEntryPoint_v12")
fn("cudaGetDriverEntryPointByVersion", IMPLEMENTED, "cudaError_t",
   "const char *symbol, void **funcPtr, unsigned int cudaVersion, unsigned long long flags, enum "
   "cudaDriverEntryPointQueryResult *driverStatus", since=12050, pt="ptsz")
