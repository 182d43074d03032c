/* Texture and surface references: see reference.h. */
#include "driver/reference.h"

#include <stdlib.h>
#include <string.h>

#include "driver/capture.h"
#include "driver/module_private.h"

enum { REFERENCE_MAGIC = 0x43544558 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cass_reference *all;

static cass_reference *make(cass_module *module, uint32_t image, int surface) {
    cass_reference *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->magic = REFERENCE_MAGIC;
    made->module = module;
    made->image = image;
    made->texture.surface = surface;
    made->texture.as_float = 1;
    made->next = all;
    return all = made;
}

int cass_reference_find(cass_module *module, const char *name, int surface, cass_reference **out) {
    module = cass_module_with(module, name);
    int variable = cass_module_variable(module, name);
    if (variable < 0) return SYMBOL_NOT_FOUND;
    const cass_manifest *manifest = module->manifest;
    uint32_t image = manifest->variables[variable].image;
    if (manifest->images[image].kind != (surface ? CASS_IMAGE_SURFACE : CASS_IMAGE_TEXTURE))
        return SYMBOL_NOT_FOUND;
    pthread_mutex_lock(&lock);
    *out = all;
    while (*out && ((*out)->module != module || (*out)->image != image)) *out = (*out)->next;
    if (!*out) *out = make(module, image, surface);
    pthread_mutex_unlock(&lock);
    return *out ? OK : OUT_OF_MEMORY;
}

cass_reference *cass_reference_of(const void *handle, int surface) {
    pthread_mutex_lock(&lock);
    cass_reference *at = all;
    while (at && at != handle) at = at->next;
    pthread_mutex_unlock(&lock);
    return at && at->texture.surface == surface ? at : NULL;
}

cass_reference *cass_reference_create(void) {
    pthread_mutex_lock(&lock);
    cass_reference *made = make(NULL, 0, 0);
    pthread_mutex_unlock(&lock);
    return made;
}

static void end(cass_reference *reference) {
    for (int i = 0; i < CASS_MAX_DEVICES; i++)
        if (reference->on[i].handle) cass_object_drop(reference->on[i].handle);
    free(reference);
}

void cass_reference_destroy(cass_reference *reference) {
    pthread_mutex_lock(&lock);
    for (cass_reference **link = &all; *link; link = &(*link)->next)
        if (*link == reference) {
            *link = reference->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    end(reference);
}

void cass_references_drop(const cass_module *module) {
    cass_reference *gone = NULL;
    pthread_mutex_lock(&lock);
    for (cass_reference **link = &all; *link;) {
        cass_reference *at = *link;
        if (at->module != module) {
            link = &at->next;
            continue;
        }
        *link = at->next;
        at->next = gone;
        gone = at;
    }
    pthread_mutex_unlock(&lock);
    while (gone) {
        cass_reference *next = gone->next;
        end(gone);
        gone = next;
    }
}

/* Writes the device's word. Work in flight was launched with the old handle. */
static int point(cass_device *device, const cass_reference *reference, unsigned long long handle) {
    cass_module_data *data;
    int result = cass_module_data_on(reference->module, device, &data);
    if (!result) result = cass_wait_device(device);
    return result ? result
                  : cass_copy_in(data->images[reference->image], &handle, sizeof(uint64_t));
}

static int bind(cass_device *device, cass_reference *reference) {
    static const cass_description none[3];
    cass_texture_entry entry;
    uint32_t words[CASS_TEXTURE_DWORDS];
    unsigned long long handle, *held = &reference->on[cass_device_index(device)].handle;
    int result = cass_texture_describe(&reference->texture, &entry, words);
    if (result) return result;
    if (*held && !memcmp(&entry, &reference->on[cass_device_index(device)].entry, sizeof entry) &&
        !memcmp(words, reference->on[cass_device_index(device)].words, sizeof words))
        return OK;
    result = cass_object_make(device, &reference->texture, none, &handle);
    if (result) return result;
    result = point(device, reference, handle);
    unsigned long long ended = result ? handle : *held;
    if (ended) cass_object_drop(ended);
    if (result) return result;
    *held = handle;
    reference->on[cass_device_index(device)].entry = entry;
    memcpy(reference->on[cass_device_index(device)].words, words, sizeof words);
    return OK;
}

int cass_reference_apply(cass_device *device, cass_reference *reference) {
    const cass_texture *texture = &reference->texture;
    int index = cass_device_index(device), result = cass_capture_forbids();
    if (result || !reference->module) return result;
    if (reference->on[index].epoch != device->epoch) { /* what was bound before a reset is gone */
        reference->on[index].epoch = device->epoch;
        reference->on[index].handle = 0;
    }
    if (texture->array || texture->mipmap || texture->memory) return bind(device, reference);
    if (!reference->on[index].handle) return OK;
    result = point(device, reference, 0);
    if (result) return result;
    cass_object_drop(reference->on[index].handle);
    reference->on[index].handle = 0;
    return OK;
}

size_t cass_reference_room(const void *address, size_t bytes) {
    hipDeviceptr_t base = NULL;
    size_t whole = 0;
    if (HIP_OPTIONAL(hipMemGetAddressRange, &base, &whole, (hipDeviceptr_t)(uintptr_t)address))
        return bytes;
    size_t left = whole - (size_t)((const char *)address - (const char *)base);
    return left < bytes ? left : bytes;
}
