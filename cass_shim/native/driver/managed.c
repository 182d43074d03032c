/* Advice on managed memory: see managed.h. */
#include "driver/managed.h"

#include <stdlib.h>
#include <string.h>

#include "driver/capture.h"
#include "driver/memory.h"

enum {
    SET_READ_MOSTLY = 1,
    UNSET_READ_MOSTLY,
    SET_PREFERRED,
    UNSET_PREFERRED,
    SET_ACCESSED,
    UNSET_ACCESSED
};
enum {
    READ_MOSTLY = 1,
    PREFERRED,
    ACCESSED_BY,
    LAST_PREFETCH,
    PREFERRED_TYPE,
    PREFERRED_ID,
    PREFETCH_TYPE,
    PREFETCH_ID
};
enum { GLOBAL = 1, HOST = 2, SINGLE = 4 }; /* CU_MEM_ATTACH_… */
enum { LOCATION_INVALID = 0, LOCATION_DEVICE = 1, LOCATION_HOST = 2 };

typedef struct advice {
    const void *base;
    int read_mostly, preferred, last_prefetch;
    uint64_t accessed_by; /* bit per device; bit 63: the CPU */
    struct advice *next;
} advice;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static advice *all;

/* The record of an allocation, made on first advice. The caller holds the lock. */
static advice *record(const void *base) {
    advice *at = all;
    while (at && at->base != base) at = at->next;
    if (at) return at;
    at = calloc(1, sizeof *at);
    if (!at) return NULL;
    *at = (advice){base, 0, CASS_NOWHERE, CASS_NOWHERE, 0, all};
    return all = at;
}

static int managed(const void *pointer, size_t bytes, const void **base) {
    cass_pointer seen;
    cass_pointer_get(pointer, &seen);
    if (!bytes || seen.type != HIP_MEMORY_MANAGED) return INVALID_VALUE;
    if (seen.base && (const char *)pointer + bytes > (const char *)seen.base + seen.bytes)
        return INVALID_VALUE;
    *base = seen.base ? seen.base : pointer;
    return OK;
}

int cass_is_managed(const void *pointer, size_t bytes) {
    const void *base;
    return pointer && !managed(pointer, bytes ? bytes : 1, &base);
}

int cass_attach_ok(const void *pointer, size_t bytes, hipStream_t stream, unsigned flags) {
    cass_pointer seen;
    if (!cass_is_managed(pointer, bytes) || (flags != GLOBAL && flags != HOST && flags != SINGLE))
        return 0;
    cass_pointer_get(pointer, &seen);
    if (bytes && seen.base && bytes != seen.bytes) return 0;
    return flags != SINGLE || (stream && stream != HIP_STREAM_LEGACY);
}

int cass_all_managed(const void *const *pointers, const size_t *sizes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!cass_is_managed(pointers[i], sizes[i])) return INVALID_VALUE;
    return OK;
}

static int place_ok(int location) { return location >= CASS_CPU && location < cass_device_count; }

int cass_advise(const void *pointer, size_t bytes, int what, int location) {
    const void *base;
    int result = managed(pointer, bytes, &base);
    if (result) return result;
    if (what < SET_READ_MOSTLY || what > UNSET_ACCESSED) return INVALID_VALUE;
    if (what >= SET_PREFERRED && what != UNSET_PREFERRED && !place_ok(location))
        return INVALID_DEVICE;
    uint64_t bit = 1ull << (location < 0 ? 63 : location);
    pthread_mutex_lock(&lock);
    advice *at = record(base);
    if (at) switch (what) {
        case SET_READ_MOSTLY:
            at->read_mostly = 1;
            break;
        case UNSET_READ_MOSTLY:
            at->read_mostly = 0;
            break;
        case SET_PREFERRED:
            at->preferred = location;
            break;
        case UNSET_PREFERRED:
            at->preferred = CASS_NOWHERE;
            break;
        case SET_ACCESSED:
            at->accessed_by |= bit;
            break;
        default:
            at->accessed_by &= ~bit;
        }
    pthread_mutex_unlock(&lock);
    if (cass_hip.hipMemAdvise) cass_hip.hipMemAdvise(pointer, bytes, what, location); /* a hint */
    return at ? OK : OUT_OF_MEMORY;
}

int cass_prefetch(cass_device *device, const void *pointer, size_t bytes, int location,
                  hipStream_t stream) {
    const void *base;
    int result = managed(pointer, bytes, &base);
    if (result) return result;
    if (!place_ok(location)) return INVALID_DEVICE;
    if (cass_capturing(stream)) return CAPTURE_UNSUPPORTED;
    pthread_mutex_lock(&lock);
    advice *at = record(base);
    if (at) at->last_prefetch = location;
    pthread_mutex_unlock(&lock);
    if (!cass_hip.hipMemPrefetchAsync) return OK;
    result = HIP(hipMemPrefetchAsync, pointer, bytes, location, stream);
    return result == NOT_SUPPORTED ? OK : cass_note(device, result);
}

static int type_of(int location) {
    return location == CASS_NOWHERE ? LOCATION_INVALID
           : location == CASS_CPU   ? LOCATION_HOST
                                    : LOCATION_DEVICE;
}

int cass_range_get(void *data, size_t data_bytes, int attribute, const void *pointer,
                   size_t bytes) {
    const void *base;
    int result = managed(pointer, bytes, &base), *values = data;
    if (result) return result;
    if (!data || data_bytes < 4 || data_bytes % 4) return INVALID_VALUE;
    if (attribute != ACCESSED_BY && data_bytes != 4) return INVALID_VALUE;
    pthread_mutex_lock(&lock);
    advice none = {base, 0, CASS_NOWHERE, CASS_NOWHERE, 0, NULL}, *at = record(base);
    advice seen = at ? *at : none;
    pthread_mutex_unlock(&lock);
    switch (attribute) {
    case READ_MOSTLY:
        *values = seen.read_mostly;
        return OK;
    case PREFERRED:
        *values = seen.preferred;
        return OK;
    case LAST_PREFETCH:
        *values = seen.last_prefetch;
        return OK;
    case PREFERRED_TYPE:
        *values = type_of(seen.preferred);
        return OK;
    case PREFERRED_ID:
        *values = seen.preferred < 0 ? 0 : seen.preferred;
        return OK;
    case PREFETCH_TYPE:
        *values = type_of(seen.last_prefetch);
        return OK;
    case PREFETCH_ID:
        *values = seen.last_prefetch < 0 ? 0 : seen.last_prefetch;
        return OK;
    case ACCESSED_BY:
        break;
    default:
        return INVALID_VALUE;
    }
    size_t room = data_bytes / 4, found = 0;
    if (seen.accessed_by >> 63 && found < room) values[found++] = CASS_CPU;
    for (int i = 0; i < cass_device_count && found < room; i++)
        if (seen.accessed_by >> i & 1) values[found++] = i;
    while (found < room) values[found++] = CASS_NOWHERE;
    return OK;
}
