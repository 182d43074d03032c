/* Allocation and what is known of an address. */
#ifndef CASS_MEMORY_H
#define CASS_MEMORY_H

#include "driver/state.h"

enum { CASS_PITCH_ALIGN = 512 };

typedef struct {
    int type; /* HIP_MEMORY_... */
    int device;
    void *device_pointer, *host_pointer;
    void *base; /* of the allocation, and its size; 0 when unknown */
    size_t bytes;
    unsigned flags;
} cass_pointer;

/* 0 bytes give a NULL pointer and success, as CUDA does. */
int cass_malloc(cass_device *device, void **pointer, size_t bytes);
int cass_free(cass_device *device, void *pointer);
int cass_malloc_host(cass_device *device, void **pointer, size_t bytes, unsigned flags);
int cass_free_host(cass_device *device, void *pointer);
int cass_malloc_managed(cass_device *device, void **pointer, size_t bytes, unsigned flags);
int cass_malloc_pitch(cass_device *device, void **pointer, size_t *pitch, size_t width,
                      size_t height);
int cass_malloc_async(cass_device *device, void **pointer, size_t bytes, hipStream_t stream);
int cass_free_async(cass_device *device, void *pointer, hipStream_t stream);
int cass_host_register(cass_device *device, void *pointer, size_t bytes, unsigned flags);
int cass_host_unregister(cass_device *device, void *pointer);
int cass_host_flags(void *pointer, unsigned *flags);
int cass_host_device_pointer(void **device_pointer, void *pointer, unsigned flags);

/* What kind of memory an address is, to the program. HIP_MEMORY_UNREGISTERED for what HIP does not
 * know and for the device heap; never fails. */
void cass_pointer_get(const void *pointer, cass_pointer *out);
/* The same with the device heap, which is memory like any other. */
void cass_pointer_find(const void *pointer, cass_pointer *out);

#endif
