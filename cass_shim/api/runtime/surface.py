"""Surface object management: the rows of this chapter of the CUDA runtime API manual."""
# fmt: off
from __future__ import annotations

from cass_shim.api.spec import STUB, Chapter

chapter = Chapter("runtime", "Surface object management")
fn = chapter.fn

fn("cudaCreateSurfaceObject", STUB, "cudaError_t",
   "cudaSurfaceObject_t *pSurfObject, const struct cudaResourceDesc *pResDesc", since=5000)
fn("cudaDestroySurfaceObject", STUB, "cudaError_t", "cudaSurfaceObject_t surfObject", since=5000)
fn("cudaGetSurfaceObjectResourceDesc", STUB, "cudaError_t",
   "struct cudaResourceDesc *pResDesc, cudaSurfaceObject_t surfObject", since=5000)
