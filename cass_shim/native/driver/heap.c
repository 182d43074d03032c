/* The device heap: see heap.h. */
#include "driver/heap.h"

#include "driver/module_private.h"

enum { HEADER_BYTES = 1024, HEAP_LIMIT = 2 };

static _Atomic int arenas; /* devices that have one */

int cass_heap_holds(const void *address) {
    if (!atomic_load_explicit(&arenas, memory_order_relaxed)) return 0;
    for (int i = 0; i < cass_device_count; i++) {
        uintptr_t arena = (uintptr_t)atomic_load(&cass_devices[i].heap);
        if (arena && (uintptr_t)address - arena < cass_devices[i].heap_bytes) return 1;
    }
    return 0;
}

int cass_heap_address(cass_device *device, uint64_t *address) {
    int result = OK;
    pthread_mutex_lock(&device->heap_lock);
    void *arena = atomic_load(&device->heap);
    if (!arena) {
        size_t bytes = device->limits[HEAP_LIMIT] + HEADER_BYTES;
        uint64_t header[HEADER_BYTES / 8] = {bytes};
        result = HIP(hipMalloc, &arena, bytes);
        int made = !result;
        if (made) result = cass_copy_in(arena, header, sizeof header);
        if (!result) {
            atomic_store(&device->heap_bytes, bytes);
            atomic_store_explicit(&device->heap, arena, memory_order_release);
            atomic_fetch_add(&arenas, 1);
        } else if (made) HIP(hipFree, arena);
    }
    pthread_mutex_unlock(&device->heap_lock);
    *address = (uint64_t)(uintptr_t)arena;
    return result;
}

void cass_heap_drop(cass_device *device) {
    void *arena = atomic_exchange(&device->heap, NULL);
    if (!arena) return;
    atomic_fetch_sub(&arenas, 1);
    HIP(hipFree, arena);
}
