"""Surface object management: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "Surface object management")
fn = chapter.fn

fn("cudaCreateSurfaceObject", IMPLEMENTED, "cudaError_t",
   "cudaSurfaceObject_t *pSurfObject, const struct cudaResourceDesc *pResDesc", since=5000)
fn("cudaDestroySurfaceObject", IMPLEMENTED, "cudaError_t", "cudaSurfaceObject_t surfObject", since=5000)
fn("cudaGetSurfaceObjectResourceDesc", IMPLEMENTED, "cudaError_t",
   "struct cudaResourceDesc *pResDesc, cudaSurfaceObject_t surfObject", since=5000)
