__device__ int v = 1; __global__ void v1(int *p, int) { p[0] = v; }
