// malloc and free of device code, addresses that a later launch uses, and a printf buffer that is too small.
#include <cuda_runtime.h>
#include "section.h"
__device__ int *kept[128];
__global__ void none(int *out) { void *p = malloc(0); out[0] = p != nullptr; free(p); free(nullptr); }
__global__ void sized(size_t bytes, int *out) { void *p = malloc(bytes); out[threadIdx.x] = p != nullptr; free(p); }
__global__ void aligned(int *out) {
    int bad = 0;
    for (size_t n = 1; n < 200; n += 13) { void *p = malloc(n); bad += p == nullptr || (size_t)p % 16 != 0; free(p); }
    out[threadIdx.x] = bad;
}
__global__ void keep(int n) {
    int *p = (int *)malloc(n * sizeof(int));
    kept[blockIdx.x * blockDim.x + threadIdx.x] = p;
    if (p) for (int i = 0; i < n; i++) p[i] = i + threadIdx.x;
}
__global__ void use(int n, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (kept[t]) { for (int i = 0; i < n; i++) sum += kept[t][i]; free(kept[t]); }
    out[t] = sum;
}
struct base { int v; __device__ base(int a) : v(a) {} __device__ virtual int get() { return v; } };
struct twice : base { __device__ twice(int a) : base(a) {} __device__ int get() override { return 2 * v; } };
__global__ void objects(int *out) {
    base *one = threadIdx.x % 2 ? new base(threadIdx.x) : new twice(threadIdx.x);
    out[threadIdx.x] = one->get();
    delete one;
}
__global__ void together(int *out) {
    __shared__ int *block;
    if (threadIdx.x == 0) block = (int *)malloc(blockDim.x * sizeof(int));
    __syncthreads();
    if (!block) return;
    block[threadIdx.x] = threadIdx.x * threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = block[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) free(block);
}
__global__ void hand_out(void **out) { *out = malloc(64); }
__global__ void lines(int from, int count) { for (int i = from; i < from + count; i++) printf("line %d\n", i); }
__global__ void loop() { for (int i = 0; i < 40; i++) printf("%d %d\n", threadIdx.x, i); }
static int *out, host[128];
static void show(const char *name, int count) {
    SHOW(name, cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) printf("%d ", host[i]);
    printf("\n");
}
static void blocks() {
    SHOW("out", cudaMalloc(&out, sizeof host));
    none<<<1, 1>>>(out); show("none", 1);
    aligned<<<1, 32>>>(out); show("aligned", 32);
    sized<<<1, 1>>>(1 << 20, out); show("million", 1);
    sized<<<1, 1>>>((size_t)1 << 30, out); show("billion", 1);
    sized<<<1, 1>>>((size_t)-1, out); show("all", 1);
    sized<<<1, 32>>>(1 << 16, out); show("sixteen_bits", 32);
}
static void launches() {
    SHOW("out", cudaMalloc(&out, sizeof host));
    keep<<<2, 64>>>(100); use<<<2, 64>>>(100, out); show("kept", 128);
    objects<<<1, 8>>>(out); show("objects", 8);
    together<<<1, 16>>>(out); show("together", 16);
}
static void host_side() {
    void **place, *p = nullptr, *q; size_t bytes = 0;
    cudaMalloc(&place, 8); hand_out<<<1, 1>>>(place); SHOW("read", cudaMemcpy(&p, place, 8, cudaMemcpyDeviceToHost));
    printf("given %d\n", p != nullptr);
    SHOW("free_on_host", cudaFree(p)); SHOW("last", cudaGetLastError());
    SHOW("copy_from_heap", cudaMemcpy(host, p, 64, cudaMemcpyDeviceToHost)); cudaGetLastError();
    cudaPointerAttributes a = {}; SHOW("attributes", cudaPointerGetAttributes(&a, p)); printf("type %d\n", a.type);
    SHOW("limit", cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize)); printf("%zu\n", bytes);
    SHOW("limit_after", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 28)); cudaGetLastError();
    SHOW("limit_same", cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes)); cudaGetLastError(); SHOW("malloc", cudaMalloc(&q, 16));
}
static void larger() {
    size_t bytes = 0;
    SHOW("set", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20)); SHOW("get", cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
    printf("%zu\n", bytes); SHOW("out", cudaMalloc(&out, sizeof host)); sized<<<1, 1>>>(40 << 20, out); show("forty", 1);
}
static void overflow() {
    size_t bytes = 0;
    SHOW("set", cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20)); SHOW("get", cudaDeviceGetLimit(&bytes, cudaLimitPrintfFifoSize)); printf("%zu\n", bytes);
    loop<<<1, 32>>>(); SHOW("loop", cudaDeviceSynchronize());
    lines<<<1, 1>>>(0, 3); lines<<<1, 1>>>(3, 3); SHOW("lines", cudaDeviceSynchronize());
}
int main() { SECTION(blocks); SECTION(launches); SECTION(host_side); SECTION(larger); SECTION(overflow); return 0; }
