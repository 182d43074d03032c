"""Graphics interoperability: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, STUB, UNDECLARED, Chapter

chapter = Chapter("driver", "Graphics interoperability")
fn = chapter.fn

fn("cuGraphicsMapResources", IMPLEMENTED, "CUresult",
   "unsigned int count, CUgraphicsResource *resources, CUstream hStream", since=3000, pt="ptsz")
fn("cuGraphicsResourceGetMappedMipmappedArray", IMPLEMENTED, "CUresult",
   "CUmipmappedArray *pMipmappedArray, CUgraphicsResource resource", since=5000)
fn("cuGraphicsResourceGetMappedPointer", IMPLEMENTED, "CUresult",
   "CUdeviceptr_v1 *pDevPtr, unsigned int *pSize, CUgraphicsResource resource", since=3000)
fn("cuGraphicsResourceGetMappedPointer_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr *pDevPtr, size_t *pSize, CUgraphicsResource resource", since=3020)
fn("cuGraphicsResourceSetMapFlags", IMPLEMENTED, "CUresult",
   "CUgraphicsResource resource, unsigned int flags", since=3000)
fn("cuGraphicsResourceSetMapFlags_v2", IMPLEMENTED, "CUresult",
   "CUgraphicsResource resource, unsigned int flags", since=6050)
fn("cuGraphicsSubResourceGetMappedArray", IMPLEMENTED, "CUresult",
   "CUarray *pArray, CUgraphicsResource resource, unsigned int arrayIndex, unsigned int mipLevel", since=3000)
fn("cuGraphicsUnmapResources", IMPLEMENTED, "CUresult",
   "unsigned int count, CUgraphicsResource *resources, CUstream hStream", since=3000, pt="ptsz")
fn("cuGraphicsUnregisterResource", IMPLEMENTED, "CUresult", "CUgraphicsResource resource", since=3000)

# Sharing with OpenGL, EGL and VDPAU: no such device here to share with.
fn("cuGLCtxCreate", IMPLEMENTED, "CUresult", "CUcontext *pCtx, unsigned int Flags, CUdevice device", since=2000)
fn("cuGLCtxCreate_v2", IMPLEMENTED, "CUresult", "CUcontext *pCtx, unsigned int Flags, CUdevice device", since=3020)
fn("cuGLGetDevices", IMPLEMENTED, "CUresult",
   "unsigned int *pCudaDeviceCount, CUdevice *pCudaDevices, unsigned int cudaDeviceCount, "
   "unsigned int deviceList", since=4010)
fn("cuGLGetDevices_v2", IMPLEMENTED, "CUresult",
   "unsigned int *pCudaDeviceCount, CUdevice *pCudaDevices, unsigned int cudaDeviceCount, "
   "unsigned int deviceList", since=6050)
fn("cuGLInit", IMPLEMENTED, "CUresult", "", since=2000)
fn("cuGLMapBufferObject", IMPLEMENTED, "CUresult",
   "CUdeviceptr_v1 *dptr, unsigned int *size, unsigned int buffer", since=2000)
fn("cuGLMapBufferObject_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr *dptr, size_t *size, unsigned int buffer", since=3020, pt="ptds")
fn("cuGLMapBufferObjectAsync", IMPLEMENTED, "CUresult",
   "CUdeviceptr_v1 *dptr, unsigned int *size, unsigned int buffer, CUstream hStream", since=2030)
fn("cuGLMapBufferObjectAsync_v2", IMPLEMENTED, "CUresult",
   "CUdeviceptr *dptr, size_t *size, unsigned int buffer, CUstream hStream", since=3020, pt="ptsz")
fn("cuGLRegisterBufferObject", IMPLEMENTED, "CUresult", "unsigned int buffer", since=2000)
fn("cuGLSetBufferObjectMapFlags", IMPLEMENTED, "CUresult", "unsigned int buffer, unsigned int Flags", since=2030)
fn("cuGLUnmapBufferObject", IMPLEMENTED, "CUresult", "unsigned int buffer", since=2000)
fn("cuGLUnmapBufferObjectAsync", IMPLEMENTED, "CUresult", "unsigned int buffer, CUstream hStream", since=2030)
fn("cuGLUnregisterBufferObject", IMPLEMENTED, "CUresult", "unsigned int buffer", since=2000)
fn("cuGraphicsGLRegisterBuffer", IMPLEMENTED, "CUresult",
   "CUgraphicsResource *pCudaResource, unsigned int buffer, unsigned int Flags", since=3000)
fn("cuGraphicsGLRegisterImage", IMPLEMENTED, "CUresult",
   "CUgraphicsResource *pCudaResource, unsigned int image, unsigned int target, unsigned int Flags", since=3000)
fn("cuEGLStreamConsumerConnect", IMPLEMENTED, "CUresult", "void **conn, void *stream", since=7000)
fn("cuEGLStreamConsumerConnectWithFlags", IMPLEMENTED, "CUresult",
   "void **conn, void *stream, unsigned int flags", since=8000)
fn("cuEGLStreamConsumerDisconnect", IMPLEMENTED, "CUresult", "void **conn", since=7000)
fn("cuEGLStreamConsumerAcquireFrame", IMPLEMENTED, "CUresult",
   "void **conn, CUgraphicsResource *pCudaResource, CUstream *pStream, unsigned int timeout", since=7000)
fn("cuEGLStreamConsumerReleaseFrame", IMPLEMENTED, "CUresult",
   "void **conn, CUgraphicsResource pCudaResource, CUstream *pStream", since=7000)
fn("cuEGLStreamProducerConnect", IMPLEMENTED, "CUresult",
   "void **conn, void *stream, int width, int height", since=7000)
fn("cuEGLStreamProducerDisconnect", IMPLEMENTED, "CUresult", "void **conn", since=7000)
# The frame between conn and pStream is passed by value on the stack, where it moves no other argument.
fn("cuEGLStreamProducerPresentFrame", IMPLEMENTED, "CUresult", "void **conn, CUstream *pStream", since=7000)
fn("cuEGLStreamProducerReturnFrame", IMPLEMENTED, "CUresult",
   "void **conn, void *eglframe, CUstream *pStream", since=7000)
fn("cuGraphicsEGLRegisterImage", IMPLEMENTED, "CUresult",
   "CUgraphicsResource *pCudaResource, void *image, unsigned int flags", since=7000)
fn("cuGraphicsResourceGetMappedEglFrame", IMPLEMENTED, "CUresult",
   "void *eglFrame, CUgraphicsResource resource, unsigned int index, unsigned int mipLevel", since=7000)
fn("cuEventCreateFromEGLSync", STUB, "CUresult", UNDECLARED, since=9000,
   note="not in driver 580 for x86-64 (recorded)")
fn("cuVDPAUGetDevice", IMPLEMENTED, "CUresult",
   "CUdevice *pDevice, unsigned int vdpDevice, void *vdpGetProcAddress", since=3010)
fn("cuVDPAUCtxCreate", IMPLEMENTED, "CUresult",
   "CUcontext *pCtx, unsigned int flags, CUdevice device, unsigned int vdpDevice, void *vdpGetProcAddress", since=3010)
fn("cuVDPAUCtxCreate_v2", IMPLEMENTED, "CUresult",
   "CUcontext *pCtx, unsigned int flags, CUdevice device, unsigned int vdpDevice, void *vdpGetProcAddress", since=3020)
fn("cuGraphicsVDPAURegisterVideoSurface", IMPLEMENTED, "CUresult",
   "CUgraphicsResource *pCudaResource, unsigned int vdpSurface, unsigned int flags", since=3010)
fn("cuGraphicsVDPAURegisterOutputSurface", IMPLEMENTED, "CUresult",
   "CUgraphicsResource *pCudaResource, unsigned int vdpSurface, unsigned int flags", since=3010)
