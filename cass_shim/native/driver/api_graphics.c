/* Driver API: sharing with OpenGL, EGL and VDPAU. There is no such device here to share with: the
 * answers are those of a GPU's driver in a process without a display (recorded). No resource can be
 * registered, so none is known to the other calls. */
#include "driver/api.h"

enum { WRITE_DISCARD = 2, EVERY_FLAG = 15 };

/* Kinds of textures and render buffers that cuGraphicsGLRegisterImage takes (driver API manual). */
static int is_texture(unsigned target) {
    switch (target) {
    case 0x0DE1: /* GL_TEXTURE_2D */
    case 0x84F5: /* GL_TEXTURE_RECTANGLE */
    case 0x8513: /* GL_TEXTURE_CUBE_MAP */
    case 0x806F: /* GL_TEXTURE_3D */
    case 0x8C1A: /* GL_TEXTURE_2D_ARRAY */
    case 0x8D41: /* GL_RENDERBUFFER */
        return 1;
    default:
        return 0;
    }
}

CUresult cass_cuGraphicsMapResources(unsigned int count, CUgraphicsResource *resources,
                                     CUstream hStream) {
    ENTER(device);
    (void)device, (void)hStream;
    return count && resources ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuGraphicsUnmapResources(unsigned int count, CUgraphicsResource *resources,
                                       CUstream hStream) {
    ENTER(device);
    (void)device, (void)hStream;
    return count && resources ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuGraphicsResourceGetMappedMipmappedArray(CUmipmappedArray *pMipmappedArray,
                                                        CUgraphicsResource resource) {
    ENTER(device);
    (void)device, (void)pMipmappedArray, (void)resource;
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuGraphicsResourceGetMappedPointer(CUdeviceptr_v1 *pDevPtr, unsigned int *pSize,
                                                 CUgraphicsResource resource) {
    ENTER(device);
    (void)device, (void)pDevPtr, (void)pSize, (void)resource;
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr *pDevPtr, size_t *pSize,
                                                    CUgraphicsResource resource) {
    ENTER(device);
    (void)device, (void)pDevPtr, (void)pSize, (void)resource;
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuGraphicsResourceSetMapFlags(CUgraphicsResource resource, unsigned int flags) {
    ENTER(device);
    (void)device, (void)resource, (void)flags;
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuGraphicsResourceSetMapFlags_v2(CUgraphicsResource resource, unsigned int flags) {
    ENTER(device);
    (void)device, (void)resource, (void)flags;
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuGraphicsSubResourceGetMappedArray(CUarray *pArray, CUgraphicsResource resource,
                                                  unsigned int arrayIndex, unsigned int mipLevel) {
    ENTER(device);
    (void)device, (void)pArray, (void)resource, (void)arrayIndex, (void)mipLevel;
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuGraphicsUnregisterResource(CUgraphicsResource resource) {
    ENTER(device);
    (void)device, (void)resource;
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuGLCtxCreate(CUcontext *pCtx, unsigned int Flags, CUdevice device) {
    ENTER(entered);
    (void)entered, (void)Flags, (void)device;
    return pCtx ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuGLCtxCreate_v2(CUcontext *pCtx, unsigned int Flags, CUdevice device) {
    ENTER(entered);
    (void)entered, (void)Flags, (void)device;
    return pCtx ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuGLGetDevices(unsigned int *pCudaDeviceCount, CUdevice *pCudaDevices,
                             unsigned int cudaDeviceCount, unsigned int deviceList) {
    ENTER(device);
    (void)device, (void)pCudaDeviceCount, (void)pCudaDevices, (void)cudaDeviceCount,
        (void)deviceList;
    return CUDA_ERROR_OPERATING_SYSTEM;
}

CUresult cass_cuGLGetDevices_v2(unsigned int *pCudaDeviceCount, CUdevice *pCudaDevices,
                                unsigned int cudaDeviceCount, unsigned int deviceList) {
    ENTER(device);
    (void)device, (void)pCudaDeviceCount, (void)pCudaDevices, (void)cudaDeviceCount,
        (void)deviceList;
    return CUDA_ERROR_OPERATING_SYSTEM;
}

CUresult cass_cuGLInit(void) {
    ENTER(device);
    (void)device;
    return CUDA_ERROR_OPERATING_SYSTEM;
}

CUresult cass_cuGLMapBufferObject(CUdeviceptr_v1 *dptr, unsigned int *size, unsigned int buffer) {
    ENTER(device);
    (void)device, (void)dptr, (void)size, (void)buffer;
    return CUDA_ERROR_INVALID_CONTEXT; /* a first version: see api_narrow.c */
}

CUresult cass_cuGLMapBufferObject_v2(CUdeviceptr *dptr, size_t *size, unsigned int buffer) {
    ENTER(device);
    (void)device, (void)dptr, (void)size, (void)buffer;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuGLMapBufferObjectAsync(CUdeviceptr_v1 *dptr, unsigned int *size,
                                       unsigned int buffer, CUstream hStream) {
    ENTER(device);
    (void)device, (void)dptr, (void)size, (void)buffer, (void)hStream;
    return CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cass_cuGLMapBufferObjectAsync_v2(CUdeviceptr *dptr, size_t *size, unsigned int buffer,
                                          CUstream hStream) {
    ENTER(device);
    (void)device, (void)dptr, (void)size, (void)buffer, (void)hStream;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuGLRegisterBufferObject(unsigned int buffer) {
    ENTER(device);
    (void)device, (void)buffer;
    return CUDA_ERROR_OPERATING_SYSTEM;
}

CUresult cass_cuGLSetBufferObjectMapFlags(unsigned int buffer, unsigned int Flags) {
    ENTER(device);
    (void)device, (void)buffer, (void)Flags;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuGLUnmapBufferObject(unsigned int buffer) {
    ENTER(device);
    (void)device, (void)buffer;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuGLUnmapBufferObjectAsync(unsigned int buffer, CUstream hStream) {
    ENTER(device);
    (void)device, (void)buffer, (void)hStream;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuGLUnregisterBufferObject(unsigned int buffer) {
    ENTER(device);
    (void)device, (void)buffer;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuGraphicsGLRegisterBuffer(CUgraphicsResource *pCudaResource, unsigned int buffer,
                                         unsigned int Flags) {
    ENTER(device);
    (void)device;
    return pCudaResource && buffer && Flags <= WRITE_DISCARD ? CUDA_ERROR_OPERATING_SYSTEM
                                                             : CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuGraphicsGLRegisterImage(CUgraphicsResource *pCudaResource, unsigned int image,
                                        unsigned int target, unsigned int Flags) {
    ENTER(device);
    (void)device;
    return pCudaResource && image && is_texture(target) && Flags <= EVERY_FLAG
               ? CUDA_ERROR_OPERATING_SYSTEM
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuEGLStreamConsumerConnect(void **conn, void *stream) {
    ENTER(device);
    (void)device, (void)conn, (void)stream;
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuEGLStreamConsumerConnectWithFlags(void **conn, void *stream, unsigned int flags) {
    ENTER(device);
    (void)device, (void)conn, (void)stream, (void)flags;
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuEGLStreamConsumerDisconnect(void **conn) {
    ENTER(device);
    (void)device, (void)conn;
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuEGLStreamConsumerAcquireFrame(void **conn, CUgraphicsResource *pCudaResource,
                                              CUstream *pStream, unsigned int timeout) {
    ENTER(device);
    (void)device, (void)conn, (void)pCudaResource, (void)pStream, (void)timeout;
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuEGLStreamConsumerReleaseFrame(void **conn, CUgraphicsResource pCudaResource,
                                              CUstream *pStream) {
    ENTER(device);
    (void)device, (void)conn, (void)pCudaResource, (void)pStream;
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuEGLStreamProducerConnect(void **conn, void *stream, int width, int height) {
    ENTER(device);
    (void)device, (void)conn, (void)stream, (void)width, (void)height;
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuEGLStreamProducerDisconnect(void **conn) {
    ENTER(device);
    (void)device, (void)conn;
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuEGLStreamProducerPresentFrame(void **conn, CUstream *pStream) {
    ENTER(device);
    (void)device, (void)conn, (void)pStream;
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuEGLStreamProducerReturnFrame(void **conn, void *eglframe, CUstream *pStream) {
    ENTER(device);
    (void)device, (void)conn, (void)eglframe, (void)pStream;
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuGraphicsEGLRegisterImage(CUgraphicsResource *pCudaResource, void *image,
                                         unsigned int flags) {
    ENTER(device);
    (void)device, (void)image, (void)flags;
    return pCudaResource ? CUDA_ERROR_UNKNOWN : CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuGraphicsResourceGetMappedEglFrame(void *eglFrame, CUgraphicsResource resource,
                                                  unsigned int index, unsigned int mipLevel) {
    ENTER(device);
    (void)device, (void)eglFrame, (void)resource, (void)index, (void)mipLevel;
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cass_cuVDPAUGetDevice(CUdevice *pDevice, unsigned int vdpDevice, void *vdpGetProcAddress) {
    ENTER(device);
    (void)device, (void)pDevice, (void)vdpDevice, (void)vdpGetProcAddress;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuVDPAUCtxCreate(CUcontext *pCtx, unsigned int flags, CUdevice device,
                               unsigned int vdpDevice, void *vdpGetProcAddress) {
    ENTER(entered);
    (void)entered, (void)flags, (void)device, (void)vdpDevice, (void)vdpGetProcAddress;
    return pCtx ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuVDPAUCtxCreate_v2(CUcontext *pCtx, unsigned int flags, CUdevice device,
                                  unsigned int vdpDevice, void *vdpGetProcAddress) {
    ENTER(entered);
    (void)entered, (void)pCtx, (void)flags, (void)device, (void)vdpDevice, (void)vdpGetProcAddress;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuGraphicsVDPAURegisterVideoSurface(CUgraphicsResource *pCudaResource,
                                                  unsigned int vdpSurface, unsigned int flags) {
    ENTER(device);
    (void)device, (void)pCudaResource, (void)vdpSurface, (void)flags;
    return CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cass_cuGraphicsVDPAURegisterOutputSurface(CUgraphicsResource *pCudaResource,
                                                   unsigned int vdpSurface, unsigned int flags) {
    ENTER(device);
    (void)device, (void)pCudaResource, (void)vdpSurface, (void)flags;
    return CUDA_ERROR_INVALID_CONTEXT;
}
