/* Copies and fills of linear memory, up to three dimensions; what a capturing stream records
 * instead. */
#ifndef CASS_COPY_H
#define CASS_COPY_H

#include "driver/state.h"

/* A block of rows: all sizes in bytes. height and depth are at least 1. */
typedef struct {
    void *to;
    const void *from;
    size_t to_pitch, to_slice, from_pitch, from_slice; /* slice: bytes between planes */
    size_t width, height, depth;
    int kind; /* HIP_COPY_... */
} cass_copy;

/* A fill of `height` rows of `width` elements. */
typedef struct {
    void *to;
    size_t pitch, width, height;
    unsigned value, element_bytes; /* 1, 2 or 4 */
} cass_fill;

typedef struct {
    hipStream_t stream;
    int wait; /* return only when done */
} cass_order;

/* Checks, then copies or records. 1, 12 (pitch), 21 (direction), or what HIP says. */
int cass_copy_run(cass_device *device, const cass_copy *copy, cass_order order);
int cass_fill_run(cass_device *device, const cass_fill *fill, cass_order order);

/* The same at once, never recorded: what a graph's node does. */
int cass_copy_now(const cass_copy *copy, hipStream_t stream);
int cass_fill_now(const cass_fill *fill, hipStream_t stream);

/* A one-dimensional copy. */
int cass_copy_line(cass_device *device, void *to, const void *from, size_t bytes, int kind,
                   cass_order order);

/* Waiting, with everything CUDA does at such a point (launch.h). */
int cass_wait_stream(cass_device *device, hipStream_t stream);
int cass_wait_device(cass_device *device);

#endif
