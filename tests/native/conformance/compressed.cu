// Block-compressed views: every texel of many blocks, read as the four floats that a texture gives. Files NAME.blocks (what the array
// holds) and NAME.texels (float4, row after row), and samples between texels.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
__global__ void texels(cudaTextureObject_t t, float4 *out, int w) { int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y; out[y * w + x] = tex2D<float4>(t, x + .5f, y + .5f); }
__global__ void between(cudaTextureObject_t t, float4 *out) { int i = threadIdx.x; out[i] = tex2D<float4>(t, 3.f + i * .37f, 2.f + i * .21f); }
static unsigned long long state = 88172645463325252ull;
static unsigned char next() { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return (unsigned char)(state >> 24); }
int main(int, char **argv) {
    std::string folder = argv[1];
    struct { const char *name; int view, bytes; } all[] = {{"bc1", cudaResViewFormatUnsignedBlockCompressed1, 8}, {"bc2", cudaResViewFormatUnsignedBlockCompressed2, 16}, {"bc3", cudaResViewFormatUnsignedBlockCompressed3, 16}, {"bc4", cudaResViewFormatUnsignedBlockCompressed4, 8}, {"bc4s", cudaResViewFormatSignedBlockCompressed4, 8}, {"bc5", cudaResViewFormatUnsignedBlockCompressed5, 16}, {"bc5s", cudaResViewFormatSignedBlockCompressed5, 16}, {"bc6", cudaResViewFormatUnsignedBlockCompressed6H, 16}, {"bc6s", cudaResViewFormatSignedBlockCompressed6H, 16}, {"bc7", cudaResViewFormatUnsignedBlockCompressed7, 16}};
    for (auto &f : all) {
        int wide = 16, high = f.view >= cudaResViewFormatUnsignedBlockCompressed6H ? 24 : 8; std::vector<unsigned char> v(wide * high * f.bytes); for (auto &b : v) b = next();
        if (f.view == cudaResViewFormatUnsignedBlockCompressed7) for (int i = 0; i < wide * high; i++) { int mode = i % 9; unsigned char &b = v[16 * i]; b = mode == 8 ? 0 : (b & ~((2u << mode) - 1)) | 1u << mode; }
        if (f.bytes == 8 && f.view == cudaResViewFormatUnsignedBlockCompressed1) for (int i = 0; i < 16; i++) memcpy(&v[8 * i + 2], &v[8 * i], i & 1 ? 2 : 1); // equal end colours
        cudaArray_t a; auto d = f.bytes == 8 ? cudaCreateChannelDesc(32, 32, 0, 0, cudaChannelFormatKindUnsigned) : cudaCreateChannelDesc(32, 32, 32, 32, cudaChannelFormatKindUnsigned); int made = cudaMallocArray(&a, &d, wide, high); cudaMemcpy2DToArray(a, 0, 0, v.data(), wide * f.bytes, wide * f.bytes, high, cudaMemcpyHostToDevice);
        cudaResourceDesc r = {}; r.resType = cudaResourceTypeArray; r.res.array.array = a; cudaTextureDesc how = {}; how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp; how.readMode = cudaReadModeElementType; cudaResourceViewDesc view = {}; view.format = (cudaResourceViewFormat)f.view; view.width = 4 * wide; view.height = 4 * high; cudaTextureObject_t t = 0;
        int w = 4 * wide, h = 4 * high; float4 *out; cudaMalloc(&out, w * h * 16); std::vector<float4> got(w * h);
        for (int normalized = 0; normalized < 2; normalized++) { how.readMode = normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType; int object = cudaCreateTextureObject(&t, &r, &how, &view); cudaGetLastError(); printf("%s array %d read mode %d: object %d\n", f.name, made, normalized, object); if (object) continue; texels<<<dim3(w / 64, h), 64>>>(t, out, w); int done = cudaDeviceSynchronize(); cudaMemcpy(got.data(), out, w * h * 16, cudaMemcpyDeviceToHost); printf(" kernel %d\n", done); std::string n = folder + "/" + f.name + (normalized ? ".normalized" : ".texels"); if (FILE *o = fopen(n.c_str(), "wb")) { fwrite(got.data(), 16, got.size(), o); fclose(o); } }
        if (FILE *o = fopen((folder + "/" + f.name + ".blocks").c_str(), "wb")) { fwrite(v.data(), 1, v.size(), o); fclose(o); }
        how.filterMode = cudaFilterModeLinear; for (int normalized = 0; normalized < 2; normalized++) { how.readMode = normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType; int object = cudaCreateTextureObject(&t, &r, &how, &view); cudaGetLastError(); printf("%s linear %d: object %d\n", f.name, normalized, object); if (object) continue; between<<<1, 32>>>(t, out); cudaMemcpy(got.data(), out, 512, cudaMemcpyDeviceToHost); for (int i = 0; i < 32; i++) { unsigned b[4]; memcpy(b, &got[i], 16); printf(" %08x %08x %08x %08x\n", b[0], b[1], b[2], b[3]); } }
        how.filterMode = cudaFilterModePoint; how.readMode = cudaReadModeElementType; how.sRGB = 1; { int object = cudaCreateTextureObject(&t, &r, &how, &view); cudaGetLastError(); printf("%s srgb: object %d\n", f.name, object); if (!object) { between<<<1, 32>>>(t, out); cudaMemcpy(got.data(), out, 512, cudaMemcpyDeviceToHost); for (int i = 0; i < 8; i++) { unsigned b[4]; memcpy(b, &got[i], 16); printf(" %08x %08x %08x %08x\n", b[0], b[1], b[2], b[3]); } } } how.sRGB = 0;
        view.width = wide; view.height = high; { int object = cudaCreateTextureObject(&t, &r, &how, &view); cudaGetLastError(); printf("%s sides in blocks: object %d\n", f.name, object); } view.width = 4 * wide - 2; view.height = 4 * high; { int object = cudaCreateTextureObject(&t, &r, &how, &view); cudaGetLastError(); printf("%s odd side: object %d\n", f.name, object); }
        view.width = 4 * wide; cudaArray_t other; auto wrong = cudaCreateChannelDesc<float>(); cudaMallocArray(&other, &wrong, wide, high); r.res.array.array = other; { int object = cudaCreateTextureObject(&t, &r, &how, &view); cudaGetLastError(); printf("%s of floats: object %d\n", f.name, object); }
    }
    return 0;
}
