// Structures passed by value, and device functions that are really called (also recursively).
#include "common.h"
#include <vector>

struct Pixel {
    unsigned char r, g, b, a;
};
struct Rules {
    char tag;
    double weight;
    short offsets[3];
    const Pixel *pixels;
    struct {
        int low, high;
    } range;
};

__host__ __device__ __noinline__ int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
__host__ __device__ __noinline__ Pixel blend(Pixel p, Pixel q, int t) {
    Pixel r;
    r.r = (unsigned char)((p.r * (255 - t) + q.r * t) / 255);
    r.g = (unsigned char)((p.g * (255 - t) + q.g * t) / 255);
    r.b = (unsigned char)((p.b * (255 - t) + q.b * t) / 255);
    r.a = (unsigned char)(p.a ^ q.a);
    return r;
}
__host__ __device__ __noinline__ long long weigh(const Rules &rules, int i) {
    int clamped = i < rules.range.low ? rules.range.low : i > rules.range.high ? rules.range.high : i;
    return (long long)(rules.weight * clamped) + rules.offsets[i % 3] + rules.tag;
}

__global__ void apply(Rules rules, Pixel tint, Pixel *out, long long *weights, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = blend(rules.pixels[i], tint, gcd(i * 12, 5040) & 255);
    weights[i] = weigh(rules, i);
}

int main() {
    const int n = 777;
    std::vector<Pixel> pixels(n), out(n);
    std::vector<long long> weights(n);
    Random random(8);
    for (Pixel &p : pixels) p = {(unsigned char)random.below(256), (unsigned char)random.below(256), (unsigned char)random.below(256), 7};
    Pixel *dp, *dout, tint = {200, 100, 50, 255};
    long long *dw;
    CHECK(cudaMalloc(&dp, n * sizeof(Pixel)));
    CHECK(cudaMalloc(&dout, n * sizeof(Pixel)));
    CHECK(cudaMalloc(&dw, n * sizeof(long long)));
    CHECK(cudaMemcpy(dp, pixels.data(), n * sizeof(Pixel), cudaMemcpyHostToDevice));
    Rules rules = {'x', 2.75, {-5, 1000, 31}, dp, {100, 600}};
    apply<<<(n + 63) / 64, 64>>>(rules, tint, dout, dw, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), dout, n * sizeof(Pixel), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(weights.data(), dw, n * sizeof(long long), cudaMemcpyDeviceToHost));
    long wrong = 0;
    for (int i = 0; i < n; ++i) {
        Pixel p = blend(pixels[i], tint, gcd(i * 12, 5040) & 255);
        wrong += std::memcmp(&p, &out[i], sizeof p) != 0;
        wrong += weights[i] != weigh(rules, i);
    }
    std::printf("sizeof(Rules)=%zu weights[5]=%lld digest=%016llx %016llx\n", sizeof(Rules), weights[5],
                (unsigned long long)digest(out.data(), n * sizeof(Pixel)), (unsigned long long)digest(weights.data(), n * sizeof(long long)));
    CHECK(cudaFree(dp));
    CHECK(cudaFree(dout));
    CHECK(cudaFree(dw));
    return verdict("struct_params", wrong);
}
