// Row softmax and layer normalisation, one warp a row, with fast exponentials; checked within
// tolerance.
// features: shuffle, fast_math, math_float, launch_bounds
#include "../common.h"

__device__ float sum_of(float v) {
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    return v;
}

__device__ float max_of(float v) {
    for (int d = 16; d; d /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
    return v;
}

__global__ void __launch_bounds__(128)
    normalise(const float *in, float *softmax, float *layer, int rows, int width) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float high = -INFINITY, total = 0, mean = 0, spread = 0;
    for (int k = lane; k < width; k += 32)
        high = fmaxf(high, in[row * width + k]), mean += in[row * width + k];
    high = max_of(high);
    mean = sum_of(mean) / width;
    for (int k = lane; k < width; k += 32) {
        float v = in[row * width + k];
        total += __expf(v - high);
        spread += (v - mean) * (v - mean);
    }
    total = sum_of(total);
    float scale = rsqrtf(sum_of(spread) / width + 1e-5f);
    for (int k = lane; k < width; k += 32) {
        softmax[row * width + k] = __fdividef(__expf(in[row * width + k] - high), total);
        layer[row * width + k] = (in[row * width + k] - mean) * scale;
    }
}

int main() {
    const int rows = 30, width = 77;
    Random random(71);
    std::vector<float> in(rows * width);
    for (float &v : in) v = 8.0f * (random.unit() - 0.5f);
    Device<float> din(in), dsoftmax(in.size()), dlayer(in.size());
    normalise<<<(rows + 3) / 4, 128>>>(din, dsoftmax, dlayer, rows, width);
    finish();
    std::vector<float> softmax = dsoftmax.get(), layer = dlayer.get();
    long wrong = 0;
    for (int r = 0; r < rows; ++r) {
        double total = 0, mean = 0, spread = 0;
        for (int k = 0; k < width; ++k)
            total += std::exp((double)in[r * width + k]), mean += in[r * width + k] / (double)width;
        for (int k = 0; k < width; ++k) spread += std::pow(in[r * width + k] - mean, 2) / width;
        for (int k = 0; k < width; ++k) {
            wrong += !close_to(softmax[r * width + k], std::exp((double)in[r * width + k]) / total,
                               1e-5);
            wrong += !close_to(layer[r * width + k],
                               (in[r * width + k] - mean) / std::sqrt(spread + 1e-5), 1e-4);
        }
    }
    std::printf("%d rows of %d\n", rows, width);
    return verdict("softmax_norm", wrong);
}
