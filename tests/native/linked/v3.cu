extern __device__ int v[4]; __global__ void v3(int *p, int) { p[0] = v[0]; }
