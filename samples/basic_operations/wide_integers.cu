// 128- and 256-bit addition and multiplication: carry chains in inline PTX, __umulhi, __umul64hi,
// __int128.
// features: carry, inline_ptx, int64
#include "../common.h"

struct Wide {
    uint32_t limb[8];
};

__global__ void add_wide(const Wide *a, const Wide *b, Wide *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uint32_t *x = a[i].limb, *y = b[i].limb;
    uint32_t *r = out[i].limb;
    asm volatile("add.cc.u32 %0, %8, %16;\n\taddc.cc.u32 %1, %9, %17;\n\t"
                 "addc.cc.u32 %2, %10, %18;\n\taddc.cc.u32 %3, %11, %19;\n\t"
                 "addc.cc.u32 %4, %12, %20;\n\taddc.cc.u32 %5, %13, %21;\n\t"
                 "addc.cc.u32 %6, %14, %22;\n\taddc.u32 %7, %15, %23;"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]),
                   "=r"(r[6]), "=r"(r[7])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]),
                   "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]),
                   "r"(y[6]), "r"(y[7]));
}

__global__ void multiply(const uint64_t *a, const uint64_t *b, uint64_t *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned __int128 product = (unsigned __int128)a[i] * b[i] + a[i];
    out[4 * i] = (uint64_t)product;
    out[4 * i + 1] = (uint64_t)(product >> 64);
    out[4 * i + 2] = __umul64hi(a[i], b[i]) ^ (uint64_t)__mul64hi((long long)a[i], (long long)b[i]);
    out[4 * i + 3] = __umulhi((uint32_t)a[i], (uint32_t)b[i]) +
                     (uint64_t)__umul24((uint32_t)a[i], (uint32_t)b[i]);
}

int main() {
    const int n = 400;
    Random random(14);
    std::vector<Wide> a(n), b(n), sum(n);
    std::vector<uint64_t> x(n), y(n), product(4 * n);
    for (int i = 0; i < n; ++i) {
        uint64_t carry = 0;
        for (int k = 0; k < 8; ++k) {
            a[i].limb[k] = i % 3 ? (uint32_t)random.next() : 0xffffffffu;
            b[i].limb[k] = i % 5 ? (uint32_t)random.next() : (k == 0);
            carry += (uint64_t)a[i].limb[k] + b[i].limb[k];
            sum[i].limb[k] = (uint32_t)carry;
            carry >>= 32;
        }
        x[i] = random.next();
        y[i] = random.next() >> random.below(60);
        unsigned __int128 p = (unsigned __int128)x[i] * y[i], q = p + x[i];
        product[4 * i] = (uint64_t)q;
        product[4 * i + 1] = (uint64_t)(q >> 64);
        product[4 * i + 2] =
            (uint64_t)(p >> 64) ^ (uint64_t)(((__int128)(int64_t)x[i] * (int64_t)y[i]) >> 64);
        product[4 * i + 3] = ((x[i] & 0xffffffff) * (y[i] & 0xffffffff) >> 32) +
                             (uint32_t)((x[i] & 0xffffff) * (y[i] & 0xffffff));
    }
    Device<Wide> da(a), db(b), dsum(n);
    Device<uint64_t> dx(x), dy(y), dproduct(4 * n);
    add_wide<<<4, 128>>>(da, db, dsum, n);
    multiply<<<4, 128>>>(dx, dy, dproduct, n);
    finish();
    std::vector<Wide> got = dsum.get();
    long wrong = count_different(dproduct.get(), product);
    for (int i = 0; i < n; ++i) wrong += std::memcmp(&got[i], &sum[i], sizeof(Wide)) != 0;
    print_digest("sums", got);
    print_digest("products", dproduct.get());
    return verdict("wide_integers", wrong);
}
