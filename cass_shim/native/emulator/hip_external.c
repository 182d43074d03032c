/* External memory: a file descriptor of memory that hipMemExportToShareableHandle gave, of this
 * process or another, and buffers of it. There is no other maker of device memory here. */
#include "emulator/hip_calls.h"
#include "emulator/memory.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct {
    int file;
    uint64_t bytes;
} external;

static external *external_of(void *handle) {
    return emu_handle_is(handle, EMU_HANDLE_EXTERNAL) ? handle : NULL;
}

hipError_t emu_hipImportExternalMemory(void **extMem_out,
                                       const hipExternalMemoryHandleDesc *memHandleDesc) {
    const hipExternalMemoryHandleDesc *desc = memHandleDesc;
    if (!extMem_out || !desc || desc->type != hipExternalMemoryHandleTypeOpaqueFd || !desc->size)
        return emu_fail(hipErrorInvalidValue, "memory is imported from a file descriptor");
    uint64_t all;
    int file = emu_memory_file(desc->handle.fd, &all);
    external *made = file >= 0 ? malloc(sizeof *made) : NULL;
    if (!made) {
        if (file >= 0) close(file);
        return emu_fail(hipErrorInvalidValue, "descriptor %d is not of device memory",
                        desc->handle.fd);
    }
    *made = (external){file, desc->size < all ? desc->size : all};
    emu_handle_add(made, EMU_HANDLE_EXTERNAL);
    *extMem_out = made;
    close(desc->handle.fd); /* it is HIP's now */
    return hipSuccess;
}

hipError_t emu_hipExternalMemoryGetMappedBuffer(void **devPtr, void *extMem,
                                                const hipExternalMemoryBufferDesc *bufferDesc) {
    external *memory = external_of(extMem);
    if (!memory || !devPtr || !bufferDesc || !bufferDesc->size || bufferDesc->flags)
        return emu_fail(hipErrorInvalidValue, "no external memory, no result or no bytes");
    uint64_t offset = bufferDesc->offset, bytes = bufferDesc->size;
    if (offset > memory->bytes || bytes > memory->bytes - offset)
        return emu_fail(hipErrorInvalidValue, "the buffer leaves the external memory");
    *devPtr = emu_ipc_map(memory->file, offset, bytes);
    return *devPtr ? hipSuccess : emu_fail(hipErrorMapFailed, "no addresses are left");
}

/* Its buffers stay until hipFree. */
hipError_t emu_hipDestroyExternalMemory(void *extMem) {
    external *memory = external_of(extMem);
    if (!memory) return emu_fail(hipErrorInvalidValue, "not external memory: %p", extMem);
    emu_handle_remove(memory, EMU_HANDLE_EXTERNAL);
    close(memory->file);
    free(memory);
    return hipSuccess;
}
