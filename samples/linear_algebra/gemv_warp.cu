// Matrix times vector, one warp a row: strided loads and a shuffle tree; integers, so the sum is
// exact.
// features: shuffle, vote, launch_2d
#include "../common.h"

__global__ void gemv(const int *matrix, const int *x, int *y, int rows, int columns,
                     unsigned *negative) {
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    int sum = 0;
    for (int c = lane; c < columns; c += 32) sum += matrix[row * columns + c] * x[c];
    unsigned below = __ballot_sync(0xffffffffu, sum < 0);
    for (int step = 16; step > 0; step >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (lane == 0) y[row] = sum, negative[row] = below;
}

int main() {
    const int rows = 90, columns = 150;
    std::vector<int> matrix(rows * columns), x(columns), y(rows);
    std::vector<unsigned> negative(rows);
    Random random(15);
    for (int &v : matrix) v = (int)random.below(201) - 100;
    for (int &v : x) v = (int)random.below(201) - 100;
    for (int r = 0; r < rows; ++r) {
        int part[32] = {};
        for (int c = 0; c < columns; ++c) part[c % 32] += matrix[r * columns + c] * x[c];
        for (int lane = 0; lane < 32; ++lane)
            y[r] += part[lane], negative[r] |= (part[lane] < 0 ? 1u : 0u) << lane;
    }
    Device<int> dm(matrix), dx(x), dy(rows);
    Device<unsigned> dn(rows);
    gemv<<<(rows + 3) / 4, dim3(32, 4)>>>(dm, dx, dy, rows, columns, dn);
    finish();
    std::printf("y[7]=%d\n", dy.get()[7]);
    print_digest("y", dy.get());
    print_digest("negative", dn.get());
    return verdict("gemv_warp", count_different(dy.get(), y) + count_different(dn.get(), negative));
}
