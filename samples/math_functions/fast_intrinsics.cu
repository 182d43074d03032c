// The approximate intrinsics: __sinf, __cosf, __expf, __logf, __powf, __fdividef, __frsqrt_rn,
// __saturatef.
// features: fast_math, math_float
#include "../common.h"

constexpr int kFunctions = 9;
static const char *const kNames[kFunctions] = {"__sinf",     "__cosf",      "__expf",
                                               "__exp10f",   "__logf",      "__powf",
                                               "__fdividef", "__frsqrt_rn", "__saturatef"};

__global__ void evaluate(const float *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = x[i], p = fabsf(a) + 0.5f;
    float r[kFunctions] = {__sinf(a),        __cosf(a),      __expf(a),
                           __exp10f(a),      __logf(p),      __powf(p, 1.5f),
                           __fdividef(a, p), __frsqrt_rn(p), __saturatef(a)};
    for (int k = 0; k < kFunctions; ++k) out[k * n + i] = r[k];
}

int main() {
    const int n = 256;
    std::vector<float> x(n);
    for (int i = 0; i < n; ++i)
        x[i] = (float)(i - n / 2) / 41.0f; // within ±π, where the error is bounded
    Device<float> dx(x), dout(n * kFunctions);
    evaluate<<<2, 128>>>(dx, dout, n);
    finish();
    std::vector<float> out = dout.get();
    long wrong = 0;
    for (int k = 0; k < kFunctions; ++k) {
        double worst = 0;
        for (int i = 0; i < n; ++i) {
            double a = x[i], p = std::fabs(a) + 0.5;
            double r[kFunctions] = {std::sin(a),
                                    std::cos(a),
                                    std::exp(a),
                                    std::pow(10.0, a),
                                    std::log(p),
                                    std::pow(p, 1.5),
                                    a / p,
                                    1 / std::sqrt(p),
                                    std::min(std::max(a, 0.0), 1.0)};
            worst =
                std::max(worst, std::fabs(out[k * n + i] - r[k]) / std::max(1.0, std::fabs(r[k])));
        }
        std::printf("%s within 1e-5: %s\n", kNames[k], worst < 1e-5 ? "yes" : "no");
        wrong += !(worst < 1e-5);
    }
    return verdict("fast_intrinsics", wrong);
}
