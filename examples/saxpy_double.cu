// y = a * x + y in double, grid-stride loop.
#include "common.h"
#include <cmath>
#include <vector>

__global__ void saxpy(long n, double a, const double *x, double *y) {
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
        y[i] = fma(a, x[i], y[i]);
}

int main() {
    const long n = 5000;
    std::vector<double> x(n), y(n), expected(n);
    Random random(2);
    for (long i = 0; i < n; ++i) {
        x[i] = (double)random.unit() - 0.5;
        y[i] = (double)random.unit() * 1e3;
        expected[i] = std::fma(1.0 / 3.0, x[i], y[i]);
    }
    double *dx, *dy;
    CHECK(cudaMalloc(&dx, n * sizeof(double)));
    CHECK(cudaMalloc(&dy, n * sizeof(double)));
    CHECK(cudaMemcpy(dx, x.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dy, y.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    saxpy<<<7, 128>>>(n, 1.0 / 3.0, dx, dy);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(y.data(), dy, n * sizeof(double), cudaMemcpyDeviceToHost));
    long wrong = 0;
    for (long i = 0; i < n; ++i) wrong += y[i] != expected[i];
    std::printf("y[17]=%.17g digest=%016llx\n", y[17], (unsigned long long)digest(y.data(), n * sizeof(double)));
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dy));
    return verdict("saxpy_double", wrong);
}
