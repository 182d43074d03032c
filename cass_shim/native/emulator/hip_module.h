/* Loaded code objects: modules, their kernels and variables. */
#ifndef CASS_EMU_HIP_MODULE_H
#define CASS_EMU_HIP_MODULE_H

#include "emulator/hip_queue.h"

/* Largest kernarg segment: CUDA 12.1 allows 32,764 bytes of parameters, hidden arguments take 256
 * more. */
#define EMU_MAX_KERNARG 65536u

/* What fills one kernel argument: the caller, or for the hidden ones the launch (AMDGPUUsage, code
 * object v5). */
typedef enum {
    EMU_ARG_VALUE,
    EMU_ARG_POINTER,
    EMU_ARG_DYNAMIC_LDS_POINTER,
    EMU_ARG_BLOCK_COUNT_X,
    EMU_ARG_BLOCK_COUNT_Y,
    EMU_ARG_BLOCK_COUNT_Z,
    EMU_ARG_GROUP_SIZE_X,
    EMU_ARG_GROUP_SIZE_Y,
    EMU_ARG_GROUP_SIZE_Z,
    EMU_ARG_REMAINDER_X,
    EMU_ARG_REMAINDER_Y,
    EMU_ARG_REMAINDER_Z,
    EMU_ARG_GRID_DIMS,
    EMU_ARG_DYNAMIC_LDS_SIZE,
    EMU_ARG_GRID_SYNC,
    EMU_ARG_HOSTCALL, /* printf, assert and malloc of the device library */
    EMU_ARG_HEAP,
    EMU_ARG_PRINTF_BUFFER, /* not offered: an address that faults, with a reason */
    EMU_ARG_QUEUE,
    EMU_ARG_COMPLETION,
    EMU_ARG_HIDDEN_ZERO
} emu_arg_kind;

typedef struct {
    uint32_t offset, size;
    emu_arg_kind kind;
} emu_arg;

typedef struct emu_module emu_module;

typedef struct emu_function {
    emu_module *module;
    char *name;
    uint64_t entry; /* host address */
    uint32_t rsrc1, rsrc2, rsrc3;
    uint16_t properties;
    uint32_t kernarg_bytes, lds_bytes, scratch_bytes;
    bool has_metadata, dynamic_stack;
    uint32_t vgprs, sgprs, max_threads, required[3];
    uint32_t explicit_count, explicit_bytes; /* arguments that the caller gives; end of the last */
    emu_arg *args;
    uint32_t arg_count;
    uint32_t max_dynamic_lds; /* hipFuncSetAttribute */
} emu_function;

typedef struct {
    char *name;
    uint64_t address, bytes;
} emu_symbol;

struct emu_module {
    emu_device *device;
    _Atomic unsigned references;
    uint8_t *base;
    uint64_t bytes;
    uint64_t text, text_bytes;
    emu_program *program;
    emu_function *functions;
    size_t function_count;
    emu_symbol *symbols; /* variables */
    size_t symbol_count;
    emu_module *next; /* of the live modules, for reset */
};

/* Loads a code object or a bundle that holds one for this board. bytes: 0 when the caller does not
 * know them; the image's own headers then say. Copies what it needs. NULL: `error` says why, the
 * reason text says what. loader.c */
emu_module *emu_module_load(emu_device *device, const void *image, uint64_t bytes,
                            hipError_t *error);
void emu_module_retain(emu_module *module);
void emu_module_release(emu_module *module);
/* Unloads what is left on a device (hipDeviceReset). */
void emu_modules_reset(emu_device *device);
emu_function *emu_function_of(hipFunction_t handle);

/* Inside the loader: bounded views, and its three parts. */
typedef struct {
    const uint8_t *data;
    uint64_t bytes;
} emu_view;
/* The code object for gfx1100 inside a bundle (or the view itself). `owned` receives memory to
 * free. */
bool emu_bundle_select(emu_view image, emu_view *chosen, void **owned, hipError_t *error);
/* How many bytes an image of unknown size has, by its headers; 0: unrecognisable or unreadable. */
uint64_t emu_image_bytes(const void *image);
/* Kernel metadata of a note's msgpack document, attached to the functions by descriptor symbol. */
bool emu_metadata_attach(emu_module *module, emu_view document);

#endif
