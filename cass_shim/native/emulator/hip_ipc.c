/* Memory and events between processes of one user.
 *
 * Exporting moves a block into an unnamed file; a handle names process, descriptor and file, and
 * importing opens it through /proc. The exporter must live while others import, as HIP asks. An
 * interprocess event is a pair of counters in such a file: recordings asked for and reached. */
#include "emulator/hip_calls.h"
#include "emulator/hip_event.h"
#include "emulator/memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MEMORY_MAGIC 0x6d656d43u
#define EVENT_MAGIC 0x65767443u

typedef struct {
    uint32_t magic;
    int32_t process, file, device;
    uint64_t bytes, offset, inode;
} wire;
_Static_assert(sizeof(wire) <= sizeof(hipIpcMemHandle_t), "fits a handle");

/* Blocks that are exported, so that a second export of a block gives the same file. */
typedef struct exported {
    uint8_t *base;
    uint64_t id;
    int file;
    struct exported *next;
} exported;

/* Memory of a file: what was given for it lies in its first page. */
typedef struct imported {
    uint8_t *given;
    uint64_t bytes;
    struct imported *next;
} imported;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static exported *exports;
static imported *imports;

static uint64_t inode_of(int file) {
    struct stat state;
    return fstat(file, &state) == 0 ? (uint64_t)state.st_ino : 0;
}

/* The file that holds the block; the block is moved there first. -1 with a reason. Lock held. */
static int file_of(const emu_block *block) {
    for (exported *one = exports; one; one = one->next)
        if (one->base == block->base && one->id == block->id) return one->file;
    exported *made = malloc(sizeof *made);
    int file = made ? memfd_create("cass-shared-memory", MFD_CLOEXEC) : -1;
    if (file < 0 || !emu_memory_share(block->base, file)) {
        if (file >= 0) close(file);
        free(made);
        emu_fail(hipErrorOutOfMemory, "the memory could not be made shareable");
        return -1;
    }
    *made = (exported){block->base, block->id, file, exports};
    exports = made;
    return file;
}

void emu_ipc_forget(uint64_t id) {
    pthread_mutex_lock(&lock);
    for (exported **link = &exports; *link; link = &(*link)->next) {
        exported *one = *link;
        if (one->id != id) continue;
        *link = one->next;
        close(one->file);
        free(one);
        break;
    }
    pthread_mutex_unlock(&lock);
}

hipError_t emu_hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *devPtr) {
    emu_block block;
    if (!handle || !emu_memory_find(devPtr, &block) || block.kind != EMU_MEMORY_DEVICE ||
        block.graph)
        return emu_fail(hipErrorInvalidValue, "%p is no memory of hipMalloc", devPtr);
    hipError_t error = emu_wait_device(&emu_devices[block.device]);
    if (error) return error;
    pthread_mutex_lock(&lock);
    int file = file_of(&block);
    pthread_mutex_unlock(&lock);
    if (file < 0) return hipErrorOutOfMemory;
    wire told = {MEMORY_MAGIC,  getpid(),    file,
                 block.device,  block.bytes, (uint64_t)devPtr - (uint64_t)block.base,
                 inode_of(file)};
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &told, sizeof told);
    return hipSuccess;
}

/* Opens the file that a handle names; -1 where that process or file is gone. */
static int open_wire(const wire *told) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", told->process, told->file);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file >= 0 && inode_of(file) == told->inode) return file;
    if (file >= 0) close(file);
    return -1;
}

static void *map_pages(int file, uint64_t offset, uint64_t span) {
    void *base = emu_memory_reserve(span, EMU_PAGE);
    if (!base) return NULL;
    if (emu_memory_map(base, span, file, offset, emu_me.device)) {
        emu_memory_permit(base, span, EMU_PAGE_READ_WRITE);
        return base;
    }
    emu_memory_unreserve(base, span);
    return NULL;
}

void *emu_ipc_map(int file, uint64_t offset, uint64_t bytes) {
    uint64_t inside = offset % EMU_PAGE,
             span = (inside + bytes + EMU_PAGE - 1) & ~(uint64_t)(EMU_PAGE - 1);
    imported *made = malloc(sizeof *made);
    uint8_t *base = made ? map_pages(file, offset - inside, span) : NULL;
    if (!base) {
        free(made);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    *made = (imported){base + inside, bytes, imports};
    imports = made;
    pthread_mutex_unlock(&lock);
    return base + inside;
}

hipError_t emu_ipc_open(void **devPtr, hipIpcMemHandle_t handle, unsigned int flags) {
    wire told;
    memcpy(&told, &handle, sizeof told);
    if (!devPtr || flags > hipIpcMemLazyEnablePeerAccess || told.magic != MEMORY_MAGIC ||
        told.offset > told.bytes)
        return emu_fail(hipErrorInvalidValue, "not a memory handle");
    int file = open_wire(&told);
    uint8_t *base = file >= 0 ? emu_ipc_map(file, 0, told.bytes) : NULL;
    if (file >= 0) close(file);
    if (!base)
        return emu_fail(hipErrorMapFailed, "process %d no longer shares this memory", told.process);
    *devPtr = base + told.offset;
    return hipSuccess;
}

/* A process has its own memory already; HIP and CUDA refuse its handles alike (recorded: 201). */
hipError_t emu_hipIpcOpenMemHandle(void **devPtr, hipIpcMemHandle_t handle, unsigned int flags) {
    wire told;
    memcpy(&told, &handle, sizeof told);
    if (told.magic == MEMORY_MAGIC && told.process == getpid())
        return emu_fail(hipErrorInvalidContext, "the memory is of this process");
    return emu_ipc_open(devPtr, handle, flags);
}

bool emu_ipc_imported(const void *given) {
    pthread_mutex_lock(&lock);
    const imported *one = imports;
    while (one && one->given != given) one = one->next;
    pthread_mutex_unlock(&lock);
    return one != NULL;
}

bool emu_ipc_range(const void *address, void **given, size_t *bytes) {
    pthread_mutex_lock(&lock);
    const imported *one = imports;
    while (one && (uint64_t)address - (uint64_t)one->given >= one->bytes) one = one->next;
    if (one) {
        *given = one->given;
        *bytes = one->bytes;
    }
    pthread_mutex_unlock(&lock);
    return one != NULL;
}

bool emu_ipc_close(void *given) {
    emu_block block;
    if (!emu_memory_find(given, &block) || !block.mapped) return false;
    bool found = false;
    pthread_mutex_lock(&lock);
    for (imported **link = &imports; *link && !found; link = found ? link : &(*link)->next) {
        imported *one = *link;
        found = one->given == given;
        if (!found) continue;
        *link = one->next;
        emu_memory_unmap(block.base);
        emu_memory_unreserve(block.base, block.bytes);
        free(one);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

hipError_t emu_hipIpcCloseMemHandle(void *devPtr) {
    emu_block block;
    if (emu_memory_find(devPtr, &block) && block.mapped) {
        emu_wait_device(&emu_devices[block.device]);
        if (emu_ipc_close(devPtr) || emu_ipc_close(block.base)) return hipSuccess;
    }
    return emu_fail(hipErrorInvalidValue, "%p was not opened from a handle", devPtr);
}

hipError_t emu_hipIpcGetEventHandle(hipIpcEventHandle_t *handle, hipEvent_t which) {
    emu_event *event = emu_event_of(which);
    if (!event || !handle || !event->shared || event->shared_file < 0)
        return emu_fail(hipErrorInvalidHandle,
                        "the event was not created for other processes here");
    wire told = {EVENT_MAGIC,           getpid(), event->shared_file,          0,
                 sizeof *event->shared, 0,        inode_of(event->shared_file)};
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &told, sizeof told);
    return hipSuccess;
}

hipError_t emu_hipIpcOpenEventHandle(hipEvent_t *event, hipIpcEventHandle_t handle) {
    wire told;
    memcpy(&told, &handle, sizeof told);
    if (!event || told.magic != EVENT_MAGIC)
        return emu_fail(hipErrorInvalidValue, "not an event handle");
    if (told.process == getpid())
        return emu_fail(hipErrorInvalidContext, "the event is of this process");
    int file = open_wire(&told);
    if (file < 0)
        return emu_fail(hipErrorInvalidHandle, "process %d no longer shares this event",
                        told.process);
    hipError_t error = emu_event_create(event, hipEventDisableTiming | hipEventInterprocess, file);
    close(file);
    return error;
}

bool emu_event_share(emu_event *event, int file) {
    bool own = file < 0;
    if (own) {
        file = memfd_create("cass-shared-event", MFD_CLOEXEC);
        if (file < 0 || ftruncate(file, EMU_PAGE) != 0) {
            if (file >= 0) close(file);
            return false;
        }
    }
    void *page = mmap(NULL, EMU_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) {
        if (own) close(file);
        return false;
    }
    event->shared = page;
    event->shared_file = own ? file : -1;
    event->imported = !own;
    return true;
}

void emu_event_unshare(emu_event *event) {
    if (!event->shared) return;
    munmap(event->shared, EMU_PAGE);
    if (event->shared_file >= 0) close(event->shared_file);
}
