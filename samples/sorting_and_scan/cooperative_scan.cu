// Tiles of cooperative groups: tiled partitions, coalesced groups, shuffles and reductions through
// the library's types.
// features: cooperative_groups, shuffle, vote, syncwarp
#include "../common.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void tiles(const int *in, int *scans, int *sums, int *ranks) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    int i = blockIdx.x * blockDim.x + block.thread_rank(), value = in[i];
    for (int d = 1; d < tile.size(); d *= 2) {
        int below = tile.shfl_up(value, d);
        if ((int)tile.thread_rank() >= d) value += below;
    }
    scans[i] = value;
    int sum = cg::reduce(tile, in[i], cg::plus<int>());
    bool any = tile.any(in[i] > 90);
    if (tile.thread_rank() == 0) sums[i / 8] = sum + (any ? 1000 : 0) + tile.meta_group_rank();
    ranks[i] = -1;
    __syncwarp(); // whoever takes the branch takes it together
    if (in[i] % 3 == 1) {
        cg::coalesced_group odd = cg::coalesced_threads();
        ranks[i] = (int)(odd.thread_rank() * 100 + odd.size());
    }
    block.sync();
}

int main() {
    const int n = 512;
    Random random(40);
    std::vector<int> in(n), scans(n), sums(n / 8), ranks(n, -1);
    for (int &v : in) v = (int)random.below(100);
    for (int i = 0; i < n; ++i) scans[i] = in[i] + (i % 8 ? scans[i - 1] : 0);
    for (int t = 0; t < n / 8; ++t) {
        bool above = false;
        for (int i = 8 * t; i < 8 * t + 8; ++i) sums[t] += in[i], above |= in[i] > 90;
        sums[t] += (above ? 1000 : 0) + t % 16;
    }
    for (int w = 0; w < n; w += 32) {
        int size = 0, rank = 0;
        for (int i = w; i < w + 32; ++i) size += in[i] % 3 == 1;
        for (int i = w; i < w + 32; ++i)
            if (in[i] % 3 == 1) ranks[i] = rank++ * 100 + size;
    }
    Device<int> din(in), dscans(n), dsums(n / 8), dranks(n);
    tiles<<<n / 128, 128>>>(din, dscans, dsums, dranks);
    finish();
    print_digest("scans", dscans.get());
    print_digest("sums", dsums.get());
    print_digest("ranks", dranks.get());
    long wrong = count_different(dscans.get(), scans) + count_different(dsums.get(), sums);
    return verdict("cooperative_scan", wrong + count_different(dranks.get(), ranks));
}
