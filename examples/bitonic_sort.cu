// Bitonic sort of 64-bit keys: shared memory for short distances, global passes for long ones.
#include "common.h"
#include <algorithm>
#include <vector>

constexpr int kBlock = 256;

__device__ inline void order(unsigned long long &a, unsigned long long &b, bool ascending) {
    if ((a > b) == ascending) {
        unsigned long long held = a;
        a = b;
        b = held;
    }
}

__global__ void sort_global(unsigned long long *keys, int n, int size, int distance) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, partner = i ^ distance;
    if (partner > i && partner < n) order(keys[i], keys[partner], (i & size) == 0);
}

__global__ void sort_shared(unsigned long long *keys, int first_size, int last_size) {
    __shared__ unsigned long long part[2 * kBlock];
    int base = blockIdx.x * 2 * kBlock;
    part[threadIdx.x] = keys[base + threadIdx.x];
    part[threadIdx.x + kBlock] = keys[base + threadIdx.x + kBlock];
    for (int size = first_size; size <= last_size; size <<= 1)
        for (int distance = min(size >> 1, kBlock); distance > 0; distance >>= 1) {
            __syncthreads();
            int position = 2 * threadIdx.x - (threadIdx.x & (distance - 1));
            order(part[position], part[position + distance], ((base + position) & size) == 0);
        }
    __syncthreads();
    keys[base + threadIdx.x] = part[threadIdx.x];
    keys[base + threadIdx.x + kBlock] = part[threadIdx.x + kBlock];
}

int main() {
    const int n = 4096;
    std::vector<unsigned long long> keys(n), sorted;
    Random random(9);
    for (unsigned long long &k : keys) k = random.next() >> (random.below(40));
    sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    unsigned long long *d;
    CHECK(cudaMalloc(&d, n * sizeof *d));
    CHECK(cudaMemcpy(d, keys.data(), n * sizeof *d, cudaMemcpyHostToDevice));
    sort_shared<<<n / (2 * kBlock), kBlock>>>(d, 2, 2 * kBlock);
    for (int size = 4 * kBlock; size <= n; size <<= 1) {
        for (int distance = size >> 1; distance > kBlock; distance >>= 1)
            sort_global<<<n / kBlock, kBlock>>>(d, n, size, distance);
        sort_shared<<<n / (2 * kBlock), kBlock>>>(d, size, size);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(keys.data(), d, n * sizeof *d, cudaMemcpyDeviceToHost));
    long wrong = 0;
    for (int i = 0; i < n; ++i) wrong += keys[i] != sorted[i];
    std::printf("first=%llu last=%llu digest=%016llx\n", keys[0], keys[n - 1], (unsigned long long)digest(keys.data(), n * sizeof keys[0]));
    CHECK(cudaFree(d));
    return verdict("bitonic_sort", wrong);
}
