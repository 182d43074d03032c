// Integral image by row and column scans, box sums from it, and histogram equalisation of the
// result.
// features: shuffle, shared_static, atomic_uint, several_kernels, division
#include "../common.h"

constexpr int kWidth = 96, kHeight = 64, kReach = 4;

__global__ void scan_rows(const unsigned char *in, unsigned *sums) {
    int y = blockIdx.x, lane = threadIdx.x;
    unsigned carry = 0;
    for (int base = 0; base < kWidth; base += 32) {
        unsigned sum = in[y * kWidth + base + lane];
        for (int d = 1; d < 32; d *= 2) {
            unsigned below = __shfl_up_sync(~0u, sum, d);
            sum += lane >= d ? below : 0;
        }
        sums[y * kWidth + base + lane] = sum + carry;
        carry += __shfl_sync(~0u, sum, 31);
    }
}

__global__ void scan_columns(unsigned *sums) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = 1; y < kHeight; ++y) sums[y * kWidth + x] += sums[(y - 1) * kWidth + x];
}

__host__ __device__ inline unsigned char box(const unsigned *sums, int x, int y) {
    int left = x > kReach ? x - kReach : 0, right = x + kReach < kWidth ? x + kReach : kWidth - 1;
    int top = y > kReach ? y - kReach : 0, bottom = y + kReach < kHeight ? y + kReach : kHeight - 1;
    unsigned sum = sums[bottom * kWidth + right];
    if (left) sum -= sums[bottom * kWidth + left - 1];
    if (top) sum -= sums[(top - 1) * kWidth + right];
    if (left && top) sum += sums[(top - 1) * kWidth + left - 1];
    return (unsigned char)(sum / (unsigned)((right - left + 1) * (bottom - top + 1)));
}

__global__ void smooth(const unsigned *sums, unsigned char *out, unsigned *histogram) {
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = box(sums, i % kWidth, i / kWidth);
    atomicAdd(&local[out[i]], 1u);
    __syncthreads();
    if (local[threadIdx.x]) atomicAdd(&histogram[threadIdx.x], local[threadIdx.x]);
}

__global__ void equalise(unsigned char *image, const unsigned *cumulative) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    image[i] = (unsigned char)(cumulative[image[i]] * 255u / (kWidth * kHeight));
}

int main() {
    std::vector<unsigned char> in(kWidth * kHeight), expected(in.size());
    std::vector<unsigned> sums(in.size()), cumulative(256);
    Random random(60);
    for (int i = 0; i < kWidth * kHeight; ++i)
        in[i] = (unsigned char)(60 + i % kWidth / 2 + random.below(60));
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0, row = 0; x < kWidth; ++x) {
            row += in[y * kWidth + x];
            sums[y * kWidth + x] = row + (y ? sums[(y - 1) * kWidth + x] : 0);
        }
    for (int i = 0; i < kWidth * kHeight; ++i)
        expected[i] = box(sums.data(), i % kWidth, i / kWidth), ++cumulative[expected[i]];
    for (int k = 1; k < 256; ++k) cumulative[k] += cumulative[k - 1];
    for (unsigned char &v : expected)
        v = (unsigned char)(cumulative[v] * 255u / (kWidth * kHeight));
    Device<unsigned char> din(in), dout(in.size());
    Device<unsigned> dsums(in.size()), histogram(256);
    scan_rows<<<kHeight, 32>>>(din, dsums);
    scan_columns<<<3, 32>>>(dsums);
    smooth<<<kWidth * kHeight / 256, 256>>>(dsums, dout, histogram);
    finish();
    std::vector<unsigned> counts = histogram.get();
    for (int k = 1; k < 256; ++k) counts[k] += counts[k - 1];
    histogram.set(counts);
    equalise<<<kWidth * kHeight / 256, 256>>>(dout, histogram);
    finish();
    print_digest("sums", dsums.get());
    print_digest("image", dout.get());
    return verdict("integral_image",
                   count_different(dsums.get(), sums) + count_different(dout.get(), expected));
}
