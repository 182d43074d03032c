// A Bloom filter with atomicOr, its complement with atomicAnd, its parity with atomicXor; no false
// negative may occur.
// features: atomic_and_or_xor, atomic_uint, sync_count
#include "../common.h"

constexpr unsigned kWords = 256, kHashes = 3;

__host__ __device__ inline unsigned hash(unsigned key, unsigned which) {
    unsigned h = key * 2654435761u + which * 0x85ebca6bu;
    h ^= h >> 15;
    h *= 0xc2b2ae35u;
    return (h ^ h >> 13) % (32 * kWords);
}

__global__ void add(const unsigned *keys, int n, unsigned *set, unsigned *clear, unsigned *parity) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (unsigned k = 0; k < kHashes; ++k) {
        unsigned bit = hash(keys[i], k), mask = 1u << bit % 32;
        atomicOr(&set[bit / 32], mask);
        atomicAnd(&clear[bit / 32], ~mask);
        atomicXor(&parity[bit / 32], mask);
    }
}

__global__ void test(unsigned first, const unsigned *set, unsigned *hits) {
    unsigned key = first + blockIdx.x * blockDim.x + threadIdx.x, all = 1;
    for (unsigned k = 0; k < kHashes; ++k) all &= set[hash(key, k) / 32] >> hash(key, k) % 32;
    int count = __syncthreads_count(all & 1), some = __syncthreads_or(all & 1),
        every = __syncthreads_and(all & 1);
    if (threadIdx.x == 0) hits[blockIdx.x] = (unsigned)count * 4 + (some ? 2 : 0) + (every ? 1 : 0);
}

int main() {
    const int n = 512;
    std::vector<unsigned> keys(n), set(kWords), clear(kWords, ~0u), parity(kWords), hits(8);
    for (int i = 0; i < n; ++i) keys[i] = 5000 + i;
    for (unsigned key : keys)
        for (unsigned k = 0; k < kHashes; ++k) {
            unsigned bit = hash(key, k);
            set[bit / 32] |= 1u << bit % 32;
            clear[bit / 32] &= ~(1u << bit % 32);
            parity[bit / 32] ^= 1u << bit % 32;
        }
    for (unsigned b = 0; b < 8; ++b) { // four blocks of members, four of strangers
        unsigned count = 0;
        for (unsigned t = 0; t < 128; ++t) {
            unsigned key = 5000 + b * 128 + t, all = 1;
            for (unsigned k = 0; k < kHashes; ++k)
                all &= set[hash(key, k) / 32] >> hash(key, k) % 32;
            count += all & 1;
        }
        hits[b] = count * 4 + (count ? 2 : 0) + (count == 128);
    }
    Device<unsigned> dkeys(keys), dset(kWords), dclear(std::vector<unsigned>(kWords, ~0u)),
        dparity(kWords), dhits(8);
    add<<<4, 128>>>(dkeys, n, dset, dclear, dparity);
    test<<<8, 128>>>(5000, dset, dhits);
    finish();
    std::vector<unsigned> found = dhits.get();
    std::printf("members found %u, strangers found %u\n",
                found[0] / 4 + found[1] / 4 + found[2] / 4 + found[3] / 4,
                found[4] / 4 + found[5] / 4 + found[6] / 4 + found[7] / 4);
    long wrong = count_different(dset.get(), set) + count_different(dclear.get(), clear);
    wrong += count_different(dparity.get(), parity) + count_different(found, hits) +
             (found[0] != 128 * 4 + 3);
    print_digest("filter", dset.get());
    return verdict("bloom_filter", wrong);
}
