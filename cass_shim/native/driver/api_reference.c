/* Driver API: texture and surface references. What is set reaches the device at once. */
#include "driver/reference.h"

#include <string.h>

#include "driver/api.h"

enum { DIMENSIONS = 3, LAST_ADDRESS_MODE = 3, OVERRIDE_FORMAT = 1 };
enum { SURFACE_LDST = 2 /* of an array */, TEXTURE_ALIGNMENT = 512 /* the device's attribute */ };
enum {
    ALL_FLAGS = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |
    CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP
};

/* Enters and finds the reference, or returns from the body. */
#define REFERENCE(device, reference, handle)                                                       \
    ENTER(device);                                                                                 \
    (void)device;                                                                                  \
    cass_reference *reference = cass_reference_of(handle, 0);                                      \
    if (!reference) return (handle) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE

#define SURFACE(device, reference, handle)                                                         \
    ENTER(device);                                                                                 \
    (void)device;                                                                                  \
    cass_reference *reference = cass_reference_of(handle, 1);                                      \
    if (!reference) return (handle) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE

static CUresult find(CUmodule handle, const char *name, int surface, cass_reference **out) {
    ENTER(device);
    cass_module *module = cass_module_of(handle);
    if (!module) return CUDA_ERROR_INVALID_HANDLE;
    if (!name || !out) return CUDA_ERROR_INVALID_VALUE;
    TRY(device, cass_module_prepare(module));
    return DONE(device, cass_reference_find(module, name, surface, out));
}

CUresult cass_cuModuleGetTexRef(CUtexref *pTexRef, CUmodule hmod, const char *name) {
    return find(hmod, name, 0, pTexRef);
}

CUresult cass_cuModuleGetSurfRef(CUsurfref *pSurfRef, CUmodule hmod, const char *name) {
    return find(hmod, name, 1, (cass_reference **)(void *)pSurfRef);
}

CUresult cass_cuTexRefCreate(CUtexref *pTexRef) {
    ENTER(device);
    (void)device;
    if (!pTexRef) return CUDA_ERROR_INVALID_VALUE;
    *pTexRef = cass_reference_create();
    return *pTexRef ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cass_cuTexRefDestroy(CUtexref hTexRef) {
    REFERENCE(device, reference, hTexRef);
    if (reference->module) return CUDA_ERROR_INVALID_VALUE; /* the module's own */
    cass_reference_destroy(reference);
    return CUDA_SUCCESS;
}

/* A reference is part of its module; the unit has been CU_PARAM_TR_DEFAULT ever since. */
CUresult cass_cuParamSetTexRef(CUfunction hfunc, int texunit, CUtexref hTexRef) {
    REFERENCE(device, reference, hTexRef);
    const cass_kernel *kernel = cass_kernel_of(hfunc);
    if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
    return texunit == CU_PARAM_TR_DEFAULT && reference->module == kernel->module
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

/* What a reference names; the rest of `texture` stays. */
static void name(cass_texture *texture, cass_array *array, cass_mipmap *mipmap, void *memory) {
    texture->array = array;
    texture->mipmap = mipmap;
    texture->memory = memory;
    texture->pitch = 0;
}

CUresult cass_cuTexRefSetArray(CUtexref hTexRef, CUarray hArray, unsigned int Flags) {
    REFERENCE(device, reference, hTexRef);
    cass_array *array = cass_array_of(hArray);
    (void)Flags; /* none is let pass, too (recorded) */
    if (!array) return CUDA_ERROR_INVALID_VALUE;
    name(&reference->texture, array, NULL, NULL);
    return DONE(device, cass_reference_apply(device, reference));
}

CUresult cass_cuTexRefSetMipmappedArray(CUtexref hTexRef, CUmipmappedArray hMipmappedArray,
                                        unsigned int Flags) {
    REFERENCE(device, reference, hTexRef);
    cass_mipmap *mipmap = cass_mipmap_of(hMipmappedArray);
    if (!mipmap || Flags != OVERRIDE_FORMAT) return CUDA_ERROR_INVALID_VALUE;
    name(&reference->texture, NULL, mipmap, NULL);
    return DONE(device, cass_reference_apply(device, reference));
}

/* Loads of linear memory need no alignment here, so that the offset is always 0. */
CUresult cass_cuTexRefSetAddress_v2(size_t *ByteOffset, CUtexref hTexRef, CUdeviceptr dptr,
                                    size_t bytes) {
    REFERENCE(device, reference, hTexRef);
    if (dptr && !bytes) return CUDA_ERROR_INVALID_VALUE;
    if (!ByteOffset && dptr % TEXTURE_ALIGNMENT) return CUDA_ERROR_INVALID_VALUE;
    name(&reference->texture, NULL, NULL, cass_address(dptr));
    reference->texture.bytes = bytes;
    TRY(device, cass_reference_apply(device, reference));
    if (ByteOffset) *ByteOffset = 0;
    return CUDA_SUCCESS;
}

CUresult cass_cuTexRefSetAddress2D_v3(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc,
                                      CUdeviceptr dptr, size_t Pitch) {
    REFERENCE(device, reference, hTexRef);
    cass_format_of format;
    if (!desc || !dptr || !desc->Width || !desc->Height) return CUDA_ERROR_INVALID_VALUE;
    TRY(device, cass_read_format(desc->Format, desc->NumChannels, &format));
    if (Pitch < desc->Width * (size_t)(format.channels * format.channel_bytes))
        return CUDA_ERROR_INVALID_VALUE;
    name(&reference->texture, NULL, NULL, cass_address(dptr));
    reference->texture.format = format;
    reference->texture.width = desc->Width;
    reference->texture.height = desc->Height;
    reference->texture.pitch = Pitch;
    return DONE(device, cass_reference_apply(device, reference));
}

CUresult cass_cuTexRefSetAddress2D_v2(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc,
                                      CUdeviceptr dptr, size_t Pitch) {
    return cass_cuTexRefSetAddress2D_v3(hTexRef, desc, dptr, Pitch);
}

CUresult cass_cuTexRefSetFormat(CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents) {
    REFERENCE(device, reference, hTexRef);
    TRY(device, cass_read_format(fmt, (unsigned)NumPackedComponents, &reference->texture.format));
    reference->format = (int)fmt;
    return DONE(device, cass_reference_apply(device, reference));
}

CUresult cass_cuTexRefSetAddressMode(CUtexref hTexRef, int dim, CUaddress_mode am) {
    REFERENCE(device, reference, hTexRef);
    if (dim < 0 || dim >= DIMENSIONS || (unsigned)am > LAST_ADDRESS_MODE)
        return CUDA_ERROR_INVALID_VALUE;
    reference->texture.address[dim] = (int)am;
    return DONE(device, cass_reference_apply(device, reference));
}

CUresult cass_cuTexRefSetFilterMode(CUtexref hTexRef, CUfilter_mode fm) {
    REFERENCE(device, reference, hTexRef);
    if ((unsigned)fm > CU_TR_FILTER_MODE_LINEAR) return CUDA_ERROR_INVALID_VALUE;
    reference->texture.linear = fm == CU_TR_FILTER_MODE_LINEAR;
    return DONE(device, cass_reference_apply(device, reference));
}

CUresult cass_cuTexRefSetFlags(CUtexref hTexRef, unsigned int Flags) {
    REFERENCE(device, reference, hTexRef);
    cass_texture *texture = &reference->texture;
    if (Flags & ~(unsigned)ALL_FLAGS) return CUDA_ERROR_INVALID_VALUE;
    reference->flags = Flags;
    texture->as_float = !(Flags & CU_TRSF_READ_AS_INTEGER);
    texture->normalized = (Flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    texture->srgb = (Flags & CU_TRSF_SRGB) != 0;
    texture->seamless = (Flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
    return DONE(device, cass_reference_apply(device, reference));
}

CUresult cass_cuTexRefSetMipmapFilterMode(CUtexref hTexRef, CUfilter_mode fm) {
    REFERENCE(device, reference, hTexRef);
    if ((unsigned)fm > CU_TR_FILTER_MODE_LINEAR) return CUDA_ERROR_INVALID_VALUE;
    reference->texture.mip_linear = fm == CU_TR_FILTER_MODE_LINEAR;
    return DONE(device, cass_reference_apply(device, reference));
}

CUresult cass_cuTexRefSetMipmapLevelBias(CUtexref hTexRef, float bias) {
    REFERENCE(device, reference, hTexRef);
    reference->texture.lod_bias = bias;
    return DONE(device, cass_reference_apply(device, reference));
}

CUresult cass_cuTexRefSetMipmapLevelClamp(CUtexref hTexRef, float minMipmapLevelClamp,
                                          float maxMipmapLevelClamp) {
    REFERENCE(device, reference, hTexRef);
    reference->texture.min_lod = minMipmapLevelClamp;
    reference->texture.max_lod = maxMipmapLevelClamp;
    return DONE(device, cass_reference_apply(device, reference));
}

CUresult cass_cuTexRefSetMaxAnisotropy(CUtexref hTexRef, unsigned int maxAniso) {
    REFERENCE(device, reference, hTexRef);
    reference->anisotropy = (int)maxAniso;
    return CUDA_SUCCESS;
}

CUresult cass_cuTexRefSetBorderColor(CUtexref hTexRef, float *pBorderColor) {
    REFERENCE(device, reference, hTexRef);
    if (!pBorderColor) return CUDA_ERROR_INVALID_VALUE;
    memcpy(reference->texture.border, pBorderColor, sizeof reference->texture.border);
    return DONE(device, cass_reference_apply(device, reference));
}

CUresult cass_cuSurfRefSetArray(CUsurfref hSurfRef, CUarray hArray, unsigned int Flags) {
    SURFACE(device, reference, hSurfRef);
    cass_array *array = cass_array_of(hArray);
    if (!array || Flags || !(array->flags & SURFACE_LDST)) return CUDA_ERROR_INVALID_VALUE;
    reference->texture.array = array;
    return DONE(device, cass_reference_apply(device, reference));
}
