/* Kernels: code from the client, a HIP function per device, and the binding table. See module.h. */
#include <stdlib.h>
#include <string.h>

#include "driver/heap.h"
#include "driver/module_private.h"
#include "driver/ring.h"
#include "driver/shared.h"
#include "driver/snapshot.h"
#include "driver/texture.h"

enum { KERNEL_MAGIC = 0x434b524e, DEFAULT_SHARED = 48 * 1024, MAX_THREADS = 1024 };
enum { REGISTER_FILE = 65536, REGISTER_UNIT = 256, WARP = 32 };

/* Of a block, by CUDA's own rule: registers are given to warps in units of 256, four warps at a
 * time. */
static int most_threads(const cass_kernel_info *info) {
    if (info->max_threads) return (int)info->max_threads;
    if (!info->registers) return MAX_THREADS;
    uint32_t per_warp =
        (info->registers * WARP + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
    uint32_t threads = REGISTER_FILE / per_warp / 4 * 4 * WARP;
    return threads < MAX_THREADS ? (int)threads : MAX_THREADS;
}

void cass_kernel_init(cass_kernel *kernel, cass_module *module, uint32_t index,
                      const cass_kernel_info *info) {
    kernel->magic = KERNEL_MAGIC;
    kernel->index = index;
    kernel->module = module;
    kernel->info = info;
    size_t used = cass_static_shared(kernel);
    kernel->most_threads = most_threads(info);
    kernel->dynamic_limit = used < DEFAULT_SHARED ? DEFAULT_SHARED - (int)used : 0;
    kernel->carveout = -1;
    pthread_mutex_init(&kernel->making, NULL);
}

cass_kernel *cass_kernel_of(const void *handle) {
    if (!handle || (uintptr_t)handle % _Alignof(cass_kernel)) return NULL;
    cass_kernel *kernel = (cass_kernel *)(uintptr_t)handle;
    return kernel->magic == KERNEL_MAGIC ? kernel : NULL;
}

/* A launch that found too little memory may find it later. */
static int fail(cass_kernel *kernel, int spilled, int code, const char *message) {
    int result = code ? code : UNKNOWN_ERROR;
    if (result != OUT_OF_MEMORY) kernel->failed[spilled] = result;
    if (message && !atomic_exchange(&kernel->complained, 1)) cass_complain("%s", message);
    return result;
}

static int symbol_address(cass_module *module, const cass_module_data *data, const char *name,
                          uint64_t *value) {
    int index = cass_module_variable(module, name);
    if (index < 0) return INVALID_SYMBOL;
    const cass_variable_info *variable =
        &((const cass_manifest *)module->manifest)->variables[index];
    *value += (uint64_t)(uintptr_t)data->images[variable->image] + variable->offset;
    return OK;
}

/* A module without constant memory has it at 0: kernels read the bank's address also to tell
 * spaces apart. */
static int bank_address(cass_module *module, const cass_module_data *data, int64_t bank,
                        uint64_t *value) {
    const cass_manifest *manifest = module->manifest;
    for (uint32_t i = 0; bank == 3 && i < manifest->image_count; i++)
        if (manifest->images[i].kind == CASS_IMAGE_CONSTANT3) {
            *value = (uint64_t)(uintptr_t)data->images[i];
            return OK;
        }
    *value = 0;
    return bank == 3 ? OK : INVALID_IMAGE;
}

/* The value of one slot on this device. GRID_SYNC is set per launch and stays 0 here. */
static int slot_value(cass_kernel *kernel, cass_device *device, const cass_module_data *data,
                      const cass_slot *slot, uint64_t *value) {
    *value = 0;
    switch (slot->kind) {
    case CASS_SLOT_SYMBOL:
        *value = (uint64_t)slot->addend;
        return symbol_address(kernel->module, data, slot->symbol, value);
    case CASS_SLOT_BANK:
        return bank_address(kernel->module, data, slot->addend, value);
    case CASS_SLOT_PRINTF:
        return cass_ring_address(device, value);
    case CASS_SLOT_HEAP:
        return cass_heap_address(device, value);
    case CASS_SLOT_TEXTURES:
        return cass_texture_table(device, value);
    case CASS_SLOT_SHARED_ARENA:
        return cass_shared_arena(device, value);
    case CASS_SLOT_GRID_SYNC:
        return OK;
    default:
        return NOT_SUPPORTED;
    }
}

static int fill_bindings(cass_kernel *kernel, cass_device *device, cass_kernel_device *made) {
    const cass_code *code = made->code;
    cass_module_data *data;
    int result = cass_module_data_on(kernel->module, device, &data);
    if (result) return result;
    made->host_bindings = calloc(code->slot_count, sizeof(uint64_t));
    if (!made->host_bindings) return OUT_OF_MEMORY;
    for (uint32_t i = 0; i < code->slot_count; i++) {
        if (code->slots[i].kind == CASS_SLOT_GRID_SYNC) made->grid_sync_slot = (int)i;
        result = slot_value(kernel, device, data, &code->slots[i], &made->host_bindings[i]);
        if (!result) continue;
        if (result != OUT_OF_MEMORY)
            cass_complain("%s: slot %u (%s, kind %u) of its code has no address in this module",
                          kernel->info->name, i, code->slots[i].symbol ? code->slots[i].symbol : "",
                          code->slots[i].kind);
        return result;
    }
    return OK;
}

/* The table goes to device memory (cass1), or into the object's own `cass_bindings` array (hip). */
static int place_bindings(cass_kernel_device *made) {
    size_t bytes = made->code->slot_count * sizeof(uint64_t), room = 0;
    void *where = NULL;
    int result;
    if (made->code->abi == CASS_ABI_HIP) {
        result = HIP_OPTIONAL(hipModuleGetGlobal, &where, &room, made->module, "cass_bindings");
        if (!result && room < bytes) result = INVALID_IMAGE;
    } else {
        result = HIP(hipMalloc, &where, bytes);
        made->bindings = where;
    }
    return result ? result : cass_copy_in(where, made->host_bindings, bytes);
}

static int attribute(const cass_kernel_device *made, int which, int otherwise) {
    int value;
    return HIP_OPTIONAL(hipFuncGetAttribute, &value, which, made->function) ? otherwise : value;
}

static int load(cass_kernel *kernel, cass_device *device, cass_kernel_device *made) {
    int result = HIP(hipModuleLoadData, &made->module, made->code->code);
    if (!result)
        result = HIP(hipModuleGetFunction, &made->function, made->module, made->code->symbol);
    if (result) {
        cass_complain("%s: the device library refuses its code object (%s): error %d",
                      kernel->info->name, made->code->route, result);
        return result;
    }
    made->max_threads = attribute(made, HIP_FUNCTION_MAX_THREADS, MAX_THREADS);
    made->static_shared = (int)made->code->lds_bytes;
    if (!made->code->slot_count) return OK;
    result = fill_bindings(kernel, device, made);
    return result ? result : place_bindings(made);
}

static void free_made(cass_kernel_device *made, int free_memory) {
    if (free_memory && made->bindings) HIP(hipFree, made->bindings);
    if (free_memory && made->module) HIP(hipModuleUnload, made->module);
    free(made->host_bindings);
    free(made);
}

/* The kernel's code; a launch is captured for it where the client asks for that, before the code is
 * made or, where generated inputs told too little of it, to judge it by. */
static int get_code(cass_kernel *kernel, cass_device *device, int spilled,
                    const cass_launch *launch, const cass_code **code, cass_client_error *error) {
    const cass_manifest *manifest = kernel->module->manifest;
    cass_snapshot *snapshot = NULL;
    if (launch && cass_client_wants_launch(manifest, kernel->index, spilled))
        snapshot = cass_snapshot_take(device, kernel, launch, 1);
    int failed = cass_client_kernel_for(manifest, kernel->index, spilled,
                                        cass_snapshot_launch(snapshot), code, error);
    if (!failed && launch && !snapshot && cass_client_wants_judging(*code)) {
        snapshot = cass_snapshot_take(device, kernel, launch, 0);
        if (snapshot)
            failed = cass_client_judge(manifest, kernel->index, spilled,
                                       cass_snapshot_launch(snapshot), code, error);
    }
    cass_snapshot_free(snapshot);
    if (!failed) cass_client_note_evidence(manifest, kernel->index, *code);
    return failed;
}

static int make(cass_kernel *kernel, cass_device *device, int spilled, const cass_launch *launch,
                cass_kernel_device **out) {
    cass_client_error error = {0};
    cass_kernel_device *made = calloc(1, sizeof *made);
    if (!made) return OUT_OF_MEMORY;
    made->grid_sync_slot = -1;
    made->epoch = device->epoch;
    made->spilled = spilled;
    if (get_code(kernel, device, spilled, launch, &made->code, &error)) {
        free(made);
        return fail(kernel, spilled, error.cuda_error, error.message);
    }
    int result = load(kernel, device, made);
    if (result) {
        free_made(made, 1);
        return fail(kernel, spilled, result, NULL);
    }
    *out = made;
    return OK;
}

int cass_kernel_prepare(cass_kernel *kernel, cass_device *device, const cass_launch *launch,
                        cass_kernel_device **out) {
    int spilled = launch && cass_launch_spills(kernel, launch->shared_bytes);
    _Atomic(cass_kernel_device *) *slot = &kernel->device[spilled][cass_device_index(device)];
    *out = atomic_load_explicit(slot, memory_order_acquire);
    if (*out && (*out)->epoch == device->epoch) return OK;
    if (kernel->failed[spilled]) return kernel->failed[spilled];
    pthread_mutex_lock(&kernel->making);
    int result = OK;
    *out = atomic_load(slot);
    if (!*out || (*out)->epoch != device->epoch) {
        result = kernel->failed[spilled]; /* while this thread waited */
        if (!result) result = make(kernel, device, spilled, launch, out);
        if (!result) atomic_store_explicit(slot, *out, memory_order_release);
    }
    pthread_mutex_unlock(&kernel->making);
    return result;
}

void cass_kernel_drop(cass_kernel *kernel, int device, int free_memory) {
    for (int spilled = 0; spilled < 2; spilled++) {
        cass_kernel_device *made = atomic_exchange(&kernel->device[spilled][device], NULL);
        if (made) free_made(made, free_memory);
    }
}

int cass_module_used_on(const cass_module *module, int device) {
    const cass_manifest *manifest = module->manifest;
    for (uint32_t i = 0; manifest && i < manifest->kernel_count; i++)
        if (atomic_load(&module->kernels[i].device[0][device]) ||
            atomic_load(&module->kernels[i].device[1][device]))
            return 1;
    return 0;
}
