// Gaussian blur in two passes with weights in constant memory and row tiles with halos in shared
// memory; integer weights.
// features: constant, to_symbol, shared_static, launch_2d
#include "../common.h"

constexpr int kRadius = 3, kBlock = 64;
__constant__ int weights[2 * kRadius + 1];

__global__ void rows(const unsigned char *in, unsigned char *out, int width) {
    __shared__ int line[kBlock + 2 * kRadius];
    int y = blockIdx.y, base = blockIdx.x * kBlock - kRadius;
    for (int t = threadIdx.x; t < kBlock + 2 * kRadius; t += kBlock)
        line[t] = in[y * width + min(max(base + t, 0), width - 1)];
    __syncthreads();
    int x = blockIdx.x * kBlock + threadIdx.x, sum = 32;
    for (int k = 0; k <= 2 * kRadius; ++k) sum += weights[k] * line[threadIdx.x + k];
    if (x < width) out[y * width + x] = (unsigned char)(sum / 64);
}

__global__ void columns(const unsigned char *in, unsigned char *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int sum = 32;
    for (int k = -kRadius; k <= kRadius; ++k)
        sum += weights[k + kRadius] * in[min(max(y + k, 0), height - 1) * width + x];
    out[y * width + x] = (unsigned char)(sum / 64);
}

int main() {
    const int width = 150, height = 60, w[2 * kRadius + 1] = {1, 6, 15, 20, 15, 6, 1};
    CHECK(cudaMemcpyToSymbol(weights, w, sizeof w));
    std::vector<unsigned char> in(width * height), middle(in.size()), expected(in.size());
    Random random(59);
    for (unsigned char &v : in) v = (unsigned char)random.below(256);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            int sum = 32;
            for (int k = -kRadius; k <= kRadius; ++k)
                sum += w[k + kRadius] * in[y * width + std::min(std::max(x + k, 0), width - 1)];
            middle[y * width + x] = (unsigned char)(sum / 64);
        }
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            int sum = 32;
            for (int k = -kRadius; k <= kRadius; ++k)
                sum +=
                    w[k + kRadius] * middle[std::min(std::max(y + k, 0), height - 1) * width + x];
            expected[y * width + x] = (unsigned char)(sum / 64);
        }
    Device<unsigned char> din(in), dmiddle(in.size()), dout(in.size());
    rows<<<dim3((width + kBlock - 1) / kBlock, height), kBlock>>>(din, dmiddle, width);
    columns<<<dim3(10, 8), dim3(16, 8)>>>(dmiddle, dout, width, height);
    finish();
    print_digest("blurred", dout.get());
    return verdict("separable_blur",
                   count_different(dmiddle.get(), middle) + count_different(dout.get(), expected));
}
