/* Driver API: modules, libraries, linking. A CUlibrary and a CUmodule are both a cass_module. */
#include <stdlib.h>
#include <string.h>

#include "driver/api.h"
#include "driver/image.h"

static CUresult loaded(int result, CUmodule *out, cass_module *module, unsigned count,
                       CUjit_option *options, void **values) {
    cass_jit_answer(count, options, values, result);
    if (!result) *out = module;
    return RESULT(result);
}

CUresult cass_cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
                                 CUjit_option *options, void **optionValues) {
    ENTER(device);
    (void)device;
    if (!module || !image || !cass_jit_known(numOptions, options)) return CUDA_ERROR_INVALID_VALUE;
    cass_module *made = NULL;
    int result = cass_image_load(image, 0, &made);
    if (!result) cass_module_of_context(made);
    return loaded(result, module, made, numOptions, options, optionValues);
}

CUresult cass_cuModuleLoadData(CUmodule *module, const void *image) {
    return cass_cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult cass_cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin) {
    return cass_cuModuleLoadDataEx(module, fatCubin, 0, NULL, NULL);
}

CUresult cass_cuModuleLoad(CUmodule *module, const char *fname) {
    ENTER(device);
    (void)device;
    if (!module || !fname) return CUDA_ERROR_INVALID_VALUE;
    cass_module *made = NULL;
    int result = cass_image_load_file(fname, &made);
    if (!result) cass_module_of_context(made);
    return loaded(result, module, made, 0, NULL, NULL);
}

CUresult cass_cuModuleUnload(CUmodule hmod) {
    ENTER(device);
    (void)device;
    cass_module *module = cass_module_of(hmod);
    if (!module) return CUDA_ERROR_INVALID_HANDLE;
    cass_module_destroy(module);
    return CUDA_SUCCESS;
}

CUresult cass_cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
    if (!mode) return CUDA_ERROR_INVALID_VALUE;
    STARTED();
    const char *asked = getenv("CUDA_MODULE_LOADING");
    *mode = asked && !strcmp(asked, "EAGER") ? CU_MODULE_EAGER_LOADING : CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}

static int find_kernel(const void *handle, const char *name, cass_kernel **kernel) {
    cass_module *module = cass_module_of(handle);
    if (!name || !kernel) return INVALID_VALUE;
    if (!module) return INVALID_HANDLE;
    int result = cass_module_prepare(module);
    if (result) return result;
    if (!*name) return INVALID_VALUE;
    *kernel = cass_module_kernel(module, name);
    return *kernel ? OK : SYMBOL_NOT_FOUND;
}

CUresult cass_cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name) {
    ENTER(device);
    if (!cass_module_of(hmod)) return CUDA_ERROR_INVALID_HANDLE;
    return DONE(device, find_kernel(hmod, name, hfunc));
}

static int find_global(const void *handle, const char *name, cass_device *device,
                       CUdeviceptr *pointer, size_t *bytes, int managed) {
    cass_module *module = cass_module_of(handle);
    if (!module) return INVALID_HANDLE;
    if (!name || (!pointer && !bytes)) return INVALID_VALUE;
    int result = cass_module_prepare(module);
    if (result) return result;
    module = cass_module_with(module, name);
    int variable = cass_module_variable(module, name);
    if (variable < 0) return cass_module_kernel(module, name) ? INVALID_VALUE : SYMBOL_NOT_FOUND;
    const cass_manifest *manifest = module->manifest;
    if (managed && !manifest->variables[variable].managed) return SYMBOL_NOT_FOUND;
    if (manifest->images[manifest->variables[variable].image].kind >= CASS_IMAGE_TEXTURE)
        return SYMBOL_NOT_FOUND; /* a reference: no memory that a program may have */
    void *address = NULL;
    result = cass_variable_address(module, variable, device, pointer ? &address : NULL, bytes);
    if (pointer) *pointer = (CUdeviceptr)(uintptr_t)address;
    return result;
}

CUresult cass_cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod,
                                   const char *name) {
    ENTER(device);
    return DONE(device, find_global(hmod, name, device, dptr, bytes, 0));
}

static int count_kernels(const void *handle, unsigned *count) {
    cass_module *module = cass_module_of(handle);
    if (!count) return INVALID_VALUE;
    if (!module) return INVALID_HANDLE;
    int result = cass_module_prepare(module);
    if (!result) *count = cass_module_kernel_count(module);
    return result;
}

CUresult cass_cuModuleGetFunctionCount(unsigned int *count, CUmodule mod) {
    ENTER(device);
    return DONE(device, count_kernels(mod, count));
}

static int list_kernels(const void *handle, unsigned room, cass_kernel **list) {
    unsigned count;
    if (!list) return INVALID_VALUE;
    int result = count_kernels(handle, &count);
    if (result) return result;
    cass_module *module = cass_module_of(handle);
    for (unsigned i = 0; i < room; i++) list[i] = cass_module_kernel_at(module, i);
    return OK;
}

CUresult cass_cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions,
                                         CUmodule mod) {
    ENTER(device);
    return DONE(device, list_kernels(mod, numFunctions, functions));
}

static int is_preserved(unsigned count, const CUlibraryOption *options, void **values) {
    for (unsigned i = 0; options && i < count; i++)
        if (options[i] == CU_LIBRARY_BINARY_IS_PRESERVED)
            return !values || (uintptr_t)values[i] != 0;
    return 0;
}

CUresult cass_cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
                                void **jitOptionsValues, unsigned int numJitOptions,
                                CUlibraryOption *libraryOptions, void **libraryOptionValues,
                                unsigned int numLibraryOptions) {
    STARTED();
    if (!library || !code) return CUDA_ERROR_INVALID_VALUE;
    cass_module *made = NULL;
    int keep = is_preserved(numLibraryOptions, libraryOptions, libraryOptionValues);
    int result = cass_image_keep(code, keep, &made);
    return loaded(result, (CUmodule *)(void *)library, made, numJitOptions, jitOptions,
                  jitOptionsValues);
}

CUresult cass_cuLibraryLoadFromFile(CUlibrary *library, const char *fileName,
                                    CUjit_option *jitOptions, void **jitOptionsValues,
                                    unsigned int numJitOptions, CUlibraryOption *libraryOptions,
                                    void **libraryOptionValues, unsigned int numLibraryOptions) {
    STARTED();
    (void)libraryOptions, (void)libraryOptionValues, (void)numLibraryOptions;
    if (!library || !fileName) return CUDA_ERROR_INVALID_VALUE;
    cass_module *made = NULL;
    int result = cass_image_load_file(fileName, &made);
    return loaded(result, (CUmodule *)(void *)library, made, numJitOptions, jitOptions,
                  jitOptionsValues);
}

CUresult cass_cuLibraryUnload(CUlibrary library) {
    STARTED();
    cass_module *module = cass_module_of(library);
    if (!module) return CUDA_ERROR_INVALID_HANDLE;
    cass_module_destroy(module);
    return CUDA_SUCCESS;
}

CUresult cass_cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name) {
    STARTED();
    return RESULT(find_kernel(library, name, (cass_kernel **)(void *)pKernel));
}

CUresult cass_cuLibraryGetModule(CUmodule *pMod, CUlibrary library) {
    ENTER(device);
    (void)device;
    if (!pMod) return CUDA_ERROR_INVALID_VALUE;
    cass_module *module = cass_module_of(library);
    if (!module) return CUDA_ERROR_INVALID_HANDLE;
    *pMod = module;
    return CUDA_SUCCESS;
}

CUresult cass_cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib) {
    STARTED();
    return RESULT(count_kernels(lib, count));
}

CUresult cass_cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels, CUlibrary lib) {
    STARTED();
    return RESULT(list_kernels(lib, numKernels, (cass_kernel **)(void *)kernels));
}

CUresult cass_cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library,
                                 const char *name) {
    ENTER(device);
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    return DONE(device, find_global(library, name, device, dptr, bytes, 0));
}

CUresult cass_cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library,
                                  const char *name) {
    ENTER(device);
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    return DONE(device, find_global(library, name, device, dptr, bytes, 1));
}

CUresult cass_cuLibraryGetUnifiedFunction(void **fptr, CUlibrary library, const char *symbol) {
    STARTED();
    if (!fptr || !symbol) return CUDA_ERROR_INVALID_VALUE;
    if (!cass_module_of(library)) return CUDA_ERROR_INVALID_HANDLE;
    return fptr && symbol ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_VALUE; /* none exist here */
}
