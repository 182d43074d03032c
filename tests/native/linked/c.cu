// A third part, as PTX: calls into machine code, is called by none.
extern __device__ int twice(int);
extern __device__ int offset;
__global__ void third(int *p, int v) { p[0] = twice(v) * 3 + offset; }
