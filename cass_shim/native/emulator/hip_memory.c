/* Allocation: device, pinned, managed, pitched, stream-ordered; what a pointer is; resetting a
 * device. */
#include "emulator/hip_calls.h"
#include "emulator/hip_graph.h"
#include "emulator/hip_hostcall.h"
#include "emulator/hip_module.h"
#include "emulator/hip_pool.h"
#include "emulator/memory.h"

#include <stdlib.h>
#include <string.h>

#define PITCH_ALIGN 256u
#define ANY_POINTER (1u << EMU_MEMORY_DEVICE | 1u << EMU_MEMORY_MANAGED)

static hipError_t allocate(void **ptr, emu_memory_kind kind, size_t bytes, unsigned flags) {
    if (!ptr) return emu_fail(hipErrorInvalidValue, "no pointer");
    *ptr = NULL;
    hipError_t refused = emu_unsafe_while_capturing("allocating memory");
    if (refused || bytes == 0) return refused;
    *ptr = emu_memory_alloc(kind, emu_me.device, bytes, 256, flags);
    if (*ptr) return hipSuccess;
    return emu_fail(hipErrorOutOfMemory, "%zu bytes asked for, %llu of %llu in use", bytes,
                    (unsigned long long)emu_memory_used(emu_me.device),
                    (unsigned long long)emu_config.memory_bytes);
}

hipError_t emu_hipMalloc(void **ptr, size_t size) {
    return allocate(ptr, EMU_MEMORY_DEVICE, size, 0);
}

hipError_t emu_hipExtMallocWithFlags(void **ptr, size_t sizeBytes, unsigned int flags) {
    return allocate(ptr, EMU_MEMORY_DEVICE, sizeBytes, flags);
}

hipError_t emu_hipHostMalloc(void **ptr, size_t size, unsigned int flags) {
    return allocate(ptr, EMU_MEMORY_HOST, size, flags);
}
hipError_t emu_hipHostAlloc(void **ptr, size_t size, unsigned int flags) {
    return allocate(ptr, EMU_MEMORY_HOST, size, flags);
}
hipError_t emu_hipMallocHost(void **ptr, size_t size) {
    return allocate(ptr, EMU_MEMORY_HOST, size, 0);
}
hipError_t emu_hipMemAllocHost(void **ptr, size_t size) {
    return allocate(ptr, EMU_MEMORY_HOST, size, 0);
}

hipError_t emu_hipMallocManaged(void **dev_ptr, size_t size, unsigned int flags) {
    if (flags != hipMemAttachGlobal && flags != hipMemAttachHost && flags != hipMemAttachSingle)
        return emu_fail(hipErrorInvalidValue, "managed memory flags %#x", flags);
    return allocate(dev_ptr, EMU_MEMORY_MANAGED, size, flags);
}

/* hipFree waits for the device: nothing that runs may still use the memory. */
static hipError_t release(void *ptr, unsigned kinds, const char *what) {
    if (!ptr) return hipSuccess;
    emu_block block;
    if (kinds == ANY_POINTER && emu_ipc_imported(ptr)) return emu_hipIpcCloseMemHandle(ptr);
    if (!emu_memory_find(ptr, &block) || block.base != ptr || !(kinds >> block.kind & 1) ||
        block.registered)
        return emu_fail(hipErrorInvalidValue, "%p is not the start of a %s allocation", ptr, what);
    if (block.freeing) return emu_fail(hipErrorInvalidValue, "%p is being freed already", ptr);
    hipError_t error = emu_unsafe_while_capturing("freeing memory");
    if (error) return error;
    error = emu_wait_device(&emu_devices[block.device]);
    if (block.graph) return error;
    if (block.pool) emu_pool_forget(block.pool, block.bytes);
    if (block.shared) emu_ipc_forget(block.id);
    emu_memory_free(ptr, kinds);
    return error;
}

hipError_t emu_hipFree(void *ptr) { return release(ptr, ANY_POINTER, "device"); }
hipError_t emu_hipHostFree(void *ptr) { return release(ptr, 1u << EMU_MEMORY_HOST, "pinned"); }
hipError_t emu_hipFreeHost(void *ptr) { return release(ptr, 1u << EMU_MEMORY_HOST, "pinned"); }

static hipError_t pitched(void **ptr, size_t *pitch, size_t width, size_t rows) {
    size_t row, bytes;
    if (!ptr || !pitch) return emu_fail(hipErrorInvalidValue, "no pointer or no pitch");
    if (__builtin_add_overflow(width, PITCH_ALIGN - 1, &row)) return hipErrorOutOfMemory;
    row &= ~(size_t)(PITCH_ALIGN - 1);
    if (__builtin_mul_overflow(row, rows, &bytes))
        return emu_fail(hipErrorOutOfMemory, "the size overflows");
    *pitch = row;
    return allocate(ptr, EMU_MEMORY_DEVICE, bytes, 0);
}

hipError_t emu_hipMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height) {
    return pitched(ptr, pitch, width, height);
}

hipError_t emu_hipMemAllocPitch(void **dptr, size_t *pitch, size_t widthInBytes, size_t height,
                                unsigned int elementSizeBytes) {
    if (elementSizeBytes != 4 && elementSizeBytes != 8 && elementSizeBytes != 16)
        return emu_fail(hipErrorInvalidValue, "elements of %u bytes; 4, 8 or 16", elementSizeBytes);
    return pitched(dptr, pitch, widthInBytes, height);
}

hipError_t emu_hipMalloc3D(hipPitchedPtr *pitchedDevPtr, hipExtent extent) {
    size_t rows;
    if (!pitchedDevPtr) return emu_fail(hipErrorInvalidValue, "no pointer");
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        return emu_fail(hipErrorOutOfMemory, "the size overflows");
    *pitchedDevPtr = (hipPitchedPtr){.xsize = extent.width, .ysize = extent.height};
    return pitched(&pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent.width, rows);
}

hipError_t emu_hipHostRegister(void *hostPtr, size_t sizeBytes, unsigned int flags) {
    const unsigned known = hipHostRegisterPortable | hipHostRegisterMapped |
                           hipHostRegisterIoMemory | hipExtHostRegisterCoarseGrained;
    if (!hostPtr || !sizeBytes || (flags & ~known))
        return emu_fail(hipErrorInvalidValue, "nothing to register or flags %#x", flags);
    uint8_t probe;
    const uint8_t *last = (const uint8_t *)hostPtr + sizeBytes - 1;
    if (emu_memory_inside(hostPtr) || last < (const uint8_t *)hostPtr ||
        !emu_memory_copy(&probe, hostPtr, 1) || !emu_memory_copy(&probe, last, 1))
        return emu_fail(hipErrorInvalidValue, "%zu bytes at %p are no host memory", sizeBytes,
                        hostPtr);
    return emu_memory_register(hostPtr, sizeBytes, flags)
               ? hipSuccess
               : emu_fail(hipErrorHostMemoryAlreadyRegistered, "part of it is registered already");
}

hipError_t emu_hipHostUnregister(void *hostPtr) {
    emu_wait_device(emu_current());
    return emu_memory_unregister(hostPtr)
               ? hipSuccess
               : emu_fail(hipErrorHostMemoryNotRegistered, "%p is not registered", hostPtr);
}

hipError_t emu_hipHostGetDevicePointer(void **devPtr, void *hstPtr, unsigned int flags) {
    emu_block block;
    if (!devPtr || flags)
        return emu_fail(hipErrorInvalidValue, "no pointer, or flags that must be 0");
    if (!emu_memory_find(hstPtr, &block) ||
        (block.kind != EMU_MEMORY_HOST && block.kind != EMU_MEMORY_MANAGED))
        return emu_fail(hipErrorInvalidValue, "%p is neither pinned nor registered", hstPtr);
    *devPtr = hstPtr;
    return hipSuccess;
}

hipError_t emu_hipHostGetFlags(unsigned int *flagsPtr, void *hostPtr) {
    emu_block block;
    if (!flagsPtr) return emu_fail(hipErrorInvalidValue, "no flags");
    if (!emu_memory_find(hostPtr, &block) || block.kind != EMU_MEMORY_HOST)
        return emu_fail(hipErrorInvalidValue, "%p is neither pinned nor registered", hostPtr);
    *flagsPtr = block.flags;
    return hipSuccess;
}

hipError_t emu_hipMemGetInfo(size_t *free, size_t *total) {
    uint64_t used = emu_memory_used(emu_me.device);
    if (free) *free = emu_config.memory_bytes - used;
    if (total) *total = emu_config.memory_bytes;
    return hipSuccess;
}

hipError_t emu_hipMemPtrGetInfo(void *ptr, size_t *size) {
    emu_block block;
    if (!size) return emu_fail(hipErrorInvalidValue, "no size");
    if (!emu_memory_find(ptr, &block))
        return emu_fail(hipErrorInvalidValue, "%p is no device memory", ptr);
    *size = block.bytes;
    return hipSuccess;
}

hipError_t emu_hipMemGetAddressRange(void **pbase, size_t *psize, void *dptr) {
    emu_block block;
    if (!emu_memory_find(dptr, &block))
        return emu_fail(hipErrorNotFound, "%p is no device memory", dptr);
    void *base = block.base;
    size_t bytes = block.bytes;
    if (block.mapped) emu_ipc_range(dptr, &base, &bytes); /* a part of a page, perhaps */
    if (pbase) *pbase = base;
    if (psize) *psize = bytes;
    return hipSuccess;
}

static hipMemoryType type_of(const emu_block *block) {
    if (block->kind == EMU_MEMORY_HOST) return hipMemoryTypeHost;
    if (block->kind == EMU_MEMORY_MANAGED) return hipMemoryTypeManaged;
    return hipMemoryTypeDevice;
}

hipError_t emu_hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *ptr) {
    emu_block block;
    if (!attributes || !ptr) return emu_fail(hipErrorInvalidValue, "no attributes or no pointer");
    *attributes =
        (hipPointerAttribute_t){.type = hipMemoryTypeUnregistered, .device = hipInvalidDeviceId};
    if (!emu_memory_find(ptr, &block)) return hipSuccess;
    attributes->type = type_of(&block);
    attributes->device = block.device;
    attributes->devicePointer = (void *)(uintptr_t)ptr;
    attributes->hostPointer =
        attributes->type == hipMemoryTypeDevice ? NULL : (void *)(uintptr_t)ptr;
    attributes->isManaged = block.kind == EMU_MEMORY_MANAGED;
    attributes->allocationFlags = block.flags;
    return hipSuccess;
}

/* Where an attribute's value goes and how wide it is. */
static hipError_t give(void *into, const void *from, size_t bytes) {
    memcpy(into, from, bytes);
    return hipSuccess;
}

static hipError_t give_pointer(void *into, const void *pointer) {
    return give(into, &pointer, sizeof pointer);
}
static hipError_t give_unsigned(void *into, unsigned value) {
    return give(into, &value, sizeof value);
}
static hipError_t give_wide(void *into, uint64_t value) { return give(into, &value, sizeof value); }

/* Rows of one_attribute that are plain facts of the kind of memory. */
static hipError_t kind_attribute(void *value, hipPointer_attribute attribute,
                                 const emu_block *block) {
    switch (attribute) {
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return give_unsigned(value, type_of(block));
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
        return give_unsigned(value, block->kind == EMU_MEMORY_MANAGED);
    case HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE:
        return give_unsigned(value, block->kind == EMU_MEMORY_DEVICE);
    case HIP_POINTER_ATTRIBUTE_MAPPED:
        return give_unsigned(value, 1);
    case HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        return give_unsigned(value, hipMemAccessFlagsProtReadWrite);
    case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        return give_unsigned(value, 0);
    default:
        return emu_fail(hipErrorInvalidValue, "pointer attribute %d", (int)attribute);
    }
}

static hipError_t one_attribute(void *value, hipPointer_attribute attribute, void *ptr) {
    emu_block block;
    if (!emu_memory_find(ptr, &block))
        return emu_fail(hipErrorInvalidValue, "%p is no device memory", ptr);
    switch (attribute) {
    case HIP_POINTER_ATTRIBUTE_CONTEXT:
        return give_pointer(value, &emu_devices[block.device]);
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
        return give_pointer(value, ptr);
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
        return give_pointer(value, type_of(&block) == hipMemoryTypeDevice ? NULL : ptr);
    case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
        return give_wide(value, block.id);
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        return give_unsigned(value, (unsigned)block.device);
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        return give_pointer(value, block.base);
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
        return give_wide(value, block.bytes);
    case HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        return give_pointer(value, block.pool);
    default:
        return kind_attribute(value, attribute, &block);
    }
}

hipError_t emu_hipPointerGetAttribute(void *data, hipPointer_attribute attribute, void *ptr) {
    return data ? one_attribute(data, attribute, ptr) : emu_fail(hipErrorInvalidValue, "no value");
}

hipError_t emu_hipPointerSetAttribute(const void *value, hipPointer_attribute attribute,
                                      void *ptr) {
    emu_block block;
    if (!value || attribute != HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS || !emu_memory_find(ptr, &block))
        return emu_fail(hipErrorInvalidValue, "only SYNC_MEMOPS of device memory can be set");
    return hipSuccess; /* synchronous copies are synchronous for all memory here */
}

hipError_t emu_hipDrvPointerGetAttributes(unsigned int numAttributes,
                                          hipPointer_attribute *attributes, void **data,
                                          void *ptr) {
    if (!attributes || !data) return emu_fail(hipErrorInvalidValue, "no attributes");
    for (unsigned i = 0; i < numAttributes; i++)
        if (data[i] && one_attribute(data[i], attributes[i], ptr)) {
            unsigned none = 0; /* as CUDA: an unknown pointer has null attributes, not an error */
            memcpy(data[i], &none, sizeof none);
        }
    return hipSuccess;
}

/* Waits, frees everything, and takes the sticky error back. Handles stay allocated but streams keep
 * working. */
hipError_t emu_hipDeviceReset(void) {
    emu_device *device = emu_current();
    emu_wait_device(device);
    emu_modules_reset(device);
    emu_memory_reset(device->ordinal);
    emu_device_heap_reset(device);
    pthread_mutex_lock(&device->fault_lock);
    device->fault_text[0] = 0;
    atomic_store(&device->fault, (int)hipSuccess);
    pthread_mutex_unlock(&device->fault_lock);
    emu_me.last = hipSuccess;
    return hipSuccess;
}
