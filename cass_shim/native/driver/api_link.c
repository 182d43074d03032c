/* Driver API: cuLink. PTX texts are joined here; machine code is linked by the daemon
 * (extract/linker.py), which answers with the PTX of all images where some are PTX, and with both
 * where there is machine code without PTX beside it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "driver/api.h"
#include "driver/image.h"
#include "driver/link_ptx.h"
#include "driver/linked.h"

enum {
    UNRESOLVED = 300,
    NAME_BYTES = 520,
    ROOM_BEHIND = 64 /* readable, for who looks at headers */
};

enum { CONTENT_AT = 8 /* a wrapper's pointer */, WRAPPER = 0x466243B1, ELF = 0x464C457F };
static const uint32_t FATBIN = 0xBA55ED50;

enum { EXECUTABLE = 2, CUDA_MACHINE = 190, TYPE_AT = 16 /* e_type */ };

/* An image as it was added, with zeros behind it. */
typedef struct {
    int kind; /* CUjitInputType */
    char *name, *content;
    size_t bytes;
} link_image;

struct CUlinkState_st {
    cass_ptx_part *parts; /* the PTX texts, once more than what is in `images` */
    link_image *images;   /* all images, in their order */
    uint32_t count, room_for;
    uint32_t binaries; /* of them, those that are not PTX text */
    char *joined;      /* the answer, and its size */
    size_t joined_bytes;
    int failed;             /* the first error; completing repeats it */
    char named[NAME_BYTES]; /* the symbol that joining failed for */
    char *log;              /* the caller's error log */
    size_t room;            /* of it */
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
    int result = cass_ptx_add(&state->parts, text, named, sizeof named);
    if (result == OUT_OF_MEMORY) return CUDA_ERROR_OUT_OF_MEMORY;
    return result ? fail(state, result, "duplicate symbol '%s'", named) : CUDA_SUCCESS;
}

static CUresult keep_image(CUlinkState state, int kind, const char *name, char *content,
                           size_t bytes) {
    if (state->count == state->room_for) {
        uint32_t room = state->room_for ? 2 * state->room_for : 8;
        link_image *more = realloc(state->images, room * sizeof *more);
        if (!more) return CUDA_ERROR_OUT_OF_MEMORY;
        state->images = more;
        state->room_for = room;
    }
    char *copy = strdup(name ? name : "image");
    if (!copy) return CUDA_ERROR_OUT_OF_MEMORY;
    state->images[state->count++] = (link_image){kind, copy, content, bytes};
    return CUDA_SUCCESS;
}

/* Whether an image is of the kind that it is said to be; a fatbinary may come as its wrapper. */
static int is_of_kind(CUjitInputType type, const char *content) {
    uint32_t magic;
    memcpy(&magic, content, sizeof magic);
    switch (type) {
    case CU_JIT_INPUT_LIBRARY:
        return !strncmp(content, "!<arch>\n", 8);
    case CU_JIT_INPUT_FATBINARY:
        return magic == FATBIN || magic == ELF;
    case CU_JIT_INPUT_CUBIN:
    case CU_JIT_INPUT_OBJECT:
        return magic == ELF || magic == FATBIN;
    default:
        return 0;
    }
}

/* A whole program's cubin, which is linked already. */
static int is_whole(const char *content) {
    uint16_t type = 0, machine = 0;
    if (memcmp(content, "\177ELF", 4)) return 0;
    memcpy(&type, content + TYPE_AT, sizeof type);
    memcpy(&machine, content + TYPE_AT + sizeof type, sizeof machine);
    return machine == CUDA_MACHINE && type == EXECUTABLE;
}

static CUresult add_image(CUlinkState state, CUjitInputType type, const char *name, char *content,
                          size_t bytes) {
    if (!is_of_kind(type, content)) {
        free(content);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    if (state->failed || is_whole(content)) { /* recorded: and so is everything after it */
        free(content);
        return fail(state, CUDA_ERROR_NO_BINARY_FOR_GPU, "%s", "not a relocatable image");
    }
    CUresult result = keep_image(state, (int)type, name, content, bytes);
    if (result) free(content);
    else state->binaries++;
    return result;
}

CUresult cass_cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
                               const char *name, unsigned int numOptions, CUjit_option *options,
                               void **optionValues) {
    ENTER(device);
    (void)device, (void)numOptions, (void)options, (void)optionValues;
    if (!state) return CUDA_ERROR_INVALID_HANDLE;
    if (!data || !size) return CUDA_ERROR_INVALID_VALUE;
    if ((unsigned)type >= CU_JIT_NUM_INPUT_TYPES) return CUDA_ERROR_INVALID_VALUE;
    if (type > CU_JIT_INPUT_LIBRARY) return CUDA_ERROR_INVALID_IMAGE;
    if (size >= CONTENT_AT + sizeof data && *(const uint32_t *)data == WRAPPER) {
        memcpy(&data, (const char *)data + CONTENT_AT, sizeof data);
        size = data ? cass_image_bytes(data) : 0;
        if (!size) return CUDA_ERROR_INVALID_IMAGE;
    }
    char *copy = calloc(1, size + ROOM_BEHIND);
    if (!copy) return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(copy, data, size);
    int text = type != CU_JIT_INPUT_LIBRARY && cass_ptx_is_text(copy);
    if (type == CU_JIT_INPUT_PTX && !text) {
        free(copy);
        return fail(state, CUDA_ERROR_INVALID_IMAGE, "%s", "no .version directive");
    }
    if (!text) return add_image(state, type, name, copy, size);
    int wrong = cass_image_vet(copy);
    if (wrong) {
        free(copy);
        return fail(state, wrong, "%s", cass_module_message());
    }
    char *kept = strdup(copy);
    CUresult result = kept ? add_text(state, copy) : CUDA_ERROR_OUT_OF_MEMORY;
    if (!result) result = keep_image(state, CU_JIT_INPUT_PTX, name, kept, strlen(kept));
    if (result) free(kept);
    return result;
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

static void drop_texts(CUlinkState state) {
    cass_ptx_drop(state->parts);
    state->parts = NULL;
}

static CUresult join_texts(CUlinkState state) {
    int result = cass_ptx_join(state->parts, &state->joined, state->named, sizeof state->named);
    if (result) return fail(state, result, "unresolved symbol '%s'", state->named);
    state->joined_bytes = strlen(state->joined) + 1;
    return CUDA_SUCCESS;
}

/* PTX cannot use what machine code has, and may not define it again. */
static CUresult check_names(CUlinkState state, const cass_link_result *linked, CUresult joined) {
    for (size_t at = 0; at < linked->names_bytes; at += strlen(linked->names + at) + 1) {
        const char *name = linked->names + at;
        int untaken = *name == '?';
        name += untaken;
        int defined = untaken ? 0 : cass_ptx_defines(state->parts, name);
        if (defined == 1) return fail(state, UNRESOLVED, "duplicate symbol '%s'", name);
        if (!defined && (!joined || strcmp(state->named, name))) continue;
        cass_complain("cuLink: PTX and machine code without PTX share %s, and there is no PTX "
                      "compiler here; add PTX to the latter (-gencode code=compute_NN)",
                      name);
        return fail(state, NOT_SUPPORTED, "symbol '%s' of machine code without PTX", name);
    }
    return joined;
}

/* Takes the PTX of all images, each text ended by a zero, in place of what was added. */
static CUresult take_texts(CUlinkState state, const cass_link_result *linked) {
    drop_texts(state);
    for (size_t at = 0; at < linked->texts_bytes; at += strlen(linked->texts + at) + 1) {
        char *copy = strdup(linked->texts + at);
        CUresult result = copy ? add_text(state, copy) : CUDA_ERROR_OUT_OF_MEMORY;
        if (result) return result;
    }
    return check_names(state, linked, join_texts(state));
}

/* The answer: machine code, PTX, or both in one image. */
static CUresult take_linked(CUlinkState state, const cass_link_result *linked) {
    void *image = NULL;
    if (linked->texts_bytes || !linked->cubin_bytes) {
        CUresult result = take_texts(state, linked);
        if (result || !linked->cubin_bytes) return result;
        image = cass_linked_pack(linked->cubin, linked->cubin_bytes, state->joined,
                                 &state->joined_bytes);
    } else if ((image = malloc(linked->cubin_bytes)) != NULL) {
        memcpy(image, linked->cubin, state->joined_bytes = linked->cubin_bytes);
    }
    free(state->joined);
    state->joined = image;
    return image ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult link_images(CUlinkState state) {
    cass_link_input *inputs = calloc(state->count, sizeof *inputs);
    if (!inputs) return CUDA_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < state->count; i++)
        inputs[i] = (cass_link_input){(uint32_t)state->images[i].kind, state->images[i].name,
                                      state->images[i].content, state->images[i].bytes};
    cass_link_result linked = {0};
    cass_client_error error = {0};
    int failed = cass_client_link(inputs, state->count, &linked, &error);
    free(inputs);
    if (failed) {
        if (error.cuda_error != UNRESOLVED) cass_complain("cuLink: %s", error.message);
        return fail(state, error.cuda_error ? error.cuda_error : UNKNOWN_ERROR, "%s",
                    error.message);
    }
    CUresult result = take_linked(state, &linked);
    free(linked.memory);
    return result;
}

CUresult cass_cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut) {
    ENTER(device);
    (void)device;
    if (!state || !cubinOut) return CUDA_ERROR_INVALID_VALUE;
    if (state->failed) return (CUresult)state->failed;
    if (!state->joined) {
        CUresult result = state->binaries ? link_images(state) : join_texts(state);
        if (result) return result;
    }
    *cubinOut = state->joined;
    if (sizeOut) *sizeOut = state->joined_bytes;
    return CUDA_SUCCESS;
}

CUresult cass_cuLinkDestroy(CUlinkState state) {
    ENTER(device);
    (void)device;
    if (!state) return CUDA_ERROR_INVALID_VALUE;
    drop_texts(state);
    for (uint32_t i = 0; i < state->count; i++) {
        free(state->images[i].name);
        free(state->images[i].content);
    }
    free(state->images);
    free(state->joined);
    free(state);
    return CUDA_SUCCESS;
}
