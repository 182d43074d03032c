// 256-bit modular exponentiation by Montgomery products, with carry chains in inline PTX; p is
// 2^255 - 19.
// features: carry, inline_ptx, int64, local_array
#include "../common.h"

constexpr int kLimbs = 8;
struct Number {
    uint32_t v[kLimbs];
};

__device__ __host__ inline uint32_t prime(int k) {
    return k == 0 ? 0xffffffedu : k == 7 ? 0x7fffffffu : 0xffffffffu;
}

// (high, low) = a * b + c + d, which cannot overflow 64 bits.
__device__ __host__ inline void multiply_add(uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                                             uint32_t *high, uint32_t *low) {
#ifdef __CUDA_ARCH__
    uint32_t l, h;
    asm("mad.lo.cc.u32 %0, %2, %3, %4;\n\tmadc.hi.u32 %1, %2, %3, 0;\n\t"
        "add.cc.u32 %0, %0, %5;\n\taddc.u32 %1, %1, 0;"
        : "=&r"(l), "=&r"(h)
        : "r"(a), "r"(b), "r"(c), "r"(d));
    *low = l, *high = h;
#else
    uint64_t sum = (uint64_t)a * b + c + d;
    *low = (uint32_t)sum, *high = (uint32_t)(sum >> 32);
#endif
}

__device__ __host__ inline Number multiply(const Number &a,
                                           const Number &b) { // a * b / 2^256 mod p
    uint32_t t[kLimbs + 2] = {};
    const uint32_t inverse = 0x286bca1bu; // -1/p mod 2^32
    for (int i = 0; i < kLimbs; ++i) {
        uint32_t carry = 0, m;
        for (int j = 0; j < kLimbs; ++j) multiply_add(a.v[j], b.v[i], t[j], carry, &carry, &t[j]);
        uint64_t top = (uint64_t)t[kLimbs] + carry;
        t[kLimbs] = (uint32_t)top, t[kLimbs + 1] = (uint32_t)(top >> 32);
        m = t[0] * inverse;
        uint32_t unused;
        multiply_add(m, prime(0), t[0], 0, &carry, &unused);
        for (int j = 1; j < kLimbs; ++j) multiply_add(m, prime(j), t[j], carry, &carry, &t[j - 1]);
        top = (uint64_t)t[kLimbs] + carry;
        t[kLimbs - 1] = (uint32_t)top, t[kLimbs] = t[kLimbs + 1] + (uint32_t)(top >> 32);
    }
    Number r, less;
    int64_t borrow = 0;
    for (int k = 0; k < kLimbs; ++k) {
        borrow += (int64_t)t[k] - prime(k);
        r.v[k] = t[k], less.v[k] = (uint32_t)borrow;
        borrow >>= 32;
    }
    return t[kLimbs] || borrow == 0 ? less : r;
}

__device__ __host__ inline Number power(Number base, unsigned exponent) {
    Number r = {{38}}; // 2^256 mod p, which stands for 1
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) r = multiply(r, base);
        base = multiply(base, base);
    }
    return r;
}

__global__ void powers(const Number *bases, Number *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = power(bases[i], 65537u + i);
}

int main() {
    const int n = 64;
    Random random(83);
    std::vector<Number> bases(n), expected(n);
    for (int i = 0; i < n; ++i) {
        for (uint32_t &limb : bases[i].v) limb = (uint32_t)random.next();
        bases[i].v[7] &= 0x3fffffffu;
        expected[i] = power(bases[i], 65537u + i);
    }
    Device<Number> dbases(bases), out(n);
    powers<<<2, 32>>>(dbases, out, n);
    finish();
    std::vector<Number> got = out.get();
    Number two = {{76}}, one = {{1}},
           plain = multiply(power(two, 10), one); // leaves the Montgomery form: 1024
    std::printf("2^10 = %u\n", plain.v[0]);
    print_digest("powers", got);
    long wrong = plain.v[0] != 1024;
    for (int i = 0; i < n; ++i) wrong += std::memcmp(&got[i], &expected[i], sizeof(Number)) != 0;
    return verdict("modular_power", wrong);
}
