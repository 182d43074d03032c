/* Descriptors of images and samplers: see image_descriptor.h. */
#include "hip/image_descriptor.h"

#include <stddef.h>
#include <string.h>

/* Numbers: "FORMAT" of SQ_IMG_RSRC_WORD1 for gfx11. */
static const gfx11_format formats[] = {
    {1, 8, 1, GFX11_UNORM},   {2, 8, 1, GFX11_SNORM},   {5, 8, 1, GFX11_UINT},
    {6, 8, 1, GFX11_SINT},    {7, 16, 1, GFX11_UNORM},  {8, 16, 1, GFX11_SNORM},
    {11, 16, 1, GFX11_UINT},  {12, 16, 1, GFX11_SINT},  {13, 16, 1, GFX11_FLOAT},
    {14, 8, 2, GFX11_UNORM},  {15, 8, 2, GFX11_SNORM},  {18, 8, 2, GFX11_UINT},
    {19, 8, 2, GFX11_SINT},   {20, 32, 1, GFX11_UINT},  {21, 32, 1, GFX11_SINT},
    {22, 32, 1, GFX11_FLOAT}, {23, 16, 2, GFX11_UNORM}, {24, 16, 2, GFX11_SNORM},
    {27, 16, 2, GFX11_UINT},  {28, 16, 2, GFX11_SINT},  {29, 16, 2, GFX11_FLOAT},
    {42, 8, 4, GFX11_UNORM},  {43, 8, 4, GFX11_SNORM},  {46, 8, 4, GFX11_UINT},
    {47, 8, 4, GFX11_SINT},   {48, 32, 2, GFX11_UINT},  {49, 32, 2, GFX11_SINT},
    {50, 32, 2, GFX11_FLOAT}, {51, 16, 4, GFX11_UNORM}, {52, 16, 4, GFX11_SNORM},
    {55, 16, 4, GFX11_UINT},  {56, 16, 4, GFX11_SINT},  {57, 16, 4, GFX11_FLOAT},
    {61, 32, 4, GFX11_UINT},  {62, 32, 4, GFX11_SINT},  {63, 32, 4, GFX11_FLOAT},
    {64, 8, 1, GFX11_SRGB},   {65, 8, 2, GFX11_SRGB},   {66, 8, 4, GFX11_SRGB},
};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

const gfx11_format *gfx11_format_by_number(unsigned number) {
    for (unsigned i = 0; i < FORMAT_COUNT; i++)
        if (formats[i].number == number) return &formats[i];
    return NULL;
}

const gfx11_format *gfx11_format_of(unsigned kind, unsigned bits, unsigned channels) {
    for (unsigned i = 0; i < FORMAT_COUNT; i++)
        if (formats[i].kind == kind && formats[i].bits == bits && formats[i].channels == channels)
            return &formats[i];
    return NULL;
}

static uint32_t row_bytes(unsigned texel_bytes, unsigned width) {
    return (width * texel_bytes + GFX11_ROW_ALIGN - 1) & ~(uint32_t)(GFX11_ROW_ALIGN - 1);
}

static unsigned size_at(unsigned size, unsigned level) { return size >> level ? size >> level : 1; }

void gfx11_level_of(unsigned texel_bytes, unsigned width, unsigned height, unsigned levels,
                    unsigned level, gfx11_level *out) {
    *out = (gfx11_level){.width = size_at(width, level), .height = size_at(height, level)};
    out->pitch = row_bytes(texel_bytes, out->width);
    for (unsigned i = level + 1; i < levels; i++)
        out->offset += (uint64_t)row_bytes(texel_bytes, size_at(width, i)) * size_at(height, i);
}

uint64_t gfx11_slice_bytes(unsigned texel_bytes, unsigned width, unsigned height, unsigned levels) {
    gfx11_level first;
    gfx11_level_of(texel_bytes, width, height, levels, 0, &first);
    return first.offset + (uint64_t)first.pitch * first.height;
}

static void put(uint32_t *words, unsigned dword, unsigned low, unsigned bits, uint32_t value) {
    uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    words[dword] |= (value & mask) << low;
}

static const char *check(const gfx11_image *image) {
    if (!image->format) return "the texels have no format of gfx11";
    if (!image->width || image->width > GFX11_MAX_SIDE || !image->height ||
        image->height > GFX11_MAX_SIDE)
        return "a side is longer than the 16384 texels of gfx11";
    if (!image->slices || image->slices > GFX11_MAX_SLICES)
        return "there are more than the 8192 slices of gfx11";
    if (!image->levels || image->levels > GFX11_MAX_LEVELS || image->last_level >= image->levels ||
        image->first_level > image->last_level)
        return "the levels are not those of an image";
    if (image->base % GFX11_ROW_ALIGN || image->base >> 48)
        return "the memory is not aligned to 256 bytes";
    if (image->pitch % (image->row_align ? image->row_align : GFX11_ROW_ALIGN))
        return "the pitch is not a multiple of 256 bytes";
    return NULL;
}

const char *gfx11_image_encode(const gfx11_image *image, uint32_t words[GFX11_IMAGE_DWORDS]) {
    const char *why = check(image);
    if (why) return why;
    const gfx11_format *format = image->format;
    unsigned texel_bytes = format->bits / 8u * format->channels;
    int rows_only = image->type == GFX11_1D || image->type == GFX11_2D;
    memset(words, 0, GFX11_IMAGE_DWORDS * sizeof *words);
    put(words, GFX11_BASE_LOW, (uint32_t)(image->base >> 8));
    put(words, GFX11_BASE_HIGH, (uint32_t)(image->base >> 40));
    put(words, GFX11_MAX_MIP, image->levels - 1);
    put(words, GFX11_FORMAT, format->number);
    put(words, GFX11_WIDTH_LOW, image->width - 1);
    put(words, GFX11_WIDTH_HIGH, (image->width - 1) >> 2);
    put(words, GFX11_HEIGHT, image->height - 1);
    for (unsigned i = 0; i < 4; i++)
        put(words, GFX11_SELECT(i),
            i < format->channels         ? GFX11_SELECT_X + i
            : i == 3 && image->alpha_one ? GFX11_SELECT_1
                                         : GFX11_SELECT_0);
    put(words, GFX11_BASE_LEVEL, image->first_level);
    put(words, GFX11_LAST_LEVEL, image->last_level);
    put(words, GFX11_TYPE, image->type);
    if (!rows_only) {
        put(words, GFX11_DEPTH, image->slices - 1);
        put(words, GFX11_BASE_ARRAY, image->first_slice);
    } else if (image->levels == 1) {
        uint64_t pitch = image->pitch ? image->pitch : row_bytes(texel_bytes, image->width);
        if (pitch / texel_bytes > GFX11_MAX_SIDE) return "the pitch is longer than 16384 texels";
        put(words, GFX11_PITCH, (uint32_t)(pitch / texel_bytes) - 1);
    }
    return NULL;
}

/* A level of detail as fixed point with 8 fraction bits. */
static uint32_t fixed(float value, float least, float most) {
    float held = value > least ? value < most ? value : most : least; /* NaN: least */
    return (uint32_t)(int32_t)(held * 256.0f + (held < 0 ? -0.5f : 0.5f));
}

void gfx11_sampler_encode(const gfx11_sampler *sampler, uint32_t words[GFX11_SAMPLER_DWORDS]) {
    unsigned filter = sampler->linear ? GFX11_FILTER_LINEAR : GFX11_FILTER_POINT;
    memset(words, 0, GFX11_SAMPLER_DWORDS * sizeof *words);
    for (unsigned i = 0; i < 3; i++) put(words, GFX11_CLAMP(i), sampler->clamp[i]);
    put(words, GFX11_UNNORMALIZED, sampler->unnormalized != 0);
    put(words, GFX11_TRUNCATE, !sampler->linear);
    put(words, GFX11_NO_CUBE_WRAP, !sampler->seamless_cube);
    put(words, GFX11_MIN_LOD, fixed(sampler->min_lod, 0, 4095 / 256.0f));
    put(words, GFX11_MAX_LOD, fixed(sampler->max_lod, 0, 4095 / 256.0f));
    put(words, GFX11_LOD_BIAS, fixed(sampler->lod_bias, -32, 8191 / 256.0f));
    put(words, GFX11_MAG_FILTER, filter);
    put(words, GFX11_MIN_FILTER, filter);
    put(words, GFX11_MIP_FILTER, sampler->mip_filter);
    put(words, GFX11_BORDER, sampler->border);
    put(words, GFX11_BORDER_INDEX, sampler->border_index);
}
