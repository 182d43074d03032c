// Host threads that use one device at once: first launches of one kernel, streams, events, copies, symbols, graphs.
#include <cstdio>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

__device__ int total;
__global__ void add(int *p, int v) { p[blockIdx.x * blockDim.x + threadIdx.x] += v; }
__global__ void count(int n) { atomicAdd(&total, n); }

static void body(int t, int *p) {
    cudaStream_t s;
    cudaEvent_t e;
    cudaStreamCreate(&s);
    cudaEventCreate(&e);
    int *own, value = t;
    cudaMallocAsync((void **)&own, 1024, s);
    for (int i = 0; i < 20; i++) {
        add<<<4, 64, 0, s>>>(p + t * 256, t + 1);
        count<<<1, 32, 0, s>>>(1);
        cudaMemcpyAsync(own, &value, 4, cudaMemcpyHostToDevice, s);
        cudaEventRecord(e, s);
        cudaStreamWaitEvent(s, e, 0);
        if (i % 5 == 0) cudaEventSynchronize(e);
        cudaGetLastError();
    }
    void *address;
    cudaGetSymbolAddress(&address, total);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    add<<<4, 64, 0, s>>>(p + t * 256, 0);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, s);
    cudaFreeAsync(own, s);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaEventDestroy(e);
    cudaStreamDestroy(s);
}

int main() {
    int *p, sum = 0, wrong = 0;
    cudaMalloc(&p, 8 * 256 * 4);
    cudaMemset(p, 0, 8 * 256 * 4);
    cudaDeviceSynchronize();
    std::vector<std::thread> all;
    for (int t = 0; t < 8; t++) all.emplace_back(body, t, p);
    for (auto &one : all) one.join();
    std::vector<int> out(2048);
    cudaMemcpy(out.data(), p, 8192, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&sum, total, 4);
    for (int i = 0; i < 2048; i++) wrong += out[(size_t)i] != 20 * (i / 256 + 1);
    std::printf("wrong %d sum %d last %d\n", wrong, sum, (int)cudaGetLastError());
    return 0;
}
