// Matrix transpose through padded shared tiles, for 4- and 8-byte values, in odd sizes.
// features: shared_static, launch_2d, template, double
#include "../common.h"

constexpr int kTile = 16;

template <typename T> __global__ void transpose(const T *in, T *out, int width, int height) {
    __shared__ T tile[kTile][kTile + 1];
    int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * kTile + threadIdx.x;
    y = blockIdx.x * kTile + threadIdx.y;
    if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

template <typename T> long run(const char *name, int width, int height) {
    std::vector<T> in(width * height), expected(width * height);
    for (int i = 0; i < width * height; ++i) in[i] = (T)(i * 7 % 1009);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) expected[x * height + y] = in[y * width + x];
    Device<T> din(in), dout(in.size());
    transpose<T>
        <<<dim3((width + kTile - 1) / kTile, (height + kTile - 1) / kTile), dim3(kTile, kTile)>>>(
            din, dout, width, height);
    finish();
    print_digest(name, dout.get());
    return count_different(dout.get(), expected);
}

int main() {
    long wrong = run<float>("float", 77, 50) + run<double>("double", 33, 65) +
                 run<unsigned char>("byte", 40, 19);
    return verdict("transpose", wrong);
}
