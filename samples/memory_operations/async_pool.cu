// Stream-ordered allocation: cudaMallocAsync and cudaFreeAsync from two streams, a pool of its own,
// and reuse.
// features: async_alloc, streams, events
#include "../common.h"

__global__ void iota(unsigned *out, int n, unsigned start) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = start + i;
}

__global__ void add(unsigned *a, const unsigned *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += b[i];
}

int main() {
    const int n = 5000, blocks = (n + 255) / 256;
    cudaStream_t first, second;
    cudaEvent_t ready;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    cudaMemPool_t pool;
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = 0;
    CHECK(cudaMemPoolCreate(&pool, &properties));
    std::vector<unsigned> out(n);
    long wrong = 0;
    for (unsigned round = 0; round < 4; ++round) {
        unsigned *a, *b;
        CHECK(cudaMallocAsync(&a, n * sizeof(unsigned), first));
        CHECK(cudaMallocFromPoolAsync(&b, n * sizeof(unsigned), pool, second));
        iota<<<blocks, 256, 0, first>>>(a, n, round);
        iota<<<blocks, 256, 0, second>>>(b, n, 1000 * round);
        CHECK(cudaEventRecord(ready, second));
        CHECK(cudaStreamWaitEvent(first, ready));
        add<<<blocks, 256, 0, first>>>(a, b, n);
        CHECK(cudaMemcpyAsync(out.data(), a, n * sizeof(unsigned), cudaMemcpyDeviceToHost, first));
        CHECK(cudaFreeAsync(a, first));
        CHECK(cudaFreeAsync(b, first));
        CHECK(cudaStreamSynchronize(first));
        for (int i = 0; i < n; ++i) wrong += out[i] != 1001 * round + 2 * i;
        std::printf("round %u: out[100]=%u\n", round, out[100]);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemPoolDestroy(pool));
    CHECK(cudaEventDestroy(ready));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    return verdict("async_pool", wrong);
}
