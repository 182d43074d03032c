"""Graphics interoperability: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import STUB, UNDECLARED, Chapter

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

# Sharing with OpenGL, EGL and VDPAU: no such device here to share with.
fn("cuGLCtxCreate", STUB, "CUresult", UNDECLARED, since=2000)
fn("cuGLCtxCreate_v2", STUB, "CUresult", UNDECLARED, since=3020)
fn("cuGLGetDevices", STUB, "CUresult", UNDECLARED, since=4010)
fn("cuGLGetDevices_v2", STUB, "CUresult", UNDECLARED, since=6050)
fn("cuGLInit", STUB, "CUresult", UNDECLARED, since=2000)
fn("cuGLMapBufferObject", STUB, "CUresult", UNDECLARED, since=2000)
fn("cuGLMapBufferObject_v2", STUB, "CUresult", UNDECLARED, since=3020, pt="ptds")
fn("cuGLMapBufferObjectAsync", STUB, "CUresult", UNDECLARED, since=2030)
fn("cuGLMapBufferObjectAsync_v2", STUB, "CUresult", UNDECLARED, since=3020, pt="ptsz")
fn("cuGLRegisterBufferObject", STUB, "CUresult", UNDECLARED, since=2000)
fn("cuGLSetBufferObjectMapFlags", STUB, "CUresult", UNDECLARED, since=2030)
fn("cuGLUnmapBufferObject", STUB, "CUresult", UNDECLARED, since=2000)
fn("cuGLUnmapBufferObjectAsync", STUB, "CUresult", UNDECLARED, since=2030)
fn("cuGLUnregisterBufferObject", STUB, "CUresult", UNDECLARED, since=2000)
fn("cuGraphicsGLRegisterBuffer", STUB, "CUresult", UNDECLARED, since=3000)
fn("cuGraphicsGLRegisterImage", STUB, "CUresult", UNDECLARED, since=3000)
fn("cuEGLStreamConsumerConnect", STUB, "CUresult", UNDECLARED, since=7000)
fn("cuEGLStreamConsumerConnectWithFlags", STUB, "CUresult", UNDECLARED, since=8000)
fn("cuEGLStreamConsumerDisconnect", STUB, "CUresult", UNDECLARED, since=7000)
fn("cuEGLStreamConsumerAcquireFrame", STUB, "CUresult", UNDECLARED, since=7000)
fn("cuEGLStreamConsumerReleaseFrame", STUB, "CUresult", UNDECLARED, since=7000)
fn("cuEGLStreamProducerConnect", STUB, "CUresult", UNDECLARED, since=7000)
fn("cuEGLStreamProducerDisconnect", STUB, "CUresult", UNDECLARED, since=7000)
fn("cuEGLStreamProducerPresentFrame", STUB, "CUresult", UNDECLARED, since=7000)
fn("cuEGLStreamProducerReturnFrame", STUB, "CUresult", UNDECLARED, since=7000)
fn("cuGraphicsEGLRegisterImage", STUB, "CUresult", UNDECLARED, since=7000)
fn("cuGraphicsResourceGetMappedEglFrame", STUB, "CUresult", UNDECLARED, since=7000)
fn("cuEventCreateFromEGLSync", STUB, "CUresult", UNDECLARED, since=9000)
fn("cuVDPAUGetDevice", STUB, "CUresult", UNDECLARED, since=3010)
fn("cuVDPAUCtxCreate", STUB, "CUresult", UNDECLARED, since=3010)
fn("cuVDPAUCtxCreate_v2", STUB, "CUresult", UNDECLARED, since=3020)
fn("cuGraphicsVDPAURegisterVideoSurface", STUB, "CUresult", UNDECLARED, since=3010)
fn("cuGraphicsVDPAURegisterOutputSurface", STUB, "CUresult", UNDECLARED, since=3010)
