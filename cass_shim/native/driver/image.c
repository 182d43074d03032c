/* Loading a module: see image.h. */
#include "driver/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/names.h"

enum { WRAPPER_MAGIC = 0x466243B1, READABLE_HEAD = 16 };

int cass_image_load(const void *image, int keep, cass_module **module) {
    uint32_t magic;
    if (!image) return INVALID_VALUE;
    memcpy(&magic, image, sizeof magic);
    if (magic == WRAPPER_MAGIC) {
        memcpy(&image, (const char *)image + 8, sizeof image);
        if (!image) return INVALID_IMAGE;
    }
    size_t bytes = cass_image_bytes(image);
    if (!bytes) return INVALID_IMAGE;
    cass_module *made = cass_module_create(image, bytes, !keep);
    if (!made) return OUT_OF_MEMORY;
    int result = cass_module_prepare(made);
    if (result) cass_module_destroy(made);
    else *module = made;
    return result;
}

/* A whole file with a zero behind it, since PTX text needs one. */
static char *read_file(const char *path) {
    FILE *file = fopen(path, "rbe");
    if (!file) return NULL;
    char *content = NULL;
    if (!fseek(file, 0, SEEK_END)) {
        long bytes = ftell(file);
        content = bytes >= 0 ? calloc(1, (size_t)bytes + READABLE_HEAD) : NULL;
        rewind(file);
        if (content && fread(content, 1, (size_t)bytes, file) != (size_t)bytes) {
            free(content);
            content = NULL;
        }
    }
    fclose(file);
    return content;
}

int cass_image_load_file(const char *path, cass_module **module) {
    if (!path) return INVALID_VALUE;
    char *content = read_file(path);
    if (!content) return FILE_NOT_FOUND;
    int result = cass_image_load(content, 0, module);
    free(content);
    return result;
}

static void answer_log(void *buffer, void **size_slot, size_t room, const char *text) {
    size_t length = strlen(text);
    if (!buffer || !room) length = 0;
    else if (length >= room) length = room - 1;
    if (buffer && room) {
        memcpy(buffer, text, length);
        ((char *)buffer)[length] = 0;
    }
    if (size_slot) *size_slot = (void *)(uintptr_t)length;
}

void cass_jit_answer(unsigned count, const CUjit_option *options, void **values, int failed) {
    void *buffers[2] = {NULL, NULL}, **sizes[2] = {NULL, NULL};
    for (unsigned i = 0; options && values && i < count; i++) {
        switch (options[i]) {
        case CU_JIT_INFO_LOG_BUFFER:
            buffers[0] = values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
            sizes[0] = &values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER:
            buffers[1] = values[i];
            break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            sizes[1] = &values[i];
            break;
        case CU_JIT_WALL_TIME:
            values[i] = NULL;
            break; /* 0 ms as a float */
        default:
            break;
        }
    }
    for (int i = 0; i < 2; i++) {
        size_t room = sizes[i] ? (size_t)(uintptr_t)*sizes[i] : 0;
        const char *text = i == 1 && failed ? cass_error_text(failed, 0) : "";
        answer_log(buffers[i], sizes[i], room, text);
    }
}
