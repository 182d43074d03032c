// Compaction in order: warp ballots, block offsets, and a device-wide base handed from block to
// block.
// features: vote, bit_intrinsics, threadfence, volatile, shared_static, atomic_uint
#include "../common.h"

constexpr int kBlock = 128;

// Blocks take their numbers in the order in which they start, so waiting for the one before always
// ends.
__global__ void compact(const int *in, int n, int *out, volatile unsigned *totals,
                        volatile unsigned *ready, unsigned *ticket) {
    __shared__ unsigned block, base, warps[kBlock / 32];
    if (threadIdx.x == 0) block = atomicAdd(ticket, 1u);
    __syncthreads();
    int i = (int)block * kBlock + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    bool keep = i < n && in[i] % 3 == 0;
    unsigned mask = __ballot_sync(~0u, keep);
    if (lane == 0) warps[warp] = __popc(mask);
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sum = 0, before = 0;
        for (unsigned &w : warps) {
            unsigned own = w;
            w = sum;
            sum += own;
        }
        if (block > 0) {
            while (ready[block - 1] == 0) {
            }
            __threadfence();
            before = totals[block - 1];
        }
        totals[block] = before + sum;
        __threadfence();
        ready[block] = 1;
        base = before;
    }
    __syncthreads();
    if (keep) out[base + warps[warp] + __popc(mask & ((1u << lane) - 1))] = in[i];
}

int main() {
    const int n = 4000, blocks = (n + kBlock - 1) / kBlock;
    Random random(38);
    std::vector<int> in(n), expected;
    for (int &v : in) {
        v = (int)random.below(100000);
        if (v % 3 == 0) expected.push_back(v);
    }
    Device<int> din(in), dout(n);
    Device<unsigned> totals(blocks), ready(blocks), ticket(1);
    compact<<<blocks, kBlock>>>(din, n, dout, totals, ready, ticket);
    finish();
    std::vector<int> got = dout.get();
    unsigned kept = totals.get()[blocks - 1];
    got.resize(kept);
    std::printf("kept %u\n", kept);
    print_digest("kept values", got);
    return verdict("stream_compaction", count_different(got, expected));
}
