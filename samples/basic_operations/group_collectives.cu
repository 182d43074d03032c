// Collectives of cooperative groups: groups by label and by predicate, prefix sums, reductions with
// other operators, one lane that acts for its group, and copies that a group makes together.
// features: cooperative_groups, async_copy, shared_static, several_kernels
#include "../common.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

constexpr int THREADS = 128;

// out: [rank in the label's group, size, exclusive sum there, largest value there] of each element.
__global__ void by_label(const int *labels, const int *values, int4 *out, int *totals) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    cg::coalesced_group same = cg::labeled_partition(warp, labels[i]);
    int before = cg::exclusive_scan(same, values[i], cg::plus<int>());
    int largest = cg::reduce(same, values[i], cg::greater<int>());
    out[i] = make_int4((int)same.thread_rank(), (int)same.size(), before, largest);
    if (same.thread_rank() == same.size() - 1) atomicAdd(&totals[labels[i]], before + values[i]);
}

// The odd and the even values of each tile of 16, apart.
__global__ void by_parity(const int *values, int *scans, int *folds) {
    __shared__ int staged[THREADS];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, staged, values + blockIdx.x * THREADS, sizeof(staged));
    cg::wait(block);
    int value = staged[THREADS - 1 - block.thread_rank()], i = blockIdx.x * THREADS + threadIdx.x;
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    cg::coalesced_group half = cg::binary_partition(tile, value % 2 != 0);
    scans[i] = cg::inclusive_scan(half, value, cg::bit_xor<int>());
    int least = cg::reduce(half, value, cg::less<int>());
    int bits = cg::reduce(half, value, cg::bit_or<int>());
    cg::invoke_one(half, [&] { folds[i / 16 * 2 + (value % 2 != 0)] = bits * 4096 + least; });
}

int main() {
    const int n = 4 * THREADS, kinds = 5;
    Random random(69);
    std::vector<int> labels(n), values(n), totals(kinds), scans(n), folds(n / 8);
    std::vector<int> ranks(4 * n);
    for (int i = 0; i < n; ++i)
        labels[i] = (int)random.below(kinds), values[i] = (int)random.below(4000);
    for (int i = 0; i < n; ++i) {
        int *row = &ranks[4 * i];
        totals[labels[i]] += values[i];
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
            if (labels[j] != labels[i]) continue;
            if (j < i) row[0] += 1, row[2] += values[j];
            row[1] += 1, row[3] = std::max(row[3], values[j]);
        }
    }
    auto turned = [&](int i) { return values[i / THREADS * THREADS + THREADS - 1 - i % THREADS]; };
    for (int t = 0; t < n / 16; ++t)
        for (int odd = 0; odd < 2; ++odd) {
            int fold = 0, bits = 0, least = 4096;
            for (int i = 16 * t; i < 16 * t + 16; ++i) {
                if (turned(i) % 2 != odd) continue;
                scans[i] = fold ^= turned(i);
                bits |= turned(i), least = std::min(least, turned(i));
            }
            folds[2 * t + odd] = least < 4096 ? bits * 4096 + least : 0;
        }
    Device<int> dlabels(labels), dvalues(values), dtotals(kinds), dscans(n), dfolds(n / 8);
    Device<int4> out(n);
    by_label<<<n / THREADS, THREADS>>>(dlabels, dvalues, out, dtotals);
    by_parity<<<n / THREADS, THREADS>>>(dvalues, dscans, dfolds);
    finish();
    std::vector<int> got;
    for (int4 one : out.get()) got.insert(got.end(), {one.x, one.y, one.z, one.w});
    long wrong = count_different(got, ranks) + count_different(dtotals.get(), totals);
    wrong += count_different(dscans.get(), scans) + count_different(dfolds.get(), folds);
    print_digest("by label", got);
    print_digest("scans", dscans.get());
    print_digest("folds", dfolds.get());
    return verdict("group_collectives", wrong);
}
