// A function tabulated in a one-dimensional texture and interpolated by the hardware, and a
// mipmapped table of it at three resolutions.
// features: texture_1d, texture_mipmap, texture_filter, cuda_array
#include "../textures.h"

__global__ void evaluate(cudaTextureObject_t table, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = tex1D<float>(table, x[i]);
}

__global__ void coarser(cudaTextureObject_t table, const float *x, float *y, int n, float level) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = tex1DLod<float>(table, x[i], level);
}

static const int size = 256, n = 3000;

static std::vector<float> sines(int count) {
    std::vector<float> values(count);
    for (int i = 0; i < count; ++i)
        values[i] = (float)std::sin((i + 0.5) / count * 6.283185307179586);
    return values;
}

// Interpolated values may differ from the function by the table's step, and by the 8 bits of a
// weight.
static long interpolated() {
    Array<float> array(make_cudaExtent(size, 0, 0), sines(size));
    Sampling how;
    how.normalized = true;
    how.address = cudaAddressModeWrap;
    how.filter = cudaFilterModeLinear;
    cudaTextureObject_t table = texture_of(array, how);
    Random random(141);
    std::vector<float> x(n);
    for (float &value : x) value = random.unit() * 4.0f - 2.0f;
    Device<float> dx(x), dy(n);
    evaluate<<<(n + 127) / 128, 128>>>(table, dx, dy, n);
    finish();
    CHECK(cudaDestroyTextureObject(table));
    std::vector<float> y = dy.get();
    long wrong = 0;
    for (int i = 0; i < n; ++i) wrong += !close_to(y[i], std::sin(x[i] * 6.283185307179586), 4e-4);
    std::printf("sine by table: %ld of %d off by more than 0.0004\n", wrong, n);
    return wrong;
}

static long levels() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t tables;
    CHECK(cudaMallocMipmappedArray(&tables, &format, make_cudaExtent(size, 0, 0), 3));
    std::vector<std::vector<float>> values;
    for (int level = 0; level < 3; ++level) {
        values.emplace_back();
        for (int i = 0; i < size >> level; ++i) values[level].push_back((float)(i * (level + 2)));
        cudaArray_t array;
        CHECK(cudaGetMipmappedArrayLevel(&array, tables, level));
        CHECK(cudaMemcpy2DToArray(array, 0, 0, values[level].data(), (size >> level) * 4,
                                  (size >> level) * 4, 1, cudaMemcpyHostToDevice));
    }
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = tables;
    Sampling how;
    how.normalized = true;
    how.filter = cudaFilterModeLinear;
    cudaTextureDesc texture = description(how);
    texture.maxMipmapLevelClamp = 2;
    cudaTextureObject_t table = 0;
    CHECK(cudaCreateTextureObject(&table, &resource, &texture, nullptr));
    std::vector<float> x(n);
    for (int i = 0; i < n; ++i) x[i] = (float)(i - 300) / 2048.0f;
    Device<float> dx(x), dy(n);
    long wrong = 0;
    for (int level = 0; level < 3; ++level) {
        coarser<<<(n + 127) / 128, 128>>>(table, dx, dy, n, (float)level);
        finish();
        std::vector<float> y = dy.get();
        for (int i = 0; i < n; ++i)
            wrong += y[i] != sampled(values[level], size >> level, 1, 1, how,
                                     x[i] * (float)(size >> level), 0, 0);
        print_digest("level", y);
    }
    CHECK(cudaDestroyTextureObject(table));
    CHECK(cudaFreeMipmappedArray(tables));
    return wrong;
}

int main() {
    long wrong = interpolated() + levels();
    return verdict("texture_table", wrong);
}
