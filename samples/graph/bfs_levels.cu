// Breadth-first search by levels: a frontier queue filled with atomics, level numbers claimed by
// atomicCAS.
// features: atomic_cas, atomic_int, device_variable, to_symbol, from_symbol
#include "../common.h"

__device__ int next_size;

__global__ void expand(const int *offsets, const int *targets, const int *frontier, int size,
                       int *next, int *level, int depth) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    int v = frontier[i];
    for (int e = offsets[v]; e < offsets[v + 1]; ++e) {
        int w = targets[e];
        if (atomicCAS(&level[w], -1, depth) == -1) next[atomicAdd(&next_size, 1)] = w;
    }
}

int main() {
    const int n = 800, degree = 3;
    Random random(30);
    std::vector<int> offsets(n + 1), targets, level(n, -1), frontier(n), order{0};
    for (int v = 0; v < n; ++v) {
        for (int k = 0; k < degree; ++k)
            targets.push_back(k ? (int)random.below(n)
                                : std::min(n - 1, v + 1 + (int)random.below(4)));
        offsets[v + 1] = (int)targets.size();
    }
    std::vector<int> start = level;
    level[0] = 0;
    for (size_t at = 0; at < order.size(); ++at)
        for (int e = offsets[order[at]]; e < offsets[order[at] + 1]; ++e)
            if (level[targets[e]] < 0)
                level[targets[e]] = level[order[at]] + 1, order.push_back(targets[e]);
    start[0] = 0;
    Device<int> doffsets(offsets), dtargets(targets), dlevel(start), a(frontier), b(n);
    int *now = a, *next = b, size = 1, depth = 0;
    while (size > 0) {
        const int zero = 0;
        CHECK(cudaMemcpyToSymbol(next_size, &zero, sizeof zero));
        expand<<<(size + 63) / 64, 64>>>(doffsets, dtargets, now, size, next, dlevel, ++depth);
        CHECK(cudaMemcpyFromSymbol(&size, next_size, sizeof size));
        std::printf("level %d: %d vertices\n", depth, size);
        std::swap(now, next);
    }
    finish();
    print_digest("levels", dlevel.get());
    return verdict("bfs_levels", count_different(dlevel.get(), level));
}
