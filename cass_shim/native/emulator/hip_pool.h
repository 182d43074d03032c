/* Memory pools: accounting for stream-ordered allocation. Memory itself comes from the range like
 * any other. */
#ifndef CASS_EMU_HIP_POOL_H
#define CASS_EMU_HIP_POOL_H

#include "emulator/hip_queue.h"

struct emu_pool {
    emu_device *device;
    pthread_mutex_t lock;
    hipMemPoolProps props;
    uint64_t used, used_high, threshold, flags[3];
    uint64_t reserved, reserved_high; /* used, and what the threshold lets it keep */
    hipMemAccessFlags peer_access;
    bool is_default, imported;
    uint32_t name;    /* within the process that made it, once it is exported; 0 before */
    int32_t exporter; /* of an imported pool: that process */
};

emu_pool *emu_pool_create(emu_device *device, const hipMemPoolProps *props);

/* A block of the pool was freed by hipFree. */
void emu_pool_forget(emu_pool *pool, uint64_t bytes);
/* Frees the block at `memory` in stream order. */
emu_op *emu_free_op(void *memory);

#endif
