// A part for PTX that uses nothing of others: a kernel, a variable, a text, a template that others have, too.
#include <cstdio>
__device__ int own = 40;
template <typename T> __device__ __noinline__ T shared_template(T x) { return x * 3; }
__global__ void apart(int *p, int v) { p[0] = shared_template(v) + own; own++; printf("apart %d\n", v); }
