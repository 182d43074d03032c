// Quantised 3x3 convolution over four-channel pixels: dp4a on packed bytes, requantised with
// rounding and saturation, then pooled.
// features: dp4a, constant, to_symbol, launch_3d, restrict
#include "../common.h"

constexpr int kWidth = 34, kHeight = 26, kFilters = 6;
__constant__ int weights[kFilters][9];
__constant__ int bias[kFilters];

__host__ __device__ inline signed char requantise(int sum) {
    int v = (sum + 64) >> 7;
    return (signed char)(v < -128 ? -128 : v > 127 ? 127 : v);
}

__global__ void convolve(const int *__restrict__ pixels, signed char *__restrict__ out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        f = blockIdx.z;
    if (x >= kWidth - 2 || y >= kHeight - 2) return;
    int sum = bias[f];
    for (int k = 0; k < 9; ++k)
        sum = __dp4a(pixels[(y + k / 3) * kWidth + x + k % 3], weights[f][k], sum);
    out[(f * (kHeight - 2) + y) * (kWidth - 2) + x] = requantise(sum);
}

__global__ void pool(const signed char *in, signed char *out, int width, int height) {
    int x = threadIdx.x, y = blockIdx.x, f = blockIdx.y;
    const signed char *p = in + (f * height + 2 * y) * width + 2 * x;
    out[(f * (height / 2) + y) * (width / 2) + x] =
        (signed char)max(max(p[0], p[1]), max(p[width], p[width + 1]));
}

static int dot(int a, int b) {
    int sum = 0;
    for (int k = 0; k < 32; k += 8) sum += (signed char)(a >> k) * (signed char)(b >> k);
    return sum;
}

int main() {
    const int width = kWidth - 2, height = kHeight - 2;
    Random random(72);
    std::vector<int> pixels(kWidth * kHeight);
    int w[kFilters][9], b[kFilters];
    for (int &p : pixels) p = (int)random.next();
    for (int f = 0; f < kFilters; ++f) {
        b[f] = (int)random.below(1000) - 500;
        for (int &v : w[f]) v = (int)(random.next() & 0x1f1f1f1f) - 0x08080808;
    }
    CHECK(cudaMemcpyToSymbol(weights, w, sizeof w));
    CHECK(cudaMemcpyToSymbol(bias, b, sizeof b));
    std::vector<signed char> expected(kFilters * width * height), pooled(expected.size() / 4);
    for (int f = 0; f < kFilters; ++f)
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) {
                int sum = b[f];
                for (int k = 0; k < 9; ++k)
                    sum += dot(pixels[(y + k / 3) * kWidth + x + k % 3], w[f][k]);
                expected[(f * height + y) * width + x] = requantise(sum);
            }
    for (int f = 0; f < kFilters; ++f)
        for (int y = 0; y < height / 2; ++y)
            for (int x = 0; x < width / 2; ++x) {
                const signed char *p = &expected[(f * height + 2 * y) * width + 2 * x];
                pooled[(f * (height / 2) + y) * (width / 2) + x] =
                    std::max(std::max(p[0], p[1]), std::max(p[width], p[width + 1]));
            }
    Device<int> dpixels(pixels);
    Device<signed char> dout(expected.size()), dpooled(pooled.size());
    convolve<<<dim3(2, 6, kFilters), dim3(16, 4)>>>(dpixels, dout);
    pool<<<dim3(height / 2, kFilters), width / 2>>>(dout, dpooled, width, height);
    finish();
    print_digest("features", dout.get());
    print_digest("pooled", dpooled.get());
    return verdict("conv2d_int8",
                   count_different(dout.get(), expected) + count_different(dpooled.get(), pooled));
}
