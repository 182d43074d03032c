// ChaCha20 keystream on a stream-ordered allocation, one block of the cipher a thread; the first
// block is that of RFC 8439.
// features: funnel_shift, async_alloc, streams, struct_param
#include "../common.h"

struct Key {
    uint32_t word[12]; // key, then counter and nonce
};

#ifdef __CUDA_ARCH__
#define ROTATE(v, n) __funnelshift_l(v, v, n)
#else
#define ROTATE(v, n) ((v) << (n) | (v) >> (32 - (n)))
#endif

__host__ __device__ inline void quarter(uint32_t *s, int a, int b, int c, int d) {
    s[a] += s[b], s[d] = ROTATE(s[d] ^ s[a], 16);
    s[c] += s[d], s[b] = ROTATE(s[b] ^ s[c], 12);
    s[a] += s[b], s[d] = ROTATE(s[d] ^ s[a], 8);
    s[c] += s[d], s[b] = ROTATE(s[b] ^ s[c], 7);
}

__host__ __device__ inline void block(Key key, uint32_t counter, uint32_t *out) {
    uint32_t s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, start[16];
    for (int k = 0; k < 12; ++k) s[4 + k] = key.word[k];
    s[12] += counter;
    for (int k = 0; k < 16; ++k) start[k] = s[k];
    for (int round = 0; round < 10; ++round) {
        for (int k = 0; k < 4; ++k) quarter(s, k, k + 4, k + 8, k + 12);
        for (int k = 0; k < 4; ++k)
            quarter(s, k, (k + 1) % 4 + 4, (k + 2) % 4 + 8, (k + 3) % 4 + 12);
    }
    for (int k = 0; k < 16; ++k) out[k] = s[k] + start[k];
}

__global__ void keystream(Key key, uint32_t *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) block(key, i, out + 16 * i);
}

int main() {
    const int n = 300;
    Key key = {{0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c, 0x13121110, 0x17161514, 0x1b1a1918,
                0x1f1e1d1c, 1, 0x09000000, 0x4a000000, 0}};
    std::vector<uint32_t> expected(16 * n), got(16 * n);
    for (int i = 0; i < n; ++i) block(key, i, &expected[16 * i]);
    cudaStream_t stream;
    uint32_t *out;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocAsync(&out, 16 * n * sizeof(uint32_t), stream));
    keystream<<<(n + 63) / 64, 64, 0, stream>>>(key, out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(got.data(), out, 16 * n * sizeof(uint32_t), cudaMemcpyDeviceToHost,
                          stream));
    CHECK(cudaFreeAsync(out, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    std::printf("RFC 8439: %08x %08x .. %08x\n", got[0], got[1], got[15]);
    print_digest("keystream", got);
    return verdict("chacha20", count_different(got, expected) + (got[0] != 0xe4e7f110u));
}
