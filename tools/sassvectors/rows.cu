// A kernel whose cubin the probes of `rows.py` are patched into: two pointers, four words that a constant operand reads,
// more than 48 registers, local memory, a long body.
extern "C" __global__ void probe(const unsigned *in, unsigned *out, uint4 words) {
    unsigned v[48], local[64];
    for (int i = 0; i < 64; ++i) local[(in[i] + i) & 63] = i * words.x;
#pragma unroll
    for (int i = 0; i < 48; ++i) v[i] = in[threadIdx.x + 32 * i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 48; ++i) out[threadIdx.x + 32 * i] = v[(i * 5 + 7) % 48] * (v[i] + i) + local[in[i] & 63];
}
