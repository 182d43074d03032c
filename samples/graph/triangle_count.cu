// Triangles by intersecting sorted neighbour lists: one warp an edge, votes and a 64-bit total.
// features: vote, bit_intrinsics, atomic_ull, syncwarp
#include "../common.h"

__global__ void count(const int *offsets, const int *targets, const int2 *edges, int m,
                      unsigned long long *total) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (warp >= m) return;
    int2 edge = edges[warp];
    int begin = offsets[edge.y], end = offsets[edge.y + 1];
    unsigned found = 0;
    for (int base = offsets[edge.x]; base < offsets[edge.x + 1]; base += 32) {
        bool here = false;
        if (base + lane < offsets[edge.x + 1]) {
            int wanted = targets[base + lane], low = begin, high = end;
            while (low < high) {
                int middle = (low + high) / 2;
                if (targets[middle] < wanted) low = middle + 1;
                else high = middle;
            }
            here = low < end && targets[low] == wanted;
        }
        __syncwarp();
        found += __popc(__ballot_sync(0xffffffffu, here));
    }
    if (lane == 0 && found) atomicAdd(total, (unsigned long long)found);
}

int main() {
    const int n = 90;
    Random random(34);
    std::vector<std::vector<int>> neighbours(n);
    std::vector<int> offsets(n + 1), targets;
    std::vector<int2> edges;
    for (int v = 0; v < n; ++v)
        for (int w = v + 1; w < n; ++w)
            if (random.below(100) < (v < 4 ? 90u : 12u))
                neighbours[v].push_back(w), edges.push_back(make_int2(v, w));
    for (int v = 0; v < n; ++v) {
        targets.insert(targets.end(), neighbours[v].begin(), neighbours[v].end());
        offsets[v + 1] = (int)targets.size();
    }
    unsigned long long expected = 0;
    for (int2 e : edges)
        for (int w : neighbours[e.x])
            expected += std::binary_search(neighbours[e.y].begin(), neighbours[e.y].end(), w);
    Device<int> doffsets(offsets), dtargets(targets);
    Device<int2> dedges(edges);
    Device<unsigned long long> total(1);
    int m = (int)edges.size();
    count<<<(m + 3) / 4, 128>>>(doffsets, dtargets, dedges, m, total);
    finish();
    std::printf("%zu edges, %llu triangles\n", edges.size(), total.get()[0]);
    return verdict("triangle_count", total.get()[0] != expected);
}
