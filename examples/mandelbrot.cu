// Escape-time fractal: every lane leaves its loop at another iteration.
#include "common.h"
#include <cmath>
#include <vector>

__host__ __device__ inline int escape(float cx, float cy, int limit) {
    float x = 0.0f, y = 0.0f;
    int i = 0;
    while (i < limit) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f) break;
#ifdef __CUDA_ARCH__
        float ny = __fmaf_rn(2.0f * x, y, cy);
        x = __fadd_rn(__fsub_rn(__fmul_rn(x, x), __fmul_rn(y, y)), cx);
#else
        float ny = std::fmaf(2.0f * x, y, cy);
        x = (xx - yy) + cx;
#endif
        y = ny;
        ++i;
    }
    return i;
}

__global__ void mandelbrot(unsigned char *image, int width, int height, int limit) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    float cx = __fadd_rn(__fmul_rn((float)px, 3.0f / 64.0f), -2.25f);
    float cy = __fadd_rn(__fmul_rn((float)py, 2.5f / 32.0f), -1.25f);
    image[py * width + px] = (unsigned char)escape(cx, cy, limit);
}

int main() {
    const int width = 66, height = 33, limit = 200;
    std::vector<unsigned char> image(width * height);
    unsigned char *d;
    CHECK(cudaMalloc(&d, image.size()));
    mandelbrot<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(d, width, height, limit);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(image.data(), d, image.size(), cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y += 2) {
        for (int x = 0; x < width; ++x) {
            int i = image[y * width + x];
            std::putchar(i >= limit ? '#' : i > 12 ? '+' : i > 5 ? '.' : ' ');
        }
        std::putchar('\n');
    }
    std::printf("digest=%016llx\n", (unsigned long long)digest(image.data(), image.size()));
    CHECK(cudaFree(d));
    long inside = 0;
    for (unsigned char i : image) inside += i >= limit;
    return verdict("mandelbrot", inside > 100 && inside < 1000 ? 0 : 1);
}
