/* Image resources and texels: see image.h. */
#include "emulator/image.h"

#include <math.h>

#include "emulator/half.h"

uint32_t emu_image_address(const wave_t *w, image_cursor *cursor, unsigned lane) {
    return w->v[image_register(cursor->o, cursor->at++)][lane];
}

void emu_image_align(image_cursor *cursor) {
    if (cursor->half) cursor->at++;
    cursor->half = 0;
}

static uint32_t short_word(const wave_t *w, image_cursor *cursor, unsigned lane) {
    uint32_t word = w->v[image_register(cursor->o, cursor->at)][lane];
    if (cursor->half) {
        cursor->at++;
        word >>= 16;
    }
    cursor->half = !cursor->half;
    return word & 0xffff;
}

float emu_image_float(const wave_t *w, image_cursor *cursor, unsigned lane, int short_address) {
    return short_address ? f32_from_half(short_word(w, cursor, lane))
                         : f32_of(emu_image_address(w, cursor, lane));
}

int32_t emu_image_integer(const wave_t *w, image_cursor *cursor, unsigned lane, int short_address) {
    return (int32_t)(short_address ? short_word(w, cursor, lane)
                                   : emu_image_address(w, cursor, lane));
}

static int all_zero(const uint32_t *words) {
    uint32_t any = 0;
    for (unsigned i = 0; i < GFX11_IMAGE_DWORDS; i++) any |= words[i];
    return any == 0;
}

/* Whether an instruction's DIM can be used on a resource of this type. */
static int fits(unsigned dim, unsigned type) {
    switch (dim) {
    case IMAGE_DIM_1D:
        return type == GFX11_1D || type == GFX11_1D_ARRAY;
    case IMAGE_DIM_2D:
        return type == GFX11_2D || type == GFX11_2D_ARRAY || type == GFX11_CUBE;
    case IMAGE_DIM_3D:
        return type == GFX11_3D;
    case IMAGE_DIM_1D_ARRAY:
        return type == GFX11_1D_ARRAY || type == GFX11_1D;
    default:
        return type == GFX11_2D_ARRAY || type == GFX11_CUBE || type == GFX11_2D;
    }
}

static const char *layout(const uint32_t *words, image_t *image) {
    unsigned width =
                 (gfx11_get(words, GFX11_WIDTH_LOW) | gfx11_get(words, GFX11_WIDTH_HIGH) << 2) + 1,
             height = gfx11_get(words, GFX11_HEIGHT) + 1;
    int rows_only = image->type == GFX11_1D || image->type == GFX11_2D;
    image->levels = gfx11_get(words, GFX11_MAX_MIP) + 1;
    image->first_level = gfx11_get(words, GFX11_BASE_LEVEL);
    image->last_level = gfx11_get(words, GFX11_LAST_LEVEL);
    if (image->last_level >= image->levels || image->first_level > image->last_level)
        return "the image descriptor's levels are not in order";
    for (unsigned i = 0; i < image->levels; i++)
        gfx11_level_of(image->texel_bytes, width, height, image->levels, i, &image->level[i]);
    image->slice_bytes = gfx11_slice_bytes(image->texel_bytes, width, height, image->levels);
    unsigned pitch = rows_only ? gfx11_get(words, GFX11_PITCH) : 0;
    if (pitch) {
        image->level[0].pitch = (pitch + 1) * image->texel_bytes;
        if (image->level[0].pitch % EMU_ROW_ALIGN)
            return "the image descriptor's pitch is not a multiple of 32 bytes";
    }
    image->slices = rows_only ? 1 : gfx11_get(words, GFX11_DEPTH) + 1;
    image->first_slice = rows_only ? 0 : gfx11_get(words, GFX11_BASE_ARRAY);
    return NULL;
}

const char *emu_image_resource(const wave_t *w, const op_t *o, image_t *image) {
    const uint32_t *words = src_scalar(w, o, 1);
    memset(image, 0, sizeof *image);
    image->empty = all_zero(words);
    if (image->empty) return NULL;
    image->type = gfx11_get(words, GFX11_TYPE);
    image->format = gfx11_format_by_number(gfx11_get(words, GFX11_FORMAT));
    if (image->type < GFX11_1D || image->type >= GFX11_2D_MSAA)
        return "the image descriptor's type is none of an image without samples";
    if (!image->format) return "the image descriptor's format is not implemented";
    if (gfx11_get(words, GFX11_SWIZZLE_MODE) || gfx11_get(words, GFX11_COMPRESSED))
        return "the image is tiled or compressed, which is not implemented";
    if (!fits(image_dim(o), image->type))
        return "the instruction's dimensions are not those of the image descriptor";
    image->texel_bytes = image->format->bits / 8u * image->format->channels;
    image->base = (uint64_t)gfx11_get(words, GFX11_BASE_LOW) << 8 |
                  (uint64_t)gfx11_get(words, GFX11_BASE_HIGH) << 40;
    for (unsigned i = 0; i < 4; i++) {
        image->select[i] = (uint8_t)gfx11_get(words, GFX11_SELECT(i));
        if (image->select[i] > GFX11_SELECT_1 && image->select[i] < GFX11_SELECT_X)
            return "the image descriptor selects a reserved channel";
    }
    return layout(words, image);
}

int64_t emu_image_slice(const image_t *image, int64_t z) {
    if (image->type == GFX11_1D || image->type == GFX11_2D) return z == 0 ? 0 : -1;
    int64_t slice = z + image->first_slice;
    return z >= 0 && slice < image->slices ? slice : -1;
}

uint64_t emu_texel_address(const image_t *image, unsigned level, int64_t x, int64_t y, int64_t z) {
    const gfx11_level *at = &image->level[level];
    int64_t slice = emu_image_slice(image, z);
    if (x < 0 || y < 0 || x >= at->width || y >= at->height || slice < 0) return 0;
    if (image->type == GFX11_3D && slice && slice >= image->slices >> level) return 0;
    return image->base + (uint64_t)slice * image->slice_bytes + at->offset +
           (uint64_t)y * at->pitch + (uint64_t)x * image->texel_bytes;
}

/* ---- channels ---- */
static float srgb_to_linear(float x) {
    return x <= 0.04045f ? x / 12.92f : (float)pow(((double)x + 0.055) / 1.055, 2.4);
}

static uint32_t read_channel(const gfx11_format *format, const uint8_t *at, unsigned channel) {
    uint32_t raw = 0;
    unsigned bits = format->bits;
    memcpy(&raw, at, bits / 8u);
    int32_t number = (int32_t)(raw << (32 - bits)) >> (32 - bits);
    float most = (float)((1u << (bits - 1)) - 1); /* 8 or 16 bits */
    switch (format->kind) {
    case GFX11_UNORM:
        return bits32((float)raw / (2.0f * most + 1.0f));
    case GFX11_SNORM:
        return bits32((float)number < -most ? -1.0f : (float)number / most);
    case GFX11_SINT:
        return (uint32_t)number;
    case GFX11_FLOAT:
        return bits == 16 ? bits32(f32_from_half(raw)) : raw;
    case GFX11_SRGB:
        return bits32(channel == 3 ? (float)raw / 255.0f : srgb_to_linear((float)raw / 255.0f));
    default:
        return raw;
    }
}

void emu_texel_read(const gfx11_format *format, const void *texel, uint32_t out[4]) {
    int integer = format->kind == GFX11_UINT || format->kind == GFX11_SINT;
    out[1] = out[2] = 0;
    out[3] = integer ? 1 : bits32(1.0f);
    for (unsigned i = 0; i < format->channels; i++)
        out[i] = read_channel(format, (const uint8_t *)texel + i * (format->bits / 8u), i);
}

/* A normalized number: nearest, to even, NaN as 0. */
static int32_t normalized(uint32_t x, float least, float most) {
    float value = f32_of(x);
    if (!(value > least)) value = value <= least ? least : 0;
    return (int32_t)nearbyintf((value > 1 ? 1 : value) * most);
}

static uint32_t written_channel(const gfx11_format *format, uint32_t x) {
    unsigned bits = format->bits;
    uint32_t most = bits == 32 ? ~0u : (1u << bits) - 1;
    int32_t high = (int32_t)(most >> 1), number = (int32_t)x;
    switch (format->kind) {
    case GFX11_UNORM:
    case GFX11_SRGB: /* stores do not encode */
        return (uint32_t)normalized(x, 0, (float)most);
    case GFX11_SNORM:
        return (uint32_t)normalized(x, -1, (float)high);
    case GFX11_UINT:
        return x > most ? most : x;
    case GFX11_SINT:
        return (uint32_t)(number > high ? high : number < ~high ? ~high : number);
    default:
        return bits == 16 ? half_from_double((double)f32_of(x), 0) : x;
    }
}

void emu_texel_write(const gfx11_format *format, const uint32_t in[4], void *texel) {
    unsigned bytes = format->bits / 8u;
    for (unsigned i = 0; i < format->channels; i++) {
        uint32_t raw = written_channel(format, in[i]);
        memcpy((uint8_t *)texel + i * bytes, &raw, bytes);
    }
}

void emu_image_select(const image_t *image, const uint32_t in[4], uint32_t out[4]) {
    uint32_t one = image_is_integer(image) ? 1 : bits32(1.0f);
    for (unsigned i = 0; i < 4; i++)
        out[i] = image->select[i] >= GFX11_SELECT_X   ? in[image->select[i] - GFX11_SELECT_X]
                 : image->select[i] == GFX11_SELECT_1 ? one
                                                      : 0;
}

void emu_image_put(wave_t *w, const op_t *o, unsigned count, int integer, image_lanes values) {
    if (!image_flag(o, IMAGE_D16)) {
        for (unsigned i = 0; i < count; i++) put32(w, o->d + i, values[i]);
        return;
    }
    for (unsigned i = 0; i < count; i += 2) {
        lanes32 packed;
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint32_t half[2] = {0, 0};
            for (unsigned k = 0; k < 2 && i + k < count; k++)
                half[k] = integer ? values[i + k][lane] & 0xffff
                                  : half_from_double((double)f32_of(values[i + k][lane]), 0);
            packed[lane] = half[0] | half[1] << 16;
        }
        put32(w, o->d + i / 2, packed);
    }
}
