/* Texture and surface objects: see texture.h. */
#include "driver/texture.h"

#include <stdlib.h>
#include <string.h>

typedef struct object {
    unsigned long long handle;
    size_t bytes[3];
    unsigned char part[3][CASS_RESOURCE_BYTES];
    struct object *next;
} object;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static object *objects;
static unsigned long long next_handle = 1;

int cass_object_make(const cass_description parts[3], unsigned long long *handle) {
    object *made = calloc(1, sizeof *made);
    if (!made) return OUT_OF_MEMORY;
    for (int i = 0; i < 3; i++) {
        if (!parts[i].description || parts[i].bytes > sizeof made->part[i]) continue;
        memcpy(made->part[i], parts[i].description, parts[i].bytes);
        made->bytes[i] = parts[i].bytes;
    }
    pthread_mutex_lock(&lock);
    made->handle = *handle = next_handle++;
    made->next = objects;
    objects = made;
    pthread_mutex_unlock(&lock);
    return OK;
}

int cass_object_drop(unsigned long long handle) {
    int result = INVALID_VALUE;
    pthread_mutex_lock(&lock);
    for (object **link = &objects; *link; link = &(*link)->next)
        if ((*link)->handle == handle) {
            object *gone = *link;
            *link = gone->next;
            free(gone);
            result = OK;
            break;
        }
    pthread_mutex_unlock(&lock);
    return result;
}

int cass_object_part(unsigned long long handle, int part, void *out, size_t bytes) {
    int result = INVALID_VALUE;
    if (!out) return result;
    pthread_mutex_lock(&lock);
    for (const object *at = objects; at; at = at->next)
        if (at->handle == handle && at->bytes[part]) {
            memcpy(out, at->part[part], bytes < at->bytes[part] ? bytes : at->bytes[part]);
            result = OK;
        }
    pthread_mutex_unlock(&lock);
    return result;
}
