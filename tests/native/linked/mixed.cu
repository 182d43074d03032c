// What a linker must place: shared memory and constants of functions, tables of functions, virtual calls.
#include <cstdio>
#include <cooperative_groups.h>
__constant__ float coef[8] = {1,2,3,4,5,6,7,8};
__constant__ int other[4];
__device__ int g1; __device__ int g2[3]; __device__ double gd = 2.5; __device__ char gc = 1;
__managed__ int man = 4; __managed__ int man0;
struct B { __device__ virtual int f(int) { return 1; } };
struct D : B { __device__ int f(int x) override { return x * 2; } };
__device__ __noinline__ float use(int i) { return coef[i] + coef[2] + other[1]; }
__device__ __noinline__ int sh(int i) { __shared__ int buf[32]; __shared__ double d[4]; buf[i & 31] = i; d[i & 3] = i; __syncthreads(); return buf[(i + 1) & 31] + (int)d[0]; }
__device__ __noinline__ int sw(int i) { switch (i) { case 0: return 7; case 1: return 3; case 2: return g1; case 3: return 9 * i; case 4: return i / 3; case 5: return g2[0]; case 6: return g2[1]; case 9: return 55; } return 0; }

__global__ void k1(float *p, int n) {
  __shared__ float own[100]; extern __shared__ char dyn[];
  own[threadIdx.x] = use(n); __syncthreads(); p[0] = own[3] + sh(n) + sw(n) + dyn[n] + coef[3] + (float)gd + gc + man + man0 + sin((double)n);
  printf("%d\n", n); 
}
__global__ void k2(B *b, int n, int *o) { D d; B *q = n ? b : &d; *o = q->f(n); int *m = new int[4]; m[n] = 1; *o += m[0]; delete[] m; }
__device__ int (*tab[])(int) = {sh, sw};
__global__ void k3(int n, int *o) { *o = tab[n](n); }
__global__ void k4(double *p) { cooperative_groups::this_grid().sync(); p[0] = pow(p[0], 3.3) + 1.0/p[1]; __shared__ int z; if (threadIdx.x==0) z=1; __syncthreads(); p[2]=z; }
