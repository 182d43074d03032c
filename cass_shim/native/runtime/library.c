/* Libraries, kernel handles, driver entry points. */
#include <string.h>

#include "driver/device.h"
#include "driver/function.h"
#include "driver/image.h"
#include "runtime/runtime.h"

static cudaError_t opened(int result, cass_module *made, cudaLibrary_t *library) {
    if (!result) *library = (cudaLibrary_t)(void *)made;
    return (cudaError_t)result;
}

/* Log options have the driver's numbers. */
static void answer(unsigned count, const enum cudaJitOption *options, void **values, int result) {
    cass_jit_answer(count, (const CUjit_option *)(const void *)options, values, result);
}

cudaError_t cass_cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                     enum cudaJitOption *jitOptions, void **jitOptionsValues,
                                     unsigned int numJitOptions,
                                     enum cudaLibraryOption *libraryOptions,
                                     void **libraryOptionValues, unsigned int numLibraryOptions) {
    ENTER(device);
    (void)device;
    cass_module *made = NULL;
    int keep = 0;
    if (!library || !code) return cudaErrorInvalidValue;
    for (unsigned i = 0; libraryOptions && i < numLibraryOptions; i++)
        if (libraryOptions[i] == cudaLibraryBinaryIsPreserved)
            keep = !libraryOptionValues || (uintptr_t)libraryOptionValues[i] != 0;
    int result = cass_image_keep(code, keep, &made);
    answer(numJitOptions, jitOptions, jitOptionsValues, result);
    return opened(result, made, library);
}

cudaError_t cass_cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *fileName,
                                         enum cudaJitOption *jitOptions, void **jitOptionsValues,
                                         unsigned int numJitOptions,
                                         enum cudaLibraryOption *libraryOptions,
                                         void **libraryOptionValues,
                                         unsigned int numLibraryOptions) {
    ENTER(device);
    (void)device, (void)libraryOptions, (void)libraryOptionValues, (void)numLibraryOptions;
    cass_module *made = NULL;
    if (!library || !fileName) return cudaErrorInvalidValue;
    int result = cass_image_load_file(fileName, &made);
    answer(numJitOptions, jitOptions, jitOptionsValues, result);
    return opened(result, made, library);
}

/* The module of a library handle, or returns from the body. */
#define LIBRARY(device, module, handle)                                                            \
    ENTER(device);                                                                                 \
    cass_module *module = cass_module_of(handle);                                                  \
    if (!module) return cudaErrorInvalidResourceHandle;                                            \
    TRY(device, cass_module_prepare(module))

cudaError_t cass_cudaLibraryUnload(cudaLibrary_t library) {
    ENTER(device);
    (void)device;
    cass_module *module = cass_module_of(library);
    if (!module) return cudaErrorInvalidResourceHandle;
    cass_module_destroy(module);
    return cudaSuccess;
}

cudaError_t cass_cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library,
                                      const char *name) {
    if (!pKernel || !name) return cudaErrorInvalidValue;
    LIBRARY(device, module, library);
    if (!pKernel || !name) return cudaErrorInvalidValue;
    cass_kernel *kernel = cass_module_kernel(module, name);
    if (!kernel) return cudaErrorSymbolNotFound;
    *pKernel = (cudaKernel_t)(void *)kernel;
    return cudaSuccess;
}

static cudaError_t global(void **dptr, size_t *bytes, cudaLibrary_t library, const char *name,
                          int managed) {
    if (!name) return cudaErrorInvalidValue;
    LIBRARY(device, module, library);
    if (!name || (!dptr && !bytes)) return cudaErrorInvalidValue;
    module = cass_module_with(module, name);
    int variable = cass_module_variable(module, name);
    const cass_manifest *manifest = module->manifest;
    if (variable < 0 || (managed && !manifest->variables[variable].managed))
        return cudaErrorSymbolNotFound;
    if (manifest->images[manifest->variables[variable].image].kind >= CASS_IMAGE_TEXTURE)
        return cudaErrorSymbolNotFound; /* a reference: no memory that a program may have */
    return DONE(device, cass_variable_address(module, variable, device, dptr, bytes));
}

cudaError_t cass_cudaLibraryGetGlobal(void **dptr, size_t *bytes, cudaLibrary_t library,
                                      const char *name) {
    return global(dptr, bytes, library, name, 0);
}

cudaError_t cass_cudaLibraryGetManaged(void **dptr, size_t *bytes, cudaLibrary_t library,
                                       const char *name) {
    return global(dptr, bytes, library, name, 1);
}

cudaError_t cass_cudaLibraryGetUnifiedFunction(void **fptr, cudaLibrary_t library,
                                               const char *symbol) {
    if (!fptr || !symbol) return cudaErrorInvalidValue;
    LIBRARY(device, module, library);
    (void)fptr, (void)symbol;
    return cudaErrorInvalidValue; /* none exist here, and a kernel is none (recorded) */
}

cudaError_t cass_cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t lib) {
    if (!count) return cudaErrorInvalidValue;
    LIBRARY(device, module, lib);
    if (!count) return cudaErrorInvalidValue;
    *count = cass_module_kernel_count(module);
    return cudaSuccess;
}

cudaError_t cass_cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int numKernels,
                                             cudaLibrary_t lib) {
    if (!kernels) return cudaErrorInvalidValue;
    LIBRARY(device, module, lib);
    if (!kernels) return cudaErrorInvalidValue;
    for (unsigned i = 0; i < numKernels; i++)
        kernels[i] = (cudaKernel_t)(void *)cass_module_kernel_at(module, i);
    return cudaSuccess;
}

cudaError_t cass_cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr,
                                                 int value, int device) {
    ENTER(entered);
    cass_kernel *known = cass_kernel_of(kernel);
    if (!known) return kernel ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
    if (device < 0 || device >= cass_device_count) return cudaErrorInvalidDevice;
    return DONE(entered, cass_function_set(known, (int)attr, value));
}

enum { PER_THREAD = 2, LEGACY = 1 };

/* A driver function by name; a name we lack is "not found", so that programs take their fallback.
 */
cudaError_t
cass_cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr, unsigned int cudaVersion,
                                      unsigned long long flags,
                                      enum cudaDriverEntryPointQueryResult *driverStatus) {
    ENTER(device);
    (void)device;
    int status = 0;
    if (!symbol || !funcPtr || flags > (PER_THREAD | LEGACY)) return cudaErrorInvalidValue;
    int per_thread = flags & PER_THREAD || (!flags && cass_call_per_thread());
    *funcPtr = cass_proc_lookup(symbol, (int)cudaVersion, per_thread, &status);
    if (driverStatus) *driverStatus = (enum cudaDriverEntryPointQueryResult)status;
    return *funcPtr || driverStatus ? cudaSuccess : cudaErrorSymbolNotFound;
}

cudaError_t cass_cudaGetDriverEntryPoint_v12(const char *symbol, void **funcPtr,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *driverStatus) {
    return cass_cudaGetDriverEntryPointByVersion(symbol, funcPtr, cass_caller_now()->version, flags,
                                                 driverStatus);
}

cudaError_t cass_cudaGetDriverEntryPoint(const char *symbol, void **funcPtr,
                                         unsigned long long flags) {
    return cass_cudaGetDriverEntryPoint_v12(symbol, funcPtr, flags, NULL);
}
