// Shortest paths by relaxation with atomicMin on 32- and 64-bit distances, until nothing changes.
// features: atomic_min_max, atomic_ull, int64, sync_count
#include "../common.h"

struct Edge {
    int from, to;
    unsigned weight;
};
constexpr unsigned long long kFar = ~0ull >> 1;

__global__ void relax(const Edge *edges, int m, unsigned long long *distance, unsigned *hops,
                      int *changed) {
    int e = blockIdx.x * blockDim.x + threadIdx.x, better = 0;
    if (e < m) {
        Edge edge = edges[e];
        unsigned long long through = distance[edge.from] + edge.weight;
        if (through < distance[edge.to]) better = through < atomicMin(&distance[edge.to], through);
        unsigned steps = hops[edge.from];
        if (steps != ~0u && steps + 1 < hops[edge.to])
            better |= steps + 1 < atomicMin(&hops[edge.to], steps + 1);
    }
    if (__syncthreads_or(better) && threadIdx.x == 0) atomicMax(changed, 1);
}

int main() {
    const int n = 300, m = 1500;
    Random random(31);
    std::vector<Edge> edges(m);
    for (Edge &e : edges)
        e = {(int)random.below(n), (int)random.below(n), 1000000000u + random.below(1000000000u)};
    std::vector<unsigned long long> distance(n, kFar);
    std::vector<unsigned> hops(n, ~0u);
    distance[0] = hops[0] = 0;
    Device<Edge> dedges(edges);
    Device<unsigned long long> ddistance(distance);
    Device<unsigned> dhops(hops);
    Device<int> changed(1);
    for (int round = 0, still = 1; still && round <= n; ++round) {
        changed.set({0});
        relax<<<(m + 127) / 128, 128>>>(dedges, m, ddistance, dhops, changed);
        finish();
        still = changed.get()[0];
    }
    for (bool again = true; again;) {
        again = false;
        for (const Edge &e : edges) {
            if (distance[e.from] != kFar && distance[e.from] + e.weight < distance[e.to])
                distance[e.to] = distance[e.from] + e.weight, again = true;
            if (hops[e.from] != ~0u && hops[e.from] + 1 < hops[e.to])
                hops[e.to] = hops[e.from] + 1, again = true;
        }
    }
    std::vector<unsigned long long> got = ddistance.get();
    for (int v = 0; v < n; ++v) // beyond "far" is as good as far
        if (distance[v] == kFar) got[v] = kFar;
    print_digest("distances", got);
    print_digest("hops", dhops.get());
    return verdict("bellman_ford",
                   count_different(got, distance) + count_different(dhops.get(), hops));
}
