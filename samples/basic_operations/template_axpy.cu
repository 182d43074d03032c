// a·x + y for three types by one template, with a grid-stride loop and a functor passed by value.
// features: template, struct_param, grid_stride, restrict, int64
#include "../common.h"

template <typename T> struct Axpy {
    T factor, offset;
    __host__ __device__ T operator()(T x, T y) const { return factor * x + y + offset; }
};

template <typename T, typename Op>
__global__ void combine(const T *__restrict__ x, const T *__restrict__ y, T *__restrict__ out,
                        int n, Op op) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = op(x[i], y[i]);
}

template <typename T> long run(const char *name, T factor, T offset) {
    const int n = 2500;
    std::vector<T> x(n), y(n), expected(n);
    Random random(11);
    Axpy<T> op{factor, offset};
    for (int i = 0; i < n; ++i) {
        x[i] = (T)random.below(1000);
        y[i] = (T)random.below(1000);
        expected[i] = op(x[i], y[i]); // small integers: exact in every type
    }
    Device<T> dx(x), dy(y), dout(n);
    combine<T, Axpy<T>><<<4, 128>>>(dx, dy, dout, n, op);
    finish();
    std::vector<T> out = dout.get();
    print_digest(name, out);
    return count_different(out, expected);
}

int main() {
    long wrong = run<int>("int", 3, -7) + run<float>("float", 2.5f, 0.25f) +
                 run<long long>("long long", 1ll << 40, -5);
    wrong += run<double>("double", 0.5, 1e6) + run<short>("short", 3, 1);
    return verdict("template_axpy", wrong);
}
