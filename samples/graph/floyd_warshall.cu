// All shortest paths, blocked: the diagonal tile, its row and column, then the rest, in shared
// memory.
// features: shared_static, launch_2d, several_kernels
#include "../common.h"

constexpr int kTile = 16, kFar = 1 << 28;

__device__ void relax_tile(int (*c)[kTile], int (*a)[kTile], int (*b)[kTile]) {
    int x = threadIdx.x, y = threadIdx.y;
    for (int k = 0; k < kTile; ++k) {
        int through = a[y][k] + b[k][x];
        __syncthreads();
        if (through < c[y][x]) c[y][x] = through;
        __syncthreads();
    }
}

__global__ void diagonal(int *d, int n, int k) {
    __shared__ int tile[kTile][kTile];
    int at = (k * kTile + threadIdx.y) * n + k * kTile + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = d[at];
    __syncthreads();
    relax_tile(tile, tile, tile);
    d[at] = tile[threadIdx.y][threadIdx.x];
}

__global__ void cross(int *d, int n, int k) {
    __shared__ int middle[kTile][kTile], tile[kTile][kTile];
    int other = blockIdx.x, row = blockIdx.y ? other : k, column = blockIdx.y ? k : other;
    if (other == k) return;
    int at = (row * kTile + threadIdx.y) * n + column * kTile + threadIdx.x;
    middle[threadIdx.y][threadIdx.x] = d[(k * kTile + threadIdx.y) * n + k * kTile + threadIdx.x];
    tile[threadIdx.y][threadIdx.x] = d[at];
    __syncthreads();
    if (blockIdx.y) relax_tile(tile, tile, middle);
    else relax_tile(tile, middle, tile);
    d[at] = tile[threadIdx.y][threadIdx.x];
}

__global__ void rest(int *d, int n, int k) {
    __shared__ int left[kTile][kTile], up[kTile][kTile];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * kTile + y,
        column = blockIdx.x * kTile + x;
    left[y][x] = d[row * n + k * kTile + x];
    up[y][x] = d[(k * kTile + y) * n + column];
    __syncthreads();
    int best = d[row * n + column];
    for (int j = 0; j < kTile; ++j) best = min(best, left[y][j] + up[j][x]);
    __syncthreads();
    if (blockIdx.x != k && blockIdx.y != k) d[row * n + column] = best;
}

int main() {
    const int n = 64, tiles = n / kTile;
    Random random(32);
    std::vector<int> d(n * n, kFar);
    for (int i = 0; i < n; ++i) {
        d[i * n + i] = 0;
        for (int e = 0; e < 3; ++e) d[i * n + (int)random.below(n)] = 1 + (int)random.below(100);
        d[i * n + i] = 0;
    }
    Device<int> dd(d);
    for (int k = 0; k < tiles; ++k) {
        diagonal<<<1, dim3(kTile, kTile)>>>(dd, n, k);
        cross<<<dim3(tiles, 2), dim3(kTile, kTile)>>>(dd, n, k);
        rest<<<dim3(tiles, tiles), dim3(kTile, kTile)>>>(dd, n, k);
    }
    finish();
    for (int k = 0; k < n; ++k)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                d[i * n + j] = std::min(d[i * n + j], d[i * n + k] + d[k * n + j]);
    std::vector<int> got = dd.get();
    std::printf("d[3][60]=%d\n", got[3 * n + 60]);
    print_digest("distances", got);
    return verdict("floyd_warshall", count_different(got, d));
}
