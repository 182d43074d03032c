// The callee's half.
#include <cstdio>
extern __device__ int counter;
extern __device__ int back(int);
__device__ int offset = 2;
__constant__ int table[4] = {10, 20, 30, 40};
static __device__ int mine = 100;
__device__ __noinline__ int twice(int x) { return 2 * x + mine - 100; }
__device__ int (*chosen)(int) = twice;
__device__ __noinline__ int nested(int x) { return x <= 0 ? back(0) : 1 + nested(x - 1); }
template <typename T> __device__ __noinline__ T shared_template(T x) { return x * 3; }
__device__ int *pointer = &offset;
__global__ void other(int *p, int v) {
    p[0] = counter; p[1] = *pointer; p[2] = shared_template(v); mine++;
    printf("other %d %s\n", v, "text");
}
__global__ void wide(int *p) {
    __shared__ int big[128]; big[threadIdx.x] = threadIdx.x; __syncthreads(); p[0] = big[63] + twice(1);
}
