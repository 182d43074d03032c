// Rounding: directed-rounding intrinsics, conversions to integers, and the functions that round;
// every result is exact.
// features: rounding, int64, double
#include "../common.h"
#include <cfenv>

constexpr int kFloats = 8, kIntegers = 8;

__global__ void rounded(const float *x, const float *y, float *f, long long *whole, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = x[i], b = y[i];
    float r[kFloats] = {__fadd_rd(a, b),    __fadd_ru(a, b),
                        __fmul_rz(a, b),    __fmul_rn(a, b),
                        __fdiv_rn(a, b),    __fsqrt_rn(fabsf(a)),
                        __fmaf_rn(a, b, a), __double2float_rz((double)a * b)};
    for (int k = 0; k < kFloats; ++k) f[k * n + i] = r[k];
    long long w[kIntegers] = {__float2int_rn(a),    __float2int_rz(a),
                              __float2int_ru(a),    __float2int_rd(a),
                              __float2ll_rn(a * b), (long long)rintf(b),
                              llroundf(b),          (long long)truncf(a) + lrint((double)b)};
    for (int k = 0; k < kIntegers; ++k) whole[k * n + i] = w[k];
}

template <typename F> static float with_mode(int mode, F compute) {
    std::fesetround(mode);
    volatile float r = compute();
    std::fesetround(FE_TONEAREST);
    return r;
}

int main() {
    const int n = 300;
    std::vector<float> x(n), y(n), f(n * kFloats);
    std::vector<long long> whole(n * kIntegers);
    Random random(21);
    for (int i = 0; i < n; ++i) {
        volatile float a = x[i] =
            i < 20 ? (float)(i - 10) * 0.5f : 2000.0f * (random.unit() - 0.5f);
        volatile float b = y[i] = (i % 2 ? 1.0f : -1.0f) * (0.25f + 30.0f * random.unit());
        f[i] = with_mode(FE_DOWNWARD, [&] { return a + b; });
        f[n + i] = with_mode(FE_UPWARD, [&] { return a + b; });
        f[2 * n + i] = with_mode(FE_TOWARDZERO, [&] { return a * b; });
        f[3 * n + i] = a * b;
        f[4 * n + i] = a / b;
        f[5 * n + i] = std::sqrt(std::fabs(a));
        f[6 * n + i] = std::fma((float)a, (float)b, (float)a);
        f[7 * n + i] = with_mode(FE_TOWARDZERO, [&] { return (float)((double)a * (double)b); });
        long long w[kIntegers] = {(int)std::nearbyint(a),
                                  (int)std::trunc(a),
                                  (int)std::ceil(a),
                                  (int)std::floor(a),
                                  (long long)std::nearbyint(f[3 * n + i]),
                                  (long long)std::rint(b),
                                  std::llround(b),
                                  (long long)std::trunc(a) + std::lrint((double)b)};
        for (int k = 0; k < kIntegers; ++k) whole[k * n + i] = w[k];
    }
    Device<float> dx(x), dy(y), df(f.size());
    Device<long long> dw(whole.size());
    rounded<<<3, 128>>>(dx, dy, df, dw, n);
    finish();
    std::vector<float> got = df.get();
    std::vector<long long> integers = dw.get();
    long wrong = 0;
    for (int k = 0; k < kFloats; ++k) {
        long bad = 0;
        for (int i = 0; i < n; ++i)
            bad += got[k * n + i] != f[k * n + i] || integers[k * n + i] != whole[k * n + i];
        std::printf("row %d %s\n", k, bad ? "differs" : "agrees");
        wrong += bad;
    }
    print_digest("floats", got);
    print_digest("integers", integers);
    return verdict("rounding", wrong);
}
