// Five-point heat stencil with a shared-memory halo, several steps, double buffered.
#include "common.h"
#include <cmath>
#include <utility>
#include <vector>

constexpr int kTileX = 32, kTileY = 8;

__global__ void step(const float *in, float *out, int width, int height) {
    __shared__ float tile[kTileY + 2][kTileX + 2];
    int x = blockIdx.x * kTileX + threadIdx.x, y = blockIdx.y * kTileY + threadIdx.y;
    int cx = min(x, width - 1), cy = min(y, height - 1);
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    tile[ty][tx] = in[cy * width + cx];
    if (threadIdx.x == 0) tile[ty][0] = in[cy * width + max(cx - 1, 0)];
    if (threadIdx.x == kTileX - 1) tile[ty][kTileX + 1] = in[cy * width + min(cx + 1, width - 1)];
    if (threadIdx.y == 0) tile[0][tx] = in[max(cy - 1, 0) * width + cx];
    if (threadIdx.y == kTileY - 1) tile[kTileY + 1][tx] = in[min(cy + 1, height - 1) * width + cx];
    __syncthreads();
    if (x < width - 1 && y < height - 1 && x > 0 && y > 0) {
        float around = __fadd_rn(__fadd_rn(tile[ty][tx - 1], tile[ty][tx + 1]), __fadd_rn(tile[ty - 1][tx], tile[ty + 1][tx]));
        out[y * width + x] = fmaf(0.125f, around, 0.5f * tile[ty][tx]);
    } else if (x < width && y < height) {
        out[y * width + x] = tile[ty][tx];
    }
}

int main() {
    const int width = 75, height = 41, steps = 6;
    std::vector<float> a(width * height), b(width * height);
    Random random(7);
    for (float &v : a) v = random.unit() * 100.0f;
    float *da, *db;
    CHECK(cudaMalloc(&da, a.size() * sizeof(float)));
    CHECK(cudaMalloc(&db, a.size() * sizeof(float)));
    CHECK(cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
    dim3 block(kTileX, kTileY), grid((width + kTileX - 1) / kTileX, (height + kTileY - 1) / kTileY);
    for (int s = 0; s < steps; ++s) {
        step<<<grid, block>>>(da, db, width, height);
        std::swap(da, db);
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) {
                float centre = a[y * width + x];
                bool inner = x > 0 && y > 0 && x < width - 1 && y < height - 1;
                b[y * width + x] = !inner ? centre
                                          : std::fmaf(0.125f, (a[y * width + x - 1] + a[y * width + x + 1]) + (a[(y - 1) * width + x] + a[(y + 1) * width + x]), 0.5f * centre);
            }
        std::swap(a, b);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(b.data(), da, b.size() * sizeof(float), cudaMemcpyDeviceToHost));
    long wrong = 0;
    for (size_t i = 0; i < a.size(); ++i) wrong += a[i] != b[i];
    std::printf("centre=%.6f digest=%016llx\n", b[20 * width + 37], (unsigned long long)digest(b.data(), b.size() * sizeof(float)));
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    return verdict("stencil_2d", wrong);
}
