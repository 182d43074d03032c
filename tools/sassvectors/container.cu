// A kernel whose cubin the probes are patched into: two pointers, more than 48 registers, a long body.
extern "C" __global__ void probe(const unsigned *in, unsigned *out) {
    unsigned v[48];
#pragma unroll
    for (int i = 0; i < 48; ++i) v[i] = in[threadIdx.x + 32 * i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 48; ++i) out[threadIdx.x + 32 * i] = v[(i * 5 + 7) % 48] * (v[i] + i);
}
