// Exclusive prefix sum: work-efficient inside a block, block sums scanned by a second kernel, then added.
#include "common.h"
#include <vector>

constexpr int kBlock = 256;

__global__ void scan_blocks(const unsigned *in, unsigned *out, unsigned *totals, int n) {
    __shared__ unsigned tree[2 * kBlock];
    int t = threadIdx.x, base = 2 * kBlock * blockIdx.x;
    tree[2 * t] = base + 2 * t < n ? in[base + 2 * t] : 0;
    tree[2 * t + 1] = base + 2 * t + 1 < n ? in[base + 2 * t + 1] : 0;
    int step = 1;
    for (int d = kBlock; d > 0; d >>= 1, step <<= 1) {
        __syncthreads();
        if (t < d) tree[step * (2 * t + 2) - 1] += tree[step * (2 * t + 1) - 1];
    }
    if (t == 0) {
        if (totals) totals[blockIdx.x] = tree[2 * kBlock - 1];
        tree[2 * kBlock - 1] = 0;
    }
    for (int d = 1; d <= kBlock; d <<= 1) {
        step >>= 1;
        __syncthreads();
        if (t < d) {
            int left = step * (2 * t + 1) - 1, right = step * (2 * t + 2) - 1;
            unsigned held = tree[left];
            tree[left] = tree[right];
            tree[right] += held;
        }
    }
    __syncthreads();
    if (base + 2 * t < n) out[base + 2 * t] = tree[2 * t];
    if (base + 2 * t + 1 < n) out[base + 2 * t + 1] = tree[2 * t + 1];
}

__global__ void add_totals(unsigned *out, const unsigned *offsets, int n) {
    int i = blockIdx.x * 2 * kBlock + threadIdx.x;
    for (int k = 0; k < 2; ++k, i += kBlock)
        if (i < n) out[i] += offsets[blockIdx.x];
}

int main() {
    const int n = 6001, blocks = (n + 2 * kBlock - 1) / (2 * kBlock);
    std::vector<unsigned> in(n), out(n);
    Random random(5);
    for (unsigned &v : in) v = random.below(1000);
    unsigned *din, *dout, *dtotals, *doffsets;
    CHECK(cudaMalloc(&din, n * sizeof(unsigned)));
    CHECK(cudaMalloc(&dout, n * sizeof(unsigned)));
    CHECK(cudaMalloc(&dtotals, blocks * sizeof(unsigned)));
    CHECK(cudaMalloc(&doffsets, blocks * sizeof(unsigned)));
    CHECK(cudaMemcpy(din, in.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    scan_blocks<<<blocks, kBlock>>>(din, dout, dtotals, n);
    scan_blocks<<<1, kBlock>>>(dtotals, doffsets, nullptr, blocks);
    add_totals<<<blocks, kBlock>>>(dout, doffsets, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), dout, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    long wrong = 0;
    unsigned sum = 0;
    for (int i = 0; i < n; sum += in[i++]) wrong += out[i] != sum;
    std::printf("last=%u digest=%016llx\n", out[n - 1], (unsigned long long)digest(out.data(), n * sizeof(unsigned)));
    CHECK(cudaFree(din));
    CHECK(cudaFree(dout));
    CHECK(cudaFree(dtotals));
    CHECK(cudaFree(doffsets));
    return verdict("scan", wrong);
}
