/* Driver API: the first versions of memory calls, whose addresses and sizes have 32 bits.
 *
 * They need a context of the first version, which a 64-bit process cannot have: in any other they
 * answer 201 and clear their results (recorded). Only sizes and descriptors are told. */
#include "driver/api.h"

#define NO_NARROW_CONTEXT()                                                                        \
    STARTED();                                                                                     \
    return CUDA_ERROR_INVALID_CONTEXT

CUresult cass_cuDeviceTotalMem(unsigned int *bytes, CUdevice dev) {
    size_t wide = 0;
    CUresult result = bytes ? cass_cuDeviceTotalMem_v2(&wide, dev) : CUDA_ERROR_INVALID_VALUE;
    if (!result) *bytes = wide > UINT32_MAX ? UINT32_MAX : (unsigned)wide;
    return result;
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

CUresult cass_cuMemGetInfo(unsigned int *free, unsigned int *total) {
    (void)free, (void)total;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemAlloc(CUdeviceptr_v1 *dptr, unsigned int bytesize) {
    (void)bytesize;
    if (dptr) *dptr = 0;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemAllocPitch(CUdeviceptr_v1 *dptr, unsigned int *pPitch, unsigned int WidthInBytes,
                              unsigned int Height, unsigned int ElementSizeBytes) {
    (void)WidthInBytes, (void)Height, (void)ElementSizeBytes;
    if (dptr) *dptr = 0;
    if (pPitch) *pPitch = 0;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemAllocHost(void **pp, unsigned int bytesize) {
    (void)pp, (void)bytesize;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemFree(CUdeviceptr_v1 dptr) {
    (void)dptr;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemHostGetDevicePointer(CUdeviceptr_v1 *pdptr, void *p, unsigned int Flags) {
    (void)p, (void)Flags;
    if (pdptr) *pdptr = 0;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuTexRefSetAddress(unsigned int *ByteOffset, CUtexref hTexRef, CUdeviceptr_v1 dptr,
                                 unsigned int bytes) {
    (void)ByteOffset, (void)hTexRef, (void)dptr, (void)bytes;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuTexRefSetAddress2D(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR_v1 *desc,
                                   CUdeviceptr_v1 dptr, unsigned int Pitch) {
    (void)hTexRef, (void)desc, (void)dptr, (void)Pitch;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuTexRefGetAddress(CUdeviceptr_v1 *pdptr, CUtexref hTexRef) {
    (void)hTexRef;
    if (pdptr) *pdptr = 0;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemGetAddressRange(CUdeviceptr_v1 *pbase, unsigned int *psize,
                                   CUdeviceptr_v1 dptr) {
    (void)dptr;
    if (pbase) *pbase = 0;
    if (psize) *psize = 0;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuModuleGetGlobal(CUdeviceptr_v1 *dptr, unsigned int *bytes, CUmodule hmod,
                                const char *name) {
    (void)hmod, (void)name;
    if (dptr) *dptr = 0;
    if (bytes) *bytes = 0;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuArrayCreate(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR_v1 *pAllocateArray) {
    (void)pHandle, (void)pAllocateArray;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuArray3DCreate(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR_v1 *pAllocateArray) {
    (void)pHandle, (void)pAllocateArray;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemcpyHtoD(CUdeviceptr_v1 dstDevice, const void *srcHost, unsigned int ByteCount) {
    (void)dstDevice, (void)srcHost, (void)ByteCount;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemcpyDtoH(void *dstHost, CUdeviceptr_v1 srcDevice, unsigned int ByteCount) {
    (void)dstHost, (void)srcDevice, (void)ByteCount;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemcpyDtoD(CUdeviceptr_v1 dstDevice, CUdeviceptr_v1 srcDevice,
                           unsigned int ByteCount) {
    (void)dstDevice, (void)srcDevice, (void)ByteCount;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemcpyHtoDAsync(CUdeviceptr_v1 dstDevice, const void *srcHost,
                                unsigned int ByteCount, CUstream hStream) {
    (void)dstDevice, (void)srcHost, (void)ByteCount, (void)hStream;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemcpyDtoHAsync(void *dstHost, CUdeviceptr_v1 srcDevice, unsigned int ByteCount,
                                CUstream hStream) {
    (void)dstHost, (void)srcDevice, (void)ByteCount, (void)hStream;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemcpyDtoDAsync(CUdeviceptr_v1 dstDevice, CUdeviceptr_v1 srcDevice,
                                unsigned int ByteCount, CUstream hStream) {
    (void)dstDevice, (void)srcDevice, (void)ByteCount, (void)hStream;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemcpyHtoA(CUarray dstArray, unsigned int dstOffset, const void *srcHost,
                           unsigned int ByteCount) {
    (void)dstArray, (void)dstOffset, (void)srcHost, (void)ByteCount;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemcpyAtoH(void *dstHost, CUarray srcArray, unsigned int srcOffset,
                           unsigned int ByteCount) {
    (void)dstHost, (void)srcArray, (void)srcOffset, (void)ByteCount;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemcpyHtoAAsync(CUarray dstArray, unsigned int dstOffset, const void *srcHost,
                                unsigned int ByteCount, CUstream hStream) {
    (void)dstArray, (void)dstOffset, (void)srcHost, (void)ByteCount, (void)hStream;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemcpyAtoHAsync(void *dstHost, CUarray srcArray, unsigned int srcOffset,
                                unsigned int ByteCount, CUstream hStream) {
    (void)dstHost, (void)srcArray, (void)srcOffset, (void)ByteCount, (void)hStream;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemcpyAtoA(CUarray dstArray, unsigned int dstOffset, CUarray srcArray,
                           unsigned int srcOffset, unsigned int ByteCount) {
    (void)dstArray, (void)dstOffset, (void)srcArray, (void)srcOffset, (void)ByteCount;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemcpyAtoD(CUdeviceptr_v1 dstDevice, CUarray srcArray, unsigned int srcOffset,
                           unsigned int ByteCount) {
    (void)dstDevice, (void)srcArray, (void)srcOffset, (void)ByteCount;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemcpyDtoA(CUarray dstArray, unsigned int dstOffset, CUdeviceptr_v1 srcDevice,
                           unsigned int ByteCount) {
    (void)dstArray, (void)dstOffset, (void)srcDevice, (void)ByteCount;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemcpy2D(const CUDA_MEMCPY2D_v1 *pCopy) {
    (void)pCopy;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemcpy2DUnaligned(const CUDA_MEMCPY2D_v1 *pCopy) {
    (void)pCopy;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemcpy2DAsync(const CUDA_MEMCPY2D_v1 *pCopy, CUstream hStream) {
    (void)pCopy, (void)hStream;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemcpy3D(const CUDA_MEMCPY3D_v1 *pCopy) {
    (void)pCopy;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemcpy3DAsync(const CUDA_MEMCPY3D_v1 *pCopy, CUstream hStream) {
    (void)pCopy, (void)hStream;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemsetD8(CUdeviceptr_v1 dstDevice, unsigned char uc, unsigned int N) {
    (void)dstDevice, (void)uc, (void)N;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemsetD16(CUdeviceptr_v1 dstDevice, unsigned short us, unsigned int N) {
    (void)dstDevice, (void)us, (void)N;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemsetD32(CUdeviceptr_v1 dstDevice, unsigned int ui, unsigned int N) {
    (void)dstDevice, (void)ui, (void)N;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemsetD2D8(CUdeviceptr_v1 dstDevice, unsigned int dstPitch, unsigned char uc,
                           unsigned int Width, unsigned int Height) {
    (void)dstDevice, (void)dstPitch, (void)uc, (void)Width, (void)Height;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemsetD2D16(CUdeviceptr_v1 dstDevice, unsigned int dstPitch, unsigned short us,
                            unsigned int Width, unsigned int Height) {
    (void)dstDevice, (void)dstPitch, (void)us, (void)Width, (void)Height;
    NO_NARROW_CONTEXT();
}

CUresult cass_cuMemsetD2D32(CUdeviceptr_v1 dstDevice, unsigned int dstPitch, unsigned int ui,
                            unsigned int Width, unsigned int Height) {
    (void)dstDevice, (void)dstPitch, (void)ui, (void)Width, (void)Height;
    NO_NARROW_CONTEXT();
}
