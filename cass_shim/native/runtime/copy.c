/* Copies and fills of linear memory and of symbols. */
#include "driver/copy.h"
#include "runtime/runtime.h"

int cass_hip_kind(enum cudaMemcpyKind kind) {
    switch (kind) {
    case cudaMemcpyHostToHost:
        return HIP_COPY_HOST_TO_HOST;
    case cudaMemcpyHostToDevice:
        return HIP_COPY_HOST_TO_DEVICE;
    case cudaMemcpyDeviceToHost:
        return HIP_COPY_DEVICE_TO_HOST;
    case cudaMemcpyDeviceToDevice:
        return HIP_COPY_DEVICE_TO_DEVICE;
    case cudaMemcpyDefault:
        return HIP_COPY_DEFAULT;
    default:
        return -1;
    }
}

static cass_order waiting(void) { return (cass_order){cass_default_stream(), 1}; }
static cass_order queued(cudaStream_t stream) { return (cass_order){cass_stream(stream), 0}; }

static cudaError_t line(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                        cass_order order) {
    ENTER(device);
    return (cudaError_t)cass_copy_line(device, to, from, bytes, cass_hip_kind(kind), order);
}

cudaError_t cass_cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind) {
    return line(dst, src, count, kind, waiting());
}

cudaError_t cass_cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                                 cudaStream_t stream) {
    return line(dst, src, count, kind, queued(stream));
}

static cudaError_t rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                        size_t width, size_t height, enum cudaMemcpyKind kind, cass_order order) {
    ENTER(device);
    if (width && height && (to_pitch < width || from_pitch < width))
        return cudaErrorInvalidPitchValue;
    cass_copy copy = {to,         from,
                      to_pitch,   to_pitch * height,
                      from_pitch, from_pitch * height,
                      width,      height ? height : 1,
                      1,          cass_hip_kind(kind)};
    if (!height) copy.width = 0;
    return (cudaError_t)cass_copy_run(device, &copy, order);
}

cudaError_t cass_cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind) {
    return rows(dst, dpitch, src, spitch, width, height, kind, waiting());
}

cudaError_t cass_cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                                   size_t width, size_t height, enum cudaMemcpyKind kind,
                                   cudaStream_t stream) {
    return rows(dst, dpitch, src, spitch, width, height, kind, queued(stream));
}

/* All addresses are unified, so a peer copy is a copy that finds the devices itself. */
cudaError_t cass_cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice,
                                size_t count) {
    if (dstDevice < 0 || dstDevice >= cass_device_count || srcDevice < 0 ||
        srcDevice >= cass_device_count)
        return cudaErrorInvalidDevice;
    return line(dst, src, count, cudaMemcpyDefault, waiting());
}

cudaError_t cass_cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
                                     size_t count, cudaStream_t stream) {
    if (dstDevice < 0 || dstDevice >= cass_device_count || srcDevice < 0 ||
        srcDevice >= cass_device_count)
        return cudaErrorInvalidDevice;
    return line(dst, src, count, cudaMemcpyDefault, queued(stream));
}

int cass_symbol_part(cass_device *device, const void *symbol, size_t count, size_t offset,
                     void **address) {
    cass_module *module;
    int variable;
    size_t bytes;
    int result = cass_find_variable(symbol, &module, &variable);
    if (!result) result = cass_variable_address(module, variable, device, address, &bytes);
    if (result) return result;
    if (offset > bytes || count > bytes - offset) return INVALID_VALUE;
    *address = (char *)*address + offset;
    return OK;
}

static cudaError_t to_symbol(const void *symbol, const void *from, size_t count, size_t offset,
                             enum cudaMemcpyKind kind, cass_order order) {
    ENTER(device);
    void *address;
    if (!count) return cudaSuccess;
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    TRY(device, cass_symbol_part(device, symbol, count, offset, &address));
    return (cudaError_t)cass_copy_line(device, address, from, count, cass_hip_kind(kind), order);
}

static cudaError_t from_symbol(void *to, const void *symbol, size_t count, size_t offset,
                               enum cudaMemcpyKind kind, cass_order order) {
    ENTER(device);
    void *address;
    if (!count) return cudaSuccess;
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    TRY(device, cass_symbol_part(device, symbol, count, offset, &address));
    return (cudaError_t)cass_copy_line(device, to, address, count, cass_hip_kind(kind), order);
}

cudaError_t cass_cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count,
                                    size_t offset, enum cudaMemcpyKind kind) {
    return to_symbol(symbol, src, count, offset, kind, waiting());
}

cudaError_t cass_cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count,
                                         size_t offset, enum cudaMemcpyKind kind,
                                         cudaStream_t stream) {
    return to_symbol(symbol, src, count, offset, kind, queued(stream));
}

cudaError_t cass_cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind) {
    return from_symbol(dst, symbol, count, offset, kind, waiting());
}

cudaError_t cass_cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count,
                                           size_t offset, enum cudaMemcpyKind kind,
                                           cudaStream_t stream) {
    return from_symbol(dst, symbol, count, offset, kind, queued(stream));
}

cudaError_t cass_cudaGetSymbolAddress(void **devPtr, const void *symbol) {
    ENTER(device);
    if (!devPtr && symbol) return cudaErrorInvalidValue;
    return DONE(device, cass_symbol_part(device, symbol, 0, 0, devPtr));
}

cudaError_t cass_cudaGetSymbolSize(size_t *size, const void *symbol) {
    ENTER(device);
    cass_module *module;
    int variable;
    TRY(device, cass_find_variable(symbol, &module, &variable));
    if (!size) return cudaErrorInvalidValue;
    return DONE(device, cass_variable_address(module, variable, device, NULL, size));
}

static cudaError_t fill(void *to, size_t pitch, int value, size_t width, size_t height,
                        cass_order order) {
    ENTER(device);
    cass_fill what = {to, pitch, width, height, (unsigned)value & 0xff, 1};
    return (cudaError_t)cass_fill_run(device, &what, order);
}

cudaError_t cass_cudaMemset(void *devPtr, int value, size_t count) {
    return fill(devPtr, count, value, count, 1, waiting());
}

cudaError_t cass_cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream) {
    return fill(devPtr, count, value, count, 1, queued(stream));
}

cudaError_t cass_cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height) {
    return fill(devPtr, pitch, value, width, height, waiting());
}

cudaError_t cass_cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width,
                                   size_t height, cudaStream_t stream) {
    return fill(devPtr, pitch, value, width, height, queued(stream));
}

static cudaError_t fill_volume(struct cudaPitchedPtr memory, int value, struct cudaExtent extent,
                               cass_order order) {
    size_t slice = memory.pitch * memory.ysize;
    if (extent.height == memory.ysize || extent.depth == 1)
        return fill(memory.ptr, memory.pitch, value, extent.width, extent.height * extent.depth,
                    order);
    for (size_t z = 0; z < extent.depth; z++) {
        cudaError_t result = fill((char *)memory.ptr + z * slice, memory.pitch, value, extent.width,
                                  extent.height, order);
        if (result) return result;
    }
    return cudaSuccess;
}

cudaError_t cass_cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value,
                              struct cudaExtent extent) {
    return fill_volume(pitchedDevPtr, value, extent, waiting());
}

cudaError_t cass_cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value,
                                   struct cudaExtent extent, cudaStream_t stream) {
    return fill_volume(pitchedDevPtr, value, extent, queued(stream));
}
