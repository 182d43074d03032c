// Local alignment with affine gaps, one thread a pair, rows in local arrays; the best score of all
// by atomicMax on packed words.
// features: local_array, atomic_min_max, atomic_ull, constant, to_symbol
#include "../common.h"

constexpr int kLength = 28;
__constant__ signed char scores[4][4];

// The device reads the constant table, the host its own.
struct Score {
    const signed char (*host)[4];
    __host__ __device__ int operator()(int x, int y) const {
#ifdef __CUDA_ARCH__
        return scores[x][y];
#else
        return host[x][y];
#endif
    }
};

__host__ __device__ inline int align(const unsigned char *a, const unsigned char *b, Score score) {
    int best = 0, row[kLength + 1], gap[kLength + 1];
    for (int j = 0; j <= kLength; ++j) row[j] = 0, gap[j] = -1000;
    for (int i = 0; i < kLength; ++i) {
        int corner = 0, across = -1000;
        for (int j = 1; j <= kLength; ++j) {
            gap[j] = gap[j] - 1 > row[j] - 4 ? gap[j] - 1 : row[j] - 4;
            across = across - 1 > row[j - 1] - 4 ? across - 1 : row[j - 1] - 4;
            int h = corner + score(a[i], b[j - 1]);
            corner = row[j];
            h = h > gap[j] ? h : gap[j];
            h = h > across ? h : across;
            row[j] = h > 0 ? h : 0;
            best = best > row[j] ? best : row[j];
        }
    }
    return best;
}

__global__ void align_all(const unsigned char *a, const unsigned char *b, int *out,
                          unsigned long long *top, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = align(a + i * kLength, b + i * kLength, Score{nullptr});
    atomicMax(top, (unsigned long long)out[i] << 32 | (unsigned)i);
}

int main() {
    const int n = 64;
    signed char table[4][4];
    for (int x = 0; x < 4; ++x)
        for (int y = 0; y < 4; ++y)
            table[x][y] = (signed char)(x == y ? 3 : (x ^ y) == 2 ? -1 : -2);
    CHECK(cudaMemcpyToSymbol(scores, table, sizeof table));
    Random random(91);
    std::vector<unsigned char> a(n * kLength), b(n * kLength);
    for (int i = 0; i < n * kLength; ++i) {
        a[i] = (unsigned char)random.below(4);
        b[i] = random.below(4) ? a[i] : (unsigned char)random.below(4);
    }
    std::vector<int> expected(n);
    unsigned long long best = 0;
    for (int i = 0; i < n; ++i) {
        expected[i] = align(&a[i * kLength], &b[i * kLength], Score{table});
        best = std::max(best, (unsigned long long)expected[i] << 32 | (unsigned)i);
    }
    Device<unsigned char> da(a), db(b);
    Device<int> out(n);
    Device<unsigned long long> top(1);
    align_all<<<2, 32>>>(da, db, out, top, n);
    finish();
    std::printf("best %llu at %llu\n", top.get()[0] >> 32, top.get()[0] & 0xffffffff);
    print_digest("scores", out.get());
    return verdict("smith_waterman", count_different(out.get(), expected) + (top.get()[0] != best));
}
