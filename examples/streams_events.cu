// Two streams with asynchronous copies from pinned memory, an event that orders them, a host function and timing.
#include "common.h"

__global__ void scale(int *values, int n, int factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= factor;
}

__global__ void combine(const int *a, const int *b, int *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] - b[i];
}

static void CUDART_CB finished(void *flag) { *static_cast<int *>(flag) += 1; }

int main() {
    const int n = 4096;
    int *host, *da, *db, *dc, flag = 0;
    CHECK(cudaMallocHost(&host, 3 * n * sizeof(int)));
    for (int i = 0; i < n; ++i) host[i] = i, host[n + i] = 2 * i + 1, host[2 * n + i] = -1;
    CHECK(cudaMalloc(&da, n * sizeof(int)));
    CHECK(cudaMalloc(&db, n * sizeof(int)));
    CHECK(cudaMalloc(&dc, n * sizeof(int)));
    cudaStream_t first, second;
    cudaEvent_t begin, ready, end;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin, first));
    CHECK(cudaMemcpyAsync(da, host, n * sizeof(int), cudaMemcpyHostToDevice, first));
    CHECK(cudaMemcpyAsync(db, host + n, n * sizeof(int), cudaMemcpyHostToDevice, second));
    scale<<<n / 256, 256, 0, first>>>(da, n, 5);
    scale<<<n / 256, 256, 0, second>>>(db, n, 3);
    CHECK(cudaEventRecord(ready, second));
    CHECK(cudaStreamWaitEvent(first, ready, 0));
    combine<<<n / 256, 256, 0, first>>>(da, db, dc, n);
    CHECK(cudaMemcpyAsync(host + 2 * n, dc, n * sizeof(int), cudaMemcpyDeviceToHost, first));
    CHECK(cudaLaunchHostFunc(first, finished, &flag));
    CHECK(cudaEventRecord(end, first));
    CHECK(cudaEventSynchronize(end));
    float elapsed_ms = -1.0f;
    CHECK(cudaEventElapsedTime(&elapsed_ms, begin, end));
    CHECK(cudaStreamSynchronize(second));
    long wrong = 0;
    for (int i = 0; i < n; ++i) wrong += host[2 * n + i] != 5 * i - 3 * (2 * i + 1);
    std::printf("c[100]=%d host function ran %d time, elapsed %s, query %s\n", host[2 * n + 100], flag,
                elapsed_ms >= 0.0f ? "known" : "unknown", cudaGetErrorName(cudaStreamQuery(first)));
    std::printf("timing an event without timing: %s\n", cudaGetErrorName(cudaEventElapsedTime(&elapsed_ms, begin, ready)));
    cudaGetLastError();
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(ready));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
    return verdict("streams_events", wrong + (flag != 1));
}
