/* Arrays and mipmapped arrays: linear memory as gfx11's images lie (hip/image_descriptor.h), with a
 * format; translated kernels sample it. */
#ifndef CASS_ARRAY_H
#define CASS_ARRAY_H

#include "driver/copy.h"

enum { CASS_MAX_LEVELS = 16 };
enum { CASS_CHANNEL_SIGNED = 0, CASS_CHANNEL_UNSIGNED = 1, CASS_CHANNEL_FLOAT = 2 };

typedef struct {
    int kind;          /* CASS_CHANNEL_... */
    int channels;      /* 1, 2 or 4 */
    int channel_bytes; /* 1, 2 or 4 */
} cass_format_of;

typedef struct {
    uint32_t magic;
    int device, owned;
    cass_format_of format;
    size_t width, height, depth;        /* elements; height and depth 0 as the program gave them */
    unsigned flags;                     /* CUDA_ARRAY3D_... = cudaArray... */
    size_t element_bytes, pitch, slice; /* slice: bytes between planes */
    char *memory;
    char *chain;     /* where the first slice's levels begin: what a descriptor names */
    size_t whole[3]; /* width, height, depth of level 0 */
    unsigned level, levels;
} cass_array;

typedef struct {
    uint32_t magic;
    unsigned levels;
    cass_array level[CASS_MAX_LEVELS];
} cass_mipmap;

/* 1 for a shape or format CUDA does not have. Memory is not cleared. */
int cass_array_create(cass_device *device, cass_format_of format, size_t width, size_t height,
                      size_t depth, unsigned flags, cass_array **out);
int cass_array_destroy(cass_array *array);
int cass_mipmap_create(cass_device *device, cass_format_of format, size_t width, size_t height,
                       size_t depth, unsigned levels, unsigned flags, cass_mipmap **out);
/* The same over memory that is there, which the mipmapped array owns from then on; and how many
 * bytes it takes, 0 for a shape or format CUDA does not have. */
size_t cass_mipmap_bytes(cass_format_of format, size_t width, size_t height, size_t depth,
                         unsigned levels, unsigned flags);
int cass_mipmap_over(cass_device *device, cass_format_of format, size_t width, size_t height,
                     size_t depth, unsigned levels, unsigned flags, void *memory,
                     cass_mipmap **out);
int cass_mipmap_destroy(cass_mipmap *mipmap);

/* Whether it was made without memory of its own (cudaArrayDeferredMapping): the manual has memory
 * requirements of such arrays only. */
static inline int cass_array_deferred(const cass_array *array) {
    return (array->flags & 0x80) != 0;
}

/* The object of a handle given by the program, or NULL. */
cass_array *cass_array_of(const void *handle);
cass_mipmap *cass_mipmap_of(const void *handle);

enum { CASS_PLACE_HOST, CASS_PLACE_DEVICE, CASS_PLACE_UNIFIED };

/* One end of a block copy. x in bytes; pitch and rows describe linear memory, and are ignored for
 * an array. */
typedef struct {
    int kind; /* CASS_PLACE_..., ignored for an array */
    void *pointer;
    size_t pitch, rows;
    cass_array *array;
    size_t x, y, z;
} cass_place;

/* Whether the pitch of each end that is memory has room for a row, or is none. */
int cass_pitches_ok(const cass_place *to, const cass_place *from, size_t width);

/* A block copy between two places; width in bytes. 1 where it leaves an array, 12 for a pitch below
 * the width. */
int cass_copy_between(const cass_place *to, const cass_place *from, size_t width, size_t height,
                      size_t depth, cass_copy *out);

#endif
