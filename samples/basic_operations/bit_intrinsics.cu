// Population count, leading zeros, reversal, first set bit, byte permutation and funnel shifts.
// features: bit_intrinsics, byte_perm, funnel_shift, int64
#include "../common.h"

constexpr int kResults = 12;

__global__ void bits(const uint32_t *a, const uint32_t *b, uint32_t *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t x = a[i], y = b[i], *o = out + i * kResults;
    unsigned long long wide = ((unsigned long long)x << 32) | y;
    o[0] = __popc(x);
    o[1] = __clz(x);
    o[2] = __brev(x);
    o[3] = __ffs(x);
    o[4] = __byte_perm(x, y, y >> 7);
    o[5] = __funnelshift_l(x, y, y);
    o[6] = __funnelshift_rc(x, y, y & 63);
    o[7] = __popcll(wide);
    o[8] = __clzll(wide >> (x & 31));
    o[9] = __ffsll(wide << (x & 31));
    o[10] = (uint32_t)(__brevll(wide) >> 16);
    o[11] = __vabsdiffu4(x, y) + __vadd4(x, y) + __vcmpgtu2(x, y);
}

static uint32_t permute(uint32_t x, uint32_t y, uint32_t selector) {
    uint64_t bytes = ((uint64_t)y << 32) | x;
    uint32_t r = 0;
    for (int k = 0; k < 4; ++k) {
        uint32_t chosen = selector >> (4 * k) & 7;
        r |= (uint32_t)(bytes >> (8 * chosen) & 255) << (8 * k);
    }
    return r;
}

static uint64_t reverse(uint64_t v, int width) {
    uint64_t r = 0;
    for (int k = 0; k < width; ++k) r |= (v >> k & 1) << (width - 1 - k);
    return r;
}

static uint32_t simd(uint32_t x, uint32_t y) {
    uint32_t difference = 0, sum = 0, greater = 0;
    for (int k = 0; k < 32; k += 8) {
        int p = x >> k & 255, q = y >> k & 255;
        difference |= (uint32_t)std::abs(p - q) << k;
        sum |= (uint32_t)((p + q) & 255) << k;
    }
    for (int k = 0; k < 32; k += 16)
        greater |= (x >> k & 0xffff) > (y >> k & 0xffff) ? 0xffffu << k : 0;
    return difference + sum + greater;
}

int main() {
    const int n = 500;
    std::vector<uint32_t> a(n), b(n), expected(n * kResults);
    Random random(13);
    for (int i = 0; i < n; ++i) {
        uint32_t x = a[i] = i == 0 ? 0 : (uint32_t)random.next() >> random.below(32),
                 *o = &expected[i * kResults];
        uint32_t y = b[i] = (uint32_t)random.next();
        uint64_t wide = ((uint64_t)x << 32) | y, right = wide >> (x & 31), left = wide << (x & 31);
        uint64_t joined = ((uint64_t)y << 32) | x;
        o[0] = __builtin_popcount(x);
        o[1] = x ? __builtin_clz(x) : 32;
        o[2] = (uint32_t)reverse(x, 32);
        o[3] = __builtin_ffs((int)x);
        o[4] = permute(x, y, y >> 7);
        o[5] = (uint32_t)((joined << (y & 31)) >> 32);
        o[6] = (uint32_t)(joined >> std::min(y & 63, 32u));
        o[7] = __builtin_popcountll(wide);
        o[8] = right ? __builtin_clzll(right) : 64;
        o[9] = __builtin_ffsll((long long)left);
        o[10] = (uint32_t)(reverse(wide, 64) >> 16);
        o[11] = simd(x, y);
    }
    Device<uint32_t> da(a), db(b), dout(n * kResults);
    bits<<<4, 128>>>(da, db, dout, n);
    finish();
    std::vector<uint32_t> out = dout.get();
    for (int k = 0; k < kResults; ++k) {
        long wrong = 0;
        for (int i = 0; i < n; ++i) wrong += out[i * kResults + k] != expected[i * kResults + k];
        if (wrong) std::printf("result %d: %ld wrong\n", k, wrong);
    }
    print_digest("bits", out);
    return verdict("bit_intrinsics", count_different(out, expected));
}
