/* Image samples and gathers: addresses, level of detail, the bodies. See image_sample.h. */
#define EMU_SHARED_SSE
#include "emulator/image_sample.h"

#include <math.h>

#include "emulator/memory_ops.h"

enum {
    WITH_OFFSET = 1,
    WITH_BIAS = 2,
    WITH_GRADIENTS = 4,
    SHORT_GRADIENTS = 8,
    WITH_LOD = 16,
    LEVEL_ZERO = 32,
    WITH_CLAMP = 64,
    GATHER = 128,
    LOD_ONLY = 256
};

uint32_t emu_border_colors[GFX11_BORDER_COLORS][4];

const char *emu_image_sampler(const wave_t *w, const op_t *o, sampler_t *sampler) {
    const uint32_t *words = src_scalar(w, o, 2);
    int32_t bias = (int32_t)(gfx11_get(words, GFX11_LOD_BIAS) << 18) >> 18;
    memset(sampler, 0, sizeof *sampler);
    for (unsigned i = 0; i < 3; i++) sampler->clamp[i] = (uint8_t)gfx11_get(words, GFX11_CLAMP(i));
    sampler->unnormalized = gfx11_get(words, GFX11_UNNORMALIZED) || image_flag(o, IMAGE_UNORM);
    sampler->truncate = gfx11_get(words, GFX11_TRUNCATE) != 0;
    sampler->cube_wrap = !gfx11_get(words, GFX11_NO_CUBE_WRAP);
    sampler->mag_filter = (uint8_t)(gfx11_get(words, GFX11_MAG_FILTER) & 1); /* 2, 3: anisotropic */
    sampler->min_filter = (uint8_t)(gfx11_get(words, GFX11_MIN_FILTER) & 1);
    sampler->z_filter = (uint8_t)gfx11_get(words, GFX11_Z_FILTER);
    sampler->mip_filter = (uint8_t)gfx11_get(words, GFX11_MIP_FILTER);
    sampler->border = (uint8_t)gfx11_get(words, GFX11_BORDER);
    sampler->min_lod = (float)gfx11_get(words, GFX11_MIN_LOD) / 256.0f;
    sampler->max_lod = (float)gfx11_get(words, GFX11_MAX_LOD) / 256.0f;
    sampler->lod_bias = (float)bias / 256.0f;
    sampler->border_color = emu_border_colors[gfx11_get(words, GFX11_BORDER_INDEX)];
    if (gfx11_get(words, GFX11_MAX_ANISO)) return "anisotropic filtering is not implemented";
    return NULL;
}

/* What a lane gives. */
typedef struct {
    uint32_t offset;
    float bias, lod, clamp;
    float dx[3], dy[3], coordinate[3];
} given_t;

static given_t given_by(const wave_t *w, const op_t *o, unsigned parts, unsigned lane) {
    image_cursor cursor = {o, 0, 0};
    given_t g = {0};
    int a16 = image_flag(o, IMAGE_A16), g16 = (parts & SHORT_GRADIENTS) != 0;
    unsigned filtered = image_filtered(image_dim(o)), count = image_coordinates(image_dim(o));
    if (parts & WITH_OFFSET) g.offset = emu_image_address(w, &cursor, lane);
    if (parts & WITH_BIAS) g.bias = emu_image_float(w, &cursor, lane, a16);
    emu_image_align(&cursor);
    for (unsigned i = 0; parts & WITH_GRADIENTS && i < filtered; i++)
        g.dx[i] = emu_image_float(w, &cursor, lane, g16);
    emu_image_align(&cursor);
    for (unsigned i = 0; parts & WITH_GRADIENTS && i < filtered; i++)
        g.dy[i] = emu_image_float(w, &cursor, lane, g16);
    emu_image_align(&cursor);
    for (unsigned i = 0; i < count; i++) g.coordinate[i] = emu_image_float(w, &cursor, lane, a16);
    if (parts & WITH_LOD) g.lod = emu_image_float(w, &cursor, lane, a16);
    if (parts & WITH_CLAMP) g.clamp = emu_image_float(w, &cursor, lane, a16);
    return g;
}

/* Without gradients they are the differences within the lane's quad. */
static void quad_gradients(const wave_t *w, const op_t *o, unsigned parts, unsigned lane,
                           given_t *g) {
    given_t at = given_by(w, o, parts, lane & ~3u), right = given_by(w, o, parts, (lane & ~3u) + 1),
            below = given_by(w, o, parts, (lane & ~3u) + 2);
    for (unsigned i = 0; i < image_filtered(image_dim(o)); i++) {
        g->dx[i] = right.coordinate[i] - at.coordinate[i];
        g->dy[i] = below.coordinate[i] - at.coordinate[i];
    }
}

static double lod_of_gradients(const image_t *image, const given_t *g, unsigned filtered) {
    const gfx11_level *first = &image->level[image->first_level];
    double size[3] = {first->width, first->height, image->slices}, dx[3] = {0}, dy[3] = {0};
    for (unsigned i = 0; i < filtered; i++) {
        dx[i] = (double)g->dx[i] * size[i];
        dy[i] = (double)g->dy[i] * size[i];
    }
    return emu_level_of_gradients(dx, dy);
}

/* Level of detail, clamped. */
static double lod_of(const wave_t *w, const op_t *o, unsigned parts, unsigned lane,
                     const image_t *image, const sampler_t *sampler, given_t *g) {
    double lod = (double)g->lod;
    if (sampler->unnormalized || image->last_level == image->first_level) return 0;
    if (!(parts & (WITH_LOD | LEVEL_ZERO))) {
        if (!(parts & WITH_GRADIENTS)) quad_gradients(w, o, parts, lane, g);
        lod = lod_of_gradients(image, g, image_filtered(image_dim(o)));
    }
    lod += (double)sampler->lod_bias + (double)g->bias;
    double least = (double)sampler->min_lod, most = (double)sampler->max_lod;
    if (parts & WITH_CLAMP && (double)g->clamp > least) least = (double)g->clamp;
    return isnan(lod) || lod < least ? least : lod > most ? most : lod;
}

static lookup_t lookup_of(const op_t *o, const image_t *image, const given_t *g) {
    unsigned dim = image_dim(o), filtered = image_filtered(dim);
    lookup_t at = {.dim = dim};
    for (unsigned i = 0; i < filtered; i++) {
        at.coordinate[i] = g->coordinate[i] - (dim == IMAGE_DIM_CUBE ? 1.0f : 0.0f);
        at.offset[i] = (int32_t)(g->offset << (26 - 8 * i)) >> 26;
    }
    if (dim == IMAGE_DIM_3D || filtered == image_coordinates(dim)) return at;
    double layer = nearbyint((double)g->coordinate[filtered]),
           last = (double)(image->slices - 1 - image->first_slice);
    if (dim == IMAGE_DIM_CUBE) { /* face + 8 * layer */
        double which = layer < 0 || isnan(layer) ? 0 : layer;
        layer = floor(which / 8) * 6 + fmod(which, 8);
    }
    at.slice = layer > 0 ? (int64_t)(layer < last ? layer : last) : 0;
    return at;
}

static levels_t levels_of(const image_t *image, const sampler_t *sampler, double lod) {
    levels_t chosen = {{image->first_level, image->first_level}, {IMAGE_WHOLE, 0}, 0};
    unsigned deepest = image->last_level - image->first_level;
    chosen.linear = lod > 0 ? sampler->min_filter : sampler->mag_filter;
    if (sampler->mip_filter == GFX11_MIP_NONE || lod <= 0) return chosen;
    double exact = floor(lod * IMAGE_STEPS) / IMAGE_STEPS,
           whole = floor(sampler->mip_filter == GFX11_MIP_LINEAR ? exact : lod + 0.5);
    unsigned low = whole < deepest ? (unsigned)whole : deepest;
    chosen.level[0] += low;
    chosen.level[1] += low < deepest ? low + 1 : deepest;
    if (sampler->mip_filter == GFX11_MIP_LINEAR && low < deepest)
        chosen.weight[1] = (unsigned)((exact - whole) * IMAGE_STEPS);
    chosen.weight[0] -= chosen.weight[1];
    return chosen;
}

/* One lane's four results, before DMASK. */
static void lane_result(const wave_t *w, const op_t *o, unsigned parts, unsigned lane,
                        const image_t *image, const sampler_t *sampler, uint32_t out[4],
                        sample_fault *fault) {
    given_t g = given_by(w, o, parts, lane);
    double lod = lod_of(w, o, parts, lane, image, sampler, &g);
    lookup_t at = lookup_of(o, image, &g);
    memset(out, 0, 4 * sizeof *out);
    if (parts & LOD_ONLY) {
        out[0] = out[1] = bits32((float)lod);
    } else if (parts & GATHER) {
        levels_t chosen = levels_of(image, sampler, lod);
        emu_gather_level(image, sampler, &at, chosen.level[0],
                         (unsigned)__builtin_ctz(image_dmask(o) | 8u), out, fault);
    } else {
        levels_t chosen = levels_of(image, sampler, lod);
        emu_sample_levels(image, sampler, &at, &chosen, out, fault);
    }
}

OUT_OF_LINE const op_t *image_sample(wave_t *w, const op_t *o, unsigned parts) {
    image_t image;
    sampler_t sampler;
    image_lanes out;
    unsigned mask = parts & GATHER ? 0xf : image_dmask(o);
    const char *why = emu_image_resource(w, o, &image);
    if (!why) why = emu_image_sampler(w, o, &sampler);
    if (why) return emu_raise(w, o, EMU_ILLEGAL_INSTRUCTION, 0, 0, why);
    memset(out, 0, sizeof out);
    for (uint32_t exec = image.empty ? 0 : EXEC; exec; exec &= exec - 1) {
        unsigned lane = (unsigned)__builtin_ctz(exec), count = 0;
        uint32_t all[4];
        sample_fault fault = {0, 0};
        lane_result(w, o, parts, lane, &image, &sampler, all, &fault);
        if (fault.failed)
            return emu_raise(w, o, EMU_ILLEGAL_ADDRESS, lane, fault.address, "image sample");
        for (unsigned i = 0; i < 4; i++)
            if (mask >> i & 1) out[count++][lane] = all[i];
    }
    emu_image_put(w, o, (unsigned)__builtin_popcount(mask),
                  !image.empty && image_is_integer(&image) && !(parts & LOD_ONLY), out);
    return o + 1;
}

#define SAMPLE(name, parts)                                                                        \
    HANDLER(image_##name) { CONTINUE(image_sample(w, o, parts)); }
/* With and without texel offsets. */
#define SAMPLES(name, parts)                                                                       \
    SAMPLE(name, parts)                                                                            \
    SAMPLE(name##_o, (parts) | WITH_OFFSET)
SAMPLES(sample, 0)
SAMPLES(sample_d, WITH_GRADIENTS)
SAMPLES(sample_l, WITH_LOD)
SAMPLES(sample_b, WITH_BIAS)
SAMPLES(sample_lz, LEVEL_ZERO)
SAMPLES(sample_cl, WITH_CLAMP)
SAMPLES(sample_d_cl, WITH_GRADIENTS | WITH_CLAMP)
SAMPLES(sample_b_cl, WITH_BIAS | WITH_CLAMP)
SAMPLE(sample_d_g16, WITH_GRADIENTS | SHORT_GRADIENTS)
SAMPLE(sample_d_o_g16, WITH_GRADIENTS | SHORT_GRADIENTS | WITH_OFFSET)
SAMPLE(sample_d_cl_g16, WITH_GRADIENTS | SHORT_GRADIENTS | WITH_CLAMP)
SAMPLE(sample_d_cl_o_g16, WITH_GRADIENTS | SHORT_GRADIENTS | WITH_CLAMP | WITH_OFFSET)
SAMPLES(gather4, GATHER)
SAMPLES(gather4_lz, GATHER | LEVEL_ZERO)
SAMPLE(gather4_l, GATHER | WITH_LOD)
SAMPLE(gather4_b, GATHER | WITH_BIAS)
SAMPLE(gather4_cl, GATHER | WITH_CLAMP)
SAMPLE(gather4_b_cl, GATHER | WITH_BIAS | WITH_CLAMP)
SAMPLE(get_lod, LOD_ONLY)
