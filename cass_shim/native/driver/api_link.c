/* Driver API: cuLink. PTX texts are joined; an image of another kind passes through alone, since
 * joining machine code needs a linker that we do not have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/api.h"
#include "driver/image.h"
#include "driver/link_ptx.h"

enum { NAME_BYTES = 520, ROOM_BEHIND = 64 /* readable, for who looks at headers */ };

enum { WRAPPER = 0x466243B1, ELF = 0x464C457F };
static const uint32_t FATBIN = 0xBA55ED50;

struct CUlinkState_st {
    cass_ptx_part *parts; /* the PTX texts */
    char *image;          /* or the one image of another kind, with a zero behind it */
    size_t bytes;
    char *joined;
    int failed;  /* the first error; completing repeats it */
    char *log;   /* the caller's error log */
    size_t room; /* of it */
};

static void note_log(CUlinkState state, unsigned count, const CUjit_option *options,
                     void **values) {
    for (unsigned i = 0; options && values && i < count; i++) {
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER) state->log = values[i];
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            state->room = (size_t)(uintptr_t)values[i];
    }
}

/* Remembers the failure and tells the caller's log which symbol it is about. */
static CUresult fail(CUlinkState state, int code, const char *format, const char *symbol) {
    state->failed = code;
    if (state->log && state->room) snprintf(state->log, state->room, format, symbol);
    return (CUresult)code;
}

CUresult cass_cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options, void **optionValues,
                              CUlinkState *stateOut) {
    ENTER(device);
    (void)device;
    if (!stateOut) return CUDA_ERROR_INVALID_VALUE;
    CUlinkState made = calloc(1, sizeof *made);
    if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
    note_log(made, numOptions, options, optionValues); /* before their sizes are answered */
    cass_jit_answer(numOptions, options, optionValues, 0);
    *stateOut = made;
    return CUDA_SUCCESS;
}

CUresult cass_cuLinkCreate(unsigned int numOptions, CUjit_option *options, void **optionValues,
                           CUlinkState *stateOut) {
    return cass_cuLinkCreate_v2(numOptions, options, optionValues, stateOut);
}

static CUresult add_text(CUlinkState state, char *text) {
    char named[NAME_BYTES] = "";
    int result = cass_ptx_check(state->parts, text, named, sizeof named);
    if (result) {
        free(text);
        if (result == NOT_SUPPORTED)
            cass_complain("cuLink: two images have a symbol %s of their own; rename one", named);
        return fail(state, result, "duplicate symbol '%s'", named);
    }
    cass_ptx_part **last = &state->parts, *part = malloc(sizeof *part);
    if (!part) {
        free(text);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    while (*last) last = &(*last)->next;
    *part = (cass_ptx_part){text, NULL};
    *last = part;
    return CUDA_SUCCESS;
}

static CUresult add_image(CUlinkState state, char *image, size_t bytes) {
    if (state->image || state->parts) {
        free(image);
        cass_complain("cuLink: machine code is not joined with other images; pass PTX, or link "
                      "with nvlink before");
        return fail(state, NOT_SUPPORTED, "%s", "machine code is not joined with other images");
    }
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    if (magic != WRAPPER && magic != ELF && magic != FATBIN) {
        free(image);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    state->image = image;
    state->bytes = bytes;
    return CUDA_SUCCESS;
}

CUresult cass_cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
                               const char *name, unsigned int numOptions, CUjit_option *options,
                               void **optionValues) {
    ENTER(device);
    (void)device, (void)name, (void)numOptions, (void)options, (void)optionValues;
    if (!state) return CUDA_ERROR_INVALID_HANDLE;
    if (!data || !size) return CUDA_ERROR_INVALID_VALUE;
    if ((unsigned)type >= CU_JIT_NUM_INPUT_TYPES) return CUDA_ERROR_INVALID_VALUE;
    if (type > CU_JIT_INPUT_LIBRARY) return CUDA_ERROR_INVALID_IMAGE;
    if (type == CU_JIT_INPUT_LIBRARY)
        return CUDA_SUCCESS; /* cudadevrt: what it offers is built in */
    char *copy = calloc(1, size + ROOM_BEHIND);
    if (!copy) return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(copy, data, size);
    int text = cass_ptx_is_text(copy);
    if (type == CU_JIT_INPUT_PTX && !text) {
        free(copy);
        return fail(state, CUDA_ERROR_INVALID_IMAGE, "%s", "no .version directive");
    }
    if (text && state->image) return add_image(state, copy, size);
    return text ? add_text(state, copy) : add_image(state, copy, size);
}

CUresult cass_cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                            const char *name, unsigned int numOptions, CUjit_option *options,
                            void **optionValues) {
    return cass_cuLinkAddData_v2(state, type, data, size, name, numOptions, options, optionValues);
}

CUresult cass_cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path,
                               unsigned int numOptions, CUjit_option *options,
                               void **optionValues) {
    ENTER(device);
    (void)device;
    if (!state || !path) return CUDA_ERROR_INVALID_VALUE;
    FILE *file = fopen(path, "rbe");
    if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
    CUresult result = CUDA_ERROR_FILE_NOT_FOUND;
    long bytes = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
    char *content = bytes > 0 ? malloc((size_t)bytes) : NULL;
    rewind(file);
    if (content && fread(content, 1, (size_t)bytes, file) == (size_t)bytes)
        result = cass_cuLinkAddData_v2(state, type, content, (size_t)bytes, path, numOptions,
                                       options, optionValues);
    free(content);
    fclose(file);
    return result;
}

CUresult cass_cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                            unsigned int numOptions, CUjit_option *options, void **optionValues) {
    return cass_cuLinkAddFile_v2(state, type, path, numOptions, options, optionValues);
}

CUresult cass_cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut) {
    ENTER(device);
    (void)device;
    if (!state || !cubinOut) return CUDA_ERROR_INVALID_VALUE;
    if (state->failed) return (CUresult)state->failed;
    if (!state->image && !state->joined) {
        char named[NAME_BYTES] = "";
        int result = cass_ptx_join(state->parts, &state->joined, named, sizeof named);
        if (result) return fail(state, result, "unresolved symbol '%s'", named);
    }
    *cubinOut = state->image ? state->image : state->joined;
    if (sizeOut) *sizeOut = state->image ? state->bytes : strlen(state->joined) + 1;
    return CUDA_SUCCESS;
}

CUresult cass_cuLinkDestroy(CUlinkState state) {
    ENTER(device);
    (void)device;
    if (!state) return CUDA_ERROR_INVALID_VALUE;
    while (state->parts) {
        cass_ptx_part *part = state->parts;
        state->parts = part->next;
        free(part->text);
        free(part);
    }
    free(state->image);
    free(state->joined);
    free(state);
    return CUDA_SUCCESS;
}
