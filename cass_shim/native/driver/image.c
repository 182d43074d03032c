/* Loading a module: see image.h. */
#include "driver/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "driver/link_ptx.h"
#include "driver/linked.h"
#include "driver/names.h"

enum { WRAPPER_MAGIC = 0x466243B1, ELF_MAGIC = 0x464C457F, READABLE_HEAD = 16 };
enum { INVALID_PTX = 218, UNSUPPORTED_PTX = 222, NAME_BYTES = 520 };
static const uint32_t FATBIN_MAGIC = 0xBA55ED50;

static int is_binary(const void *image) {
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    return magic == ELF_MAGIC || magic == FATBIN_MAGIC;
}

/* PTX that uses what nobody defines is refused when it is loaded, as recorded; nothing else of it
 * is looked at before the first launch. */
static int check_text(const char *text) {
    char named[NAME_BYTES], *joined = NULL;
    cass_ptx_part alone = {(char *)(uintptr_t)text, NULL};
    if (!cass_ptx_is_text(text)) return OK;
    int result = cass_ptx_join(&alone, &joined, named, sizeof named);
    free(joined);
    if (result != OUT_OF_MEMORY && result) {
        cass_complain("this PTX uses %s, which is not defined", named);
        return INVALID_PTX;
    }
    return result;
}

/* Both halves of what cuLink joined, behind one handle. */
static int load_halves(const void *cubin, const char *text, int keep, cass_module **module) {
    cass_module *whole = NULL, *beside = NULL;
    int result = cass_image_load(cubin, keep, &whole);
    if (result) return result;
    result = cass_image_load(text, keep, &beside);
    if (result) {
        cass_module_destroy(whole);
        return result;
    }
    cass_module_join(whole, beside);
    *module = whole;
    return OK;
}

/* Why bytes are no module, as far as it can be told without reading all of them. */
static int look(const void *image, size_t bytes) {
    if (!bytes) return INVALID_IMAGE;
    return is_binary(image) ? OK : check_text(image);
}

static const void *unwrapped(const void *image) {
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    if (magic == WRAPPER_MAGIC) memcpy(&image, (const char *)image + 8, sizeof image);
    return image;
}

int cass_image_load(const void *image, int keep, cass_module **module) {
    const void *cubin;
    const char *text;
    cass_module_message_clear();
    if (!image) return INVALID_VALUE;
    image = unwrapped(image);
    if (!image) return INVALID_IMAGE;
    if (cass_linked_parts(image, &cubin, &text)) return load_halves(cubin, text, keep, module);
    size_t bytes = cass_image_bytes(image);
    int result = look(image, bytes);
    if (result) return result;
    cass_module *made = cass_module_create(image, bytes, !keep);
    if (!made) return OUT_OF_MEMORY;
    result = cass_module_prepare(made);
    if (result) cass_module_destroy(made);
    else *module = made;
    return result;
}

int cass_image_keep(const void *image, int keep, cass_module **module) {
    const void *cubin;
    const char *text;
    image = unwrapped(image);
    if (image && cass_linked_parts(image, &cubin, &text))
        return load_halves(cubin, text, keep, module);
    size_t bytes = image ? cass_image_bytes(image) : 0;
    cass_module *made = cass_module_create(image, bytes, !keep);
    if (!made) return OUT_OF_MEMORY;
    made->failed = look(image, bytes);
    *module = made;
    return OK;
}

int cass_image_vet(const char *text) {
    cass_module *made = cass_module_create(text, strlen(text) + 1, 0);
    if (!made) return OUT_OF_MEMORY;
    cass_module_message_clear();
    int result = cass_module_prepare(made);
    cass_module_destroy(made);
    return result == INVALID_PTX || result == UNSUPPORTED_PTX ? result : OK;
}

int cass_jit_known(unsigned count, const CUjit_option *options) {
    for (unsigned i = 0; options && i < count; i++)
        if ((unsigned)options[i] >= CU_JIT_NUM_OPTIONS) return 0;
    return 1;
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
    struct stat told;
    if (!stat(path, &told) && S_ISDIR(told.st_mode)) return OUT_OF_MEMORY; /* recorded */
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
        const char *text = i == 1 && failed ? cass_module_message() : "";
        if (i == 1 && failed && !*text) text = cass_error_text(failed, 0);
        answer_log(buffers[i], sizes[i], room, text);
    }
}
