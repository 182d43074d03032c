/* Allocation: see memory.h. */
#include "driver/memory.h"

#include "driver/capture.h"
#include "driver/heap.h"

#include <sys/resource.h>

enum { HOST_FLAGS = 7, ATTACH_GLOBAL = 1, ATTACH_HOST = 2, MAPPED = 2, REGISTER_FLAGS = 15 };

static unsigned long long megabytes(int which) {
    struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
    getrlimit((__rlimit_resource_t)which, &limit);
    return limit.rlim_cur == RLIM_INFINITY ? 0 : limit.rlim_cur >> 20;
}

/* The emulated device's memory is the process's: where limits of the process are what it lacks, and
 * not the board's size, it says so, once. A program that fills its board is left alone. */
static int told(int result, size_t bytes) {
    static atomic_flag said = ATOMIC_FLAG_INIT;
    size_t free_bytes = 0, all = 0;
    if (result != OUT_OF_MEMORY || !cass_hip.emulated) return result;
    if (HIP(hipMemGetInfo, &free_bytes, &all) || free_bytes < bytes) return result;
    unsigned long long data = megabytes(RLIMIT_DATA), space = megabytes(RLIMIT_AS);
    if ((data || space) && !atomic_flag_test_and_set(&said))
        cass_complain("no memory for %zu bytes of the emulated device: the process is limited to "
                      "%llu MiB of %s (ulimit -%c); raise the limit",
                      bytes, data ? data : space, data ? "data" : "address space",
                      data ? 'd' : 'v');
    return result;
}

int cass_malloc(cass_device *device, void **pointer, size_t bytes) {
    if (!pointer) return INVALID_VALUE;
    int result = cass_capture_forbids();
    if (result) return result;
    *pointer = NULL;
    return bytes ? told(cass_note(device, HIP(hipMalloc, pointer, bytes)), bytes) : OK;
}

int cass_free(cass_device *device, void *pointer) {
    int result = cass_capture_forbids();
    if (result || !pointer) return result;
    return cass_note(device, HIP(hipFree, pointer));
}

int cass_malloc_host(cass_device *device, void **pointer, size_t bytes, unsigned flags) {
    if (!pointer || flags & ~(unsigned)HOST_FLAGS) return INVALID_VALUE;
    int result = cass_capture_forbids();
    if (result) return result;
    *pointer = NULL;
    return bytes ? told(cass_note(device, HIP(hipHostMalloc, pointer, bytes, flags)), bytes) : OK;
}

int cass_free_host(cass_device *device, void *pointer) {
    int result = cass_capture_forbids();
    if (result || !pointer) return result;
    return cass_note(device, HIP(hipHostFree, pointer));
}

int cass_malloc_managed(cass_device *device, void **pointer, size_t bytes, unsigned flags) {
    if (!pointer || (flags != ATTACH_GLOBAL && flags != ATTACH_HOST)) return INVALID_VALUE;
    int result = cass_capture_forbids();
    if (result) return result;
    *pointer = NULL;
    if (!bytes) return OK;
    int code = HIP_OPTIONAL(hipMallocManaged, pointer, bytes, ATTACH_GLOBAL);
    return told(cass_note(device, code), bytes);
}

int cass_malloc_pitch(cass_device *device, void **pointer, size_t *pitch, size_t width,
                      size_t height) {
    if (!pointer || !pitch) return INVALID_VALUE;
    *pitch = (width + CASS_PITCH_ALIGN - 1) & ~(size_t)(CASS_PITCH_ALIGN - 1);
    size_t bytes;
    if (__builtin_mul_overflow(*pitch, height, &bytes)) return OUT_OF_MEMORY;
    return cass_malloc(device, pointer, bytes);
}

/* A library without stream-ordered allocation allocates at once, which is early, and frees when all
 * is done. */
int cass_malloc_async(cass_device *device, void **pointer, size_t bytes, hipStream_t stream) {
    if (!pointer) return INVALID_VALUE;
    cass_capture *capture = cass_capturing(stream);
    if (capture) return cass_capture_malloc(capture, pointer, bytes);
    *pointer = NULL;
    if (!bytes) return OK;
    if (!cass_hip.hipMallocAsync) return cass_note(device, HIP(hipMalloc, pointer, bytes));
    return cass_note(device, HIP(hipMallocAsync, pointer, bytes, stream));
}

int cass_free_async(cass_device *device, void *pointer, hipStream_t stream) {
    cass_capture *capture = cass_capturing(stream);
    if (capture) return cass_capture_free(capture, pointer);
    if (!pointer) return OK; /* recorded */
    if (!cass_hip.hipFreeAsync) return cass_note(device, HIP(hipFree, pointer));
    return cass_note(device, HIP(hipFreeAsync, pointer, stream));
}

int cass_host_register(cass_device *device, void *pointer, size_t bytes, unsigned flags) {
    if (!pointer || !bytes || flags & ~(unsigned)REGISTER_FLAGS) return INVALID_VALUE;
    return cass_note(device, HIP_OPTIONAL(hipHostRegister, pointer, bytes, flags & 3));
}

int cass_host_unregister(cass_device *device, void *pointer) {
    if (!pointer) return INVALID_VALUE;
    return cass_note(device, HIP_OPTIONAL(hipHostUnregister, pointer));
}

int cass_host_flags(void *pointer, unsigned *flags) {
    if (!pointer || !flags) return INVALID_VALUE;
    int result = HIP_OPTIONAL(hipHostGetFlags, flags, pointer);
    if (!result)
        *flags = (*flags & HOST_FLAGS) | MAPPED; /* all pinned memory is mapped: recorded */
    return result;
}

int cass_host_device_pointer(void **device_pointer, void *pointer, unsigned flags) {
    if (!device_pointer || flags) return INVALID_VALUE;
    return HIP_OPTIONAL(hipHostGetDevicePointer, device_pointer, pointer, 0);
}

void cass_pointer_get(const void *pointer, cass_pointer *out) {
    int hidden = cass_heap_holds(pointer);
    cass_pointer_find(hidden ? NULL : pointer, out);
    if (hidden) out->host_pointer = (void *)(uintptr_t)pointer;
}

void cass_pointer_find(const void *pointer, cass_pointer *out) {
    hipPointerAttribute_t seen = {0};
    *out = (cass_pointer){.type = HIP_MEMORY_UNREGISTERED, .device = -2};
    out->host_pointer = (void *)(uintptr_t)pointer;
    if (!pointer || HIP_OPTIONAL(hipPointerGetAttributes, &seen, pointer)) {
        if (cass_hip.hipGetLastError) cass_hip.hipGetLastError();
        return;
    }
    if (seen.type == HIP_MEMORY_UNREGISTERED) return;
    out->type = seen.managed ? HIP_MEMORY_MANAGED : seen.type;
    out->device = seen.device;
    out->flags = seen.allocation_flags;
    out->device_pointer = (void *)(uintptr_t)pointer;
    if (seen.type == HIP_MEMORY_HOST && seen.device_pointer)
        out->device_pointer = seen.device_pointer;
    if (out->type == HIP_MEMORY_DEVICE) out->host_pointer = NULL;
    hipDeviceptr_t base;
    size_t bytes;
    if (!HIP_OPTIONAL(hipMemGetAddressRange, &base, &bytes, out->device_pointer)) {
        out->base = base;
        out->bytes = bytes;
    }
}
