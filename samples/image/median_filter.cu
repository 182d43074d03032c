// 3x3 median by a sorting network on a local array, and binary erosion on packed bits with funnel
// shifts.
// features: local_array, funnel_shift, bit_intrinsics, launch_2d
#include "../common.h"

constexpr int kWidth = 96, kHeight = 50, kWords = kWidth / 32;

__host__ __device__ inline void order(unsigned char &a, unsigned char &b) {
    unsigned char low = a < b ? a : b;
    b = a < b ? b : a;
    a = low;
}

__host__ __device__ inline unsigned char median(const unsigned char *image, int x, int y) {
    unsigned char v[9];
    for (int k = 0; k < 9; ++k) {
        int px = x + k % 3 - 1, py = y + k / 3 - 1;
        px = px < 0 ? 0 : px >= kWidth ? kWidth - 1 : px;
        py = py < 0 ? 0 : py >= kHeight ? kHeight - 1 : py;
        v[k] = image[py * kWidth + px];
    }
    for (int end = 8; end > 3; --end)
        for (int k = 0; k < end; ++k) order(v[k], v[k + 1]);
    return v[4];
}

__global__ void filter(const unsigned char *in, unsigned char *out, unsigned *bits) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    out[y * kWidth + x] = median(in, x, y);
    unsigned word = __ballot_sync(~0u, out[y * kWidth + x] > 110);
    if (threadIdx.x == 0) bits[y * kWords + blockIdx.x] = word;
}

__global__ void erode(const unsigned *bits, unsigned *out, unsigned *count) {
    int w = threadIdx.x, y = blockIdx.x;
    unsigned self = bits[y * kWords + w], before = w ? bits[y * kWords + w - 1] : 0,
             after = w + 1 < kWords ? bits[y * kWords + w + 1] : 0;
    unsigned up = y ? bits[(y - 1) * kWords + w] : 0,
             down = y + 1 < kHeight ? bits[(y + 1) * kWords + w] : 0;
    unsigned kept =
        self & up & down & __funnelshift_l(before, self, 1) & __funnelshift_r(self, after, 1);
    out[y * kWords + w] = kept;
    atomicAdd(count, (unsigned)__popc(kept));
}

int main() {
    std::vector<unsigned char> in(kWidth * kHeight), expected(in.size());
    Random random(61);
    for (int i = 0; i < kWidth * kHeight; ++i)
        in[i] = random.below(9) ? (unsigned char)(80 + i % 70) : (unsigned char)random.below(256);
    for (int i = 0; i < kWidth * kHeight; ++i)
        expected[i] = median(in.data(), i % kWidth, i / kWidth);
    unsigned expected_count = 0;
    auto set = [&](int x, int y) {
        return x >= 0 && y >= 0 && x < kWidth && y < kHeight && expected[y * kWidth + x] > 110;
    };
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x)
            expected_count +=
                set(x, y) && set(x - 1, y) && set(x + 1, y) && set(x, y - 1) && set(x, y + 1);
    Device<unsigned char> din(in), dout(in.size());
    Device<unsigned> bits(kWords * kHeight), eroded(kWords * kHeight), count(1);
    filter<<<dim3(kWords, kHeight), 32>>>(din, dout, bits);
    erode<<<kHeight, kWords>>>(bits, eroded, count);
    finish();
    std::printf("%u pixels left\n", count.get()[0]);
    print_digest("median", dout.get());
    return verdict("median_filter",
                   count_different(dout.get(), expected) + (count.get()[0] != expected_count));
}
