/* Driver API: what is set of a texture or surface reference. */
#include <string.h>

#include "driver/api.h"
#include "driver/reference.h"

enum { DIMENSIONS = 3 };

/* Enters and finds the reference that a result is wanted of, or returns from the body. */
#define ASKED(reference, handle, surface, result)                                                  \
    ENTER(device);                                                                                 \
    (void)device;                                                                                  \
    const cass_reference *reference = cass_reference_of(handle, surface);                          \
    if (!reference) return (handle) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;        \
    if (!(result)) return CUDA_ERROR_INVALID_VALUE

CUresult cass_cuTexRefGetAddress_v2(CUdeviceptr *pdptr, CUtexref hTexRef) {
    ASKED(reference, hTexRef, 0, pdptr);
    if (!reference->texture.memory) return CUDA_ERROR_INVALID_VALUE;
    *pdptr = (CUdeviceptr)(uintptr_t)reference->texture.memory;
    return CUDA_SUCCESS;
}

CUresult cass_cuTexRefGetArray(CUarray *phArray, CUtexref hTexRef) {
    ASKED(reference, hTexRef, 0, phArray);
    *phArray = (CUarray)(void *)reference->texture.array;
    return *phArray ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuTexRefGetMipmappedArray(CUmipmappedArray *phMipmappedArray, CUtexref hTexRef) {
    ASKED(reference, hTexRef, 0, phMipmappedArray);
    *phMipmappedArray = (CUmipmappedArray)(void *)reference->texture.mipmap;
    return *phMipmappedArray ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuSurfRefGetArray(CUarray *phArray, CUsurfref hSurfRef) {
    ASKED(reference, hSurfRef, 1, phArray);
    *phArray = (CUarray)(void *)reference->texture.array;
    return *phArray ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuTexRefGetAddressMode(CUaddress_mode *pam, CUtexref hTexRef, int dim) {
    ASKED(reference, hTexRef, 0, pam);
    if (dim < 0 || dim >= DIMENSIONS) return CUDA_ERROR_INVALID_VALUE;
    *pam = (CUaddress_mode)reference->texture.address[dim];
    return CUDA_SUCCESS;
}

CUresult cass_cuTexRefGetFilterMode(CUfilter_mode *pfm, CUtexref hTexRef) {
    ASKED(reference, hTexRef, 0, pfm);
    *pfm = reference->texture.linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    return CUDA_SUCCESS;
}

CUresult cass_cuTexRefGetFlags(unsigned int *pFlags, CUtexref hTexRef) {
    ASKED(reference, hTexRef, 0, pFlags);
    *pFlags = reference->flags;
    return CUDA_SUCCESS;
}

CUresult cass_cuTexRefGetFormat(CUarray_format *pFormat, int *pNumChannels, CUtexref hTexRef) {
    ASKED(reference, hTexRef, 0, pFormat);
    *pFormat = (CUarray_format)reference->format;
    if (pNumChannels) *pNumChannels = reference->texture.format.channels;
    return CUDA_SUCCESS;
}

CUresult cass_cuTexRefGetMipmapFilterMode(CUfilter_mode *pfm, CUtexref hTexRef) {
    ASKED(reference, hTexRef, 0, pfm);
    *pfm = reference->texture.mip_linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    return CUDA_SUCCESS;
}

CUresult cass_cuTexRefGetMipmapLevelBias(float *pbias, CUtexref hTexRef) {
    ASKED(reference, hTexRef, 0, pbias);
    *pbias = reference->texture.lod_bias;
    return CUDA_SUCCESS;
}

CUresult cass_cuTexRefGetMipmapLevelClamp(float *pminMipmapLevelClamp, float *pmaxMipmapLevelClamp,
                                          CUtexref hTexRef) {
    ASKED(reference, hTexRef, 0, pminMipmapLevelClamp && pmaxMipmapLevelClamp);
    *pminMipmapLevelClamp = reference->texture.min_lod;
    *pmaxMipmapLevelClamp = reference->texture.max_lod;
    return CUDA_SUCCESS;
}

CUresult cass_cuTexRefGetMaxAnisotropy(int *pmaxAniso, CUtexref hTexRef) {
    ASKED(reference, hTexRef, 0, pmaxAniso);
    *pmaxAniso = reference->anisotropy;
    return CUDA_SUCCESS;
}

CUresult cass_cuTexRefGetBorderColor(float *pBorderColor, CUtexref hTexRef) {
    ASKED(reference, hTexRef, 0, pBorderColor);
    memcpy(pBorderColor, reference->texture.border, sizeof reference->texture.border);
    return CUDA_SUCCESS;
}
