__device__ int v = 2; __global__ void v2(int *p, int) { p[0] = v; }
