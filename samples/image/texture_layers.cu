// Layered textures of one and two dimensions: filtered within a layer, nearest between layers,
// layers outside clamped.
// features: texture_1d, texture_layered, texture_filter, cuda_array
#include "../textures.h"

__global__ void lines(cudaTextureObject_t texture, float *out, int n, int layers) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int layer = 0; layer < layers && i < n; ++layer)
        out[layer * n + i] = tex1DLayered<float>(texture, (float)i * 0.125f - 2.0f, layer);
}

__global__ void planes(cudaTextureObject_t texture, float2 *out, int side, int layers) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    for (int layer = -1; layer <= layers; ++layer)
        out[((layer + 1) * side + y) * side + x] =
            tex2DLayered<float2>(texture, (float)x * 0.25f, (float)y * 0.25f, layer);
}

static long one_dimension() {
    const int width = 20, layers = 6, n = 200;
    Random random(101);
    std::vector<float> texels(width * layers);
    for (float &texel : texels) texel = (float)random.below(500);
    Array<float> array(make_cudaExtent(width, 0, layers), texels, cudaArrayLayered);
    Sampling how;
    how.filter = cudaFilterModeLinear;
    cudaTextureObject_t texture = texture_of(array, how);
    Device<float> out(n * layers);
    lines<<<2, 128>>>(texture, out, n, layers);
    finish();
    CHECK(cudaDestroyTextureObject(texture));
    std::vector<float> got = out.get();
    long wrong = 0;
    for (int layer = 0; layer < layers; ++layer) {
        std::vector<float> row(texels.begin() + layer * width,
                               texels.begin() + (layer + 1) * width);
        for (int i = 0; i < n; ++i)
            wrong += got[layer * n + i] !=
                     sampled(row, width, 1, 1, how, (float)i * 0.125f - 2.0f, 0, 0);
    }
    print_digest("lines", got);
    return wrong;
}

static long two_dimensions() {
    const int width = 12, height = 10, layers = 4, side = 50, shown = layers + 2;
    Random random(102);
    std::vector<float2> texels(width * height * layers);
    for (float2 &texel : texels)
        texel = make_float2((float)random.below(300), -(float)random.below(300));
    Array<float2> array(make_cudaExtent(width, height, layers), texels, cudaArrayLayered);
    Sampling how;
    how.filter = cudaFilterModeLinear;
    cudaTextureObject_t texture = texture_of(array, how);
    Device<float2> out(side * side * shown);
    planes<<<dim3(4, 7), dim3(16, 8)>>>(texture, out, side, layers);
    finish();
    CHECK(cudaDestroyTextureObject(texture));
    std::vector<float2> got = out.get();
    long wrong = 0;
    for (int k = 0; k < shown; ++k) {
        int layer =
            (int)std::min((unsigned)(k - 1), (unsigned)(layers - 1)); // -1 is a large number
        std::vector<float> x(width * height), y(width * height);
        for (int i = 0; i < width * height; ++i) {
            x[i] = texels[layer * width * height + i].x;
            y[i] = texels[layer * width * height + i].y;
        }
        for (int i = 0; i < side * side; ++i) {
            float u = (float)(i % side) * 0.25f, v = (float)(i / side) * 0.25f;
            float2 value = got[k * side * side + i];
            wrong += value.x != sampled(x, width, height, 1, how, u, v, 0);
            wrong += value.y != sampled(y, width, height, 1, how, u, v, 0);
        }
    }
    print_digest("planes", got);
    return wrong;
}

int main() {
    long wrong = one_dimension() + two_dimensions();
    return verdict("texture_layers", wrong);
}
