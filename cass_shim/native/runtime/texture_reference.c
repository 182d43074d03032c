/* Texture and surface references of programs built with CUDA 11: a host structure, registered with
 * its module, says at every binding how what is bound is read. */
#include "driver/reference.h"

#include "runtime/format.h"

enum { IMAGE_ALIGNMENT = 256 }; /* of an image's address on gfx11 */

static void read_reference(const struct textureReference *from, cass_texture *texture) {
    for (int i = 0; i < 3; i++) texture->address[i] = (int)from->addressMode[i];
    texture->linear = from->filterMode == cudaFilterModeLinear;
    texture->normalized = from->normalized != 0;
    texture->srgb = from->sRGB != 0;
    texture->mip_linear = from->mipmapFilterMode == cudaFilterModeLinear;
    texture->lod_bias = from->mipmapLevelBias;
    texture->min_lod = from->minMipmapLevelClamp;
    texture->max_lod = from->maxMipmapLevelClamp;
}

/* Binds what `wanted` names as the host structure asks. */
static cudaError_t bind(const struct textureReference *texref, cass_texture *wanted,
                        size_t skipped) {
    ENTER(device);
    cass_reference *reference;
    int result = cass_find_reference(texref, 0, &reference, &wanted->as_float);
    if (result) return (cudaError_t)result;
    read_reference(texref, wanted);
    cudaError_t refused = cass_check_sampler(wanted);
    if (refused) return refused;
    reference->texture = *wanted;
    reference->skipped = skipped;
    return DONE(device, cass_reference_apply(device, reference));
}

/* Loads of linear memory need no alignment here, so that the offset is always 0. Without a size it
 * is what is left of the allocation. */
cudaError_t cass_cudaBindTexture(size_t *offset, const struct textureReference *texref,
                                 const void *devPtr, const struct cudaChannelFormatDesc *desc,
                                 size_t size) {
    cass_texture wanted = {.memory = (void *)(uintptr_t)devPtr};
    if (!devPtr || !size) return cudaErrorInvalidValue;
    int result = cass_format_read(desc, &wanted.format);
    if (result) return (cudaError_t)result;
    ENTER(device);
    (void)device;
    wanted.bytes = cass_reference_room(devPtr, size);
    cudaError_t bound = bind(texref, &wanted, 0);
    if (!bound && offset) *offset = 0;
    return bound;
}

cudaError_t cass_cudaBindTexture2D(size_t *offset, const struct textureReference *texref,
                                   const void *devPtr, const struct cudaChannelFormatDesc *desc,
                                   size_t width, size_t height, size_t pitch) {
    size_t skipped = (uintptr_t)devPtr % IMAGE_ALIGNMENT;
    cass_texture wanted = {.memory = (void *)((uintptr_t)devPtr - skipped), .height = height};
    int result = cass_format_read(desc, &wanted.format);
    if (result) return (cudaError_t)result;
    size_t texel = (size_t)(wanted.format.channels * wanted.format.channel_bytes);
    if (!devPtr || !width || !height || pitch < width * texel || skipped % texel)
        return cudaErrorInvalidValue;
    if (skipped && !offset) return cudaErrorInvalidValue;
    wanted.width = width + skipped / texel;
    wanted.pitch = pitch;
    cudaError_t bound = bind(texref, &wanted, skipped);
    if (!bound && offset) *offset = skipped;
    return bound;
}

/* The description given must be the array's own. */
static cudaError_t same_format(const struct cudaChannelFormatDesc *desc, cass_format_of format) {
    cass_format_of given;
    int result = cass_format_read(desc, &given);
    if (result) return (cudaError_t)result;
    return given.kind == format.kind && given.channels == format.channels &&
                   given.channel_bytes == format.channel_bytes
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

cudaError_t cass_cudaBindTextureToArray(const struct textureReference *texref,
                                        cudaArray_const_t array,
                                        const struct cudaChannelFormatDesc *desc) {
    cass_texture wanted = {.array = cass_array_of(array)};
    if (!wanted.array) return cudaErrorInvalidResourceHandle;
    cudaError_t result = same_format(desc, wanted.array->format);
    return result ? result : bind(texref, &wanted, 0);
}

cudaError_t cass_cudaBindTextureToMipmappedArray(const struct textureReference *texref,
                                                 cudaMipmappedArray_const_t mipmappedArray,
                                                 const struct cudaChannelFormatDesc *desc) {
    cass_texture wanted = {.mipmap = cass_mipmap_of(mipmappedArray)};
    if (!wanted.mipmap) return cudaErrorInvalidResourceHandle;
    cudaError_t result = same_format(desc, wanted.mipmap->level[0].format);
    return result ? result : bind(texref, &wanted, 0);
}

cudaError_t cass_cudaUnbindTexture(const struct textureReference *texref) {
    ENTER(device);
    cass_reference *reference;
    int ignored, result = cass_find_reference(texref, 0, &reference, &ignored);
    if (result) return (cudaError_t)result;
    reference->texture = (cass_texture){0};
    return DONE(device, cass_reference_apply(device, reference));
}

cudaError_t cass_cudaGetTextureAlignmentOffset(size_t *offset,
                                               const struct textureReference *texref) {
    ENTER(device);
    (void)device;
    cass_reference *reference;
    int ignored, result = cass_find_reference(texref, 0, &reference, &ignored);
    if (result) return (cudaError_t)result;
    const cass_texture *texture = &reference->texture;
    if (!offset) return cudaErrorInvalidValue;
    if (!texture->array && !texture->mipmap && !texture->memory)
        return cudaErrorInvalidTextureBinding;
    *offset = reference->skipped;
    return cudaSuccess;
}

/* The address of the host structure is the symbol. */
cudaError_t cass_cudaGetTextureReference(const struct textureReference **texref,
                                         const void *symbol) {
    cass_reference *reference;
    int ignored;
    if (!texref) return cudaErrorInvalidValue;
    ENTER(device);
    (void)device;
    int result = cass_find_reference(symbol, 0, &reference, &ignored);
    if (!result) *texref = symbol;
    return (cudaError_t)result;
}

cudaError_t cass_cudaGetSurfaceReference(const struct surfaceReference **surfref,
                                         const void *symbol) {
    cass_reference *reference;
    int ignored;
    if (!surfref) return cudaErrorInvalidValue;
    ENTER(device);
    (void)device;
    int result = cass_find_reference(symbol, 1, &reference, &ignored);
    if (!result) *surfref = symbol;
    return (cudaError_t)result;
}

cudaError_t cass_cudaBindSurfaceToArray(const struct surfaceReference *surfref,
                                        cudaArray_const_t array,
                                        const struct cudaChannelFormatDesc *desc) {
    ENTER(device);
    cass_reference *reference;
    int ignored, result = cass_find_reference(surfref, 1, &reference, &ignored);
    if (result) return (cudaError_t)result;
    cass_array *known = cass_array_of(array);
    if (!known) return cudaErrorInvalidResourceHandle;
    cudaError_t differs = same_format(desc, known->format);
    if (differs) return differs;
    reference->texture.array = known;
    return DONE(device, cass_reference_apply(device, reference));
}
