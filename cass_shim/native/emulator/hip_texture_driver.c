/* Texture objects by the driver's structures: translated to the runtime's and back. */
#include <string.h>

#include "emulator/hip_calls.h"
#include "emulator/hip_copy.h"

/* hip_runtime_api.h: HIP_TRSF_... */
enum { READ_AS_INTEGER = 1, NORMALIZED_COORDINATES = 2, SRGB = 16 };

static bool read_resource(const HIP_RESOURCE_DESC *from, hipResourceDesc *to) {
    *to = (hipResourceDesc){.resType = (hipResourceType)from->resType};
    switch ((int)from->resType) {
    case HIP_RESOURCE_TYPE_ARRAY:
        to->res.array.array = from->res.array.hArray;
        return true;
    case HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        to->res.mipmap.mipmap = from->res.mipmap.hMipmappedArray;
        return true;
    case HIP_RESOURCE_TYPE_LINEAR:
        to->res.linear.devPtr = from->res.linear.devPtr;
        to->res.linear.desc = emu_array_desc(from->res.linear.format, from->res.linear.numChannels);
        to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
        return true;
    case HIP_RESOURCE_TYPE_PITCH2D:
        to->res.pitch2D.devPtr = from->res.pitch2D.devPtr;
        to->res.pitch2D.desc =
            emu_array_desc(from->res.pitch2D.format, from->res.pitch2D.numChannels);
        to->res.pitch2D.width = from->res.pitch2D.width;
        to->res.pitch2D.height = from->res.pitch2D.height;
        to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
        return true;
    default:
        return false;
    }
}

static hipTextureDesc read_texture(const HIP_TEXTURE_DESC *from) {
    hipTextureDesc to = {.filterMode = (hipTextureFilterMode)from->filterMode,
                         .readMode = from->flags & READ_AS_INTEGER ? hipReadModeElementType
                                                                   : hipReadModeNormalizedFloat,
                         .sRGB = (from->flags & SRGB) != 0,
                         .normalizedCoords = (from->flags & NORMALIZED_COORDINATES) != 0,
                         .maxAnisotropy = from->maxAnisotropy,
                         .mipmapFilterMode = (hipTextureFilterMode)from->mipmapFilterMode,
                         .mipmapLevelBias = from->mipmapLevelBias,
                         .minMipmapLevelClamp = from->minMipmapLevelClamp,
                         .maxMipmapLevelClamp = from->maxMipmapLevelClamp};
    for (int i = 0; i < 3; i++) to.addressMode[i] = (hipTextureAddressMode)from->addressMode[i];
    memcpy(to.borderColor, from->borderColor, sizeof to.borderColor);
    return to;
}

hipError_t emu_hipTexObjectCreate(hipTextureObject_t *pTexObject,
                                  const HIP_RESOURCE_DESC_st *pResDesc,
                                  const HIP_TEXTURE_DESC_st *pTexDesc,
                                  const HIP_RESOURCE_VIEW_DESC_st *given) {
    hipResourceDesc resource;
    if (!pResDesc || !pTexDesc) return emu_fail(hipErrorInvalidValue, "no resource or description");
    if (!read_resource(pResDesc, &resource))
        return emu_fail(hipErrorInvalidValue, "a resource of type %d", (int)pResDesc->resType);
    hipTextureDesc texture = read_texture(pTexDesc);
    hipResourceViewDesc view = {0};
    if (given)
        view = (hipResourceViewDesc){(hipResourceViewFormat)given->format,
                                     given->width,
                                     given->height,
                                     given->depth,
                                     given->firstMipmapLevel,
                                     given->lastMipmapLevel,
                                     given->firstLayer,
                                     given->lastLayer};
    return emu_hipCreateTextureObject(pTexObject, &resource, &texture, given ? &view : NULL);
}

hipError_t emu_hipTexObjectDestroy(hipTextureObject_t texObject) {
    return emu_hipDestroyTextureObject(texObject);
}

hipError_t emu_hipTexObjectGetResourceDesc(HIP_RESOURCE_DESC_st *to, hipTextureObject_t texObject) {
    hipResourceDesc from;
    hipError_t error = to ? emu_hipGetTextureObjectResourceDesc(&from, texObject)
                          : emu_fail(hipErrorInvalidValue, "no result");
    if (error) return error;
    *to = (HIP_RESOURCE_DESC_st){.resType = (HIPresourcetype)from.resType};
    switch ((int)from.resType) {
    case hipResourceTypeArray:
        to->res.array.hArray = from.res.array.array;
        return hipSuccess;
    case hipResourceTypeMipmappedArray:
        to->res.mipmap.hMipmappedArray = from.res.mipmap.mipmap;
        return hipSuccess;
    case hipResourceTypeLinear:
        to->res.linear.devPtr = from.res.linear.devPtr;
        to->res.linear.sizeInBytes = from.res.linear.sizeInBytes;
        emu_array_format(&from.res.linear.desc, &to->res.linear.format,
                         &to->res.linear.numChannels);
        return hipSuccess;
    default:
        to->res.pitch2D.devPtr = from.res.pitch2D.devPtr;
        to->res.pitch2D.width = from.res.pitch2D.width;
        to->res.pitch2D.height = from.res.pitch2D.height;
        to->res.pitch2D.pitchInBytes = from.res.pitch2D.pitchInBytes;
        emu_array_format(&from.res.pitch2D.desc, &to->res.pitch2D.format,
                         &to->res.pitch2D.numChannels);
        return hipSuccess;
    }
}

hipError_t emu_hipTexObjectGetTextureDesc(HIP_TEXTURE_DESC_st *to, hipTextureObject_t texObject) {
    hipTextureDesc from;
    hipError_t error = to ? emu_hipGetTextureObjectTextureDesc(&from, texObject)
                          : emu_fail(hipErrorInvalidValue, "no result");
    if (error) return error;
    *to = (HIP_TEXTURE_DESC_st){
        .filterMode = (HIPfilter_mode)from.filterMode,
        .flags = (from.readMode == hipReadModeElementType ? READ_AS_INTEGER : 0u) |
                 (from.normalizedCoords ? NORMALIZED_COORDINATES : 0u) | (from.sRGB ? SRGB : 0u),
        .maxAnisotropy = from.maxAnisotropy,
        .mipmapFilterMode = (HIPfilter_mode)from.mipmapFilterMode,
        .mipmapLevelBias = from.mipmapLevelBias,
        .minMipmapLevelClamp = from.minMipmapLevelClamp,
        .maxMipmapLevelClamp = from.maxMipmapLevelClamp};
    for (int i = 0; i < 3; i++) to->addressMode[i] = (HIPaddress_mode)from.addressMode[i];
    memcpy(to->borderColor, from.borderColor, sizeof to->borderColor);
    return hipSuccess;
}

hipError_t emu_hipTexObjectGetResourceViewDesc(HIP_RESOURCE_VIEW_DESC_st *to,
                                               hipTextureObject_t texObject) {
    hipResourceViewDesc from;
    hipError_t error = to ? emu_hipGetTextureObjectResourceViewDesc(&from, texObject)
                          : emu_fail(hipErrorInvalidValue, "no result");
    if (!error)
        *to = (HIP_RESOURCE_VIEW_DESC_st){.format = (HIPresourceViewFormat)from.format,
                                          .width = from.width,
                                          .height = from.height,
                                          .depth = from.depth,
                                          .firstMipmapLevel = from.firstMipmapLevel,
                                          .lastMipmapLevel = from.lastMipmapLevel,
                                          .firstLayer = from.firstLayer,
                                          .lastLayer = from.lastLayer};
    return error;
}
