/* Kernel launches: shape checks, the kernarg segment, the dispatch packet, faults. Source:
 * AMDGPUUsage "Kernel Dispatch"; HSA 1.2 dispatch packet. */
#include "emulator/hip_launch.h"
#include "emulator/core.h"
#include "emulator/hip_calls.h"
#include "emulator/hip_count.h"
#include "emulator/hip_hostcall.h"
#include "emulator/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LDS_LIMIT 65536u
#define SLOT_BYTES 8192u
#define SLOTS_PER_BLOCK 64u
#define PACKET_BYTES 64u
#define DEFAULT_DYNAMIC_STACK 16384u

static _Atomic int last_status;

emu_status emu_last_status(void) { return (emu_status)atomic_load(&last_status); }

emu_shape emu_shape_of(const uint32_t groups[3], const uint32_t group_items[3], size_t dynamic_lds,
                       bool cooperative) {
    emu_shape shape = {.dynamic_lds = dynamic_lds > UINT32_MAX ? UINT32_MAX : (uint32_t)dynamic_lds,
                       .cooperative = cooperative};
    for (int i = 0; i < 3; i++) {
        shape.groups[i] = groups[i];
        shape.group_items[i] = group_items[i];
        shape.grid_items[i] = (uint64_t)groups[i] * group_items[i];
    }
    return shape;
}

static uint64_t items_per_group(const emu_shape *shape) {
    return (uint64_t)shape->group_items[0] * shape->group_items[1] * shape->group_items[2];
}

static hipError_t check_dimensions(const emu_function *function, const emu_shape *shape) {
    for (int i = 0; i < 3; i++) {
        if (shape->groups[i] == 0 || shape->group_items[i] == 0)
            return emu_fail(hipErrorInvalidConfiguration, "%s: dimension %d of the launch is 0",
                            function->name, i);
        if (shape->group_items[i] > 1024)
            return emu_fail(hipErrorInvalidConfiguration,
                            "%s: workgroup dimension %d is %u, at most 1024", function->name, i,
                            shape->group_items[i]);
        if (emu_config.strict && shape->grid_items[i] > UINT32_MAX)
            return emu_fail(hipErrorInvalidConfiguration,
                            "%s: grid dimension %d exceeds 2^32 - 1 work-items", function->name, i);
        if (function->required[i] && function->required[i] != shape->group_items[i])
            return emu_fail(hipErrorInvalidConfiguration, "%s: requires workgroups of %u,%u,%u",
                            function->name, function->required[0], function->required[1],
                            function->required[2]);
    }
    return hipSuccess;
}

hipError_t emu_check_shape(const emu_function *function, const emu_shape *shape) {
    hipError_t error = check_dimensions(function, shape);
    if (error) return error;
    uint64_t items = items_per_group(shape),
             lds = (uint64_t)function->lds_bytes + shape->dynamic_lds;
    uint32_t limit = function->max_threads ? function->max_threads : 1024;
    if (items > 1024)
        return emu_fail(hipErrorInvalidConfiguration,
                        "%s: %llu work-items in a workgroup, at most 1024", function->name,
                        (unsigned long long)items);
    if (items > limit)
        return emu_fail(hipErrorLaunchOutOfResources,
                        "%s: %llu work-items in a workgroup, compiled for %u", function->name,
                        (unsigned long long)items, limit);
    if (lds > LDS_LIMIT)
        return emu_fail(hipErrorInvalidValue, "%s: %llu bytes of LDS, at most %u", function->name,
                        (unsigned long long)lds, LDS_LIMIT);
    if (!shape->cooperative) return hipSuccess;
    uint64_t groups = (uint64_t)shape->groups[0] * shape->groups[1] * shape->groups[2];
    uint64_t resident =
        (uint64_t)emu_resident_groups(function, (uint32_t)items, shape->dynamic_lds) *
        (unsigned)emu_config.compute_units;
    if (groups > resident)
        return emu_fail(hipErrorCooperativeLaunchTooLarge,
                        "%s: %llu workgroups, at most %llu are resident at once", function->name,
                        (unsigned long long)groups, (unsigned long long)resident);
    return hipSuccess;
}

/* A WGP of RDNA3 holds 4 SIMDs of 16 waves and 128 KiB of LDS; registers limit waves per SIMD (1536
 * VGPRs of 32 lanes, allocated by 24). Source: RDNA3 ISA manual 3.6, LLVM AMDGPUBaseInfo. */
unsigned emu_resident_groups(const emu_function *function, uint32_t items, size_t dynamic_lds) {
    uint32_t waves = (items + 31) / 32,
             vgprs = function->vgprs ? (function->vgprs + 23) / 24 * 24 : 24;
    uint32_t per_simd = 1536 / vgprs < 16 ? 1536 / vgprs : 16;
    uint64_t by_waves = waves ? 4u * per_simd / waves : 0;
    uint64_t lds = function->lds_bytes + (uint64_t)dynamic_lds,
             by_lds = lds ? 2u * LDS_LIMIT / lds : 32;
    if (lds > LDS_LIMIT) return 0;
    uint64_t groups = by_waves < by_lds ? by_waves : by_lds;
    return (unsigned)(groups < 32 ? groups : 32);
}

/* Kernarg segments: fixed slots below 8 KiB, reused; larger ones are blocks of their own. */
typedef struct slot {
    struct slot *next;
} slot;
static slot *free_slots;
static pthread_mutex_t slot_lock = PTHREAD_MUTEX_INITIALIZER;

static void *slot_take(uint64_t bytes) {
    if (bytes > SLOT_BYTES) return emu_memory_alloc(EMU_MEMORY_INTERNAL, 0, bytes, 256, 0);
    pthread_mutex_lock(&slot_lock);
    if (!free_slots) {
        uint8_t *block =
            emu_memory_alloc(EMU_MEMORY_INTERNAL, 0, SLOT_BYTES * SLOTS_PER_BLOCK, 256, 0);
        for (unsigned i = 0; block && i < SLOTS_PER_BLOCK; i++) {
            slot *one = (slot *)(void *)(block + i * SLOT_BYTES);
            one->next = free_slots;
            free_slots = one;
        }
    }
    slot *taken = free_slots;
    if (taken) free_slots = taken->next;
    pthread_mutex_unlock(&slot_lock);
    return taken;
}

static void slot_give(void *memory, uint64_t bytes) {
    if (bytes > SLOT_BYTES) {
        emu_memory_free(memory, 1u << EMU_MEMORY_INTERNAL);
        return;
    }
    pthread_mutex_lock(&slot_lock);
    slot *one = memory;
    one->next = free_slots;
    free_slots = one;
    pthread_mutex_unlock(&slot_lock);
}

/* hsa_kernel_dispatch_packet: header u16, setup u16, workgroup_size u16[3], reserved u16, grid_size
 * u32[3], private u32, group u32, kernel_object u64, kernarg_address u64, reserved u64,
 * completion_signal u64. */
static void fill_packet(uint8_t *packet, const emu_launch *launch) {
    memset(packet, 0, PACKET_BYTES);
    uint16_t setup = launch->grid_items[2] > 1 ? 3 : launch->grid_items[1] > 1 ? 2 : 1;
    memcpy(packet + 2, &setup, 2);
    for (int i = 0; i < 3; i++) {
        uint16_t items = (uint16_t)launch->group_items[i];
        uint32_t grid =
            launch->grid_items[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)launch->grid_items[i];
        memcpy(packet + 4 + 2 * i, &items, 2);
        memcpy(packet + 12 + 4 * i, &grid, 4);
    }
    memcpy(packet + 24, &launch->scratch_bytes, 4);
    memcpy(packet + 28, &launch->lds_bytes, 4);
    memcpy(packet + 40, &launch->kernarg, 8);
}

static hipError_t error_of(emu_status status) {
    switch (status) {
    case EMU_OK:
        return hipSuccess;
    case EMU_ILLEGAL_ADDRESS:
        return hipErrorIllegalAddress;
    case EMU_LIMIT:
        return hipErrorLaunchTimeOut;
    default:
        return hipErrorLaunchFailure;
    }
}

/* The interpreter's text names instruction, address, workgroup, wave and lane; what lies at the
 * address is added. */
static hipError_t report(const emu_function *function, const emu_fault *fault) {
    char where[256] = "";
    atomic_store(&last_status, (int)fault->status);
    if (fault->status == EMU_ILLEGAL_ADDRESS || fault->status == EMU_MISALIGNED)
        emu_memory_describe(fault->address, where, sizeof where);
    return emu_fail(error_of(fault->status), "kernel %.100s: %.240s%s%s", function->name,
                    fault->text, *where ? "; " : "", where);
}

static emu_launch describe(const emu_launch_op *op, emu_device *device, uint8_t *kernarg,
                           uint64_t segment) {
    const emu_function *function = op->function;
    const emu_shape *shape = &op->shape;
    emu_launch launch = {.program = function->module->program,
                         .entry = function->entry,
                         .rsrc1 = function->rsrc1,
                         .rsrc2 = function->rsrc2,
                         .rsrc3 = function->rsrc3,
                         .properties = function->properties,
                         .kernarg = (uint64_t)kernarg,
                         .dispatch_packet = (uint64_t)kernarg + segment,
                         .lds_bytes = function->lds_bytes + shape->dynamic_lds,
                         .scratch_bytes = function->scratch_bytes,
                         .cooperative = shape->cooperative,
                         .instruction_limit = emu_config.instruction_limit,
                         .kernel_name = function->name};
    for (int i = 0; i < 3; i++) {
        launch.groups[i] = shape->groups[i];
        launch.group_items[i] = shape->group_items[i];
        launch.grid_items[i] = shape->grid_items[i];
    }
    if (function->dynamic_stack) {
        size_t limit = device->limits[hipLimitStackSize];
        launch.scratch_bytes +=
            limit > DEFAULT_DYNAMIC_STACK ? (uint32_t)limit : DEFAULT_DYNAMIC_STACK;
    }
    return launch;
}

static hipError_t no_memory(const emu_function *function) {
    return emu_fail(hipErrorOutOfMemory, "%s: no device memory for its arguments", function->name);
}

/* What a launch is asked while its waves wait. */
typedef struct {
    emu_hostcall *calls;
    emu_grids *grids;
} served_t;

static int serve(void *given, char *text, size_t bytes) {
    served_t *served = given;
    if (served->grids && atomic_load(&served->grids->failed)) {
        snprintf(text, bytes, "another device's grid of the same launch has failed");
        return 1;
    }
    return served->calls ? emu_hostcall_serve(served->calls, text, bytes) : 0;
}

/* What the kernel's hidden arguments point to; hipErrorOutOfMemory without it. */
static hipError_t offer(const emu_function *function, emu_device *device, emu_launch *launch,
                        emu_hidden *hidden) {
    served_t *served = launch->calls;
    if (emu_hidden_wanted(function, EMU_ARG_HOSTCALL)) {
        served->calls = emu_hostcall_create(device, emu_waves_at_once(launch));
        if (!served->calls) return no_memory(function);
        hidden->hostcall = emu_hostcall_buffer(served->calls);
    }
    if (served->calls || served->grids) launch->serve = serve;
    if (!emu_hidden_wanted(function, EMU_ARG_HEAP)) return hipSuccess;
    hidden->heap = emu_device_heap(device);
    return hidden->heap ? hipSuccess : no_memory(function);
}

static hipError_t run(const emu_launch *launch, const emu_function *function) {
    emu_fault fault = {0};
    emu_status status = emu_run(launch, &fault);
    if (emu_config.count) emu_count_launch(launch, &fault);
    if (status == EMU_OK) return hipSuccess;
    fault.status = status;
    return report(function, &fault);
}

static hipError_t run_launch(emu_op *base, emu_device *device) {
    emu_launch_op *op = (emu_launch_op *)base;
    const emu_function *function = op->function;
    uint64_t segment = ((uint64_t)function->kernarg_bytes + 63) & ~63ull,
             sync = op->shape.cooperative ? EMU_GRID_SYNC_BYTES : 0,
             bytes = segment + PACKET_BYTES + sync;
    uint8_t *kernarg = slot_take(bytes);
    if (!kernarg) return no_memory(function);
    memset(kernarg, 0, segment);
    if (op->argument_bytes) memcpy(kernarg, op->arguments, op->argument_bytes);
    emu_hidden hidden = {.grid_sync = sync ? kernarg + segment + PACKET_BYTES : NULL,
                         .grids = op->grids,
                         .grid = op->grid,
                         .items_before = op->items_before};
    served_t served = {.grids = op->grids};
    emu_launch launch = describe(op, device, kernarg, segment);
    launch.calls = &served;
    hipError_t error = offer(function, device, &launch, &hidden);
    if (!error) {
        emu_hidden_fill(kernarg, function, &op->shape, &hidden);
        fill_packet(kernarg + segment, &launch);
        error = run(&launch, function);
    }
    emu_hostcall_destroy(served.calls, error == hipSuccess);
    slot_give(kernarg, bytes);
    op->ended_well = error == hipSuccess;
    return error;
}

static void drop_launch(emu_op *base) {
    emu_launch_op *op = (emu_launch_op *)base;
    if (op->grids && !op->ended_well) atomic_store(&op->grids->failed, 1);
    emu_grids_release(op->grids);
    emu_module_release(op->function->module);
    free(op->arguments);
    free(op->pointers);
}

static bool clone_launch(emu_op *base) {
    emu_launch_op *op = (emu_launch_op *)base;
    uint8_t *arguments = malloc(op->argument_bytes ? op->argument_bytes : 1);
    if (!arguments) return false;
    if (op->argument_bytes) memcpy(arguments, op->arguments, op->argument_bytes);
    op->arguments = arguments;
    op->pointers = NULL;
    emu_module_retain(op->function->module);
    return true;
}

static hipError_t pack_params(const emu_function *function, void **params, uint8_t *into) {
    if (!function->has_metadata)
        return emu_fail(hipErrorInvalidValue,
                        "%s: no argument metadata; pass the arguments by `extra`", function->name);
    for (uint32_t i = 0, given = 0; i < function->arg_count; i++) {
        const emu_arg *arg = &function->args[i];
        if (arg->kind > EMU_ARG_DYNAMIC_LDS_POINTER) continue;
        if (!params || !params[given])
            return emu_fail(hipErrorInvalidValue, "%s: argument %u is missing", function->name,
                            given);
        memcpy(into + arg->offset, params[given++], arg->size);
    }
    return hipSuccess;
}

/* The `extra` form: a buffer that is the explicit part of the kernarg segment. Padding after it is
 * allowed. */
static hipError_t pack_extra(const emu_function *function, void **extra, uint8_t *into) {
    const void *buffer = NULL;
    size_t bytes = 0;
    for (size_t i = 0; extra[i] != HIP_LAUNCH_PARAM_END; i += 2) {
        if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_POINTER) buffer = extra[i + 1];
        else if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_SIZE && extra[i + 1])
            bytes = *(const size_t *)extra[i + 1];
        else return emu_fail(hipErrorInvalidValue, "%s: unknown key in `extra`", function->name);
    }
    if ((bytes && !buffer) || bytes < function->explicit_bytes ||
        bytes > ((function->kernarg_bytes + 15u) & ~15u))
        return emu_fail(hipErrorInvalidValue, "%s: %zu bytes of arguments, want %u (segment %u)",
                        function->name, bytes, function->explicit_bytes, function->kernarg_bytes);
    memcpy(into, buffer, bytes < function->kernarg_bytes ? bytes : function->kernarg_bytes);
    return hipSuccess;
}

hipError_t emu_launch_set_arguments(emu_launch_op *launch, void **kernel_params, void **extra) {
    const emu_function *function = launch->function;
    uint8_t *arguments = calloc(1, function->kernarg_bytes ? function->kernarg_bytes : 1);
    if (!arguments) return emu_fail(hipErrorOutOfMemory, "no host memory for a launch");
    hipError_t error = extra ? pack_extra(function, extra, arguments)
                             : pack_params(function, kernel_params, arguments);
    if (!extra && !function->explicit_count && function->has_metadata) error = hipSuccess;
    if (error) {
        free(arguments);
        return error;
    }
    free(launch->arguments);
    launch->arguments = arguments;
    launch->argument_bytes = function->kernarg_bytes;
    return hipSuccess;
}

void **emu_launch_pointers(emu_launch_op *launch) {
    const emu_function *function = launch->function;
    if (!launch->pointers) launch->pointers = calloc(function->explicit_count + 1, sizeof(void *));
    for (uint32_t i = 0, given = 0; i < function->arg_count && launch->pointers; i++)
        if (function->args[i].kind <= EMU_ARG_DYNAMIC_LDS_POINTER)
            launch->pointers[given++] = launch->arguments + function->args[i].offset;
    return launch->pointers;
}

emu_launch_op *emu_launch_new(emu_function *function, const emu_shape *shape, void **kernel_params,
                              void **extra, hipError_t *error) {
    *error = emu_check_shape(function, shape);
    if (*error) return NULL;
    emu_launch_op *op = emu_op_new(sizeof *op, EMU_OP_KERNEL, run_launch);
    if (!op) {
        *error = emu_fail(hipErrorOutOfMemory, "no host memory for a launch");
        return NULL;
    }
    op->function = function;
    op->symbol = function;
    op->shape = *shape;
    op->op.drop = drop_launch;
    op->op.clone = clone_launch;
    emu_module_retain(function->module);
    *error = emu_launch_set_arguments(op, kernel_params, extra);
    if (!*error) return op;
    emu_op_free(&op->op);
    return NULL;
}

int emu_hipCassFaultStatus(void) { return (int)emu_last_status(); }

/* Wave-instructions that this process's launches have run. */
size_t emu_hipCassInstructions(void) { return (size_t)emu_instructions_executed(); }

hipError_t emu_hipCassLimit(size_t instructions) {
    uint64_t most = emu_config.most_instructions;
    emu_config.instruction_limit =
        most && (!instructions || instructions > most) ? most : instructions;
    return hipSuccess;
}
