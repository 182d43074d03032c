/* Hidden kernel arguments: what a launch passes beside the caller's. Source: AMDGPUUsage, "Code
 * Object V5 Metadata"; for the grid's barrier the device library of ROCm (ockl/src/cg.cl), whose
 * grid-wide barrier on gfx11 counts workgroups in memory that the runtime gives. */
#include "emulator/hip_launch.h"

#include <string.h>

/* What hidden_multigrid_sync_arg points to: the library's struct mg_info. Grids of several devices
 * (the first five) are not launched here. */
typedef struct {
    uint64_t devices_barrier;
    uint32_t grid, grids;
    uint64_t items_before, items;
    uint32_t barrier[2]; /* arrivals in the low half, the turn in the high one; spare */
    uint32_t group_count;
} grid_sync_t;
_Static_assert(sizeof(grid_sync_t) <= EMU_GRID_SYNC_BYTES, "room for the grid's barrier");

static uint64_t hidden_value(const emu_shape *shape, emu_arg_kind kind, const void *grid_sync) {
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
        return (uint64_t)grid_sync;
    default:
        return 0;
    }
}

void emu_hidden_fill(uint8_t *kernarg, const emu_function *function, const emu_shape *shape,
                     void *grid_sync) {
    if (grid_sync) {
        grid_sync_t start = {.group_count = shape->groups[0] * shape->groups[1] * shape->groups[2]};
        memcpy(grid_sync, &start, sizeof start);
    }
    for (uint32_t i = 0; i < function->arg_count; i++) {
        const emu_arg *arg = &function->args[i];
        if (arg->kind <= EMU_ARG_DYNAMIC_LDS_POINTER) continue;
        uint64_t value = hidden_value(shape, arg->kind, grid_sync);
        memcpy(kernarg + arg->offset, &value, arg->size < 8 ? arg->size : 8);
    }
}
