/* Copies and fills as operations: every shape becomes rows of bytes between two regions. */
#ifndef CASS_EMU_HIP_COPY_H
#define CASS_EMU_HIP_COPY_H

#include "emulator/hip_queue.h"

/* An array: memory as gfx11 lays out linear images (hip/image_descriptor.h), reached by copies,
 * textures and surfaces. depth 0 and height 0 as given. */
typedef struct emu_array {
    uint8_t *base;
    uint64_t pitch, slice; /* bytes from row to row and from layer to layer */
    uint64_t width, height, depth;
    hipArray_Format format;
    unsigned channels, flags;
    uint32_t element_bytes;
    hipChannelFormatDesc desc;
    emu_device *device;
    bool borrowed;     /* a level of a mipmapped array, whose memory it uses */
    uint8_t *chain;    /* where the first slice's levels begin */
    uint64_t whole[3]; /* width, height, depth of level 0, at least 1 */
    unsigned level, levels;
} emu_array;
emu_array *emu_array_of(hipArray_const_t handle);
/* The first level of a mipmapped array, or NULL. hip_array.c */
emu_array *emu_mipmap_first(hipMipmappedArray_const_t handle);
hipChannelFormatDesc emu_array_desc(hipArray_Format format, unsigned channels);
/* Element format of a channel description: false for one that arrays do not have. */
bool emu_array_format(const hipChannelFormatDesc *desc, hipArray_Format *format,
                      unsigned *channels);
/* A driver copy description as the runtime's. hip_arraycopy.c */
hipError_t emu_driver_copy(const HIP_MEMCPY3D *p, hipMemcpy3DParms *params);

/* Rows at `address`, `pitch` bytes apart, in slices `slice` bytes apart. */
typedef struct {
    uint8_t *address;
    uint64_t pitch, slice;
} emu_region;

typedef struct {
    uint64_t width, height, depth; /* bytes, rows, slices */
} emu_extent;

typedef struct {
    emu_op op;
    emu_region target, source;
    emu_extent extent;
    void *staged;       /* a snapshot of pageable source memory, owned */
    hipError_t *result; /* where a synchronous copy wants its error */
    hipMemcpy3DParms params;
} emu_copy_op;

/* The resolved form of any copy. */
hipError_t emu_copy_resolve(const hipMemcpy3DParms *params, emu_region *target, emu_region *source,
                            emu_extent *extent);
/* A checked copy; NULL with `error` set. hipSuccess and NULL: nothing to copy. */
emu_copy_op *emu_copy_new(const hipMemcpy3DParms *params, hipError_t *error);
/* Checks and does a copy: before it returns, or in stream order. */
hipError_t emu_copy(const hipMemcpy3DParms *params, hipStream_t stream, bool async);
hipMemcpy3DParms emu_copy_linear(void *target, const void *source, size_t bytes,
                                 hipMemcpyKind kind);
hipMemcpy3DParms emu_copy_2d(void *target, size_t target_pitch, const void *source,
                             size_t source_pitch, size_t width, size_t height, hipMemcpyKind kind);

/* width in elements. */
typedef struct {
    emu_op op;
    emu_region target;
    emu_extent extent; /* width in bytes */
    uint32_t value, element_bytes;
    hipMemsetParams params;
} emu_set_op;
emu_set_op *emu_set_new(const hipMemsetParams *params, uint64_t depth, uint64_t slice,
                        hipError_t *error);

#endif
