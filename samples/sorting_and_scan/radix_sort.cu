// LSD radix sort of 64-bit keys with 4-bit digits: histograms, a scan, and stable ranks from warp
// matches.
// features: match, bit_intrinsics, shared_static, int64, template
#include "../common.h"

constexpr int kBlock = 128, kDigits = 16;

template <typename Key>
__global__ void histogram(const Key *keys, int n, int shift, unsigned *counts) {
    __shared__ unsigned local[kDigits];
    if (threadIdx.x < kDigits) local[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (i < n) atomicAdd(&local[(keys[i] >> shift) & 15], 1u);
    __syncthreads();
    if (threadIdx.x < kDigits) counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

__global__ void scan(unsigned *counts, int n) {
    unsigned carry = 0;
    for (int base = 0; base < n; base += 32) {
        unsigned own = base + (int)threadIdx.x < n ? counts[base + threadIdx.x] : 0, sum = own;
        for (int d = 1; d < 32; d <<= 1) {
            unsigned below = __shfl_up_sync(~0u, sum, d);
            if (threadIdx.x >= d) sum += below;
        }
        if (base + (int)threadIdx.x < n) counts[base + threadIdx.x] = carry + sum - own;
        carry += __shfl_sync(~0u, sum, 31);
    }
}

template <typename Key>
__global__ void scatter(const Key *in, Key *out, int n, int shift, const unsigned *offsets) {
    __shared__ unsigned before[kBlock / 32][kDigits];
    int i = blockIdx.x * kBlock + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int k = threadIdx.x; k < kBlock / 32 * kDigits; k += kBlock) (&before[0][0])[k] = 0;
    __syncthreads();
    Key key = i < n ? in[i] : 0;
    unsigned digit = i < n ? (unsigned)(key >> shift) & 15 : kDigits,
             peers = __match_any_sync(~0u, digit);
    unsigned rank = __popc(peers & ((1u << lane) - 1));
    if (i < n && rank == 0) before[warp][digit] = __popc(peers);
    __syncthreads();
    if (i >= n) return;
    for (int w = 0; w < warp; ++w) rank += before[w][digit];
    out[offsets[digit * gridDim.x + blockIdx.x] + rank] = key;
}

template <typename Key> long run(const char *name, int n) {
    Random random(36);
    std::vector<Key> keys(n), expected;
    for (Key &key : keys) key = (Key)(random.next() >> random.below(40));
    expected = keys;
    std::sort(expected.begin(), expected.end());
    int blocks = (n + kBlock - 1) / kBlock;
    Device<Key> a(keys), b(n);
    Device<unsigned> counts(blocks * kDigits);
    Key *from = a, *to = b;
    for (int shift = 0; shift < 8 * (int)sizeof(Key);
         shift += 4) { // an even number of passes ends in a
        histogram<Key><<<blocks, kBlock>>>(from, n, shift, counts);
        scan<<<1, 32>>>(counts, blocks * kDigits);
        scatter<Key><<<blocks, kBlock>>>(from, to, n, shift, counts);
        std::swap(from, to);
    }
    finish();
    print_digest(name, a.get());
    return count_different(a.get(), expected);
}

int main() {
    return verdict("radix_sort",
                   run<unsigned long long>("uint64", 1500) + run<unsigned>("uint32", 2100));
}
