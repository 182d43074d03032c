// Counting k-mers of a sequence: rolling 2-bit codes, equal keys of a warp found by
// __match_any_sync and added at once.
// features: match, bit_intrinsics, atomic_uint, restrict
#include "../common.h"

constexpr int kSize = 5, kCodes = 1 << 2 * kSize;

__global__ void count(const char *__restrict__ bases, int n, unsigned *__restrict__ counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned code = ~0u;
    if (i + kSize <= n) {
        code = 0;
        for (int k = 0; k < kSize; ++k) code = code << 2 | (bases[i + k] >> 1 & 3);
    }
    unsigned peers = __match_any_sync(~0u, code);
    if (code != ~0u && __ffs((int)peers) - 1 == (int)(threadIdx.x % 32))
        atomicAdd(&counts[code], (unsigned)__popc(peers));
    int same = 0;
    unsigned all = __match_all_sync(~0u, code >> 8, &same);
    if (same && threadIdx.x % 32 == 0) atomicAdd(&counts[kCodes], (unsigned)__popc(all));
}

int main() {
    const int n = 5000;
    Random random(92);
    std::vector<char> bases(n);
    for (int i = 0; i < n; ++i)
        bases[i] = i % 1000 < 200 ? 'A' : "ACGT"[random.below(random.below(3) ? 4 : 2)];
    std::vector<unsigned> expected(kCodes + 1), codes(5120, ~0u);
    for (int i = 0; i + kSize <= n; ++i) {
        unsigned code = 0;
        for (int k = 0; k < kSize; ++k) code = code << 2 | (bases[i + k] >> 1 & 3);
        ++expected[code];
        codes[i] = code;
    }
    for (int w = 0; w < 5120; w += 32) {
        bool same = true;
        for (int i = w; i < w + 32; ++i) same &= codes[i] >> 8 == codes[w] >> 8;
        expected[kCodes] += same ? 32 : 0;
    }
    Device<char> dbases(bases);
    Device<unsigned> counts(kCodes + 1);
    count<<<40, 128>>>(dbases, n, counts);
    finish();
    std::vector<unsigned> got = counts.get();
    std::printf("AAAAA: %u, uniform warps: %u\n", got[0], got[kCodes] / 32);
    print_digest("counts", got);
    return verdict("kmer_count", count_different(got, expected));
}
