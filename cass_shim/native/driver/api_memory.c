/* Driver API: allocation, pinned memory, one-dimensional copies, fills. */
#include "driver/api.h"
#include "driver/capture.h"
#include "driver/copy.h"
#include "driver/memory.h"

static cass_order waiting(void) { return (cass_order){cass_default_stream(), 1}; }
static cass_order queued(CUstream stream) { return (cass_order){cass_stream(stream), 0}; }

CUresult cass_cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize) {
    ENTER(device);
    void *pointer = NULL;
    if (!dptr || !bytesize) return CUDA_ERROR_INVALID_VALUE;
    TRY(device, cass_malloc(device, &pointer, bytesize));
    *dptr = (CUdeviceptr)(uintptr_t)pointer;
    return CUDA_SUCCESS;
}

CUresult cass_cuMemFree_v2(CUdeviceptr dptr) {
    ENTER(device);
    return RESULT(cass_free(device, cass_address(dptr)));
}

CUresult cass_cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes,
                                 size_t Height, unsigned int ElementSizeBytes) {
    ENTER(device);
    void *pointer = NULL;
    if (!dptr || !WidthInBytes || !Height) return CUDA_ERROR_INVALID_VALUE;
    if (ElementSizeBytes != 4 && ElementSizeBytes != 8 && ElementSizeBytes != 16)
        return CUDA_ERROR_INVALID_VALUE;
    TRY(device, cass_malloc_pitch(device, &pointer, pPitch, WidthInBytes, Height));
    *dptr = (CUdeviceptr)(uintptr_t)pointer;
    return CUDA_SUCCESS;
}

CUresult cass_cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags) {
    ENTER(device);
    void *pointer = NULL;
    if (!dptr) return CUDA_ERROR_INVALID_VALUE;
    *dptr = 0; /* also where it fails: recorded */
    if (!bytesize) return CUDA_ERROR_INVALID_VALUE;
    TRY(device, cass_malloc_managed(device, &pointer, bytesize, flags));
    *dptr = (CUdeviceptr)(uintptr_t)pointer;
    return CUDA_SUCCESS;
}

CUresult cass_cuMemAllocHost_v2(void **pp, size_t bytesize) {
    ENTER(device);
    if (!bytesize) return CUDA_ERROR_INVALID_VALUE;
    return RESULT(cass_malloc_host(device, pp, bytesize, 0));
}

CUresult cass_cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags) {
    ENTER(device);
    return RESULT(cass_malloc_host(device, pp, bytesize, Flags));
}

CUresult cass_cuMemFreeHost(void *p) {
    ENTER(device);
    return RESULT(cass_free_host(device, p));
}

CUresult cass_cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags) {
    ENTER(device);
    return RESULT(cass_host_register(device, p, bytesize, Flags));
}

CUresult cass_cuMemHostRegister(void *p, size_t bytesize, unsigned int Flags) {
    return cass_cuMemHostRegister_v2(p, bytesize, Flags);
}

CUresult cass_cuMemHostUnregister(void *p) {
    ENTER(device);
    return RESULT(cass_host_unregister(device, p));
}

CUresult cass_cuMemHostGetFlags(unsigned int *pFlags, void *p) {
    ENTER(device);
    return DONE(device, cass_host_flags(p, pFlags));
}

CUresult cass_cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags) {
    ENTER(device);
    void *pointer = NULL;
    if (!pdptr) return CUDA_ERROR_INVALID_VALUE;
    TRY(device, cass_host_device_pointer(&pointer, p, Flags));
    *pdptr = (CUdeviceptr)(uintptr_t)pointer;
    return CUDA_SUCCESS;
}

CUresult cass_cuMemGetInfo_v2(size_t *free, size_t *total) {
    ENTER(device);
    size_t ignored;
    return DONE(device, HIP(hipMemGetInfo, free ? free : &ignored, total ? total : &ignored));
}

CUresult cass_cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr) {
    ENTER(device);
    (void)device;
    cass_pointer seen;
    cass_pointer_get(cass_address(dptr), &seen);
    if (!seen.base) return pbase || psize ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
    if (pbase) *pbase = (CUdeviceptr)(uintptr_t)seen.base;
    if (psize) *psize = seen.bytes;
    return CUDA_SUCCESS;
}

CUresult cass_cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream) {
    ENTER(device);
    void *pointer = NULL;
    if (!dptr || !bytesize) return CUDA_ERROR_INVALID_VALUE;
    TRY(device, cass_malloc_async(device, &pointer, bytesize, cass_stream(hStream)));
    *dptr = (CUdeviceptr)(uintptr_t)pointer;
    return CUDA_SUCCESS;
}

CUresult cass_cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
    ENTER(device);
    return RESULT(cass_free_async(device, cass_address(dptr), cass_stream(hStream)));
}

static CUresult line(void *to, const void *from, size_t bytes, int kind, cass_order order) {
    ENTER(device);
    return RESULT(cass_copy_line(device, to, from, bytes, kind, order));
}

CUresult cass_cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
    return line(cass_address(dst), cass_address(src), ByteCount, HIP_COPY_DEFAULT, waiting());
}

CUresult cass_cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
    return line(cass_address(dst), cass_address(src), ByteCount, HIP_COPY_DEFAULT, queued(hStream));
}

CUresult cass_cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount) {
    return line(cass_address(dstDevice), srcHost, ByteCount, HIP_COPY_HOST_TO_DEVICE, waiting());
}

CUresult cass_cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
                                   CUstream hStream) {
    return line(cass_address(dstDevice), srcHost, ByteCount, HIP_COPY_HOST_TO_DEVICE,
                queued(hStream));
}

CUresult cass_cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
    return line(dstHost, cass_address(srcDevice), ByteCount, HIP_COPY_DEVICE_TO_HOST, waiting());
}

CUresult cass_cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                                   CUstream hStream) {
    return line(dstHost, cass_address(srcDevice), ByteCount, HIP_COPY_DEVICE_TO_HOST,
                queued(hStream));
}

CUresult cass_cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
    return line(cass_address(dstDevice), cass_address(srcDevice), ByteCount,
                HIP_COPY_DEVICE_TO_DEVICE, waiting());
}

CUresult cass_cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                                   CUstream hStream) {
    return line(cass_address(dstDevice), cass_address(srcDevice), ByteCount,
                HIP_COPY_DEVICE_TO_DEVICE, queued(hStream));
}

/* None is let pass (recorded): addresses say where they are. */
static int peer_ok(CUcontext context) { return !context || cass_context_of(context); }

CUresult cass_cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                           CUcontext srcContext, size_t ByteCount) {
    if (!peer_ok(dstContext) || !peer_ok(srcContext)) return CUDA_ERROR_INVALID_CONTEXT;
    return cass_cuMemcpy(dstDevice, srcDevice, ByteCount);
}

CUresult cass_cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                                CUcontext srcContext, size_t ByteCount, CUstream hStream) {
    if (!peer_ok(dstContext) || !peer_ok(srcContext)) return CUDA_ERROR_INVALID_CONTEXT;
    return cass_cuMemcpyAsync(dstDevice, srcDevice, ByteCount, hStream);
}

static CUresult fill(CUdeviceptr to, size_t pitch, unsigned value, unsigned element_bytes,
                     size_t width, size_t height, cass_order order) {
    ENTER(device);
    cass_fill what = {cass_address(to), pitch, width, height, value, element_bytes};
    if (height == 1) what.pitch = width * element_bytes;
    return RESULT(cass_fill_run(device, &what, order));
}

/* The six fills by element type: name part, C type, bytes. */
#define FILL(bits, type)                                                                           \
    CUresult cass_cuMemsetD##bits##_v2(CUdeviceptr dstDevice, type value, size_t N) {              \
        return fill(dstDevice, 0, value, bits / 8, N, 1, waiting());                               \
    }                                                                                              \
    CUresult cass_cuMemsetD##bits##Async(CUdeviceptr dstDevice, type value, size_t N,              \
                                         CUstream hStream) {                                       \
        return fill(dstDevice, 0, value, bits / 8, N, 1, queued(hStream));                         \
    }                                                                                              \
    CUresult cass_cuMemsetD2D##bits##_v2(CUdeviceptr dstDevice, size_t dstPitch, type value,       \
                                         size_t Width, size_t Height) {                            \
        return fill(dstDevice, dstPitch, value, bits / 8, Width, Height, waiting());               \
    }                                                                                              \
    CUresult cass_cuMemsetD2D##bits##Async(CUdeviceptr dstDevice, size_t dstPitch, type value,     \
                                           size_t Width, size_t Height, CUstream hStream) {        \
        return fill(dstDevice, dstPitch, value, bits / 8, Width, Height, queued(hStream));         \
    }
FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned int)
