// Surfaces of one, two and three dimensions and of layers: reads and writes by byte offset, what
// lies outside with each boundary mode, and a texture over the same array afterwards.
// features: surface, texture_2d, texture_3d, cuda_array, vector_load
#include "../textures.h"

__global__ void line(cudaSurfaceObject_t surface, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    short value = surf1Dread<short>(surface, i * (int)sizeof(short));
    surf1Dwrite<short>((short)(value * 3 - i), surface, i * (int)sizeof(short));
}

// Turns the picture by half a turn, in place: each thread swaps two texels.
__global__ void turn(cudaSurfaceObject_t surface, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height / 2) return;
    uchar4 a = surf2Dread<uchar4>(surface, x * 4, y),
           b = surf2Dread<uchar4>(surface, (width - 1 - x) * 4, height - 1 - y);
    surf2Dwrite(b, surface, x * 4, y);
    surf2Dwrite(a, surface, (width - 1 - x) * 4, height - 1 - y);
}

__global__ void edges(cudaSurfaceObject_t surface, int *zero, int *clamped, int width, int height) {
    int x = (int)threadIdx.x - 4, y = (int)blockIdx.x - 4,
        i = blockIdx.x * blockDim.x + threadIdx.x;
    zero[i] = surf2Dread<int>(surface, x * 4, y, cudaBoundaryModeZero);
    clamped[i] = surf2Dread<int>(surface, x * 4, y, cudaBoundaryModeClamp);
    if (x < 0 || y < 0 || x >= width || y >= height)
        surf2Dwrite(-1, surface, x * 4, y, cudaBoundaryModeZero); // is left out
}

__global__ void solid(cudaSurfaceObject_t surface, int width, int height) {
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    if (x >= width || y >= height) return;
    float2 value;
    surf3Dread(&value, surface, x * (int)sizeof(float2), y, z);
    surf3Dwrite(make_float2(value.y, value.x + (float)z), surface, x * (int)sizeof(float2), y, z);
}

__global__ void layer(cudaSurfaceObject_t surface, int width, int height, int layers) {
    int x = threadIdx.x, y = threadIdx.y;
    if (x >= width || y >= height) return;
    uint4 sum = make_uint4(0, 0, 0, 0);
    for (int k = 0; k < layers; ++k) {
        uint4 value = surf2DLayeredread<uint4>(surface, x * (int)sizeof(uint4), y, k);
        sum = make_uint4(sum.x + value.x, sum.y ^ value.y, sum.z + value.z, value.w);
        surf2DLayeredwrite(sum, surface, x * (int)sizeof(uint4), y, k);
    }
}

__global__ void through_texture(cudaTextureObject_t texture, uchar4 *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = tex2D<uchar4>(texture, (float)x + 0.5f, (float)y + 0.5f);
}

__global__ void through_volume(cudaTextureObject_t texture, float2 *out, int width, int height) {
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    if (x < width && y < height)
        out[(z * height + y) * width + x] =
            tex3D<float2>(texture, (float)x + 0.5f, (float)y + 0.5f, (float)z + 0.5f);
}

static const unsigned STORE = cudaArraySurfaceLoadStore;

template <typename T> std::vector<T> random_texels(size_t count, unsigned seed) {
    Random random(seed);
    std::vector<T> texels(count);
    unsigned char *bytes = reinterpret_cast<unsigned char *>(texels.data());
    for (size_t i = 0; i < count * sizeof(T); ++i) bytes[i] = (unsigned char)random.next();
    return texels;
}

static long lines() {
    const int n = 300;
    std::vector<short> texels = random_texels<short>(n, 111);
    Array<short> array(make_cudaExtent(n, 0, 0), texels, STORE);
    cudaSurfaceObject_t surface = surface_of(array);
    line<<<3, 128>>>(surface, n);
    finish();
    CHECK(cudaDestroySurfaceObject(surface));
    std::vector<short> got = array.get();
    long wrong = 0;
    for (int i = 0; i < n; ++i) wrong += got[i] != (short)(texels[i] * 3 - i);
    print_digest("line", got);
    return wrong;
}

static long pictures() {
    const int width = 45, height = 30;
    std::vector<uchar4> texels = random_texels<uchar4>(width * height, 112), got;
    Array<uchar4> array(make_cudaExtent(width, height, 0), texels, STORE);
    cudaSurfaceObject_t surface = surface_of(array);
    turn<<<dim3(3, 2), dim3(16, 8)>>>(surface, width, height);
    finish();
    CHECK(cudaDestroySurfaceObject(surface));
    cudaTextureObject_t texture = texture_of(array);
    Device<uchar4> out(width * height);
    through_texture<<<dim3(3, 4), dim3(16, 8)>>>(texture, out, width, height);
    finish();
    CHECK(cudaDestroyTextureObject(texture));
    std::reverse(texels.begin(), texels.end());
    got = out.get();
    print_digest("picture", got);
    return std::memcmp(got.data(), texels.data(), texels.size() * 4) != 0;
}

static long boundaries() {
    const int width = 24, height = 20, across = width + 8, down = height + 8;
    std::vector<int> texels = random_texels<int>(width * height, 113);
    Array<int> array(make_cudaExtent(width, height, 0), texels, STORE);
    cudaSurfaceObject_t surface = surface_of(array);
    Device<int> zero(across * down), clamped(across * down);
    edges<<<down, across>>>(surface, zero, clamped, width, height);
    finish();
    CHECK(cudaDestroySurfaceObject(surface));
    std::vector<int> zeros = zero.get(), clamps = clamped.get();
    long wrong = count_different(array.get(), texels);
    for (int i = 0; i < across * down; ++i) {
        int x = i % across - 4, y = i / across - 4;
        bool inside = x >= 0 && y >= 0 && x < width && y < height;
        int near = texels[addressed(cudaAddressModeClamp, y, height) * width +
                          addressed(cudaAddressModeClamp, x, width)];
        wrong += zeros[i] != (inside ? near : 0);
        wrong += clamps[i] != near;
    }
    print_digest("zero outside", zeros);
    print_digest("clamped", clamps);
    return wrong;
}

static long solids() {
    const int width = 14, height = 9, depth = 6;
    std::vector<float2> texels(width * height * depth);
    for (size_t i = 0; i < texels.size(); ++i) texels[i] = make_float2((float)i, (float)i * -0.5f);
    Array<float2> array(make_cudaExtent(width, height, depth), texels, STORE);
    cudaSurfaceObject_t surface = surface_of(array);
    solid<<<depth, dim3(16, 16)>>>(surface, width, height);
    finish();
    CHECK(cudaDestroySurfaceObject(surface));
    cudaTextureObject_t texture = texture_of(array);
    Device<float2> out(width * height * depth);
    through_volume<<<depth, dim3(16, 16)>>>(texture, out, width, height);
    finish();
    CHECK(cudaDestroyTextureObject(texture));
    std::vector<float2> got = array.get(), seen = out.get();
    long wrong = std::memcmp(got.data(), seen.data(), got.size() * sizeof(float2)) != 0;
    for (size_t i = 0; i < got.size(); ++i) {
        float plane = (float)(i / (width * height));
        wrong += got[i].x != texels[i].y || got[i].y != texels[i].x + plane;
    }
    print_digest("solid", got);
    return wrong;
}

static long layers() {
    const int width = 10, height = 8, count = 5;
    std::vector<uint4> texels = random_texels<uint4>(width * height * count, 114), want = texels;
    Array<uint4> array(make_cudaExtent(width, height, count), texels, STORE | cudaArrayLayered);
    cudaSurfaceObject_t surface = surface_of(array);
    layer<<<1, dim3(16, 16)>>>(surface, width, height, count);
    finish();
    CHECK(cudaDestroySurfaceObject(surface));
    for (int i = 0; i < width * height; ++i) {
        uint4 sum = make_uint4(0, 0, 0, 0);
        for (int k = 0; k < count; ++k) {
            uint4 v = texels[k * width * height + i];
            sum = make_uint4(sum.x + v.x, sum.y ^ v.y, sum.z + v.z, v.w);
            want[k * width * height + i] = sum;
        }
    }
    std::vector<uint4> got = array.get();
    print_digest("layers", got);
    return std::memcmp(got.data(), want.data(), want.size() * sizeof(uint4)) != 0;
}

int main() {
    long wrong = lines() + pictures() + boundaries() + solids() + layers();
    return verdict("surfaces", wrong);
}
