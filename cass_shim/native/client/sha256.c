/* SHA-256 (FIPS 180-4), with the processor's SHA extensions where it has them. */
#include <immintrin.h>
#include <string.h>

#include "client/internal.h"

/* First 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4
 * §4.2.2). */
static const uint32_t ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t value, int count) { return value >> count | value << (32 - count); }

static uint32_t big_endian(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void schedule(uint32_t w[64], const uint8_t block[64]) {
    for (int t = 0; t < 16; t++) w[t] = big_endian(block + 4 * t);
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
}

void cass_sha256_portable(uint32_t state[8], const uint8_t *blocks, size_t count) {
    for (; count > 0; count--, blocks += 64) {
        uint32_t w[64], v[8];
        schedule(w, blocks);
        memcpy(v, state, sizeof v);
        for (int t = 0; t < 64; t++) {
            uint32_t choose = (v[4] & v[5]) ^ (~v[4] & v[6]);
            uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
            uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
            uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
            uint32_t t1 = v[7] + s1 + choose + ROUND[t] + w[t];
            memmove(v + 1, v, 7 * sizeof v[0]);
            v[4] += t1;
            v[0] = t1 + s0 + majority;
        }
        for (int i = 0; i < 8; i++) state[i] += v[i];
    }
}

/* Four rounds a step. The instructions keep the state as ABEF and CDGH (Intel SDM vol. 2,
 * SHA256RNDS2). */
__attribute__((target("sha,sse4.1"))) static void accelerated(uint32_t state[8],
                                                              const uint8_t *blocks, size_t count) {
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i low = _mm_loadu_si128((const __m128i_u *)state);
    __m128i high = _mm_loadu_si128((const __m128i_u *)(state + 4));
    low = _mm_shuffle_epi32(low, 0xb1);
    high = _mm_shuffle_epi32(high, 0x1b);
    __m128i abef = _mm_alignr_epi8(low, high, 8);
    __m128i cdgh = _mm_blend_epi16(high, low, 0xf0);
    for (; count > 0; count--, blocks += 64) {
        __m128i saved_abef = abef, saved_cdgh = cdgh, w[4];
        for (int i = 0; i < 4; i++)
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i_u *)(blocks + 16 * i)), order);
        for (int step = 0; step < 16; step++) {
            __m128i now = w[step & 3];
            if (step >= 4) {
                __m128i last = w[(step + 3) & 3];
                now = _mm_sha256msg1_epu32(now, w[(step + 1) & 3]);
                now = _mm_add_epi32(now, _mm_alignr_epi8(last, w[(step + 2) & 3], 4));
                now = _mm_sha256msg2_epu32(now, last);
                w[step & 3] = now;
            }
            __m128i k = _mm_loadu_si128((const __m128i_u *)(ROUND + 4 * step));
            __m128i sum = _mm_add_epi32(now, k);
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
        }
        abef = _mm_add_epi32(abef, saved_abef);
        cdgh = _mm_add_epi32(cdgh, saved_cdgh);
    }
    low = _mm_shuffle_epi32(abef, 0x1b);
    high = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i_u *)state, _mm_blend_epi16(low, high, 0xf0));
    _mm_storeu_si128((__m128i_u *)(state + 4), _mm_alignr_epi8(high, low, 8));
}

/* CPUID leaf 7, EBX bit 29 (Intel SDM vol. 2, CPUID); gcc 12's __builtin_cpu_supports has no "sha".
 */
static bool has_sha_extensions(void) {
    uint32_t eax = 7, ebx, ecx = 0, edx;
    if (__builtin_cpu_supports("sse4.1") == 0) return false;
    __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    return (ebx >> 29 & 1) != 0;
}

static void blocks_added(uint32_t state[8], const uint8_t *blocks, size_t count) {
    static int
        chosen; /* 0 unknown, 1 portable, 2 accelerated; racing threads write the same value */
    int choice = __atomic_load_n(&chosen, __ATOMIC_RELAXED);
    if (choice == 0) {
        choice = has_sha_extensions() ? 2 : 1;
        __atomic_store_n(&chosen, choice, __ATOMIC_RELAXED);
    }
    (choice == 2 ? accelerated : cass_sha256_portable)(state, blocks, count);
}

void cass_sha256_start(cass_sha256 *hash) {
    static const uint32_t INITIAL[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(hash->state, INITIAL, sizeof INITIAL);
    hash->total = 0;
}

void cass_sha256_add(cass_sha256 *hash, const void *bytes, size_t count) {
    const uint8_t *from = bytes;
    size_t held = hash->total % 64;
    hash->total += count;
    if (held > 0) {
        size_t room = 64 - held, taken = count < room ? count : room;
        memcpy(hash->pending + held, from, taken);
        from += taken, count -= taken;
        if (taken < room) return;
        blocks_added(hash->state, hash->pending, 1);
    }
    blocks_added(hash->state, from, count / 64);
    if (count % 64 > 0) memcpy(hash->pending, from + count / 64 * 64, count % 64);
}

void cass_sha256_end(cass_sha256 *hash, uint8_t digest[32]) {
    uint64_t bits = hash->total * 8;
    uint8_t tail[72] = {0x80}, *length = tail + (119 - hash->total % 64) % 64 + 1;
    for (int i = 0; i < 8; i++) length[i] = (uint8_t)(bits >> (56 - 8 * i));
    cass_sha256_add(hash, tail, (size_t)(length - tail) + 8);
    for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

void cass_sha256_of(const void *bytes, size_t count, uint8_t digest[32]) {
    cass_sha256 hash;
    cass_sha256_start(&hash);
    cass_sha256_add(&hash, bytes, count);
    cass_sha256_end(&hash, digest);
}

void cass_hex(char *text, const uint8_t *bytes, size_t count) {
    static const char DIGITS[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = DIGITS[bytes[i] >> 4];
        text[2 * i + 1] = DIGITS[bytes[i] & 15];
    }
    text[2 * count] = '\0';
}
