/* The printf ring: see ring.h. */
#include "driver/ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/module_private.h"

enum { PRINTF = 1, ASSERT = 2, RECORD_BYTES = 16, LARGEST_RING = 16 << 20 };
enum { ASSERT_BYTES = 40, ASSERT_PLACE_BYTES = 64, STRING_CHUNK = 256, LONGEST_STRING = 1 << 20 };

typedef struct { /* shared with the device */
    uint32_t capacity;
    _Atomic uint32_t tail;
    _Atomic uint32_t dropped;
    uint32_t reserved;
    unsigned char data[];
} shared_ring;

struct cass_ring {
    shared_ring *shared;
    uint64_t device_address;
    uint32_t head; /* bytes consumed */
    pthread_mutex_t lock;
};

static int make_ring(cass_device *device, struct cass_ring **out) {
    size_t bytes = device->limits[HIP_LIMIT_PRINTF];
    if (bytes > LARGEST_RING) bytes = LARGEST_RING;
    struct cass_ring *ring = calloc(1, sizeof *ring);
    void *host = NULL, *seen = NULL;
    if (!ring) return OUT_OF_MEMORY;
    int result = HIP(hipHostMalloc, &host, sizeof(shared_ring) + bytes, 0);
    if (!result && HIP_OPTIONAL(hipHostGetDevicePointer, &seen, host, 0)) seen = host;
    if (result) {
        free(ring);
        return result;
    }
    memset(host, 0, sizeof(shared_ring) + bytes);
    ring->shared = host;
    ring->shared->capacity = (uint32_t)bytes;
    ring->device_address = (uint64_t)(uintptr_t)seen;
    pthread_mutex_init(&ring->lock, NULL);
    *out = ring;
    return OK;
}

int cass_ring_address(cass_device *device, uint64_t *address) {
    struct cass_ring *ring = atomic_load_explicit(&device->ring, memory_order_acquire);
    int result = OK;
    if (!ring) {
        pthread_mutex_lock(&device->lock);
        ring = atomic_load(&device->ring);
        if (!ring) result = make_ring(device, &ring);
        if (!result) atomic_store_explicit(&device->ring, ring, memory_order_release);
        pthread_mutex_unlock(&device->lock);
    }
    if (!result) *address = ring->device_address;
    return result;
}

void cass_ring_drop(cass_device *device) {
    struct cass_ring *ring = atomic_exchange(&device->ring, NULL);
    if (!ring) return;
    HIP(hipHostFree, ring->shared);
    free(ring);
}

/* How many bytes from `address` on belong to its allocation, at most `wanted`. */
static size_t readable(uint64_t address, size_t wanted) {
    hipDeviceptr_t base;
    size_t bytes;
    if (HIP_OPTIONAL(hipMemGetAddressRange, &base, &bytes, (hipDeviceptr_t)(uintptr_t)address))
        return wanted < 16 ? wanted
                           : 16; /* unknown: small steps cross no page that is not mapped */
    uint64_t end = (uint64_t)(uintptr_t)base + bytes;
    return end - address < wanted ? (size_t)(end - address) : wanted;
}

/* After a fault nothing can be copied any more; what a failed assertion names is constant. */
static char *initial_string(uint64_t address) {
    size_t room = 0;
    const char *text = cass_module_content(address, &room);
    return text && memchr(text, 0, room) ? strdup(text) : NULL;
}

char *cass_device_string(uint64_t address) {
    size_t length = 0, room = 0;
    char *text = NULL;
    while (length < LONGEST_STRING) {
        size_t step = readable(address + length, STRING_CHUNK);
        if (length + step + 1 > room) {
            char *grown = realloc(text, room = 2 * (length + step + 1));
            if (!grown) break;
            text = grown;
        }
        if (!step ||
            cass_copy_out(text + length, (const void *)(uintptr_t)(address + length), step)) {
            free(text);
            return initial_string(address);
        }
        const char *end = memchr(text + length, 0, step);
        if (end) return text;
        length += step;
    }
    free(text);
    return NULL;
}

static uint64_t word64(const unsigned char *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static void say_assertion(const unsigned char *arguments, size_t bytes) {
    uint32_t line, place[6] = {0};
    if (bytes < ASSERT_BYTES) return;
    char *message = cass_device_string(word64(arguments));
    char *file = cass_device_string(word64(arguments + 8));
    memcpy(&line, arguments + 16, sizeof line);
    char *function = cass_device_string(word64(arguments + 24));
    if (bytes >= ASSERT_PLACE_BYTES) memcpy(place, arguments + ASSERT_BYTES, sizeof place);
    fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
            file ? file : "?", line, function ? function : "?", place[0], place[1], place[2],
            place[3], place[4], place[5], message ? message : "?");
    free(message);
    free(file);
    free(function);
}

/* Prints the records between head and `end`; stops at one that is not finished. */
static int consume(struct cass_ring *ring, uint32_t end) {
    int asserted = 0;
    while (ring->head + RECORD_BYTES <= end) {
        unsigned char *record = ring->shared->data + ring->head;
        uint32_t kind = __atomic_load_n((uint32_t *)(void *)record, __ATOMIC_ACQUIRE), bytes;
        memcpy(&bytes, record + 4, sizeof bytes);
        if (!kind || bytes > end - ring->head - RECORD_BYTES) break;
        if (kind == PRINTF) {
            char *format = cass_device_string(word64(record + 8));
            if (format) cass_format(format, record + RECORD_BYTES, bytes);
            free(format);
        } else if (kind == ASSERT) {
            say_assertion(record + RECORD_BYTES, bytes);
            asserted = 1;
        }
        ring->head += RECORD_BYTES + ((bytes + 7) & ~7u);
    }
    return asserted;
}

/* Empties the ring when all of it was consumed: clears what was written, then takes the tail back
 * unless a kernel has reserved more meanwhile. */
static void rewind_ring(struct cass_ring *ring, uint32_t tail, int idle) {
    uint32_t written = tail < ring->shared->capacity ? tail : ring->shared->capacity;
    if (!idle && (ring->head != tail || tail > ring->shared->capacity)) return;
    memset(ring->shared->data, 0, written);
    if (idle) {
        atomic_store(&ring->shared->tail, 0);
        atomic_store(&ring->shared->dropped, 0);
        ring->head = 0;
    } else if (atomic_compare_exchange_strong(&ring->shared->tail, &tail, 0)) {
        ring->head = 0;
    }
}

int cass_ring_drain(cass_device *device, int idle) {
    struct cass_ring *ring = atomic_load_explicit(&device->ring, memory_order_acquire);
    if (!ring || atomic_load(&ring->shared->tail) == 0) return OK;
    pthread_mutex_lock(&ring->lock);
    uint32_t tail = atomic_load(&ring->shared->tail);
    uint32_t end = tail < ring->shared->capacity ? tail : ring->shared->capacity;
    int asserted = consume(ring, end);
    rewind_ring(ring, tail, idle);
    pthread_mutex_unlock(&ring->lock);
    return asserted ? ASSERTION : OK;
}
