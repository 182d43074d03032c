/* Sharing with OpenGL, EGL and VDPAU: see driver/api_graphics.c. */
#include "runtime/runtime.h"

cudaError_t cass_cudaGraphicsMapResources(int count, cudaGraphicsResource_t *resources,
                                          cudaStream_t stream) {
    ENTER(device);
    (void)device, (void)stream;
    return count && resources ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
}

cudaError_t cass_cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t *resources,
                                            cudaStream_t stream) {
    ENTER(device);
    (void)device, (void)stream;
    return count && resources ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
}

cudaError_t cass_cudaGraphicsResourceGetMappedMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
                                                             cudaGraphicsResource_t resource) {
    ENTER(device);
    (void)device, (void)mipmappedArray, (void)resource;
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cass_cudaGraphicsResourceGetMappedPointer(void **devPtr, size_t *size,
                                                      cudaGraphicsResource_t resource) {
    ENTER(device);
    (void)device, (void)devPtr, (void)size, (void)resource;
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cass_cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource,
                                                 unsigned int flags) {
    ENTER(device);
    (void)device, (void)resource, (void)flags;
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cass_cudaGraphicsSubResourceGetMappedArray(cudaArray_t *array,
                                                       cudaGraphicsResource_t resource,
                                                       unsigned int arrayIndex,
                                                       unsigned int mipLevel) {
    ENTER(device);
    (void)device, (void)array, (void)resource, (void)arrayIndex, (void)mipLevel;
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cass_cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource) {
    ENTER(device);
    (void)device, (void)resource;
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cass_cudaGLGetDevices(unsigned int *pCudaDeviceCount, int *pCudaDevices,
                                  unsigned int cudaDeviceCount, unsigned int deviceList) {
    ENTER(device);
    (void)device, (void)pCudaDeviceCount, (void)pCudaDevices, (void)cudaDeviceCount,
        (void)deviceList;
    return cudaErrorOperatingSystem;
}

cudaError_t cass_cudaGLSetGLDevice(int device) {
    ENTER(entered);
    (void)entered;
    return device >= 0 && device < cass_device_count ? cudaErrorDevicesUnavailable
                                                     : cudaErrorInvalidDevice;
}

cudaError_t cass_cudaGLRegisterBufferObject(unsigned int bufObj) {
    ENTER(device);
    (void)device, (void)bufObj;
    return cudaErrorOperatingSystem;
}

cudaError_t cass_cudaGLUnregisterBufferObject(unsigned int bufObj) {
    ENTER(device);
    (void)device, (void)bufObj;
    return cudaErrorOperatingSystem;
}

cudaError_t cass_cudaGLMapBufferObject(void **devPtr, unsigned int bufObj) {
    ENTER(device);
    (void)device, (void)devPtr, (void)bufObj;
    return cudaErrorInvalidValue;
}

cudaError_t cass_cudaGLUnmapBufferObject(unsigned int bufObj) {
    ENTER(device);
    (void)device, (void)bufObj;
    return cudaErrorInvalidValue;
}

cudaError_t cass_cudaGLSetBufferObjectMapFlags(unsigned int bufObj, unsigned int flags) {
    ENTER(device);
    (void)device, (void)bufObj, (void)flags;
    return cudaErrorInvalidValue;
}

cudaError_t cass_cudaGLMapBufferObjectAsync(void **devPtr, unsigned int bufObj,
                                            cudaStream_t stream) {
    ENTER(device);
    (void)device, (void)devPtr, (void)bufObj, (void)stream;
    return cudaErrorInvalidValue;
}

cudaError_t cass_cudaGLUnmapBufferObjectAsync(unsigned int bufObj, cudaStream_t stream) {
    ENTER(device);
    (void)device, (void)bufObj, (void)stream;
    return cudaErrorInvalidValue;
}

cudaError_t cass_cudaGraphicsGLRegisterBuffer(cudaGraphicsResource_t *resource, unsigned int buffer,
                                              unsigned int flags) {
    ENTER(device);
    (void)device;
    return (cudaError_t)cass_cuGraphicsGLRegisterBuffer((CUgraphicsResource *)(void *)resource,
                                                        buffer, flags);
}

cudaError_t cass_cudaGraphicsGLRegisterImage(cudaGraphicsResource_t *resource, unsigned int image,
                                             unsigned int target, unsigned int flags) {
    ENTER(device);
    (void)device;
    return (cudaError_t)cass_cuGraphicsGLRegisterImage((CUgraphicsResource *)(void *)resource,
                                                       image, target, flags);
}

cudaError_t cass_cudaGraphicsEGLRegisterImage(cudaGraphicsResource_t *pCudaResource, void *image,
                                              unsigned int flags) {
    ENTER(device);
    (void)device, (void)image, (void)flags;
    return pCudaResource ? cudaErrorUnknown : cudaErrorInvalidValue;
}

cudaError_t cass_cudaEGLStreamConsumerConnect(void **conn, void *eglStream) {
    ENTER(device);
    (void)device, (void)conn, (void)eglStream;
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cass_cudaEGLStreamConsumerConnectWithFlags(void **conn, void *eglStream,
                                                       unsigned int flags) {
    ENTER(device);
    (void)device, (void)conn, (void)eglStream, (void)flags;
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cass_cudaEGLStreamConsumerDisconnect(void **conn) {
    ENTER(device);
    (void)device, (void)conn;
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cass_cudaEGLStreamConsumerAcquireFrame(void **conn,
                                                   cudaGraphicsResource_t *pCudaResource,
                                                   cudaStream_t *pStream, unsigned int timeout) {
    ENTER(device);
    (void)device, (void)conn, (void)pCudaResource, (void)pStream, (void)timeout;
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cass_cudaEGLStreamConsumerReleaseFrame(void **conn,
                                                   cudaGraphicsResource_t pCudaResource,
                                                   cudaStream_t *pStream) {
    ENTER(device);
    (void)device, (void)conn, (void)pCudaResource, (void)pStream;
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cass_cudaEGLStreamProducerConnect(void **conn, void *eglStream, int width, int height) {
    ENTER(device);
    (void)device, (void)conn, (void)eglStream, (void)width, (void)height;
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cass_cudaEGLStreamProducerDisconnect(void **conn) {
    ENTER(device);
    (void)device, (void)conn;
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cass_cudaEGLStreamProducerReturnFrame(void **conn, void *eglframe,
                                                  cudaStream_t *pStream) {
    ENTER(device);
    (void)device, (void)conn, (void)eglframe, (void)pStream;
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cass_cudaGraphicsResourceGetMappedEglFrame(void *eglFrame,
                                                       cudaGraphicsResource_t resource,
                                                       unsigned int index, unsigned int mipLevel) {
    ENTER(device);
    (void)device, (void)eglFrame, (void)resource, (void)index, (void)mipLevel;
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cass_cudaEventCreateFromEGLSync(cudaEvent_t *phEvent, void *eglSync,
                                            unsigned int flags) {
    ENTER(device);
    (void)device, (void)phEvent, (void)eglSync, (void)flags;
    return cudaErrorNotSupported;
}

cudaError_t cass_cudaVDPAUGetDevice(int *device, unsigned int vdpDevice, void *vdpGetProcAddress) {
    ENTER(entered);
    (void)entered, (void)device, (void)vdpDevice, (void)vdpGetProcAddress;
    return cudaErrorInvalidValue;
}

cudaError_t cass_cudaVDPAUSetVDPAUDevice(int device, unsigned int vdpDevice,
                                         void *vdpGetProcAddress) {
    ENTER(entered);
    (void)entered, (void)vdpDevice, (void)vdpGetProcAddress;
    return device >= 0 && device < cass_device_count ? cudaErrorInvalidValue
                                                     : cudaErrorInvalidDevice;
}

cudaError_t cass_cudaGraphicsVDPAURegisterVideoSurface(cudaGraphicsResource_t *resource,
                                                       unsigned int vdpSurface,
                                                       unsigned int flags) {
    ENTER(device);
    (void)device, (void)resource, (void)vdpSurface, (void)flags;
    return cudaErrorDeviceUninitialized;
}

cudaError_t cass_cudaGraphicsVDPAURegisterOutputSurface(cudaGraphicsResource_t *resource,
                                                        unsigned int vdpSurface,
                                                        unsigned int flags) {
    ENTER(device);
    (void)device, (void)resource, (void)vdpSurface, (void)flags;
    return cudaErrorDeviceUninitialized;
}
