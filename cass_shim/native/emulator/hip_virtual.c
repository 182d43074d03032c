/* Virtual memory management: ranges of addresses, pieces of memory, and mapping the one onto the
 * other. A piece of memory is an unnamed file, so that it can be mapped twice and handed to another
 * process. */
#include "emulator/hip_calls.h"
#include "emulator/hip_queue.h"
#include "emulator/memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define GRANULARITY (2ull << 20)
/* A file that shrinks would take a kernel's memory away; sealed files also tell memory of ours from
 * other files. */
#define MEMORY_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

typedef struct {
    _Atomic unsigned references; /* handles and mappings */
    int file;
    uint64_t bytes;
    hipMemAllocationProp prop;
} piece;

typedef struct range {
    uint8_t *base;
    uint64_t bytes;
    struct range *next;
} range;

typedef struct mapping {
    uint8_t *base;
    uint64_t bytes;
    piece *memory;
    struct mapping *next;
} mapping;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static range *ranges;
static mapping *mappings;

static piece *piece_of(hipMemGenericAllocationHandle_t handle) {
    if (emu_handle_is(handle, EMU_HANDLE_MEMORY)) return (piece *)(void *)handle;
    emu_fail(hipErrorInvalidValue, "not a live memory handle: %p", (void *)handle);
    return NULL;
}

static void piece_release(piece *memory) {
    if (atomic_fetch_sub(&memory->references, 1) != 1) return;
    emu_handle_remove(memory, EMU_HANDLE_MEMORY);
    close(memory->file);
    free(memory);
}

static hipError_t check_prop(const hipMemAllocationProp *prop) {
    if (!prop || prop->type != hipMemAllocationTypePinned ||
        prop->location.type != hipMemLocationTypeDevice || prop->location.id < 0 ||
        prop->location.id >= emu_config.device_count)
        return emu_fail(hipErrorInvalidValue, "memory handles hold pinned memory of one device");
    return hipSuccess;
}

hipError_t emu_hipMemGetAllocationGranularity(size_t *granularity, const hipMemAllocationProp *prop,
                                              hipMemAllocationGranularity_flags option) {
    (void)option;
    if (!granularity) return emu_fail(hipErrorInvalidValue, "no result");
    *granularity = GRANULARITY;
    return check_prop(prop);
}

hipError_t emu_hipMemAddressReserve(void **ptr, size_t size, size_t alignment, void *addr,
                                    unsigned long long flags) {
    (void)addr; /* a wish; HIP too may place the range elsewhere */
    if (!ptr || !size || size % GRANULARITY || flags || (alignment & (alignment - 1)))
        return emu_fail(hipErrorInvalidValue, "a range takes a multiple of %llu bytes",
                        GRANULARITY);
    range *made = malloc(sizeof *made);
    uint8_t *base =
        made ? emu_memory_reserve(size, alignment > GRANULARITY ? alignment : GRANULARITY) : NULL;
    if (!base) {
        free(made);
        return emu_fail(hipErrorOutOfMemory, "no addresses for %zu bytes", size);
    }
    pthread_mutex_lock(&lock);
    *made = (range){base, size, ranges};
    ranges = made;
    pthread_mutex_unlock(&lock);
    *ptr = base;
    return hipSuccess;
}

static bool overlaps(const uint8_t *base, uint64_t bytes) {
    for (mapping *one = mappings; one; one = one->next)
        if (one->base < base + bytes && base < one->base + one->bytes) return true;
    return false;
}

hipError_t emu_hipMemAddressFree(void *devPtr, size_t size) {
    hipError_t error =
        emu_fail(hipErrorInvalidValue, "not a reserved range of %zu bytes: %p", size, devPtr);
    pthread_mutex_lock(&lock);
    for (range **link = &ranges; *link; link = &(*link)->next) {
        range *one = *link;
        if (one->base != devPtr || one->bytes != size || overlaps(one->base, one->bytes)) continue;
        *link = one->next;
        emu_memory_unreserve(one->base, one->bytes);
        free(one);
        error = hipSuccess;
        break;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

static hipError_t piece_new(hipMemGenericAllocationHandle_t *handle, int file, uint64_t bytes,
                            const hipMemAllocationProp *prop) {
    piece *memory = file >= 0 ? calloc(1, sizeof *memory) : NULL;
    if (!memory) {
        if (file >= 0) close(file);
        return emu_fail(hipErrorOutOfMemory, "no memory for %llu bytes", (unsigned long long)bytes);
    }
    memory->references = 1;
    memory->file = file;
    memory->bytes = bytes;
    memory->prop = *prop;
    emu_handle_add(memory, EMU_HANDLE_MEMORY);
    *handle = (hipMemGenericAllocationHandle_t)(void *)memory;
    return hipSuccess;
}

hipError_t emu_hipMemCreate(hipMemGenericAllocationHandle_t *handle, size_t size,
                            const hipMemAllocationProp *prop, unsigned long long flags) {
    hipError_t error = check_prop(prop);
    if (error) return error;
    if (!handle || !size || size % GRANULARITY || flags)
        return emu_fail(hipErrorInvalidValue, "a memory handle takes a multiple of %llu bytes",
                        GRANULARITY);
    if (size > emu_config.memory_bytes)
        return emu_fail(hipErrorOutOfMemory, "%zu bytes asked for", size);
    int file = memfd_create("cass-device-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file >= 0 &&
        (ftruncate(file, (off_t)size) != 0 || fcntl(file, F_ADD_SEALS, MEMORY_SEALS) != 0)) {
        close(file);
        file = -1;
    }
    return piece_new(handle, file, size, prop);
}

hipError_t emu_hipMemRelease(hipMemGenericAllocationHandle_t handle) {
    piece *memory = piece_of(handle);
    if (!memory) return hipErrorInvalidValue;
    piece_release(memory);
    return hipSuccess;
}

static bool reserved(const uint8_t *base, uint64_t bytes) {
    for (range *one = ranges; one; one = one->next)
        if (base >= one->base && (uint64_t)(base - one->base) <= one->bytes &&
            bytes <= one->bytes - (uint64_t)(base - one->base))
            return true;
    return false;
}

static hipError_t map_locked(uint8_t *base, uint64_t bytes, uint64_t offset, piece *memory) {
    if (!reserved(base, bytes) || overlaps(base, bytes))
        return emu_fail(hipErrorInvalidValue, "%p is not free reserved addresses", (void *)base);
    mapping *made = malloc(sizeof *made);
    if (!made || !emu_memory_map(base, bytes, memory->file, offset, memory->prop.location.id)) {
        free(made);
        return emu_fail(hipErrorOutOfMemory, "the memory could not be mapped");
    }
    *made = (mapping){base, bytes, memory, mappings};
    mappings = made;
    atomic_fetch_add(&memory->references, 1);
    return hipSuccess;
}

hipError_t emu_hipMemMap(void *ptr, size_t size, size_t offset,
                         hipMemGenericAllocationHandle_t handle, unsigned long long flags) {
    piece *memory = piece_of(handle);
    if (!memory) return hipErrorInvalidValue;
    if (!ptr || !size || flags || (uint64_t)ptr % EMU_PAGE || size % EMU_PAGE ||
        offset % EMU_PAGE || offset > memory->bytes || size > memory->bytes - offset)
        return emu_fail(hipErrorInvalidValue,
                        "the mapping leaves the memory handle or is misaligned");
    pthread_mutex_lock(&lock);
    hipError_t error = map_locked(ptr, size, offset, memory);
    pthread_mutex_unlock(&lock);
    return error;
}

/* Unmaps every mapping inside the range; one that sticks out is an error. */
hipError_t emu_hipMemUnmap(void *ptr, size_t size) {
    uint8_t *base = ptr;
    emu_wait_device(emu_current());
    hipError_t error = emu_fail(hipErrorInvalidValue, "nothing is mapped at %p", ptr);
    pthread_mutex_lock(&lock);
    for (mapping **link = &mappings; *link;) {
        mapping *one = *link;
        if (one->base < base || one->base + one->bytes > base + size) {
            link = &one->next;
            continue;
        }
        *link = one->next;
        emu_memory_unmap(one->base);
        piece_release(one->memory);
        free(one);
        error = hipSuccess;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

hipError_t emu_hipMemSetAccess(void *ptr, size_t size, const hipMemAccessDesc *desc, size_t count) {
    if (!desc || !count || !size || !emu_memory_covers(ptr, size))
        return emu_fail(hipErrorInvalidValue, "%zu bytes at %p are not mapped", size, ptr);
    uint8_t permission = EMU_PAGE_NONE; /* one memory for all boards: the widest access counts */
    for (size_t i = 0; i < count; i++) {
        if (desc[i].flags == hipMemAccessFlagsProtReadWrite) permission = EMU_PAGE_READ_WRITE;
        if (desc[i].flags == hipMemAccessFlagsProtRead && permission == EMU_PAGE_NONE)
            permission = EMU_PAGE_READ_ONLY;
    }
    emu_memory_permit(ptr, size, permission);
    return hipSuccess;
}

hipError_t emu_hipMemGetAccess(unsigned long long *flags, const hipMemLocation *location,
                               void *ptr) {
    if (!flags || !location || !emu_memory_covers(ptr, 1))
        return emu_fail(hipErrorInvalidValue, "%p is not mapped", ptr);
    static const unsigned long long of[] = {
        hipMemAccessFlagsProtNone, hipMemAccessFlagsProtReadWrite, hipMemAccessFlagsProtRead};
    *flags = of[emu_space.page_ok[((uint64_t)ptr - (uint64_t)emu_space.base) / EMU_PAGE] % 3];
    return hipSuccess;
}

hipError_t emu_hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp *prop,
                                                       hipMemGenericAllocationHandle_t handle) {
    piece *memory = piece_of(handle);
    if (!memory || !prop) return emu_fail(hipErrorInvalidValue, "no handle or no result");
    *prop = memory->prop;
    return hipSuccess;
}

hipError_t emu_hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t *handle, void *addr) {
    if (!handle) return emu_fail(hipErrorInvalidValue, "no result");
    hipError_t error = emu_fail(hipErrorInvalidValue, "nothing is mapped at %p", addr);
    pthread_mutex_lock(&lock);
    for (mapping *one = mappings; one; one = one->next) {
        if ((uint8_t *)addr < one->base || (uint8_t *)addr >= one->base + one->bytes) continue;
        atomic_fetch_add(&one->memory->references, 1);
        *handle = (hipMemGenericAllocationHandle_t)(void *)one->memory;
        error = hipSuccess;
        break;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

hipError_t emu_hipMemExportToShareableHandle(void *shareableHandle,
                                             hipMemGenericAllocationHandle_t handle,
                                             hipMemAllocationHandleType handleType,
                                             unsigned long long flags) {
    piece *memory = piece_of(handle);
    if (!memory || !shareableHandle || flags || handleType != hipMemHandleTypePosixFileDescriptor)
        return emu_fail(hipErrorInvalidValue, "memory is exported as a file descriptor");
    int copy = fcntl(memory->file, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return emu_fail(hipErrorOperatingSystem, "no file descriptor left");
    *(int *)shareableHandle = copy;
    return hipSuccess;
}

int emu_memory_file(int descriptor, uint64_t *bytes) {
    struct stat state;
    int file = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (file < 0) return -1;
    if (fcntl(file, F_GET_SEALS) == MEMORY_SEALS && fstat(file, &state) == 0 && state.st_size) {
        *bytes = (uint64_t)state.st_size;
        return file;
    }
    close(file);
    return -1;
}

hipError_t emu_hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t *handle,
                                               void *osHandle,
                                               hipMemAllocationHandleType shHandleType) {
    uint64_t bytes = 0;
    int file = handle && shHandleType == hipMemHandleTypePosixFileDescriptor
                   ? emu_memory_file((int)(intptr_t)osHandle, &bytes)
                   : -1;
    if (file < 0)
        return emu_fail(hipErrorInvalidValue, "memory is imported from a file descriptor");
    hipMemAllocationProp prop = {.type = hipMemAllocationTypePinned,
                                 .location = {hipMemLocationTypeDevice, emu_me.device}};
    return piece_new(handle, file, bytes, &prop);
}
