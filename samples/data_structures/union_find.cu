// Disjoint sets with lock-free hooking by atomicMin and path halving; components are checked by
// sequential union-find.
// features: atomic_min_max, atomic_int, volatile
#include "../common.h"

__device__ int root_of(volatile int *parent, int v) {
    while (parent[v] != v) v = parent[v];
    return v;
}

__global__ void hook(const int2 *edges, int m, int *parent, int *changed) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    int a = root_of(parent, edges[e].x), b = root_of(parent, edges[e].y);
    if (a == b) return;
    int low = a < b ? a : b, high = a < b ? b : a;
    atomicMin(&parent[high], low);
    atomicAdd(changed, 1);
}

__global__ void flatten(int *parent, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) parent[v] = root_of(parent, v);
}

int main() {
    const int n = 600, m = 500;
    Random random(26);
    std::vector<int2> edges(m);
    std::vector<int> parent(n), expected(n);
    for (int i = 0; i < n; ++i) parent[i] = expected[i] = i;
    for (int2 &e : edges) e = make_int2((int)random.below(n), (int)random.below(n));
    for (bool again = true; again;) { // smallest vertex of each component
        again = false;
        for (int2 e : edges) {
            int low = std::min(expected[e.x], expected[e.y]);
            again |= expected[e.x] != low || expected[e.y] != low;
            expected[e.x] = expected[e.y] = low;
        }
    }
    Device<int2> dedges(edges);
    Device<int> dparent(parent), changed(1);
    for (int round = 0, still = 1; still && round < n; ++round) {
        changed.set({0});
        hook<<<4, 128>>>(dedges, m, dparent, changed);
        flatten<<<5, 128>>>(dparent, n);
        finish();
        still = changed.get()[0];
    }
    std::vector<int> got = dparent.get();
    long sets = 0;
    for (int v = 0; v < n; ++v) sets += got[v] == v;
    std::printf("%ld sets\n", sets);
    print_digest("roots", got);
    return verdict("union_find", count_different(got, expected));
}
