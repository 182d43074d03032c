// Called through tables: functions with shared memory, a switch, constants; dynamic shared memory, virtual calls.
struct B { __device__ virtual int f(int) { return 1; } };
struct D : B { __device__ int f(int x) override { return x * 2; } };
__constant__ float coef[8] = {1, 2, 3};
__managed__ int man = 4;
__device__ double gd = 2.5;
__device__ __noinline__ int sh(int i) { __shared__ int buf[32]; buf[i & 31] = i; __syncthreads(); return buf[(i + 1) & 31]; }
__device__ __noinline__ int sw(int i) { switch (i) { case 0: return 7; case 1: return 3; case 2: return man; case 3: return 9 * i; case 4: return i / 3; case 9: return 55; } return i * coef[i] * 3.3; }
__device__ int (*tab[])(int) = {sh, sw};
__global__ void k1(int n, int *o) { extern __shared__ int dyn[]; *o = tab[n](n) + dyn[n] + gd / 3.7; }
__global__ void k2(B *b, int n, int *o) { D d; B *q = n ? b : &d; *o = q->f(n); }
