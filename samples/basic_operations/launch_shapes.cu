// Two- and three-dimensional grids and blocks: every thread writes who it is, each cell exactly
// once.
// features: launch_2d, launch_3d, launch_bounds, atomic_uint, device_variable, from_symbol
#include "../common.h"

__device__ unsigned threads_seen;

__global__ void __launch_bounds__(256, 2) plane(uint32_t *cells, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    atomicAdd(&threads_seen, 1u);
    if (x < width && y < height)
        cells[y * width + x] +=
            (uint32_t)(threadIdx.y << 16 | threadIdx.x << 8 | blockIdx.y << 4 | blockIdx.x) + 1;
}

__global__ void __launch_bounds__(128) volume(uint32_t *cells, int3 size) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    atomicAdd(&threads_seen, 1u);
    if (x >= size.x || y >= size.y || z >= size.z) return;
    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    cells[(z * size.y + y) * size.x + x] += (uint32_t)(block * 1000 + thread);
}

int main() {
    const int width = 61, height = 45;
    std::vector<uint32_t> flat(width * height), deep(11 * 9 * 13);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            flat[y * width + x] =
                (uint32_t)((y % 8) << 16 | (x % 32) << 8 | (y / 8) << 4 | x / 32) + 1;
    for (int z = 0; z < 13; ++z)
        for (int y = 0; y < 9; ++y)
            for (int x = 0; x < 11; ++x)
                deep[(z * 9 + y) * 11 + x] = (uint32_t)(((z / 4) * 3 + y / 4) * 2 + x / 8) * 1000 +
                                             ((z % 4) * 4 + y % 4) * 8 + x % 8;
    Device<uint32_t> dflat(flat.size()), ddeep(deep.size());
    plane<<<dim3(2, 6), dim3(32, 8)>>>(dflat, width, height);
    volume<<<dim3(2, 3, 4), dim3(8, 4, 4)>>>(ddeep, make_int3(11, 9, 13));
    finish();
    unsigned seen = 0;
    CHECK(cudaMemcpyFromSymbol(&seen, threads_seen, sizeof seen));
    std::printf("threads: %u\n", seen);
    print_digest("plane", dflat.get());
    print_digest("volume", ddeep.get());
    long wrong = count_different(dflat.get(), flat) + count_different(ddeep.get(), deep) +
                 (seen != 2 * 6 * 256 + 24 * 128);
    return verdict("launch_shapes", wrong);
}
