/* Modules: identity, manifest, memory and its relocations. Kernels are in kernel.c. */
#include "driver/module.h"

#include <stdlib.h>
#include <string.h>

#include "driver/module_private.h"
#include "driver/reference.h"

enum { MODULE_MAGIC = 0x434d4f44, FATBIN_MAGIC = 0xBA55ED50u, ELF_HEADER_BYTES = 64 };

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static cass_module *all_modules;

static uint64_t read64(const unsigned char *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint32_t read16(const unsigned char *at) { return (uint32_t)(at[0] | at[1] << 8); }

/* End of the section header table: cubins carry it last. */
static size_t elf_bytes(const unsigned char *image) {
    uint64_t sections = read64(image + 40), programs = read64(image + 32);
    uint64_t end = sections + (uint64_t)read16(image + 58) * read16(image + 60);
    uint64_t segments = programs + (uint64_t)read16(image + 54) * read16(image + 56);
    return (size_t)(end > segments ? end : segments);
}

size_t cass_image_bytes(const void *image) {
    const unsigned char *bytes = image;
    uint32_t magic;
    memcpy(&magic, bytes, sizeof magic);
    if (magic == FATBIN_MAGIC) return read16(bytes + 6) + (size_t)read64(bytes + 8);
    if (!memcmp(bytes, "\177ELF", 4)) return elf_bytes(bytes);
    if (bytes[0] == 0 || bytes[0] >= 0x80) return 0;
    return strlen((const char *)bytes) + 1;
}

cass_module *cass_module_create(const void *region, size_t region_bytes, int copy) {
    cass_module *module = calloc(1, sizeof *module);
    if (!module) return NULL;
    if (copy) {
        module->owned = malloc(region_bytes + 1);
        if (!module->owned) {
            free(module);
            return NULL;
        }
        if (region_bytes) memcpy(module->owned, region, region_bytes);
    }
    module->magic = MODULE_MAGIC;
    module->region = copy ? module->owned : region;
    module->region_bytes = region_bytes;
    module->references = 1;
    pthread_mutex_init(&module->lock, NULL);
    pthread_mutex_lock(&all_lock);
    module->next = all_modules;
    all_modules = module;
    pthread_mutex_unlock(&all_lock);
    return module;
}

static int make_kernels(cass_module *module, const cass_manifest *manifest) {
    module->kernels = calloc(manifest->kernel_count + 1, sizeof *module->kernels);
    module->managed = calloc(manifest->image_count + 1, sizeof *module->managed);
    if (!module->kernels || !module->managed) return OUT_OF_MEMORY;
    for (uint32_t i = 0; i < manifest->kernel_count; i++)
        cass_kernel_init(&module->kernels[i], module, i, &manifest->kernels[i]);
    return OK;
}

/* A pointer, since a preloaded library has little room for variables of threads. */
static _Thread_local char *message;

const char *cass_module_message(void) { return message ? message : ""; }

void cass_module_message_clear(void) {
    free(message);
    message = NULL;
}

int cass_module_prepare(cass_module *module) {
    if (atomic_load_explicit(&module->manifest, memory_order_acquire)) return OK;
    pthread_mutex_lock(&module->lock);
    if (!atomic_load(&module->manifest) && !module->failed) {
        const cass_manifest *manifest = NULL;
        cass_client_error error = {0};
        if (cass_client_module(module->region, module->region_bytes, &manifest, &error)) {
            module->failed = error.cuda_error ? error.cuda_error : UNKNOWN_ERROR;
            cass_complain("%s", error.message);
            cass_module_message_clear();
            message = strdup(error.message);
        } else {
            module->failed = make_kernels(module, manifest);
            if (!module->failed)
                atomic_store_explicit(&module->manifest, manifest, memory_order_release);
        }
    }
    int result = module->failed;
    pthread_mutex_unlock(&module->lock);
    return result;
}

cass_module *cass_module_of(const void *handle) {
    if (!handle || (uintptr_t)handle % _Alignof(cass_module)) return NULL;
    cass_module *module = (cass_module *)(uintptr_t)handle;
    return module->magic == MODULE_MAGIC ? module : NULL;
}

cass_kernel *cass_module_kernel(cass_module *module, const char *name) {
    for (; module; module = module->beside) {
        const cass_manifest *manifest = module->manifest;
        for (uint32_t i = 0; i < manifest->kernel_count; i++)
            if (!strcmp(manifest->kernels[i].name, name)) return &module->kernels[i];
    }
    return NULL;
}

cass_kernel *cass_module_kernel_at(cass_module *module, unsigned number) {
    for (; module; module = module->beside) {
        uint32_t count = ((const cass_manifest *)module->manifest)->kernel_count;
        if (number < count) return &module->kernels[number];
        number -= count;
    }
    return NULL;
}

unsigned cass_module_kernel_count(const cass_module *module) {
    unsigned count = 0;
    for (; module; module = module->beside)
        count += ((const cass_manifest *)module->manifest)->kernel_count;
    return count;
}

cass_module *cass_module_with(cass_module *module, const char *variable) {
    for (cass_module *at = module; at; at = at->beside)
        if (cass_module_variable(at, variable) >= 0) return at;
    return module;
}

void cass_module_of_context(cass_module *module) {
    for (; module; module = module->beside) module->of_context = 1;
}

void cass_module_join(cass_module *module, cass_module *beside) {
    module->beside = beside;
    beside->whole = module;
}

cass_module *cass_module_whole(cass_module *module) {
    return module->whole ? module->whole : module;
}

int cass_module_variable(cass_module *module, const char *name) {
    const cass_manifest *manifest = module->manifest;
    for (uint32_t i = 0; i < manifest->variable_count; i++)
        if (!strcmp(manifest->variables[i].name, name)) return (int)i;
    return -1;
}

static int image_is_managed(const cass_manifest *manifest, uint32_t image) {
    for (uint32_t i = 0; i < manifest->variable_count; i++)
        if (manifest->variables[i].image == image && manifest->variables[i].managed) return 1;
    return 0;
}

/* One image's memory. The caller holds the module's lock. */
static int allocate_image(cass_module *module, uint32_t index, void **memory) {
    const cass_image_info *image = &((const cass_manifest *)module->manifest)->images[index];
    size_t bytes = image->size ? (size_t)image->size : 1;
    if (!image_is_managed(module->manifest, index)) return HIP(hipMalloc, memory, bytes);
    if (!module->managed[index]) {
        int result = HIP_OPTIONAL(hipMallocManaged, &module->managed[index], bytes, 1);
        if (result) return result;
    }
    *memory = module->managed[index];
    return OK;
}

/* Content of one image with its relocations applied, copied to the device. */
static int fill_image(cass_module *module, uint32_t index, cass_module_data *data) {
    const cass_manifest *manifest = module->manifest;
    const cass_image_info *image = &manifest->images[index];
    unsigned char *bytes = calloc(1, image->size ? (size_t)image->size : 1);
    if (!bytes) return OUT_OF_MEMORY;
    if (image->content) memcpy(bytes, image->content, (size_t)image->size);
    int result = OK;
    for (uint32_t i = 0; i < manifest->relocation_count && !result; i++) {
        const cass_image_relocation *patch = &manifest->relocations[i];
        if (patch->image != index) continue;
        uint64_t value = (uint64_t)patch->addend;
        if (patch->offset + 8 > image->size ||
            (patch->kind == 0 && patch->variable >= manifest->variable_count)) {
            result = INVALID_IMAGE;
            break;
        }
        if (patch->kind == 0) {
            const cass_variable_info *variable = &manifest->variables[patch->variable];
            value += (uint64_t)(uintptr_t)data->images[variable->image] + variable->offset;
        }
        memcpy(bytes + patch->offset, &value, sizeof value);
    }
    if (!result && image->size)
        result = cass_copy_in(data->images[index], bytes, (size_t)image->size);
    free(bytes);
    return result;
}

int cass_copy_in(void *to, const void *from, size_t bytes) {
    cass_device *device = &cass_devices[cass_thread.hip_device - 1];
    hipStream_t stream;
    int result = cass_service_stream(device, &stream);
    if (!result) result = HIP(hipMemcpyAsync, to, from, bytes, HIP_COPY_HOST_TO_DEVICE, stream);
    if (!result) result = HIP(hipStreamSynchronize, stream);
    return result;
}

int cass_copy_out(void *to, const void *from, size_t bytes) {
    cass_device *device = &cass_devices[cass_thread.hip_device - 1];
    hipStream_t stream;
    int result = cass_service_stream(device, &stream);
    if (!result) result = HIP(hipMemcpyAsync, to, from, bytes, HIP_COPY_DEVICE_TO_HOST, stream);
    if (!result) result = HIP(hipStreamSynchronize, stream);
    return result;
}

static void free_data(cass_module *module, cass_module_data *data) {
    const cass_manifest *manifest = module->manifest;
    for (uint32_t i = 0; i < manifest->image_count; i++)
        if (data->images[i] && data->images[i] != module->managed[i]) HIP(hipFree, data->images[i]);
    free(data);
}

/* Allocates and fills a module's images on a device. The caller holds the module's lock. */
static int make_data(cass_module *module, cass_device *device, cass_module_data **out) {
    const cass_manifest *manifest = module->manifest;
    cass_module_data *data = calloc(1, sizeof *data + manifest->image_count * sizeof(void *));
    if (!data) return OUT_OF_MEMORY;
    data->epoch = device->epoch;
    int result = OK;
    for (uint32_t i = 0; i < manifest->image_count && !result; i++)
        result = allocate_image(module, i, &data->images[i]);
    for (uint32_t i = 0; i < manifest->image_count && !result; i++)
        result = fill_image(module, i, data);
    if (result) free_data(module, data);
    else *out = data;
    return result;
}

int cass_module_data_on(cass_module *module, cass_device *device, cass_module_data **out) {
    _Atomic(cass_module_data *) *slot = &module->data[cass_device_index(device)];
    *out = atomic_load_explicit(slot, memory_order_acquire);
    if (*out && (*out)->epoch == device->epoch) return OK;
    pthread_mutex_lock(&module->lock);
    int result = OK;
    *out = atomic_load(slot);
    if (!*out || (*out)->epoch != device->epoch) {
        result = make_data(module, device, out);
        if (!result) atomic_store_explicit(slot, *out, memory_order_release);
    }
    pthread_mutex_unlock(&module->lock);
    return result;
}

int cass_variable_address(cass_module *module, int index, cass_device *device, void **address,
                          size_t *bytes) {
    const cass_manifest *manifest = module->manifest;
    const cass_variable_info *variable = &manifest->variables[index];
    if (bytes) *bytes = (size_t)variable->size;
    if (!address) return OK;
    cass_module_data *data;
    int result = cass_module_data_on(module, device, &data);
    if (!result) *address = (char *)data->images[variable->image] + variable->offset;
    return result;
}

static const void *content_in(const cass_module *module, uint64_t address, size_t *bytes) {
    const cass_manifest *manifest = module->manifest;
    for (int device = 0; manifest && device < cass_device_count; device++) {
        const cass_module_data *data = module->data[device];
        for (uint32_t i = 0; data && i < manifest->image_count; i++) {
            uint64_t start = (uint64_t)(uintptr_t)data->images[i];
            if (!manifest->images[i].content || address < start) continue;
            if (address - start >= manifest->images[i].size) continue;
            *bytes = (size_t)(manifest->images[i].size - (address - start));
            return (const char *)manifest->images[i].content + (address - start);
        }
    }
    return NULL;
}

const void *cass_module_content(uint64_t address, size_t *bytes) {
    const void *found = NULL;
    pthread_mutex_lock(&all_lock);
    for (cass_module *module = all_modules; module && !found; module = module->next)
        found = content_in(module, address, bytes);
    pthread_mutex_unlock(&all_lock);
    return found;
}

static void drop_device(cass_module *module, int device, int free_memory) {
    const cass_manifest *manifest = module->manifest;
    if (!manifest) return;
    for (uint32_t i = 0; i < manifest->kernel_count; i++)
        cass_kernel_drop(&module->kernels[i], device, free_memory);
    cass_module_data *data = atomic_exchange(&module->data[device], NULL);
    if (!data) return;
    if (free_memory) free_data(module, data);
    else free(data);
}

/* After hipDeviceReset nothing of the device is left to free; a device that cannot reset frees
 * here. */
void cass_modules_reset(cass_device *device) {
    pthread_mutex_lock(&all_lock);
    for (cass_module *module = all_modules; module; module = module->next)
        drop_device(module, cass_device_index(device), 1);
    pthread_mutex_unlock(&all_lock);
}

cass_kernel *cass_kernel_find(const void *handle) {
    cass_kernel *found = NULL;
    pthread_mutex_lock(&all_lock);
    for (cass_module *module = all_modules; module && !found; module = module->next) {
        const cass_manifest *manifest = module->manifest;
        if (!manifest || (uintptr_t)handle < (uintptr_t)module->kernels) continue;
        size_t offset = (uintptr_t)handle - (uintptr_t)module->kernels;
        if (offset % sizeof(cass_kernel) == 0 &&
            offset / sizeof(cass_kernel) < manifest->kernel_count)
            found = &module->kernels[offset / sizeof(cass_kernel)];
    }
    pthread_mutex_unlock(&all_lock);
    return found;
}

/* Set by an exit handler: the first one to run, since it is registered last of those known to
 * matter. */
static _Atomic int exiting;
static void note_exit(void) { atomic_store(&exiting, 1); }
void cass_module_watch_exit(void) { atexit(note_exit); }

void cass_module_retire(cass_module *module) {
    if (!exiting && cass_device_count && !cass_is_forked_child()) cass_module_destroy(module);
}

void cass_module_destroy(cass_module *module) {
    if (module->beside) cass_module_destroy(module->beside);
    pthread_mutex_lock(&all_lock);
    for (cass_module **link = &all_modules; *link; link = &(*link)->next)
        if (*link == module) {
            *link = module->next;
            break;
        }
    pthread_mutex_unlock(&all_lock);
    module->magic = 0;
    if (cass_is_forked_child()) return; /* the device belongs to the parent */
    cass_references_drop(module);
    for (int device = 0; device < cass_device_count; device++) {
        if (!atomic_load(&module->data[device]) && !cass_module_used_on(module, device)) continue;
        int told = cass_thread.hip_device;
        if (told != device + 1) HIP(hipSetDevice, device);
        HIP(hipDeviceSynchronize); /* launches in flight still read the data */
        drop_device(module, device, 1);
        if (told && told != device + 1) HIP(hipSetDevice, told - 1);
    }
    const cass_manifest *manifest = module->manifest;
    for (uint32_t i = 0; manifest && i < manifest->image_count; i++)
        if (module->managed[i]) HIP(hipFree, module->managed[i]);
    free(module->kernels);
    free(module->managed);
    free(module->owned);
    free(module);
}
