// The k-th smallest by bisection of the value range: counts by __syncthreads_count, one launch a
// step, floats as ordered integers.
// features: sync_count, float_bits, atomic_min_max, atomic_int
#include "../common.h"

__device__ int ordered(float v) {
    int word = __float_as_int(v);
    return word >= 0 ? word : word ^ 0x7fffffff;
}

__global__ void bounds(const float *values, int n, int *low, int *high) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicMin(low, ordered(values[i]));
    atomicMax(high, ordered(values[i]));
}

__global__ void count_at_most(const float *values, int n, int pivot, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int here = __syncthreads_count(i < n && ordered(values[i]) <= pivot);
    if (threadIdx.x == 0) atomicAdd(count, here);
}

static float back(int word) {
    word = word >= 0 ? word : word ^ 0x7fffffff;
    float v;
    std::memcpy(&v, &word, sizeof v);
    return v;
}

int main() {
    const int n = 1500, blocks = (n + 127) / 128;
    Random random(41);
    std::vector<float> values(n), sorted;
    for (float &v : values) v = (random.unit() - 0.4f) * (float)(1 << random.below(12));
    sorted = values;
    std::sort(sorted.begin(), sorted.end());
    Device<float> dvalues(values);
    Device<int> range(std::vector<int>{2147483647, -2147483647 - 1}), count(1);
    bounds<<<blocks, 128>>>(dvalues, n, range, range + 1);
    finish();
    long wrong = 0;
    for (int k : {0, 15, 375, 750, 1125, n - 1}) {
        long long low = range.get()[0], high = range.get()[1];
        while (low < high) {
            long long middle = low + (high - low) / 2;
            if (high - low == 1) middle = low;
            count.set({0});
            count_at_most<<<blocks, 128>>>(dvalues, n, (int)middle, count);
            finish();
            if (count.get()[0] > k) high = middle;
            else low = middle + 1;
        }
        std::printf("number %d is %.6f\n", k, back((int)low));
        wrong += back((int)low) != sorted[k];
    }
    return verdict("quantiles", wrong);
}
