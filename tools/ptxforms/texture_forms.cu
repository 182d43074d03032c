// Texture forms that CUDA C++ has no words for: texel offsets, depth comparison, gradients of cubes and volumes,
// and surface reductions of 64 bits. One line per form, texel type and sampler: 32 lanes of four words.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

constexpr int LANES = 32, SIDE = 16, LEVELS = 3;

#define FORM(n, text)                                                                                                  \
    __global__ void form_##n(unsigned long long t, const float *f, const int *i, float4 *out) {                        \
        f += 12 * threadIdx.x, i += 8 * threadIdx.x;                                                                   \
        float4 d;                                                                                                      \
        asm volatile(text                                                                                              \
                     : "=f"(d.x), "=f"(d.y), "=f"(d.z), "=f"(d.w)                                                      \
                     : "l"(t), "f"(f[0]), "f"(f[1]), "f"(f[2]), "f"(f[3]), "f"(f[4]), "f"(f[5]), "f"(f[6]), "f"(f[7]), \
                       "f"(f[8]), "f"(f[9]), "f"(f[10]), "r"(i[0]), "r"(i[1]), "r"(i[2]), "r"(i[3]), "r"(i[4]),        \
                       "r"(i[5]), "r"(i[6]));                                                                          \
        out[threadIdx.x] = d;                                                                                          \
    }
#define SURFACE(n, text)                                                                                               \
    __global__ void surface_##n(unsigned long long t, const int *i, const long long *v) {                              \
        i += 8 * threadIdx.x;                                                                                          \
        asm volatile(text : : "l"(t), "r"(i[0]), "r"(i[1]), "r"(i[2]), "l"(v[threadIdx.x]) : "memory");                \
    }
#include "texture_forms.inc" // made by texture_forms.py

static uint64_t state = 88172645463325252ull;
static uint64_t next() {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}
static float uniform(float low, float high) { return low + (high - low) * (float)(next() >> 40) * (1.0f / (1 << 24)); }

static void check(const char *what, cudaError_t error) {
    if (error != cudaSuccess) printf("error %s %s\n", what, cudaGetErrorName(error)), cudaGetLastError();
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

static float texel(int x, int y, int z, int level, int channel) {
    uint32_t h = x * 2654435761u ^ y * 2246822519u ^ z * 3266489917u ^ (level * 4 + channel) * 668265263u;
    h ^= h >> 15, h *= 2246822519u, h ^= h >> 13;
    return (float)(h >> 24) / 256.0f; // sums of four with weights of 8 bits are exact
}

static void fill(cudaArray_t array, const Extent &e, int level, int channels) {
    int w = e.width, h = e.height ? e.height : 1, d = e.depth ? e.depth : 1;
    std::vector<float> data((size_t)w * h * d * channels);
    for (int z = 0; z < d; ++z)
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x)
                for (int c = 0; c < channels; ++c)
                    data[(((size_t)z * h + y) * w + x) * channels + c] = texel(x, y, z, level, c);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(data.data(), w * channels * sizeof(float), w, h);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(w, h, d);
    copy.kind = cudaMemcpyHostToDevice;
    check("copy", cudaMemcpy3D(&copy));
}

static cudaTextureObject_t texture(int kind, int channels, int sampler) {
    Extent e = extent(kind, SIDE);
    cudaChannelFormatDesc format = channels == 4 ? cudaCreateChannelDesc<float4>() : cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    bool plain = sampler == 4;
    how.filterMode = sampler == 0 ? cudaFilterModePoint : cudaFilterModeLinear;
    how.mipmapFilterMode = how.filterMode;
    how.normalizedCoords = !plain;
    how.maxMipmapLevelClamp = plain ? 0 : LEVELS - 1;
    for (cudaTextureAddressMode &mode : how.addressMode)
        mode = sampler == 2 ? cudaAddressModeWrap : sampler == 3 ? cudaAddressModeBorder : cudaAddressModeClamp;
    if (plain) {
        cudaArray_t array;
        check("array", cudaMalloc3DArray(&array, &format, make_cudaExtent(e.width, e.height, e.depth), e.flags));
        fill(array, e, 0, channels);
        resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
    } else {
        cudaMipmappedArray_t levels;
        check("levels", cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(e.width, e.height, e.depth), LEVELS,
                                                 e.flags));
        for (int level = 0; level < LEVELS; ++level) {
            cudaArray_t array;
            check("level", cudaGetMipmappedArrayLevel(&array, levels, level));
            fill(array, extent(kind, SIDE >> level), level, channels);
        }
        resource.resType = cudaResourceTypeMipmappedArray, resource.res.mipmap.mipmap = levels;
    }
    cudaTextureObject_t object = 0;
    check("texture", cudaCreateTextureObject(&object, &resource, &how, nullptr));
    return object;
}

template <typename T> static T *device(const std::vector<T> &host) {
    T *at = nullptr;
    check("memory", cudaMalloc(&at, host.size() * sizeof(T)));
    check("upload", cudaMemcpy(at, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return at;
}

static void textures() {
    std::vector<float4> zero(LANES, float4{});
    float4 *out = device(zero);
    for (int kind = 0; kind < 7; ++kind) {
        for (int sampler = 0; sampler < 5; ++sampler) {
            if (kind > 4 && sampler == 4) continue;
            std::vector<float> floats;
            std::vector<int> ints;
            for (int lane = 0; lane < LANES; ++lane) {
                for (int k = 0; k < 3; ++k)
                    floats.push_back(kind > 4       ? uniform(-1, 1)
                                     : sampler == 4 ? uniform(-3, 19)
                                     : lane < 16    ? uniform(0, 1)
                                                    : uniform(-0.5f, 1.5f));
                floats.push_back(uniform(-0.5f, 2.5f));
                float reach = lane & 1 ? 0.3f : 0.1f;
                for (int k = 0; k < 6; ++k) floats.push_back(uniform(-reach, reach) * (sampler == 4 ? SIDE : 1));
                floats.push_back(lane % 8 == 7 ? texel(lane % 5, lane % 3, 0, 0, 0) : uniform(-0.2f, 1.2f));
                floats.push_back(0);
                ints.push_back((int)(next() % 4));
                for (int k = 0; k < 3; ++k) ints.push_back((int)(next() % 20) - 2);
                for (int k = 0; k < 3; ++k)
                    ints.push_back(lane % 8 == 5 ? (int)(next() % 64) - 32 : (int)(next() % 16) - 8);
                ints.push_back(0);
            }
            float *f = device(floats);
            int *i = device(ints);
            for (int channels = 1; channels <= 4; channels += 3) {
                cudaTextureObject_t object = texture(kind, channels, sampler);
                for (const auto &form : forms) {
                    if (form.kind != kind) continue;
                    check("clear", cudaMemset(out, 0x5a, LANES * sizeof(float4)));
                    form.run<<<1, LANES>>>(object, f, i, out);
                    check(form.name, cudaDeviceSynchronize());
                    uint32_t words[LANES * 4];
                    check("read", cudaMemcpy(words, out, sizeof words, cudaMemcpyDeviceToHost));
                    printf("%s channels %d sampler %d", form.name, channels, sampler);
                    for (uint32_t word : words) printf(" %x", word);
                    printf("\n");
                }
            }
        }
    }
}

static void surfaces() {
    cudaGetLastError();
    for (const auto &one : reductions) {
        Extent e = extent(one.kind, SIDE);
        int h = e.height ? e.height : 1, d = e.depth ? e.depth : 1;
        cudaChannelFormatDesc format = cudaCreateChannelDesc<uint2>();
        cudaArray_t array;
        check("array", cudaMalloc3DArray(&array, &format, make_cudaExtent(e.width, e.height, e.depth),
                                         cudaArraySurfaceLoadStore));
        std::vector<uint64_t> data((size_t)SIDE * h * d);
        for (uint64_t &word : data) word = next();
        cudaMemcpy3DParms copy = {};
        copy.srcPtr = make_cudaPitchedPtr(data.data(), SIDE * 8, SIDE, h);
        copy.dstArray = array, copy.extent = make_cudaExtent(SIDE, h, d), copy.kind = cudaMemcpyHostToDevice;
        check("fill", cudaMemcpy3D(&copy));
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
        cudaSurfaceObject_t object = 0;
        check("surface", cudaCreateSurfaceObject(&object, &resource));
        bool bytes = one.name[6] == 'b';
        std::vector<int> places;
        std::vector<long long> values;
        for (int lane = 0; lane < LANES; ++lane) {
            places.push_back(((int)(next() % 18) - 1) * (bytes ? 8 : 1));
            for (int k = 0; k < 7; ++k) places.push_back((int)(next() % 18) - 1);
            values.push_back((long long)next());
        }
        one.run<<<1, LANES>>>(object, device(places), device(values));
        check(one.name, cudaDeviceSynchronize());
        std::vector<uint64_t> after(data.size());
        cudaMemcpy3DParms back = {};
        back.dstPtr = make_cudaPitchedPtr(after.data(), SIDE * 8, SIDE, h);
        back.srcArray = array, back.extent = make_cudaExtent(SIDE, h, d), back.kind = cudaMemcpyDeviceToHost;
        check("read", cudaMemcpy3D(&back));
        printf("%s", one.name);
        for (size_t k = 0; k < data.size(); ++k)
            if (after[k] != data[k]) printf(" %zu:%llx", k, (unsigned long long)after[k]);
        printf("\n");
        if (cudaGetLastError() != cudaSuccess) return;
    }
}

int main() {
    textures();
    surfaces();
    return 0;
}
