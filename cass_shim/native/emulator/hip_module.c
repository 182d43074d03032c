/* Modules, kernels, variables, and the calls that launch. */
#include "emulator/hip_calls.h"
#include "emulator/hip_module.h"
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
