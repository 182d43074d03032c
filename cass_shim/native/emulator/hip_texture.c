/* Texture and surface objects: checked, kept, and told back.
 *
 * An object is 256 bytes of device memory, as HIP's is: dwords 0 to 7 hold the image resource (of
 * linear memory a buffer resource), 12 to 15 the sampler. */
#include "emulator/hip_calls.h"
#include "emulator/hip_copy.h"
#include "emulator/hip_texture.h"
#include "emulator/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct object {
    void *memory; /* the handle */
    hipResourceDesc resource;
    hipTextureDesc texture;
    hipResourceViewDesc view;
    bool has_view, surface;
    struct object *next;
} object;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static object *objects;

static hipError_t check_linear(const hipResourceDesc *resource) {
    bool plane = resource->resType == hipResourceTypePitch2D;
    const void *at = plane ? resource->res.pitch2D.devPtr : resource->res.linear.devPtr;
    uint64_t bytes = resource->res.linear.sizeInBytes;
    if (plane && __builtin_mul_overflow(resource->res.pitch2D.pitchInBytes,
                                        resource->res.pitch2D.height, &bytes))
        return emu_fail(hipErrorInvalidValue, "the texture's size overflows");
    if (!at || !bytes || !emu_memory_covers(at, bytes))
        return emu_fail(hipErrorInvalidValue, "%p is no device memory of %llu bytes", at,
                        (unsigned long long)bytes);
    return hipSuccess;
}

static hipError_t check_resource(const hipResourceDesc *resource, bool surface) {
    switch ((int)resource->resType) {
    case hipResourceTypeArray:
        return emu_array_of(resource->res.array.array) ? hipSuccess : hipErrorInvalidHandle;
    case hipResourceTypeMipmappedArray:
        if (surface) break;
        return emu_handle_is(resource->res.mipmap.mipmap, EMU_MIPMAP)
                   ? hipSuccess
                   : emu_fail(hipErrorInvalidHandle, "not a live mipmapped array");
    case hipResourceTypeLinear:
    case hipResourceTypePitch2D:
        if (surface) break;
        return check_linear(resource);
    }
    return emu_fail(hipErrorInvalidValue, "a resource of type %d", (int)resource->resType);
}

static hipError_t create(void **handle, const object *wanted) {
    uint32_t words[EMU_OBJECT_DWORDS] = {0};
    hipError_t error =
        emu_texture_words(&wanted->resource, wanted->surface ? NULL : &wanted->texture,
                          wanted->has_view ? &wanted->view : NULL, words);
    if (error) return error;
    object *made = malloc(sizeof *made);
    void *memory = made ? emu_memory_alloc(EMU_MEMORY_INTERNAL, emu_me.device, 256, 256, 0) : NULL;
    if (!memory) {
        free(made);
        return emu_fail(hipErrorOutOfMemory, "no memory for a texture object");
    }
    memcpy(memory, words, sizeof words);
    *made = *wanted;
    made->memory = memory;
    pthread_mutex_lock(&lock);
    made->next = objects;
    objects = made;
    pthread_mutex_unlock(&lock);
    *handle = memory;
    return hipSuccess;
}

static hipError_t destroy(const void *handle, bool surface) {
    if (!handle) return hipSuccess;
    emu_wait_device(emu_current());
    hipError_t error = emu_fail(hipErrorInvalidValue, "not a live object: %p", handle);
    pthread_mutex_lock(&lock);
    for (object **link = &objects; *link; link = &(*link)->next) {
        object *one = *link;
        if (one->memory != handle || one->surface != surface) continue;
        *link = one->next;
        emu_memory_free(one->memory, 1u << EMU_MEMORY_INTERNAL);
        free(one);
        error = hipSuccess;
        break;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

/* A copy of a texture object's facts. */
static hipError_t find(const void *handle, object *told) {
    hipError_t error = emu_fail(hipErrorInvalidValue, "not a live texture object: %p", handle);
    pthread_mutex_lock(&lock);
    for (object *one = objects; one; one = one->next) {
        if (one->memory != handle || one->surface) continue;
        *told = *one;
        error = hipSuccess;
        break;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

hipError_t emu_hipCreateTextureObject(hipTextureObject_t *pTexObject,
                                      const hipResourceDesc *pResDesc,
                                      const hipTextureDesc *pTexDesc,
                                      const hipResourceViewDesc *pResViewDesc) {
    if (!pTexObject || !pResDesc || !pTexDesc)
        return emu_fail(hipErrorInvalidValue, "no object, resource or description");
    hipError_t error = check_resource(pResDesc, false);
    if (error) return error;
    object wanted = {.resource = *pResDesc, .texture = *pTexDesc, .has_view = pResViewDesc != NULL};
    if (pResViewDesc) wanted.view = *pResViewDesc;
    return create((void **)pTexObject, &wanted);
}

hipError_t emu_hipDestroyTextureObject(hipTextureObject_t textureObject) {
    return destroy(textureObject, false);
}

hipError_t emu_hipGetTextureObjectResourceDesc(hipResourceDesc *pResDesc,
                                               hipTextureObject_t textureObject) {
    object told = {0};
    hipError_t error =
        pResDesc ? find(textureObject, &told) : emu_fail(hipErrorInvalidValue, "no result");
    if (!error) *pResDesc = told.resource;
    return error;
}

hipError_t emu_hipGetTextureObjectTextureDesc(hipTextureDesc *pTexDesc,
                                              hipTextureObject_t textureObject) {
    object told = {0};
    hipError_t error =
        pTexDesc ? find(textureObject, &told) : emu_fail(hipErrorInvalidValue, "no result");
    if (!error) *pTexDesc = told.texture;
    return error;
}

hipError_t emu_hipGetTextureObjectResourceViewDesc(hipResourceViewDesc *pResViewDesc,
                                                   hipTextureObject_t textureObject) {
    object told = {0};
    hipError_t error =
        pResViewDesc ? find(textureObject, &told) : emu_fail(hipErrorInvalidValue, "no result");
    if (!error && !told.has_view)
        error = emu_fail(hipErrorInvalidValue, "the texture object has no view");
    if (!error) *pResViewDesc = told.view;
    return error;
}

hipError_t emu_hipCreateSurfaceObject(hipSurfaceObject_t *pSurfObject,
                                      const hipResourceDesc *pResDesc) {
    if (!pSurfObject || !pResDesc) return emu_fail(hipErrorInvalidValue, "no object or resource");
    hipError_t error = check_resource(pResDesc, true);
    object wanted = {.resource = *pResDesc, .surface = true};
    return error ? error : create((void **)pSurfObject, &wanted);
}

hipError_t emu_hipDestroySurfaceObject(hipSurfaceObject_t surfaceObject) {
    return destroy(surfaceObject, true);
}

hipError_t emu_hipDeviceGetTexture1DLinearMaxWidth(size_t *max_width,
                                                   const hipChannelFormatDesc *desc, int device) {
    if (!max_width || !desc || device < 0 || device >= emu_config.device_count)
        return emu_fail(hipErrorInvalidValue, "no result, format or device");
    *max_width = 1u << 27;
    return hipSuccess;
}
