/* Copies between pointers and fills: every call is a shape for hip_copy.c. */
#include "emulator/hip_calls.h"
#include "emulator/hip_copy.h"

static hipError_t linear(void *dst, const void *src, size_t bytes, hipMemcpyKind kind,
                         hipStream_t stream, bool async) {
    if (bytes == 0) return hipSuccess;
    if (!dst || !src) return emu_fail(hipErrorInvalidValue, "a null pointer to copy");
    hipMemcpy3DParms params = emu_copy_linear(dst, src, bytes, kind);
    return emu_copy(&params, stream, async);
}

hipError_t emu_hipMemcpy(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind) {
    return linear(dst, src, sizeBytes, kind, NULL, false);
}
hipError_t emu_hipMemcpyWithStream(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind,
                                   hipStream_t stream) {
    return linear(dst, src, sizeBytes, kind, stream, false);
}
hipError_t emu_hipMemcpyAsync(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind,
                              hipStream_t stream) {
    return linear(dst, src, sizeBytes, kind, stream, true);
}
hipError_t emu_hipMemcpyHtoD(void *dst, const void *src, size_t sizeBytes) {
    return linear(dst, src, sizeBytes, hipMemcpyHostToDevice, NULL, false);
}
hipError_t emu_hipMemcpyDtoH(void *dst, void *src, size_t sizeBytes) {
    return linear(dst, src, sizeBytes, hipMemcpyDeviceToHost, NULL, false);
}
hipError_t emu_hipMemcpyDtoD(void *dst, void *src, size_t sizeBytes) {
    return linear(dst, src, sizeBytes, hipMemcpyDeviceToDevice, NULL, false);
}
hipError_t emu_hipMemcpyHtoDAsync(void *dst, const void *src, size_t sizeBytes,
                                  hipStream_t stream) {
    return linear(dst, src, sizeBytes, hipMemcpyHostToDevice, stream, true);
}
hipError_t emu_hipMemcpyDtoHAsync(void *dst, void *src, size_t sizeBytes, hipStream_t stream) {
    return linear(dst, src, sizeBytes, hipMemcpyDeviceToHost, stream, true);
}
hipError_t emu_hipMemcpyDtoDAsync(void *dst, void *src, size_t sizeBytes, hipStream_t stream) {
    return linear(dst, src, sizeBytes, hipMemcpyDeviceToDevice, stream, true);
}
/* All boards share one memory, so the device numbers only have to exist. */
hipError_t emu_hipMemcpyPeer(void *dst, int dstDeviceId, const void *src, int srcDeviceId,
                             size_t sizeBytes) {
    hipError_t error = emu_hipMemcpyPeerAsync(dst, dstDeviceId, src, srcDeviceId, sizeBytes, NULL);
    return error ? error : emu_hipStreamSynchronize(NULL);
}
hipError_t emu_hipMemcpyPeerAsync(void *dst, int dstDeviceId, const void *src, int srcDevice,
                                  size_t sizeBytes, hipStream_t stream) {
    int count = emu_config.device_count;
    if (dstDeviceId < 0 || dstDeviceId >= count || srcDevice < 0 || srcDevice >= count)
        return emu_fail(hipErrorInvalidDevice, "device %d or %d does not exist", dstDeviceId,
                        srcDevice);
    return linear(dst, src, sizeBytes, hipMemcpyDeviceToDevice, stream, true);
}

static hipError_t planar(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                         size_t height, hipMemcpyKind kind, hipStream_t stream, bool async) {
    if (width == 0 || height == 0) return hipSuccess;
    if (!dst || !src) return emu_fail(hipErrorInvalidValue, "a null pointer to copy");
    if (width > dpitch || width > spitch)
        return emu_fail(hipErrorInvalidPitchValue, "a pitch is less than the width");
    hipMemcpy3DParms params = emu_copy_2d(dst, dpitch, src, spitch, width, height, kind);
    return emu_copy(&params, stream, async);
}

hipError_t emu_hipMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                           size_t height, hipMemcpyKind kind) {
    return planar(dst, dpitch, src, spitch, width, height, kind, NULL, false);
}
hipError_t emu_hipMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                                size_t width, size_t height, hipMemcpyKind kind,
                                hipStream_t stream) {
    return planar(dst, dpitch, src, spitch, width, height, kind, stream, true);
}

static hipError_t solid(const hipMemcpy3DParms *p, hipStream_t stream, bool async) {
    if (!p) return emu_fail(hipErrorInvalidValue, "no parameters");
    if ((p->srcArray && p->srcPtr.ptr) || (p->dstArray && p->dstPtr.ptr))
        return emu_fail(hipErrorInvalidValue, "a side names both an array and a pointer");
    return emu_copy(p, stream, async);
}

hipError_t emu_hipMemcpy3D(const hipMemcpy3DParms *p) { return solid(p, NULL, false); }
hipError_t emu_hipMemcpy3DAsync(const hipMemcpy3DParms *p, hipStream_t stream) {
    return solid(p, stream, true);
}

static hipError_t fill(void *dst, size_t pitch, uint32_t value, uint32_t unit, size_t width,
                       size_t height, size_t depth, size_t slice, hipStream_t handle, bool async) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (!dst && width && height && depth)
        return emu_fail(hipErrorInvalidValue, "a null pointer to fill");
    hipMemsetParams params = {dst, unit, height, pitch, value, width};
    hipError_t error;
    emu_set_op *op = emu_set_new(&params, depth, slice, &error);
    if (!op) return error;
    return async ? emu_submit(stream, &op->op) : emu_submit_wait(stream, &op->op);
}

hipError_t emu_hipMemset(void *dst, int value, size_t sizeBytes) {
    return fill(dst, sizeBytes, (uint8_t)value, 1, sizeBytes, 1, 1, 0, NULL, false);
}
hipError_t emu_hipMemsetAsync(void *dst, int value, size_t sizeBytes, hipStream_t stream) {
    return fill(dst, sizeBytes, (uint8_t)value, 1, sizeBytes, 1, 1, 0, stream, true);
}
hipError_t emu_hipMemsetD8(void *dest, unsigned char value, size_t count) {
    return fill(dest, count, value, 1, count, 1, 1, 0, NULL, false);
}
hipError_t emu_hipMemsetD8Async(void *dest, unsigned char value, size_t count, hipStream_t stream) {
    return fill(dest, count, value, 1, count, 1, 1, 0, stream, true);
}
hipError_t emu_hipMemsetD16(void *dest, unsigned short value, size_t count) {
    return fill(dest, count, value, 2, count, 1, 1, 0, NULL, false);
}
hipError_t emu_hipMemsetD16Async(void *dest, unsigned short value, size_t count,
                                 hipStream_t stream) {
    return fill(dest, count, value, 2, count, 1, 1, 0, stream, true);
}
hipError_t emu_hipMemsetD32(void *dest, int value, size_t count) {
    return fill(dest, count, (uint32_t)value, 4, count, 1, 1, 0, NULL, false);
}
hipError_t emu_hipMemsetD32Async(void *dst, int value, size_t count, hipStream_t stream) {
    return fill(dst, count, (uint32_t)value, 4, count, 1, 1, 0, stream, true);
}
hipError_t emu_hipMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height) {
    return fill(dst, pitch, (uint8_t)value, 1, width, height, 1, 0, NULL, false);
}
hipError_t emu_hipMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height,
                                hipStream_t stream) {
    return fill(dst, pitch, (uint8_t)value, 1, width, height, 1, 0, stream, true);
}
hipError_t emu_hipMemsetD2D8(void *dst, size_t dstPitch, unsigned char value, size_t width,
                             size_t height) {
    return fill(dst, dstPitch, value, 1, width, height, 1, 0, NULL, false);
}
hipError_t emu_hipMemsetD2D8Async(void *dst, size_t dstPitch, unsigned char value, size_t width,
                                  size_t height, hipStream_t stream) {
    return fill(dst, dstPitch, value, 1, width, height, 1, 0, stream, true);
}
hipError_t emu_hipMemsetD2D16(void *dst, size_t dstPitch, unsigned short value, size_t width,
                              size_t height) {
    return fill(dst, dstPitch, value, 2, width, height, 1, 0, NULL, false);
}
hipError_t emu_hipMemsetD2D16Async(void *dst, size_t dstPitch, unsigned short value, size_t width,
                                   size_t height, hipStream_t stream) {
    return fill(dst, dstPitch, value, 2, width, height, 1, 0, stream, true);
}
hipError_t emu_hipMemsetD2D32(void *dst, size_t dstPitch, unsigned int value, size_t width,
                              size_t height) {
    return fill(dst, dstPitch, value, 4, width, height, 1, 0, NULL, false);
}
hipError_t emu_hipMemsetD2D32Async(void *dst, size_t dstPitch, unsigned int value, size_t width,
                                   size_t height, hipStream_t stream) {
    return fill(dst, dstPitch, value, 4, width, height, 1, 0, stream, true);
}
hipError_t emu_hipMemset3D(hipPitchedPtr p, int value, hipExtent extent) {
    size_t slice = p.pitch * (p.ysize ? p.ysize : extent.height);
    return fill(p.ptr, p.pitch, (uint8_t)value, 1, extent.width, extent.height, extent.depth, slice,
                NULL, false);
}
hipError_t emu_hipMemset3DAsync(hipPitchedPtr p, int value, hipExtent extent, hipStream_t stream) {
    size_t slice = p.pitch * (p.ysize ? p.ysize : extent.height);
    return fill(p.ptr, p.pitch, (uint8_t)value, 1, extent.width, extent.height, extent.depth, slice,
                stream, true);
}
