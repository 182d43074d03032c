/* Cooperative launches: see cooperative.h. */
#include "driver/cooperative.h"

#include <stdlib.h>
#include <string.h>

#include "driver/properties.h"
#include "driver/stream.h"

enum { WORKSPACE_BYTES = 256 };

/* One launch's barrier memory and binding table, reused when the launch before it has finished. */
struct cass_grid_sync {
    int device, busy;
    uint32_t epoch;
    size_t table_bytes;
    unsigned char *memory; /* device: workspace, then the table */
    unsigned char *staged; /* pinned host image of both */
    hipEvent_t finished;
    cass_grid_sync *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cass_grid_sync *workspaces;

static int make(cass_device *device, size_t table_bytes, cass_grid_sync **out) {
    cass_grid_sync *made = calloc(1, sizeof *made);
    if (!made) return OUT_OF_MEMORY;
    made->device = cass_device_index(device);
    made->epoch = device->epoch;
    made->table_bytes = table_bytes;
    int result = HIP(hipMalloc, (void **)&made->memory, WORKSPACE_BYTES + table_bytes);
    if (!result)
        result = HIP(hipHostMalloc, (void **)&made->staged, WORKSPACE_BYTES + table_bytes, 0);
    if (!result) result = HIP(hipEventCreateWithFlags, &made->finished, CASS_EVENT_DISABLE_TIMING);
    if (result) {
        if (made->memory) HIP(hipFree, made->memory);
        if (made->staged) HIP(hipHostFree, made->staged);
        free(made);
        return result;
    }
    made->next = workspaces;
    workspaces = made;
    *out = made;
    return OK;
}

static int acquire(cass_device *device, size_t table_bytes, cass_grid_sync **out) {
    pthread_mutex_lock(&lock);
    cass_grid_sync *at = workspaces;
    for (; at; at = at->next)
        if (!at->busy && at->device == cass_device_index(device) && at->epoch == device->epoch &&
            at->table_bytes >= table_bytes && !HIP(hipEventQuery, at->finished))
            break;
    int result = at ? OK : make(device, table_bytes, &at);
    if (!result) at->busy = 1;
    pthread_mutex_unlock(&lock);
    *out = at;
    return result;
}

int cass_cooperative_check(cass_device *device, cass_kernel *kernel, const cass_launch *launch) {
    const unsigned *grid = launch->grid, *block = launch->block;
    int fit, result = cass_occupancy(kernel, device, (int)(block[0] * block[1] * block[2]),
                                     launch->shared_bytes, &fit);
    if (result) return result;
    uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    int units = cass_attribute_value(device, CASS_ATTRIBUTE_MULTIPROCESSORS);
    return blocks > (uint64_t)fit * (uint64_t)units ? COOPERATIVE_TOO_LARGE : OK;
}

/* Where the event cannot be recorded the workspace stays busy: nobody could tell when the launch
 * lets go of it. */
void cass_cooperative_end(cass_grid_sync *workspace, hipStream_t stream) {
    pthread_mutex_lock(&lock);
    if (!HIP(hipEventRecord, workspace->finished, stream)) workspace->busy = 0;
    pthread_mutex_unlock(&lock);
}

int cass_cooperative_begin(cass_device *device, const cass_kernel_device *code,
                           const cass_launch *launch, cass_grid_sync **workspace,
                           const uint64_t **bindings) {
    if (code->grid_sync_slot < 0) return OK;
    size_t table_bytes = code->code->slot_count * sizeof(uint64_t);
    cass_grid_sync *space;
    int result = acquire(device, table_bytes, &space);
    if (result) return result;
    memset(space->staged, 0, WORKSPACE_BYTES);
    memcpy(space->staged + WORKSPACE_BYTES, code->host_bindings, table_bytes);
    uint64_t address = (uint64_t)(uintptr_t)space->memory;
    memcpy(space->staged + WORKSPACE_BYTES + (size_t)code->grid_sync_slot * 8, &address, 8);
    result = HIP(hipMemcpyAsync, space->memory, space->staged, WORKSPACE_BYTES + table_bytes,
                 HIP_COPY_HOST_TO_DEVICE, launch->stream);
    if (result) {
        cass_cooperative_end(space, launch->stream);
        return result;
    }
    *workspace = space;
    *bindings = (const uint64_t *)(const void *)(space->memory + WORKSPACE_BYTES);
    return OK;
}

void cass_cooperative_drop(cass_device *device) {
    pthread_mutex_lock(&lock);
    for (cass_grid_sync **link = &workspaces; *link;) {
        cass_grid_sync *at = *link;
        if (at->device != cass_device_index(device)) {
            link = &at->next;
            continue;
        }
        *link = at->next;
        HIP(hipEventDestroy, at->finished);
        HIP(hipFree, at->memory);
        HIP(hipHostFree, at->staged);
        free(at);
    }
    pthread_mutex_unlock(&lock);
}
