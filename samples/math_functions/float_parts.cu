// Taking floats apart and classifying them: frexp, modf, nextafter, remainder, bit casts, NaN and
// infinity rules.
// features: float_bits
// not with: fast-math
#include "../common.h"

constexpr int kResults = 10;

__host__ __device__ inline uint32_t word(float v) {
    uint32_t w;
    memcpy(&w, &v, sizeof w);
    return v != v ? 0x7fc00000u : w; // one NaN for all
}

#ifdef __CUDA_ARCH__
#define BITS(v) __float_as_uint(v)
#else
#define BITS(v) word(v)
#endif

__host__ __device__ inline void parts(float a, float b, uint32_t *o) {
    int exponent = 0;
    float whole = 0;
    o[0] = word(frexpf(a, &exponent));
    o[1] = (uint32_t)exponent;
    o[2] = word(modff(a, &whole)) ^ word(whole);
    o[3] = word(nextafterf(a, b));
    o[4] = word(fmodf(a, b));
    o[5] = word(fminf(a, b)) + word(fmaxf(b, a));
    o[6] = word(copysignf(a, b)) + word(fdimf(a, b));
    o[7] = (isnan(a) ? 1u : 0u) | (isinf(a) ? 2u : 0u) | (signbit(a) ? 4u : 0u) |
           (isfinite(b) ? 8u : 0u);
    o[8] = (a < b ? 1u : 0u) | (a <= b ? 2u : 0u) | (a == b ? 4u : 0u) | (a != b ? 8u : 0u) |
           (!(a > b) ? 16u : 0u);
    o[9] = BITS(a) == word(a) || a != a;
}

__global__ void split(const float *a, const float *b, uint32_t *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) parts(a[i], b[i], out + i * kResults);
}

int main() {
    const float special[] = {0.0f,        1.0f,   -1.0f,       0.5f,      -2.75f, 1e-20f,
                             3e38f,       -1e20f, INFINITY,    -INFINITY, NAN,    1e-40f,
                             123456.789f, 1e-45f, 16777216.0f, 0.1f};
    std::vector<float> a, b;
    for (float p : special)
        for (float q : special)
            if (!(std::isinf(p) || std::isnan(p)) || q == 1.0f) a.push_back(p), b.push_back(q);
    const int n = (int)a.size();
    std::vector<uint32_t> expected(n * kResults);
    for (int i = 0; i < n; ++i) {
        parts(a[i], b[i], &expected[i * kResults]);
        if (!std::isfinite(a[i]))
            expected[i * kResults + 1] = 0; // the exponent of infinity is unspecified
    }
    Device<float> da(a), db(b);
    Device<uint32_t> dout(n * kResults);
    split<<<(n + 127) / 128, 128>>>(da, db, dout, n);
    finish();
    std::vector<uint32_t> out = dout.get();
    for (int i = 0; i < n; ++i)
        if (!std::isfinite(a[i])) out[i * kResults + 1] = 0;
    for (int k = 0; k < kResults; ++k) {
        long bad = 0;
        for (int i = 0; i < n; ++i) bad += out[i * kResults + k] != expected[i * kResults + k];
        std::printf("result %d %s\n", k, bad ? "differs" : "agrees");
    }
    return verdict("float_parts", count_different(out, expected));
}
