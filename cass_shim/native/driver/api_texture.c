/* Driver API: texture and surface objects. */
#include <math.h>
#include <string.h>

#include "driver/api.h"
#include "driver/texture.h"

/* Whether the resource exists. The runtime hands its own to the driver, so that what was recorded
 * of it (textures.expected in tests/native/conformance) holds here. */
static int check(const CUDA_RESOURCE_DESC *resource, int surface) {
    if (!resource) return INVALID_VALUE;
    switch (resource->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        return cass_array_of(resource->res.array.hArray) ? OK : INVALID_VALUE;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        if (surface) return INVALID_VALUE;
        return cass_mipmap_of(resource->res.mipmap.hMipmappedArray) ? OK : INVALID_VALUE;
    case CU_RESOURCE_TYPE_LINEAR:
        return !surface && cass_linear_ok(cass_address(resource->res.linear.devPtr))
                   ? OK
                   : INVALID_VALUE;
    case CU_RESOURCE_TYPE_PITCH2D:
        return !surface && cass_pitched_ok(cass_address(resource->res.pitch2D.devPtr),
                                           resource->res.pitch2D.width,
                                           resource->res.pitch2D.pitchInBytes)
                   ? OK
                   : INVALID_VALUE;
    default:
        return INVALID_VALUE;
    }
}

static int read_resource(const CUDA_RESOURCE_DESC *resource, cass_texture *texture) {
    switch (resource->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        texture->array = cass_array_of(resource->res.array.hArray);
        return OK;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        texture->mipmap = cass_mipmap_of(resource->res.mipmap.hMipmappedArray);
        return OK;
    case CU_RESOURCE_TYPE_LINEAR:
        texture->memory = cass_address(resource->res.linear.devPtr);
        texture->bytes = resource->res.linear.sizeInBytes;
        return cass_read_format(resource->res.linear.format, resource->res.linear.numChannels,
                                &texture->format);
    default:
        texture->memory = cass_address(resource->res.pitch2D.devPtr);
        texture->width = resource->res.pitch2D.width;
        texture->height = resource->res.pitch2D.height;
        texture->pitch = resource->res.pitch2D.pitchInBytes;
        return cass_read_format(resource->res.pitch2D.format, resource->res.pitch2D.numChannels,
                                &texture->format);
    }
}

static void read_sampler(const CUDA_TEXTURE_DESC *from, cass_texture *texture) {
    for (int i = 0; i < 3; i++) texture->address[i] = (int)from->addressMode[i];
    texture->linear = from->filterMode == CU_TR_FILTER_MODE_LINEAR;
    texture->normalized = (from->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    texture->as_float = !(from->flags & CU_TRSF_READ_AS_INTEGER);
    texture->srgb = (from->flags & CU_TRSF_SRGB) != 0;
    texture->seamless = (from->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
    texture->mip_linear = from->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR;
    texture->lod_bias = from->mipmapLevelBias;
    texture->min_lod = from->minMipmapLevelClamp;
    texture->max_lod = from->maxMipmapLevelClamp;
    memcpy(texture->border, from->borderColor, sizeof texture->border);
}

/* Integers are kept of an integer texture's border (recorded). */
static CUDA_TEXTURE_DESC whole_border(const CUDA_TEXTURE_DESC *given) {
    CUDA_TEXTURE_DESC kept = *given;
    for (int i = 0; i < 4 && given->flags & CU_TRSF_READ_AS_INTEGER; i++)
        kept.borderColor[i] = truncf(kept.borderColor[i]);
    return kept;
}

static CUresult make(unsigned long long *handle, const CUDA_RESOURCE_DESC *resource,
                     const CUDA_TEXTURE_DESC *sampler, const CUDA_RESOURCE_VIEW_DESC *view) {
    ENTER(device);
    cass_description parts[3] = {
        {resource, sizeof *resource}, {sampler, sizeof *sampler}, {view, sizeof *view}};
    cass_texture texture = {.surface = !sampler};
    CUDA_TEXTURE_DESC kept;
    if (!handle) return CUDA_ERROR_INVALID_VALUE;
    if (sampler) {
        kept = whole_border(sampler);
        parts[1].description = sampler = &kept;
    }
    TRY(device, check(resource, !sampler));
    TRY(device, read_resource(resource, &texture));
    if (sampler) read_sampler(sampler, &texture);
    if (view) {
        TRY(device, cass_view_check(&texture, (unsigned)view->format, view->width, view->height));
        texture.has_view = 1;
        texture.view_format = (unsigned)view->format;
        texture.first_level = view->firstMipmapLevel;
        texture.last_level = view->lastMipmapLevel;
        texture.first_layer = view->firstLayer;
        texture.last_layer = view->lastLayer;
    }
    return DONE(device, cass_object_make(device, &texture, parts, handle));
}

static CUresult part(unsigned long long handle, int which, void *out, size_t bytes) {
    ENTER(device);
    return DONE(device, cass_object_part(handle, which, out, bytes));
}

static CUresult drop(unsigned long long handle) {
    ENTER(device);
    (void)device;
    if (handle) (void)cass_object_drop(handle); /* one that is gone is no error (recorded) */
    return CUDA_SUCCESS;
}

CUresult cass_cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc,
                                const CUDA_TEXTURE_DESC *pTexDesc,
                                const CUDA_RESOURCE_VIEW_DESC *pResViewDesc) {
    return pTexDesc ? make(pTexObject, pResDesc, pTexDesc, pResViewDesc) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cass_cuTexObjectDestroy(CUtexObject texObject) { return drop(texObject); }

CUresult cass_cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUtexObject texObject) {
    return part(texObject, CASS_RESOURCE, pResDesc, sizeof *pResDesc);
}

CUresult cass_cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc, CUtexObject texObject) {
    return part(texObject, CASS_SAMPLER, pTexDesc, sizeof *pTexDesc);
}

CUresult cass_cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *pResViewDesc,
                                             CUtexObject texObject) {
    return part(texObject, CASS_VIEW, pResViewDesc, sizeof *pResViewDesc);
}

CUresult cass_cuSurfObjectCreate(CUsurfObject *pSurfObject, const CUDA_RESOURCE_DESC *pResDesc) {
    return make(pSurfObject, pResDesc, NULL, NULL);
}

CUresult cass_cuSurfObjectDestroy(CUsurfObject surfObject) { return drop(surfObject); }

CUresult cass_cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUsurfObject surfObject) {
    return part(surfObject, CASS_RESOURCE, pResDesc, sizeof *pResDesc);
}
