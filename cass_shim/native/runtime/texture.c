/* Texture and surface objects. Structures differ in length between versions; their beginnings
 * agree. */
#include "driver/texture.h"

#include <string.h>

#include "runtime/format.h"

static size_t resource_bytes(void) {
    return cass_caller_is_13() ? sizeof(struct cudaResourceDesc)
                               : sizeof(struct cudaResourceDesc_v12);
}

static size_t view_bytes(void) {
    return cass_caller_is_13() ? sizeof(struct cudaResourceViewDesc)
                               : sizeof(struct cudaResourceViewDesc_v12);
}

static size_t sampler_bytes(void) {
    return cass_caller_now()->version < 12000 ? sizeof(struct cudaTextureDesc_v11)
                                              : sizeof(struct cudaTextureDesc);
}

/* Whether the resource exists. */
static int check(const struct cudaResourceDesc *resource, int surface) {
    if (!resource) return INVALID_VALUE;
    switch (resource->resType) {
    case cudaResourceTypeArray:
        return cass_array_of(resource->res.array.array) ? OK : INVALID_HANDLE;
    case cudaResourceTypeMipmappedArray:
        if (surface) return INVALID_VALUE;
        return cass_mipmap_of(resource->res.mipmap.mipmap) ? OK : INVALID_HANDLE;
    case cudaResourceTypeLinear:
        return !surface && cass_linear_ok(resource->res.linear.devPtr) ? OK : INVALID_VALUE;
    case cudaResourceTypePitch2D:
        return !surface &&
                       cass_pitched_ok(resource->res.pitch2D.devPtr, resource->res.pitch2D.width,
                                       resource->res.pitch2D.pitchInBytes)
                   ? OK
                   : INVALID_VALUE;
    default:
        return INVALID_VALUE;
    }
}

/* What the structures ask for. Their beginnings agree between versions. */
static int read_resource(const struct cudaResourceDesc *resource, cass_texture *texture) {
    switch (resource->resType) {
    case cudaResourceTypeArray:
        texture->array = cass_array_of(resource->res.array.array);
        return OK;
    case cudaResourceTypeMipmappedArray:
        texture->mipmap = cass_mipmap_of(resource->res.mipmap.mipmap);
        return OK;
    case cudaResourceTypeLinear:
        texture->memory = resource->res.linear.devPtr;
        texture->bytes = resource->res.linear.sizeInBytes;
        return cass_format_read(&resource->res.linear.desc, &texture->format);
    default:
        texture->memory = resource->res.pitch2D.devPtr;
        texture->width = resource->res.pitch2D.width;
        texture->height = resource->res.pitch2D.height;
        texture->pitch = resource->res.pitch2D.pitchInBytes;
        return cass_format_read(&resource->res.pitch2D.desc, &texture->format);
    }
}

static void read_sampler(const struct cudaTextureDesc_v11 *from, cass_texture *texture) {
    for (int i = 0; i < 3; i++) texture->address[i] = (int)from->addressMode[i];
    texture->linear = from->filterMode == cudaFilterModeLinear;
    texture->normalized = from->normalizedCoords != 0;
    texture->as_float = from->readMode == cudaReadModeNormalizedFloat;
    texture->srgb = from->sRGB != 0;
    texture->mip_linear = from->mipmapFilterMode == cudaFilterModeLinear;
    texture->lod_bias = from->mipmapLevelBias;
    texture->min_lod = from->minMipmapLevelClamp;
    texture->max_lod = from->maxMipmapLevelClamp;
    memcpy(texture->border, from->borderColor, sizeof texture->border);
}

static void read_view(const struct cudaResourceViewDesc *view, cass_texture *texture) {
    texture->has_view = 1;
    texture->view_format = (unsigned)view->format;
    texture->first_level = view->firstMipmapLevel;
    texture->last_level = view->lastMipmapLevel;
    texture->first_layer = view->firstLayer;
    texture->last_layer = view->lastLayer;
}

/* Integers of 32 bits and floats are never normalized, and only floats are filtered: recorded
 * (textures.expected and compressed.expected in tests/native/conformance: blocks are as the
 * integers that they lie in). Linear memory has no filter. */
cudaError_t cass_check_sampler(const cass_texture *texture) {
    const cass_array *array = texture->mipmap ? &texture->mipmap->level[0] : texture->array;
    cass_format_of format = array ? array->format : texture->format;
    int is_float = format.kind == CASS_CHANNEL_FLOAT;
    if (texture->has_view && cass_block_bytes(texture->view_format))
        return texture->linear     ? cudaErrorInvalidFilterSetting
               : texture->as_float ? cudaErrorInvalidNormSetting
                                   : cudaSuccess;
    if (texture->as_float && (is_float || format.channel_bytes == 4) && !texture->has_view)
        return cudaErrorInvalidNormSetting;
    int filtered = texture->linear && (array || texture->pitch) && !texture->has_view;
    if (filtered && !is_float && !texture->as_float) return cudaErrorInvalidFilterSetting;
    return cudaSuccess;
}

static cudaError_t make(unsigned long long *handle, const struct cudaResourceDesc *resource,
                        const void *sampler, size_t bytes,
                        const struct cudaResourceViewDesc *view) {
    ENTER(device);
    cass_description parts[3] = {
        {resource, resource_bytes()}, {sampler, bytes}, {view, view_bytes()}};
    cass_texture texture = {.surface = !sampler};
    if (!handle) return cudaErrorInvalidValue;
    TRY(device, check(resource, !sampler));
    TRY(device, read_resource(resource, &texture));
    if (sampler) read_sampler(sampler, &texture);
    for (int i = 0; i < 3; i++)
        if ((unsigned)texture.address[i] > cudaAddressModeBorder) return cudaErrorInvalidValue;
    if (sampler && bytes >= sizeof(struct cudaTextureDesc))
        texture.seamless = ((const struct cudaTextureDesc *)sampler)->seamlessCubemap;
    if (view) {
        TRY(device, cass_view_check(&texture, (unsigned)view->format, view->width, view->height));
        read_view(view, &texture);
    }
    cudaError_t refused = sampler ? cass_check_sampler(&texture) : cudaSuccess;
    if (refused) return refused;
    return DONE(device, cass_object_make(device, &texture, parts, handle));
}

cudaError_t cass_cudaCreateTextureObject(cudaTextureObject_t *pTexObject,
                                         const struct cudaResourceDesc *pResDesc,
                                         const struct cudaTextureDesc *pTexDesc,
                                         const struct cudaResourceViewDesc *pResViewDesc) {
    if (!pTexDesc) return cudaErrorInvalidResourceHandle;
    return make(pTexObject, pResDesc, pTexDesc, sampler_bytes(), pResViewDesc);
}

cudaError_t cass_cudaCreateTextureObject_v2(cudaTextureObject_t *pTexObject,
                                            const struct cudaResourceDesc *pResDesc,
                                            const struct cudaTextureDesc_v2 *pTexDesc,
                                            const struct cudaResourceViewDesc *pResViewDesc) {
    if (!pTexDesc) return cudaErrorInvalidResourceHandle;
    return make(pTexObject, pResDesc, pTexDesc, sizeof *pTexDesc, pResViewDesc);
}

static cudaError_t drop(unsigned long long handle) {
    ENTER(device);
    (void)device;
    if (handle) (void)cass_object_drop(handle); /* one that is gone is no error (recorded) */
    return cudaSuccess;
}

static cudaError_t part(unsigned long long handle, int which, void *out, size_t bytes) {
    ENTER(device);
    return DONE(device, cass_object_part(handle, which, out, bytes));
}

cudaError_t cass_cudaDestroyTextureObject(cudaTextureObject_t texObject) { return drop(texObject); }

cudaError_t cass_cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                                  cudaTextureObject_t texObject) {
    return part(texObject, CASS_RESOURCE, pResDesc, resource_bytes());
}

cudaError_t cass_cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc,
                                                 cudaTextureObject_t texObject) {
    return part(texObject, CASS_SAMPLER, pTexDesc, sampler_bytes());
}

cudaError_t cass_cudaGetTextureObjectTextureDesc_v2(struct cudaTextureDesc_v2 *pTexDesc,
                                                    cudaTextureObject_t texObject) {
    return part(texObject, CASS_SAMPLER, pTexDesc, sizeof *pTexDesc);
}

cudaError_t cass_cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *pResViewDesc,
                                                      cudaTextureObject_t texObject) {
    return part(texObject, CASS_VIEW, pResViewDesc, view_bytes());
}

cudaError_t cass_cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject,
                                         const struct cudaResourceDesc *pResDesc) {
    return make(pSurfObject, pResDesc, NULL, 0, NULL);
}

cudaError_t cass_cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject) {
    return drop(surfObject);
}

cudaError_t cass_cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                                  cudaSurfaceObject_t surfObject) {
    return part(surfObject, CASS_RESOURCE, pResDesc, resource_bytes());
}
