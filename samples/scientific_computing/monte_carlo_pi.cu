// Pi by counting points under the circle, with the Philox generator; grid size from the occupancy
// calculator, counts exact.
// features: occupancy, grid_stride, shuffle, atomic_ull, device_properties
#include "../common.h"

struct Four {
    uint32_t v[4];
};

__host__ __device__ inline Four philox(uint32_t counter, uint32_t key) {
    Four c = {{counter, 0, 0x243f6a88u, 0}};
    uint32_t k0 = key, k1 = 0x13198a2eu;
    for (int round = 0; round < 10; ++round) {
        uint64_t p = (uint64_t)c.v[0] * 0xd2511f53u, q = (uint64_t)c.v[2] * 0xcd9e8d57u;
        c = {{(uint32_t)(q >> 32) ^ c.v[1] ^ k0, (uint32_t)q, (uint32_t)(p >> 32) ^ c.v[3] ^ k1,
              (uint32_t)p}};
        k0 += 0x9e3779b9u, k1 += 0xbb67ae85u;
    }
    return c;
}

__host__ __device__ inline unsigned under_circle(uint32_t i) {
    Four r = philox(i, 0xa4093822u);
    unsigned found = 0;
    for (int k = 0; k < 4; k += 2) {
        uint64_t x = r.v[k] >> 2, y = r.v[k + 1] >> 2;
        found += x * x + y * y < 1ull << 60;
    }
    return found;
}

__global__ void count(unsigned n, unsigned long long *hits) {
    unsigned sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += under_circle(i);
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) atomicAdd(hits, (unsigned long long)sum);
}

int main() {
    const unsigned n = 40000;
    int grid = 0, block = 0, processors = 0, resident = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, count, 0, 256));
    CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, count, block, 0));
    long wrong = block < 32 || block > 256 || grid < 1 || processors < 1 || resident < 1;
    Device<unsigned long long> hits(1);
    count<<<std::min(grid, 16), block>>>(n, hits);
    finish();
    unsigned long long expected = 0;
    for (unsigned i = 0; i < n; ++i) expected += under_circle(i);
    unsigned long long got = hits.get()[0];
    std::printf("%llu of %u points, pi is about %.4f\n", got, 2 * n, 4.0 * (double)got / (2.0 * n));
    return verdict("monte_carlo_pi", wrong + (got != expected));
}
