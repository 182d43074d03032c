// Error function, gamma, Bessel and their relatives, in single and double precision, against the
// host.
// features: special_functions, math_float, math_double, double
// not with: fast-math
#include "../common.h"

constexpr int kFunctions = 9;
static const char *const kNames[kFunctions] = {"erf", "erfc",  "tgamma", "lgamma", "j0",
                                               "y1",  "expm1", "log1p",  "normcdf"};

__global__ void single(const float *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = x[i];
    float r[kFunctions] = {erff(a), erfcf(a),  tgammaf(a), lgammaf(a), j0f(a),
                           y1f(a),  expm1f(a), log1pf(a),  normcdff(a)};
    for (int k = 0; k < kFunctions; ++k) out[k * n + i] = r[k];
}

__global__ void twice(const float *x, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double a = x[i];
    double r[kFunctions] = {erf(a), erfc(a),  tgamma(a), lgamma(a), j0(a),
                            y1(a),  expm1(a), log1p(a),  normcdf(a)};
    for (int k = 0; k < kFunctions; ++k) out[k * n + i] = r[k];
}

int main() {
    const int n = 128;
    std::vector<float> x(n);
    for (int i = 0; i < n; ++i) x[i] = 0.0625f * (float)(i + 1); // up to 8
    Device<float> dx(x), dsingle(n * kFunctions);
    Device<double> dtwice(n * kFunctions);
    single<<<1, 128>>>(dx, dsingle, n);
    twice<<<1, 128>>>(dx, dtwice, n);
    finish();
    std::vector<float> one = dsingle.get();
    std::vector<double> two = dtwice.get();
    long wrong = 0;
    for (int k = 0; k < kFunctions; ++k) {
        long bad_single = 0, bad_double = 0;
        for (int i = 0; i < n; ++i) {
            double a = x[i];
            double r[kFunctions] = {
                std::erf(a),    std::erfc(a),  std::tgamma(a),
                std::lgamma(a), ::j0(a),       ::y1(a),
                std::expm1(a),  std::log1p(a), 0.5 * std::erfc(-a / std::sqrt(2.0))};
            bad_single += !close_to(one[k * n + i], r[k], 2e-5);
            bad_double += !close_to(two[k * n + i], r[k], 1e-11);
        }
        std::printf("%s: single %s, double %s\n", kNames[k], bad_single ? "differs" : "agrees",
                    bad_double ? "differs" : "agrees");
        wrong += bad_single + bad_double;
    }
    return verdict("special", wrong);
}
