/* External memory and semaphores: see external.h. */
#include "driver/external.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "driver/memory.h"

enum { MEMORY_KINDS = 9, SEMAPHORE_KINDS = 10, OPAQUE_FD = 1, DEDICATED = 1, TIMELINE = 9 };
enum { EXTERNAL_MAGIC = 0x4358544d, IMAGE_ALIGN = 256 /* of gfx11's images */ };

struct cass_external {
    uint32_t magic;
    hipExternalMemory_t memory;
    uint64_t bytes;
    int dedicated; /* one buffer or image over all of it */
};

static cass_external *external_of(const void *handle) {
    cass_external *found = (cass_external *)(uintptr_t)handle;
    return found && (uintptr_t)handle % _Alignof(cass_external) == 0 &&
                   found->magic == EXTERNAL_MAGIC
               ? found
               : NULL;
}

/* HIP gets a copy of the descriptor, and the program's is closed: CUDA takes it over whatever
 * comes of it (recorded), HIP where the import succeeds. */
static int import(cass_device *device, int descriptor, uint64_t bytes, unsigned flags,
                  cass_external *made) {
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return UNKNOWN_ERROR;
    hipExternalMemoryHandleDesc desc = {
        .type = OPAQUE_FD, .handle.fd = copy, .bytes = bytes, .flags = flags};
    int result = HIP_OPTIONAL(hipImportExternalMemory, &made->memory, &desc);
    if (result) close(copy);
    close(descriptor);
    return result && result != OUT_OF_MEMORY ? UNKNOWN_ERROR : cass_note(device, result);
}

int cass_external_import(cass_device *device, int type, int descriptor, uint64_t bytes,
                         unsigned flags, cass_external **out) {
    static const int answers[MEMORY_KINDS + 1] = {INVALID_VALUE, OK,
                                                  NOT_SUPPORTED, NOT_SUPPORTED,
                                                  NOT_SUPPORTED, INVALID_VALUE,
                                                  INVALID_VALUE, INVALID_VALUE,
                                                  NOT_SUPPORTED, INVALID_VALUE};
    if (!out || type < 1 || type > MEMORY_KINDS || !bytes || flags & ~(unsigned)DEDICATED)
        return INVALID_VALUE;
    if (answers[type]) return answers[type];
    cass_external *made = malloc(sizeof *made);
    if (!made) return OUT_OF_MEMORY;
    *made = (cass_external){EXTERNAL_MAGIC, NULL, bytes, flags & DEDICATED};
    int result = import(device, descriptor, bytes, flags, made);
    if (result) free(made);
    else *out = made;
    return result;
}

int cass_external_buffer(cass_device *device, const void *handle, uint64_t offset, uint64_t bytes,
                         unsigned flags, void **pointer) {
    const cass_external *from = external_of(handle);
    if (!from || !pointer || !bytes || flags || offset > from->bytes ||
        bytes > from->bytes - offset || (from->dedicated && bytes != from->bytes))
        return INVALID_VALUE;
    hipExternalMemoryBufferDesc desc = {.offset = offset, .bytes = bytes};
    return cass_note(device,
                     HIP_OPTIONAL(hipExternalMemoryGetMappedBuffer, pointer, from->memory, &desc));
}

int cass_external_mipmap(cass_device *device, const void *handle, const cass_external_image *image,
                         cass_mipmap **out) {
    void *memory = NULL;
    if (!external_of(handle) || !out || image->offset % IMAGE_ALIGN) return INVALID_VALUE;
    size_t bytes = cass_mipmap_bytes(image->format, image->width, image->height, image->depth,
                                     image->levels, image->flags);
    int result = cass_external_buffer(device, handle, image->offset, bytes, 0, &memory);
    if (result) return result;
    result = cass_mipmap_over(device, image->format, image->width, image->height, image->depth,
                              image->levels, image->flags, memory, out);
    if (result) (void)cass_free(device, memory);
    return result;
}

int cass_external_destroy(cass_device *device, void *handle) {
    cass_external *known = external_of(handle);
    if (!known) return INVALID_VALUE;
    int result = HIP_OPTIONAL(hipDestroyExternalMemory, known->memory);
    known->magic = 0;
    free(known);
    return cass_note(device, result);
}

int cass_external_semaphore(const void *out, int type, int descriptor, unsigned flags) {
    if (!out || type < 1 || type > SEMAPHORE_KINDS || flags) return INVALID_VALUE;
    if (type == TIMELINE) return descriptor < 0 ? INVALID_VALUE : UNKNOWN_ERROR;
    return type == 1 ? UNKNOWN_ERROR : NOT_SUPPORTED;
}
