/* Hidden kernel arguments: what a launch passes beside the caller's. Source: AMDGPUUsage, "Code
 * Object V5 Metadata"; for the grid's barrier the device library of ROCm (ockl/src/cg.cl), whose
 * grid-wide barrier on gfx11 counts workgroups in memory that the runtime gives. */
#include "emulator/hip_launch.h"

#include <string.h>

/* What hidden_multigrid_sync_arg points to: the library's struct mg_info. The first five are those
 * of a launch on several devices. */
typedef struct {
    uint64_t devices_barrier;
    uint32_t grid, grids;
    uint64_t items_before, items;
    uint32_t barrier[2]; /* arrivals in the low half, the turn in the high one; spare */
    uint32_t group_count;
} grid_sync_t;
_Static_assert(sizeof(grid_sync_t) <= EMU_GRID_SYNC_BYTES, "room for the grid's barrier");

/* Addresses that no memory has, one range for each service that is not offered. */
#define UNSERVED 0x4000u
#define UNSERVED_SHIFT 48

const char *emu_hidden_unserved(uint64_t address) {
    switch ((address >> UNSERVED_SHIFT) - UNSERVED) {
    case EMU_ARG_PRINTF_BUFFER:
        return "the buffer of printf (hidden_printf_buffer, -mprintf-kind=buffered), which this "
               "device does not offer";
    case EMU_ARG_QUEUE:
    case EMU_ARG_COMPLETION:
        return "the queue for kernels that kernels launch (hidden_default_queue), which this "
               "device does not offer";
    default:
        return NULL;
    }
}

bool emu_hidden_wanted(const emu_function *function, emu_arg_kind kind) {
    for (uint32_t i = 0; i < function->arg_count; i++)
        if (function->args[i].kind == kind) return true;
    return false;
}

static uint64_t hidden_value(const emu_shape *shape, emu_arg_kind kind, const emu_hidden *hidden) {
    switch (kind) {
    case EMU_ARG_BLOCK_COUNT_X:
    case EMU_ARG_BLOCK_COUNT_Y:
    case EMU_ARG_BLOCK_COUNT_Z: {
        unsigned i = kind - EMU_ARG_BLOCK_COUNT_X; /* whole workgroups only */
        return shape->grid_items[i] / shape->group_items[i];
    }
    case EMU_ARG_GROUP_SIZE_X:
    case EMU_ARG_GROUP_SIZE_Y:
    case EMU_ARG_GROUP_SIZE_Z:
        return shape->group_items[kind - EMU_ARG_GROUP_SIZE_X];
    case EMU_ARG_REMAINDER_X:
    case EMU_ARG_REMAINDER_Y:
    case EMU_ARG_REMAINDER_Z: {
        unsigned i = kind - EMU_ARG_REMAINDER_X;
        return shape->grid_items[i] % shape->group_items[i];
    }
    case EMU_ARG_GRID_DIMS:
        return shape->grid_items[2] > 1 ? 3 : shape->grid_items[1] > 1 ? 2 : 1;
    case EMU_ARG_DYNAMIC_LDS_SIZE:
        return shape->dynamic_lds;
    case EMU_ARG_GRID_SYNC:
        return (uint64_t)hidden->grid_sync;
    case EMU_ARG_HOSTCALL:
        return hidden->hostcall;
    case EMU_ARG_HEAP:
        return hidden->heap;
    case EMU_ARG_PRINTF_BUFFER:
    case EMU_ARG_QUEUE:
    case EMU_ARG_COMPLETION:
        return (UNSERVED + (uint64_t)kind) << UNSERVED_SHIFT;
    default:
        return 0;
    }
}

void emu_hidden_fill(uint8_t *kernarg, const emu_function *function, const emu_shape *shape,
                     const emu_hidden *hidden) {
    if (hidden->grid_sync) {
        grid_sync_t start = {.group_count = shape->groups[0] * shape->groups[1] * shape->groups[2]};
        if (hidden->grids) {
            start.devices_barrier = (uint64_t)hidden->grids->barrier;
            start.grid = hidden->grid;
            start.grids = hidden->grids->count;
            start.items_before = hidden->items_before;
            start.items = hidden->grids->items;
        }
        memcpy(hidden->grid_sync, &start, sizeof start);
    }
    for (uint32_t i = 0; i < function->arg_count; i++) {
        const emu_arg *arg = &function->args[i];
        if (arg->kind <= EMU_ARG_DYNAMIC_LDS_POINTER) continue;
        uint64_t value = hidden_value(shape, arg->kind, hidden);
        memcpy(kernarg + arg->offset, &value, arg->size < 8 ? arg->size : 8);
    }
}
