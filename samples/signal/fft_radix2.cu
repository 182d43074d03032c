// Radix-2 FFT in shared memory with sincospif twiddles, and its inverse; tolerance against a
// double-precision DFT.
// features: math_float, shared_static, bit_intrinsics, template
#include "../common.h"

constexpr int kSize = 256, kBits = 8;

template <bool Inverse> __global__ void fft(const float2 *in, float2 *out) {
    __shared__ float2 data[kSize];
    in += blockIdx.x * kSize;
    out += blockIdx.x * kSize;
    for (int k = threadIdx.x; k < kSize; k += blockDim.x) data[__brev(k) >> (32 - kBits)] = in[k];
    __syncthreads();
    for (int half = 1; half < kSize; half *= 2) {
        int k = threadIdx.x, group = k / half, offset = k % half, a = group * 2 * half + offset,
            b = a + half;
        float sine, cosine;
        sincospif((Inverse ? 1.0f : -1.0f) * offset / half, &sine, &cosine);
        float2 x = data[a], y = data[b];
        float2 turned = make_float2(y.x * cosine - y.y * sine, y.x * sine + y.y * cosine);
        data[a] = make_float2(x.x + turned.x, x.y + turned.y);
        data[b] = make_float2(x.x - turned.x, x.y - turned.y);
        __syncthreads();
    }
    const float scale = Inverse ? 1.0f / kSize : 1.0f;
    for (int k = threadIdx.x; k < kSize; k += blockDim.x)
        out[k] = make_float2(data[k].x * scale, data[k].y * scale);
}

int main() {
    const int batch = 3, n = batch * kSize;
    const double pi = 3.14159265358979323846;
    Random random(63);
    std::vector<float2> in(n);
    for (float2 &v : in) v = make_float2(random.unit() - 0.5f, random.unit() - 0.5f);
    Device<float2> din(in), spectrum(n), back(n);
    fft<false><<<batch, kSize / 2>>>(din, spectrum);
    fft<true><<<batch, kSize / 2>>>(spectrum, back);
    finish();
    std::vector<float2> got = spectrum.get(), again = back.get();
    long wrong = 0;
    for (int b = 0; b < batch; ++b)
        for (int f = 0; f < kSize; ++f) {
            double real = 0, imaginary = 0;
            for (int t = 0; t < kSize; ++t) {
                double angle = -2 * pi * (f * t % kSize) / kSize, c = std::cos(angle),
                       s = std::sin(angle);
                real += in[b * kSize + t].x * c - in[b * kSize + t].y * s;
                imaginary += in[b * kSize + t].x * s + in[b * kSize + t].y * c;
            }
            wrong += !close_to(got[b * kSize + f].x, real, 2e-5) ||
                     !close_to(got[b * kSize + f].y, imaginary, 2e-5);
        }
    for (int i = 0; i < n; ++i)
        wrong += !close_to(again[i].x, in[i].x, 1e-6) || !close_to(again[i].y, in[i].y, 1e-6);
    std::printf("%d transforms of %d points\n", batch, kSize);
    return verdict("fft_radix2", wrong);
}
