"""Graphics interoperability: the rows of this chapter of the CUDA driver API manual."""
# fmt: off
from __future__ import annotations

from cass_shim.api.spec import STUB, Chapter

chapter = Chapter("driver", "Graphics interoperability")
fn = chapter.fn

fn("cuGraphicsMapResources", STUB, "CUresult",
   "unsigned int count, CUgraphicsResource *resources, CUstream hStream", since=3000, pt="ptsz")
fn("cuGraphicsResourceGetMappedMipmappedArray", STUB, "CUresult",
   "CUmipmappedArray *pMipmappedArray, CUgraphicsResource resource", since=5000)
fn("cuGraphicsResourceGetMappedPointer", STUB, "CUresult",
   "CUdeviceptr_v1 *pDevPtr, unsigned int *pSize, CUgraphicsResource resource", since=3000)
fn("cuGraphicsResourceGetMappedPointer_v2", STUB, "CUresult",
   "CUdeviceptr *pDevPtr, size_t *pSize, CUgraphicsResource resource", since=3020)
fn("cuGraphicsResourceSetMapFlags", STUB, "CUresult",
   "CUgraphicsResource resource, unsigned int flags", since=3000)
fn("cuGraphicsResourceSetMapFlags_v2", STUB, "CUresult",
   "CUgraphicsResource resource, unsigned int flags", since=6050)
fn("cuGraphicsSubResourceGetMappedArray", STUB, "CUresult",
   "CUarray *pArray, CUgraphicsResource resource, unsigned int arrayIndex, unsigned int mipLevel", since=3000)
fn("cuGraphicsUnmapResources", STUB, "CUresult",
   "unsigned int count, CUgraphicsResource *resources, CUstream hStream", since=3000, pt="ptsz")
fn("cuGraphicsUnregisterResource", STUB, "CUresult", "CUgraphicsResource resource", since=3000)
