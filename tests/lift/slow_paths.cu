// Divides where ptxas links its slow paths; for test_slow_paths.py.
__global__ void k(float *out, const float *in, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = in[i], b = in[count + i];
    out[i] = a / b;
    out[count + i] = 1.0f / b;
    out[2 * count + i] = sqrtf(a);
}
