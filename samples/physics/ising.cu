// The Ising model on a torus, checkerboard updates with a counter-based generator and integer
// thresholds in constant memory.
// features: constant, to_symbol, shared_static, vote
#include "../common.h"

constexpr int kSize = 48;
__constant__ unsigned thresholds[5];

__host__ __device__ inline unsigned noise(unsigned cell, unsigned step) {
    unsigned h = cell * 0x9e3779b9u ^ step * 0x85ebca6bu;
    for (int k = 0; k < 3; ++k) h = (h ^ h >> 16) * 0x7feb352du;
    return h ^ h >> 15;
}

__global__ void sweep(signed char *spins, int colour, unsigned step) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= kSize || y >= kSize || (x + y) % 2 != colour) return;
    int left = (x + kSize - 1) % kSize, right = (x + 1) % kSize, up = (y + kSize - 1) % kSize,
        down = (y + 1) % kSize;
    int field = spins[y * kSize + left] + spins[y * kSize + right] + spins[up * kSize + x] +
                spins[down * kSize + x];
    int aligned = spins[y * kSize + x] * field;
    if (aligned <= 0 || noise(y * kSize + x, step) < thresholds[aligned])
        spins[y * kSize + x] = (signed char)-spins[y * kSize + x];
}

__global__ void magnetisation(const signed char *spins, int *total) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int up = __syncthreads_count(spins[blockIdx.x * kSize + threadIdx.x] > 0);
    if (__any_sync(~0u, threadIdx.x == 0) && threadIdx.x == 0) sum += 2 * up - kSize;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

int main() {
    const int steps = 12;
    const unsigned host_thresholds[5] = {0, 0, 0xe0000000u / 4, 0, 0x14000000u};
    CHECK(cudaMemcpyToSymbol(thresholds, host_thresholds, sizeof thresholds));
    std::vector<signed char> spins(kSize * kSize);
    Random random(56);
    for (signed char &s : spins) s = random.below(2) ? 1 : -1;
    Device<signed char> dspins(spins);
    Device<int> total(1);
    int expected = 0;
    for (int step = 0; step < steps; ++step)
        for (int colour = 0; colour < 2; ++colour) {
            sweep<<<dim3(3, 6), dim3(16, 8)>>>(dspins, colour, 2 * step + colour);
            for (int y = 0; y < kSize; ++y)
                for (int x = (y + colour) % 2; x < kSize; x += 2) {
                    signed char &s = spins[y * kSize + x];
                    int field = spins[y * kSize + (x + 1) % kSize] +
                                spins[y * kSize + (x + kSize - 1) % kSize] +
                                spins[(y + 1) % kSize * kSize + x] +
                                spins[(y + kSize - 1) % kSize * kSize + x];
                    if (s * field <= 0 ||
                        noise(y * kSize + x, 2 * step + colour) < host_thresholds[s * field])
                        s = (signed char)-s;
                }
        }
    magnetisation<<<kSize, kSize>>>(dspins, total);
    finish();
    for (signed char s : spins) expected += s;
    std::printf("magnetisation %d\n", total.get()[0]);
    print_digest("spins", dspins.get());
    return verdict("ising", count_different(dspins.get(), spins) + (total.get()[0] != expected));
}
