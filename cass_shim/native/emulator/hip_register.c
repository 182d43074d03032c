/* Registration of code objects by HIP programs (hip_register.h).
 * Source: the calls that clang's HIP host code makes; __CudaFatBinaryWrapper with magic "HIPF". */
#include "emulator/hip_register.h"
#include "emulator/hip_calls.h"
#include "emulator/memory.h"

#include <stdlib.h>
#include <string.h>

#define WRAPPER_MAGIC 0x48495046u

typedef struct fat_binary {
    const void *image;
    emu_module *modules[EMU_MAX_DEVICES];
    struct fat_binary *next;
} fat_binary;

typedef struct registered {
    const void *symbol;
    char *name;
    fat_binary *binary;
    void **managed; /* the host pointer of a managed variable */
    struct registered *next;
} registered;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static registered *names;

/* The module of a registered binary on the current device. Lock held. */
static emu_module *module_of(fat_binary *binary, hipError_t *error) {
    emu_module **module = &binary->modules[emu_me.device];
    if (*module && !emu_handle_is(*module, EMU_MODULE)) *module = NULL; /* hipDeviceReset took it */
    if (*module) return *module;
    hipModule_t loaded;
    *error = emu_hipModuleLoadData(&loaded, binary->image);
    if (!*error) *module = (emu_module *)loaded;
    return *module;
}

static registered *find(const void *symbol) {
    for (registered *one = names; one; one = one->next)
        if (one->symbol == symbol) return one;
    return NULL;
}

emu_function *emu_function_by_symbol(const void *symbol, hipError_t *error) {
    *error = hipErrorInvalidDeviceFunction;
    if (emu_handle_is(symbol, EMU_FUNCTION)) return (emu_function *)(uintptr_t)symbol;
    pthread_mutex_lock(&lock);
    registered *one = find(symbol);
    emu_module *module = one ? module_of(one->binary, error) : NULL;
    pthread_mutex_unlock(&lock);
    if (!one) emu_fail(*error, "%p is neither a registered kernel nor a kernel handle", symbol);
    for (size_t i = 0; module && i < module->function_count; i++)
        if (strcmp(module->functions[i].name, one->name) == 0) return &module->functions[i];
    if (module)
        *error = emu_fail(hipErrorInvalidDeviceFunction, "the code object has no kernel %.300s",
                          one->name);
    return NULL;
}

hipError_t emu_variable_by_symbol(const void *symbol, void **address, size_t *bytes) {
    hipError_t error = emu_fail(hipErrorInvalidSymbol, "%p is no registered variable", symbol);
    pthread_mutex_lock(&lock);
    registered *one = find(symbol);
    emu_module *module = one ? module_of(one->binary, &error) : NULL;
    pthread_mutex_unlock(&lock);
    if (module) return emu_hipModuleGetGlobal(address, bytes, (hipModule_t)module, one->name);
    emu_block block;
    if (one || !emu_memory_inside(symbol) || !emu_memory_find(symbol, &block)) return error;
    *address = (void *)(uintptr_t)symbol;
    *bytes = block.bytes - ((uint64_t)symbol - (uint64_t)block.base);
    return hipSuccess;
}

void **emu_registerFatBinary(const void *data) {
    struct {
        uint32_t magic, version;
        const void *image, *unused;
    } wrapper;
    if (!emu_memory_copy(&wrapper, data, sizeof wrapper) || wrapper.magic != WRAPPER_MAGIC)
        return NULL;
    fat_binary *binary = calloc(1, sizeof *binary);
    if (binary) binary->image = wrapper.image;
    return (void **)binary;
}

static void add(void **modules, const void *symbol, const char *name, void **managed) {
    registered *one = calloc(1, sizeof *one);
    if (!one || !modules || !name || !(one->name = strdup(name))) {
        free(one);
        return;
    }
    one->symbol = symbol;
    one->binary = (fat_binary *)modules;
    one->managed = managed;
    pthread_mutex_lock(&lock);
    one->next = names;
    names = one;
    pthread_mutex_unlock(&lock);
}

void emu_registerFunction(void **modules, const void *hostFunction, char *deviceFunction,
                          const char *deviceName, unsigned int threadLimit, void *tid, void *bid,
                          void *blockDim, void *gridDim, int *wSize) {
    (void)deviceFunction, (void)threadLimit, (void)tid, (void)bid, (void)blockDim, (void)gridDim,
        (void)wSize;
    add(modules, hostFunction, deviceName, NULL);
}

void emu_registerVar(void **modules, void *var, char *hostVar, char *deviceVar, int ext,
                     size_t size, int constant, int global) {
    (void)hostVar, (void)ext, (void)size, (void)constant, (void)global;
    add(modules, var, deviceVar, NULL);
}

void emu_unregisterFatBinary(void **modules) {
    fat_binary *binary = (fat_binary *)modules;
    if (!binary) return;
    pthread_mutex_lock(&lock);
    for (registered **link = &names; *link;) {
        registered *one = *link;
        if (one->binary != binary) {
            link = &one->next;
            continue;
        }
        *link = one->next;
        free(one->name);
        free(one);
    }
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < EMU_MAX_DEVICES && !emu_after_fork(); i++)
        if (binary->modules[i] && emu_handle_is(binary->modules[i], EMU_MODULE))
            emu_hipModuleUnload((hipModule_t)binary->modules[i]);
    free(binary);
}

/* The configuration that <<<...>>> leaves for the launch stub. */
static _Thread_local struct {
    dim3 grid, block;
    size_t shared;
    hipStream_t stream;
} pushed;

hipError_t emu_pushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                     hipStream_t stream) {
    pushed.grid = gridDim;
    pushed.block = blockDim;
    pushed.shared = sharedMem;
    pushed.stream = stream;
    return hipSuccess;
}

hipError_t emu_popCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem,
                                    hipStream_t *stream) {
    *gridDim = pushed.grid;
    *blockDim = pushed.block;
    *sharedMem = pushed.shared;
    *stream = pushed.stream;
    return hipSuccess;
}

hipError_t emu_hipGetSymbolAddress(void **devPtr, const void *symbol) {
    size_t bytes;
    return devPtr ? emu_variable_by_symbol(symbol, devPtr, &bytes)
                  : emu_fail(hipErrorInvalidValue, "no pointer");
}

hipError_t emu_hipGetSymbolSize(size_t *size, const void *symbol) {
    void *address;
    return size ? emu_variable_by_symbol(symbol, &address, size)
                : emu_fail(hipErrorInvalidValue, "no size");
}

/* Address of [offset, offset + bytes) of a variable. */
static hipError_t part_of(const void *symbol, size_t offset, size_t bytes, void **address) {
    size_t size;
    hipError_t error = emu_variable_by_symbol(symbol, address, &size);
    if (error) return error;
    if (offset > size || bytes > size - offset)
        return emu_fail(hipErrorInvalidValue, "the copy leaves the variable of %zu bytes", size);
    *address = (uint8_t *)*address + offset;
    return hipSuccess;
}

hipError_t emu_hipMemcpyToSymbol(const void *symbol, const void *src, size_t sizeBytes,
                                 size_t offset, hipMemcpyKind kind) {
    void *address;
    hipError_t error = part_of(symbol, offset, sizeBytes, &address);
    return error ? error : emu_hipMemcpy(address, src, sizeBytes, kind);
}

hipError_t emu_hipMemcpyToSymbolAsync(const void *symbol, const void *src, size_t sizeBytes,
                                      size_t offset, hipMemcpyKind kind, hipStream_t stream) {
    void *address;
    hipError_t error = part_of(symbol, offset, sizeBytes, &address);
    return error ? error : emu_hipMemcpyAsync(address, src, sizeBytes, kind, stream);
}

hipError_t emu_hipMemcpyFromSymbol(void *dst, const void *symbol, size_t sizeBytes, size_t offset,
                                   hipMemcpyKind kind) {
    void *address;
    hipError_t error = part_of(symbol, offset, sizeBytes, &address);
    return error ? error : emu_hipMemcpy(dst, address, sizeBytes, kind);
}

hipError_t emu_hipMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t sizeBytes,
                                        size_t offset, hipMemcpyKind kind, hipStream_t stream) {
    void *address;
    hipError_t error = part_of(symbol, offset, sizeBytes, &address);
    return error ? error : emu_hipMemcpyAsync(dst, address, sizeBytes, kind, stream);
}
