// Surfaces, textures of integers and halves, and queries, one PTX form a kernel. A line per form, geometry and sampler:
// of loads 32 lanes of four words, of stores and reductions the words of the surface that changed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

constexpr int LANES = 32, SIDE = 16, LEVELS = 3;

#define DECLARED(n) __global__ void form_##n(unsigned long long t, const int *i, const float *f, uint4 *out);
struct Case {
    const char *name;
    int what, geometry, texel, unit;
    bool safe;
    void (*run)(unsigned long long, const int *, const float *, uint4 *);
};
#include "surface_forms.inc" // made by surface_forms.py

static const char *const geometries[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
static uint64_t state;
static uint64_t next() {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}
static float uniform(float low, float high) { return low + (high - low) * (float)(next() >> 40) * (1.0f / (1 << 24)); }

static bool check(const char *what, cudaError_t error) {
    if (error != cudaSuccess) printf("error %s %s\n", what, cudaGetErrorName(error)), cudaGetLastError();
    return error == cudaSuccess;
}

struct Extent {
    int width, height, depth;
    unsigned flags;
};
static Extent extent(int kind, int side) {
    switch (kind) {
    case 0: return {side, 0, 0, 0};
    case 1: return {side, side, 0, 0};
    case 2: return {side, side, side, 0};
    case 3: return {side, 0, 3, cudaArrayLayered};
    case 4: return {side, side, 3, cudaArrayLayered};
    case 5: return {side, side, 6, cudaArrayCubemap};
    default: return {side, side, 12, cudaArrayCubemap | cudaArrayLayered};
    }
}
static cudaChannelFormatDesc raw(int bytes) {
    switch (bytes) {
    case 1: return cudaCreateChannelDesc<unsigned char>();
    case 2: return cudaCreateChannelDesc<unsigned short>();
    case 4: return cudaCreateChannelDesc<unsigned>();
    case 8: return cudaCreateChannelDesc<uint2>();
    default: return cudaCreateChannelDesc<uint4>();
    }
}
static void moved(cudaArray_t array, const Extent &e, std::vector<uint8_t> &data, int texel, bool back) {
    int w = e.width, h = e.height ? e.height : 1, d = e.depth ? e.depth : 1;
    cudaMemcpy3DParms copy = {};
    cudaPitchedPtr host = make_cudaPitchedPtr(data.data(), w * texel, w, h);
    back ? (void)(copy.dstPtr = host, copy.srcArray = array) : (void)(copy.srcPtr = host, copy.dstArray = array);
    copy.extent = make_cudaExtent(w, h, d);
    copy.kind = back ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    check("copy", cudaMemcpy3D(&copy));
}
static size_t bytes_of(const Extent &e, int texel) {
    return (size_t)texel * e.width * (e.height ? e.height : 1) * (e.depth ? e.depth : 1);
}

struct Inputs {
    int *i;
    float *f;
    uint4 *out;
};
static Inputs inputs(const Case &one) {
    std::vector<int> ints;
    std::vector<float> floats;
    for (int lane = 0; lane < LANES; ++lane) {
        for (int k = 0; k < 3; ++k) {
            int wild = (int)(next() % 20) - 2, calm = (int)(next() % SIDE);
            int at = one.safe || lane % 2 ? calm : wild;
            ints.push_back(one.what != 2 && k == 0 ? at * one.unit : at);
        }
        ints.push_back((int)(next() % (one.safe ? 3 : 4)));
        for (int k = 0; k < 4; ++k) ints.push_back((int)next());
        ints.push_back((int)(next() % LEVELS));
        for (int k = 0; k < 3; ++k) ints.push_back(0);
        for (int k = 0; k < 3; ++k)
            floats.push_back(one.geometry > 4 ? uniform(-1, 1) : lane < 16 ? uniform(0, 1) : uniform(-0.5f, 1.5f));
        floats.push_back(uniform(-0.5f, 2.5f));
        for (int k = 0; k < 6; ++k) floats.push_back(uniform(-0.2f, 0.2f));
        for (int k = 0; k < 2; ++k) floats.push_back(0);
    }
    Inputs made;
    check("i", cudaMalloc(&made.i, ints.size() * 4)), check("f", cudaMalloc(&made.f, floats.size() * 4));
    check("out", cudaMalloc(&made.out, LANES * sizeof(uint4)));
    check("i", cudaMemcpy(made.i, ints.data(), ints.size() * 4, cudaMemcpyHostToDevice));
    check("f", cudaMemcpy(made.f, floats.data(), floats.size() * 4, cudaMemcpyHostToDevice));
    return made;
}
static bool launched(const Case &one, unsigned long long object, const Inputs &in, uint32_t *words) {
    one.run<<<1, LANES>>>(object, in.i, in.f, in.out);
    bool fine = check("launch", cudaGetLastError()) && check(one.name, cudaDeviceSynchronize());
    fine = fine && check("read", cudaMemcpy(words, in.out, LANES * sizeof(uint4), cudaMemcpyDeviceToHost));
    return check("free", cudaFree(in.i)) && check("free", cudaFree(in.f)) && check("free", cudaFree(in.out)) && fine;
}

static void surface(const Case &one) {
    Extent e = extent(one.geometry, SIDE);
    cudaChannelFormatDesc format = raw(one.texel);
    cudaArray_t array;
    unsigned flags = e.flags | cudaArraySurfaceLoadStore;
    if (!check("array", cudaMalloc3DArray(&array, &format, make_cudaExtent(e.width, e.height, e.depth), flags))) return;
    std::vector<uint8_t> data(bytes_of(e, one.texel)), after(data.size());
    for (uint8_t &byte : data) byte = (uint8_t)next();
    moved(array, e, data, one.texel, false);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
    cudaSurfaceObject_t object = 0;
    check("surface", cudaCreateSurfaceObject(&object, &resource));
    uint32_t words[LANES * 4];
    Inputs in = inputs(one);
    if (launched(one, object, in, words)) {
        printf("%s %s -", one.name, geometries[one.geometry]);
        if (!strncmp(one.name, "suld", 4) || !strncmp(one.name, "suq", 3)) {
            for (uint32_t word : words) printf(" %x", word);
        } else {
            moved(array, e, after, one.texel, true);
            for (size_t k = 0; k < data.size(); ++k)
                if (after[k] != data[k]) printf(" %zu:%x", k, after[k]);
        }
        printf("\n");
    }
    cudaDestroySurfaceObject(object), cudaFreeArray(array);
}

static void texture(const Case &one, int sampler) { // 0 point, 1 linear, 2 plain coordinates of an array without levels
    bool integer = one.texel == 1 || one.texel == 2, plain = sampler == 2;
    bool gather = !strncmp(one.name, "tld4", 4);
    if (integer && sampler == 1) return;
    Extent e = extent(one.geometry, SIDE);
    if (plain && (one.geometry > 4 || !strncmp(one.name, "txq", 3))) return;
    cudaChannelFormatDesc format = one.texel == 1   ? cudaCreateChannelDesc<int4>()
                                   : one.texel == 2 ? cudaCreateChannelDesc<uint4>()
                                   : one.texel == 3 ? cudaCreateChannelDescHalf4()
                                                    : cudaCreateChannelDesc<float4>();
    int size = one.texel == 3 ? 8 : 16;
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    how.filterMode = sampler == 1 ? cudaFilterModeLinear : cudaFilterModePoint;
    how.mipmapFilterMode = cudaFilterModePoint;
    how.normalizedCoords = !plain;
    how.maxMipmapLevelClamp = plain ? 0 : LEVELS - 1;
    for (cudaTextureAddressMode &mode : how.addressMode) mode = cudaAddressModeClamp;
    cudaArray_t array = nullptr;
    cudaMipmappedArray_t levels = nullptr;
    unsigned flags = e.flags | (gather && one.geometry == 1 ? cudaArrayTextureGather : 0);
    cudaExtent extents = make_cudaExtent(e.width, e.height, e.depth);
    if (plain ? !check("array", cudaMalloc3DArray(&array, &format, extents, flags))
              : !check("levels", cudaMallocMipmappedArray(&levels, &format, extents, LEVELS, flags)))
        return;
    for (int level = 0; level < (plain ? 1 : LEVELS); ++level) {
        cudaArray_t into = array;
        if (!plain) check("level", cudaGetMipmappedArrayLevel(&into, levels, level));
        Extent part = extent(one.geometry, SIDE >> level);
        std::vector<uint8_t> data(bytes_of(part, size));
        for (size_t k = 0; k < data.size(); k += one.texel == 3 ? 2 : 4) {
            uint32_t word = (uint32_t)next();
            float value = (float)(word >> 24) / 256.0f;                // sums of eight with weights of 8 bits are exact
            uint16_t half = (uint16_t)(0x3C00 | ((word >> 20) & 0x3C0)); // 1 to 2 in steps of a sixteenth
            if (integer) memcpy(&data[k], &word, 4);
            else if (one.texel == 3) memcpy(&data[k], &half, 2);
            else memcpy(&data[k], &value, 4);
        }
        moved(into, part, data, size, false);
    }
    if (plain) resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
    else resource.resType = cudaResourceTypeMipmappedArray, resource.res.mipmap.mipmap = levels;
    cudaTextureObject_t object = 0;
    check("texture", cudaCreateTextureObject(&object, &resource, &how, nullptr));
    uint32_t words[LANES * 4];
    Inputs in = inputs(one);
    if (launched(one, object, in, words)) {
        printf("%s %s %d", one.name, geometries[one.geometry], sampler);
        for (uint32_t word : words) printf(" %x", word);
        printf("\n");
    }
    cudaDestroyTextureObject(object);
    plain ? cudaFreeArray(array) : cudaFreeMipmappedArray(levels);
}

// surface_forms FIRST LAST: cases FIRST to LAST-1. Prints "at N" before case N; 3: an error that stays in the process.
int main(int count, char **arguments) {
    if (count != 3) return fprintf(stderr, "usage: surface_forms FIRST LAST\n"), 2;
    for (int number = atoi(arguments[1]); number < atoi(arguments[2]); ++number) {
        const Case &one = cases[number];
        printf("at %d\n", number), fflush(stdout);
        state = 88172645463325252ull ^ (uint64_t)(number + 1) * 0x9E3779B97F4A7C15ull;
        if (one.what < 2) surface(one);
        for (int sampler = 0; one.what == 2 && sampler < 3; ++sampler) texture(one, sampler);
        fflush(stdout);
        if (cudaDeviceSynchronize() != cudaSuccess) return 3;
    }
    return 0;
}
