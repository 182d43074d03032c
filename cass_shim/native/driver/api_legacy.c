/* Driver API: the launch calls of CUDA 3 (a block shape and parameters set on the function, then a
 * launch), and cooperative launches over several devices. */
#include "driver/api.h"
#include "driver/stream.h"
#include "driver/launch.h"

#include <stdlib.h>
#include <string.h>

enum { PARAMETER_ROOM = 4096 };

/* What has been set on one function. Not guarded against two threads setting one function: CUDA is
 * not either. */
typedef struct prepared {
    const cass_kernel *kernel;
    int block[3];
    unsigned shared_bytes, bytes;
    unsigned char parameters[PARAMETER_ROOM];
    struct prepared *next;
} prepared;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static prepared *all;

static int find(CUfunction function, prepared **out) {
    const cass_kernel *kernel = cass_kernel_of(function);
    if (!kernel) return INVALID_HANDLE;
    pthread_mutex_lock(&lock);
    prepared *at = all;
    while (at && at->kernel != kernel) at = at->next;
    if (!at && (at = calloc(1, sizeof *at))) {
        at->kernel = kernel;
        at->next = all;
        all = at;
    }
    pthread_mutex_unlock(&lock);
    *out = at;
    return at ? OK : OUT_OF_MEMORY;
}

#define PREPARED(device, at, function)                                                             \
    ENTER(device);                                                                                 \
    prepared *at;                                                                                  \
    TRY(device, find(function, &at))

CUresult cass_cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z) {
    PREPARED(device, at, hfunc);
    if (x <= 0 || y <= 0 || z <= 0) return CUDA_ERROR_INVALID_VALUE;
    at->block[0] = x, at->block[1] = y, at->block[2] = z;
    return CUDA_SUCCESS;
}

CUresult cass_cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes) {
    PREPARED(device, at, hfunc);
    at->shared_bytes = bytes;
    return CUDA_SUCCESS;
}

CUresult cass_cuParamSetSize(CUfunction hfunc, unsigned int numbytes) {
    PREPARED(device, at, hfunc);
    if (numbytes > PARAMETER_ROOM) return CUDA_ERROR_INVALID_VALUE;
    at->bytes = numbytes;
    return CUDA_SUCCESS;
}

CUresult cass_cuParamSetv(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes) {
    PREPARED(device, at, hfunc);
    if (!ptr || offset < 0 || numbytes > PARAMETER_ROOM ||
        (unsigned)offset > PARAMETER_ROOM - numbytes)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(at->parameters + offset, ptr, numbytes);
    return CUDA_SUCCESS;
}

CUresult cass_cuParamSeti(CUfunction hfunc, int offset, unsigned int value) {
    return cass_cuParamSetv(hfunc, offset, &value, sizeof value);
}

CUresult cass_cuParamSetf(CUfunction hfunc, int offset, float value) {
    return cass_cuParamSetv(hfunc, offset, &value, sizeof value);
}

CUresult cass_cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream) {
    PREPARED(device, at, f);
    if (grid_width <= 0 || grid_height <= 0 || !at->block[0]) return CUDA_ERROR_INVALID_VALUE;
    cass_launch launch = {
        .grid = {(unsigned)grid_width, (unsigned)grid_height, 1},
        .block = {(unsigned)at->block[0], (unsigned)at->block[1], (unsigned)at->block[2]},
        .shared_bytes = at->shared_bytes,
        .stream = cass_stream(hStream),
        .packed = at->parameters,
        .packed_bytes = at->bytes};
    return RESULT(cass_launch_kernel(device, cass_kernel_of(f), &launch));
}

CUresult cass_cuLaunchGrid(CUfunction f, int grid_width, int grid_height) {
    return cass_cuLaunchGridAsync(f, grid_width, grid_height, NULL);
}

CUresult cass_cuLaunch(CUfunction f) { return cass_cuLaunchGrid(f, 1, 1); }

/* One launch per device; a barrier across devices does not exist here, so more than one device is
 * refused. */
CUresult cass_cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *launchParamsList,
                                                   unsigned int numDevices, unsigned int flags) {
    if (!launchParamsList || !numDevices || flags > 3) return CUDA_ERROR_INVALID_VALUE;
    ENTER(device);
    const CUDA_LAUNCH_PARAMS *p = launchParamsList;
    for (unsigned i = 0; i < numDevices && i <= (unsigned)cass_device_count; i++) {
        cass_stream_info of;
        if (!p[i].hStream || p[i].hStream == CU_STREAM_LEGACY) return CUDA_ERROR_INVALID_HANDLE;
        TRY(device, cass_stream_get(cass_stream(p[i].hStream), &of));
        if (i && of.device == cass_device_index(device)) return CUDA_ERROR_INVALID_DEVICE;
    }
    if (numDevices > 1) return CUDA_ERROR_NOT_SUPPORTED;
    return cass_cuLaunchCooperativeKernel(p->function, p->gridDimX, p->gridDimY, p->gridDimZ,
                                          p->blockDimX, p->blockDimY, p->blockDimZ,
                                          p->sharedMemBytes, p->hStream, p->kernelParams);
}
