// Textures that AMD's descriptors have no words for: other border colours, odd pitches, sides beyond 16384 texels.
#include <cuda.h>
#include <cuda_runtime.h>
#include "section.h"
#include <vector>
template <typename T> __global__ void read2(cudaTextureObject_t t, float *out, float x0, float y0, float dx, int n, int lod) {
    int i = threadIdx.x; if (i >= n) return;
    T v = lod ? tex2DLod<T>(t, x0 + i * dx, y0, 0) : tex2D<T>(t, x0 + i * dx, y0);
    out[4 * i] = v.x; out[4 * i + 1] = v.y; out[4 * i + 2] = v.z; out[4 * i + 3] = v.w;
}
__global__ void read1(cudaTextureObject_t t, float *out, float x0, float y0, float dx, int n) { int i = threadIdx.x; if (i < n) out[i] = tex2D<float>(t, x0 + i * dx, y0); }
__global__ void read3(cudaTextureObject_t t, float *out, float x0, float y0, float z0, float dx, int n) { int i = threadIdx.x; if (i < n) out[i] = tex3D<float>(t, x0 + i * dx, y0, z0); }
__global__ void readx(cudaTextureObject_t t, float *out, float x0, float dx, int n) { int i = threadIdx.x; if (i < n) out[i] = tex1D<float>(t, x0 + i * dx); }
__global__ void store2(cudaSurfaceObject_t s, int x, int y) { surf2Dwrite(123.f, s, x * 4, y); }
static float *out, host[256];
static void take(const char *name, int n) {
    int r = cudaDeviceSynchronize(); cudaMemcpy(host, out, n * 4, cudaMemcpyDeviceToHost); printf("%s %d:", name, r); for (int i = 0; i < n; i++) printf(" %.6g", host[i]); printf("\n"); fflush(stdout); cudaMemset(out, 0xff, sizeof host);
}
static cudaTextureDesc how(cudaTextureAddressMode mode, cudaTextureFilterMode filter, cudaTextureReadMode read, int normalized, float r, float g, float b, float a) {
    cudaTextureDesc d = {}; d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = mode; d.filterMode = filter; d.readMode = read; d.normalizedCoords = normalized; d.borderColor[0] = r; d.borderColor[1] = g; d.borderColor[2] = b; d.borderColor[3] = a; return d;
}
static void borders() {
    cudaMalloc(&out, sizeof host); cudaArray_t a; auto f = cudaCreateChannelDesc<float4>(); cudaMallocArray(&a, &f, 4, 4); std::vector<float> v(64); for (int i = 0; i < 64; i++) v[i] = i; cudaMemcpy2DToArray(a, 0, 0, v.data(), 64, 64, 4, cudaMemcpyHostToDevice);
    cudaResourceDesc r = {}; r.resType = cudaResourceTypeArray; r.res.array.array = a; cudaTextureObject_t t = 0;
    for (int filter = 0; filter < 2; filter++) for (int norm = 0; norm < 2; norm++) {
        auto d = how(cudaAddressModeBorder, (cudaTextureFilterMode)filter, cudaReadModeElementType, norm, 0.25f, -3, 100, 7); SHOW("make", cudaCreateTextureObject(&t, &r, &d, 0)); float s = norm ? .25f : 1;
        read2<float4><<<1, 32>>>(t, out, -1.25f * s, 1.5f * s, .5f * s, 8, 0); take("left", 32); read2<float4><<<1, 32>>>(t, out, 2.f * s, 3.75f * s, .75f * s, 6, 0); take("right", 24); read2<float4><<<1, 32>>>(t, out, 2.f * s, 30 * s, .75f * s, 2, 1); take("far", 8);
    }
    cudaArray_t b; auto u = cudaCreateChannelDesc<uchar4>(); cudaMallocArray(&b, &u, 4, 4); std::vector<unsigned char> w(64); for (int i = 0; i < 64; i++) w[i] = i * 4; cudaMemcpy2DToArray(b, 0, 0, w.data(), 16, 16, 4, cudaMemcpyHostToDevice); r.res.array.array = b;
    { auto d = how(cudaAddressModeBorder, cudaFilterModeLinear, cudaReadModeNormalizedFloat, 0, 0.25f, -3, 2, 1); SHOW("bytes", cudaCreateTextureObject(&t, &r, &d, 0)); read2<float4><<<1, 32>>>(t, out, -.5f, 1.25f, .5f, 6, 0); take("bytes", 24); }
    cudaArray_t one; auto f1 = cudaCreateChannelDesc<float>(); cudaMallocArray(&one, &f1, 4, 4); cudaMemcpy2DToArray(one, 0, 0, v.data(), 16, 16, 4, cudaMemcpyHostToDevice); r.res.array.array = one;
    { auto d = how(cudaAddressModeBorder, cudaFilterModePoint, cudaReadModeElementType, 0, 0.25f, -3, 2, 1); SHOW("one", cudaCreateTextureObject(&t, &r, &d, 0)); read1<<<1, 32>>>(t, out, -1.5f, 1.5f, 1, 7); take("one", 7); }
    { auto d = how(cudaAddressModeBorder, cudaFilterModeLinear, cudaReadModeElementType, 0, 0.25f, -3, 2, 1); d.addressMode[1] = cudaAddressModeClamp; SHOW("mixed", cudaCreateTextureObject(&t, &r, &d, 0)); read1<<<1, 32>>>(t, out, -1.5f, -1.25f, .5f, 8); take("mixed", 8); }
    cudaArray_t cube; cudaMalloc3DArray(&cube, &f1, make_cudaExtent(4, 2, 2)); cudaMemcpy3DParms c = {}; c.srcPtr = make_cudaPitchedPtr(v.data(), 16, 4, 2); c.dstArray = cube; c.extent = make_cudaExtent(4, 2, 2); c.kind = cudaMemcpyHostToDevice; SHOW("copy", cudaMemcpy3D(&c)); r.res.array.array = cube;
    { auto d = how(cudaAddressModeBorder, cudaFilterModeLinear, cudaReadModeElementType, 0, 5, 6, 7, 8); SHOW("volume", cudaCreateTextureObject(&t, &r, &d, 0)); read3<<<1, 32>>>(t, out, -1, 1.5f, 1.75f, .5f, 10); take("volume", 10); }
    cudaArray_t line; cudaMallocArray(&line, &f1, 4, 0); cudaMemcpy2DToArray(line, 0, 0, v.data(), 16, 16, 1, cudaMemcpyHostToDevice); r.res.array.array = line;
    { auto d = how(cudaAddressModeBorder, cudaFilterModeLinear, cudaReadModeElementType, 0, 5, 6, 7, 8); SHOW("line", cudaCreateTextureObject(&t, &r, &d, 0)); readx<<<1, 32>>>(t, out, -1, .5f, 12); take("line", 12); }
}
static void integer_borders() {
    cudaMalloc(&out, sizeof host); cudaArray_t a; auto f = cudaCreateChannelDesc<int4>(); cudaMallocArray(&a, &f, 4, 4); std::vector<int> v(64); for (int i = 0; i < 64; i++) v[i] = i; cudaMemcpy2DToArray(a, 0, 0, v.data(), 64, 64, 4, cudaMemcpyHostToDevice);
    cudaResourceDesc r = {}; r.resType = cudaResourceTypeArray; r.res.array.array = a; cudaTextureObject_t t = 0; auto d = how(cudaAddressModeBorder, cudaFilterModePoint, cudaReadModeElementType, 0, 0.25f, -3, 100, 7); SHOW("make", cudaCreateTextureObject(&t, &r, &d, 0)); read2<int4><<<1, 32>>>(t, out, -1.5f, 1.5f, 1, 4, 0); take("ints", 16);
    cudaArray_t b; auto u = cudaCreateChannelDesc<uchar4>(); cudaMallocArray(&b, &u, 4, 4); r.res.array.array = b; cudaMemcpy2DToArray(b, 0, 0, v.data(), 16, 16, 4, cudaMemcpyHostToDevice); SHOW("make", cudaCreateTextureObject(&t, &r, &d, 0)); read2<uchar4><<<1, 32>>>(t, out, -1.5f, 1.5f, 1, 4, 0); take("bytes", 16);
}
static void pitches() {
    cudaMalloc(&out, sizeof host); cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); printf("alignment %zu pitch %zu\n", p.textureAlignment, p.texturePitchAlignment); char *m; cudaMalloc(&m, 1 << 16); std::vector<float> v(1 << 14); for (int i = 0; i < 1 << 14; i++) v[i] = i; cudaMemcpy(m, v.data(), 1 << 16, cudaMemcpyHostToDevice);
    for (size_t pitch : {32, 64, 96, 160, 416, 512, 40, 48}) for (int filter = 0; filter < 2; filter++) {
        cudaResourceDesc r = {}; r.resType = cudaResourceTypePitch2D; r.res.pitch2D = {m, cudaCreateChannelDesc<float>(), 7, 9, pitch}; cudaTextureObject_t t = 0; auto d = how(cudaAddressModeClamp, (cudaTextureFilterMode)filter, cudaReadModeElementType, 0, 0, 0, 0, 0); int made = cudaCreateTextureObject(&t, &r, &d, 0); printf("pitch %zu made %d\n", pitch, made); cudaGetLastError(); fflush(stdout);
        if (!made) { read1<<<1, 32>>>(t, out, -1, 3.25f, .75f, 12); take("row", 12); read1<<<1, 32>>>(t, out, 2.75f, 12, 1, 3); take("below", 3); }
    }
    for (size_t off : {16, 32, 256, 512}) { cudaResourceDesc r = {}; r.resType = cudaResourceTypePitch2D; r.res.pitch2D = {m + off, cudaCreateChannelDesc<float>(), 7, 9, 96}; cudaTextureObject_t t = 0; auto d = how(cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, 0, 0, 0, 0, 0); int made = cudaCreateTextureObject(&t, &r, &d, 0); printf("base %zu made %d\n", off, made); cudaGetLastError(); if (!made) { read1<<<1, 32>>>(t, out, 0, 3, 1, 4); take("row", 4); } }
}
static void long_sides() {
    cudaMalloc(&out, sizeof host); int width = 40000; cudaArray_t a; auto f = cudaCreateChannelDesc<float>(); SHOW("array", cudaMallocArray(&a, &f, width, 3, cudaArraySurfaceLoadStore)); std::vector<float> v(width * 3); for (int i = 0; i < width * 3; i++) v[i] = i; cudaMemcpy2DToArray(a, 0, 0, v.data(), width * 4, width * 4, 3, cudaMemcpyHostToDevice);
    cudaResourceDesc r = {}; r.resType = cudaResourceTypeArray; r.res.array.array = a; cudaTextureObject_t t = 0; cudaSurfaceObject_t s = 0;
    for (int filter = 0; filter < 2; filter++) for (int norm = 0; norm < 2; norm++) { auto d = how(norm ? cudaAddressModeWrap : cudaAddressModeClamp, (cudaTextureFilterMode)filter, cudaReadModeElementType, norm, 0, 0, 0, 0); SHOW("make", cudaCreateTextureObject(&t, &r, &d, 0)); read1<<<1, 32>>>(t, out, norm ? 0.6f : 39990.25f, norm ? .5f : 1.5f, norm ? .125f : 2.25f, 8); take("row", 8); }
    SHOW("surface", cudaCreateSurfaceObject(&s, &r)); store2<<<1, 1>>>(s, 39999, 2); SHOW("store", cudaDeviceSynchronize()); float got = 0; cudaMemcpy2DFromArray(&got, 4, a, 39999 * 4, 2, 4, 1, cudaMemcpyDeviceToHost); printf("%g\n", got);
    cudaArray_t tall; SHOW("tall", cudaMallocArray(&tall, &f, 2, 20000)); for (int i = 0; i < 40000; i++) v[i] = i; cudaMemcpy2DToArray(tall, 0, 0, v.data(), 8, 8, 20000, cudaMemcpyHostToDevice); r.res.array.array = tall; auto d = how(cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, 0, 0, 0, 0, 0); SHOW("make", cudaCreateTextureObject(&t, &r, &d, 0)); read1<<<1, 32>>>(t, out, .5f, 19999.5f, 1, 3); take("row", 3);
    cudaArray_t line; SHOW("line", cudaMallocArray(&line, &f, 100000, 0)); for (auto &x : v) x = 2 * (&x - v.data()); cudaMemcpy2DToArray(line, 0, 0, v.data(), 400000, 400000, 1, cudaMemcpyHostToDevice); r.res.array.array = line; SHOW("make", cudaCreateTextureObject(&t, &r, &d, 0)); readx<<<1, 32>>>(t, out, 99995.5f, 1, 8); take("line", 8);
}
int main() { SECTION(borders); SECTION(integer_borders); SECTION(pitches); SECTION(long_sides); return 0; }
