// An explicit graph whose kernel arguments, copies and shape change between launches: updated,
// cloned, with a child graph.
// features: graph_explicit, several_kernels, streams
#include "../common.h"

__global__ void scale(int *values, int n, int factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= factor;
}

__global__ void shift(int *values, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += by;
}

int main() {
    const int n = 600;
    std::vector<int> start(n), out(n), expected(n);
    for (int i = 0; i < n; ++i) start[i] = i - 200;
    Device<int> values(start);
    int *pointer = values, count = n, factor = 3, by = 7;
    void *scale_arguments[] = {&pointer, &count, &factor},
         *shift_arguments[] = {&pointer, &count, &by};
    cudaKernelNodeParams first = {}, second = {};
    first.func = (void *)scale, first.gridDim = dim3(5), first.blockDim = dim3(128),
    first.kernelParams = scale_arguments;
    second.func = (void *)shift, second.gridDim = dim3(5), second.blockDim = dim3(128),
    second.kernelParams = shift_arguments;
    cudaGraph_t graph, child, copy;
    cudaGraphNode_t multiply, inner, nested, fetch;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&child, 0));
    CHECK(cudaGraphAddKernelNode(&inner, child, nullptr, 0, &second));
    CHECK(cudaGraphAddKernelNode(&multiply, graph, nullptr, 0, &first));
    CHECK(cudaGraphAddChildGraphNode(&nested, graph, &multiply, 1, child));
    CHECK(cudaGraphAddMemcpyNode1D(&fetch, graph, &nested, 1, out.data(), pointer, n * sizeof(int),
                                   cudaMemcpyDeviceToHost));
    CHECK(cudaGraphClone(&copy, graph));
    cudaGraphExec_t run, other;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaGraphInstantiate(&run, graph, 0));
    CHECK(cudaGraphInstantiate(&other, copy, 0));
    expected = start;
    long wrong = 0;
    for (int round = 0; round < 3; ++round) {
        if (round == 1)
            factor = -2; // arguments are copied when a node is set: not yet seen by `run`
        if (round == 2) CHECK(cudaGraphExecKernelNodeSetParams(run, multiply, &first));
        CHECK(cudaGraphLaunch(round == 1 ? other : run, stream));
        CHECK(cudaStreamSynchronize(stream));
        for (int &v : expected) v = v * (round == 2 ? -2 : 3) + 7;
        wrong += count_different(out, expected);
        std::printf("round %d: out[10]=%d\n", round, out[10]);
    }
    size_t nodes = 0, edges = 0;
    CHECK(cudaGraphGetNodes(copy, nullptr, &nodes));
    CHECK(cudaGraphGetEdges(copy, nullptr, nullptr, nullptr, &edges));
    std::printf("%zu nodes, %zu edges\n", nodes, edges);
    wrong += nodes != 3 || edges != 2;
    CHECK(cudaGraphExecDestroy(run));
    CHECK(cudaGraphExecDestroy(other));
    for (cudaGraph_t g : {graph, child, copy}) CHECK(cudaGraphDestroy(g));
    CHECK(cudaStreamDestroy(stream));
    return verdict("graph_update", wrong);
}
