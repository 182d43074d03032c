// PageRank in 32.32 fixed point, so that the order of the atomic additions cannot matter.
// features: atomic_ull, int64, division, grid_stride
#include "../common.h"

using Rank = unsigned long long;

__global__ void spread(const int *offsets, const int *targets, const Rank *rank, Rank *next,
                       int n) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
        int degree = offsets[v + 1] - offsets[v];
        Rank share = rank[v] / degree;
        for (int e = offsets[v]; e < offsets[v + 1]; ++e) atomicAdd(&next[targets[e]], share);
    }
}

__global__ void damp(Rank *rank, Rank *next, int n) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
        rank[v] = (15ull << 32) / 100 + next[v] / 100 * 85;
        next[v] = 0;
    }
}

int main() {
    const int n = 500, rounds = 8;
    Random random(33);
    std::vector<int> offsets(n + 1), targets;
    for (int v = 0; v < n; ++v) {
        for (int k = 1 + (int)random.below(6); k > 0; --k)
            targets.push_back((int)(random.below(n) * random.below(n) / n));
        offsets[v + 1] = (int)targets.size();
    }
    std::vector<Rank> rank(n, 1ull << 32), next(n);
    Device<int> doffsets(offsets), dtargets(targets);
    Device<Rank> drank(rank), dnext(n);
    for (int round = 0; round < rounds; ++round) {
        spread<<<3, 128>>>(doffsets, dtargets, drank, dnext, n);
        damp<<<3, 128>>>(drank, dnext, n);
        std::fill(next.begin(), next.end(), 0);
        for (int v = 0; v < n; ++v)
            for (int e = offsets[v]; e < offsets[v + 1]; ++e)
                next[targets[e]] += rank[v] / (Rank)(offsets[v + 1] - offsets[v]);
        for (int v = 0; v < n; ++v) rank[v] = (15ull << 32) / 100 + next[v] / 100 * 85;
    }
    finish();
    std::vector<Rank> got = drank.get();
    std::printf("best: %td\n", std::max_element(got.begin(), got.end()) - got.begin());
    print_digest("ranks", got);
    return verdict("pagerank", count_different(got, rank));
}
