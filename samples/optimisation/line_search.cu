// Golden-section search over functions chosen by pointer and by lambda, and gradient descent with
// fast-math intrinsics.
// features: function_pointer, lambda, fast_math, double
#include "../common.h"

__device__ double quartic(double x) { return (x - 1.5) * (x - 1.5) * ((x + 2) * (x + 2) + 1); }
__device__ double wave(double x) { return (x - 0.5) * (x - 0.5) + 0.1 * x; }

template <typename F> __device__ double golden(F f, double low, double high) {
    const double ratio = 0.61803398874989484820;
    for (int k = 0; k < 60; ++k) {
        double a = high - ratio * (high - low), b = low + ratio * (high - low);
        if (f(a) < f(b)) high = b;
        else low = a;
    }
    return 0.5 * (low + high);
}

__global__ void minimise(double *out, int pick, double shift) {
    double (*function)(double) = pick ? wave : quartic;
    if (threadIdx.x % 2) function = pick ? quartic : wave; // differs between the threads of a warp
    out[threadIdx.x] = golden(function, 0.0, 3.0);
    out[32 + threadIdx.x] =
        golden([=](double x) { return (x - shift) * (x - shift) + 2; }, -10.0, 10.0 + threadIdx.x);
}

__global__ void descend(float *x, int n, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int k = 0; k < steps; ++k)
        v -= 0.2f * (__fdividef(v - 2.0f, 1.0f + __expf(-v)) + 0.1f * __sinf(v - 2.0f));
    x[i] = v;
}

int main() {
    Device<double> out(64);
    std::vector<float> start(100);
    for (int i = 0; i < 100; ++i) start[i] = 0.04f * (float)i;
    Device<float> x(start);
    long wrong = 0;
    for (int pick = 0; pick < 2; ++pick) {
        minimise<<<1, 32>>>(out, pick, 0.625);
        finish();
        std::vector<double> got = out.get();
        for (int t = 0; t < 32; ++t) {
            double expected = (t % 2 == 0) == (pick == 0) ? 1.5 : 0.45;
            wrong += !close_to(got[t], expected, 1e-6) || !close_to(got[32 + t], 0.625, 1e-6);
        }
        std::printf("minima at %.4f and %.4f\n", got[0], got[1]);
    }
    descend<<<1, 128>>>(x, 100, 200);
    finish();
    for (float v : x.get()) wrong += !close_to(v, 2.0, 1e-4);
    return verdict("line_search", wrong);
}
