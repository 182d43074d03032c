/* The engine of copies and fills (hip_copy.h). */
#include "emulator/hip_copy.h"
#include "emulator/memory.h"

#include <stdlib.h>
#include <string.h>

/* Pageable source memory up to this size is snapshot at the call, so that the call need not wait
 * for its stream. */
#define STAGE_BYTES (1u << 20)

emu_array *emu_array_of(hipArray_const_t handle) {
    if (emu_handle_is(handle, EMU_ARRAY)) return (emu_array *)(uintptr_t)handle;
    emu_fail(hipErrorInvalidHandle, "not a live array: %p", (const void *)handle);
    return NULL;
}

hipMemcpy3DParms emu_copy_linear(void *target, const void *source, size_t bytes,
                                 hipMemcpyKind kind) {
    return emu_copy_2d(target, bytes, source, bytes, bytes, 1, kind);
}

hipMemcpy3DParms emu_copy_2d(void *target, size_t target_pitch, const void *source,
                             size_t source_pitch, size_t width, size_t height, hipMemcpyKind kind) {
    return (hipMemcpy3DParms){
        .srcPtr = {(void *)(uintptr_t)source, source_pitch, width, height},
        .dstPtr = {target, target_pitch, width, height},
        .extent = {width, height, 1},
        .kind = kind,
    };
}

/* The bytes from the first to past the last that a region touches; false when the numbers overflow.
 */
static bool footprint(const emu_region *region, const emu_extent *extent, uint64_t *bytes) {
    uint64_t rows, slices, total;
    if (__builtin_mul_overflow(extent->height - 1, region->pitch, &rows)) return false;
    if (__builtin_mul_overflow(extent->depth - 1, region->slice, &slices)) return false;
    if (__builtin_add_overflow(rows, slices, &total)) return false;
    return !__builtin_add_overflow(total, extent->width, bytes);
}

static hipError_t array_region(hipArray_t handle, hipPos at, const hipExtent *elements,
                               emu_region *region) {
    emu_array *array = emu_array_of(handle);
    if (!array) return hipErrorInvalidHandle;
    uint64_t height = array->height ? array->height : 1, depth = array->depth ? array->depth : 1;
    if (at.x > array->width || elements->width > array->width - at.x || at.y > height ||
        elements->height > height - at.y || at.z > depth || elements->depth > depth - at.z)
        return emu_fail(hipErrorInvalidValue, "the copy leaves the array");
    region->pitch = array->pitch;
    region->slice = array->slice;
    region->address =
        array->base + at.z * array->slice + at.y * array->pitch + at.x * array->element_bytes;
    return hipSuccess;
}

static hipError_t pointer_region(hipPitchedPtr pointer, hipPos at, const emu_extent *extent,
                                 emu_region *region) {
    uint64_t rows = pointer.ysize ? pointer.ysize : extent->height;
    if (!pointer.ptr) return emu_fail(hipErrorInvalidValue, "no pointer");
    if (extent->height > 1 || extent->depth > 1) {
        if (pointer.pitch < extent->width)
            return emu_fail(hipErrorInvalidPitchValue, "pitch %zu is less than the width",
                            pointer.pitch);
    }
    region->pitch = pointer.pitch;
    region->slice = pointer.pitch * rows;
    region->address = (uint8_t *)pointer.ptr + at.z * region->slice + at.y * region->pitch + at.x;
    return hipSuccess;
}

hipError_t emu_copy_resolve(const hipMemcpy3DParms *params, emu_region *target, emu_region *source,
                            emu_extent *extent) {
    emu_array *from = params->srcArray ? emu_array_of(params->srcArray) : NULL;
    emu_array *to = params->dstArray ? emu_array_of(params->dstArray) : NULL;
    if ((params->srcArray && !from) || (params->dstArray && !to)) return hipErrorInvalidHandle;
    const hipExtent *elements = &params->extent;
    uint64_t unit = from ? from->element_bytes
                    : to ? to->element_bytes
                         : 1; /* of extent.width, as CUDA has it */
    if (from && to && from->element_bytes != to->element_bytes)
        return emu_fail(hipErrorInvalidValue, "the arrays' elements differ in size");
    *extent = (emu_extent){elements->width * unit, elements->height, elements->depth};
    if (!extent->width || !extent->height || !extent->depth) return hipSuccess;
    hipError_t error = from ? array_region(params->srcArray, params->srcPos, elements, source)
                            : pointer_region(params->srcPtr, params->srcPos, extent, source);
    if (error) return error;
    return to ? array_region(params->dstArray, params->dstPos, elements, target)
              : pointer_region(params->dstPtr, params->dstPos, extent, target);
}

/* Where one side lies. device: reachable by lanes (device, pinned, registered); otherwise the
 * program's own. */
typedef struct {
    bool device, pinned;
} place;

static hipError_t check_side(const emu_region *region, const emu_extent *extent,
                             bool must_be_device, const char *side, place *where) {
    uint64_t bytes;
    if (!footprint(region, extent, &bytes))
        return emu_fail(hipErrorInvalidValue, "the %s range overflows", side);
    emu_block block;
    bool known = emu_memory_find(region->address, &block);
    where->device = known;
    where->pinned = known;
    if (!known && !emu_memory_inside(region->address) && !must_be_device) return hipSuccess;
    if (!known)
        return emu_fail(hipErrorInvalidValue, "the %s, %p, is no device memory", side,
                        (void *)region->address);
    if (block.registered && !must_be_device)
        return hipSuccess; /* may run on past the registered part */
    if (bytes > emu_memory_extent(region->address))
        return emu_fail(hipErrorInvalidValue,
                        "the %s range, %llu bytes at %p, leaves its allocation of %llu bytes", side,
                        (unsigned long long)bytes, (void *)region->address,
                        (unsigned long long)block.bytes);
    return hipSuccess;
}

static bool copy_slices(const emu_copy_op *op) {
    const emu_region *to = &op->target, *from = &op->source;
    const emu_extent *extent = &op->extent;
    bool packed = to->pitch == extent->width && from->pitch == extent->width;
    if (packed && (extent->depth == 1 ||
                   (to->slice == from->slice && to->slice == extent->width * extent->height)))
        return emu_memory_copy(to->address, from->address,
                               extent->width * extent->height * extent->depth);
    for (uint64_t z = 0; z < extent->depth; z++)
        for (uint64_t y = 0; y < extent->height; y++)
            if (!emu_memory_copy(to->address + z * to->slice + y * to->pitch,
                                 from->address + z * from->slice + y * from->pitch, extent->width))
                return false;
    return true;
}

static hipError_t run_copy(emu_op *base, emu_device *device) {
    (void)device;
    emu_copy_op *op = (emu_copy_op *)base;
    if (copy_slices(op)) return hipSuccess;
    if (op->result) {
        *op->result = emu_fail(hipErrorInvalidValue, "a copy's host memory is not accessible");
        return hipSuccess;
    }
    return emu_fail(hipErrorIllegalAddress,
                    "a copy from %p to %p met memory that is not accessible",
                    (void *)op->source.address, (void *)op->target.address);
}

static void drop_copy(emu_op *base) { free(((emu_copy_op *)base)->staged); }

static hipError_t check_copy(const emu_copy_op *op, place *to, place *from) {
    hipMemcpyKind kind = op->params.kind;
    if ((int)kind < 0 || (kind > hipMemcpyDefault && kind != hipMemcpyDeviceToDeviceNoCU))
        return emu_fail(hipErrorInvalidMemcpyDirection, "copy direction %d", (int)kind);
    bool to_device = kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice ||
                     kind == hipMemcpyDeviceToDeviceNoCU;
    bool from_device = kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice ||
                       kind == hipMemcpyDeviceToDeviceNoCU;
    hipError_t error = check_side(&op->target, &op->extent, to_device, "target", to);
    return error ? error : check_side(&op->source, &op->extent, from_device, "source", from);
}

static emu_copy_op *copy_new(const hipMemcpy3DParms *params, place *to, place *from,
                             hipError_t *error) {
    emu_copy_op probe = {.params = *params};
    *error = emu_copy_resolve(params, &probe.target, &probe.source, &probe.extent);
    if (*error || !probe.extent.width || !probe.extent.height || !probe.extent.depth) return NULL;
    *error = check_copy(&probe, to, from);
    if (*error) return NULL;
    emu_copy_op *op = emu_op_new(sizeof *op, EMU_OP_COPY, run_copy);
    if (!op) {
        *error = emu_fail(hipErrorOutOfMemory, "no host memory for a copy");
        return NULL;
    }
    op->op.drop = drop_copy;
    op->target = probe.target;
    op->source = probe.source;
    op->extent = probe.extent;
    op->params = *params;
    return op;
}

emu_copy_op *emu_copy_new(const hipMemcpy3DParms *params, hipError_t *error) {
    place to, from;
    return copy_new(params, &to, &from, error);
}

/* Replaces the source by a snapshot of it. False: not readable, or no memory. */
static bool stage(emu_copy_op *op) {
    emu_copy_op gather = *op;
    uint64_t bytes = op->extent.width * op->extent.height * op->extent.depth;
    op->staged = malloc(bytes);
    if (!op->staged) return false;
    gather.target =
        (emu_region){op->staged, op->extent.width, op->extent.width * op->extent.height};
    op->source = gather.target;
    return copy_slices(&gather);
}

hipError_t emu_copy(const hipMemcpy3DParms *params, hipStream_t handle, bool async) {
    emu_stream *stream = emu_stream_of(handle);
    if (!stream) return hipErrorInvalidHandle;
    place to, from;
    hipError_t error, result = hipSuccess;
    emu_copy_op *op = copy_new(params, &to, &from, &error);
    if (!op) return error;
    if (async && stream->capture) return emu_submit(stream, &op->op);
    uint64_t bytes = op->extent.width * op->extent.height * op->extent.depth;
    if (async && to.pinned && !from.pinned && bytes <= STAGE_BYTES) {
        if (stage(op)) return emu_submit(stream, &op->op);
        emu_op_free(&op->op);
        return emu_fail(hipErrorInvalidValue, "the copy's source, %p, is not readable",
                        (void *)params->srcPtr.ptr);
    }
    if (async && to.pinned && from.pinned) return emu_submit(stream, &op->op);
    op->result = &result; /* pageable memory: done before the call returns */
    error = emu_submit_wait(stream, &op->op);
    return error ? error : result;
}

static void fill_row(uint8_t *row, uint64_t bytes, uint32_t value, uint32_t element_bytes) {
    if (element_bytes == 1) {
        memset(row, (int)(value & 0xff), bytes);
        return;
    }
    for (uint64_t i = 0; i < bytes; i += element_bytes) memcpy(row + i, &value, element_bytes);
}

static hipError_t run_set(emu_op *base, emu_device *device) {
    (void)device;
    emu_set_op *op = (emu_set_op *)base;
    uint64_t bytes = 0;
    footprint(&op->target, &op->extent, &bytes); /* cannot overflow: checked when the op was made */
    if (emu_memory_inside(op->target.address) && !emu_memory_covers(op->target.address, bytes))
        return emu_fail(hipErrorIllegalAddress, "a fill at %p met memory that is not allocated",
                        (void *)op->target.address);
    for (uint64_t z = 0; z < op->extent.depth; z++)
        for (uint64_t y = 0; y < op->extent.height; y++)
            fill_row(op->target.address + z * op->target.slice + y * op->target.pitch,
                     op->extent.width, op->value, op->element_bytes);
    return hipSuccess;
}

emu_set_op *emu_set_new(const hipMemsetParams *params, uint64_t depth, uint64_t slice,
                        hipError_t *error) {
    uint32_t unit = params->elementSize;
    uint64_t width;
    *error = hipSuccess;
    if ((unit != 1 && unit != 2 && unit != 4) ||
        __builtin_mul_overflow(params->width, unit, &width)) {
        *error = emu_fail(hipErrorInvalidValue, "elements of %u bytes", unit);
        return NULL;
    }
    if (!width || !params->height || !depth) return NULL;
    emu_region target = {params->dst, params->pitch, slice};
    emu_extent extent = {width, params->height, depth};
    place where;
    if (params->height > 1 && params->pitch < width)
        *error =
            emu_fail(hipErrorInvalidPitchValue, "pitch %zu is less than the width", params->pitch);
    else if ((uint64_t)params->dst % unit || (params->height > 1 && params->pitch % unit))
        *error = emu_fail(hipErrorInvalidValue, "a fill of %u-byte elements at %p is misaligned",
                          unit, params->dst);
    else *error = check_side(&target, &extent, true, "target", &where);
    if (*error) return NULL;
    emu_set_op *op = emu_op_new(sizeof *op, EMU_OP_SET, run_set);
    if (!op) {
        *error = emu_fail(hipErrorOutOfMemory, "no host memory for a fill");
        return NULL;
    }
    op->target = target;
    op->extent = extent;
    op->value = params->value;
    op->element_bytes = unit;
    op->params = *params;
    return op;
}
