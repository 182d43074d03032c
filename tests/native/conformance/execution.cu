// Launches, function attributes, occupancy, launch attributes.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include "section.h"

__global__ void fill(int *p, int v) { p[blockIdx.x * blockDim.x + threadIdx.x] = v; }
__global__ void __launch_bounds__(128) bounded(int *p) { p[threadIdx.x] = 1; }
__global__ void dynamic(int *p) { extern __shared__ int s[]; s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; }
__global__ void fixed(int *p) { __shared__ int s[256]; s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = s[255 - threadIdx.x]; }
__global__ void together(int *p) { cooperative_groups::this_grid().sync(); p[blockIdx.x] = 1; }
struct wide { int a[40]; double b; char c; };
__global__ void structures(wide w, short s, char c, double *out) { out[0] = w.a[39] + w.b + w.c + s + c; }
static int *p;

static void launches() {
    cudaMalloc(&p, 1 << 20); int v = 0; void *args[] = {&p, &v}; v = 5;
    SHOW("plain", cudaLaunchKernel((void *)fill, dim3(2), dim3(32), args, 0, 0)); SHOW("zero_grid", cudaLaunchKernel((void *)fill, dim3(0), dim3(32), args, 0, 0)); SHOW("zero_block", cudaLaunchKernel((void *)fill, dim3(1), dim3(0), args, 0, 0));
    SHOW("block_1025", cudaLaunchKernel((void *)fill, dim3(1), dim3(1025), args, 0, 0)); SHOW("block_z_65", cudaLaunchKernel((void *)fill, dim3(1), dim3(1, 1, 65), args, 0, 0)); SHOW("grid_y_65536", cudaLaunchKernel((void *)fill, dim3(1, 65536), dim3(1), args, 0, 0));
    SHOW("grid_z_65536", cudaLaunchKernel((void *)fill, dim3(1, 1, 65536), dim3(1), args, 0, 0)); SHOW("bounds", cudaLaunchKernel((void *)bounded, dim3(1), dim3(129), args, 0, 0)); SHOW("shared_50000", cudaLaunchKernel((void *)dynamic, dim3(1), dim3(32), args, 50000, 0));
    SHOW("no_function", cudaLaunchKernel(nullptr, dim3(1), dim3(1), args, 0, 0)); SHOW("not_a_kernel", cudaLaunchKernel((void *)&v, dim3(1), dim3(1), args, 0, 0)); SHOW("last", cudaGetLastError());
    SHOW("synchronize", cudaDeviceSynchronize()); cudaMemcpy(&v, p + 63, 4, cudaMemcpyDeviceToHost); printf("%d\n", v);
    wide w = {}; w.a[39] = 100; w.b = 0.5; w.c = 7; double r = 0; structures<<<1, 1>>>(w, -3, 2, (double *)p); cudaMemcpy(&r, p, 8, cudaMemcpyDeviceToHost); printf("%g\n", r);
    SHOW("configuration", cudaFuncSetCacheConfig(fill, cudaFuncCachePreferShared)); SHOW("configuration_9", cudaFuncSetCacheConfig(fill, (cudaFuncCache)9)); SHOW("configuration_null", cudaFuncSetCacheConfig((const void *)nullptr, cudaFuncCachePreferL1)); cudaGetLastError();
}

static void attributes() {
    cudaFuncAttributes a; memset(&a, 0, sizeof a); SHOW("get", cudaFuncGetAttributes(&a, bounded)); printf("%d %zu %zu %zu\n", a.maxThreadsPerBlock, a.sharedSizeBytes, a.constSizeBytes, a.localSizeBytes);
    SHOW("fixed", cudaFuncGetAttributes(&a, fixed)); printf("%zu %d %d\n", a.sharedSizeBytes, a.maxThreadsPerBlock, a.maxDynamicSharedSizeBytes); SHOW("null", cudaFuncGetAttributes(nullptr, fill)); SHOW("no_kernel", cudaFuncGetAttributes(&a, &p));
    SHOW("opt_in", cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000)); SHOW("too_much", cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20)); SHOW("negative", cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    cudaFuncGetAttributes(&a, dynamic); printf("%d\n", a.maxDynamicSharedSizeBytes); cudaMalloc(&p, 4096); cudaMemset(p, 0, 4096); dynamic<<<1, 64, 60000>>>(p); SHOW("launch", cudaGetLastError()); SHOW("run", cudaDeviceSynchronize());
    dynamic<<<1, 64, 60001>>>(p); SHOW("above", cudaGetLastError()); SHOW("carveout", cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, 50)); SHOW("carveout_101", cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, 101)); SHOW("carveout_-2", cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, -2));
    SHOW("attribute_99", cudaFuncSetAttribute(dynamic, (cudaFuncAttribute)99, 1)); const char *name = nullptr; SHOW("name", cudaFuncGetName(&name, (const void *)fill)); printf("%s\n", name ? name : "(null)");
    size_t offset = 9, size = 9; SHOW("parameter_1", cudaFuncGetParamInfo((const void *)structures, 1, &offset, &size)); printf("%zu %zu\n", offset, size); SHOW("parameter_3", cudaFuncGetParamInfo((const void *)structures, 3, &offset, &size)); printf("%zu %zu\n", offset, size); SHOW("parameter_4", cudaFuncGetParamInfo((const void *)structures, 4, &offset, &size));
    cudaGetLastError();
}

static void occupancy() {
    int n = -1, block = 0, grid = 0; size_t bytes = 0; SHOW("blocks", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, fill, 1024, 0)); printf("%d\n", n >= 1); SHOW("too_large", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, fill, 2048, 0)); printf("%d\n", n);
    SHOW("block_0", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, fill, 0, 0)); SHOW("null", cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, fill, 32, 0)); SHOW("flags", cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, fill, 32, 0, 1)); SHOW("flags_2", cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, fill, 32, 0, 2));
    SHOW("available", cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, fill, 1, 128)); printf("%d\n", bytes > 0); SHOW("potential", cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded, 0, 0)); printf("%d %d\n", block, grid > 0); SHOW("no_kernel", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &p, 32, 0)); cudaGetLastError();
}

static void extended() {
    cudaMalloc(&p, 4096); int v = 9; cudaLaunchAttribute at[2] = {}; cudaLaunchConfig_t c = {}; c.gridDim = dim3(4); c.blockDim = dim3(32); c.attrs = at; c.numAttrs = 0; void *args[] = {&p, &v};
    SHOW("plain", cudaLaunchKernelExC(&c, (void *)fill, args)); at[0].id = cudaLaunchAttributeCooperative; at[0].val.cooperative = 1; c.numAttrs = 1; SHOW("cooperative", cudaLaunchKernelExC(&c, (void *)together, args));
    c.gridDim = dim3(1 << 20); SHOW("cooperative_large", cudaLaunchKernelExC(&c, (void *)together, args)); SHOW("synchronize", cudaDeviceSynchronize()); c.gridDim = dim3(4); at[0].id = cudaLaunchAttributePriority; at[0].val.priority = -1; SHOW("priority", cudaLaunchKernelExC(&c, (void *)fill, args));
    at[0].id = cudaLaunchAttributeIgnore; SHOW("ignore", cudaLaunchKernelExC(&c, (void *)fill, args)); c.attrs = nullptr; SHOW("no_attributes", cudaLaunchKernelExC(&c, (void *)fill, args)); c.attrs = at;
    cudaEvent_t e; cudaEventCreateWithFlags(&e, cudaEventDisableTiming); at[0].id = cudaLaunchAttributeLaunchCompletionEvent; at[0].val.launchCompletionEvent.event = e; at[0].val.launchCompletionEvent.flags = 0; SHOW("completion_event", cudaLaunchKernelExC(&c, (void *)fill, args)); SHOW("event", cudaEventSynchronize(e));
    at[0].id = cudaLaunchAttributeProgrammaticStreamSerialization; at[0].val.programmaticStreamSerializationAllowed = 1; SHOW("serialization", cudaLaunchKernelExC(&c, (void *)fill, args)); at[0].id = cudaLaunchAttributeProgrammaticEvent; at[0].val.programmaticEvent.event = e; at[0].val.programmaticEvent.flags = 0; at[0].val.programmaticEvent.triggerAtBlockStart = 1; SHOW("programmatic_event", cudaLaunchKernelExC(&c, (void *)fill, args));
    SHOW("event", cudaEventSynchronize(e)); at[0].id = cudaLaunchAttributeMemSyncDomain; at[0].val.memSyncDomain = cudaLaunchMemSyncDomainDefault; SHOW("domain", cudaLaunchKernelExC(&c, (void *)fill, args)); at[0].id = (cudaLaunchAttributeID)60; SHOW("attribute_60", cudaLaunchKernelExC(&c, (void *)fill, args));
    SHOW("synchronize", cudaDeviceSynchronize()); cudaGetLastError();
}

static void with_driver() {
    CUfunction f; SHOW("symbol", cudaGetFuncBySymbol(&f, (const void *)fill)); cudaMalloc(&p, 4096); int v = 4; void *args[] = {&p, &v}; SHOW("launch", cuLaunchKernel(f, 2, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr));
    struct { int *p; int v; } packed = {p, 6}; size_t bytes = sizeof packed; void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END}; SHOW("extra", cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra)); SHOW("both", cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, args, extra));
    SHOW("zero", cuLaunchKernel(f, 1, 0, 1, 32, 1, 1, 0, nullptr, args, nullptr)); SHOW("block_2048", cuLaunchKernel(f, 1, 1, 1, 2048, 1, 1, 0, nullptr, args, nullptr)); SHOW("null", cuLaunchKernel(nullptr, 1, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr)); SHOW("synchronize", cuCtxSynchronize()); int h[64]; cuMemcpyDtoH(h, (CUdeviceptr)p, 256); printf("%d %d\n", h[0], h[63]);
    int value = -1; SHOW("threads", cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f)); printf("%d\n", value); SHOW("attribute_99", cuFuncGetAttribute(&value, (CUfunction_attribute)99, f)); CUfunctionLoadingState state; SHOW("state", cuFuncIsLoaded(&state, f)); printf("%d\n", (int)state); SHOW("load", cuFuncLoad(f));
    CUmodule module; SHOW("module", cuFuncGetModule(&module, f)); const char *name; SHOW("name", cuFuncGetName(&name, f)); printf("%s\n", name); CUlaunchConfig c = {}; c.gridDimX = c.gridDimY = c.gridDimZ = 1; c.blockDimX = 32; c.blockDimY = c.blockDimZ = 1; SHOW("ex", cuLaunchKernelEx(&c, f, args, nullptr)); SHOW("synchronize", cuCtxSynchronize());
    SHOW("old_shape", cuFuncSetBlockShape(f, 32, 1, 1)); SHOW("old_size", cuParamSetSize(f, 12)); CUdeviceptr at = (CUdeviceptr)p; SHOW("old_pointer", cuParamSetv(f, 0, &at, 8)); SHOW("old_value", cuParamSeti(f, 8, 77)); SHOW("old_launch", cuLaunchGrid(f, 1, 1)); cuCtxSynchronize(); cuMemcpyDtoH(h, (CUdeviceptr)p, 4); printf("%d\n", h[0]);
}

int main() {
    SECTION(launches); SECTION(attributes); SECTION(occupancy); SECTION(extended); SECTION(with_driver);
    return 0;
}
