// Source of the binaries beside it. Built with nvcc 13.0.88:
//   nvcc -arch=sm_80 -cubin -o sample.sm_80.cubin sample.cu
//   nvcc -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=[sm_90,compute_90] -Xfatbin -compress-all
//        -c -o sample_zstd.o sample.cu        (the same with --compress-mode=speed: sample_lz4.o)
//   nvcc -arch=sm_80 -rdc=true -cubin -o sample.reloc.cubin sample.cu;  nvlink -arch=sm_80 -o linked.sm_80.cubin
__constant__ float table[4] = {1, 2, 3, 4};
__device__ int counter = 7;
__device__ int zeros[5];
typedef float (*unary)(float);
__device__ float twice(float x) { return x + x; }
__device__ float square(float x) { return x * x; }
__device__ unary choices[2] = {twice, square};

struct Pair {
    double first;
    short second;
};

extern "C" __global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i] * table[i & 3];
}

extern "C" __global__ void __launch_bounds__(128) pick(float *out, char tag, Pair pair, int which) {
    __shared__ float held[64];
    held[threadIdx.x & 63] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = choices[which & 1](held[(threadIdx.x + 1) & 63]) + (float)pair.first + pair.second + tag;
    atomicAdd(&counter, 1);
    zeros[threadIdx.x % 5] = which;
}
