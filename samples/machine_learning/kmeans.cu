// k-means on integer points: assignment with distances in shared memory, sums by 32- and 64-bit
// atomics, until it settles.
// features: atomic_int, atomic_ull, shared_static, constant, to_symbol
#include "../common.h"

constexpr int kClusters = 6, kDims = 3;
struct Point {
    int v[kDims];
};
__constant__ Point centres[kClusters];

__host__ __device__ inline int nearest(const Point &p, const Point *c) {
    int best = 0, least = 2147483647;
    for (int k = 0; k < kClusters; ++k) {
        int distance = 0;
        for (int d = 0; d < kDims; ++d) distance += (p.v[d] - c[k].v[d]) * (p.v[d] - c[k].v[d]);
        if (distance < least) least = distance, best = k;
    }
    return best;
}

__global__ void assign(const Point *points, int n, int *owner, unsigned long long *sums,
                       int *counts) {
    __shared__ int local[kClusters];
    if (threadIdx.x < kClusters) local[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int k = nearest(points[i], centres);
        owner[i] = k;
        atomicAdd(&local[k], 1);
        for (int d = 0; d < kDims; ++d)
            atomicAdd(&sums[k * kDims + d], (unsigned long long)points[i].v[d]);
    }
    __syncthreads();
    if (threadIdx.x < kClusters) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

int main() {
    const int n = 900, rounds = 6;
    Random random(68);
    std::vector<Point> points(n), c(kClusters);
    for (int i = 0; i < n; ++i)
        for (int d = 0; d < kDims; ++d)
            points[i].v[d] = (int)(random.below(120) + (i % kClusters * (d + 1) * 97) % 700);
    for (int k = 0; k < kClusters; ++k) c[k] = points[k * 7];
    std::vector<Point> host = c;
    Device<Point> dpoints(points);
    Device<int> owner(n), counts(kClusters);
    Device<unsigned long long> sums(kClusters * kDims);
    std::vector<int> expected(n);
    for (int round = 0; round < rounds; ++round) {
        CHECK(cudaMemcpyToSymbol(centres, c.data(), sizeof centres));
        sums.set(std::vector<unsigned long long>(kClusters * kDims));
        counts.set(std::vector<int>(kClusters));
        assign<<<(n + 127) / 128, 128>>>(dpoints, n, owner, sums, counts);
        finish();
        std::vector<unsigned long long> s = sums.get(), hs(kClusters * kDims);
        std::vector<int> m = counts.get(), hm(kClusters);
        for (int i = 0; i < n; ++i) {
            int k = expected[i] = nearest(points[i], host.data());
            ++hm[k];
            for (int d = 0; d < kDims; ++d) hs[k * kDims + d] += points[i].v[d];
        }
        for (int k = 0; k < kClusters; ++k)
            for (int d = 0; d < kDims; ++d) {
                if (m[k]) c[k].v[d] = (int)(s[k * kDims + d] / m[k]);
                if (hm[k]) host[k].v[d] = (int)(hs[k * kDims + d] / hm[k]);
            }
    }
    for (const Point &p : c) std::printf("centre %d %d %d\n", p.v[0], p.v[1], p.v[2]);
    print_digest("owners", owner.get());
    long wrong = count_different(owner.get(), expected) +
                 (std::memcmp(c.data(), host.data(), sizeof centres) != 0);
    return verdict("kmeans", wrong);
}
