// Segmented prefix sums inside warps and blocks, built on shuffles of (flag, value) pairs; also
// minimum and maximum scans.
// features: shuffle, warp_reduce, shared_static, template
#include "../common.h"

struct Sum {
    __host__ __device__ static int apply(int a, int b) { return a + b; }
};
struct Min {
    __host__ __device__ static int apply(int a, int b) { return a < b ? a : b; }
};
struct Max {
    __host__ __device__ static int apply(int a, int b) { return a > b ? a : b; }
};

template <typename Op> __global__ void scan(const int *values, const int *flags, int *out, int n) {
    __shared__ int last_value[8], last_flag[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int value = values[i], flag = flags[i] || threadIdx.x == 0;
    for (int d = 1; d < 32; d <<= 1) {
        int other = __shfl_up_sync(~0u, value, d), other_flag = __shfl_up_sync(~0u, flag, d);
        if (lane >= d) {
            if (!flag) value = Op::apply(other, value);
            flag |= other_flag;
        }
    }
    if (lane == 31) last_value[warp] = value, last_flag[warp] = flag;
    __syncthreads();
    if (!flag && warp > 0) {
        int carry = last_value[warp - 1];
        for (int w = warp - 1; w > 0 && !last_flag[w]; --w)
            carry = Op::apply(last_value[w - 1], carry);
        value = Op::apply(carry, value);
    }
    out[i] = value;
}

__global__ void totals(const int *values, int *out) {
    int value = values[blockIdx.x * 32 + threadIdx.x];
    int sum = __reduce_add_sync(~0u, value), low = __reduce_min_sync(~0u, value),
        high = __reduce_max_sync(~0u, value);
    unsigned any = __reduce_or_sync(~0u, (unsigned)value),
             odd = __reduce_xor_sync(~0u, (unsigned)value);
    if (threadIdx.x == 0) out[blockIdx.x] = sum + low * 3 + high * 7 + (int)(any ^ odd);
}

template <typename Op>
long run(const char *name, const std::vector<int> &values, const std::vector<int> &flags) {
    const int n = (int)values.size();
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        expected[i] = flags[i] || i % 256 == 0 ? values[i] : Op::apply(expected[i - 1], values[i]);
    Device<int> dvalues(values), dflags(flags), out(n);
    scan<Op><<<n / 256, 256>>>(dvalues, dflags, out, n);
    finish();
    print_digest(name, out.get());
    return count_different(out.get(), expected);
}

int main() {
    const int n = 2048;
    Random random(39);
    std::vector<int> values(n), flags(n), expected(n / 32);
    for (int i = 0; i < n; ++i)
        values[i] = (int)random.below(2000) - 1000, flags[i] = random.below(40) == 0;
    long wrong = run<Sum>("sum", values, flags) + run<Min>("min", values, flags) +
                 run<Max>("max", values, flags);
    for (int w = 0; w < n / 32; ++w) {
        int sum = 0, low = 5000, high = -5000;
        unsigned any = 0, odd = 0;
        for (int i = 32 * w; i < 32 * w + 32; ++i) {
            sum += values[i], low = std::min(low, values[i]), high = std::max(high, values[i]);
            any |= (unsigned)values[i], odd ^= (unsigned)values[i];
        }
        expected[w] = sum + low * 3 + high * 7 + (int)(any ^ odd);
    }
    Device<int> dvalues(values), out(n / 32);
    totals<<<n / 32, 32>>>(dvalues, out);
    finish();
    print_digest("totals", out.get());
    return verdict("segmented_scan", wrong + count_different(out.get(), expected));
}
