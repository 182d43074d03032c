/* Texture and surface objects. Structures differ in length between versions; their beginnings
 * agree. */
#include "driver/texture.h"

#include "driver/array.h"
#include "runtime/runtime.h"

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
        return !surface && cass_mipmap_of(resource->res.mipmap.mipmap) ? OK : INVALID_HANDLE;
    case cudaResourceTypeLinear:
        return !surface && resource->res.linear.devPtr && resource->res.linear.sizeInBytes
                   ? OK
                   : INVALID_VALUE;
    case cudaResourceTypePitch2D:
        return !surface && resource->res.pitch2D.devPtr && resource->res.pitch2D.width
                   ? OK
                   : INVALID_VALUE;
    default:
        return INVALID_VALUE;
    }
}

static cudaError_t make(unsigned long long *handle, const struct cudaResourceDesc *resource,
                        const void *sampler, size_t bytes,
                        const struct cudaResourceViewDesc *view) {
    ENTER(device);
    cass_description parts[3] = {
        {resource, resource_bytes()}, {sampler, bytes}, {view, view_bytes()}};
    if (!handle) return cudaErrorInvalidValue;
    TRY(device, check(resource, !sampler));
    return DONE(device, cass_object_make(parts, handle));
}

cudaError_t cass_cudaCreateTextureObject(cudaTextureObject_t *pTexObject,
                                         const struct cudaResourceDesc *pResDesc,
                                         const struct cudaTextureDesc *pTexDesc,
                                         const struct cudaResourceViewDesc *pResViewDesc) {
    if (!pTexDesc) return cudaErrorInvalidValue;
    return make(pTexObject, pResDesc, pTexDesc, sampler_bytes(), pResViewDesc);
}

cudaError_t cass_cudaCreateTextureObject_v2(cudaTextureObject_t *pTexObject,
                                            const struct cudaResourceDesc *pResDesc,
                                            const struct cudaTextureDesc_v2 *pTexDesc,
                                            const struct cudaResourceViewDesc *pResViewDesc) {
    if (!pTexDesc) return cudaErrorInvalidValue;
    return make(pTexObject, pResDesc, pTexDesc, sizeof *pTexDesc, pResViewDesc);
}

static cudaError_t drop(unsigned long long handle) {
    ENTER(device);
    return handle ? DONE(device, cass_object_drop(handle)) : cudaSuccess;
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
