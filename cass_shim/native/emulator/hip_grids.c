/* Launches on several devices at once: all grids start together, and those of a cooperative launch
 * may meet at one barrier. Source: HIP's manual of hipLaunchCooperativeKernelMultiDevice and
 * hipExtLaunchMultiKernelMultiDevice; the barrier is the device library's (hip_hidden.c). */
#include "emulator/hip_calls.h"
#include "emulator/hip_launch.h"
#include "emulator/hip_register.h"
#include "emulator/memory.h"

#include <stdlib.h>
#include <string.h>

#define BARRIER_BYTES 256u
#define ALL_FLAGS                                                                                  \
    (hipCooperativeLaunchMultiDeviceNoPreSync | hipCooperativeLaunchMultiDeviceNoPostSync)

typedef struct {
    emu_function *function;
    emu_shape shape;
    emu_stream *stream;
    void **arguments;
    emu_launch_op *op;
    uint64_t position; /* in its stream */
} member_t;

void emu_grids_release(emu_grids *grids) {
    if (!grids || atomic_fetch_sub(&grids->references, 1) != 1) return;
    emu_memory_free(grids->barrier, 1u << EMU_MEMORY_INTERNAL);
    free(grids);
}

static emu_grids *grids_create(unsigned count) {
    emu_grids *grids = calloc(1, sizeof *grids);
    if (grids) grids->barrier = emu_memory_alloc(EMU_MEMORY_INTERNAL, 0, BARRIER_BYTES, 256, 0);
    if (!grids || !grids->barrier) {
        free(grids);
        return NULL;
    }
    atomic_init(&grids->references, 1);
    grids->count = count;
    return grids;
}

static uint64_t items_of(const emu_shape *shape) {
    return shape->grid_items[0] * shape->grid_items[1] * shape->grid_items[2];
}

static bool same_launch(const member_t *a, const member_t *b) {
    return !strcmp(a->function->name, b->function->name) &&
           !memcmp(a->shape.groups, b->shape.groups, sizeof a->shape.groups) &&
           !memcmp(a->shape.group_items, b->shape.group_items, sizeof a->shape.group_items) &&
           a->shape.dynamic_lds == b->shape.dynamic_lds;
}

static hipError_t check(const member_t *all, unsigned count, bool together) {
    for (unsigned i = 0; i < count; i++) {
        if (all[i].stream->capture) return emu_refuse_capture(all[i].stream);
        if (all[i].function->module->device != all[i].stream->device)
            return emu_fail(hipErrorInvalidHandle,
                            "%s was loaded on another device than the stream's",
                            all[i].function->name);
        for (unsigned k = 0; k < i; k++)
            if (all[k].stream->device == all[i].stream->device)
                return emu_fail(hipErrorInvalidDevice, "two grids of the launch are on device %d",
                                all[i].stream->device->ordinal);
        if (together && !same_launch(&all[0], &all[i]))
            return emu_fail(hipErrorInvalidValue,
                            "the grids of a cooperative launch are of one kernel and one shape");
    }
    return hipSuccess;
}

static hipError_t make_ops(member_t *all, unsigned count, emu_grids *grids) {
    for (unsigned i = 0; i < count; i++) {
        hipError_t error;
        all[i].op = emu_launch_new(all[i].function, &all[i].shape, all[i].arguments, NULL, &error);
        if (!all[i].op) return error;
        if (!grids) continue;
        atomic_fetch_add(&grids->references, 1);
        all[i].op->grids = grids;
        all[i].op->grid = i;
        all[i].op->items_before = grids->items;
        grids->items += items_of(&all[i].shape);
    }
    return hipSuccess;
}

/* `op` of stream `own` comes after what the other streams were given, up to their positions. */
static bool after_others(emu_op *op, const member_t *all, unsigned count, unsigned own,
                         bool so_far) {
    bool noted = true;
    pthread_mutex_lock(&emu_engine);
    for (unsigned i = 0; noted && i < count; i++)
        if (i != own)
            noted =
                emu_add_dep(op, all[i].stream, so_far ? all[i].stream->submitted : all[i].position);
    pthread_mutex_unlock(&emu_engine);
    return noted;
}

static hipError_t start(member_t *all, unsigned count, unsigned flags) {
    bool before = !(flags & hipCooperativeLaunchMultiDeviceNoPreSync);
    bool behind = !(flags & hipCooperativeLaunchMultiDeviceNoPostSync);
    hipError_t error = hipSuccess;
    for (unsigned i = 0; before && i < count; i++)
        if (!after_others(&all[i].op->op, all, count, i, true)) return hipErrorOutOfMemory;
    for (unsigned i = 0; i < count && !error; i++) {
        emu_op *op = &all[i].op->op;
        all[i].op = NULL;
        error = emu_submit_at(all[i].stream, op, &all[i].position);
    }
    for (unsigned i = 0; behind && i < count && !error; i++) {
        emu_op *op = emu_op_new(sizeof *op, EMU_OP_EMPTY, emu_run_nothing);
        uint64_t position;
        if (!op || !after_others(op, all, count, i, false)) error = hipErrorOutOfMemory;
        else error = emu_submit_at(all[i].stream, op, &position);
    }
    return error;
}

static hipError_t launch_all(member_t *all, unsigned count, unsigned flags, bool together) {
    hipError_t error = check(all, count, together);
    emu_grids *grids = !error && together ? grids_create(count) : NULL;
    if (!error && together && !grids) error = hipErrorOutOfMemory;
    if (!error) error = make_ops(all, count, grids);
    if (!error) error = start(all, count, flags);
    for (unsigned i = 0; i < count; i++)
        if (all[i].op) emu_op_free(&all[i].op->op);
    emu_grids_release(grids);
    return error == hipErrorOutOfMemory
               ? emu_fail(error, "no memory for a launch on %u devices", count)
               : error;
}

static hipError_t check_call(const void *list, unsigned count, unsigned flags) {
    if (!list || count < 1 || count > (unsigned)emu_config.device_count ||
        (flags & ~(unsigned)ALL_FLAGS))
        return emu_fail(hipErrorInvalidValue, "a launch is on 1 to %d devices, with known flags",
                        emu_config.device_count);
    return hipSuccess;
}

static hipError_t find_stream(member_t *one, hipStream_t handle) {
    if (!handle) return emu_fail(hipErrorInvalidHandle, "a launch on several devices has streams");
    one->stream = emu_stream_of(handle);
    return one->stream ? hipSuccess : hipErrorInvalidHandle;
}

hipError_t emu_hipModuleLaunchCooperativeKernelMultiDevice(hipFunctionLaunchParams_t *list,
                                                           unsigned int count, unsigned int flags) {
    member_t all[EMU_MAX_DEVICES] = {0};
    hipError_t error = check_call(list, count, flags);
    for (unsigned i = 0; !error && i < count; i++) {
        const hipFunctionLaunchParams_t *from = &list[i];
        const uint32_t groups[] = {from->gridDimX, from->gridDimY, from->gridDimZ};
        const uint32_t items[] = {from->blockDimX, from->blockDimY, from->blockDimZ};
        all[i].function = emu_function_of(from->function);
        all[i].shape = emu_shape_of(groups, items, from->sharedMemBytes, true);
        all[i].arguments = from->kernelParams;
        error =
            all[i].function ? find_stream(&all[i], from->hStream) : hipErrorInvalidDeviceFunction;
    }
    return error ? error : launch_all(all, count, flags, true);
}

/* Each kernel is that of the module on its stream's device. */
static hipError_t by_symbols(const hipLaunchParams_t *list, int count, unsigned flags,
                             bool together) {
    member_t all[EMU_MAX_DEVICES] = {0};
    int current = emu_me.device;
    hipError_t error = check_call(list, (unsigned)count, flags);
    for (int i = 0; !error && i < count; i++) {
        const hipLaunchParams_t *from = &list[i];
        const uint32_t groups[] = {from->gridDim.x, from->gridDim.y, from->gridDim.z};
        const uint32_t items[] = {from->blockDim.x, from->blockDim.y, from->blockDim.z};
        all[i].shape = emu_shape_of(groups, items, from->sharedMem, together);
        all[i].arguments = from->args;
        error = find_stream(&all[i], from->stream);
        if (error) break;
        emu_me.device = all[i].stream->device->ordinal;
        all[i].function = emu_function_by_symbol(from->func, &error);
        if (all[i].function) error = hipSuccess;
    }
    emu_me.device = current;
    return error ? error : launch_all(all, (unsigned)count, flags, together);
}

hipError_t emu_hipLaunchCooperativeKernelMultiDevice(hipLaunchParams_t *list, int count,
                                                     unsigned int flags) {
    return by_symbols(list, count, flags, true);
}

hipError_t emu_hipExtLaunchMultiKernelMultiDevice(hipLaunchParams_t *list, int count,
                                                  unsigned int flags) {
    return by_symbols(list, count, flags, false);
}
