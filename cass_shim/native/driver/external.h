/* Memory and semaphores of other makers (CUDA's own exported memory, Vulkan, Direct3D, NvSci).
 *
 * Memory is taken from file descriptors, which HIP imports. No semaphore can be taken in, since HIP
 * has none on Linux: no handle of one exists. The codes are those a GPU's driver gives (recorded:
 * external.cu, shared_memory.cu in tests/native/conformance). */
#ifndef CASS_EXTERNAL_H
#define CASS_EXTERNAL_H

#include "driver/array.h"
#include "driver/state.h"

typedef struct cass_external cass_external;

/* Whether the reserved words of a description are 0, as they must be (recorded). */
static inline int cass_all_zero(const unsigned *words, size_t bytes) {
    unsigned any = 0;
    for (size_t i = 0; i < bytes / sizeof *words; i++) any |= words[i];
    return !any;
}

/* Imports memory; the descriptor is the driver's afterwards, also where the import fails. 999 where
 * it is none of device memory, 801 for kinds of other systems, 1 for kinds whose handle must be a
 * pointer and for no kind. */
int cass_external_import(cass_device *device, int type, int descriptor, uint64_t bytes,
                         unsigned flags, cass_external **out);
/* Device memory over bytes of it, until cass_free. */
int cass_external_buffer(cass_device *device, const void *handle, uint64_t offset, uint64_t bytes,
                         unsigned flags, void **pointer);

/* What a mipmapped array over imported memory is to be. */
typedef struct {
    uint64_t offset;
    cass_format_of format;
    size_t width, height, depth;
    unsigned levels, flags;
} cass_external_image;

int cass_external_mipmap(cass_device *device, const void *handle, const cass_external_image *image,
                         cass_mipmap **out);
int cass_external_destroy(cass_device *device, void *handle);

/* What importing a semaphore of this type answers. */
int cass_external_semaphore(const void *out, int type, int descriptor, unsigned flags);

#endif
