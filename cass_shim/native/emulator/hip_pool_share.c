/* Pools between processes of one user, through file descriptors.
 *
 * A descriptor is an unnamed file that names process and pool; a pointer's data are those of an IPC
 * handle (hip_ipc.c) and the pool. The exporter must live while others import. */
#include "emulator/hip_calls.h"
#include "emulator/hip_pool.h"
#include "emulator/memory.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define POOL_MAGIC 0x6c6f6f43u

typedef struct { /* content of the file */
    uint32_t magic;
    int32_t process, device;
    uint32_t pool;
} pool_wire;

enum {
    POOL_AT = 48,
    PROCESS_AT = 56
}; /* in hipMemPoolPtrExportData, behind the IPC handle's own */

static emu_pool *shared_pool(const void *handle, bool imported) {
    emu_pool *pool = emu_handle_is(handle, EMU_POOL) ? (emu_pool *)(uintptr_t)handle : NULL;
    return pool && pool->imported == imported &&
                   pool->props.handleTypes == hipMemHandleTypePosixFileDescriptor
               ? pool
               : NULL;
}

static void name_pool(emu_pool *pool) {
    static uint32_t last;
    pthread_mutex_lock(&pool->lock);
    if (!pool->name) pool->name = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&pool->lock);
}

hipError_t emu_hipMemPoolExportToShareableHandle(void *shared_handle, hipMemPool_t mem_pool,
                                                 hipMemAllocationHandleType handle_type,
                                                 unsigned int flags) {
    emu_pool *pool = shared_pool(mem_pool, false);
    if (!pool || !shared_handle || flags || handle_type != hipMemHandleTypePosixFileDescriptor)
        return emu_fail(hipErrorInvalidValue,
                        "a pool made for file descriptors is exported as one");
    name_pool(pool);
    pool_wire told = {POOL_MAGIC, getpid(), pool->device->ordinal, pool->name};
    int file = memfd_create("cass-shared-pool", MFD_CLOEXEC);
    if (file < 0 || pwrite(file, &told, sizeof told, 0) != (ssize_t)sizeof told) {
        if (file >= 0) close(file);
        return emu_fail(hipErrorOperatingSystem, "no file descriptor left");
    }
    *(int *)shared_handle = file;
    return hipSuccess;
}

hipError_t emu_hipMemPoolImportFromShareableHandle(hipMemPool_t *mem_pool, void *shared_handle,
                                                   hipMemAllocationHandleType handle_type,
                                                   unsigned int flags) {
    pool_wire told = {0};
    if (!mem_pool || flags || handle_type != hipMemHandleTypePosixFileDescriptor ||
        pread((int)(intptr_t)shared_handle, &told, sizeof told, 0) != (ssize_t)sizeof told ||
        told.magic != POOL_MAGIC || told.device < 0 || told.device >= emu_config.device_count)
        return emu_fail(hipErrorInvalidValue, "the file descriptor is no exported pool");
    hipMemPoolProps props = {.allocType = hipMemAllocationTypePinned,
                             .handleTypes = hipMemHandleTypePosixFileDescriptor,
                             .location = {hipMemLocationTypeDevice, told.device}};
    emu_pool *pool = emu_pool_create(&emu_devices[told.device], &props);
    if (!pool) return emu_fail(hipErrorOutOfMemory, "no host memory for a pool");
    pool->imported = true;
    pool->name = told.pool;
    pool->exporter = told.process;
    *mem_pool = (hipMemPool_t)pool;
    return hipSuccess;
}

hipError_t emu_hipMemPoolExportPointer(hipMemPoolPtrExportData *export_data, void *dev_ptr) {
    hipIpcMemHandle_t handle;
    emu_block block;
    emu_pool *pool =
        export_data && emu_memory_find(dev_ptr, &block) ? shared_pool(block.pool, false) : NULL;
    if (!pool) return emu_fail(hipErrorInvalidValue, "%p is not of an exportable pool", dev_ptr);
    hipError_t error = emu_hipIpcGetMemHandle(&handle, dev_ptr);
    if (error) return error;
    name_pool(pool);
    int32_t process = getpid();
    memcpy(export_data, &handle, sizeof *export_data);
    memcpy(export_data->reserved + POOL_AT, &pool->name, sizeof pool->name);
    memcpy(export_data->reserved + PROCESS_AT, &process, sizeof process);
    return hipSuccess;
}

hipError_t emu_hipMemPoolImportPointer(void **dev_ptr, hipMemPool_t mem_pool,
                                       hipMemPoolPtrExportData *export_data) {
    emu_pool *pool = shared_pool(mem_pool, true);
    hipIpcMemHandle_t handle;
    _Static_assert(sizeof handle == sizeof *export_data, "an IPC handle and the pool");
    if (!dev_ptr || !pool || !export_data)
        return emu_fail(hipErrorInvalidValue, "pointers are imported into an imported pool");
    if (memcmp(export_data->reserved + POOL_AT, &pool->name, sizeof pool->name) != 0 ||
        memcmp(export_data->reserved + PROCESS_AT, &pool->exporter, sizeof pool->exporter) != 0)
        return emu_fail(hipErrorInvalidValue, "the pointer is of another pool");
    memcpy(&handle, export_data, sizeof handle);
    return emu_ipc_open(dev_ptr, handle, hipIpcMemLazyEnablePeerAccess);
}
