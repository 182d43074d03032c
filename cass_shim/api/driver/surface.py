"""Surface object management: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Surface object management")
fn = chapter.fn

fn("cuSurfObjectCreate", IMPLEMENTED, "CUresult",
   "CUsurfObject *pSurfObject, const CUDA_RESOURCE_DESC *pResDesc", since=5000)
fn("cuSurfObjectDestroy", IMPLEMENTED, "CUresult", "CUsurfObject surfObject", since=5000)
fn("cuSurfObjectGetResourceDesc", IMPLEMENTED, "CUresult",
   "CUDA_RESOURCE_DESC *pResDesc, CUsurfObject surfObject", since=5000)
