"""Driver entry point access: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Driver entry point access")
fn = chapter.fn

fn("cuGetProcAddress", IMPLEMENTED, "CUresult",
   "const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags", since=11030)
fn("cuGetProcAddress_v2", IMPLEMENTED, "CUresult",
   "const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags, CUdriverProcAddressQueryResult "
   "*symbolStatus", since=12000)
