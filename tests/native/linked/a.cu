// The caller's half: everything it calls lives in b.cu.
#include <cstdio>
extern __device__ int offset;
extern __device__ int twice(int);
extern __device__ int nested(int);
extern __constant__ int table[4];
extern __device__ int (*chosen)(int);
__device__ int counter;
static __device__ int mine = 5;
__device__ __noinline__ int back(int x) { return x + mine; }
template <typename T> __device__ __noinline__ T shared_template(T x) { return x * 3; }
__global__ void run(int *p, int v) {
    p[0] = twice(v) + offset + table[v & 3] + mine;
    p[1] = chosen(v);
    p[2] = nested(v);
    p[3] = shared_template(v);
    counter++;
    printf("run %d\n", v);
}
__global__ void sum(int *p) {
    extern __shared__ int cells[];
    __shared__ int tile[64];
    tile[threadIdx.x] = twice(threadIdx.x); cells[threadIdx.x] = 1; __syncthreads();
    if (!threadIdx.x) { int s = 0; for (int i = 0; i < 64; i++) s += tile[i] + cells[i]; p[0] = s; }
}
