// Heat conduction in a box with fixed walls: a 3-D stencil on integers scaled by 2^16, captured
// once as a graph and replayed.
// features: launch_3d, graph_capture, streams, division
#include "../common.h"

constexpr int kSize = 20;

__global__ void diffuse(const int *in, int *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= kSize || y >= kSize || z >= kSize) return;
    int at = (z * kSize + y) * kSize + x;
    bool wall = x == 0 || y == 0 || z == 0 || x == kSize - 1 || y == kSize - 1 || z == kSize - 1;
    int sum = 0;
    if (!wall)
        sum = in[at - 1] + in[at + 1] + in[at - kSize] + in[at + kSize] + in[at - kSize * kSize] +
              in[at + kSize * kSize];
    out[at] = wall ? in[at] : in[at] + (sum - 6 * in[at]) / 8;
}

static void reference(const std::vector<int> &in, std::vector<int> &out) {
    out = in;
    for (int z = 1; z < kSize - 1; ++z)
        for (int y = 1; y < kSize - 1; ++y)
            for (int x = 1; x < kSize - 1; ++x) {
                int at = (z * kSize + y) * kSize + x;
                int sum = in[at - 1] + in[at + 1] + in[at - kSize] + in[at + kSize] +
                          in[at - kSize * kSize] + in[at + kSize * kSize];
                out[at] = in[at] + (sum - 6 * in[at]) / 8;
            }
}

int main() {
    const int cells = kSize * kSize * kSize, replays = 5;
    Random random(55);
    std::vector<int> box(cells), next;
    for (int &v : box) v = (int)random.below(100) << 16;
    Device<int> a(box), b(cells);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t run;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    diffuse<<<dim3(3, 5, 5), dim3(8, 4, 4), 0, stream>>>(a, b);
    diffuse<<<dim3(3, 5, 5), dim3(8, 4, 4), 0, stream>>>(b, a);
    CHECK(cudaStreamEndCapture(stream, &graph));
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    std::printf("captured %zu nodes\n", nodes);
    CHECK(cudaGraphInstantiate(&run, graph, 0));
    for (int k = 0; k < replays; ++k) {
        CHECK(cudaGraphLaunch(run, stream));
        for (int half = 0; half < 2; ++half) reference(box, next), box.swap(next);
    }
    CHECK(cudaStreamSynchronize(stream));
    finish();
    print_digest("temperatures", a.get());
    long wrong = count_different(a.get(), box) + (nodes != 2);
    CHECK(cudaGraphExecDestroy(run));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    return verdict("heat_3d", wrong);
}
