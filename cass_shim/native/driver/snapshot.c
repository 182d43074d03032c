/* Capturing a launch: see snapshot.h. */
#include "driver/snapshot.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver/memory.h"
#include "driver/module_private.h"
#include "driver/stream.h"

enum { RANGES_ROOM = 4096, REGIONS_ROOM = 16, REGION_SHIFT = 40 }; /* at most the format's limit */
enum { LOOKUPS = 1 << 18, MISSES = 4096, PAGE_SHIFT = 12 };
enum { PATIENCE_S = 10, PAUSE_NS = 200000 };
static const uint64_t LEAST_ADDRESS = 0x10000, ADDRESS_END = (uint64_t)1 << 57;

struct cass_snapshot {
    cass_captured launch;
    cass_captured_range *ranges; /* in the order found, by address at the end */
    unsigned char *params;
    uint64_t bytes, limit, heap;    /* heap: its address, 0 where device code has none yet */
    uint64_t regions[REGIONS_ROOM]; /* high parts of the addresses known */
    uint32_t region_count, lookups;
    uint64_t misses[MISSES]; /* pages that hold no allocation, by their low bits */
    const char *trouble;
};

static void note_region(cass_snapshot *snapshot, uint64_t address) {
    uint64_t region = address >> REGION_SHIFT;
    for (uint32_t i = 0; i < snapshot->region_count; i++)
        if (snapshot->regions[i] == region) return;
    if (snapshot->region_count < REGIONS_ROOM) snapshot->regions[snapshot->region_count++] = region;
}

/* Whether a word may be an address near what is known. Numbers in large arrays must not cost a look
 * at HIP's tables each. */
static int is_near(const cass_snapshot *snapshot, uint64_t word) {
    for (uint32_t i = 0; i < snapshot->region_count; i++)
        if (snapshot->regions[i] == word >> REGION_SHIFT) return 1;
    return 0;
}

static int is_known(const cass_snapshot *snapshot, uint64_t address) {
    for (uint32_t i = 0; i < snapshot->launch.range_count; i++) {
        const cass_captured_range *range = &snapshot->ranges[i];
        if (address - range->address < range->size) return 1;
    }
    return 0;
}

/* Copies a range; its content is scanned later, when its turn comes. */
static int add(cass_snapshot *snapshot, uint64_t address, uint64_t size, uint32_t image, int type) {
    uint32_t count = snapshot->launch.range_count;
    if (size > snapshot->limit - snapshot->bytes || count == RANGES_ROOM) {
        snapshot->trouble = "reaches more memory than CASS_CAPTURE_LIMIT allows";
        return OUT_OF_MEMORY;
    }
    void *content = malloc((size_t)size), *from = (void *)(uintptr_t)address;
    if (!content) {
        snapshot->trouble = "needs more memory than there is";
        return OUT_OF_MEMORY;
    }
    int result = OK;
    if (type == HIP_MEMORY_DEVICE) result = cass_copy_out(content, from, (size_t)size);
    else memcpy(content, from, (size_t)size);
    if (result) {
        free(content);
        snapshot->trouble = "reaches memory that cannot be read";
        return result;
    }
    snapshot->ranges[count] = (cass_captured_range){address, size, image, content};
    snapshot->launch.range_count = count + 1;
    snapshot->bytes += size;
    note_region(snapshot, address);
    return OK;
}

/* Adds the allocation that an address lies in, if there is one. */
static int follow(cass_snapshot *snapshot, uint64_t word) {
    if (word < LEAST_ADDRESS || word >= ADDRESS_END || is_known(snapshot, word)) return OK;
    uint64_t page = word >> PAGE_SHIFT, *miss = &snapshot->misses[page % MISSES];
    if (*miss == page || snapshot->lookups == LOOKUPS) return OK;
    snapshot->lookups++;
    cass_pointer seen;
    cass_pointer_find((const void *)(uintptr_t)word, &seen);
    uint64_t base = (uint64_t)(uintptr_t)seen.base;
    if (!seen.bytes || word - base >= seen.bytes) {
        *miss = page;
        return OK;
    }
    uint32_t image = base == snapshot->heap ? CASS_CAPTURED_HEAP : CASS_CAPTURED_NO_IMAGE;
    return add(snapshot, base, seen.bytes, image, seen.type);
}

static int follow_all(cass_snapshot *snapshot, const void *bytes, uint64_t address, uint64_t size) {
    uint64_t word;
    for (uint64_t at = -address % 8; at + 8 <= size; at += 8) {
        memcpy(&word, (const char *)bytes + at, sizeof word);
        if (!is_near(snapshot, word)) continue;
        int result = follow(snapshot, word);
        if (result) return result;
    }
    return OK;
}

static int add_images(cass_snapshot *snapshot, cass_device *device, cass_module *module) {
    const cass_manifest *manifest = module->manifest;
    cass_module_data *data;
    int result = cass_module_data_on(module, device, &data);
    for (uint32_t i = 0; i < manifest->image_count && !result; i++) {
        int type = module->managed[i] ? HIP_MEMORY_MANAGED : HIP_MEMORY_DEVICE;
        if (manifest->images[i].size)
            result = add(snapshot, (uint64_t)(uintptr_t)data->images[i], manifest->images[i].size,
                         i, type);
    }
    return result;
}

/* The parameters' words first, whatever they look like; then everything found, as it is found. */
static int collect(cass_snapshot *snapshot, cass_device *device, const cass_kernel *kernel) {
    uint32_t bytes = kernel->info->params_bytes;
    uint64_t word;
    snapshot->heap = (uint64_t)(uintptr_t)atomic_load(&device->heap);
    int result = add_images(snapshot, device, kernel->module);
    for (uint32_t at = 0; at + 8 <= bytes && !result; at += 8) {
        memcpy(&word, snapshot->params + at, sizeof word);
        result = follow(snapshot, word);
    }
    for (uint32_t i = 0; i < snapshot->launch.range_count && !result; i++) {
        const cass_captured_range *range = &snapshot->ranges[i];
        result = follow_all(snapshot, range->content, range->address, range->size);
    }
    return result;
}

/* Of a clock that nobody sets. */
static time_t seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* Until everything that the launch comes behind is done; not for ever, since a stream may wait for
 * the program. */
static int wait_for_stream(hipStream_t stream) {
    hipEvent_t event;
    int result = HIP(hipEventCreateWithFlags, &event, CASS_EVENT_DISABLE_TIMING);
    if (result) return result;
    result = HIP(hipEventRecord, event, stream);
    time_t until = seconds() + PATIENCE_S;
    while (!result && (result = HIP(hipEventQuery, event)) == NOT_READY && seconds() < until) {
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
        result = OK;
    }
    HIP(hipEventDestroy, event);
    return result;
}

static int by_address(const void *a, const void *b) {
    const cass_captured_range *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static cass_snapshot *snapshot_new(const cass_kernel *kernel, const cass_launch *launch) {
    cass_snapshot *snapshot = calloc(1, sizeof *snapshot);
    if (!snapshot) return NULL;
    snapshot->ranges = calloc(RANGES_ROOM, sizeof *snapshot->ranges);
    snapshot->params = calloc(1, kernel->info->params_bytes + 8);
    snapshot->limit = cass_client_capture_limit();
    if (!snapshot->ranges || !snapshot->params ||
        cass_launch_pack(kernel, launch, snapshot->params)) {
        cass_snapshot_free(snapshot);
        return NULL;
    }
    memcpy(snapshot->launch.grid, launch->grid, sizeof snapshot->launch.grid);
    memcpy(snapshot->launch.block, launch->block, sizeof snapshot->launch.block);
    snapshot->launch.shared_bytes = launch->shared_bytes;
    snapshot->launch.cooperative = launch->cooperative != 0;
    snapshot->launch.params = snapshot->params;
    return snapshot;
}

cass_snapshot *cass_snapshot_take(cass_device *device, const cass_kernel *kernel,
                                  const cass_launch *launch, int asked) {
    cass_snapshot *snapshot = snapshot_new(kernel, launch);
    if (!snapshot) return NULL;
    int result = wait_for_stream(launch->stream);
    if (result) snapshot->trouble = "comes behind work that does not end";
    else result = collect(snapshot, device, kernel);
    if (result) {
        if (asked)
            cass_complain("%s: its first launch %s; it is not captured", kernel->info->name,
                          snapshot->trouble ? snapshot->trouble : "cannot be read");
        cass_snapshot_free(snapshot);
        return NULL;
    }
    qsort(snapshot->ranges, snapshot->launch.range_count, sizeof *snapshot->ranges, by_address);
    snapshot->launch.ranges = snapshot->ranges;
    return snapshot;
}

const cass_captured *cass_snapshot_launch(const cass_snapshot *snapshot) {
    return snapshot ? &snapshot->launch : NULL;
}

void cass_snapshot_free(cass_snapshot *snapshot) {
    if (!snapshot) return;
    for (uint32_t i = 0; snapshot->ranges && i < snapshot->launch.range_count; i++)
        free((void *)(uintptr_t)snapshot->ranges[i].content);
    free(snapshot->ranges);
    free(snapshot->params);
    free(snapshot);
}
