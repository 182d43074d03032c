/* Launching a kernel: see launch.h. */
#include "driver/launch.h"

#include <string.h>

#include "driver/capture.h"
#include "driver/cooperative.h"
#include "driver/copy.h"
#include "driver/properties.h"
#include "driver/ring.h"
#include "driver/shared.h"
#include "driver/stream.h"

enum { MAX_BLOCK = 1024, MAX_BLOCK_Z = 64, MAX_GRID_YZ = 65535, KERNARG_ROOM = 32768 };
static const uint64_t HIP_GRID_ITEMS = (uint64_t)1
                                       << 32; /* work-items per dimension of one launch */

int cass_launch_check(const cass_kernel *kernel, const cass_launch *launch) {
    const unsigned *grid = launch->grid, *block = launch->block;
    if (grid[0] > INT32_MAX || grid[1] > MAX_GRID_YZ || grid[2] > MAX_GRID_YZ) return INVALID_VALUE;
    if (block[0] > MAX_BLOCK || block[1] > MAX_BLOCK || block[2] > MAX_BLOCK_Z)
        return INVALID_VALUE;
    unsigned threads = block[0] * block[1] * block[2]; /* at most 2^26 */
    if (threads - 1 >= MAX_BLOCK || !grid[0] || !grid[1] || !grid[2]) return INVALID_VALUE;
    const cass_kernel_info *info = kernel->info;
    const uint32_t *required = info->required_block;
    if (required[0] &&
        (block[0] != required[0] || block[1] != required[1] || block[2] != required[2]))
        return INVALID_VALUE;
    if (threads > (unsigned)kernel->most_threads)
        return info->max_threads ? INVALID_VALUE : OUT_OF_RESOURCES;
    int limit = atomic_load_explicit(&kernel->dynamic_limit, memory_order_relaxed);
    if (launch->shared_bytes > (size_t)limit) return INVALID_VALUE;
    return OK;
}

/* What HIP cannot start in one launch on this code; the reason goes to stderr once per kernel. */
static int hip_check(cass_kernel *kernel, const cass_kernel_device *code,
                     const cass_launch *launch) {
    for (int i = 0; i < 3 && !cass_hip.emulated; i++) /* the emulated device has no such limit */
        if ((uint64_t)launch->grid[i] * launch->block[i] >= HIP_GRID_ITEMS) {
            if (!atomic_exchange(&kernel->complained, 1))
                cass_complain(
                    "%s: %u x %u threads in one dimension are more than one HIP launch has",
                    kernel->info->name, launch->grid[i], launch->block[i]);
            return NOT_SUPPORTED;
        }
    if (launch->block[0] * launch->block[1] * launch->block[2] > (unsigned)code->max_threads)
        return OUT_OF_RESOURCES;
    return OK;
}

/* The parameter block from one pointer per parameter, or from a block the caller packed; one longer
 * than the parameters is 701, as recorded. */
int cass_launch_pack(const cass_kernel *kernel, const cass_launch *launch, unsigned char *kernarg) {
    const cass_kernel_info *info = kernel->info;
    if (launch->packed) {
        if (launch->packed_bytes > info->params_bytes) return OUT_OF_RESOURCES;
        memcpy(kernarg, launch->packed, launch->packed_bytes);
        return OK;
    }
    const cass_param *param = info->params, *end = param + info->param_count;
    void *const *from = launch->parameters;
    if (param < end && !from) return INVALID_VALUE;
    for (; param < end; param++, from++) {
        unsigned char *to = kernarg + param->offset;
        if (!*from) return INVALID_VALUE;
        if (param->size == 8) memcpy(to, *from, 8);
        else if (param->size == 4) memcpy(to, *from, 4);
        else memcpy(to, *from, param->size);
    }
    return OK;
}

static int start(cass_kernel_device *code, const cass_launch *launch, void *kernarg, size_t bytes) {
    void *extra[] = {HIP_LAUNCH_BUFFER_POINTER, kernarg, HIP_LAUNCH_BUFFER_SIZE, &bytes,
                     HIP_LAUNCH_END};
    const unsigned *grid = launch->grid, *block = launch->block;
    unsigned lds = code->spilled ? cass_spilled_lds(code) : (unsigned)launch->shared_bytes;
    return HIP(hipModuleLaunchKernel, code->function, grid[0], grid[1], grid[2], block[0], block[1],
               block[2], lds, launch->stream, NULL, extra);
}

int cass_launch_now(cass_device *device, cass_kernel *kernel, const cass_launch *launch) {
    cass_kernel_device *code;
    int result = cass_kernel_prepare(kernel, device, launch, &code);
    if (!result) result = hip_check(kernel, code, launch);
    if (result) return result;
    size_t block_bytes = kernel->info->params_bytes;
    int binds = code->code->abi == CASS_ABI_CASS1;
    size_t bytes = binds ? (size_t)code->code->bindings_offset + 8 : block_bytes;
    if (bytes < block_bytes || bytes > KERNARG_ROOM) return INVALID_IMAGE;
    _Alignas(16) unsigned char kernarg[bytes + 16];
    memset(kernarg, 0, bytes);
    result = cass_launch_pack(kernel, launch, kernarg);
    if (result) return result;
    cass_grid_sync *workspace = NULL;
    const uint64_t *bindings = code->bindings;
    if (launch->cooperative) {
        result = cass_cooperative_begin(device, code, launch, &workspace, &bindings);
        if (result) return result;
    }
    if (binds) memcpy(kernarg + code->code->bindings_offset, &bindings, sizeof bindings);
    result = start(code, launch, kernarg, bytes);
    if (workspace) cass_cooperative_end(workspace, launch->stream);
    if (!result && cass_launch_blocking) return cass_wait_stream(device, launch->stream);
    return cass_note(device, result);
}

static int launch_on(cass_device *device, cass_kernel *kernel, const cass_launch *launch) {
    int result = cass_launch_check(kernel, launch);
    if (result) return result;
    if (launch->cooperative && (result = cass_cooperative_check(device, kernel, launch)))
        return result;
    if (cass_capturing(launch->stream)) return cass_capture_kernel(device, kernel, launch);
    return cass_launch_now(device, kernel, launch);
}

/* The stream says on which device a kernel runs, whatever the thread's current one (recorded). */
static int launch_elsewhere(cass_device *device, cass_kernel *kernel, const cass_launch *launch) {
    cass_stream_info of = {.device = cass_device_index(device)};
    (void)cass_stream_get(launch->stream, &of);
    cass_device *where = &cass_devices[of.device];
    if (where == device) return launch_on(device, kernel, launch);
    cass_context *before = cass_thread.current;
    int result = cass_set_current(&where->primary);
    if (!result) result = launch_on(where, kernel, launch);
    int back = cass_set_current(before);
    return result ? result : back;
}

int cass_launch_kernel(cass_device *device, cass_kernel *kernel, const cass_launch *launch) {
    if (cass_device_count > 1 && launch->stream) return launch_elsewhere(device, kernel, launch);
    return launch_on(device, kernel, launch);
}

/* The limits of an 8.9 multiprocessor, which programs size their grids by; the kernel's CUDA
 * registers count, since the translated code is what CUDA's rule would admit or HIP refuses at
 * launch. */
int cass_occupancy(cass_kernel *kernel, cass_device *device, int threads, size_t shared_bytes,
                   int *blocks) {
    (void)device;
    if (threads <= 0 || !blocks) return INVALID_VALUE;
    *blocks = 0;
    if (threads > MAX_BLOCK) return OK; /* launch bounds do not count: recorded */
    int warps = (threads + 31) / 32;
    int fit = CASS_SM_THREADS / (warps * 32);
    if (fit > CASS_SM_BLOCKS) fit = CASS_SM_BLOCKS;
    uint32_t registers = kernel->info->registers;
    if (registers) {
        int per_warp = (int)((registers * 32 + 255) / 256 * 256);
        int by_registers = CASS_SM_REGISTERS / per_warp / 4 * 4 / warps;
        if (by_registers < fit) fit = by_registers;
    }
    size_t shared = cass_static_shared(kernel) + shared_bytes;
    if (shared) {
        shared = (shared + CASS_RESERVED_SHARED + 127) & ~(size_t)127;
        int by_shared = (int)(CASS_SM_SHARED / shared);
        if (by_shared < fit) fit = by_shared;
    }
    *blocks = fit;
    return OK;
}

int cass_after_wait(cass_device *device, int result, int idle) {
    if (atomic_load_explicit(&device->ring, memory_order_acquire)) {
        int printed = cass_ring_drain(device, idle && !result);
        if (printed && result && result != NOT_READY) result = printed;
    }
    return result ? cass_note(device, result) : result;
}
