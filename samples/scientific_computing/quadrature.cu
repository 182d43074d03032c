// Simpson's rule over lambdas and functors, block sums by atomicAdd of doubles; compared with
// closed forms.
// features: lambda, template, atomic_double, special_functions, double
#include "../common.h"

template <typename F>
__device__ void integrate(F f, double from, double to, int intervals, double *result) {
    double h = (to - from) / intervals, sum = 0;
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k <= intervals;
         k += gridDim.x * blockDim.x) {
        double weight = k == 0 || k == intervals ? 1 : k % 2 ? 4 : 2;
        sum += weight * f(from + k * h);
    }
    atomicAdd(result, sum * h / 3);
}

struct Power {
    double exponent;
    __device__ double operator()(double x) const { return pow(x, exponent); }
};

__global__ void all(double *results, double shift, double exponent) {
    integrate([](double x) { return sin(x); }, 0.0, 3.14159265358979323846, 600, &results[0]);
    integrate([=](double x) { return exp(-(x - shift) * (x - shift)); }, -8.0, 8.0, 600,
              &results[1]);
    integrate(Power{exponent}, 0.0, 2.0, 600, &results[2]);
    integrate([&](double x) { return erf(x) * shift; }, 0.0, 1.0, 600, &results[3]);
    integrate([](double x) { return tgamma(x) * j0(x); }, 1.0, 3.0, 600, &results[4]);
}

static double simpson(double (*f)(double), double from, double to, int intervals) {
    double h = (to - from) / intervals, sum = 0;
    for (int k = 0; k <= intervals; ++k)
        sum += (k == 0 || k == intervals ? 1 : k % 2 ? 4 : 2) * f(from + k * h);
    return sum * h / 3;
}

int main() {
    const double pi = 3.14159265358979323846, shift = 0.75;
    Device<double> results(5);
    all<<<3, 64>>>(results, shift, 3.5);
    finish();
    std::vector<double> got = results.get();
    const double expected[5] = {
        2.0, std::sqrt(pi), std::pow(2.0, 4.5) / 4.5,
        shift * (std::erf(1.0) - (1 - std::exp(-1.0)) / std::sqrt(pi)),
        simpson([](double x) { return std::tgamma(x) * ::j0(x); }, 1.0, 3.0, 600)};
    long wrong = 0;
    for (int k = 0; k < 5; ++k) {
        std::printf("integral %d: %.6f\n", k, got[k]);
        wrong += !close_to(got[k], expected[k], 1e-9);
    }
    return verdict("quadrature", wrong);
}
