// k nearest neighbours: each warp keeps its best candidates and merges them with min-reductions and
// matches.
// features: warp_reduce, match, bf16, local_array
#include "../common.h"
#include <cuda_bf16.h>

constexpr int kDims = 8, kNeighbours = 4;

__global__ void search(const __nv_bfloat16 *points, int n, const __nv_bfloat16 *queries,
                       unsigned *best) {
    int query = blockIdx.x, lane = threadIdx.x;
    unsigned mine[kNeighbours];
    for (unsigned &m : mine) m = ~0u;
    for (int p = lane; p < n; p += 32) {
        float distance = 0;
        for (int d = 0; d < kDims; ++d) {
            float difference =
                __bfloat162float(__hsub(points[p * kDims + d], queries[query * kDims + d]));
            distance += difference * difference;
        }
        unsigned key = (unsigned)distance << 12 | (unsigned)p; // whole numbers: exact
        for (unsigned &m : mine)
            if (key < m) {
                unsigned held = m;
                m = key, key = held;
            }
    }
    for (int k = 0; k < kNeighbours; ++k) {
        unsigned least = __reduce_min_sync(~0u, mine[0]);
        unsigned same = __match_any_sync(~0u, mine[0] == least);
        if (lane == 0) best[query * kNeighbours + k] = least;
        if (mine[0] == least && __popc(same) == 1)
            for (int j = 0; j < kNeighbours; ++j) mine[j] = j + 1 < kNeighbours ? mine[j + 1] : ~0u;
    }
}

int main() {
    const int n = 500, queries = 20;
    Random random(74);
    std::vector<__nv_bfloat16> points(n * kDims), wanted(queries * kDims);
    std::vector<int> p(points.size()), q(wanted.size());
    for (size_t i = 0; i < p.size(); ++i)
        points[i] = __float2bfloat16((float)(p[i] = (int)random.below(64)));
    for (size_t i = 0; i < q.size(); ++i)
        wanted[i] = __float2bfloat16((float)(q[i] = (int)random.below(64)));
    std::vector<unsigned> expected;
    for (int k = 0; k < queries; ++k) {
        std::vector<unsigned> keys(n);
        for (int i = 0; i < n; ++i) {
            int distance = 0;
            for (int d = 0; d < kDims; ++d)
                distance +=
                    (p[i * kDims + d] - q[k * kDims + d]) * (p[i * kDims + d] - q[k * kDims + d]);
            keys[i] = (unsigned)distance << 12 | (unsigned)i;
        }
        std::sort(keys.begin(), keys.end());
        expected.insert(expected.end(), keys.begin(), keys.begin() + kNeighbours);
    }
    Device<__nv_bfloat16> dpoints(points), dwanted(wanted);
    Device<unsigned> best(queries * kNeighbours);
    search<<<queries, 32>>>(dpoints, n, dwanted, best);
    finish();
    std::printf("nearest to the first: %u at squared distance %u\n", best.get()[0] & 4095,
                best.get()[0] >> 12);
    print_digest("neighbours", best.get());
    return verdict("nearest_neighbours", count_different(best.get(), expected));
}
