/* Arrays and the copies that take part in them; three-dimensional and batched copies. */
#include "driver/array.h"

#include "driver/memory.h"
#include "runtime/format.h"
#include "runtime/place.h"

enum { GATHER = 8, ARRAY_ALIGN = 512 };

static cass_order waiting(void) { return (cass_order){cass_default_stream(), 1}; }
static cass_order queued(cudaStream_t stream) { return (cass_order){cass_stream(stream), 0}; }

int cass_format_read(const struct cudaChannelFormatDesc *desc, cass_format_of *format) {
    if (!desc) return INVALID_VALUE;
    int bits[4] = {desc->x, desc->y, desc->z, desc->w}, channels = 0;
    while (channels < 4 && bits[channels]) channels++;
    if (channels == 3 || (bits[0] == 8 && desc->f == cudaChannelFormatKindFloat)) return 20;
    for (int i = 0; i < 4; i++)
        if (bits[i] != (i < channels ? bits[0] : 0)) return 20; /* invalid channel descriptor */
    if ((unsigned)desc->f > cudaChannelFormatKindFloat || bits[0] % 8) return 20;
    *format = (cass_format_of){(int)desc->f, channels, bits[0] / 8};
    return channels ? OK : 20;
}

void cass_format_write(cass_format_of format, struct cudaChannelFormatDesc *desc) {
    int bits = format.channel_bytes * 8, n = format.channels;
    *desc =
        (struct cudaChannelFormatDesc){bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0,
                                       (enum cudaChannelFormatKind)format.kind};
}

struct cudaChannelFormatDesc cass_cudaCreateChannelDesc(int x, int y, int z, int w,
                                                        enum cudaChannelFormatKind f) {
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

cudaError_t cass_cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                                   struct cudaExtent extent, unsigned int flags) {
    ENTER(device);
    cass_format_of format;
    TRY(device, cass_format_read(desc, &format));
    return DONE(device, cass_array_create(device, format, extent.width, extent.height, extent.depth,
                                          flags, (cass_array **)(void *)array));
}

cudaError_t cass_cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                                 size_t width, size_t height, unsigned int flags) {
    return cass_cudaMalloc3DArray(array, desc, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cass_cudaFreeArray(cudaArray_t array) {
    ENTER(device);
    cass_array *known = cass_array_of(array);
    if (!array) return cudaSuccess;
    return known ? DONE(device, cass_array_destroy(known)) : cudaErrorInvalidResourceHandle;
}

cudaError_t cass_cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                                  unsigned int *flags, cudaArray_t array) {
    ENTER(device);
    (void)device;
    cass_array *known = cass_array_of(array);
    if (!known) return cudaErrorInvalidResourceHandle;
    if (desc) cass_format_write(known->format, desc);
    if (extent) *extent = (struct cudaExtent){known->width, known->height, known->depth};
    if (flags) *flags = known->flags;
    return cudaSuccess;
}

cudaError_t cass_cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array) {
    if (!desc) return cudaErrorInvalidValue;
    return cass_cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)(uintptr_t)array);
}

cudaError_t
cass_cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements,
                                    cudaArray_t array, int device) {
    cass_array *known = cass_array_of(array);
    if (!known) return array ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
    if (!memoryRequirements || device < 0 || device >= cass_device_count ||
        !cass_array_deferred(known))
        return cudaErrorInvalidValue;
    *memoryRequirements = (struct cudaArrayMemoryRequirements){
        known->slice * (known->depth ? known->depth : 1), ARRAY_ALIGN, {0}};
    return cudaSuccess;
}

/* Planes and tiles belong to formats and flags that no array here can have. */
cudaError_t cass_cudaArrayGetPlane(cudaArray_t *pPlaneArray, cudaArray_t hArray,
                                   unsigned int planeIdx) {
    (void)pPlaneArray, (void)planeIdx;
    return cass_array_of(hArray) ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
}

cudaError_t cass_cudaArrayGetSparseProperties(struct cudaArraySparseProperties *sparseProperties,
                                              cudaArray_t array) {
    (void)sparseProperties;
    return cass_array_of(array) || !array ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
}

cudaError_t cass_cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
                                          const struct cudaChannelFormatDesc *desc,
                                          struct cudaExtent extent, unsigned int numLevels,
                                          unsigned int flags) {
    ENTER(device);
    cass_format_of format;
    TRY(device, cass_format_read(desc, &format));
    return DONE(device,
                cass_mipmap_create(device, format, extent.width, extent.height, extent.depth,
                                   numLevels, flags, (cass_mipmap **)(void *)mipmappedArray));
}

cudaError_t cass_cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray) {
    ENTER(device);
    cass_mipmap *known = cass_mipmap_of(mipmappedArray);
    if (!mipmappedArray) return cudaSuccess;
    return known ? DONE(device, cass_mipmap_destroy(known)) : cudaErrorInvalidResourceHandle;
}

cudaError_t cass_cudaGetMipmappedArrayLevel(cudaArray_t *levelArray,
                                            cudaMipmappedArray_const_t mipmappedArray,
                                            unsigned int level) {
    ENTER(device);
    (void)device;
    cass_mipmap *known = cass_mipmap_of(mipmappedArray);
    if (!known) return cudaErrorInvalidResourceHandle;
    if (!levelArray || level >= known->levels) return cudaErrorInvalidValue;
    *levelArray = (cudaArray_t)(void *)&known->level[level];
    return cudaSuccess;
}

static cudaError_t volume(const struct cudaMemcpy3DParms *parameters, cass_order order) {
    ENTER(device);
    cass_block block;
    cass_copy copy;
    if (parameters &&
        (!parameters->extent.width || !parameters->extent.height || !parameters->extent.depth))
        return cudaSuccess;
    TRY(device, cass_block_read(parameters, &block));
    if (!cass_pitches_ok(&block.to, &block.from, block.width)) return cudaErrorInvalidValue;
    TRY(device,
        cass_copy_between(&block.to, &block.from, block.width, block.height, block.depth, &copy));
    return (cudaError_t)cass_copy_run(device, &copy, order);
}

cudaError_t cass_cudaMemcpy3D(const struct cudaMemcpy3DParms *p) { return volume(p, waiting()); }

cudaError_t cass_cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    return volume(p, queued(stream));
}

static cudaError_t volume_peer(const struct cudaMemcpy3DPeerParms *p, cass_order order) {
    if (!p) return cudaErrorInvalidValue;
    ENTER(device);
    (void)device;
    if ((unsigned)p->srcDevice >= (unsigned)cass_device_count ||
        (unsigned)p->dstDevice >= (unsigned)cass_device_count)
        return cudaErrorInvalidDevice;
    struct cudaMemcpy3DParms plain = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                      p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDefault};
    return volume(&plain, order);
}

cudaError_t cass_cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) {
    return volume_peer(p, waiting());
}

cudaError_t cass_cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
    return volume_peer(p, queued(stream));
}

/* One end of the older array calls: x in bytes. */
static cass_place in_array(cudaArray_const_t array, size_t x, size_t y) {
    return (cass_place){.array = cass_array_of(array), .x = x, .y = y};
}

static cass_place in_memory(const void *pointer, size_t pitch, enum cudaMemcpyKind kind,
                            int source) {
    int host = source ? kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost
                      : kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost;
    return (cass_place){.kind = kind == cudaMemcpyDefault ? CASS_PLACE_UNIFIED
                                : host                    ? CASS_PLACE_HOST
                                                          : CASS_PLACE_DEVICE,
                        .pointer = (void *)(uintptr_t)pointer,
                        .pitch = pitch};
}

static cudaError_t plane(cass_place to, cass_place from, int arrays, size_t width, size_t height,
                         enum cudaMemcpyKind kind, cass_order order) {
    ENTER(device);
    cass_copy copy;
    if (cass_hip_kind(kind) < 0) return cudaErrorInvalidMemcpyDirection;
    if (!width || !height) return cudaSuccess;
    if ((to.array != NULL) + (from.array != NULL) != arrays) return cudaErrorInvalidResourceHandle;
    if ((!to.array && !to.pointer) || (!from.array && !from.pointer)) return cudaErrorInvalidValue;
    if ((!to.array && to.pitch < width) || (!from.array && from.pitch < width))
        return cudaErrorInvalidPitchValue;
    TRY(device, cass_copy_between(&to, &from, width, height, 1, &copy));
    return (cudaError_t)cass_copy_run(device, &copy, order);
}

cudaError_t cass_cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                     const void *src, size_t spitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind) {
    return plane(in_array(dst, wOffset, hOffset), in_memory(src, spitch, kind, 1), 1, width, height,
                 kind, waiting());
}

cudaError_t cass_cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                          const void *src, size_t spitch, size_t width,
                                          size_t height, enum cudaMemcpyKind kind,
                                          cudaStream_t stream) {
    return plane(in_array(dst, wOffset, hOffset), in_memory(src, spitch, kind, 1), 1, width, height,
                 kind, queued(stream));
}

cudaError_t cass_cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src,
                                       size_t wOffset, size_t hOffset, size_t width, size_t height,
                                       enum cudaMemcpyKind kind) {
    return plane(in_memory(dst, dpitch, kind, 0), in_array(src, wOffset, hOffset), 1, width, height,
                 kind, waiting());
}

cudaError_t cass_cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src,
                                            size_t wOffset, size_t hOffset, size_t width,
                                            size_t height, enum cudaMemcpyKind kind,
                                            cudaStream_t stream) {
    return plane(in_memory(dst, dpitch, kind, 0), in_array(src, wOffset, hOffset), 1, width, height,
                 kind, queued(stream));
}

cudaError_t cass_cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                          cudaArray_const_t src, size_t wOffsetSrc,
                                          size_t hOffsetSrc, size_t width, size_t height,
                                          enum cudaMemcpyKind kind) {
    return plane(in_array(dst, wOffsetDst, hOffsetDst), in_array(src, wOffsetSrc, hOffsetSrc), 2,
                 width, height, kind, waiting());
}

/* The one-dimensional array calls run on over the ends of rows. */
static cudaError_t run(cudaArray_const_t array, size_t x, size_t y, char *memory, size_t count,
                       int to_array, enum cudaMemcpyKind kind, cass_order order) {
    cass_array *known = cass_array_of(array);
    if (!count) return cudaSuccess;
    if (!known) return cudaErrorInvalidResourceHandle;
    if (cass_hip_kind(kind) < 0) kind = cudaMemcpyDefault; /* not looked at (recorded) */
    size_t row = known->width * known->element_bytes;
    while (count) {
        size_t part = row - x < count ? row - x : count;
        cudaError_t result = to_array
                                 ? plane(in_array(array, x, y), in_memory(memory, part, kind, 1), 1,
                                         part, 1, kind, order)
                                 : plane(in_memory(memory, part, kind, 0), in_array(array, x, y), 1,
                                         part, 1, kind, order);
        if (result || x >= row) return result ? result : cudaErrorInvalidValue;
        memory += part, count -= part, x = 0, y++;
    }
    return cudaSuccess;
}

cudaError_t cass_cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                   size_t count, enum cudaMemcpyKind kind) {
    return run(dst, wOffset, hOffset, (char *)(uintptr_t)src, count, 1, kind, waiting());
}

cudaError_t cass_cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                        const void *src, size_t count, enum cudaMemcpyKind kind,
                                        cudaStream_t stream) {
    return run(dst, wOffset, hOffset, (char *)(uintptr_t)src, count, 1, kind, queued(stream));
}

cudaError_t cass_cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset,
                                     size_t hOffset, size_t count, enum cudaMemcpyKind kind) {
    return run(src, wOffset, hOffset, dst, count, 0, kind, waiting());
}

cudaError_t cass_cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset,
                                          size_t hOffset, size_t count, enum cudaMemcpyKind kind,
                                          cudaStream_t stream) {
    return run(src, wOffset, hOffset, dst, count, 0, kind, queued(stream));
}

cudaError_t cass_cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                        cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                        size_t count, enum cudaMemcpyKind kind) {
    const cass_array *to = cass_array_of(dst), *from = cass_array_of(src);
    if (!to || !from) return cudaErrorInvalidResourceHandle;
    size_t to_row = to->width * to->element_bytes, from_row = from->width * from->element_bytes;
    while (count) {
        if (wOffsetDst >= to_row || wOffsetSrc >= from_row) return cudaErrorInvalidValue;
        size_t part = to_row - wOffsetDst;
        if (from_row - wOffsetSrc < part) part = from_row - wOffsetSrc;
        if (count < part) part = count;
        cudaError_t result = cass_cudaMemcpy2DArrayToArray(dst, wOffsetDst, hOffsetDst, src,
                                                           wOffsetSrc, hOffsetSrc, part, 1, kind);
        if (result) return result;
        count -= part, wOffsetDst += part, wOffsetSrc += part;
        if (wOffsetDst == to_row) wOffsetDst = 0, hOffsetDst++;
        if (wOffsetSrc == from_row) wOffsetSrc = 0, hOffsetSrc++;
    }
    return cudaSuccess;
}
