// Coordinate-format products with atomic additions of float, double and half; the summands are
// exact, so order cannot matter.
// features: atomic_float, atomic_double, half, several_kernels
#include "../common.h"
#include <cuda_fp16.h>

struct Entry {
    int row, column;
    float value;
};

__global__ void multiply(const Entry *entries, int n, const float *x, float *y, double *y2,
                         __half2 *y3) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Entry e = entries[i];
    float product = e.value * x[e.column];
    atomicAdd(&y[e.row], product);
    atomicAdd(&y2[e.row], (double)product * 1e6);
    atomicAdd(&y3[e.row], __floats2half2_rn(product * 0.0625f, 1.0f));
}

__global__ void unpack(const __half2 *pairs, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[2 * i] = __low2float(pairs[i]), out[2 * i + 1] = __high2float(pairs[i]);
}

int main() {
    const int rows = 100, columns = 80, n = 900;
    Random random(51);
    std::vector<Entry> entries(n);
    std::vector<float> x(columns), y(rows), halves(2 * rows);
    std::vector<double> y2(rows);
    for (float &v : x) v = (float)random.below(8) - 4.0f;
    for (Entry &e : entries) {
        e = {(int)random.below(rows), (int)random.below(columns), (float)random.below(8) - 4.0f};
        float product = e.value * x[e.column];
        y[e.row] += product;
        y2[e.row] += product * 1e6;
        halves[2 * e.row] += product * 0.0625f;
        halves[2 * e.row + 1] += 1.0f;
    }
    Device<Entry> dentries(entries);
    Device<float> dx(x), dy(rows), dhalves(2 * rows);
    Device<double> dy2(rows);
    Device<__half2> dy3(rows);
    multiply<<<(n + 127) / 128, 128>>>(dentries, n, dx, dy, dy2, dy3);
    unpack<<<1, 128>>>(dy3, dhalves, rows);
    finish();
    print_digest("float", dy.get());
    print_digest("double", dy2.get());
    print_digest("half", dhalves.get());
    long wrong = count_different(dy.get(), y) + count_different(dy2.get(), y2) +
                 count_different(dhalves.get(), halves);
    return verdict("spmv_coo_atomic", wrong);
}
