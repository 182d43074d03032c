/* The state of the device library's malloc (hip_hostcall.h). The library keeps it itself: all that
 * it wants is 128 KiB of zeroes, and memory for its blocks, which it asks for by hostcall. Source:
 * ockl's dm.cl ("all bits 0 is … the expected initial state") and __ockl_dm_init_v1, which clears
 * that much. */
#include "emulator/hip_hostcall.h"
#include "emulator/memory.h"

#define HEAP_STATE_BYTES (128u << 10)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

uint64_t emu_device_heap(emu_device *device) {
    pthread_mutex_lock(&lock);
    if (!device->heap)
        device->heap =
            emu_memory_alloc(EMU_MEMORY_INTERNAL, device->ordinal, HEAP_STATE_BYTES, EMU_PAGE, 0);
    void *heap = device->heap;
    pthread_mutex_unlock(&lock);
    return (uint64_t)heap;
}

void emu_device_heap_reset(emu_device *device) {
    pthread_mutex_lock(&lock);
    if (device->heap) emu_memory_free(device->heap, 1u << EMU_MEMORY_INTERNAL);
    device->heap = NULL;
    pthread_mutex_unlock(&lock);
}
