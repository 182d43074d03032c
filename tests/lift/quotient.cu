// A division by a parameter, whose slow path takes it from the constant bank and looks at the dividend first (nvcc 13.0,
// sm_80); the square root beside it takes the registers that make ptxas schedule it so.
extern "C" __global__ void quotient(const float *a, float *out, int n, int m, float s, float t) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i < n && m > 0 ? a[i] : 0.0f, w = (x + x) / s;
#pragma unroll 1
    for (int o = 16; o > 0; o >>= 1) x = x + __shfl_xor_sync(0xffffffffu, x, o);
    x = sqrtf(t != w ? 4.0f : x);
    x = fabsf(x >= w ? w : x);
    if (i < n) out[i] = x + w;
}
