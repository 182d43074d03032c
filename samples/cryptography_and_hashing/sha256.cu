// SHA-256 of many short messages, with the round constants in constant memory and rotations by
// funnel shifts.
// features: constant, funnel_shift, byte_perm, local_array
#include "../common.h"

static const uint32_t kRounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
__constant__ uint32_t rounds[64];

#ifdef __CUDA_ARCH__
#define ROTATE(v, n) __funnelshift_r(v, v, n)
#define ROUND(k) rounds[k]
#define FROM_BIG(v) __byte_perm(v, 0, 0x0123)
#else
#define ROTATE(v, n) ((v) >> (n) | (v) << (32 - (n)))
#define ROUND(k) kRounds[k]
#define FROM_BIG(v) __builtin_bswap32(v)
#endif

// message: 16 words as stored, already padded to one block.
__host__ __device__ inline void sha256(const uint32_t *message, uint32_t *hash) {
    uint32_t w[64], s[8], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int k = 0; k < 16; ++k) w[k] = FROM_BIG(message[k]);
    for (int k = 16; k < 64; ++k) {
        uint32_t a = w[k - 15], b = w[k - 2];
        w[k] = w[k - 16] + (ROTATE(a, 7) ^ ROTATE(a, 18) ^ a >> 3) + w[k - 7] +
               (ROTATE(b, 17) ^ ROTATE(b, 19) ^ b >> 10);
    }
    for (int k = 0; k < 8; ++k) s[k] = h[k];
    for (int k = 0; k < 64; ++k) {
        uint32_t t1 = s[7] + (ROTATE(s[4], 6) ^ ROTATE(s[4], 11) ^ ROTATE(s[4], 25)) +
                      ((s[4] & s[5]) ^ (~s[4] & s[6])) + ROUND(k) + w[k];
        uint32_t t2 = (ROTATE(s[0], 2) ^ ROTATE(s[0], 13) ^ ROTATE(s[0], 22)) +
                      ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (int j = 7; j > 0; --j) s[j] = s[j - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int k = 0; k < 8; ++k) hash[k] = h[k] + s[k];
}

__global__ void hash_all(const uint32_t *messages, uint32_t *hashes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sha256(messages + 16 * i, hashes + 8 * i);
}

int main() {
    const int n = 150;
    CHECK(cudaMemcpyToSymbol(rounds, kRounds, sizeof kRounds));
    std::vector<uint32_t> messages(16 * n), hashes(8 * n);
    for (int i = 0; i < n; ++i) {
        unsigned char *bytes = (unsigned char *)&messages[16 * i];
        int length =
            i == 0 ? 3 : std::snprintf((char *)bytes, 50, "message number %d of cass-shim", i);
        if (i == 0) std::memcpy(bytes, "abc", 3);
        bytes[length] = 0x80;
        bytes[62] = (unsigned char)(length * 8 >> 8), bytes[63] = (unsigned char)(length * 8);
        sha256(&messages[16 * i], &hashes[8 * i]);
    }
    Device<uint32_t> dmessages(messages), dhashes(hashes.size());
    hash_all<<<3, 64>>>(dmessages, dhashes, n);
    finish();
    std::vector<uint32_t> got = dhashes.get();
    std::printf("abc: ");
    for (int k = 0; k < 8; ++k) std::printf("%08x", got[k]);
    std::printf("\n");
    print_digest("hashes", got);
    return verdict("sha256", count_different(got, hashes) + (got[0] != 0xba7816bfu));
}
