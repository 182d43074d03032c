// Half-precision matrix product on tensor cores (wmma), with small integers so that every sum is
// exact.
// features: half, tensor_core, vector_load
#include "../common.h"
#include <mma.h>

namespace wmma = nvcuda::wmma;

__global__ void gemm(const __half *a, const __half *b, float *c, int n) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 1.0f);
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + row * n + k, n);
        wmma::load_matrix_sync(fb, b + column * n + k, n);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 0.5f;
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

int main() {
    const int n = 48;
    std::vector<__half> a(n * n), b(n * n);
    std::vector<float> expected(n * n);
    std::vector<int> ia(n * n), ib(n * n);
    Random random(18);
    for (int i = 0; i < n * n; ++i) {
        ia[i] = (int)random.below(17) - 8;
        ib[i] = (int)random.below(17) - 8;
        a[i] = __float2half((float)ia[i]);
        b[i] = __float2half((float)ib[i]);
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            int sum = 1;
            for (int k = 0; k < n; ++k) sum += ia[i * n + k] * ib[j * n + k];
            expected[i * n + j] = 0.5f * (float)sum;
        }
    Device<__half> da(a), db(b);
    Device<float> dc(n * n);
    gemm<<<dim3(n / 16, n / 16), 32>>>(da, db, dc, n);
    finish();
    std::printf("c[5][7]=%.1f\n", dc.get()[5 * n + 7]);
    print_digest("c", dc.get());
    return verdict("tensor_core_gemm", count_different(dc.get(), expected));
}
