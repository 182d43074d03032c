// Texels of every width and kind: read as they are, and integers read as normalized floats, with
// and without filtering.
// features: texture_2d, texture_filter, texture_normalized_read, cuda_array, half, template
#include "../textures.h"
#include <cuda_fp16.h>

template <typename T> struct Parts;
#define PARTS(type, scalar, count)                                                                 \
    template <> struct Parts<type> {                                                               \
        using Scalar = scalar;                                                                     \
        static const int channels = count;                                                         \
    };
PARTS(unsigned char, unsigned char, 1)
PARTS(uchar4, unsigned char, 4)
PARTS(signed char, signed char, 1)
PARTS(char2, signed char, 2)
PARTS(unsigned short, unsigned short, 1)
PARTS(ushort4, unsigned short, 4)
PARTS(short, short, 1)
PARTS(short2, short, 2)
PARTS(unsigned, unsigned, 1)
PARTS(int2, int, 2)
PARTS(uint4, unsigned, 4)
PARTS(float2, float, 2)
PARTS(float4, float, 4)

template <int channels> struct Floats;
template <> struct Floats<1> {
    using Type = float;
};
template <> struct Floats<2> {
    using Type = float2;
};
template <> struct Floats<4> {
    using Type = float4;
};

template <typename T>
__global__ void read(cudaTextureObject_t texture, T *out, int width, int height, float shift) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = tex2D<T>(texture, (float)x + shift, (float)y + shift);
}

static const int width = 32, height = 24;

template <typename T> std::vector<T> texels_of(unsigned seed) {
    Random random(seed);
    std::vector<T> texels(width * height);
    unsigned char *bytes = reinterpret_cast<unsigned char *>(texels.data());
    for (size_t i = 0; i < texels.size() * sizeof(T); ++i) bytes[i] = (unsigned char)random.next();
    if (std::is_same<typename Parts<T>::Scalar, float>::value) {
        float *values = reinterpret_cast<float *>(texels.data());
        for (size_t i = 0; i < texels.size() * sizeof(T) / 4; ++i) values[i] = (float)i * 0.75f;
    }
    return texels;
}

template <typename T> long element(const char *name, unsigned seed) {
    std::vector<T> texels = texels_of<T>(seed);
    Array<T> array(make_cudaExtent(width, height, 0), texels);
    cudaTextureObject_t texture = texture_of(array);
    Device<T> out(width * height);
    read<T><<<dim3(2, 3), dim3(16, 8)>>>(texture, out, width, height, 0.5f);
    finish();
    CHECK(cudaDestroyTextureObject(texture));
    std::vector<T> got = out.get();
    print_digest(name, got);
    return std::memcmp(got.data(), texels.data(), texels.size() * sizeof(T)) != 0;
}

// Integers as floats: v / (2^bits - 1), or max(v / (2^(bits - 1) - 1), -1) for signed ones.
template <typename T> long normalized(const char *name, unsigned seed, bool linear) {
    using Scalar = typename Parts<T>::Scalar;
    const int channels = Parts<T>::channels, count = width * height;
    using Value = typename Floats<channels>::Type;
    std::vector<T> texels = texels_of<T>(seed);
    // Where -128 stands while filtering is the hardware's own business: left out.
    Scalar *parts = reinterpret_cast<Scalar *>(texels.data());
    for (int i = 0; linear && i < count * channels; ++i)
        if (parts[i] == std::numeric_limits<Scalar>::min()) ++parts[i];
    Array<T> array(make_cudaExtent(width, height, 0), texels);
    Sampling how;
    how.filter = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    how.read = cudaReadModeNormalizedFloat;
    cudaTextureObject_t texture = texture_of(array, how);
    Device<Value> out(count);
    read<Value><<<dim3(2, 3), dim3(16, 8)>>>(texture, out, width, height, linear ? 0.75f : 0.5f);
    finish();
    CHECK(cudaDestroyTextureObject(texture));
    std::vector<Value> values = out.get();
    const float *got = reinterpret_cast<const float *>(values.data());
    const Scalar *from = reinterpret_cast<const Scalar *>(texels.data());
    const float most = (float)std::numeric_limits<Scalar>::max();
    long wrong = 0, checksum = 0;
    for (int c = 0; c < channels; ++c) {
        std::vector<float> plane(count);
        for (int i = 0; i < count; ++i)
            plane[i] = std::max((float)from[i * channels + c] / most, -1.0f);
        for (int i = 0; i < count; ++i) {
            float x = (float)(i % width), y = (float)(i / width), shift = linear ? 0.75f : 0.5f;
            float want = sampled(plane, width, height, 1, how, x + shift, y + shift, 0);
            wrong += !(std::fabs(got[i * channels + c] - want) <= (linear ? 1e-3f : 1e-6f));
            if (!linear) checksum += std::lround(got[i * channels + c] * most) * (i % 97 + 1);
        }
    }
    std::printf("%s normalized%s: checksum %ld, %ld wrong\n", name, linear ? " and filtered" : "",
                checksum, wrong);
    return wrong;
}

// Half texels become floats.
static long half_texels() {
    cudaChannelFormatDesc format = cudaCreateChannelDescHalf();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, width, height));
    std::vector<__half> texels(width * height);
    for (size_t i = 0; i < texels.size(); ++i) texels[i] = __float2half((float)i * 0.25f - 60.0f);
    CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), width * sizeof(__half),
                              width * sizeof(__half), height, cudaMemcpyHostToDevice));
    cudaTextureObject_t texture = texture_of(array);
    Device<float> out(width * height);
    read<float><<<dim3(2, 3), dim3(16, 8)>>>(texture, out, width, height, 0.5f);
    finish();
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
    std::vector<float> got = out.get();
    long wrong = 0;
    for (size_t i = 0; i < got.size(); ++i) wrong += got[i] != (float)i * 0.25f - 60.0f;
    print_digest("half", got);
    return wrong;
}

int main() {
    long wrong = element<unsigned char>("uchar", 1) + element<uchar4>("uchar4", 2) +
                 element<signed char>("schar", 3) + element<char2>("char2", 4) +
                 element<unsigned short>("ushort", 5) + element<ushort4>("ushort4", 6) +
                 element<short>("short", 7) + element<short2>("short2", 8) +
                 element<unsigned>("uint", 9) + element<int2>("int2", 10) +
                 element<uint4>("uint4", 11) + element<float2>("float2", 12) +
                 element<float4>("float4", 13);
    for (int linear = 0; linear < 2; ++linear)
        wrong +=
            normalized<unsigned char>("uchar", 21, linear) +
            normalized<uchar4>("uchar4", 22, linear) +
            normalized<signed char>("schar", 23, linear) + normalized<char2>("char2", 24, linear) +
            normalized<unsigned short>("ushort", 25, linear) +
            normalized<ushort4>("ushort4", 26, linear) + normalized<short2>("short2", 27, linear);
    wrong += half_texels();
    return verdict("texture_formats", wrong);
}
