// Elementary functions in double precision against the host, to a few units in the last place.
// features: math_double, double
#include "../common.h"

constexpr int kFunctions = 12;
static const char *const kNames[kFunctions] = {"sin",  "cos",  "exp",   "log",   "pow",  "cbrt",
                                               "atan", "sinh", "acosh", "rsqrt", "fmod", "ldexp"};

__global__ void evaluate(const double *x, const double *y, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double a = x[i], b = y[i];
    double r[kFunctions] = {sin(a),         cos(a),   exp(b),       log(a),
                            pow(a, b),      cbrt(a),  atan(b),      sinh(b),
                            acosh(1.0 + a), rsqrt(a), fmod(a, 0.7), ldexp(a, i % 60 - 30)};
    for (int k = 0; k < kFunctions; ++k) out[k * n + i] = r[k];
}

int main() {
    const int n = 250;
    std::vector<double> x(n), y(n);
    Random random(22);
    for (int i = 0; i < n; ++i)
        x[i] = 0.01 + 100.0 * random.unit(), y[i] = 10.0 * (random.unit() - 0.5);
    Device<double> dx(x), dy(y), dout(n * kFunctions);
    evaluate<<<2, 128>>>(dx, dy, dout, n);
    finish();
    std::vector<double> out = dout.get();
    long wrong = 0;
    for (int k = 0; k < kFunctions; ++k) {
        long bad = 0;
        for (int i = 0; i < n; ++i) {
            double a = x[i], b = y[i];
            double r[kFunctions] = {
                std::sin(a),        std::cos(a),       std::exp(b),
                std::log(a),        std::pow(a, b),    std::cbrt(a),
                std::atan(b),       std::sinh(b),      std::acosh(1.0 + a),
                1.0 / std::sqrt(a), std::fmod(a, 0.7), std::ldexp(a, i % 60 - 30)};
            bad += !close_to(out[k * n + i], r[k], 5e-15);
        }
        std::printf("%s %s\n", kNames[k], bad ? "differs" : "agrees");
        wrong += bad;
    }
    return verdict("double_precision", wrong);
}
