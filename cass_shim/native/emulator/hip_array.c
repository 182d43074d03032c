/* Arrays and mipmapped arrays: pitched memory with an element format. */
#include "emulator/hip_calls.h"
#include "emulator/hip_copy.h"
#include "emulator/memory.h"
#include "hip/image_descriptor.h"

#include <stdlib.h>

#define MAX_EXTENT 131072u
enum { MAX_LEVELS = GFX11_MAX_LEVELS };

hipChannelFormatDesc emu_hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind f) {
    return (hipChannelFormatDesc){x, y, z, w, f};
}

static uint32_t bits_of(hipArray_Format format) {
    switch (format) {
    case HIP_AD_FORMAT_UNSIGNED_INT8:
    case HIP_AD_FORMAT_SIGNED_INT8:
        return 8;
    case HIP_AD_FORMAT_UNSIGNED_INT16:
    case HIP_AD_FORMAT_SIGNED_INT16:
    case HIP_AD_FORMAT_HALF:
        return 16;
    case HIP_AD_FORMAT_UNSIGNED_INT32:
    case HIP_AD_FORMAT_SIGNED_INT32:
    case HIP_AD_FORMAT_FLOAT:
        return 32;
    default:
        return 0;
    }
}

hipChannelFormatDesc emu_array_desc(hipArray_Format format, unsigned channels) {
    int bits = (int)bits_of(format);
    bool is_float = format == HIP_AD_FORMAT_HALF || format == HIP_AD_FORMAT_FLOAT;
    bool is_signed = format >= HIP_AD_FORMAT_SIGNED_INT8 && format <= HIP_AD_FORMAT_SIGNED_INT32;
    return (hipChannelFormatDesc){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                  channels > 3 ? bits : 0,
                                  is_float    ? hipChannelFormatKindFloat
                                  : is_signed ? hipChannelFormatKindSigned
                                              : hipChannelFormatKindUnsigned};
}

/* Format and channel count of a channel description; all channels have one width. */
bool emu_array_format(const hipChannelFormatDesc *desc, hipArray_Format *format,
                      unsigned *channels) {
    static const hipArray_Format formats[3][3] = {
        {HIP_AD_FORMAT_SIGNED_INT8, HIP_AD_FORMAT_SIGNED_INT16, HIP_AD_FORMAT_SIGNED_INT32},
        {HIP_AD_FORMAT_UNSIGNED_INT8, HIP_AD_FORMAT_UNSIGNED_INT16, HIP_AD_FORMAT_UNSIGNED_INT32},
        {(hipArray_Format)0, HIP_AD_FORMAT_HALF, HIP_AD_FORMAT_FLOAT}};
    const int widths[] = {desc->x, desc->y, desc->z, desc->w};
    *channels = 0;
    for (int i = 0; i < 4; i++) {
        if (widths[i] && (widths[i] != desc->x || *channels != (unsigned)i)) return false;
        *channels += widths[i] != 0;
    }
    int column = desc->x == 8 ? 0 : desc->x == 16 ? 1 : desc->x == 32 ? 2 : -1;
    if (column < 0 || *channels == 0 || *channels == 3 ||
        (unsigned)desc->f > hipChannelFormatKindFloat)
        return false;
    *format = formats[desc->f][column];
    return *format != 0;
}

static uint64_t halved(uint64_t size, unsigned level) {
    return size >> level ? size >> level : size ? 1 : 0;
}

/* One level of an array without memory; its offset in the block. */
static emu_array *array_new(const HIP_ARRAY3D_DESCRIPTOR *want, unsigned levels, unsigned level,
                            uint64_t *offset) {
    emu_array *array = calloc(1, sizeof *array);
    gfx11_level place;
    unsigned bytes = bits_of(want->Format) / 8 * want->NumChannels,
             rows = want->Height ? (unsigned)want->Height : 1;
    if (!array) return NULL;
    gfx11_level_of(bytes, (unsigned)want->Width, rows, levels, level, &place);
    bool layers = want->Flags & (hipArrayLayered | hipArrayCubemap);
    array->width = halved(want->Width, level);
    array->height = halved(want->Height, level);
    array->depth = layers ? want->Depth : halved(want->Depth, level);
    array->format = want->Format;
    array->channels = want->NumChannels;
    array->flags = want->Flags;
    array->element_bytes = bytes;
    array->desc = emu_array_desc(want->Format, want->NumChannels);
    array->device = emu_current();
    array->pitch = place.pitch;
    array->slice = gfx11_slice_bytes(bytes, (unsigned)want->Width, rows, levels);
    array->whole[0] = want->Width;
    array->whole[1] = rows;
    array->whole[2] = want->Depth ? want->Depth : 1;
    array->level = level;
    array->levels = levels;
    *offset = place.offset;
    return array;
}

static hipError_t check(const HIP_ARRAY3D_DESCRIPTOR *want) {
    bool format = bits_of(want->Format) &&
                  (want->NumChannels == 1 || want->NumChannels == 2 || want->NumChannels == 4);
    if (!format)
        return emu_fail(hipErrorInvalidChannelDescriptor, "elements of %u channels, format %d",
                        want->NumChannels, (int)want->Format);
    if (!want->Width || want->Width > MAX_EXTENT || want->Height > MAX_EXTENT ||
        want->Depth > MAX_EXTENT)
        return emu_fail(hipErrorInvalidValue, "an array of %zu x %zu x %zu", want->Width,
                        want->Height, want->Depth);
    const unsigned known =
        hipArrayLayered | hipArraySurfaceLoadStore | hipArrayCubemap | hipArrayTextureGather;
    return want->Flags & ~known ? emu_fail(hipErrorInvalidValue, "array flags %#x", want->Flags)
                                : hipSuccess;
}

static hipError_t create(hipArray_t *into, const HIP_ARRAY3D_DESCRIPTOR *want) {
    hipError_t error = into ? check(want) : emu_fail(hipErrorInvalidValue, "no array");
    if (error) return error;
    uint64_t offset;
    emu_array *array = array_new(want, 1, 0, &offset);
    if (array)
        array->base = array->chain = emu_memory_alloc(
            EMU_MEMORY_ARRAY, emu_me.device, array->slice * array->whole[2], GFX11_ROW_ALIGN, 0);
    if (!array || !array->base) {
        free(array);
        return emu_fail(hipErrorOutOfMemory, "no memory for an array of %zu x %zu x %zu",
                        want->Width, want->Height, want->Depth);
    }
    emu_handle_add(array, EMU_ARRAY);
    *into = (hipArray_t)(void *)array;
    return hipSuccess;
}

static hipError_t destroy(hipArray_t handle) {
    if (!handle) return hipSuccess;
    emu_array *array = emu_array_of(handle);
    if (!array) return hipErrorInvalidHandle;
    if (array->borrowed)
        return emu_fail(hipErrorInvalidValue, "a level goes with its mipmapped array");
    emu_wait_device(array->device);
    emu_handle_remove(array, EMU_ARRAY);
    emu_memory_free(array->base, 1u << EMU_MEMORY_ARRAY);
    free(array);
    return hipSuccess;
}

hipError_t emu_hipMalloc3DArray(hipArray_t *array, const hipChannelFormatDesc *desc,
                                hipExtent extent, unsigned int flags) {
    HIP_ARRAY3D_DESCRIPTOR want = {extent.width, extent.height, extent.depth, (hipArray_Format)0, 0,
                                   flags};
    if (!desc || !emu_array_format(desc, &want.Format, &want.NumChannels))
        return emu_fail(hipErrorInvalidChannelDescriptor, "no such element format");
    return create(array, &want);
}

hipError_t emu_hipMallocArray(hipArray_t *array, const hipChannelFormatDesc *desc, size_t width,
                              size_t height, unsigned int flags) {
    return emu_hipMalloc3DArray(array, desc, (hipExtent){width, height, 0}, flags);
}

hipError_t emu_hipArrayCreate(hipArray_t *pHandle, const HIP_ARRAY_DESCRIPTOR *want) {
    if (!want) return emu_fail(hipErrorInvalidValue, "no description");
    HIP_ARRAY3D_DESCRIPTOR full = {want->Width,  want->Height,      0,
                                   want->Format, want->NumChannels, 0};
    return create(pHandle, &full);
}

hipError_t emu_hipArray3DCreate(hipArray_t *array, const HIP_ARRAY3D_DESCRIPTOR *want) {
    return want ? create(array, want) : emu_fail(hipErrorInvalidValue, "no description");
}

hipError_t emu_hipArrayDestroy(hipArray_t array) { return destroy(array); }
hipError_t emu_hipFreeArray(hipArray_t array) { return destroy(array); }

hipError_t emu_hipArrayGetInfo(hipChannelFormatDesc *desc, hipExtent *extent, unsigned int *flags,
                               hipArray_t handle) {
    emu_array *array = emu_array_of(handle);
    if (!array) return hipErrorInvalidHandle;
    if (desc) *desc = array->desc;
    if (extent) *extent = (hipExtent){array->width, array->height, array->depth};
    if (flags) *flags = array->flags;
    return hipSuccess;
}

hipError_t emu_hipGetChannelDesc(hipChannelFormatDesc *desc, hipArray_const_t handle) {
    emu_array *array = emu_array_of(handle);
    if (!array || !desc) return emu_fail(hipErrorInvalidValue, "no array or no result");
    *desc = array->desc;
    return hipSuccess;
}

hipError_t emu_hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR *told, hipArray_t handle) {
    emu_array *array = emu_array_of(handle);
    if (!array || !told) return emu_fail(hipErrorInvalidValue, "no array or no result");
    *told = (HIP_ARRAY3D_DESCRIPTOR){array->width,  array->height,   array->depth,
                                     array->format, array->channels, array->flags};
    return hipSuccess;
}

hipError_t emu_hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR *told, hipArray_t handle) {
    emu_array *array = emu_array_of(handle);
    if (!array || !told) return emu_fail(hipErrorInvalidValue, "no array or no result");
    *told = (HIP_ARRAY_DESCRIPTOR){array->width, array->height, array->format, array->channels};
    return hipSuccess;
}

/* Levels are arrays of their own size in one block that the first level owns. */
typedef struct {
    unsigned levels;
    emu_array *level[MAX_LEVELS];
} mipmap;

static mipmap *mipmap_of(hipMipmappedArray_const_t handle) {
    if (emu_handle_is(handle, EMU_MIPMAP)) return (mipmap *)(uintptr_t)handle;
    emu_fail(hipErrorInvalidHandle, "not a live mipmapped array: %p", (const void *)handle);
    return NULL;
}

emu_array *emu_mipmap_first(hipMipmappedArray_const_t handle) {
    mipmap *one = mipmap_of(handle);
    return one ? one->level[0] : NULL;
}

static void mipmap_free(mipmap *one) {
    if (one->levels) emu_memory_free(one->level[0]->chain, 1u << EMU_MEMORY_ARRAY);
    for (unsigned i = 0; i < one->levels; i++) {
        emu_handle_remove(one->level[i], EMU_ARRAY);
        free(one->level[i]);
    }
    free(one);
}

/* Makes the level arrays over memory of their own; false when there is none. */
static bool make_levels(mipmap *one, const HIP_ARRAY3D_DESCRIPTOR *want, unsigned levels) {
    uint64_t offset[MAX_LEVELS];
    for (unsigned i = 0; i < levels; i++) {
        one->level[i] = array_new(want, levels, i, &offset[i]);
        if (!one->level[i]) return false;
        one->level[i]->borrowed = true;
        one->levels++;
    }
    uint8_t *chain =
        emu_memory_alloc(EMU_MEMORY_ARRAY, emu_me.device,
                         one->level[0]->slice * one->level[0]->whole[2], GFX11_ROW_ALIGN, 0);
    for (unsigned i = 0; chain && i < levels; i++) {
        one->level[i]->chain = chain;
        one->level[i]->base = chain + offset[i];
        emu_handle_add(one->level[i], EMU_ARRAY);
    }
    return chain != NULL;
}

static hipError_t mipmap_create(hipMipmappedArray_t *into, const HIP_ARRAY3D_DESCRIPTOR *want,
                                unsigned levels) {
    hipError_t error = into && levels && levels <= MAX_LEVELS
                           ? check(want)
                           : emu_fail(hipErrorInvalidValue, "%u levels", levels);
    if (error) return error;
    mipmap *one = calloc(1, sizeof *one);
    if (!one || !make_levels(one, want, levels)) {
        for (unsigned i = 0; one && i < one->levels; i++) free(one->level[i]);
        free(one);
        return emu_fail(hipErrorOutOfMemory, "no memory for a mipmapped array");
    }
    emu_handle_add(one, EMU_MIPMAP);
    *into = (hipMipmappedArray_t)(void *)one;
    return hipSuccess;
}

hipError_t emu_hipMallocMipmappedArray(hipMipmappedArray_t *mipmappedArray,
                                       const hipChannelFormatDesc *desc, hipExtent extent,
                                       unsigned int numLevels, unsigned int flags) {
    HIP_ARRAY3D_DESCRIPTOR want = {extent.width, extent.height, extent.depth, (hipArray_Format)0, 0,
                                   flags};
    if (!desc || !emu_array_format(desc, &want.Format, &want.NumChannels))
        return emu_fail(hipErrorInvalidChannelDescriptor, "no such element format");
    return mipmap_create(mipmappedArray, &want, numLevels);
}

hipError_t emu_hipMipmappedArrayCreate(hipMipmappedArray_t *pHandle, HIP_ARRAY3D_DESCRIPTOR *want,
                                       unsigned int numMipmapLevels) {
    return want ? mipmap_create(pHandle, want, numMipmapLevels)
                : emu_fail(hipErrorInvalidValue, "no description");
}

hipError_t emu_hipFreeMipmappedArray(hipMipmappedArray_t handle) {
    if (!handle) return hipSuccess;
    mipmap *one = mipmap_of(handle);
    if (!one) return hipErrorInvalidHandle;
    emu_wait_device(one->level[0]->device);
    emu_handle_remove(one, EMU_MIPMAP);
    mipmap_free(one);
    return hipSuccess;
}

hipError_t emu_hipMipmappedArrayDestroy(hipMipmappedArray_t handle) {
    return emu_hipFreeMipmappedArray(handle);
}

hipError_t emu_hipGetMipmappedArrayLevel(hipArray_t *levelArray, hipMipmappedArray_const_t handle,
                                         unsigned int level) {
    mipmap *one = mipmap_of(handle);
    if (!one || !levelArray || level >= one->levels)
        return emu_fail(hipErrorInvalidValue, "no level %u", level);
    *levelArray = (hipArray_t)(void *)one->level[level];
    return hipSuccess;
}

hipError_t emu_hipMipmappedArrayGetLevel(hipArray_t *levelArray, hipMipmappedArray_t handle,
                                         unsigned int level) {
    return emu_hipGetMipmappedArrayLevel(levelArray, handle, level);
}
