// Walsh-Hadamard transform: 32 values by butterfly shuffles in a warp, the rest through dynamic
// shared memory.
// features: shuffle, shared_dynamic, template
#include "../common.h"

template <typename T> __global__ void transform(T *values, int n) {
    extern __shared__ __align__(16) unsigned char raw[];
    T *shared = (T *)raw;
    T v = values[blockIdx.x * n + threadIdx.x];
    for (int d = 1; d < 32; d *= 2) {
        T other = __shfl_xor_sync(~0u, v, d);
        v = threadIdx.x & d ? other - v : v + other;
    }
    shared[threadIdx.x] = v;
    __syncthreads();
    for (int d = 32; d < n; d *= 2) {
        T mine = shared[threadIdx.x], other = shared[threadIdx.x ^ d];
        __syncthreads();
        shared[threadIdx.x] = threadIdx.x & d ? other - mine : mine + other;
        __syncthreads();
    }
    values[blockIdx.x * n + threadIdx.x] = shared[threadIdx.x];
}

template <typename T> long run(const char *name) {
    const int n = 256, batch = 4;
    Random random(66);
    std::vector<T> values(n * batch), expected;
    for (T &v : values) v = (T)((int)random.below(200) - 100);
    expected = values;
    for (int b = 0; b < batch; ++b)
        for (int d = 1; d < n; d *= 2)
            for (int i = 0; i < n; ++i)
                if (!(i & d)) {
                    T x = expected[b * n + i], y = expected[b * n + (i | d)];
                    expected[b * n + i] = x + y, expected[b * n + (i | d)] = x - y;
                }
    Device<T> dvalues(values);
    // More than the default limit may be asked for after this call.
    CHECK(
        cudaFuncSetAttribute(transform<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, 60 * 1024));
    transform<T><<<batch, n, 50 * 1024>>>(dvalues, n);
    finish();
    print_digest(name, dvalues.get());
    return count_different(dvalues.get(), expected);
}

int main() {
    return verdict("walsh_hadamard", run<int>("int") + run<float>("float") + run<double>("double"));
}
