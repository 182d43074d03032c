// Sparse matrix times vector in CSR: one warp a row (shuffle sum) and one thread a row, with
// integers and with doubles.
// features: shuffle, template, double, restrict, grid_stride
#include "../common.h"

template <typename T>
__global__ void by_warp(const int *__restrict__ offsets, const int *__restrict__ columns,
                        const T *__restrict__ values, const T *__restrict__ x, T *y, int rows) {
    int lane = threadIdx.x % 32;
    for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32; row < rows;
         row += gridDim.x * blockDim.x / 32) {
        T sum = 0;
        for (int k = offsets[row] + lane; k < offsets[row + 1]; k += 32)
            sum += values[k] * x[columns[k]];
        for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
        if (lane == 0) y[row] = sum;
    }
}

template <typename T>
__global__ void by_thread(const int *__restrict__ offsets, const int *__restrict__ columns,
                          const T *__restrict__ values, const T *__restrict__ x, T *y, int rows) {
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows;
         row += gridDim.x * blockDim.x) {
        T sum = 0;
        for (int k = offsets[row]; k < offsets[row + 1]; ++k) sum += values[k] * x[columns[k]];
        y[row] = sum;
    }
}

template <typename T> long run(const char *name) {
    const int rows = 260, width = 400;
    Random random(50);
    std::vector<int> offsets(rows + 1), columns;
    std::vector<T> values, x(width), expected(rows);
    for (T &v : x) v = (T)((int)random.below(64) - 32);
    for (int r = 0; r < rows; ++r) {
        for (int k = (int)random.below(r % 10 ? 12 : 90); k > 0; --k) {
            columns.push_back((int)random.below(width));
            values.push_back((T)((int)random.below(64) - 32));
            expected[r] += values.back() * x[columns.back()]; // small integers: exact in double too
        }
        offsets[r + 1] = (int)columns.size();
    }
    Device<int> doffsets(offsets), dcolumns(columns);
    Device<T> dvalues(values), dx(x), y1(rows), y2(rows);
    by_warp<T><<<9, 128>>>(doffsets, dcolumns, dvalues, dx, y1, rows);
    by_thread<T><<<2, 64>>>(doffsets, dcolumns, dvalues, dx, y2, rows);
    finish();
    print_digest(name, y1.get());
    return count_different(y1.get(), expected) + count_different(y2.get(), expected);
}

int main() {
    return verdict("spmv_csr", run<int>("int") + run<double>("double") + run<float>("float"));
}
