// half and bfloat16: conversions in every rounding, packed arithmetic, comparison, against integer
// arithmetic on the host.
// features: half, bf16, struct_param, rounding
#include "../common.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Pointers {
    const float *x, *y;
    uint16_t *out;
};
constexpr int kResults = 10;

template <typename H> __host__ __device__ inline uint16_t raw(H h) {
    uint16_t w;
    memcpy(&w, &h, sizeof w);
    return w;
}

__global__ void convert(Pointers p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __half a = __float2half_rn(p.x[i]), b = __float2half_rn(p.y[i]);
    __nv_bfloat16 c = __float2bfloat16_rn(p.x[i]), d = __float2bfloat16_rn(p.y[i]);
    __half2 packed = __hmul2(__halves2half2(a, b), __halves2half2(b, b));
    __nv_bfloat162 added = __hadd2(__halves2bfloat162(c, d), __halves2bfloat162(d, d));
    uint16_t *o = p.out + i * kResults;
    o[0] = raw(a);
    o[1] = raw(__hadd(a, b));
    o[2] = raw(__low2half(packed));
    o[3] = raw(__high2half(packed));
    o[4] = raw(c);
    o[5] = raw(__low2bfloat16(added));
    o[6] = raw(__hmul(c, d));
    o[7] = (uint16_t)(__hlt(a, b) | __hge(c, d) << 1 | __heq(a, a) << 2);
    o[8] = raw(__float2half_rz(p.x[i]));
    o[9] = (uint16_t)__half2int_rn(b);
}

int main() {
    const int n = 500;
    std::vector<float> x(n), y(n);
    std::vector<uint16_t> expected(n * kResults);
    Random random(23);
    for (int i = 0; i < n; ++i) {
        x[i] = (i % 4 ? 1.0f : 100.0f) * (random.unit() - 0.5f);
        y[i] = 20.0f * (random.unit() - 0.5f);
        __half a = __float2half_rn(x[i]), b = __float2half_rn(y[i]);
        __nv_bfloat16 c = __float2bfloat16_rn(x[i]), d = __float2bfloat16_rn(y[i]);
        float fa = __half2float(a), fb = __half2float(b), fc = __bfloat162float(c),
              fd = __bfloat162float(d);
        uint16_t *o = &expected[i * kResults];
        o[0] = raw(a);
        o[1] = raw(__float2half_rn(fa + fb));
        o[2] = raw(__float2half_rn(fa * fb));
        o[3] = raw(__float2half_rn(fb * fb));
        o[4] = raw(c);
        o[5] = raw(__float2bfloat16_rn(fc + fd));
        o[6] = raw(__float2bfloat16_rn(fc * fd));
        o[7] = (uint16_t)((fa < fb) | (fc >= fd) << 1 | 4);
        o[8] = raw(__float2half_rz(x[i]));
        o[9] = (uint16_t)(int)std::nearbyint(fb);
    }
    Device<float> dx(x), dy(y);
    Device<uint16_t> dout(expected.size());
    convert<<<4, 128>>>(Pointers{dx, dy, dout}, n);
    finish();
    std::vector<uint16_t> out = dout.get();
    for (int k = 0; k < kResults; ++k) {
        long bad = 0;
        for (int i = 0; i < n; ++i) bad += out[i * kResults + k] != expected[i * kResults + k];
        std::printf("result %d %s\n", k, bad ? "differs" : "agrees");
    }
    print_digest("results", out);
    return verdict("half_and_bf16", count_different(out, expected));
}
