/* Modules, kernels, variables, and the calls that launch. */
#include "emulator/hip_calls.h"
#include "emulator/hip_launch.h"
#include "emulator/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static emu_module *live;
static pthread_mutex_t live_lock = PTHREAD_MUTEX_INITIALIZER;

emu_function *emu_function_of(hipFunction_t handle) {
    if (emu_handle_is(handle, EMU_FUNCTION)) return (emu_function *)handle;
    emu_fail(hipErrorInvalidHandle, "not a live kernel handle: %p", (void *)handle);
    return NULL;
}

static emu_module *module_of(hipModule_t handle) {
    if (emu_handle_is(handle, EMU_MODULE)) return (emu_module *)handle;
    emu_fail(hipErrorInvalidHandle, "not a live module: %p", (void *)handle);
    return NULL;
}

static hipError_t load_module(hipModule_t *module, const void *image, uint64_t bytes) {
    if (!module || !image) return emu_fail(hipErrorInvalidValue, "no module or no image");
    hipError_t error;
    emu_module *loaded = emu_module_load(emu_current(), image, bytes, &error);
    if (!loaded) return error;
    emu_handle_add(loaded, EMU_MODULE);
    for (size_t i = 0; i < loaded->function_count; i++)
        emu_handle_add(&loaded->functions[i], EMU_FUNCTION);
    pthread_mutex_lock(&live_lock);
    loaded->next = live;
    live = loaded;
    pthread_mutex_unlock(&live_lock);
    *module = (hipModule_t)loaded;
    return hipSuccess;
}

/* Takes the module from the live ones; false if another thread was first. */
static bool retire(emu_module *module) {
    if (!emu_handle_remove(module, EMU_MODULE)) return false;
    pthread_mutex_lock(&live_lock);
    for (emu_module **link = &live; *link; link = &(*link)->next)
        if (*link == module) {
            *link = module->next;
            break;
        }
    pthread_mutex_unlock(&live_lock);
    for (size_t i = 0; i < module->function_count; i++)
        emu_handle_remove(&module->functions[i], EMU_FUNCTION);
    emu_module_release(module);
    return true;
}

void emu_modules_reset(emu_device *device) {
    for (bool again = true; again;) {
        pthread_mutex_lock(&live_lock);
        emu_module *module = live;
        while (module && module->device != device) module = module->next;
        pthread_mutex_unlock(&live_lock);
        again = module && retire(module);
    }
}

hipError_t emu_hipModuleLoadData(hipModule_t *module, const void *image) {
    return load_module(module, image, 0);
}

hipError_t emu_hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned int numOptions,
                                   hipJitOption *options, void **optionValues) {
    (void)numOptions;
    (void)options;
    (void)optionValues; /* they steer a JIT compiler, and machine code needs none */
    return load_module(module, image, 0);
}

hipError_t emu_hipModuleLoad(hipModule_t *module, const char *fname) {
    if (!module || !fname) return emu_fail(hipErrorInvalidValue, "no module or no file name");
    FILE *file = fopen(fname, "rbe");
    if (!file) return emu_fail(hipErrorFileNotFound, "cannot open %.300s", fname);
    uint8_t *content = NULL;
    size_t bytes = 0, capacity = 0, got = 1;
    while (got && bytes < (1u << 30)) {
        if (bytes == capacity) {
            capacity = capacity ? capacity * 2 : 65536;
            uint8_t *grown = realloc(content, capacity);
            if (!grown) break;
            content = grown;
        }
        got = fread(content + bytes, 1, capacity - bytes, file);
        bytes += got;
    }
    fclose(file);
    hipError_t error = bytes ? load_module(module, content, bytes)
                             : emu_fail(hipErrorInvalidImage, "%.300s is empty", fname);
    free(content);
    return error;
}

hipError_t emu_hipModuleUnload(hipModule_t hmod) {
    emu_module *module = module_of(hmod);
    if (!module) return hipErrorInvalidHandle;
    emu_wait_device(module->device); /* a launch in flight may use its variables */
    return retire(module) ? hipSuccess : hipErrorInvalidHandle;
}

hipError_t emu_hipModuleGetFunction(hipFunction_t *function, hipModule_t hmod, const char *kname) {
    if (!function || !kname) return emu_fail(hipErrorInvalidValue, "no function or no name");
    emu_module *module = module_of(hmod);
    if (!module) return hipErrorInvalidHandle;
    for (size_t i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i].name, kname) == 0) {
            *function = (hipFunction_t)&module->functions[i];
            return hipSuccess;
        }
    return emu_fail(hipErrorNotFound, "the module has no kernel %.300s", kname);
}

hipError_t emu_hipModuleGetFunctionCount(unsigned int *count, hipModule_t hmod) {
    if (!count) return emu_fail(hipErrorInvalidValue, "no count");
    emu_module *module = module_of(hmod);
    if (!module) return hipErrorInvalidHandle;
    *count = (unsigned)module->function_count;
    return hipSuccess;
}

hipError_t emu_hipModuleGetGlobal(void **dptr, size_t *bytes, hipModule_t hmod, const char *name) {
    if (!name) return emu_fail(hipErrorInvalidValue, "no name");
    emu_module *module = module_of(hmod);
    if (!module) return hipErrorInvalidHandle;
    for (size_t i = 0; i < module->symbol_count; i++) {
        const emu_symbol *symbol = &module->symbols[i];
        if (strcmp(symbol->name, name)) continue;
        if (dptr) *dptr = (void *)symbol->address;
        if (bytes) *bytes = symbol->bytes;
        return hipSuccess;
    }
    return emu_fail(hipErrorNotFound, "the module has no variable %.300s", name);
}

/* What every launch call comes down to. */
static hipError_t launch(hipFunction_t f, const emu_shape *shape, hipStream_t handle, void **params,
                         void **extra) {
    emu_function *function = emu_function_of(f);
    emu_stream *stream = function ? emu_stream_of(handle) : NULL;
    if (!stream) return function ? hipErrorInvalidHandle : hipErrorInvalidDeviceFunction;
    if (stream->device != function->module->device)
        return emu_fail(hipErrorInvalidHandle, "%s was loaded on another device than the stream's",
                        function->name);
    hipError_t error;
    emu_launch_op *op = emu_launch_new(function, shape, params, extra, &error);
    return op ? emu_submit(stream, &op->op) : error;
}

hipError_t emu_hipModuleLaunchKernel(hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY,
                                     unsigned int gridDimZ, unsigned int blockDimX,
                                     unsigned int blockDimY, unsigned int blockDimZ,
                                     unsigned int sharedMemBytes, hipStream_t stream,
                                     void **kernelParams, void **extra) {
    const uint32_t groups[] = {gridDimX, gridDimY, gridDimZ},
                   items[] = {blockDimX, blockDimY, blockDimZ};
    emu_shape shape = emu_shape_of(groups, items, sharedMemBytes, false);
    return launch(f, &shape, stream, kernelParams, extra);
}

hipError_t emu_hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned int gridDimX,
                                                unsigned int gridDimY, unsigned int gridDimZ,
                                                unsigned int blockDimX, unsigned int blockDimY,
                                                unsigned int blockDimZ, unsigned int sharedMemBytes,
                                                hipStream_t stream, void **kernelParams) {
    const uint32_t groups[] = {gridDimX, gridDimY, gridDimZ},
                   items[] = {blockDimX, blockDimY, blockDimZ};
    emu_shape shape = emu_shape_of(groups, items, sharedMemBytes, true);
    return launch(f, &shape, stream, kernelParams, NULL);
}

/* Sizes in work-items, so the last workgroup of a dimension may be partial. */
hipError_t emu_hipExtModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX,
                                        uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ,
                                        uint32_t localWorkSizeX, uint32_t localWorkSizeY,
                                        uint32_t localWorkSizeZ, size_t sharedMemBytes,
                                        hipStream_t hStream, void **kernelParams, void **extra,
                                        hipEvent_t startEvent, hipEvent_t stopEvent,
                                        uint32_t flags) {
    (void)flags;
    const uint32_t all[] = {globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ};
    const uint32_t items[] = {localWorkSizeX, localWorkSizeY, localWorkSizeZ};
    uint32_t groups[3];
    for (int i = 0; i < 3; i++)
        groups[i] = items[i] ? (uint32_t)(((uint64_t)all[i] + items[i] - 1) / items[i]) : 0;
    emu_shape shape = emu_shape_of(groups, items, sharedMemBytes, false);
    for (int i = 0; i < 3; i++) shape.grid_items[i] = all[i];
    hipError_t error = startEvent ? emu_hipEventRecord(startEvent, hStream) : hipSuccess;
    if (!error) error = launch(f, &shape, hStream, kernelParams, extra);
    if (!error && stopEvent) error = emu_hipEventRecord(stopEvent, hStream);
    return error;
}

hipError_t emu_hipFuncGetAttribute(int *value, hipFunction_attribute attrib, hipFunction_t hfunc) {
    emu_function *function = emu_function_of(hfunc);
    if (!function) return hipErrorInvalidDeviceFunction;
    if (!value) return emu_fail(hipErrorInvalidValue, "no value");
    uint32_t limit = function->max_threads ? function->max_threads : 1024;
    switch (attrib) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = (int)limit;
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)function->lds_bytes;
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)function->scratch_bytes;
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS:
        *value = (int)function->vgprs;
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = 110;
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = function->max_dynamic_lds ? (int)function->max_dynamic_lds
                                           : 65536 - (int)function->lds_bytes;
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = 0;
        return hipSuccess;
    default:
        return emu_fail(hipErrorInvalidValue, "kernel attribute %d does not exist", (int)attrib);
    }
}
