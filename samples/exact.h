// A float whose every operation rounds once and to nearest, on the host as on the device, under any
// option of either compiler: no contraction to fma, no approximate division. Host and device agree
// in every bit.
#pragma once
#include <cmath>
#include <cuda_runtime.h>

struct Real {
    float v;
    Real() = default;
    __host__ __device__ constexpr Real(float value) : v(value) {}
};

// On the host through memory: what stays in a register might be contracted.
inline float rounded(float value) {
    volatile float kept = value;
    return kept;
}

#ifdef __CUDA_ARCH__
#define EXACTLY(device, host) device
#else
#define EXACTLY(device, host) rounded(host)
#endif

__host__ __device__ inline Real operator+(Real a, Real b) {
    return EXACTLY(__fadd_rn(a.v, b.v), a.v + b.v);
}
__host__ __device__ inline Real operator-(Real a, Real b) {
    return EXACTLY(__fadd_rn(a.v, -b.v), a.v - b.v);
}
__host__ __device__ inline Real operator*(Real a, Real b) {
    return EXACTLY(__fmul_rn(a.v, b.v), a.v * b.v);
}
__host__ __device__ inline Real operator/(Real a, Real b) {
    return EXACTLY(__fdiv_rn(a.v, b.v), a.v / b.v);
}
__host__ __device__ inline Real root(Real a) { return EXACTLY(__fsqrt_rn(a.v), std::sqrt(a.v)); }
__host__ __device__ inline Real operator-(Real a) { return -a.v; }
__host__ __device__ inline Real &operator+=(Real &a, Real b) { return a = a + b; }
__host__ __device__ inline bool operator<(Real a, Real b) { return a.v < b.v; }
__host__ __device__ inline bool operator>(Real a, Real b) { return a.v > b.v; }
__host__ __device__ inline bool operator==(Real a, Real b) { return a.v == b.v; }
__host__ __device__ inline Real smaller(Real a, Real b) { return a.v < b.v ? a : b; }
__host__ __device__ inline Real larger(Real a, Real b) { return a.v > b.v ? a : b; }
