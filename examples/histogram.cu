// Byte histogram: atomics on shared memory, then one pass of global atomics per block.
#include "common.h"
#include <vector>

__global__ void histogram(const unsigned char *bytes, int n, unsigned *bins) {
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[bytes[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (local[i]) atomicAdd(&bins[i], local[i]);
}

int main() {
    const int n = 30000;
    std::vector<unsigned char> bytes(n);
    std::vector<unsigned> bins(256), expected(256);
    Random random(6);
    for (unsigned char &b : bytes) {
        b = (unsigned char)((random.below(16) * random.below(16)) & 255);
        ++expected[b];
    }
    unsigned char *dbytes;
    unsigned *dbins;
    CHECK(cudaMalloc(&dbytes, n));
    CHECK(cudaMalloc(&dbins, 256 * sizeof(unsigned)));
    CHECK(cudaMemcpy(dbytes, bytes.data(), n, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(dbins, 0, 256 * sizeof(unsigned)));
    histogram<<<6, 128>>>(dbytes, n, dbins);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(bins.data(), dbins, 256 * sizeof(unsigned), cudaMemcpyDeviceToHost));
    long wrong = 0;
    for (int i = 0; i < 256; ++i) wrong += bins[i] != expected[i];
    std::printf("bins[0]=%u bins[12]=%u digest=%016llx\n", bins[0], bins[12],
                (unsigned long long)digest(bins.data(), 256 * sizeof(unsigned)));
    CHECK(cudaFree(dbytes));
    CHECK(cudaFree(dbins));
    return verdict("histogram", wrong);
}
