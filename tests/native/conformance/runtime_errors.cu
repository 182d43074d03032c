// What the CUDA runtime answers to wrong and unusual calls. Prints one line per question: "name code [value]".
// Recorded on an NVIDIA GPU in runtime_errors.expected; each section runs in its own child process.
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHOW(name, call) do { int r_ = (int)(call); printf("%s %d last %d %d\n", name, r_, (int)cudaPeekAtLastError(), (int)cudaGetLastError()); } while (0)
#define LAUNCHED(name) do { printf("%s %d", name, (int)cudaGetLastError()); printf(" sync %d\n", (int)cudaDeviceSynchronize()); cudaGetLastError(); } while (0)

__global__ void empty() {}
__global__ void __launch_bounds__(64) bounded(int *p) { if (p) *p = 1; }
__global__ void dynamic_shared(int *p) { extern __shared__ int s[]; s[threadIdx.x] = 1; __syncthreads(); if (p) *p = s[0]; }
__global__ void wild(int *p) { *p = 1; }
__global__ void trap() { asm("trap;"); }
__global__ void check(int x) { assert(x == 7); }
__global__ void store(int *p, int v) { *p = v; }
__device__ int symbol[4];
__constant__ int fixed[4];

static void launches() {
    empty<<<0, 1>>>(); LAUNCHED("grid_zero");
    empty<<<1, 0>>>(); LAUNCHED("block_zero");
    empty<<<1, 1025>>>(); LAUNCHED("block_1025");
    empty<<<1, dim3(1, 1, 65)>>>(); LAUNCHED("block_z_65");
    empty<<<1, dim3(1, 1024, 2)>>>(); LAUNCHED("block_2048");
    empty<<<dim3(1, 65536, 1), 1>>>(); LAUNCHED("grid_y_65536");
    empty<<<dim3(0x80000000u, 1, 1), 1>>>(); LAUNCHED("grid_x_2e31");
    bounded<<<1, 128>>>(nullptr); LAUNCHED("launch_bounds_exceeded");
    dynamic_shared<<<1, 32, 48 * 1024 + 4>>>(nullptr); LAUNCHED("shared_over_48k");
    dynamic_shared<<<1, 32, 1 << 20>>>(nullptr); LAUNCHED("shared_1m");
    SHOW("shared_opt_in_64k", cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
    dynamic_shared<<<1, 32, 64 * 1024>>>(nullptr); LAUNCHED("shared_64k_opted_in");
    SHOW("shared_opt_in_1m", cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    SHOW("shared_opt_in_negative", cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, -2));
    void *none[1] = {nullptr};
    SHOW("launch_null_function", cudaLaunchKernel(nullptr, dim3(1), dim3(1), none, 0, 0));
    SHOW("launch_unknown_function", cudaLaunchKernel((void *)launches, dim3(1), dim3(1), none, 0, 0));
    cudaStream_t s; cudaStreamCreate(&s);
    empty<<<1, 1, 0, s>>>(); LAUNCHED("launch_stream");
    SHOW("stream_destroy", cudaStreamDestroy(s));
    SHOW("stream_destroy_null", cudaStreamDestroy(nullptr));
    SHOW("stream_destroy_legacy", cudaStreamDestroy(cudaStreamLegacy));
    cudaFuncAttributes a;
    SHOW("attributes_unknown", cudaFuncGetAttributes(&a, (void *)launches));
    SHOW("attributes_null", cudaFuncGetAttributes(&a, (void *)nullptr));
    SHOW("cooperative_too_large", cudaLaunchCooperativeKernel((void *)empty, dim3(1000000), dim3(1024), none, 0, 0));
}

static void memory() {
    void *p = (void *)1, *q; size_t pitch;
    SHOW("malloc_zero", cudaMalloc(&p, 0)); printf("malloc_zero_pointer %d\n", p == nullptr);
    SHOW("malloc_null", cudaMalloc((void **)nullptr, 16));
    SHOW("malloc_huge", cudaMalloc(&p, (size_t)1 << 50));
    SHOW("free_null", cudaFree(nullptr));
    SHOW("free_wild", cudaFree((void *)0x1234));
    SHOW("malloc", cudaMalloc(&p, 1000)); printf("aligned %d\n", (int)((uintptr_t)p % 512));
    SHOW("free_middle", cudaFree((char *)p + 16));
    SHOW("free", cudaFree(p));
    SHOW("free_twice", cudaFree(p));
    SHOW("host_zero", cudaMallocHost(&p, 0)); printf("host_zero_pointer %d\n", p == nullptr);
    SHOW("managed_zero", cudaMallocManaged(&p, 0));
    SHOW("managed_bad_flags", cudaMallocManaged(&p, 16, 77));
    SHOW("free_host_wild", cudaFreeHost((void *)0x1234));
    SHOW("free_host_null", cudaFreeHost(nullptr));
    SHOW("pitch", cudaMallocPitch(&p, &pitch, 100, 10)); printf("pitch_bytes %zu\n", pitch);
    SHOW("pitch_free", cudaFree(p));
    char host[64] = {0};
    cudaMalloc(&p, 64); cudaMalloc(&q, 64);
    SHOW("copy_bad_kind", cudaMemcpy(p, host, 64, (cudaMemcpyKind)9));
    SHOW("copy_null_zero", cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    SHOW("copy_null", cudaMemcpy(nullptr, host, 16, cudaMemcpyHostToDevice));
    SHOW("copy_past_end", cudaMemcpy(p, host, 1 << 30, cudaMemcpyHostToDevice));
    SHOW("copy_host_as_device", cudaMemcpy(host, host + 32, 16, cudaMemcpyDeviceToDevice));
    SHOW("copy_wrong_way", cudaMemcpy(p, host, 16, cudaMemcpyDeviceToHost));
    SHOW("copy_default", cudaMemcpy(p, host, 16, cudaMemcpyDefault));
    SHOW("copy2d_pitch_small", cudaMemcpy2D(p, 8, host, 16, 16, 2, cudaMemcpyHostToDevice));
    SHOW("copy2d_zero", cudaMemcpy2D(p, 0, host, 0, 0, 2, cudaMemcpyHostToDevice));
    SHOW("set_null", cudaMemset(nullptr, 0, 16));
    SHOW("set_host", cudaMemset(host, 0, 16));
    SHOW("set", cudaMemset(p, 1, 64));
    SHOW("to_symbol", cudaMemcpyToSymbol(symbol, host, 16));
    SHOW("to_symbol_past", cudaMemcpyToSymbol(symbol, host, 17));
    SHOW("to_symbol_offset_past", cudaMemcpyToSymbol(symbol, host, 8, 12));
    SHOW("to_symbol_unknown", cudaMemcpyToSymbol(host, host, 8));
    SHOW("to_symbol_kind", cudaMemcpyToSymbol(symbol, host, 8, 0, cudaMemcpyDeviceToHost));
    SHOW("from_symbol", cudaMemcpyFromSymbol(host, fixed, 16));
    SHOW("from_symbol_kind", cudaMemcpyFromSymbol(host, fixed, 16, 0, cudaMemcpyHostToDevice));
    size_t size = 0;
    SHOW("symbol_size", cudaGetSymbolSize(&size, symbol)); printf("symbol_bytes %zu\n", size);
    SHOW("symbol_address_unknown", cudaGetSymbolAddress(&q, host));
    cudaPointerAttributes a; memset(&a, 0, sizeof a);
    SHOW("attributes_device", cudaPointerGetAttributes(&a, (char *)p + 5));
    printf("device_pointer %d %d %d %d\n", (int)a.type, a.device, a.devicePointer == (char *)p + 5, a.hostPointer == nullptr);
    SHOW("attributes_host", cudaPointerGetAttributes(&a, host));
    printf("host_pointer %d %d %d %d\n", (int)a.type, a.device, a.devicePointer == nullptr, a.hostPointer == nullptr ? 0 : a.hostPointer == host ? 1 : 2);
    SHOW("attributes_null", cudaPointerGetAttributes(&a, nullptr));
    printf("null_pointer %d %d\n", (int)a.type, a.device);
    void *h; cudaMallocHost(&h, 100);
    SHOW("attributes_pinned", cudaPointerGetAttributes(&a, (char *)h + 3));
    printf("pinned_pointer %d %d %d %d\n", (int)a.type, a.device, a.devicePointer == (char *)h + 3, a.hostPointer == (char *)h + 3);
    void *m; cudaMallocManaged(&m, 100);
    SHOW("attributes_managed", cudaPointerGetAttributes(&a, m));
    printf("managed_pointer %d %d %d %d\n", (int)a.type, a.device, a.devicePointer == m, a.hostPointer == m);
    unsigned flags = 9; SHOW("host_flags", cudaHostGetFlags(&flags, h)); printf("flags %u\n", flags);
    SHOW("host_flags_wild", cudaHostGetFlags(&flags, host));
    SHOW("register", cudaHostRegister(host, 64, 0)); SHOW("register_twice", cudaHostRegister(host, 64, 0));
    SHOW("unregister", cudaHostUnregister(host)); SHOW("unregister_twice", cudaHostUnregister(host));
    SHOW("register_zero", cudaHostRegister(host, 0, 0));
}

static void streams_events() {
    cudaEvent_t a, b, quiet; float ms = -1; int value; unsigned flags;
    SHOW("event", cudaEventCreate(&a)); cudaEventCreate(&b); cudaEventCreateWithFlags(&quiet, cudaEventDisableTiming);
    SHOW("event_bad_flags", cudaEventCreateWithFlags(&b, 64)); cudaEventCreate(&b);
    SHOW("elapsed_unrecorded", cudaEventElapsedTime(&ms, a, b));
    SHOW("query_unrecorded", cudaEventQuery(a)); SHOW("sync_unrecorded", cudaEventSynchronize(a));
    SHOW("record", cudaEventRecord(a, 0)); cudaEventRecord(b, 0); cudaEventRecord(quiet, 0); cudaDeviceSynchronize();
    SHOW("elapsed", cudaEventElapsedTime(&ms, a, b)); printf("elapsed_positive %d\n", ms >= 0);
    SHOW("elapsed_quiet", cudaEventElapsedTime(&ms, a, quiet));
    SHOW("elapsed_null", cudaEventElapsedTime(nullptr, a, b)); SHOW("event_null", cudaEventRecord(nullptr, 0));
    SHOW("event_destroy", cudaEventDestroy(a)); SHOW("event_destroy_null", cudaEventDestroy(nullptr));
    SHOW("stream_bad_flags", cudaStreamCreateWithFlags((cudaStream_t *)&a, 8)); SHOW("stream_null", cudaStreamCreate(nullptr));
    cudaStream_t s; SHOW("stream", cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    SHOW("stream_flags", cudaStreamGetFlags(s, &flags)); printf("flags %u\n", flags);
    SHOW("stream_flags_default", cudaStreamGetFlags(0, &flags)); printf("flags %u\n", flags);
    SHOW("stream_priority", cudaStreamGetPriority(s, &value)); printf("priority %d\n", value);
    SHOW("stream_query", cudaStreamQuery(s)); SHOW("stream_wait_null", cudaStreamWaitEvent(s, nullptr, 0));
    SHOW("stream_wait_flags", cudaStreamWaitEvent(s, b, 99)); SHOW("host_null", cudaLaunchHostFunc(s, nullptr, nullptr));
    cudaStreamCaptureStatus status; SHOW("capturing", cudaStreamIsCapturing(s, &status)); printf("status %d\n", (int)status);
    SHOW("capture_legacy", cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    cudaGraph_t g = nullptr; SHOW("end_not_capturing", cudaStreamEndCapture(s, &g));
    SHOW("begin", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SHOW("sync_while_capturing", cudaStreamSynchronize(s)); SHOW("end_invalidated", cudaStreamEndCapture(s, &g)); printf("graph %d\n", g == nullptr);
    SHOW("begin2", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); void *p;
    SHOW("malloc_while_capturing", cudaMalloc(&p, 16)); SHOW("end2", cudaStreamEndCapture(s, &g)); printf("graph %d\n", g == nullptr);
}

static void devices() {
    int value = -1, version = 0; size_t bytes;
    SHOW("set_device_99", cudaSetDevice(99)); SHOW("set_device_negative", cudaSetDevice(-1));
    SHOW("get_device", cudaGetDevice(&value)); printf("device %d\n", value);
    SHOW("get_device_null", cudaGetDevice(nullptr)); SHOW("count_null", cudaGetDeviceCount(nullptr));
    SHOW("attribute_bad", cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
    SHOW("attribute_device", cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99));
    for (int i = 0; i < 7; i++) { SHOW("limit", cudaDeviceGetLimit(&bytes, (cudaLimit)i)); printf("limit_%d %zu\n", i, bytes); }
    SHOW("limit_set", cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 16)); cudaDeviceGetLimit(&bytes, cudaLimitPrintfFifoSize); printf("fifo %zu\n", bytes);
    SHOW("limit_bad", cudaDeviceSetLimit((cudaLimit)77, 1)); SHOW("peer_self", cudaDeviceCanAccessPeer(&value, 0, 0)); printf("peer %d\n", value);
    SHOW("peer_enable_self", cudaDeviceEnablePeerAccess(0, 0)); SHOW("peer_disable", cudaDeviceDisablePeerAccess(0));
    SHOW("runtime_version", cudaRuntimeGetVersion(&version)); SHOW("version_null", cudaRuntimeGetVersion(nullptr));
    unsigned flags; SHOW("flags", cudaGetDeviceFlags(&flags)); printf("device_flags %u\n", flags);
    SHOW("flags_bad", cudaSetDeviceFlags(0x1000)); int low, high; SHOW("priorities", cudaDeviceGetStreamPriorityRange(&low, &high)); printf("range %d %d\n", low, high);
    printf("%s | %s\n", cudaGetErrorName((cudaError_t)12345), cudaGetErrorString((cudaError_t)12345));
    int blocks; SHOW("occupancy", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, empty, 1024, 0)); printf("blocks %d\n", blocks);
    SHOW("occupancy_zero", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, empty, 0, 0));
    SHOW("profiler", cudaProfilerStart()); SHOW("prefer", cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    cudaFuncAttributes a; SHOW("attributes", cudaFuncGetAttributes(&a, bounded));
    printf("bounded max %d shared %zu const %zu local %zu dynamic %d\n", a.maxThreadsPerBlock, a.sharedSizeBytes, a.constSizeBytes, a.localSizeBytes, a.maxDynamicSharedSizeBytes);
}

static void after_fault(const char *name) {
    int *p; printf("%s sync %d\n", name, (int)cudaDeviceSynchronize());
    SHOW("malloc", cudaMalloc(&p, 16)); SHOW("last_again", cudaGetLastError()); SHOW("peek", cudaPeekAtLastError());
    empty<<<1, 1>>>(); SHOW("launch", cudaGetLastError()); int d; SHOW("get_device", cudaGetDevice(&d)); SHOW("set_device", cudaSetDevice(0)); SHOW("count", cudaGetDeviceCount(&d));
    SHOW("stream_query", cudaStreamQuery(0)); cudaEvent_t e; SHOW("event", cudaEventCreate(&e)); SHOW("free", cudaFree(nullptr));
    SHOW("attribute", cudaDeviceGetAttribute(&d, cudaDevAttrWarpSize, 0)); cudaDeviceProp q; SHOW("properties", cudaGetDeviceProperties(&q, 0));
    SHOW("reset", cudaDeviceReset()); SHOW("malloc_after_reset", cudaMalloc(&p, 16));
}
static void wild_access() { wild<<<1, 1>>>((int *)0x10); after_fault("wild"); }
static void trapped() { trap<<<1, 1>>>(); after_fault("trap"); }
static void asserted() { check<<<1, 2>>>(3); after_fault("assert"); }
static void printed_text() {}
static void reset_keeps() {
    int *p, v = 0; cudaMalloc(&p, 16); int four[4] = {1, 2, 3, 4}; cudaMemcpyToSymbol(symbol, four, 16);
    SHOW("reset", cudaDeviceReset()); SHOW("free_old", cudaFree(p)); cudaMemcpyFromSymbol(&v, symbol, 4); printf("symbol %d\n", v);
    cudaMalloc(&p, 16); store<<<1, 1>>>(p, 42); SHOW("after", cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost)); printf("value %d\n", v);
}

int main() {
    struct { const char *name; void (*run)(); } sections[] = {{"launches", launches}, {"memory", memory}, {"streams_events", streams_events},
        {"devices", devices}, {"wild_access", wild_access}, {"trapped", trapped}, {"asserted", asserted}, {"reset_keeps", reset_keeps}};
    (void)printed_text;
    for (auto &s : sections) {
        printf("[%s]\n", s.name); fflush(stdout);
        pid_t child = fork();
        if (!child) { s.run(); fflush(stdout); _exit(0); }
        int status; waitpid(child, &status, 0);
        if (!WIFEXITED(status)) printf("died %d\n", WTERMSIG(status));
    }
    int *p; pid_t child; // a child of an initialised parent
    printf("[fork]\n"); SHOW("parent", cudaMalloc(&p, 16)); fflush(stdout);
    if (!(child = fork())) { SHOW("malloc", cudaMalloc(&p, 16)); int d; SHOW("count", cudaGetDeviceCount(&d)); SHOW("get", cudaGetDevice(&d)); SHOW("set", cudaSetDevice(0)); SHOW("sync", cudaDeviceSynchronize()); SHOW("free", cudaFree(0)); SHOW("runtime", cudaRuntimeGetVersion(&d)); SHOW("driver", cudaDriverGetVersion(&d)); empty<<<1, 1>>>(); LAUNCHED("launch"); fflush(stdout); _exit(0); }
    waitpid(child, nullptr, 0);
    return 0;
}
