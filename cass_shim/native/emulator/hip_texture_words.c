/* Descriptors of HIP's texture and surface objects: see hip_texture.h. */
#include "emulator/hip_texture.h"

#include <string.h>

#include "emulator/hip_copy.h"
#include "hip/image_descriptor.h"

/* What gfx11 calls the elements of a texture; surfaces keep the array's own numbers. */
static const gfx11_format *format_of(const hipChannelFormatDesc *desc,
                                     const hipTextureDesc *texture) {
    hipArray_Format format;
    unsigned channels, bits = (unsigned)desc->x;
    if (!emu_array_format(desc, &format, &channels)) return NULL;
    bool promoted = texture && texture->readMode == hipReadModeNormalizedFloat && bits < 32;
    unsigned kind = desc->f == hipChannelFormatKindFloat    ? GFX11_FLOAT
                    : desc->f == hipChannelFormatKindSigned ? (promoted ? GFX11_SNORM : GFX11_SINT)
                                                            : (promoted ? GFX11_UNORM : GFX11_UINT);
    if (kind == GFX11_UNORM && bits == 8 && texture->sRGB) kind = GFX11_SRGB;
    return gfx11_format_of(kind, bits, channels);
}

static unsigned type_of(const emu_array *array) {
    if (array->flags & hipArrayCubemap) return GFX11_CUBE;
    if (array->flags & hipArrayLayered) return array->height ? GFX11_2D_ARRAY : GFX11_1D_ARRAY;
    return array->depth ? GFX11_3D : array->height ? GFX11_2D : GFX11_1D;
}

static gfx11_image image_of(const emu_array *array, unsigned last_level,
                            const hipResourceViewDesc *view) {
    gfx11_image image = {.base = (uint64_t)(uintptr_t)array->chain,
                         .type = type_of(array),
                         .width = (unsigned)array->whole[0],
                         .height = (unsigned)array->whole[1],
                         .slices = (unsigned)array->whole[2],
                         .levels = array->levels,
                         .first_level = array->level,
                         .last_level = last_level};
    if (view && last_level > array->level) {
        image.first_level = view->firstMipmapLevel;
        if (view->lastMipmapLevel < last_level) image.last_level = view->lastMipmapLevel;
    }
    if (view && image.type != GFX11_3D && view->lastLayer) {
        image.first_slice = view->firstLayer;
        if (view->lastLayer < image.slices) image.slices = view->lastLayer + 1;
    }
    return image;
}

/* A buffer resource: base, stride, elements; format and channels as of an image. */
static hipError_t buffer_words(const hipResourceDesc *resource, const gfx11_format *format,
                               uint32_t *words) {
    enum { SELECT_XYZW = 4 | 5 << 3 | 6 << 6 | 7 << 9, SELECT_ONE = 1 };
    unsigned bytes = format->bits / 8u * format->channels;
    uint64_t base = (uint64_t)(uintptr_t)resource->res.linear.devPtr,
             count = resource->res.linear.sizeInBytes / bytes;
    uint32_t select = SELECT_XYZW & ((1u << 3 * format->channels) - 1);
    if (format->channels < 4) select |= SELECT_ONE << 9;
    if (count > UINT32_MAX) return emu_fail(hipErrorInvalidValue, "too many elements");
    words[0] = (uint32_t)base;
    words[1] = (uint32_t)(base >> 32 & 0xffff) | bytes << 16;
    words[2] = (uint32_t)count;
    words[3] = select | (uint32_t)format->number << 12;
    return hipSuccess;
}

static const char *sampler_words(const hipTextureDesc *texture, unsigned type, unsigned levels,
                                 uint32_t *words) {
    static const uint8_t clamps[] = {GFX11_WRAP, GFX11_CLAMP_LAST, GFX11_MIRROR,
                                     GFX11_CLAMP_BORDER};
    gfx11_sampler sampler = {.linear = texture->filterMode == hipFilterModeLinear,
                             .unnormalized = !texture->normalizedCoords && type != GFX11_CUBE,
                             .lod_bias = texture->mipmapLevelBias,
                             .min_lod = texture->minMipmapLevelClamp,
                             .max_lod = texture->maxMipmapLevelClamp};
    for (int i = 0; i < 3; i++) {
        unsigned mode = (unsigned)texture->addressMode[i] & 3;
        bool repeats = mode == hipAddressModeWrap || mode == hipAddressModeMirror;
        sampler.clamp[i] = repeats && sampler.unnormalized ? GFX11_CLAMP_LAST : clamps[mode];
        for (int k = 0; mode == hipAddressModeBorder && k < 4; k++)
            if (texture->borderColor[k] < 0 || texture->borderColor[k] > 0)
                return "HIP's border is clear"; /* ROCR, PopulateSamplerSrd */
    }
    if (levels > 1)
        sampler.mip_filter =
            texture->mipmapFilterMode == hipFilterModeLinear ? GFX11_MIP_LINEAR : GFX11_MIP_POINT;
    gfx11_sampler_encode(&sampler, words);
    return NULL;
}

/* Image and format of a resource with pixels; false with the error set where there is none. */
static hipError_t read_image(const hipResourceDesc *resource, const hipTextureDesc *texture,
                             const hipResourceViewDesc *view, gfx11_image *image) {
    if (resource->resType == hipResourceTypePitch2D) {
        *image = (gfx11_image){.base = (uint64_t)(uintptr_t)resource->res.pitch2D.devPtr,
                               .type = GFX11_2D,
                               .width = (unsigned)resource->res.pitch2D.width,
                               .height = (unsigned)resource->res.pitch2D.height,
                               .slices = 1,
                               .levels = 1,
                               .pitch = resource->res.pitch2D.pitchInBytes,
                               .format = format_of(&resource->res.pitch2D.desc, texture)};
        return hipSuccess;
    }
    bool chain = resource->resType == hipResourceTypeMipmappedArray;
    const emu_array *array = chain ? emu_mipmap_first(resource->res.mipmap.mipmap)
                                   : emu_array_of(resource->res.array.array);
    if (!array) return hipErrorInvalidHandle;
    *image = image_of(array, chain ? array->levels - 1 : array->level, view);
    image->format = format_of(&array->desc, texture);
    return hipSuccess;
}

hipError_t emu_texture_words(const hipResourceDesc *resource, const hipTextureDesc *texture,
                             const hipResourceViewDesc *view, uint32_t words[EMU_OBJECT_DWORDS]) {
    gfx11_image image;
    if (resource->resType == hipResourceTypeLinear) {
        const gfx11_format *format = format_of(&resource->res.linear.desc, texture);
        return format ? buffer_words(resource, format, words)
                      : emu_fail(hipErrorInvalidChannelDescriptor, "no such element format");
    }
    if (view && view->format != hipResViewFormatNone)
        return emu_fail(hipErrorNotSupported, "a view in another format is not implemented");
    hipError_t error = read_image(resource, texture, view, &image);
    if (error) return error;
    image.alpha_one = 1;
    const char *why = gfx11_image_encode(&image, words);
    if (!why && texture)
        why = sampler_words(texture, image.type, image.levels, words + EMU_OBJECT_SAMPLER);
    return why ? emu_fail(hipErrorNotSupported, "%s", why) : hipSuccess;
}
