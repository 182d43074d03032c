// Powers of a matrix modulo a prime by repeated squaring, 64-bit products, results kept on the
// device between launches.
// features: int64, division, shared_static
#include "../common.h"

constexpr int kSize = 16;
constexpr unsigned kPrime = 998244353u;
using Matrix = std::vector<unsigned>;

__global__ void multiply(const unsigned *a, const unsigned *b, unsigned *c) {
    __shared__ unsigned sa[kSize][kSize], sb[kSize][kSize];
    int i = threadIdx.y, j = threadIdx.x;
    sa[i][j] = a[i * kSize + j];
    sb[i][j] = b[i * kSize + j];
    __syncthreads();
    unsigned long long sum = 0;
    for (int k = 0; k < kSize; ++k) sum = (sum + (unsigned long long)sa[i][k] * sb[k][j]) % kPrime;
    c[i * kSize + j] = (unsigned)sum;
}

static Matrix product(const Matrix &a, const Matrix &b) {
    Matrix c(kSize * kSize);
    for (int i = 0; i < kSize; ++i)
        for (int j = 0; j < kSize; ++j) {
            unsigned long long sum = 0;
            for (int k = 0; k < kSize; ++k)
                sum = (sum + (unsigned long long)a[i * kSize + k] * b[k * kSize + j]) % kPrime;
            c[i * kSize + j] = (unsigned)sum;
        }
    return c;
}

int main() {
    Matrix base(kSize * kSize), one(kSize * kSize);
    Random random(19);
    for (unsigned &v : base) v = random.below(kPrime);
    for (int i = 0; i < kSize; ++i) one[i * kSize + i] = 1;
    Device<unsigned> power(base), result(one), other(base.size());
    unsigned *p = power, *r = result, *spare = other;
    Matrix expected_power = base, expected = one;
    for (unsigned exponent = 1000003; exponent; exponent >>= 1) {
        if (exponent & 1) {
            multiply<<<1, dim3(kSize, kSize)>>>(r, p, spare);
            std::swap(r, spare);
            expected = product(expected, expected_power);
        }
        multiply<<<1, dim3(kSize, kSize)>>>(p, p, spare);
        std::swap(p, spare);
        expected_power = product(expected_power, expected_power);
    }
    finish();
    Matrix got(base.size());
    CHECK(cudaMemcpy(got.data(), r, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    std::printf("A^1000003[0][0]=%u\n", got[0]);
    print_digest("power", got);
    return verdict("matrix_power", count_different(got, expected));
}
