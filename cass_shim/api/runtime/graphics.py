"""Graphics interoperability: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import STUB, UNDECLARED, Chapter

chapter = Chapter("runtime", "Graphics interoperability")
fn = chapter.fn

fn("cudaEGLStreamConsumerAcquireFrame", STUB, "cudaError_t", UNDECLARED, since=7000)
fn("cudaEGLStreamConsumerConnect", STUB, "cudaError_t", UNDECLARED, since=7000)
fn("cudaEGLStreamConsumerConnectWithFlags", STUB, "cudaError_t", UNDECLARED, since=7000)
fn("cudaEGLStreamConsumerDisconnect", STUB, "cudaError_t", UNDECLARED, since=7000)
fn("cudaEGLStreamConsumerReleaseFrame", STUB, "cudaError_t", UNDECLARED, since=7000)
fn("cudaEGLStreamProducerConnect", STUB, "cudaError_t", UNDECLARED, since=7000)
fn("cudaEGLStreamProducerDisconnect", STUB, "cudaError_t", UNDECLARED, since=7000)
fn("cudaEGLStreamProducerPresentFrame", STUB, "cudaError_t", UNDECLARED, since=7000)
fn("cudaEGLStreamProducerReturnFrame", STUB, "cudaError_t", UNDECLARED, since=7000)
fn("cudaEventCreateFromEGLSync", STUB, "cudaError_t", UNDECLARED, since=9000)
fn("cudaGLGetDevices", STUB, "cudaError_t", UNDECLARED, since=4010)
fn("cudaGLMapBufferObject", STUB, "cudaError_t", UNDECLARED, since=3020)
fn("cudaGLMapBufferObjectAsync", STUB, "cudaError_t", UNDECLARED, since=3020)
fn("cudaGLRegisterBufferObject", STUB, "cudaError_t", UNDECLARED, since=3020)
fn("cudaGLSetBufferObjectMapFlags", STUB, "cudaError_t", UNDECLARED, since=3020)
fn("cudaGLSetGLDevice", STUB, "cudaError_t", UNDECLARED, since=3020)
fn("cudaGLUnmapBufferObject", STUB, "cudaError_t", UNDECLARED, since=3020)
fn("cudaGLUnmapBufferObjectAsync", STUB, "cudaError_t", UNDECLARED, since=3020)
fn("cudaGLUnregisterBufferObject", STUB, "cudaError_t", UNDECLARED, since=3020)
fn("cudaGraphicsEGLRegisterImage", STUB, "cudaError_t", UNDECLARED, since=7000)
fn("cudaGraphicsGLRegisterBuffer", STUB, "cudaError_t", UNDECLARED, since=3020)
fn("cudaGraphicsGLRegisterImage", STUB, "cudaError_t", UNDECLARED, since=3020)
fn("cudaGraphicsMapResources", STUB, "cudaError_t",
   "int count, cudaGraphicsResource_t *resources, cudaStream_t stream", since=3020)
fn("cudaGraphicsResourceGetMappedEglFrame", STUB, "cudaError_t", UNDECLARED, since=7000)
fn("cudaGraphicsResourceGetMappedMipmappedArray", STUB, "cudaError_t",
   "cudaMipmappedArray_t *mipmappedArray, cudaGraphicsResource_t resource", since=5000)
fn("cudaGraphicsResourceGetMappedPointer", STUB, "cudaError_t",
   "void **devPtr, size_t *size, cudaGraphicsResource_t resource", since=3020)
fn("cudaGraphicsResourceSetMapFlags", STUB, "cudaError_t",
   "cudaGraphicsResource_t resource, unsigned int flags", since=3020)
fn("cudaGraphicsSubResourceGetMappedArray", STUB, "cudaError_t",
   "cudaArray_t *array, cudaGraphicsResource_t resource, unsigned int arrayIndex, unsigned int "
   "mipLevel", since=3020)
fn("cudaGraphicsUnmapResources", STUB, "cudaError_t",
   "int count, cudaGraphicsResource_t *resources, cudaStream_t stream", since=3020)
fn("cudaGraphicsUnregisterResource", STUB, "cudaError_t", "cudaGraphicsResource_t resource", since=3020)
fn("cudaGraphicsVDPAURegisterOutputSurface", STUB, "cudaError_t", UNDECLARED, since=3020)
fn("cudaGraphicsVDPAURegisterVideoSurface", STUB, "cudaError_t", UNDECLARED, since=3020)
fn("cudaVDPAUGetDevice", STUB, "cudaError_t", UNDECLARED, since=3020)
fn("cudaVDPAUSetVDPAUDevice", STUB, "cudaError_t", UNDECLARED, since=3020)
