/* Shared memory beyond LDS: see shared.h. */
#include "driver/shared.h"

#include <stdlib.h>

#include "driver/module_private.h"
#include "driver/properties.h"

enum {
    LDS_BYTES = 65536,           /* of a workgroup of gfx1100 */
    IN_LDS = LDS_BYTES - 256,    /* kernel_abi.py, SHARED_IN_LDS */
    SPILLED_OPT_IN = 101376,     /* SHARED_OPT_IN_SPILLED */
    SLOT_BYTES = CASS_SM_SHARED, /* ARENA_SLOT_BYTES */
    SLOTS_OFFSET = 4096,         /* ARENA_SLOTS_OFFSET */
    TAKEN_OFFSET = 64,           /* ARENA_TAKEN_OFFSET */
    RESERVING_SM = 90,           /* from here on machine code's own bytes hold the reserved ones */
    PER_PROCESSOR = 2,           /* workgroups with all of their LDS that a WGP of RDNA3 holds */
    HEADER_WORDS = SLOTS_OFFSET / 4
};
static const int MOST_SLOTS = (SLOTS_OFFSET - TAKEN_OFFSET) / 4;

int cass_shared_opt_in(void) { return cass_client_spills() ? SPILLED_OPT_IN : LDS_BYTES; }

/* A kernel of PTX alone, which has no register count, holds none of the reserved bytes. */
size_t cass_static_shared(const cass_kernel *kernel) {
    const cass_kernel_info *info = kernel->info;
    int holds = info->sm >= RESERVING_SM && info->registers;
    if (!holds || info->shared_bytes < CASS_RESERVED_SHARED) return info->shared_bytes;
    return info->shared_bytes - CASS_RESERVED_SHARED;
}

/* LDS holds the reserved bytes too. */
size_t cass_dynamic_room(const cass_kernel *kernel) {
    size_t used = cass_client_spills() ? cass_static_shared(kernel) : kernel->info->shared_bytes;
    size_t most = (size_t)cass_shared_opt_in();
    return most > used ? most - used : 0;
}

/* A launch has more than LDS holds only where cass_function_set allowed that. */
int cass_launch_spills(const cass_kernel *kernel, size_t dynamic_bytes) {
    return kernel->info->shared_bytes + dynamic_bytes > IN_LDS && cass_client_spills();
}

unsigned cass_spilled_lds(const cass_kernel_device *code) {
    return LDS_BYTES - (unsigned)code->static_shared;
}

static int make(const cass_device *device, void **out) {
    uint32_t header[HEADER_WORDS] = {0};
    int slots = PER_PROCESSOR * cass_attribute_value(device, CASS_ATTRIBUTE_MULTIPROCESSORS);
    if (slots < 1) slots = 1;
    header[0] = (uint32_t)(slots < MOST_SLOTS ? slots : MOST_SLOTS);
    header[1] = SLOT_BYTES;
    int result = HIP(hipMalloc, out, SLOTS_OFFSET + (size_t)header[0] * SLOT_BYTES);
    if (result) return result;
    result = cass_copy_in(*out, header, sizeof header);
    if (result) HIP(hipFree, *out);
    return result;
}

int cass_shared_arena(cass_device *device, uint64_t *address) {
    int result = OK;
    pthread_mutex_lock(&device->heap_lock);
    void *arena = atomic_load(&device->shared);
    if (!arena) {
        result = make(device, &arena);
        if (!result) atomic_store_explicit(&device->shared, arena, memory_order_release);
    }
    pthread_mutex_unlock(&device->heap_lock);
    *address = (uint64_t)(uintptr_t)arena;
    return result;
}

void cass_shared_drop(cass_device *device) {
    void *arena = atomic_exchange(&device->shared, NULL);
    if (arena) HIP(hipFree, arena);
}
