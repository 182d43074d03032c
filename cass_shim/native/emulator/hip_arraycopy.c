/* Copies to, from and between arrays, and the driver's copy descriptions: all become
 * hipMemcpy3DParms. */
#include "emulator/hip_calls.h"
#include "emulator/hip_copy.h"

/* A byte position in an array's row as elements; the calls below count bytes, arrays count
 * elements. */
static hipError_t elements(emu_array *array, size_t bytes, size_t *count) {
    if (!array) return hipErrorInvalidHandle;
    if (bytes % array->element_bytes)
        return emu_fail(hipErrorInvalidValue, "%zu bytes are no whole elements of %u bytes", bytes,
                        array->element_bytes);
    *count = bytes / array->element_bytes;
    return hipSuccess;
}

/* One side of a planar copy: an array with offsets in bytes and rows, or a pointer with a pitch. */
typedef struct {
    hipArray_t array;
    size_t x, y;
    void *pointer;
    size_t pitch;
} side;

static hipError_t planar(side to, side from, size_t width, size_t height, hipMemcpyKind kind,
                         hipStream_t stream, bool async) {
    hipMemcpy3DParms params = {.extent = {width, height, 1}, .kind = kind};
    emu_array *target = to.array ? emu_array_of(to.array) : NULL,
              *source = from.array ? emu_array_of(from.array) : NULL;
    if ((to.array && !target) || (from.array && !source)) return hipErrorInvalidHandle;
    hipError_t error = hipSuccess;
    if (target) error = elements(target, to.x, &params.dstPos.x);
    if (source && !error) error = elements(source, from.x, &params.srcPos.x);
    if ((target || source) && !error)
        error = elements(source ? source : target, width, &params.extent.width);
    if (error) return error;
    params.dstPos.y = to.y;
    params.srcPos.y = from.y;
    params.dstArray = to.array;
    params.srcArray = from.array;
    if (!target) params.dstPtr = (hipPitchedPtr){to.pointer, to.pitch, width, height};
    if (!source) params.srcPtr = (hipPitchedPtr){from.pointer, from.pitch, width, height};
    return width && height ? emu_copy(&params, stream, async) : hipSuccess;
}

static side pointer(const void *at, size_t pitch) {
    return (side){.pointer = (void *)(uintptr_t)at, .pitch = pitch};
}
static side part(hipArray_const_t array, size_t x, size_t y) {
    return (side){.array = (hipArray_t)(uintptr_t)array, .x = x, .y = y};
}

hipError_t emu_hipMemcpy2DToArray(hipArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                  size_t spitch, size_t width, size_t height, hipMemcpyKind kind) {
    if (!dst) return emu_fail(hipErrorInvalidHandle, "no array");
    return planar(part(dst, wOffset, hOffset), pointer(src, spitch), width, height, kind, NULL,
                  false);
}
hipError_t emu_hipMemcpy2DToArrayAsync(hipArray_t dst, size_t wOffset, size_t hOffset,
                                       const void *src, size_t spitch, size_t width, size_t height,
                                       hipMemcpyKind kind, hipStream_t stream) {
    if (!dst) return emu_fail(hipErrorInvalidHandle, "no array");
    return planar(part(dst, wOffset, hOffset), pointer(src, spitch), width, height, kind, stream,
                  true);
}
hipError_t emu_hipMemcpy2DFromArray(void *dst, size_t dpitch, hipArray_const_t src, size_t wOffset,
                                    size_t hOffset, size_t width, size_t height,
                                    hipMemcpyKind kind) {
    if (!src) return emu_fail(hipErrorInvalidHandle, "no array");
    return planar(pointer(dst, dpitch), part(src, wOffset, hOffset), width, height, kind, NULL,
                  false);
}
hipError_t emu_hipMemcpy2DFromArrayAsync(void *dst, size_t dpitch, hipArray_const_t src,
                                         size_t wOffset, size_t hOffset, size_t width,
                                         size_t height, hipMemcpyKind kind, hipStream_t stream) {
    if (!src) return emu_fail(hipErrorInvalidHandle, "no array");
    return planar(pointer(dst, dpitch), part(src, wOffset, hOffset), width, height, kind, stream,
                  true);
}
hipError_t emu_hipMemcpy2DArrayToArray(hipArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                       hipArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                       size_t width, size_t height, hipMemcpyKind kind) {
    if (!dst || !src) return emu_fail(hipErrorInvalidHandle, "no array");
    return planar(part(dst, wOffsetDst, hOffsetDst), part(src, wOffsetSrc, hOffsetSrc), width,
                  height, kind, NULL, false);
}

/* A run of bytes that may go on over the ends of rows: its first row, whole rows, last row. */
static hipError_t run(emu_array *array, bool into, size_t x, size_t y, void *memory, size_t count,
                      hipMemcpyKind kind, hipStream_t stream, bool async) {
    uint8_t *at = memory;
    if (!array) return hipErrorInvalidHandle;
    size_t row = array->width * array->element_bytes;
    if (x >= row) return emu_fail(hipErrorInvalidValue, "the copy leaves the array");
    while (count) {
        size_t bytes = row - x < count ? row - x : count,
               rows = x == 0 && count >= row ? count / row : 1;
        if (x == 0 && count >= row) bytes = row;
        side line = part((hipArray_t)(void *)array, x, y), flat = pointer(at, bytes);
        hipError_t error = into ? planar(line, flat, bytes, rows, kind, stream, async)
                                : planar(flat, line, bytes, rows, kind, stream, async);
        if (error) return error;
        at += bytes * rows;
        count -= bytes * rows;
        y += rows;
        x = 0;
    }
    return hipSuccess;
}

static void *plain(const void *memory) { return (void *)(uintptr_t)memory; }

hipError_t emu_hipMemcpyToArray(hipArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                size_t count, hipMemcpyKind kind) {
    return run(emu_array_of(dst), true, wOffset, hOffset, plain(src), count, kind, NULL, false);
}
hipError_t emu_hipMemcpyFromArray(void *dst, hipArray_const_t srcArray, size_t wOffset,
                                  size_t hOffset, size_t count, hipMemcpyKind kind) {
    return run(emu_array_of(srcArray), false, wOffset, hOffset, dst, count, kind, NULL, false);
}
hipError_t emu_hipMemcpyAtoH(void *dst, hipArray_t srcArray, size_t srcOffset, size_t count) {
    return run(emu_array_of(srcArray), false, srcOffset, 0, dst, count, hipMemcpyDeviceToHost, NULL,
               false);
}
hipError_t emu_hipMemcpyHtoA(hipArray_t dstArray, size_t dstOffset, const void *srcHost,
                             size_t count) {
    return run(emu_array_of(dstArray), true, dstOffset, 0, plain(srcHost), count,
               hipMemcpyHostToDevice, NULL, false);
}
hipError_t emu_hipMemcpyAtoHAsync(void *dstHost, hipArray_t srcArray, size_t srcOffset,
                                  size_t ByteCount, hipStream_t stream) {
    return run(emu_array_of(srcArray), false, srcOffset, 0, dstHost, ByteCount,
               hipMemcpyDeviceToHost, stream, true);
}
hipError_t emu_hipMemcpyHtoAAsync(hipArray_t dstArray, size_t dstOffset, const void *srcHost,
                                  size_t ByteCount, hipStream_t stream) {
    return run(emu_array_of(dstArray), true, dstOffset, 0, plain(srcHost), ByteCount,
               hipMemcpyHostToDevice, stream, true);
}
hipError_t emu_hipMemcpyAtoD(void *dstDevice, hipArray_t srcArray, size_t srcOffset,
                             size_t ByteCount) {
    return run(emu_array_of(srcArray), false, srcOffset, 0, dstDevice, ByteCount,
               hipMemcpyDeviceToDevice, NULL, false);
}
hipError_t emu_hipMemcpyDtoA(hipArray_t dstArray, size_t dstOffset, void *srcDevice,
                             size_t ByteCount) {
    return run(emu_array_of(dstArray), true, dstOffset, 0, srcDevice, ByteCount,
               hipMemcpyDeviceToDevice, NULL, false);
}
hipError_t emu_hipMemcpyAtoA(hipArray_t dstArray, size_t dstOffset, hipArray_t srcArray,
                             size_t srcOffset, size_t ByteCount) {
    if (!dstArray || !srcArray) return emu_fail(hipErrorInvalidHandle, "no array");
    return planar(part(dstArray, dstOffset, 0), part(srcArray, srcOffset, 0), ByteCount, 1,
                  hipMemcpyDeviceToDevice, NULL, false);
}

static side driver_side(hipMemoryType type, const void *host, void *device, hipArray_t array,
                        size_t x, size_t y, size_t pitch) {
    if (type == hipMemoryTypeArray) return part(array, x, y);
    const uint8_t *base = type == hipMemoryTypeHost ? host : device;
    return pointer(base ? base + y * pitch + x : NULL, pitch);
}

static hipError_t driver_planar(const hip_Memcpy2D *p, hipStream_t stream, bool async) {
    if (!p) return emu_fail(hipErrorInvalidValue, "no parameters");
    side to = driver_side(p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstXInBytes,
                          p->dstY, p->dstPitch);
    side from = driver_side(p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, p->srcXInBytes,
                            p->srcY, p->srcPitch);
    if ((!to.array && !to.pointer) || (!from.array && !from.pointer))
        return emu_fail(hipErrorInvalidValue, "a side has no memory");
    return planar(to, from, p->WidthInBytes, p->Height, hipMemcpyDefault, stream, async);
}

hipError_t emu_hipMemcpyParam2D(const hip_Memcpy2D *pCopy) {
    return driver_planar(pCopy, NULL, false);
}
hipError_t emu_hipMemcpyParam2DAsync(const hip_Memcpy2D *pCopy, hipStream_t stream) {
    return driver_planar(pCopy, stream, true);
}
hipError_t emu_hipDrvMemcpy2DUnaligned(const hip_Memcpy2D *pCopy) {
    return driver_planar(pCopy, NULL, false);
}

hipError_t emu_driver_copy(const HIP_MEMCPY3D *p, hipMemcpy3DParms *params) {
    if (!p) return emu_fail(hipErrorInvalidValue, "no parameters");
    *params = (hipMemcpy3DParms){.extent = {p->WidthInBytes, p->Height, p->Depth},
                                 .kind = hipMemcpyDefault};
    emu_array *target = NULL, *source = NULL;
    if (p->dstMemoryType == hipMemoryTypeArray && !(target = emu_array_of(p->dstArray)))
        return hipErrorInvalidHandle;
    if (p->srcMemoryType == hipMemoryTypeArray && !(source = emu_array_of(p->srcArray)))
        return hipErrorInvalidHandle;
    params->srcPos = (hipPos){p->srcXInBytes, p->srcY, p->srcZ};
    params->dstPos = (hipPos){p->dstXInBytes, p->dstY, p->dstZ};
    params->srcArray = source ? p->srcArray : NULL;
    params->dstArray = target ? p->dstArray : NULL;
    void *from =
        p->srcMemoryType == hipMemoryTypeHost ? (void *)(uintptr_t)p->srcHost : p->srcDevice;
    void *to = p->dstMemoryType == hipMemoryTypeHost ? p->dstHost : p->dstDevice;
    if (!source) params->srcPtr = (hipPitchedPtr){from, p->srcPitch, p->WidthInBytes, p->srcHeight};
    if (!target) params->dstPtr = (hipPitchedPtr){to, p->dstPitch, p->WidthInBytes, p->dstHeight};
    hipError_t error = target ? elements(target, p->dstXInBytes, &params->dstPos.x) : hipSuccess;
    if (source && !error) error = elements(source, p->srcXInBytes, &params->srcPos.x);
    if ((source || target) && !error)
        error = elements(source ? source : target, p->WidthInBytes, &params->extent.width);
    return error;
}

hipError_t emu_hipDrvMemcpy3D(const HIP_MEMCPY3D *pCopy) {
    hipMemcpy3DParms params;
    hipError_t error = emu_driver_copy(pCopy, &params);
    return error ? error : emu_copy(&params, NULL, false);
}

hipError_t emu_hipDrvMemcpy3DAsync(const HIP_MEMCPY3D *pCopy, hipStream_t stream) {
    hipMemcpy3DParms params;
    hipError_t error = emu_driver_copy(pCopy, &params);
    return error ? error : emu_copy(&params, stream, true);
}

/* Batches: the copies in order; the first that is refused is told. */
hipError_t emu_hipMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count,
                                   hipMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                                   size_t *failIdx, hipStream_t stream) {
    (void)attrs, (void)attrsIdxs,
        (void)numAttrs; /* hints about access order, which is strict here */
    if (!dsts || !srcs || !sizes) return emu_fail(hipErrorInvalidValue, "no copies");
    for (size_t i = 0; i < count; i++) {
        hipError_t error = emu_hipMemcpyAsync(dsts[i], srcs[i], sizes[i], hipMemcpyDefault, stream);
        if (!error) continue;
        if (failIdx) *failIdx = i;
        return error;
    }
    return hipSuccess;
}
