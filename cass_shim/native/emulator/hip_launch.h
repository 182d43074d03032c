/* A kernel launch as an operation: checked when it is asked for, its arguments copied, run by its
 * stream. */
#ifndef CASS_EMU_HIP_LAUNCH_H
#define CASS_EMU_HIP_LAUNCH_H

#include "emulator/hip_module.h"

#include <stdatomic.h>

typedef struct {
    uint32_t groups[3], group_items[3];
    uint64_t grid_items[3];
    uint32_t dynamic_lds;
    bool cooperative;
} emu_shape;

/* The grids of one cooperative launch on several devices, which meet at `barrier`. hip_grids.c */
typedef struct {
    _Atomic unsigned references;
    uint64_t *barrier; /* device memory */
    uint32_t count;
    uint64_t items;
    atomic_int failed; /* one has not ended well: the others would wait for ever */
} emu_grids;
void emu_grids_release(emu_grids *grids);

/* arguments: the explicit part of the kernarg segment, owned. */
typedef struct {
    emu_op op;
    emu_function *function; /* holds its module */
    emu_shape shape;
    uint8_t *arguments;
    uint32_t argument_bytes;
    int priority;       /* kept, not used: one launch has all processors */
    const void *symbol; /* what the caller named the kernel by, for graph nodes */
    void **pointers;    /* to each explicit argument, made when asked for */
    emu_grids *grids;   /* that run together on several devices, a reference; NULL: it is alone */
    uint32_t grid;      /* which of them */
    uint64_t items_before; /* work-items of those before it */
    bool ended_well;
} emu_launch_op;

/* Fills groups and grid_items of a shape given in workgroups. */
emu_shape emu_shape_of(const uint32_t groups[3], const uint32_t group_items[3], size_t dynamic_lds,
                       bool cooperative);
/* Checks the shape against the kernel and the board. */
hipError_t emu_check_shape(const emu_function *function, const emu_shape *shape);
/* A checked launch; kernel_params or extra as in hipModuleLaunchKernel. NULL with `error` set. */
emu_launch_op *emu_launch_new(emu_function *function, const emu_shape *shape, void **kernel_params,
                              void **extra, hipError_t *error);
/* Pointers to the explicit arguments, as kernelParams; NULL without memory or metadata. */
void **emu_launch_pointers(emu_launch_op *launch);
/* Replaces the arguments of a launch that is not running (graph nodes). */
hipError_t emu_launch_set_arguments(emu_launch_op *launch, void **kernel_params, void **extra);
/* What hidden arguments of one launch point to, 0: to nothing. grid_sync: EMU_GRID_SYNC_BYTES of
 * device memory for the barrier of a cooperative launch's grid. */
#define EMU_GRID_SYNC_BYTES 64u
typedef struct {
    void *grid_sync;
    const emu_grids *grids; /* of several devices, this one's number and what is before it */
    uint32_t grid;
    uint64_t items_before;
    uint64_t hostcall, heap;
} emu_hidden;
/* Whether the kernel has an argument of this kind. */
bool emu_hidden_wanted(const emu_function *function, emu_arg_kind kind);
/* Fills the hidden arguments of a kernarg segment, and prepares the grid's barrier. */
void emu_hidden_fill(uint8_t *kernarg, const emu_function *function, const emu_shape *shape,
                     const emu_hidden *hidden);
/* What a kernel lacks that touched this address; NULL: no hidden argument is near. */
const char *emu_hidden_unserved(uint64_t address);
/* The most workgroups of this shape that are resident at once, per compute unit and on the board.
 */
unsigned emu_resident_groups(const emu_function *function, uint32_t items, size_t dynamic_lds);
/* EMU_* status of the launch that made the device's sticky error; EMU_OK if none did. */
emu_status emu_last_status(void);

#endif
