// Calls that stand behind one that ends the GPU driver's process: notifications, logs, entry points, fills, batches,
// occupancy, launches of old.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cudaProfiler.h>
#include "section.h"
__global__ void add(int *p, int v) { p[threadIdx.x] += v; }
static CUdeviceptr p, q;
static CUstream s;
static CUfunction f;
static int host[64], given[64], calls;
static void notified(cudaAsyncNotificationInfo_t *, void *, cudaAsyncCallbackHandle_t) {}
static void CUDART_CB logged(void *n, cudaLogLevel, char *, size_t) { ++*(int *)n; }
static void begin() { cudaFree(0); cuMemAlloc(&p, 4096); cuMemAlloc(&q, 4096); cuMemsetD32(p, 0, 1024); cuMemsetD32(q, 0, 1024); cuStreamCreate(&s, 0); cudaGetFuncBySymbol(&f, (void *)add); for (int i = 0; i < 64; i++) given[i] = i + 1; cuMemcpyHtoD(p, given, 256); cuCtxSynchronize(); }
static void show(const char *name, CUdeviceptr from) { cuStreamSynchronize(s); SHOW(name, cuMemcpyDtoH(host, from, 256)); unsigned long long sum = 0; for (int v : host) sum = sum * 31 + v; printf("%d %d %d %d sum %llu\n", host[0], host[1], host[33], host[63], sum); }
static void notifications() {
    begin(); cudaAsyncCallbackHandle_t h; SHOW("no_callback", cudaDeviceRegisterAsyncNotification(0, nullptr, nullptr, &h)); SHOW("no_device", cudaDeviceRegisterAsyncNotification(99, notified, nullptr, &h)); cudaGetLastError();
    cudaLogsCallbackHandle l = nullptr; SHOW("log", cudaLogsRegisterCallback(logged, &calls, &l)); cudaSetDevice(99); printf("told %d\n", calls > 0); SHOW("unlog", cudaLogsUnregisterCallback(l)); SHOW("unlog_twice", cudaLogsUnregisterCallback(l)); SHOW("no_logger", cudaLogsRegisterCallback(nullptr, nullptr, &l)); cudaGetLastError();
}
static void entries() {
    void *f = nullptr; cudaDriverEntryPointQueryResult q = (cudaDriverEntryPointQueryResult)9; SHOW("entry", cudaGetDriverEntryPoint("cuMemAlloc", &f, cudaEnableDefault, &q)); printf("%d %d\n", f != nullptr, q); SHOW("no_entry", cudaGetDriverEntryPoint("cuNothing", &f, cudaEnableDefault, &q)); printf("%d %d\n", f != nullptr, q); SHOW("entry_flags", cudaGetDriverEntryPoint("cuMemAlloc", &f, 99, &q)); SHOW("entry_null", cudaGetDriverEntryPoint(nullptr, &f, 0, &q)); cudaGetLastError();
}
static void fills() {
    begin(); SHOW("bytes", cuMemsetD8Async(p, 1, 16, s)); SHOW("halves", cuMemsetD16Async(p + 16, 2, 8, s)); SHOW("words", cuMemsetD32Async(p + 32, 3, 4, s)); SHOW("rows8", cuMemsetD2D8Async(p + 64, 16, 4, 4, 2, s)); SHOW("rows16", cuMemsetD2D16Async(p + 96, 16, 5, 4, 2, s)); SHOW("rows32", cuMemsetD2D32Async(p + 128, 32, 6, 4, 2, s)); show("filled", p); SHOW("odd", cuMemsetD32Async(p + 2, 3, 4, s)); SHOW("odd16", cuMemsetD16Async(p + 1, 3, 4, s)); SHOW("pitch", cuMemsetD2D32Async(p, 8, 6, 4, 2, s)); SHOW("fill_null", cuMemsetD8Async(0, 6, 4, s));
}
static void batches() {
    begin(); CUdeviceptr from[2] = {p, p + 64}, to[2] = {q, q + 128}; size_t sizes[2] = {64, 64}, at[1] = {0}; CUmemcpyAttributes w = {}; w.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM; SHOW("batch", cuMemcpyBatchAsync(to, from, sizes, 2, &w, at, 1, s)); show("batched", q); SHOW("batch_none", cuMemcpyBatchAsync(to, from, sizes, 0, &w, at, 1, s)); SHOW("batch_attributes", cuMemcpyBatchAsync(to, from, sizes, 2, nullptr, nullptr, 0, s)); SHOW("batch_legacy", cuMemcpyBatchAsync(to, from, sizes, 2, &w, at, 1, nullptr));
    CUDA_MEMCPY3D_BATCH_OP o = {}; o.src.type = o.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER; o.src.op.ptr.ptr = p; o.dst.op.ptr.ptr = q; o.extent = {16, 2, 1}; o.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM; SHOW("boxes", cuMemcpy3DBatchAsync(1, &o, 0, s)); SHOW("boxes_none", cuMemcpy3DBatchAsync(0, &o, 0, s)); SHOW("boxes_flags", cuMemcpy3DBatchAsync(1, &o, 3, s)); o.extent.width = 0; SHOW("boxes_width", cuMemcpy3DBatchAsync(1, &o, 0, s)); SHOW("wait", cuStreamSynchronize(s));
}
static void others() {
    begin(); int v = 9; CUlaunchConfig lc = {}; lc.gridDimX = 4; lc.gridDimY = lc.gridDimZ = lc.blockDimY = lc.blockDimZ = 1; lc.blockDimX = 64; SHOW("clusters", cuOccupancyMaxActiveClusters(&v, f, &lc)); SHOW("cluster_size", cuOccupancyMaxPotentialClusterSize(&v, f, &lc)); SHOW("clusters_null", cuOccupancyMaxActiveClusters(nullptr, f, &lc)); int grid = 9, block = 9; SHOW("best", cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, f, nullptr, 0, 0, 0)); printf("%d %d\n", grid > 0, block); SHOW("best_flags", cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, f, nullptr, 0, 0, 9)); SHOW("function_banks", cuFuncSetSharedMemConfig(f, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE)); SHOW("shared_size", cuFuncSetSharedSize(f, 1024)); SHOW("shape", cuFuncSetBlockShape(f, 8, 1, 1)); int four = 4; SHOW("size", cuParamSetSize(f, 12)); SHOW("pointer", cuParamSetv(f, 0, &p, 8)); SHOW("number", cuParamSeti(f, 8, four)); SHOW("float", cuParamSetf(f, 8, 0)); cuParamSeti(f, 8, four); SHOW("launch", cuLaunch(f)); SHOW("launch_grid", cuLaunchGridAsync(f, 1, 1, s)); cuCtxSynchronize(); show("launched", p); SHOW("profiler", cuProfilerStop()); void *unified = nullptr; SHOW("unified", cuLibraryGetUnifiedFunction(&unified, nullptr, "none")); CUmodule module; SHOW("fatbin_null", cuModuleLoadFatBinary(&module, nullptr));
}
int main() { SECTION(notifications); SECTION(entries); SECTION(fills); SECTION(batches); SECTION(others); return 0; }
