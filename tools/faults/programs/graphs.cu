// A graph captured from two streams, and one that is built node by node; each instantiated, changed and launched again.
#include "../../../examples/common.h"

__global__ void add(int *values, int n, int what) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += what;
}

static void CUDART_CB noted(void *count) { ++*static_cast<int *>(count); }

int main() {
    const int n = 1024;
    int *host, *first, *second, calls = 0, what = 5;
    cudaStream_t main_stream, side;
    cudaEvent_t fork, join;
    cudaGraph_t captured, built;
    cudaGraphExec_t runs, other;
    CHECK(cudaMallocHost(&host, 2 * n * sizeof *host));
    CHECK(cudaMalloc(&first, n * sizeof *first));
    CHECK(cudaMalloc(&second, n * sizeof *second));
    CHECK(cudaMemset(second, 0, n * sizeof *second));
    CHECK(cudaStreamCreate(&main_stream));
    CHECK(cudaStreamCreate(&side));
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(first, 0, n * sizeof *first, main_stream));
    CHECK(cudaEventRecord(fork, main_stream));
    CHECK(cudaStreamWaitEvent(side, fork, 0));
    add<<<n / 256, 256, 0, side>>>(second, n, 3);
    add<<<n / 256, 256, 0, main_stream>>>(first, n, 2);
    CHECK(cudaEventRecord(join, side));
    CHECK(cudaStreamWaitEvent(main_stream, join, 0));
    CHECK(cudaMemcpyAsync(host, first, n * sizeof *first, cudaMemcpyDeviceToHost, main_stream));
    CHECK(cudaLaunchHostFunc(main_stream, noted, &calls));
    CHECK(cudaStreamEndCapture(main_stream, &captured));
    CHECK(cudaGraphInstantiate(&runs, captured, 0));
    for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(runs, main_stream));
    CHECK(cudaStreamSynchronize(main_stream));

    void *parameters[] = {&second, const_cast<int *>(&n), &what};
    cudaKernelNodeParams launch = {};
    launch.func = reinterpret_cast<void *>(add);
    launch.gridDim = dim3(n / 256), launch.blockDim = dim3(256), launch.kernelParams = parameters;
    cudaGraphNode_t node, copy;
    CHECK(cudaGraphCreate(&built, 0));
    CHECK(cudaGraphAddKernelNode(&node, built, nullptr, 0, &launch));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, built, &node, 1, host + n, second, n * sizeof *host, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphInstantiate(&other, built, 0));
    CHECK(cudaGraphLaunch(other, main_stream));
    CHECK(cudaStreamSynchronize(main_stream));
    what = 100;
    CHECK(cudaGraphExecKernelNodeSetParams(other, node, &launch));
    CHECK(cudaGraphLaunch(other, main_stream));
    CHECK(cudaStreamSynchronize(main_stream));
    long wrong = calls != 3;
    for (int i = 0; i < n; ++i) wrong += (host[i] != 2) + (host[n + i] != 3 * 3 + 5 + 100);
    CHECK(cudaGraphExecDestroy(runs));
    CHECK(cudaGraphExecDestroy(other));
    CHECK(cudaGraphDestroy(captured));
    CHECK(cudaGraphDestroy(built));
    CHECK(cudaStreamDestroy(main_stream));
    CHECK(cudaStreamDestroy(side));
    CHECK(cudaFree(first));
    CHECK(cudaFree(second));
    CHECK(cudaFreeHost(host));
    return verdict("graphs", wrong);
}
