/* One lookup in one level of an image: positions, address modes, filtering. See image_sample.h. */
#include "emulator/image_sample.h"

#include <math.h>

#include "emulator/lanes.h"

enum { OUTSIDE = -1 }; /* the border */
enum { KEPT = 8 };     /* an address mode: may lie outside, which over_the_edge is for */

/* Two neighbours along one axis and the weight of the second, in 256ths. */
typedef struct {
    int64_t texel[2];
    unsigned weight;
} axis_t;

static int64_t wrapped(unsigned mode, int64_t i, int64_t size) {
    int64_t round;
    switch (mode) {
    case KEPT:
        return i;
    case GFX11_WRAP:
        return ((i % size) + size) % size;
    case GFX11_MIRROR:
        round = ((i % (2 * size)) + 2 * size) % (2 * size);
        return round < size ? round : 2 * size - 1 - round;
    case GFX11_MIRROR_ONCE:
    case GFX11_MIRROR_ONCE_HALF_BORDER:
        i = i < 0 ? -1 - i : i;
        return i < size ? i : size - 1;
    case GFX11_MIRROR_ONCE_BORDER:
        i = i < 0 ? -1 - i : i;
        return i < size ? i : OUTSIDE;
    case GFX11_CLAMP_BORDER:
        return i < 0 || i >= size ? OUTSIDE : i;
    default: /* GFX11_CLAMP_LAST, GFX11_CLAMP_HALF_BORDER */
        return i < 0 ? 0 : i < size ? i : size - 1;
    }
}

/* A position in texels. Normalized coordinates are cut to 21 fraction bits (recorded); what repeats
 * is reduced first, so that far positions keep their fraction. */
static double position_of(float coordinate, const sampler_t *sampler, unsigned mode, double size) {
    double u = (double)coordinate, most = 1 << 24;
    if (isnan(u)) return 0;
    if (!sampler->unnormalized && isfinite(u)) {
        u = floor(u * 0x1p21) * 0x1p-21;
        if (mode == GFX11_WRAP) u -= floor(u);
        if (mode == GFX11_MIRROR) u -= 2 * floor(u / 2);
        u *= size;
    }
    return u < -most ? -most : u > most ? most : u;
}

static axis_t axis_of(double position, unsigned mode, int64_t size, int offset, int linear,
                      int truncate) {
    axis_t axis = {{0, 0}, 0};
    double rounded = floor(position * IMAGE_STEPS + 0.5) / IMAGE_STEPS;
    if (linear) rounded -= 0.5;
    else if (truncate) rounded = position;
    int64_t first = (int64_t)floor(rounded);
    if (linear) axis.weight = (unsigned)((rounded - floor(rounded)) * IMAGE_STEPS);
    axis.texel[0] = wrapped(mode, first + offset, size);
    axis.texel[1] = wrapped(mode, first + 1 + offset, size);
    if (mode == GFX11_CLAMP_LAST && axis.texel[0] == axis.texel[1]) axis.weight = 0; /* recorded */
    return axis;
}

static void border_color(const image_t *image, const sampler_t *sampler, uint32_t out[4]) {
    unsigned border = sampler->border;
    if (border == GFX11_BORDER_TABLE) {
        memcpy(out, sampler->border_color, 4 * sizeof *out);
        return;
    }
    uint32_t one = image_is_integer(image) ? 1 : bits32(1.0f);
    for (unsigned i = 0; i < 4; i++)
        out[i] = border == GFX11_BORDER_WHITE || (border == GFX11_BORDER_BLACK && i == 3) ? one : 0;
}

static void texel_at(const image_t *image, const sampler_t *sampler, unsigned level, int64_t x,
                     int64_t y, int64_t z, uint32_t out[4], sample_fault *fault) {
    if (x == OUTSIDE || y == OUTSIDE || z == OUTSIDE) {
        border_color(image, sampler, out);
        return;
    }
    uint64_t address = emu_texel_address(image, level, x, y, z);
    uint32_t raw[4] = {0, 0, 0, 0};
    if (address && !range_ok(address, image->texel_bytes)) {
        *fault = (sample_fault){address, 1};
        return;
    }
    if (address) emu_texel_read(image->format, (const void *)(uintptr_t)address, raw);
    emu_image_select(image, raw, out);
}

/* ---- cubes: a texel past the edge of a face is one of a neighbour ---- */
/* Axis and sign of sc, tc and the face itself: OpenGL's table, "Cube Map Texture Selection". */
static const struct {
    int8_t axis[3], sign[3];
} faces[6] = {{{2, 1, 0}, {-1, -1, 1}}, {{2, 1, 0}, {1, -1, -1}}, {{0, 2, 1}, {1, 1, 1}},
              {{0, 2, 1}, {1, -1, -1}}, {{0, 1, 2}, {1, -1, 1}},  {{0, 1, 2}, {-1, -1, -1}}};

static void over_the_edge(int64_t *face, int64_t *x, int64_t *y, int64_t size) {
    double given[3] = {(double)(2 * *x + 1) / (double)size - 1,
                       (double)(2 * *y + 1) / (double)size - 1, 1},
           way[3], most = 0;
    int major = 0;
    for (int i = 0; i < 3; i++) way[faces[*face].axis[i]] = given[i] * faces[*face].sign[i];
    for (int i = 0; i < 3; i++)
        if (fabs(way[i]) > most) most = fabs(way[i]), major = i;
    *face = 2 * major + (way[major] < 0);
    double s = way[faces[*face].axis[0]] * faces[*face].sign[0] / most,
           t = way[faces[*face].axis[1]] * faces[*face].sign[1] / most;
    *x = wrapped(GFX11_CLAMP_LAST, (int64_t)floor((s + 1) / 2 * (double)size), size);
    *y = wrapped(GFX11_CLAMP_LAST, (int64_t)floor((t + 1) / 2 * (double)size), size);
}

static int outside(int64_t i, int64_t size) { return i < 0 || i >= size; }

/* ---- filtering ---- */
typedef struct {
    axis_t axis[3];
    int64_t slice, size;
    int cube_wrap;
    unsigned filtered;
} footprint_t;

static footprint_t footprint_of(const image_t *image, const sampler_t *sampler, const lookup_t *at,
                                unsigned level, int linear) {
    const gfx11_level *of = &image->level[level];
    int64_t size[3] = {of->width, of->height, image->slices >> level ? image->slices >> level : 1};
    footprint_t print = {
        .slice = at->slice, .size = of->width, .filtered = image_filtered(at->dim)};
    print.cube_wrap = at->dim == IMAGE_DIM_CUBE && sampler->cube_wrap && linear;
    for (unsigned i = 0; i < print.filtered; i++) {
        unsigned mode = print.cube_wrap ? KEPT : sampler->clamp[i];
        double position = position_of(at->coordinate[i], sampler, mode, (double)size[i]);
        int smooth = linear && (i < 2 || sampler->z_filter != GFX11_Z_POINT);
        print.axis[i] = axis_of(position, mode, size[i], at->offset[i], smooth, sampler->truncate);
    }
    return print;
}

/* Texel of corner `corner` (bit i: the second of axis i); 0: a cube has none there. */
static int corner_texel(const image_t *image, const sampler_t *sampler, const footprint_t *print,
                        unsigned level, unsigned corner, uint32_t out[4], sample_fault *fault) {
    int64_t at[3] = {0, 0, print->slice};
    for (unsigned i = 0; i < print->filtered; i++) at[i] = print->axis[i].texel[corner >> i & 1];
    if (print->cube_wrap) {
        int x_out = outside(at[0], print->size), y_out = outside(at[1], print->size);
        if (x_out && y_out) return 0;
        int64_t face = at[2] % 6, first = at[2] - face;
        if (x_out || y_out) over_the_edge(&face, &at[0], &at[1], print->size);
        at[2] = first + face;
    }
    texel_at(image, sampler, level, at[0], at[1], at[2], out, fault);
    return 1;
}

/* Half of a 256th goes up, or with `down` not. */
static unsigned share(unsigned whole, unsigned weight, int down) {
    return (whole * weight + (unsigned)(IMAGE_WHOLE / 2 - (down != 0))) / IMAGE_WHOLE;
}

/* Weights of the eight corners, 256ths that add up to the level's: first z, then x, then y, each
 * part rounded. As NVIDIA's recorded samples show (tests/vectors/texture); what AMD's
 * texture units do with the bits below is not published. */
static void weights_of(const footprint_t *print, unsigned whole, unsigned weight[8]) {
    unsigned far = share(whole, print->axis[2].weight, 1), z[2] = {whole - far, far};
    for (unsigned k = 0; k < 2; k++) {
        unsigned right = share(z[k], print->axis[0].weight, 0), x[2] = {z[k] - right, right};
        for (unsigned i = 0; i < 2; i++) {
            unsigned below = share(x[i], print->axis[1].weight, i == 0);
            weight[4 * k + i] = x[i] - below;
            weight[4 * k + 2 + i] = below;
        }
    }
}

/* The value of a channel while filtering: 8 and 16 bits that are normalized take part as whole
 * numbers of 16 bits, and so does their result (recorded). */
static double normalized_whole(const gfx11_format *format) {
    return format->kind == GFX11_UNORM ? 65535 : format->kind == GFX11_SNORM ? 32767 : 0;
}

/* Adds a level's share of the sample to the sums. */
static void add_level(const image_t *image, const sampler_t *sampler, const lookup_t *at,
                      unsigned level, unsigned share_of, int linear, double sum[4],
                      sample_fault *fault) {
    footprint_t print = footprint_of(image, sampler, at, level, linear);
    unsigned weight[8], given = 0;
    double whole = normalized_whole(image->format);
    double own[4] = {-0.0, -0.0, -0.0, -0.0}; /* zeros keep their sign (recorded) */
    weights_of(&print, share_of, weight);
    for (unsigned corner = 0; corner < 8; corner++) {
        uint32_t texel[4] = {0, 0, 0, 0};
        if (!weight[corner]) continue;
        if (!corner_texel(image, sampler, &print, level, corner, texel, fault)) continue;
        given += weight[corner];
        for (unsigned i = 0; i < 4; i++) {
            double value = (double)f32_of(texel[i]);
            own[i] += weight[corner] * (whole > 0 ? nearbyint(value * whole) : value);
        }
    }
    /* Where three faces meet there is no fourth texel: the three share its weight. */
    for (unsigned i = 0; given && i < 4; i++)
        sum[i] += given == share_of ? own[i] : own[i] * share_of / given;
}

void emu_sample_levels(const image_t *image, const sampler_t *sampler, const lookup_t *at,
                       const levels_t *levels, uint32_t out[4], sample_fault *fault) {
    int single = !levels->linear && !levels->weight[1];
    if (single || image_is_integer(image)) {
        footprint_t print = footprint_of(image, sampler, at, levels->level[0], 0);
        corner_texel(image, sampler, &print, levels->level[0], 0, out, fault);
        return;
    }
    double whole = normalized_whole(image->format), sum[4] = {-0.0, -0.0, -0.0, -0.0};
    for (unsigned i = 0; i < 2; i++)
        if (levels->weight[i])
            add_level(image, sampler, at, levels->level[i], levels->weight[i], levels->linear, sum,
                      fault);
    for (unsigned i = 0; i < 4; i++) {
        double value = sum[i] / IMAGE_STEPS;
        out[i] = bits32((float)(whole > 0 ? floor(value + 0.5) / whole : value));
    }
}

void emu_gather_level(const image_t *image, const sampler_t *sampler, const lookup_t *at,
                      unsigned level, unsigned channel, uint32_t out[4], sample_fault *fault) {
    static const uint8_t order[4] = {2, 3, 1, 0}; /* bit 0: right, bit 1: below */
    footprint_t print = footprint_of(image, sampler, at, level, 1);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t texel[4] = {0, 0, 0, 0};
        corner_texel(image, sampler, &print, level, order[i], texel, fault);
        out[i] = texel[channel];
    }
}
