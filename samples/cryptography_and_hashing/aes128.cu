// AES-128 in counter mode: S-box and tables made on the device, kept in shared memory; checked with
// the FIPS-197 vector.
// features: shared_static, device_variable, from_symbol, local_array
#include "../common.h"

__device__ unsigned char sbox[256];

__host__ __device__ inline unsigned char times2(unsigned char v) {
    return (unsigned char)(v << 1 ^ (v & 0x80 ? 0x1b : 0));
}

__host__ __device__ inline unsigned char substitute(int value) {
    int inverse = 0;
    for (int candidate = 1; candidate < 256 && value; ++candidate) {
        unsigned char product = 0, a = (unsigned char)candidate;
        for (int b = value; b; b >>= 1, a = times2(a))
            if (b & 1) product ^= a;
        if (product == 1) inverse = candidate;
    }
    int r = 0x63;
    for (int k = 0; k < 5; ++k) r ^= inverse << k | inverse >> (8 - k);
    return (unsigned char)r;
}

__global__ void make_sbox() { sbox[threadIdx.x] = substitute(threadIdx.x); }

__host__ __device__ inline void encrypt(const unsigned char *box, const unsigned char *keys,
                                        unsigned char *state) {
    unsigned char t[16];
    for (int k = 0; k < 16; ++k) state[k] ^= keys[k];
    for (int round = 1; round <= 10; ++round) {
        for (int k = 0; k < 16; ++k) t[k] = box[state[(k + k % 4 * 4) % 16]];
        for (int c = 0; c < 16; c += 4) {
            unsigned char all = t[c] ^ t[c + 1] ^ t[c + 2] ^ t[c + 3];
            for (int r = 0; r < 4; ++r) {
                unsigned char mixed =
                    (unsigned char)(t[c + r] ^ all ^ times2(t[c + r] ^ t[c + (r + 1) % 4]));
                state[c + r] =
                    (unsigned char)((round < 10 ? mixed : t[c + r]) ^ keys[16 * round + c + r]);
            }
        }
    }
}

__global__ void counter_mode(const unsigned char *keys, unsigned char *blocks, int n) {
    __shared__ unsigned char box[256], schedule[176];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) box[k] = sbox[k];
    for (int k = threadIdx.x; k < 176; k += blockDim.x) schedule[k] = keys[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned char state[16];
    for (int k = 0; k < 16; ++k)
        state[k] = (unsigned char)(k * 0x11 + (k >= 14 ? i >> (15 - k) * 8 : 0));
    encrypt(box, schedule, state);
    for (int k = 0; k < 16; ++k) blocks[16 * i + k] = state[k];
}

int main() {
    const int n = 200;
    make_sbox<<<1, 256>>>();
    unsigned char box[256];
    CHECK(cudaMemcpyFromSymbol(box, sbox, sizeof box));
    std::vector<unsigned char> keys(176), expected(16 * n);
    for (int k = 0; k < 16; ++k) keys[k] = (unsigned char)k;
    unsigned char constant = 1;
    for (int k = 16; k < 176; k += 4) {
        unsigned char word[4] = {keys[k - 4], keys[k - 3], keys[k - 2], keys[k - 1]};
        if (k % 16 == 0) {
            unsigned char first = word[0];
            for (int j = 0; j < 3; ++j) word[j] = box[word[j + 1]];
            word[3] = box[first];
            word[0] ^= constant;
            constant = times2(constant);
        }
        for (int j = 0; j < 4; ++j) keys[k + j] = keys[k - 16 + j] ^ word[j];
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < 16; ++k)
            expected[16 * i + k] = (unsigned char)(k * 0x11 + (k >= 14 ? i >> (15 - k) * 8 : 0));
        encrypt(box, keys.data(), &expected[16 * i]);
    }
    Device<unsigned char> dkeys(keys), blocks(16 * n);
    counter_mode<<<4, 64>>>(dkeys, blocks, n);
    finish();
    std::vector<unsigned char> got = blocks.get();
    std::printf("FIPS-197: ");
    for (int k = 0; k < 16; ++k) std::printf("%02x", got[k]);
    std::printf("\n");
    print_digest("stream", got);
    return verdict("aes128", count_different(got, expected) + (got[0] != 0x69 || got[15] != 0x5a));
}
