/* Error state: the last error of each thread, per runtime copy. */
#include "runtime/runtime.h"

#include "driver/names.h"

enum {
    COPIES = 8
}; /* runtime copies whose last error one thread keeps; the ninth shares the last place */

static _Thread_local struct {
    uint32_t caller;
    cudaError_t error;
} last[COPIES] __attribute__((tls_model("initial-exec")));

static cudaError_t *last_error(void) {
    uint32_t caller = cass_caller_now()->id;
    int i = 0;
    for (; i < COPIES - 1 && last[i].caller != caller; i++)
        if (!last[i].caller && !last[i].error) break;
    last[i].caller = caller;
    return &last[i].error;
}

void cass_runtime_record_error(cudaError_t error) { *last_error() = error; }

cudaError_t cass_cudaGetLastError(void) {
    cudaError_t *last_one = last_error(), error = *last_one;
    *last_one = cudaSuccess;
    return error;
}

cudaError_t cass_cudaPeekAtLastError(void) { return *last_error(); }

const char *cass_cudaGetErrorName(cudaError_t error) { return cass_error_name((int)error, 0); }

const char *cass_cudaGetErrorString(cudaError_t error) { return cass_error_text((int)error, 0); }
