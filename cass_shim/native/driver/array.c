/* Arrays and block copies between places: see array.h. */
#include "driver/array.h"

#include <stdlib.h>

#include "driver/memory.h"
#include "hip/image_descriptor.h"

enum { ARRAY_MAGIC = 0x43415252, MIPMAP_MAGIC = 0x434d4950 };
enum { LAYERED = 1, CUBEMAP = 4, LAYERS_OF_CUBE = 6, LARGEST_SIDE = 131072 };
enum { GATHER = 8, ALL_FLAGS = 0x1ff }; /* CUDA_ARRAY3D_… */

static int format_ok(cass_format_of format) {
    int channels = format.channels == 1 || format.channels == 2 || format.channels == 4;
    int bytes = format.channel_bytes == 2 || format.channel_bytes == 4 ||
                (format.channel_bytes == 1 && format.kind != CASS_CHANNEL_FLOAT);
    return channels && bytes && format.kind >= CASS_CHANNEL_SIGNED &&
           format.kind <= CASS_CHANNEL_FLOAT;
}

static int shape_ok(cass_format_of format, const size_t size[3], unsigned flags) {
    size_t width = size[0], height = size[1], depth = size[2];
    if (!format_ok(format) || !width || width > LARGEST_SIDE || height > LARGEST_SIDE ||
        depth > LARGEST_SIDE)
        return 0;
    if (flags > ALL_FLAGS || (flags & GATHER && depth && !(flags & LAYERED))) return 0;
    if ((flags & CUBEMAP) && (width != height || depth % LAYERS_OF_CUBE || !depth)) return 0;
    if ((flags & LAYERED) && !depth) return 0;
    return !depth || height || (flags & LAYERED);
}

static size_t halved(size_t size, unsigned level) {
    return size >> level ? size >> level : size ? 1 : 0;
}

/* One level without its memory; its offset in the block. */
static size_t shape(cass_array *array, cass_format_of format, const size_t whole[3], unsigned flags,
                    unsigned levels, unsigned level) {
    gfx11_level place;
    size_t depth = flags & (LAYERED | CUBEMAP) ? whole[2] : halved(whole[2], level);
    unsigned texel_bytes = (unsigned)(format.channels * format.channel_bytes),
             rows = whole[1] ? (unsigned)whole[1] : 1;
    gfx11_level_of(texel_bytes, (unsigned)whole[0], rows, levels, level, &place);
    *array = (cass_array){.magic = ARRAY_MAGIC,
                          .format = format,
                          .width = halved(whole[0], level),
                          .height = halved(whole[1], level),
                          .depth = depth,
                          .flags = flags,
                          .element_bytes = texel_bytes,
                          .pitch = place.pitch,
                          .whole = {whole[0], whole[1], whole[2]},
                          .level = level,
                          .levels = levels};
    array->slice = gfx11_slice_bytes(texel_bytes, (unsigned)whole[0], rows, levels);
    return place.offset;
}

int cass_array_create(cass_device *device, cass_format_of format, size_t width, size_t height,
                      size_t depth, unsigned flags, cass_array **out) {
    const size_t whole[3] = {width, height, depth};
    if (!out || !shape_ok(format, whole, flags)) return INVALID_VALUE;
    cass_array *array = malloc(sizeof *array);
    if (!array) return OUT_OF_MEMORY;
    shape(array, format, whole, flags, 1, 0);
    array->device = cass_device_index(device);
    array->owned = 1;
    int result = cass_malloc(device, (void **)&array->memory, array->slice * (depth ? depth : 1));
    array->chain = array->memory;
    if (result) free(array);
    else *out = array;
    return result;
}

int cass_array_destroy(cass_array *array) {
    if (!array->owned) return INVALID_VALUE; /* a level of a mipmapped array goes with that */
    int result = HIP(hipFree, array->memory);
    array->magic = 0;
    free(array);
    return result;
}

size_t cass_mipmap_bytes(cass_format_of format, size_t width, size_t height, size_t depth,
                         unsigned levels, unsigned flags) {
    const size_t whole[3] = {width, height, depth};
    cass_array first;
    if (!levels || levels > CASS_MAX_LEVELS || !shape_ok(format, whole, flags)) return 0;
    shape(&first, format, whole, flags, levels, 0);
    return first.slice * (depth ? depth : 1);
}

int cass_mipmap_over(cass_device *device, cass_format_of format, size_t width, size_t height,
                     size_t depth, unsigned levels, unsigned flags, void *memory,
                     cass_mipmap **out) {
    const size_t whole[3] = {width, height, depth};
    cass_mipmap *made = calloc(1, sizeof *made);
    if (!made) return OUT_OF_MEMORY;
    for (unsigned i = 0; i < levels; i++) {
        size_t at = shape(&made->level[i], format, whole, flags, levels, i);
        made->level[i].device = cass_device_index(device);
        made->level[i].chain = memory;
        made->level[i].memory = (char *)memory + at;
    }
    made->magic = MIPMAP_MAGIC;
    made->levels = levels;
    *out = made;
    return OK;
}

/* Clamped to what the sides have, as the manual says of numLevels. */
static unsigned levels_of(size_t width, size_t height, size_t depth, unsigned asked) {
    unsigned most = 1;
    for (size_t side = (width | height | depth) >> 1; side; side >>= 1) most++;
    return asked < 1 ? 1 : asked > most ? most : asked;
}

int cass_mipmap_create(cass_device *device, cass_format_of format, size_t width, size_t height,
                       size_t depth, unsigned levels, unsigned flags, cass_mipmap **out) {
    levels = levels_of(width, height, flags & (LAYERED | CUBEMAP) ? 0 : depth, levels);
    size_t bytes = cass_mipmap_bytes(format, width, height, depth, levels, flags);
    void *memory = NULL;
    if (!out || !bytes) return INVALID_VALUE;
    int result = cass_malloc(device, &memory, bytes);
    if (result) return result;
    result = cass_mipmap_over(device, format, width, height, depth, levels, flags, memory, out);
    if (result) (void)HIP(hipFree, memory);
    return result;
}

int cass_mipmap_destroy(cass_mipmap *mipmap) {
    int result = HIP(hipFree, mipmap->level[0].chain);
    mipmap->magic = 0;
    free(mipmap);
    return result;
}

cass_array *cass_array_of(const void *handle) {
    cass_array *array = (cass_array *)(uintptr_t)handle;
    return array && (uintptr_t)handle % _Alignof(cass_array) == 0 && array->magic == ARRAY_MAGIC
               ? array
               : NULL;
}

cass_mipmap *cass_mipmap_of(const void *handle) {
    cass_mipmap *mipmap = (cass_mipmap *)(uintptr_t)handle;
    return mipmap && (uintptr_t)handle % _Alignof(cass_mipmap) == 0 && mipmap->magic == MIPMAP_MAGIC
               ? mipmap
               : NULL;
}

/* First byte, pitch and slice of a place; 1 when the block leaves an array. */
static int locate(const cass_place *place, size_t width, size_t height, size_t depth, char **at,
                  size_t *pitch, size_t *slice) {
    if (!place->array) {
        *pitch = place->pitch ? place->pitch : width + place->x;
        *slice = *pitch * (place->rows ? place->rows : height + place->y);
        *at = (char *)place->pointer;
        if (*at) *at += place->x + place->y * *pitch + place->z * *slice;
        return OK;
    }
    const cass_array *array = place->array;
    size_t rows = array->height ? array->height : 1, planes = array->depth ? array->depth : 1;
    if (place->x + width > array->width * array->element_bytes || place->y + height > rows ||
        place->z + depth > planes)
        return INVALID_VALUE;
    *pitch = array->pitch;
    *slice = array->slice;
    *at = array->memory + place->x + place->y * *pitch + place->z * *slice;
    return OK;
}

static int pitch_ok(const cass_place *place, size_t width) {
    if (place->array || !place->pitch) return 1;
    return width <= place->pitch && place->x <= place->pitch - width;
}

int cass_pitches_ok(const cass_place *to, const cass_place *from, size_t width) {
    return pitch_ok(to, width) && pitch_ok(from, width);
}

int cass_copy_between(const cass_place *to, const cass_place *from, size_t width, size_t height,
                      size_t depth, cass_copy *out) {
    char *target, *source;
    *out = (cass_copy){.width = width, .height = height ? height : 1, .depth = depth ? depth : 1};
    int result =
        locate(to, width, out->height, out->depth, &target, &out->to_pitch, &out->to_slice);
    if (!result)
        result = locate(from, width, out->height, out->depth, &source, &out->from_pitch,
                        &out->from_slice);
    if (result) return result;
    out->to = target;
    out->from = source;
    int to_kind = to->array ? CASS_PLACE_DEVICE : to->kind;
    int from_kind = from->array ? CASS_PLACE_DEVICE : from->kind;
    if (to_kind == CASS_PLACE_UNIFIED || from_kind == CASS_PLACE_UNIFIED)
        out->kind = HIP_COPY_DEFAULT;
    else if (to_kind == CASS_PLACE_HOST)
        out->kind = from_kind == CASS_PLACE_HOST ? HIP_COPY_HOST_TO_HOST : HIP_COPY_DEVICE_TO_HOST;
    else
        out->kind =
            from_kind == CASS_PLACE_HOST ? HIP_COPY_HOST_TO_DEVICE : HIP_COPY_DEVICE_TO_DEVICE;
    return OK;
}
