// Sum and maximum of integers: shuffles inside a warp, shared memory across warps, one atomic per block.
#include "common.h"
#include <climits>
#include <vector>

__inline__ __device__ int warp_sum(int v) {
    for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}

__inline__ __device__ int warp_max(int v) {
    for (int offset = 16; offset > 0; offset >>= 1) v = max(v, __shfl_xor_sync(0xffffffffu, v, offset));
    return v;
}

__global__ void reduce(const int *values, int n, int *sum, int *maximum) {
    __shared__ int sums[32], maxima[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    int s = 0, m = INT_MIN;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        s += values[i];
        m = max(m, values[i]);
    }
    s = warp_sum(s);
    m = warp_max(m);
    if (lane == 0) sums[warp] = s, maxima[warp] = m;
    __syncthreads();
    if (warp == 0) {
        s = warp_sum(lane < warps ? sums[lane] : 0);
        m = warp_max(lane < warps ? maxima[lane] : INT_MIN);
        if (lane == 0) {
            atomicAdd(sum, s);
            atomicMax(maximum, m);
        }
    }
}

int main() {
    const int n = 20011;
    std::vector<int> values(n);
    Random random(4);
    int sum = 0, maximum = INT_MIN;
    for (int &v : values) {
        v = (int)random.below(2000001) - 1000000;
        sum += v;
        maximum = v > maximum ? v : maximum;
    }
    int *dv, *dr, result[2] = {0, INT_MIN};
    CHECK(cudaMalloc(&dv, n * sizeof(int)));
    CHECK(cudaMalloc(&dr, sizeof result));
    CHECK(cudaMemcpy(dv, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dr, result, sizeof result, cudaMemcpyHostToDevice));
    reduce<<<5, 192>>>(dv, n, dr, dr + 1);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result, dr, sizeof result, cudaMemcpyDeviceToHost));
    std::printf("sum=%d maximum=%d\n", result[0], result[1]);
    CHECK(cudaFree(dv));
    CHECK(cudaFree(dr));
    return verdict("block_reduce", (result[0] != sum) + (result[1] != maximum));
}
