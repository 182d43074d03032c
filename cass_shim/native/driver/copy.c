/* Copies and fills: see copy.h. */
#include "driver/copy.h"

#include "driver/capture.h"
#include "driver/heap.h"

static int check(const cass_copy *copy) {
    if (copy->kind < HIP_COPY_HOST_TO_HOST || copy->kind > HIP_COPY_DEFAULT)
        return INVALID_DIRECTION;
    if (!copy->width || !copy->height || !copy->depth) return OK;
    if (!copy->to || !copy->from) return INVALID_VALUE;
    if (cass_heap_holds(copy->to) || cass_heap_holds(copy->from)) return INVALID_VALUE;
    if (copy->height > 1 || copy->depth > 1)
        if (copy->to_pitch < copy->width || copy->from_pitch < copy->width) return INVALID_PITCH;
    return OK;
}

static int copy_rows(void *to, const void *from, const cass_copy *copy, hipStream_t stream) {
    if (copy->height == 1 || (copy->to_pitch == copy->width && copy->from_pitch == copy->width))
        return HIP(hipMemcpyAsync, to, from, copy->width * copy->height, copy->kind, stream);
    if (cass_hip.hipMemcpy2DAsync)
        return HIP(hipMemcpy2DAsync, to, copy->to_pitch, from, copy->from_pitch, copy->width,
                   copy->height, copy->kind, stream);
    int result = OK;
    for (size_t y = 0; y < copy->height && !result; y++)
        result = HIP(hipMemcpyAsync, (char *)to + y * copy->to_pitch,
                     (const char *)from + y * copy->from_pitch, copy->width, copy->kind, stream);
    return result;
}

int cass_copy_now(const cass_copy *copy, hipStream_t stream) {
    int result = OK;
    if (!copy->width || !copy->height) return OK;
    for (size_t z = 0; z < copy->depth && !result; z++)
        result = copy_rows((char *)copy->to + z * copy->to_slice,
                           (const char *)copy->from + z * copy->from_slice, copy, stream);
    return result;
}

/* A plain waiting copy on the legacy stream is HIP's own, which knows how to stage pageable memory
 * best. */
static int is_plain(const cass_copy *copy, cass_order order) {
    return order.wait && !order.stream && copy->height == 1 && copy->depth == 1;
}

int cass_copy_run(cass_device *device, const cass_copy *copy, cass_order order) {
    int result = check(copy);
    if (result) return result;
    if (order.wait && (result = cass_capture_forbids())) return result;
    cass_capture *capture = cass_capturing(order.stream);
    if (capture) return cass_capture_copy(capture, copy);
    if (!copy->width || !copy->height || !copy->depth) return OK;
    if (is_plain(copy, order)) {
        result = HIP(hipMemcpy, copy->to, copy->from, copy->width, copy->kind);
        return cass_after_wait(device, result, 0);
    }
    result = cass_copy_now(copy, order.stream);
    if (!result && order.wait) return cass_wait_stream(device, order.stream);
    return cass_note(device, result);
}

int cass_copy_line(cass_device *device, void *to, const void *from, size_t bytes, int kind,
                   cass_order order) {
    cass_copy copy = {to, from, bytes, bytes, bytes, bytes, bytes, 1, 1, kind};
    return cass_copy_run(device, &copy, order);
}

static int fill_row(const cass_fill *fill, void *to, size_t count, hipStream_t stream) {
    switch (fill->element_bytes) {
    case 1:
        return HIP(hipMemsetAsync, to, (int)(fill->value & 0xff), count, stream);
    case 2:
        return HIP_OPTIONAL(hipMemsetD16Async, to, (unsigned short)fill->value, count, stream);
    case 4:
        return HIP_OPTIONAL(hipMemsetD32Async, to, (int)fill->value, count, stream);
    default:
        return INVALID_VALUE;
    }
}

int cass_fill_now(const cass_fill *fill, hipStream_t stream) {
    int result = OK;
    size_t row_bytes = fill->width * fill->element_bytes;
    if (!fill->width || !fill->height) return OK;
    if (fill->height == 1 || fill->pitch == row_bytes)
        return fill_row(fill, fill->to, fill->width * fill->height, stream);
    if (fill->element_bytes == 1 && cass_hip.hipMemset2DAsync)
        return HIP(hipMemset2DAsync, fill->to, fill->pitch, (int)fill->value, fill->width,
                   fill->height, stream);
    for (size_t y = 0; y < fill->height && !result; y++)
        result = fill_row(fill, (char *)fill->to + y * fill->pitch, fill->width, stream);
    return result;
}

int cass_fill_run(cass_device *device, const cass_fill *fill, cass_order order) {
    size_t row_bytes = fill->width * fill->element_bytes;
    if (fill->height > 1 && fill->pitch < row_bytes) return INVALID_VALUE;
    if (row_bytes && fill->height && (!fill->to || cass_heap_holds(fill->to))) return INVALID_VALUE;
    if ((uintptr_t)fill->to % fill->element_bytes) return INVALID_VALUE;
    cass_capture *capture = cass_capturing(order.stream);
    if (capture) return cass_capture_fill(capture, fill);
    int result = cass_fill_now(fill, order.stream);
    return cass_note(device, result);
}

int cass_wait_stream(cass_device *device, hipStream_t stream) {
    return cass_after_wait(device, HIP(hipStreamSynchronize, stream), 0);
}

int cass_wait_device(cass_device *device) {
    return cass_after_wait(device, HIP(hipDeviceSynchronize), 1);
}
