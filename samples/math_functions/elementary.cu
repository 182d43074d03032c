// sin, cos, tan, exp, log, pow, roots and inverse functions in single precision, against the host's
// double precision.
// features: math_float
// not with: fast-math
#include "../common.h"

constexpr int kFunctions = 16;
static const char *const kNames[kFunctions] = {"sin",   "cos",   "tan",  "exp",  "exp2",  "log",
                                               "log2",  "log10", "pow",  "sqrt", "rsqrt", "cbrt",
                                               "atan2", "asin",  "tanh", "hypot"};

__global__ void evaluate(const float *x, const float *y, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = x[i], b = y[i], p = fabsf(a) + 0.01f;
    float r[kFunctions] = {sinf(a),      cosf(a),         tanf(a),   expf(a),
                           exp2f(b),     logf(p),         log2f(p),  log10f(p),
                           powf(p, b),   sqrtf(p),        rsqrtf(p), cbrtf(a),
                           atan2f(a, b), asinf(b / 8.0f), tanhf(a),  hypotf(a, b)};
    for (int k = 0; k < kFunctions; ++k) out[k * n + i] = r[k];
}

int main() {
    const int n = 400;
    std::vector<float> x(n), y(n);
    Random random(20);
    for (int i = 0; i < n; ++i)
        x[i] = 40.0f * (random.unit() - 0.5f), y[i] = 16.0f * (random.unit() - 0.5f);
    x[0] = 0.0f, y[0] = 1.0f, x[1] = 1e5f,
    x[2] = -70.0f; // the slow reduction of sin; a large exponent
    Device<float> dx(x), dy(y), dout(n * kFunctions);
    evaluate<<<4, 128>>>(dx, dy, dout, n);
    finish();
    std::vector<float> out = dout.get();
    long wrong = 0;
    for (int k = 0; k < kFunctions; ++k) {
        long bad = 0;
        for (int i = 0; i < n; ++i) {
            double a = x[i], b = y[i], p = std::fabs(x[i]) + 0.01f;
            double r[kFunctions] = {
                std::sin(a),      std::cos(a),        std::tan(a),        std::exp(a),
                std::exp2(b),     std::log(p),        std::log2(p),       std::log10(p),
                std::pow(p, b),   std::sqrt(p),       1.0 / std::sqrt(p), std::cbrt(a),
                std::atan2(a, b), std::asin(b / 8.0), std::tanh(a),       std::hypot(a, b)};
            if (k == 3 && r[k] > 3.4e38) r[k] = INFINITY;
            bad += !close_to(out[k * n + i], r[k], 4e-6);
        }
        std::printf("%s %s\n", kNames[k], bad ? "differs" : "agrees");
        wrong += bad;
    }
    return verdict("elementary", wrong);
}
