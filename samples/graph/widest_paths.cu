// The widest paths from one node, where a path is as wide as its narrowest edge: nodes whose width
// grew tell their neighbours by fetch_max until nothing grows, and who found it first is chosen by
// the smallest predecessor.
// features: atomic_ref, int64, several_kernels
#include "../common.h"
#include <cuda/atomic>

template <typename T> using Shared = cuda::atomic_ref<T, cuda::thread_scope_device>;

__global__ void widen(const int *offsets, const int *targets, const int *edges, int nodes,
                      const char *now, char *soon, int *widths, unsigned long long *relaxed,
                      int *grown) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || !now[node]) return;
    int width = Shared<int>(widths[node]).load(cuda::memory_order_relaxed);
    for (int e = offsets[node]; e < offsets[node + 1]; ++e) {
        int through = min(width, edges[e]);
        int before = Shared<int>(widths[targets[e]]).fetch_max(through);
        if (before >= through) continue;
        soon[targets[e]] = 1;
        Shared<int>(*grown).store(1, cuda::memory_order_release);
    }
    Shared<unsigned long long>(*relaxed).fetch_add(offsets[node + 1] - offsets[node]);
}

__global__ void choose(const int *offsets, const int *targets, const int *edges, int nodes,
                       const int *widths, int *parents) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes) return;
    for (int e = offsets[node]; e < offsets[node + 1]; ++e)
        if (min(widths[node], edges[e]) == widths[targets[e]] && widths[targets[e]] > 0)
            Shared<int>(parents[targets[e]]).fetch_min(node, cuda::memory_order_relaxed);
}

int main() {
    const int nodes = 600, source = 7;
    Random random(68);
    std::vector<int> offsets(nodes + 1), targets, edges;
    for (int a = 0; a < nodes; ++a) {
        for (int k = (int)random.below(7); k > 0; --k) {
            int reach = (int)random.below(90) - 30; // neighbours are near, so that paths are long
            targets.push_back((a + reach + nodes) % nodes);
            edges.push_back(1 + (int)random.below(1000));
        }
        offsets[a + 1] = (int)targets.size();
    }
    std::vector<int> widths(nodes), parents(nodes, INT32_MAX), start(nodes);
    start[source] = widths[source] = 1 << 20;
    for (bool grows = true; grows;) {
        grows = false;
        for (int a = 0; a < nodes; ++a)
            for (int e = offsets[a]; e < offsets[a + 1]; ++e) {
                int through = std::min(widths[a], edges[e]);
                if (through > widths[targets[e]]) widths[targets[e]] = through, grows = true;
            }
    }
    for (int a = 0; a < nodes; ++a)
        for (int e = offsets[a]; e < offsets[a + 1]; ++e)
            if (int w = widths[targets[e]]; w > 0 && std::min(widths[a], edges[e]) == w)
                parents[targets[e]] = std::min(parents[targets[e]], a);

    std::vector<char> first(nodes);
    first[source] = 1;
    Device<int> doffsets(offsets), dtargets(targets), dedges(edges), dwidths(start), grown(1),
        dparents(std::vector<int>(nodes, INT32_MAX));
    Device<char> now(first), soon(nodes);
    Device<unsigned long long> relaxed(1);
    int blocks = (nodes + 127) / 128;
    do {
        grown.set({0});
        soon.set(std::vector<char>(nodes));
        widen<<<blocks, 128>>>(doffsets, dtargets, dedges, nodes, now, soon, dwidths, relaxed,
                               grown);
        finish();
        now.set(soon.get());
    } while (grown.get()[0]);
    choose<<<blocks, 128>>>(doffsets, dtargets, dedges, nodes, dwidths, dparents);
    finish();
    long reached = 0;
    unsigned long long least = 0; // each reached node tells its neighbours once or more often
    for (int a = 0; a < nodes; ++a)
        if (widths[a] > 0) ++reached, least += offsets[a + 1] - offsets[a];
    long wrong = relaxed.get()[0] < least;
    wrong += count_different(dwidths.get(), widths) + count_different(dparents.get(), parents);
    std::printf("%ld of %d nodes reached\n", reached, nodes);
    print_digest("widths", dwidths.get());
    print_digest("parents", dparents.get());
    return verdict("widest_paths", wrong);
}
