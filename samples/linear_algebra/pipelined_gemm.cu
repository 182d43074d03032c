// A tiled product whose tiles are fetched while the ones before are multiplied: cuda::pipeline of a
// thread with asynchronous copies into two stages of shared memory.
// features: cuda_pipeline, async_copy, shared_static, launch_2d, template
#include "../common.h"
#include <cuda/pipeline>

constexpr int TILE = 16;

template <int STAGES> __global__ void multiply(const int *a, const int *b, int *c, int n) {
    __shared__ int tiles_a[STAGES][TILE][TILE], tiles_b[STAGES][TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, tiles = n / TILE, sum = 0, fetched = 0;
    const int *row = a + (blockIdx.y * TILE + y) * n + x,
              *column = b + y * n + blockIdx.x * TILE + x;
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    for (int t = 0; t < tiles; ++t) {
        for (; fetched < tiles && fetched < t + STAGES; ++fetched) {
            int stage = fetched % STAGES;
            pipe.producer_acquire();
            cuda::memcpy_async(&tiles_a[stage][y][x], row + fetched * TILE, sizeof(int), pipe);
            cuda::memcpy_async(&tiles_b[stage][y][x], column + fetched * TILE * n, sizeof(int),
                               pipe);
            pipe.producer_commit();
        }
        if (fetched < tiles) cuda::pipeline_consumer_wait_prior<STAGES - 1>(pipe);
        else cuda::pipeline_consumer_wait_prior<0>(pipe);
        __syncthreads(); // what the other threads fetched
        for (int k = 0; k < TILE; ++k) sum += tiles_a[t % STAGES][y][k] * tiles_b[t % STAGES][k][x];
        pipe.consumer_release();
        __syncthreads(); // before the stage is filled anew
    }
    c[(blockIdx.y * TILE + y) * n + blockIdx.x * TILE + x] = sum;
}

int main() {
    const int n = 96;
    Random random(65);
    std::vector<int> a(n * n), b(n * n), c(n * n);
    for (int &v : a) v = (int)random.below(201) - 100;
    for (int &v : b) v = (int)random.below(201) - 100;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k)
            for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
    Device<int> da(a), db(b), two(n * n), three(n * n);
    dim3 grid(n / TILE, n / TILE), block(TILE, TILE);
    multiply<2><<<grid, block>>>(da, db, two, n);
    multiply<3><<<grid, block>>>(da, db, three, n);
    finish();
    print_digest("two stages", two.get());
    print_digest("three stages", three.get());
    long wrong = count_different(two.get(), c) + count_different(three.get(), c);
    return verdict("pipelined_gemm", wrong);
}
