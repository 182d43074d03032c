/* From what CUDA asks of a texture or surface to gfx11's descriptors and the table entry. See
 * texture.h. */
#include <string.h>

#include "driver/texture.h"
#include "hip/image_descriptor.h"

enum { LAYERED = 1, CUBEMAP = 4 };
/* cass_shim.model.kernel_abi: TextureKind and TEXTURE_*. */
enum { ARRAY_1D = 1, ARRAY_2D, ARRAY_3D, CUBE, LAYERED_1D, LAYERED_2D, LAYERED_CUBE, LINEAR };
enum {
    FLAG_SURFACE = 1 << 4,
    FLAG_NORMALIZED = 1 << 5,
    CHANNELS_SHIFT = 8,
    FORMAT_SHIFT = 12,
    FLAG_AS_FLOAT = 1 << 16,
    FLAG_LINEAR = 1 << 17
};

static unsigned kind_of(const cass_array *array) {
    if (array->flags & CUBEMAP) return array->flags & LAYERED ? LAYERED_CUBE : CUBE;
    if (array->flags & LAYERED) return array->height ? LAYERED_2D : LAYERED_1D;
    return array->depth ? ARRAY_3D : array->height ? ARRAY_2D : ARRAY_1D;
}

static unsigned type_of(unsigned kind, int surface) {
    static const uint8_t types[] = {0,          GFX11_1D,       GFX11_2D,       GFX11_3D,
                                    GFX11_CUBE, GFX11_1D_ARRAY, GFX11_2D_ARRAY, GFX11_CUBE};
    return surface && types[kind] == GFX11_CUBE ? GFX11_2D_ARRAY : types[kind];
}

/* Whether integers come out as floats: those of 32 bits never do. */
static int promoted(const cass_texture *texture, cass_format_of format) {
    return texture->as_float && format.kind != CASS_CHANNEL_FLOAT && format.channel_bytes < 4;
}

/* Surfaces move bits: their resource has unsigned integers whatever the array holds. */
static const gfx11_format *format_of(const cass_texture *texture, cass_format_of format) {
    static const uint8_t plain[] = {GFX11_SINT, GFX11_UINT, GFX11_FLOAT},
                         promotes[] = {GFX11_SNORM, GFX11_UNORM, GFX11_FLOAT};
    unsigned kind = texture->surface            ? GFX11_UINT
                    : promoted(texture, format) ? promotes[format.kind]
                                                : plain[format.kind];
    if (kind == GFX11_UNORM && texture->srgb && format.channel_bytes == 1) kind = GFX11_SRGB;
    return gfx11_format_of(kind, (unsigned)format.channel_bytes * 8, (unsigned)format.channels);
}

/* A view's format: three numbers of channels of each of UINT and SINT 8, 16 and 32 and FLOAT 16 and
 * 32, in cuda.h's order; the rest is block compression. */
static int viewed_format(unsigned number, cass_format_of *format) {
    static const uint8_t kinds[] = {CASS_CHANNEL_UNSIGNED, CASS_CHANNEL_SIGNED,
                                    CASS_CHANNEL_UNSIGNED, CASS_CHANNEL_SIGNED,
                                    CASS_CHANNEL_UNSIGNED, CASS_CHANNEL_SIGNED,
                                    CASS_CHANNEL_FLOAT,    CASS_CHANNEL_FLOAT},
                         bytes[] = {1, 1, 2, 2, 4, 4, 2, 4}, channels[] = {1, 2, 4};
    if (!number) return OK;
    unsigned row = (number - 1) / 3;
    if (row >= sizeof kinds) return NOT_SUPPORTED;
    cass_format_of wanted = {kinds[row], channels[(number - 1) % 3], bytes[row]};
    if (wanted.channels * wanted.channel_bytes != format->channels * format->channel_bytes)
        return INVALID_VALUE;
    *format = wanted;
    return OK;
}

static unsigned clamp_of(const cass_texture *texture, int address) {
    static const uint8_t clamps[] = {GFX11_WRAP, GFX11_CLAMP_LAST, GFX11_MIRROR,
                                     GFX11_CLAMP_BORDER};
    int repeats = address == CASS_ADDRESS_WRAP || address == CASS_ADDRESS_MIRROR;
    /* Texels do not repeat by coordinates in texels (CUDA: "clamp is used instead"). */
    return repeats && !texture->normalized ? GFX11_CLAMP_LAST : clamps[address & 3];
}

/* A border's channel as its texels are: integers take its bits, normalized ones the nearest number
 * that a texel can be (recorded). */
static float border_channel(const cass_texture *texture, cass_format_of format, int channel) {
    float value = texture->border[channel];
    if (channel >= format.channels) return 0;
    if (!promoted(texture, format)) return value;
    int is_signed = format.kind == CASS_CHANNEL_SIGNED;
    float least = is_signed ? -1 : 0,
          most = (float)((1 << (8 * format.channel_bytes - is_signed)) - 1);
    value = value > least ? value < 1 ? value : 1 : least; /* NaN: least */
    return (float)(int)(value * most + (value < 0 ? -0.5f : 0.5f)) / most;
}

/* The sampler's border; 0 where the device has no such colour. */
static int border_of(const cass_texture *texture, cass_format_of format, gfx11_sampler *sampler) {
    static const float known[3][4] = {{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1, 1}};
    for (unsigned i = 0; i < 3; i++)
        if (!memcmp(texture->border, known[i], sizeof known[i])) {
            sampler->border = GFX11_BORDER_CLEAR + i;
            return 1;
        }
    float color[4];
    unsigned bits[4];
    for (int i = 0; i < 4; i++) color[i] = border_channel(texture, format, i);
    memcpy(bits, color, sizeof bits);
    sampler->border = GFX11_BORDER_TABLE;
    return !HIP_OPTIONAL(hipCassBorderColor, bits, &sampler->border_index);
}

static const char *describe_sampler(const cass_texture *texture, cass_format_of format,
                                    unsigned kind, unsigned levels, uint32_t *words) {
    gfx11_sampler sampler = {.linear = texture->linear,
                             .unnormalized =
                                 !texture->normalized && kind != CUBE && kind != LAYERED_CUBE,
                             .seamless_cube = texture->seamless,
                             .lod_bias = texture->lod_bias,
                             .min_lod = texture->min_lod,
                             .max_lod = texture->max_lod};
    int bordered = 0;
    for (int i = 0; i < 3; i++) {
        sampler.clamp[i] = clamp_of(texture, texture->address[i]);
        bordered |= sampler.clamp[i] == GFX11_CLAMP_BORDER;
    }
    if (levels > 1) sampler.mip_filter = texture->mip_linear ? GFX11_MIP_LINEAR : GFX11_MIP_POINT;
    if (bordered && !border_of(texture, format, &sampler))
        return "border colours other than black and white need a table that programs do not own";
    gfx11_sampler_encode(&sampler, words);
    return NULL;
}

/* The image of an array's levels (and of a view of it). */
static gfx11_image image_of(const cass_texture *texture, const cass_array *array, unsigned kind) {
    gfx11_image image = {.base = (uint64_t)(uintptr_t)array->chain,
                         .type = type_of(kind, texture->surface),
                         .width = (unsigned)array->whole[0],
                         .height = array->whole[1] ? (unsigned)array->whole[1] : 1,
                         .slices = array->whole[2] ? (unsigned)array->whole[2] : 1,
                         .levels = array->levels,
                         .first_level = array->level,
                         .last_level = texture->mipmap ? array->levels - 1 : array->level};
    if (!texture->has_view) return image;
    if (texture->mipmap) {
        image.first_level = texture->first_level;
        if (texture->last_level < image.last_level) image.last_level = texture->last_level;
    }
    if (kind != ARRAY_3D && texture->last_layer) {
        image.first_slice = texture->first_layer;
        if (texture->last_layer < image.slices) image.slices = texture->last_layer + 1;
    }
    return image;
}

unsigned cass_row_align(void) {
    unsigned bytes = GFX11_ROW_ALIGN;
    (void)HIP_OPTIONAL(hipCassRowAlign, &bytes); /* AMD's library has none */
    return bytes;
}

/* The image of pitched memory. */
static gfx11_image pitched_of(const cass_texture *texture) {
    return (gfx11_image){.base = (uint64_t)(uintptr_t)texture->memory,
                         .type = GFX11_2D,
                         .width = (unsigned)texture->width,
                         .height = texture->height ? (unsigned)texture->height : 1,
                         .slices = 1,
                         .levels = 1,
                         .pitch = texture->pitch,
                         .row_align = cass_row_align()};
}

static int refuse(const char *why) {
    cass_complain("a texture or surface object cannot be made on gfx11: %s", why);
    return NOT_SUPPORTED;
}

static uint32_t flags_of(const cass_texture *texture, cass_format_of format, unsigned kind) {
    static const uint8_t formats[] = {1, 0, 2}; /* signed, unsigned, float */
    return kind | (uint32_t)(texture->surface ? FLAG_SURFACE : 0) |
           (uint32_t)(texture->normalized ? FLAG_NORMALIZED : 0) |
           (uint32_t)format.channels << CHANNELS_SHIFT |
           (uint32_t)formats[format.kind] << FORMAT_SHIFT |
           (uint32_t)(promoted(texture, format) ? FLAG_AS_FLOAT : 0) |
           (uint32_t)(texture->linear ? FLAG_LINEAR : 0);
}

static int describe_linear(const cass_texture *texture, cass_texture_entry *entry,
                           uint32_t *words) {
    uint64_t address = (uint64_t)(uintptr_t)texture->memory;
    size_t count = texture->bytes / entry->texel_bytes;
    if (count > UINT32_MAX) return INVALID_VALUE;
    words[0] = (uint32_t)address;
    words[1] = (uint32_t)(address >> 32);
    words[2] = entry->width = (uint32_t)count;
    entry->levels = 1;
    return OK;
}

static int describe_image(const cass_texture *texture, cass_format_of format,
                          const gfx11_image *image, unsigned kind, cass_texture_entry *entry,
                          uint32_t *words) {
    const char *why = gfx11_image_encode(image, words);
    if (!why && !texture->surface)
        why = describe_sampler(texture, format, kind, image->levels, words + CASS_TEXTURE_SAMPLER);
    if (why) return refuse(why);
    gfx11_level level;
    gfx11_level_of(entry->texel_bytes, image->width, image->height, image->levels,
                   image->first_level, &level);
    entry->width = level.width;
    entry->height = kind == ARRAY_1D || kind == LAYERED_1D ? 0 : level.height;
    entry->depth = kind == ARRAY_1D || kind == ARRAY_2D ? 0 : image->slices - image->first_slice;
    if (kind == ARRAY_3D) {
        entry->depth >>= image->first_level;
        if (!entry->depth) entry->depth = 1;
    }
    entry->levels = image->last_level - image->first_level + 1;
    return OK;
}

int cass_texture_describe(const cass_texture *texture, cass_texture_entry *entry,
                          uint32_t words[CASS_TEXTURE_DWORDS]) {
    const cass_array *array = texture->mipmap ? &texture->mipmap->level[0] : texture->array;
    cass_format_of format = array ? array->format : texture->format;
    unsigned kind = array ? kind_of(array) : texture->pitch ? ARRAY_2D : LINEAR;
    int result = viewed_format(texture->has_view ? texture->view_format : 0, &format);
    if (result == NOT_SUPPORTED) return refuse("views of block-compressed texels");
    if (result) return result;
    memset(words, 0, CASS_TEXTURE_DWORDS * sizeof *words);
    *entry = (cass_texture_entry){.texel_bytes = (uint32_t)(format.channels * format.channel_bytes),
                                  .flags = flags_of(texture, format, kind)};
    if (!entry->texel_bytes) return INVALID_VALUE;
    if (kind == LINEAR) return describe_linear(texture, entry, words);
    gfx11_image image = array ? image_of(texture, array, kind) : pitched_of(texture);
    image.format = format_of(texture, format);
    return describe_image(texture, format, &image, kind, entry, words);
}
