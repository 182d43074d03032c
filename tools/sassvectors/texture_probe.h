// What the probes of texture.cu share: files, kernels, textures.
#pragma once
#include "../../samples/textures.h"
#include <string>

static std::string folder;
static void put(const std::string &name, const void *data, size_t bytes) {
    FILE *f = std::fopen((folder + "/" + name).c_str(), "wb");
    if (!f) std::exit(3);
    std::fwrite(data, 1, bytes, f);
    std::fclose(f);
}
template <typename A, typename B>
static void put2(const char *name, const std::vector<A> &in, const std::vector<B> &out) {
    put(std::string(name) + ".in.bin", in.data(), in.size() * sizeof(A));
    put(std::string(name) + ".out.bin", out.data(), out.size() * sizeof(B));
}

__global__ void k1(cudaTextureObject_t t, const float *x, float *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = tex1D<float>(t, x[i]);
}
__global__ void k2(cudaTextureObject_t t, const float2 *x, float *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = tex2D<float>(t, x[i].x, x[i].y);
}
__global__ void k24(cudaTextureObject_t t, const float2 *x, float4 *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = tex2D<float4>(t, x[i].x, x[i].y);
}
__global__ void ki4(cudaTextureObject_t t, const float2 *x, int4 *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = tex2D<int4>(t, x[i].x, x[i].y);
}
__global__ void k3(cudaTextureObject_t t, const float4 *x, float *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = tex3D<float>(t, x[i].x, x[i].y, x[i].z);
}
__global__ void kc(cudaTextureObject_t t, const float4 *x, float *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = texCubemap<float>(t, x[i].x, x[i].y, x[i].z);
}
__global__ void kg(cudaTextureObject_t t, const float2 *x, float4 *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = tex2Dgather<float4>(t, x[i].x, x[i].y);
}
__global__ void kl(cudaTextureObject_t t, const float *l, float *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = tex2DLod<float>(t, 0.5f, 0.5f, l[i]);
}
__global__ void kgrad(cudaTextureObject_t t, const float4 *d, float *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        o[i] = tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(d[i].x, d[i].y),
                                make_float2(d[i].z, d[i].w));
}
__global__ void klayer(cudaTextureObject_t t, const int *l, float *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = tex1DLayered<float>(t, 0.5f, l[i]);
}
#define GRID(n) (((int)(n) + 127) / 128), 128

static cudaTextureObject_t tex(cudaArray_t a, const Sampling &s, const float *border = nullptr) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc d = description(s);
    if (border) std::memcpy(d.borderColor, border, 16);
    cudaTextureObject_t o = 0;
    CHECK(cudaCreateTextureObject(&o, &r, &d, nullptr));
    return o;
}
static void run1(const char *name, const std::vector<float> &texels, const Sampling &s,
                 const std::vector<float> &x) {
    Array<float> a(make_cudaExtent(texels.size(), 0, 0), texels);
    cudaTextureObject_t t = tex(a, s);
    Device<float> dx(x), o(x.size());
    k1<<<GRID(x.size())>>>(t, dx, o, (int)x.size());
    finish();
    put2(name, x, o.get());
    CHECK(cudaDestroyTextureObject(t));
}
template <typename T> static void unorm(const char *name, int bits, bool linear) {
    int n = 1 << bits, w = bits == 8 ? 256 : 1024, h = n / w;
    std::vector<T> texels(n);
    for (int i = 0; i < n; ++i) texels[i] = (T)i;
    Array<T> a(make_cudaExtent(w, h, 0), texels);
    Sampling s;
    s.read = cudaReadModeNormalizedFloat;
    s.filter = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    cudaTextureObject_t t = tex(a, s);
    std::vector<float2> x(n);
    for (int i = 0; i < n; ++i) x[i] = make_float2((float)(i % w) + 0.5f, (float)(i / w) + 0.5f);
    Device<float2> dx(x);
    Device<float> o(n);
    k2<<<GRID(n)>>>(t, dx, o, n);
    finish();
    put2(name, x, o.get());
    CHECK(cudaDestroyTextureObject(t));
}
template <typename T> static void unorm_filter(const char *name) {
    Random random(5);
    const int w = 64;
    std::vector<T> texels(w);
    for (T &v : texels) v = (T)random.next();
    Array<T> a(make_cudaExtent(w, 0, 0), texels);
    Sampling s;
    s.read = cudaReadModeNormalizedFloat;
    s.filter = cudaFilterModeLinear;
    cudaTextureObject_t t = tex(a, s);
    std::vector<float> x(8192);
    for (size_t i = 0; i < x.size(); ++i) x[i] = 0.5f + (float)i * (63.0f / 8192.0f);
    Device<float> dx(x), o(x.size());
    k1<<<GRID(x.size())>>>(t, dx, o, (int)x.size());
    finish();
    put2(name, x, o.get());
    put(std::string(name) + ".texels.bin", texels.data(), texels.size() * sizeof(T));
    CHECK(cudaDestroyTextureObject(t));
}
static Random random_numbers(1);
static Sampling with(bool linear, bool normalized) {
    Sampling s;
    s.filter = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    s.normalized = normalized;
    return s;
}
static const Sampling linear = with(true, false), point = with(false, false),
                      norm_linear = with(true, true), norm_point = with(false, true);
