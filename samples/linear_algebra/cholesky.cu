// Cholesky factorisation of many small symmetric matrices, one block each, in dynamic shared
// memory.
// features: shared_dynamic, math_float, restrict
#include "../common.h"

__global__ void cholesky(const float *__restrict__ in, float *__restrict__ out, int n) {
    extern __shared__ float a[];
    int row = threadIdx.x;
    for (int j = 0; j < n; ++j) a[row * n + j] = in[(blockIdx.x * n + row) * n + j];
    __syncthreads();
    for (int k = 0; k < n; ++k) {
        if (row == k) a[k * n + k] = sqrtf(a[k * n + k]);
        __syncthreads();
        if (row > k) a[row * n + k] /= a[k * n + k];
        __syncthreads();
        if (row > k)
            for (int j = k + 1; j <= row; ++j) a[row * n + j] -= a[row * n + k] * a[j * n + k];
        __syncthreads();
    }
    for (int j = 0; j < n; ++j)
        out[(blockIdx.x * n + row) * n + j] = j <= row ? a[row * n + j] : 0.0f;
}

int main() {
    const int n = 20, count = 6;
    std::vector<float> lower(count * n * n), matrix(count * n * n);
    Random random(17);
    for (int m = 0; m < count; ++m) {
        float *l = &lower[m * n * n];
        for (int i = 0; i < n; ++i)
            for (int j = 0; j <= i; ++j)
                l[i * n + j] = i == j ? 4.0f + random.below(4) : (float)((int)random.below(5) - 2);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                for (int k = 0; k < n; ++k)
                    matrix[(m * n + i) * n + j] += l[i * n + k] * l[j * n + k];
    }
    Device<float> din(matrix), dout(matrix.size());
    cholesky<<<count, n, n * n * sizeof(float)>>>(din, dout, n);
    finish();
    std::vector<float> out = dout.get();
    long wrong = 0;
    for (size_t i = 0; i < out.size(); ++i) wrong += !close_to(out[i], lower[i], 1e-4);
    std::printf("diagonal of the first: %.2f %.2f %.2f\n", out[0], out[n + 1], out[2 * n + 2]);
    return verdict("cholesky", wrong);
}
