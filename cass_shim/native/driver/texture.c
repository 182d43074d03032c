/* Texture and surface objects: see texture.h. */
#include "driver/texture.h"

#include <stdlib.h>
#include <string.h>

#include "driver/module_private.h"

enum { ENTRIES = 65536 }; /* objects that can be alive at once */

typedef struct {
    int used, device;
    uint32_t epoch; /* of the device; a reset ends its objects */
    uint32_t next;  /* of the free ones, the first freed first */
    size_t bytes[3];
    unsigned char part[3][CASS_RESOURCE_BYTES];
} object;

/* Table and objects of one device, in one block of its memory. */
typedef struct {
    uint32_t epoch;
    cass_texture_entry *entries;
    char *words;
} table;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static object *objects; /* ENTRIES of them */
static uint32_t first_free, last_free, never_used = 1;
static table tables[CASS_MAX_DEVICES];

static const size_t OBJECT_BYTES = CASS_TEXTURE_DWORDS * sizeof(uint32_t);

/* Handle 0, that of a reference to which nothing is bound, leads to a resource of zeros: reads give
 * 0 and stores do nothing, as recorded on an H200. */
static int make_table(cass_device *device, table *made) {
    char *memory = NULL;
    size_t bytes = ENTRIES * sizeof(cass_texture_entry);
    cass_texture_entry *entries = calloc(1, bytes + OBJECT_BYTES);
    if (!entries) return OUT_OF_MEMORY;
    int result = HIP(hipMalloc, (void **)&memory, bytes + ENTRIES * OBJECT_BYTES);
    if (!result) {
        entries[0].object = (uint64_t)(uintptr_t)(memory + bytes);
        result = cass_copy_in(memory, entries, bytes + OBJECT_BYTES);
        if (result) (void)HIP(hipFree, memory);
    }
    free(entries);
    if (!result)
        *made = (table){device->epoch, (cass_texture_entry *)(void *)memory, memory + bytes};
    return result;
}

/* The device's table; the caller holds the lock. */
static int table_of(cass_device *device, table **out) {
    table *found = *out = &tables[cass_device_index(device)];
    return found->entries && found->epoch == device->epoch ? OK : make_table(device, found);
}

int cass_texture_table(cass_device *device, uint64_t *address) {
    table *found;
    pthread_mutex_lock(&lock);
    int result = table_of(device, &found);
    if (!result) *address = (uint64_t)(uintptr_t)found->entries;
    pthread_mutex_unlock(&lock);
    return result;
}

static uint32_t take(void) {
    if (!objects) objects = calloc(ENTRIES, sizeof *objects);
    if (!objects) return 0;
    if (never_used < ENTRIES) return never_used++;
    uint32_t taken = first_free;
    if (taken) first_free = objects[taken].next;
    return taken;
}

static void give(uint32_t index) {
    objects[index].used = 0;
    objects[index].next = 0;
    if (first_free) objects[last_free].next = index;
    else first_free = index;
    last_free = index;
}

/* The live object of a handle, or NULL; the caller holds the lock. */
static object *find(unsigned long long handle) {
    object *found = objects && handle && handle < ENTRIES ? &objects[handle] : NULL;
    return found && found->used && found->epoch == cass_devices[found->device].epoch ? found : NULL;
}

static int publish(cass_device *device, uint32_t index, cass_texture_entry entry,
                   const uint32_t *words) {
    table *on;
    int result = table_of(device, &on);
    if (result) return result;
    char *where = on->words + index * OBJECT_BYTES;
    entry.object = (uint64_t)(uintptr_t)where;
    result = cass_copy_in(where, words, OBJECT_BYTES);
    return result ? result : cass_copy_in(&on->entries[index], &entry, sizeof entry);
}

static void keep(object *made, cass_device *device, const cass_description parts[3]) {
    *made = (object){.used = 1, .device = cass_device_index(device), .epoch = device->epoch};
    for (int i = 0; i < 3; i++) {
        if (!parts[i].description || parts[i].bytes > sizeof made->part[i]) continue;
        memcpy(made->part[i], parts[i].description, parts[i].bytes);
        made->bytes[i] = parts[i].bytes;
    }
}

int cass_object_make(cass_device *device, const cass_texture *texture,
                     const cass_description parts[3], unsigned long long *handle) {
    cass_texture_entry entry;
    uint32_t words[CASS_TEXTURE_DWORDS];
    int result = cass_texture_describe(texture, &entry, words);
    if (result) return result;
    pthread_mutex_lock(&lock);
    uint32_t index = take();
    result = index ? publish(device, index, entry, words) : OUT_OF_MEMORY;
    if (!result) {
        keep(&objects[index], device, parts);
        *handle = index;
    } else if (index) {
        give(index);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

/* The entry stays: kernels in flight may still read it, since destroying does not wait. It ends
 * when the handle is given again, which is after all others. */
int cass_object_drop(unsigned long long handle) {
    pthread_mutex_lock(&lock);
    int result = find(handle) ? OK : INVALID_VALUE;
    if (!result) give((uint32_t)handle);
    pthread_mutex_unlock(&lock);
    return result;
}

int cass_object_part(unsigned long long handle, int part, void *out, size_t bytes) {
    int result = INVALID_VALUE;
    if (!out) return result;
    pthread_mutex_lock(&lock);
    const object *at = find(handle);
    if (at) { /* zeros where none was given, as CUDA answers for a view */
        memset(out, 0, bytes);
        memcpy(out, at->part[part], bytes < at->bytes[part] ? bytes : at->bytes[part]);
        result = OK;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

int cass_view_check(const cass_texture *texture, unsigned view_format, size_t width,
                    size_t height) {
    enum { BLOCK_SIDE = 4 };
    const cass_array *array = texture->mipmap ? &texture->mipmap->level[0] : texture->array;
    if (!array) return INVALID_VALUE;
    int block = cass_block_bytes(view_format);
    size_t side = block ? BLOCK_SIDE : 1;
    if (width != side * array->whole[0] || height != side * array->whole[1]) return INVALID_VALUE;
    cass_format_of format = array->format;
    int holds = format.kind == CASS_CHANNEL_UNSIGNED && format.channel_bytes == 4 &&
                format.channels * format.channel_bytes == block;
    return !block || holds ? OK : INVALID_VALUE;
}
