"""Graphics interoperability: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, STUB, UNDECLARED, Chapter

chapter = Chapter("runtime", "Graphics interoperability")
fn = chapter.fn

fn("cudaEGLStreamConsumerAcquireFrame", IMPLEMENTED, "cudaError_t",
   "void **conn, cudaGraphicsResource_t *pCudaResource, cudaStream_t *pStream, unsigned int timeout", since=7000)
fn("cudaEGLStreamConsumerConnect", IMPLEMENTED, "cudaError_t", "void **conn, void *eglStream", since=7000)
fn("cudaEGLStreamConsumerConnectWithFlags", IMPLEMENTED, "cudaError_t",
   "void **conn, void *eglStream, unsigned int flags", since=7000)
fn("cudaEGLStreamConsumerDisconnect", IMPLEMENTED, "cudaError_t", "void **conn", since=7000)
fn("cudaEGLStreamConsumerReleaseFrame", IMPLEMENTED, "cudaError_t",
   "void **conn, cudaGraphicsResource_t pCudaResource, cudaStream_t *pStream", since=7000)
fn("cudaEGLStreamProducerConnect", IMPLEMENTED, "cudaError_t",
   "void **conn, void *eglStream, int width, int height", since=7000)
fn("cudaEGLStreamProducerDisconnect", IMPLEMENTED, "cudaError_t", "void **conn", since=7000)
fn("cudaEGLStreamProducerPresentFrame", STUB, "cudaError_t", UNDECLARED, since=7000,
   note="takes a frame by value, of a type this table does not have")
fn("cudaEGLStreamProducerReturnFrame", IMPLEMENTED, "cudaError_t",
   "void **conn, void *eglframe, cudaStream_t *pStream", since=7000)
fn("cudaEventCreateFromEGLSync", IMPLEMENTED, "cudaError_t",
   "cudaEvent_t *phEvent, void *eglSync, unsigned int flags", since=9000)
fn("cudaGLGetDevices", IMPLEMENTED, "cudaError_t",
   "unsigned int *pCudaDeviceCount, int *pCudaDevices, unsigned int cudaDeviceCount, "
   "unsigned int deviceList", since=4010)
fn("cudaGLMapBufferObject", IMPLEMENTED, "cudaError_t", "void **devPtr, unsigned int bufObj", since=3020)
fn("cudaGLMapBufferObjectAsync", IMPLEMENTED, "cudaError_t",
   "void **devPtr, unsigned int bufObj, cudaStream_t stream", since=3020)
fn("cudaGLRegisterBufferObject", IMPLEMENTED, "cudaError_t", "unsigned int bufObj", since=3020)
fn("cudaGLSetBufferObjectMapFlags", IMPLEMENTED, "cudaError_t", "unsigned int bufObj, unsigned int flags", since=3020)
fn("cudaGLSetGLDevice", IMPLEMENTED, "cudaError_t", "int device", since=3020)
fn("cudaGLUnmapBufferObject", IMPLEMENTED, "cudaError_t", "unsigned int bufObj", since=3020)
fn("cudaGLUnmapBufferObjectAsync", IMPLEMENTED, "cudaError_t", "unsigned int bufObj, cudaStream_t stream", since=3020)
fn("cudaGLUnregisterBufferObject", IMPLEMENTED, "cudaError_t", "unsigned int bufObj", since=3020)
fn("cudaGraphicsEGLRegisterImage", IMPLEMENTED, "cudaError_t",
   "cudaGraphicsResource_t *pCudaResource, void *image, unsigned int flags", since=7000)
fn("cudaGraphicsGLRegisterBuffer", IMPLEMENTED, "cudaError_t",
   "cudaGraphicsResource_t *resource, unsigned int buffer, unsigned int flags", since=3020)
fn("cudaGraphicsGLRegisterImage", IMPLEMENTED, "cudaError_t",
   "cudaGraphicsResource_t *resource, unsigned int image, unsigned int target, unsigned int flags", since=3020)
fn("cudaGraphicsMapResources", IMPLEMENTED, "cudaError_t",
   "int count, cudaGraphicsResource_t *resources, cudaStream_t stream", since=3020)
fn("cudaGraphicsResourceGetMappedEglFrame", IMPLEMENTED, "cudaError_t",
   "void *eglFrame, cudaGraphicsResource_t resource, unsigned int index, unsigned int mipLevel", since=7000)
fn("cudaGraphicsResourceGetMappedMipmappedArray", IMPLEMENTED, "cudaError_t",
   "cudaMipmappedArray_t *mipmappedArray, cudaGraphicsResource_t resource", since=5000)
fn("cudaGraphicsResourceGetMappedPointer", IMPLEMENTED, "cudaError_t",
   "void **devPtr, size_t *size, cudaGraphicsResource_t resource", since=3020)
fn("cudaGraphicsResourceSetMapFlags", IMPLEMENTED, "cudaError_t",
   "cudaGraphicsResource_t resource, unsigned int flags", since=3020)
fn("cudaGraphicsSubResourceGetMappedArray", IMPLEMENTED, "cudaError_t",
   "cudaArray_t *array, cudaGraphicsResource_t resource, unsigned int arrayIndex, unsigned int "
   "mipLevel", since=3020)
fn("cudaGraphicsUnmapResources", IMPLEMENTED, "cudaError_t",
   "int count, cudaGraphicsResource_t *resources, cudaStream_t stream", since=3020)
fn("cudaGraphicsUnregisterResource", IMPLEMENTED, "cudaError_t", "cudaGraphicsResource_t resource", since=3020)
fn("cudaGraphicsVDPAURegisterOutputSurface", IMPLEMENTED, "cudaError_t",
   "cudaGraphicsResource_t *resource, unsigned int vdpSurface, unsigned int flags", since=3020)
fn("cudaGraphicsVDPAURegisterVideoSurface", IMPLEMENTED, "cudaError_t",
   "cudaGraphicsResource_t *resource, unsigned int vdpSurface, unsigned int flags", since=3020)
fn("cudaVDPAUGetDevice", IMPLEMENTED, "cudaError_t",
   "int *device, unsigned int vdpDevice, void *vdpGetProcAddress", since=3020)
fn("cudaVDPAUSetVDPAUDevice", IMPLEMENTED, "cudaError_t",
   "int device, unsigned int vdpDevice, void *vdpGetProcAddress", since=3020)
