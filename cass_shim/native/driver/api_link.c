/* Driver API: cuLink. One input passes through as it is; joining several needs a linker that we do
 * not have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/api.h"
#include "driver/image.h"

struct CUlinkState_st {
    unsigned inputs;
    size_t bytes;
    char *image; /* the one input, with a zero behind it */
};

CUresult cass_cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options, void **optionValues,
                              CUlinkState *stateOut) {
    ENTER(device);
    (void)device;
    if (!stateOut) return CUDA_ERROR_INVALID_VALUE;
    cass_jit_answer(numOptions, options, optionValues, 0);
    *stateOut = calloc(1, sizeof **stateOut);
    return *stateOut ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cass_cuLinkCreate(unsigned int numOptions, CUjit_option *options, void **optionValues,
                           CUlinkState *stateOut) {
    return cass_cuLinkCreate_v2(numOptions, options, optionValues, stateOut);
}

CUresult cass_cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
                               const char *name, unsigned int numOptions, CUjit_option *options,
                               void **optionValues) {
    ENTER(device);
    (void)device, (void)name, (void)numOptions, (void)options, (void)optionValues;
    if (!state || !data || !size) return CUDA_ERROR_INVALID_VALUE;
    if ((unsigned)type >= CU_JIT_NUM_INPUT_TYPES) return CUDA_ERROR_INVALID_VALUE;
    if (type > CU_JIT_INPUT_LIBRARY) return CUDA_ERROR_INVALID_IMAGE;
    if (type == CU_JIT_INPUT_LIBRARY)
        return CUDA_SUCCESS; /* cudadevrt: what it offers is built in */
    if (state->inputs++) {
        cass_complain(
            "cuLink: joining several images is not supported; link them with nvlink before");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    state->image = calloc(1, size + 1);
    if (!state->image) return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(state->image, data, size);
    state->bytes = size;
    return CUDA_SUCCESS;
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
    if (!state->image) return CUDA_ERROR_INVALID_IMAGE;
    *cubinOut = state->image;
    if (sizeOut) *sizeOut = state->bytes;
    return CUDA_SUCCESS;
}

CUresult cass_cuLinkDestroy(CUlinkState state) {
    ENTER(device);
    (void)device;
    if (!state) return CUDA_ERROR_INVALID_VALUE;
    free(state->image);
    free(state);
    return CUDA_SUCCESS;
}
