/* Libraries: a code object that is loaded on whichever device its kernels are used on. */
#include "emulator/hip_calls.h"
#include "emulator/hip_module.h"

#include <stdlib.h>

typedef struct library library;

/* One kernel handle per kernel; it stands for the function on the current device. */
typedef struct {
    library *library;
    size_t index;
} kernel;

struct library {
    emu_module *modules[EMU_MAX_DEVICES];
    kernel *kernels;
};

static library *library_of(hipLibrary_t handle) {
    if (emu_handle_is(handle, EMU_LIBRARY)) return (library *)(void *)handle;
    emu_fail(hipErrorInvalidHandle, "not a live library: %p", (void *)handle);
    return NULL;
}

static kernel *kernel_of(hipKernel_t handle) {
    if (emu_handle_is(handle, EMU_KERNEL)) return (kernel *)(void *)handle;
    emu_fail(hipErrorInvalidHandle, "not a live kernel of a library: %p", (void *)handle);
    return NULL;
}

static hipError_t made_from(hipLibrary_t *into, hipModule_t loaded) {
    library *made = calloc(1, sizeof *made);
    emu_module *module = (emu_module *)loaded;
    if (made) made->kernels = calloc(module->function_count + 1, sizeof *made->kernels);
    if (!made || !made->kernels) {
        free(made);
        emu_hipModuleUnload(loaded);
        return emu_fail(hipErrorOutOfMemory, "no host memory for a library");
    }
    made->modules[emu_me.device] = module;
    for (size_t i = 0; i < module->function_count; i++) {
        made->kernels[i] = (kernel){made, i};
        emu_handle_add(&made->kernels[i], EMU_KERNEL);
    }
    emu_handle_add(made, EMU_LIBRARY);
    *into = (hipLibrary_t)(void *)made;
    return hipSuccess;
}

hipError_t emu_hipLibraryLoadData(hipLibrary_t *into, const void *code, hipJitOption *jitOptions,
                                  void **jitOptionsValues, unsigned int numJitOptions,
                                  hipLibraryOption *libraryOptions, void **libraryOptionValues,
                                  unsigned int numLibraryOptions) {
    (void)jitOptions, (void)jitOptionsValues, (void)numJitOptions;
    (void)libraryOptions, (void)libraryOptionValues,
        (void)numLibraryOptions; /* machine code needs no compiler */
    hipModule_t module;
    if (!into) return emu_fail(hipErrorInvalidValue, "no library");
    hipError_t error = emu_hipModuleLoadData(&module, code);
    return error ? error : made_from(into, module);
}

hipError_t emu_hipLibraryLoadFromFile(hipLibrary_t *into, const char *fileName,
                                      hipJitOption *jitOptions, void **jitOptionsValues,
                                      unsigned int numJitOptions, hipLibraryOption *libraryOptions,
                                      void **libraryOptionValues, unsigned int numLibraryOptions) {
    (void)jitOptions, (void)jitOptionsValues, (void)numJitOptions;
    (void)libraryOptions, (void)libraryOptionValues, (void)numLibraryOptions;
    hipModule_t module;
    if (!into) return emu_fail(hipErrorInvalidValue, "no library");
    hipError_t error = emu_hipModuleLoad(&module, fileName);
    return error ? error : made_from(into, module);
}

hipError_t emu_hipLibraryUnload(hipLibrary_t handle) {
    library *one = library_of(handle);
    if (!one || !emu_handle_remove(one, EMU_LIBRARY)) return hipErrorInvalidHandle;
    for (size_t i = 0; emu_handle_remove(&one->kernels[i], EMU_KERNEL); i++) continue;
    for (int i = 0; i < EMU_MAX_DEVICES; i++)
        if (one->modules[i] && emu_handle_is(one->modules[i], EMU_MODULE))
            emu_hipModuleUnload((hipModule_t)one->modules[i]);
    free(one->kernels);
    free(one);
    return hipSuccess;
}

/* The library's module on the current device. Only the device that loaded it has one: the image is
 * not kept. */
static emu_module *module_here(library *one) {
    emu_module *module = one->modules[emu_me.device];
    if (module && emu_handle_is(module, EMU_MODULE)) return module;
    emu_fail(hipErrorInvalidDevice,
             "the library was loaded on another device, or the device was reset");
    return NULL;
}

hipError_t emu_hipLibraryGetKernel(hipKernel_t *pKernel, hipLibrary_t handle, const char *name) {
    library *one = library_of(handle);
    emu_module *module = one && pKernel ? module_here(one) : NULL;
    hipFunction_t function;
    if (!module) return hipErrorInvalidValue;
    hipError_t error = emu_hipModuleGetFunction(&function, (hipModule_t)module, name);
    if (!error)
        *pKernel = (hipKernel_t)(void *)&one->kernels[(emu_function *)function - module->functions];
    return error;
}

hipError_t emu_hipLibraryGetKernelCount(unsigned int *count, hipLibrary_t handle) {
    library *one = library_of(handle);
    emu_module *module = one ? module_here(one) : NULL;
    return module ? emu_hipModuleGetFunctionCount(count, (hipModule_t)module)
                  : hipErrorInvalidValue;
}

hipError_t emu_hipLibraryGetGlobal(void **dptr, size_t *bytes, hipLibrary_t handle,
                                   const char *name) {
    library *one = library_of(handle);
    emu_module *module = one ? module_here(one) : NULL;
    return module ? emu_hipModuleGetGlobal(dptr, bytes, (hipModule_t)module, name)
                  : hipErrorInvalidValue;
}

/* Managed variables of HIP programs are pointers named `<variable>.managed`; code objects of ours
 * have none. */
hipError_t emu_hipLibraryGetManaged(void **dptr, size_t *bytes, hipLibrary_t handle,
                                    const char *name) {
    return emu_hipLibraryGetGlobal(dptr, bytes, handle, name);
}

hipError_t emu_hipLibraryEnumerateKernels(hipKernel_t *kernels, unsigned int numKernels,
                                          hipLibrary_t handle) {
    library *one = library_of(handle);
    emu_module *module = one && kernels ? module_here(one) : NULL;
    if (!module) return hipErrorInvalidValue;
    for (unsigned i = 0; i < numKernels; i++)
        kernels[i] = i < module->function_count ? (hipKernel_t)(void *)&one->kernels[i] : NULL;
    return hipSuccess;
}

hipError_t emu_hipKernelGetFunction(hipFunction_t *pFunc, hipKernel_t handle) {
    kernel *one = kernel_of(handle);
    emu_module *module = one && pFunc ? module_here(one->library) : NULL;
    if (!module) return hipErrorInvalidValue;
    *pFunc = (hipFunction_t)(void *)&module->functions[one->index];
    return hipSuccess;
}

hipError_t emu_hipKernelGetLibrary(hipLibrary_t *library_out, hipKernel_t handle) {
    kernel *one = kernel_of(handle);
    if (!one || !library_out) return emu_fail(hipErrorInvalidValue, "no kernel or no result");
    *library_out = (hipLibrary_t)(void *)one->library;
    return hipSuccess;
}

hipError_t emu_hipKernelGetName(const char **name, hipKernel_t handle) {
    kernel *one = kernel_of(handle);
    emu_module *module = one && name ? module_here(one->library) : NULL;
    if (!module) return hipErrorInvalidValue;
    *name = module->functions[one->index].name;
    return hipSuccess;
}

hipError_t emu_hipKernelGetParamInfo(hipKernel_t handle, size_t paramIndex, size_t *paramOffset,
                                     size_t *paramSize) {
    hipFunction_t function;
    hipError_t error = emu_hipKernelGetFunction(&function, handle);
    if (error) return error;
    const emu_function *facts = (const emu_function *)function;
    size_t given = 0;
    for (uint32_t i = 0; i < facts->arg_count; i++) {
        if (facts->args[i].kind > EMU_ARG_DYNAMIC_LDS_POINTER || given++ != paramIndex) continue;
        if (paramOffset) *paramOffset = facts->args[i].offset;
        if (paramSize) *paramSize = facts->args[i].size;
        return hipSuccess;
    }
    return emu_fail(hipErrorInvalidValue, "%s has %zu parameters", facts->name, given);
}

hipError_t emu_hipKernelGetAttribute(int *pi, hipFunction_attribute attrib, hipKernel_t handle,
                                     hipDevice_t dev) {
    hipFunction_t function;
    hipError_t error =
        dev == emu_me.device ? emu_hipKernelGetFunction(&function, handle) : hipErrorInvalidDevice;
    return error ? error : emu_hipFuncGetAttribute(pi, attrib, function);
}

hipError_t emu_hipKernelSetAttribute(hipFunction_attribute attrib, int value, hipKernel_t handle,
                                     hipDevice_t dev) {
    hipFunction_t function;
    hipError_t error =
        dev == emu_me.device ? emu_hipKernelGetFunction(&function, handle) : hipErrorInvalidDevice;
    return error ? error : emu_hipFuncSetAttribute(function, (hipFuncAttribute)attrib, value);
}
