// LU decomposition without pivoting of a diagonally dominant matrix in double precision, two
// kernels a step.
// features: double, several_kernels, launch_2d, math_double
#include "../common.h"

__global__ void scale_column(double *a, int n, int k) {
    int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i * n + k] /= a[k * n + k];
}

__global__ void update_rest(double *a, int n, int k) {
    int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x,
        i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) a[i * n + j] = fma(-a[i * n + k], a[k * n + j], a[i * n + j]);
}

int main() {
    const int n = 40;
    std::vector<double> matrix(n * n), expected;
    Random random(16);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) matrix[i * n + j] = random.unit() - 0.5 + (i == j ? n : 0);
    expected = matrix;
    for (int k = 0; k < n; ++k)
        for (int i = k + 1; i < n; ++i) {
            expected[i * n + k] /= expected[k * n + k];
            for (int j = k + 1; j < n; ++j)
                expected[i * n + j] =
                    std::fma(-expected[i * n + k], expected[k * n + j], expected[i * n + j]);
        }
    Device<double> da(matrix);
    for (int k = 0; k + 1 < n; ++k) {
        int rest = n - k - 1;
        scale_column<<<1, 64>>>(da, n, k);
        update_rest<<<dim3((rest + 15) / 16, (rest + 7) / 8), dim3(16, 8)>>>(da, n, k);
    }
    finish();
    std::vector<double> lu = da.get();
    double worst = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k <= std::min(i, j); ++k)
                sum += (k == i ? 1.0 : lu[i * n + k]) * lu[k * n + j];
            worst = std::max(worst, std::fabs(sum - matrix[i * n + j]));
        }
    // Every operation is IEEE division or fma, so the factors are the same everywhere.
    std::printf("u[39][39]=%.6f, L*U agrees with A: %s\n", lu[n * n - 1],
                worst < 1e-12 ? "yes" : "no");
    print_digest("factors", lu);
    return verdict("lu_decomposition", count_different(lu, expected) + !(worst < 1e-12));
}
