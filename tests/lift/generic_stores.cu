// Generic loads and stores, to shared or to global memory as the thread's number says.
extern "C" __global__ void k(unsigned *out, const unsigned *in, unsigned n) {
    __shared__ unsigned held[32];
    unsigned lane = threadIdx.x;
    held[lane] = 0;
    __syncthreads();
    unsigned *at = in[lane] & 1 ? held + (lane ^ 1) : out + (lane ^ 1);
    if (n > lane) *at = in[lane] * 3;
    __syncthreads();
    out[32 + lane] = held[lane];
}
