/* Driver API: the first versions of memory calls, whose addresses and sizes have 32 bits.
 *
 * Each widens its arguments and does what its second version does. Device memory here lies above
 * 4 GiB, so an allocation cannot be handed out and an address names nothing; arrays and sizes work.
 */

#include "driver/api.h"

static int fits(uint64_t value) { return value <= UINT32_MAX; }

/* What a 32-bit result shows of a larger size. */
static unsigned capped(size_t value) { return fits(value) ? (unsigned)value : UINT32_MAX; }

CUresult cass_cuDeviceTotalMem(unsigned int *bytes, CUdevice dev) {
    size_t wide = 0;
    CUresult result = bytes ? cass_cuDeviceTotalMem_v2(&wide, dev) : CUDA_ERROR_INVALID_VALUE;
    if (!result) *bytes = capped(wide);
    return result;
}

CUresult cass_cuMemGetInfo(unsigned int *free, unsigned int *total) {
    size_t wide_free = 0, wide_total = 0;
    CUresult result = cass_cuMemGetInfo_v2(&wide_free, &wide_total);
    if (!result && free) *free = capped(wide_free);
    if (!result && total) *total = capped(wide_total);
    return result;
}

/* Hands the allocation out, or gives it back where the address does not fit. */
static CUresult hand_out(CUdeviceptr wide, CUdeviceptr_v1 *out) {
    if (!fits(wide)) {
        (void)cass_cuMemFree_v2(wide);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *out = (CUdeviceptr_v1)wide;
    return CUDA_SUCCESS;
}

CUresult cass_cuMemAlloc(CUdeviceptr_v1 *dptr, unsigned int bytesize) {
    CUdeviceptr wide = 0;
    CUresult result = dptr ? cass_cuMemAlloc_v2(&wide, bytesize) : CUDA_ERROR_INVALID_VALUE;
    return result ? result : hand_out(wide, dptr);
}

CUresult cass_cuMemAllocPitch(CUdeviceptr_v1 *dptr, unsigned int *pPitch, unsigned int WidthInBytes,
                              unsigned int Height, unsigned int ElementSizeBytes) {
    CUdeviceptr wide = 0;
    size_t pitch = 0;
    if (!dptr || !pPitch) return CUDA_ERROR_INVALID_VALUE;
    CUresult result =
        cass_cuMemAllocPitch_v2(&wide, &pitch, WidthInBytes, Height, ElementSizeBytes);
    if (!result) result = hand_out(wide, dptr);
    if (!result) *pPitch = (unsigned)pitch;
    return result;
}

CUresult cass_cuMemAllocHost(void **pp, unsigned int bytesize) {
    return cass_cuMemAllocHost_v2(pp, bytesize);
}

CUresult cass_cuMemFree(CUdeviceptr_v1 dptr) { return cass_cuMemFree_v2(dptr); }

CUresult cass_cuMemHostGetDevicePointer(CUdeviceptr_v1 *pdptr, void *p, unsigned int Flags) {
    CUdeviceptr wide = 0;
    CUresult result =
        pdptr ? cass_cuMemHostGetDevicePointer_v2(&wide, p, Flags) : CUDA_ERROR_INVALID_VALUE;
    if (!result && !fits(wide)) result = CUDA_ERROR_INVALID_VALUE;
    if (!result) *pdptr = (CUdeviceptr_v1)wide;
    return result;
}

CUresult cass_cuMemGetAddressRange(CUdeviceptr_v1 *pbase, unsigned int *psize,
                                   CUdeviceptr_v1 dptr) {
    CUdeviceptr base = 0;
    size_t bytes = 0;
    CUresult result = cass_cuMemGetAddressRange_v2(&base, &bytes, dptr);
    if (!result && pbase) *pbase = (CUdeviceptr_v1)base;
    if (!result && psize) *psize = capped(bytes);
    return result;
}

CUresult cass_cuModuleGetGlobal(CUdeviceptr_v1 *dptr, unsigned int *bytes, CUmodule hmod,
                                const char *name) {
    CUdeviceptr wide = 0;
    size_t size = 0;
    CUresult result = cass_cuModuleGetGlobal_v2(&wide, &size, hmod, name);
    if (!result && dptr && !fits(wide)) result = CUDA_ERROR_INVALID_VALUE;
    if (!result && dptr) *dptr = (CUdeviceptr_v1)wide;
    if (!result && bytes) *bytes = capped(size);
    return result;
}

CUresult cass_cuArrayCreate(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR_v1 *pAllocateArray) {
    const CUDA_ARRAY_DESCRIPTOR_v1 *p = pAllocateArray;
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    CUDA_ARRAY_DESCRIPTOR wide = {p->Width, p->Height, p->Format, p->NumChannels};
    return cass_cuArrayCreate_v2(pHandle, &wide);
}

CUresult cass_cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR_v1 *pArrayDescriptor, CUarray hArray) {
    CUDA_ARRAY_DESCRIPTOR wide;
    if (!pArrayDescriptor) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = cass_cuArrayGetDescriptor_v2(&wide, hArray);
    if (!result)
        *pArrayDescriptor = (CUDA_ARRAY_DESCRIPTOR_v1){(unsigned)wide.Width, (unsigned)wide.Height,
                                                       wide.Format, wide.NumChannels};
    return result;
}

CUresult cass_cuArray3DCreate(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR_v1 *pAllocateArray) {
    const CUDA_ARRAY3D_DESCRIPTOR_v1 *p = pAllocateArray;
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    CUDA_ARRAY3D_DESCRIPTOR wide = {p->Width,  p->Height,      p->Depth,
                                    p->Format, p->NumChannels, p->Flags};
    return cass_cuArray3DCreate_v2(pHandle, &wide);
}

CUresult cass_cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR_v1 *pArrayDescriptor, CUarray hArray) {
    CUDA_ARRAY3D_DESCRIPTOR wide;
    if (!pArrayDescriptor) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = cass_cuArray3DGetDescriptor_v2(&wide, hArray);
    if (!result)
        *pArrayDescriptor = (CUDA_ARRAY3D_DESCRIPTOR_v1){
            (unsigned)wide.Width, (unsigned)wide.Height, (unsigned)wide.Depth,
            wide.Format,          wide.NumChannels,      wide.Flags};
    return result;
}

CUresult cass_cuMemcpyHtoD(CUdeviceptr_v1 dstDevice, const void *srcHost, unsigned int ByteCount) {
    return cass_cuMemcpyHtoD_v2(dstDevice, srcHost, ByteCount);
}

CUresult cass_cuMemcpyDtoH(void *dstHost, CUdeviceptr_v1 srcDevice, unsigned int ByteCount) {
    return cass_cuMemcpyDtoH_v2(dstHost, srcDevice, ByteCount);
}

CUresult cass_cuMemcpyDtoD(CUdeviceptr_v1 dstDevice, CUdeviceptr_v1 srcDevice,
                           unsigned int ByteCount) {
    return cass_cuMemcpyDtoD_v2(dstDevice, srcDevice, ByteCount);
}

CUresult cass_cuMemcpyHtoDAsync(CUdeviceptr_v1 dstDevice, const void *srcHost,
                                unsigned int ByteCount, CUstream hStream) {
    return cass_cuMemcpyHtoDAsync_v2(dstDevice, srcHost, ByteCount, hStream);
}

CUresult cass_cuMemcpyDtoHAsync(void *dstHost, CUdeviceptr_v1 srcDevice, unsigned int ByteCount,
                                CUstream hStream) {
    return cass_cuMemcpyDtoHAsync_v2(dstHost, srcDevice, ByteCount, hStream);
}

CUresult cass_cuMemcpyDtoDAsync(CUdeviceptr_v1 dstDevice, CUdeviceptr_v1 srcDevice,
                                unsigned int ByteCount, CUstream hStream) {
    return cass_cuMemcpyDtoDAsync_v2(dstDevice, srcDevice, ByteCount, hStream);
}

CUresult cass_cuMemcpyHtoA(CUarray dstArray, unsigned int dstOffset, const void *srcHost,
                           unsigned int ByteCount) {
    return cass_cuMemcpyHtoA_v2(dstArray, dstOffset, srcHost, ByteCount);
}

CUresult cass_cuMemcpyAtoH(void *dstHost, CUarray srcArray, unsigned int srcOffset,
                           unsigned int ByteCount) {
    return cass_cuMemcpyAtoH_v2(dstHost, srcArray, srcOffset, ByteCount);
}

CUresult cass_cuMemcpyHtoAAsync(CUarray dstArray, unsigned int dstOffset, const void *srcHost,
                                unsigned int ByteCount, CUstream hStream) {
    return cass_cuMemcpyHtoAAsync_v2(dstArray, dstOffset, srcHost, ByteCount, hStream);
}

CUresult cass_cuMemcpyAtoHAsync(void *dstHost, CUarray srcArray, unsigned int srcOffset,
                                unsigned int ByteCount, CUstream hStream) {
    return cass_cuMemcpyAtoHAsync_v2(dstHost, srcArray, srcOffset, ByteCount, hStream);
}

CUresult cass_cuMemcpyAtoA(CUarray dstArray, unsigned int dstOffset, CUarray srcArray,
                           unsigned int srcOffset, unsigned int ByteCount) {
    return cass_cuMemcpyAtoA_v2(dstArray, dstOffset, srcArray, srcOffset, ByteCount);
}

CUresult cass_cuMemcpyAtoD(CUdeviceptr_v1 dstDevice, CUarray srcArray, unsigned int srcOffset,
                           unsigned int ByteCount) {
    return cass_cuMemcpyAtoD_v2(dstDevice, srcArray, srcOffset, ByteCount);
}

CUresult cass_cuMemcpyDtoA(CUarray dstArray, unsigned int dstOffset, CUdeviceptr_v1 srcDevice,
                           unsigned int ByteCount) {
    return cass_cuMemcpyDtoA_v2(dstArray, dstOffset, srcDevice, ByteCount);
}

static CUDA_MEMCPY2D wide_2d(const CUDA_MEMCPY2D_v1 *p) {
    return (CUDA_MEMCPY2D){.srcXInBytes = p->srcXInBytes,
                           .srcY = p->srcY,
                           .srcMemoryType = p->srcMemoryType,
                           .srcHost = p->srcHost,
                           .srcDevice = p->srcDevice,
                           .srcArray = p->srcArray,
                           .srcPitch = p->srcPitch,
                           .dstXInBytes = p->dstXInBytes,
                           .dstY = p->dstY,
                           .dstMemoryType = p->dstMemoryType,
                           .dstHost = p->dstHost,
                           .dstDevice = p->dstDevice,
                           .dstArray = p->dstArray,
                           .dstPitch = p->dstPitch,
                           .WidthInBytes = p->WidthInBytes,
                           .Height = p->Height};
}

CUresult cass_cuMemcpy2D(const CUDA_MEMCPY2D_v1 *pCopy) {
    if (!pCopy) return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY2D wide = wide_2d(pCopy);
    return cass_cuMemcpy2D_v2(&wide);
}

CUresult cass_cuMemcpy2DUnaligned(const CUDA_MEMCPY2D_v1 *pCopy) {
    if (!pCopy) return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY2D wide = wide_2d(pCopy);
    return cass_cuMemcpy2DUnaligned_v2(&wide);
}

CUresult cass_cuMemcpy2DAsync(const CUDA_MEMCPY2D_v1 *pCopy, CUstream hStream) {
    if (!pCopy) return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY2D wide = wide_2d(pCopy);
    return cass_cuMemcpy2DAsync_v2(&wide, hStream);
}

static CUDA_MEMCPY3D wide_3d(const CUDA_MEMCPY3D_v1 *p) {
    return (CUDA_MEMCPY3D){.srcXInBytes = p->srcXInBytes,
                           .srcY = p->srcY,
                           .srcZ = p->srcZ,
                           .srcLOD = p->srcLOD,
                           .srcMemoryType = p->srcMemoryType,
                           .srcHost = p->srcHost,
                           .srcDevice = p->srcDevice,
                           .srcArray = p->srcArray,
                           .srcPitch = p->srcPitch,
                           .srcHeight = p->srcHeight,
                           .dstXInBytes = p->dstXInBytes,
                           .dstY = p->dstY,
                           .dstZ = p->dstZ,
                           .dstLOD = p->dstLOD,
                           .dstMemoryType = p->dstMemoryType,
                           .dstHost = p->dstHost,
                           .dstDevice = p->dstDevice,
                           .dstArray = p->dstArray,
                           .dstPitch = p->dstPitch,
                           .dstHeight = p->dstHeight,
                           .WidthInBytes = p->WidthInBytes,
                           .Height = p->Height,
                           .Depth = p->Depth};
}

CUresult cass_cuMemcpy3D(const CUDA_MEMCPY3D_v1 *pCopy) {
    if (!pCopy) return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY3D wide = wide_3d(pCopy);
    return cass_cuMemcpy3D_v2(&wide);
}

CUresult cass_cuMemcpy3DAsync(const CUDA_MEMCPY3D_v1 *pCopy, CUstream hStream) {
    if (!pCopy) return CUDA_ERROR_INVALID_VALUE;
    CUDA_MEMCPY3D wide = wide_3d(pCopy);
    return cass_cuMemcpy3DAsync_v2(&wide, hStream);
}

CUresult cass_cuMemsetD8(CUdeviceptr_v1 dstDevice, unsigned char uc, unsigned int N) {
    return cass_cuMemsetD8_v2(dstDevice, uc, N);
}

CUresult cass_cuMemsetD16(CUdeviceptr_v1 dstDevice, unsigned short us, unsigned int N) {
    return cass_cuMemsetD16_v2(dstDevice, us, N);
}

CUresult cass_cuMemsetD32(CUdeviceptr_v1 dstDevice, unsigned int ui, unsigned int N) {
    return cass_cuMemsetD32_v2(dstDevice, ui, N);
}

CUresult cass_cuMemsetD2D8(CUdeviceptr_v1 dstDevice, unsigned int dstPitch, unsigned char uc,
                           unsigned int Width, unsigned int Height) {
    return cass_cuMemsetD2D8_v2(dstDevice, dstPitch, uc, Width, Height);
}

CUresult cass_cuMemsetD2D16(CUdeviceptr_v1 dstDevice, unsigned int dstPitch, unsigned short us,
                            unsigned int Width, unsigned int Height) {
    return cass_cuMemsetD2D16_v2(dstDevice, dstPitch, us, Width, Height);
}

CUresult cass_cuMemsetD2D32(CUdeviceptr_v1 dstDevice, unsigned int dstPitch, unsigned int ui,
                            unsigned int Width, unsigned int Height) {
    return cass_cuMemsetD2D32_v2(dstDevice, dstPitch, ui, Width, Height);
}
