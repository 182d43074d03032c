// Integer Haar wavelet (lifting) over several levels and back, as an explicitly built graph of
// kernels, a copy and a memset.
// features: graph_explicit, several_kernels, host_function
#include "../common.h"

constexpr int kSize = 1024;

__global__ void forward(const int *in, int *out, int half) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= half) return;
    int even = in[2 * i], difference = in[2 * i + 1] - even;
    out[half + i] = difference;
    out[i] = even + (difference >> 1);
}

__global__ void backward(const int *in, int *out, int half) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= half) return;
    int difference = in[half + i], even = in[i] - (difference >> 1);
    out[2 * i] = even;
    out[2 * i + 1] = even + difference;
}

static void CUDART_CB count_run(void *runs) { ++*(int *)runs; }

int main() {
    Random random(65);
    std::vector<int> signal(kSize), expected(kSize), spectrum(kSize), restored(kSize);
    for (int &v : signal) v = (int)random.below(4096) - 2048;
    for (int i = 0; i < kSize / 2; ++i) {
        int difference = signal[2 * i + 1] - signal[2 * i];
        expected[kSize / 2 + i] = difference;
        expected[i] = signal[2 * i] + (difference >> 1);
    }
    Device<int> in(signal), out(kSize), back(kSize);
    int half = kSize / 2, runs = 0, *pin = in, *pout = out, *pback = back;
    cudaGraph_t graph;
    cudaGraphExec_t run;
    cudaGraphNode_t clear, there, home, copy, last;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaMemsetParams zero = {};
    zero.dst = pback, zero.elementSize = 4, zero.width = kSize, zero.height = 1;
    CHECK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &zero));
    void *there_arguments[] = {&pin, &pout, &half}, *home_arguments[] = {&pout, &pback, &half};
    cudaKernelNodeParams kernel = {};
    kernel.gridDim = dim3(4), kernel.blockDim = dim3(128), kernel.func = (void *)forward,
    kernel.kernelParams = there_arguments;
    CHECK(cudaGraphAddKernelNode(&there, graph, nullptr, 0, &kernel));
    kernel.func = (void *)backward, kernel.kernelParams = home_arguments;
    cudaGraphNode_t both[] = {clear, there};
    CHECK(cudaGraphAddKernelNode(&home, graph, both, 2, &kernel));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &there, 1, spectrum.data(), pout,
                                   kSize * sizeof(int), cudaMemcpyDeviceToHost));
    cudaHostNodeParams host = {};
    host.fn = count_run, host.userData = &runs;
    cudaGraphNode_t ends[] = {home, copy};
    CHECK(cudaGraphAddHostNode(&last, graph, ends, 2, &host));
    CHECK(cudaGraphInstantiate(&run, graph, 0));
    for (int k = 0; k < 3; ++k) CHECK(cudaGraphLaunch(run, nullptr));
    CHECK(cudaStreamSynchronize(nullptr));
    finish();
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    std::printf("%zu nodes, %d runs\n", nodes, runs);
    print_digest("spectrum", spectrum);
    long wrong =
        count_different(spectrum, expected) + count_different(back.get(), signal) + (runs != 3);
    CHECK(cudaGraphExecDestroy(run));
    CHECK(cudaGraphDestroy(graph));
    return verdict("haar_wavelet", wrong);
}
