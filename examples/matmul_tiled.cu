// C = A * B with 16x16 tiles in shared memory; sizes are no multiple of the tile.
#include "common.h"
#include <cmath>
#include <vector>

constexpr int kTile = 16;

__global__ void matmul(const float *a, const float *b, float *c, int rows, int inner, int columns) {
    __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
    int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < inner; t += kTile) {
        int ka = t + threadIdx.x, kb = t + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < rows && ka < inner ? a[row * inner + ka] : 0.0f;
        tile_b[threadIdx.y][threadIdx.x] = kb < inner && column < columns ? b[kb * columns + column] : 0.0f;
        __syncthreads();
        for (int k = 0; k < kTile; ++k)
            sum = fmaf(tile_a[threadIdx.y][k], tile_b[k][threadIdx.x], sum);
        __syncthreads();
    }
    if (row < rows && column < columns) c[row * columns + column] = sum;
}

int main() {
    const int rows = 70, inner = 53, columns = 45;
    std::vector<float> a(rows * inner), b(inner * columns), c(rows * columns);
    Random random(3);
    for (float &v : a) v = random.unit() - 0.5f;
    for (float &v : b) v = random.unit() - 0.5f;
    float *da, *db, *dc;
    CHECK(cudaMalloc(&da, a.size() * sizeof(float)));
    CHECK(cudaMalloc(&db, b.size() * sizeof(float)));
    CHECK(cudaMalloc(&dc, c.size() * sizeof(float)));
    CHECK(cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));
    dim3 block(kTile, kTile), grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
    matmul<<<grid, block>>>(da, db, dc, rows, inner, columns);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
    long wrong = 0;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            float sum = 0.0f;
            for (int k = 0; k < inner; ++k) sum = std::fmaf(a[i * inner + k], b[k * columns + j], sum);
            wrong += c[i * columns + j] != sum;
        }
    std::printf("c[0][0]=%.7f digest=%016llx\n", c[0], (unsigned long long)digest(c.data(), c.size() * sizeof(float)));
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
    return verdict("matmul_tiled", wrong);
}
