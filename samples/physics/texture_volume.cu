// A scalar field in a three-dimensional texture: trilinear samples on a grid of quarters, and
// rays that add up the field; every weight and sum is exact.
// features: texture_3d, texture_filter, cuda_array, launch_3d
#include "../textures.h"

__global__ void sample(cudaTextureObject_t field, float *out, int side, float start) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z;
    if (x >= side || y >= side) return;
    out[(z * side + y) * side + x] = tex3D<float>(
        field, start + (float)x * 0.75f, start + (float)y * 1.25f, start + (float)z * 1.75f);
}

// One ray a thread through the volume, in steps of half a texel, nearest texels.
__global__ void march(cudaTextureObject_t field, float *out, int width, int height, int steps) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int step = 0; step < steps; ++step) {
        float4 texel = tex3D<float4>(field, (float)x + 0.5f + (float)step * 0.25f, (float)y + 0.5f,
                                     (float)step * 0.5f + 0.25f);
        sum += texel.x - texel.y + texel.z * texel.w;
    }
    out[y * width + x] = sum;
}

static long sampled_field(cudaTextureAddressMode mode, const char *name) {
    const int width = 11, height = 7, depth = 5, side = 24;
    const float start = -3.0f;
    Random random(91);
    std::vector<float> texels(width * height * depth);
    for (float &texel : texels) texel = (float)random.below(128);
    Array<float> array(make_cudaExtent(width, height, depth), texels);
    Sampling how;
    how.address = mode;
    how.filter = cudaFilterModeLinear;
    cudaTextureObject_t field = texture_of(array, how);
    Device<float> out(side * side * side);
    sample<<<dim3(2, 3, side), dim3(16, 8)>>>(field, out, side, start);
    finish();
    CHECK(cudaDestroyTextureObject(field));
    std::vector<float> got = out.get();
    long wrong = 0;
    for (int i = 0; i < side * side * side; ++i)
        wrong +=
            got[i] != sampled(texels, width, height, depth, how, start + (float)(i % side) * 0.75f,
                              start + (float)(i / side % side) * 1.25f,
                              start + (float)(i / side / side) * 1.75f);
    std::printf("%s: %ld wrong\n", name, wrong);
    print_digest("samples", got);
    return wrong;
}

static long rays() {
    const int width = 24, height = 16, depth = 12, steps = 24;
    Random random(92);
    std::vector<float4> texels(width * height * depth);
    for (float4 &t : texels)
        t = make_float4((float)random.below(64), (float)random.below(64), (float)random.below(8),
                        (float)random.below(8));
    Array<float4> array(make_cudaExtent(width, height, depth), texels);
    cudaTextureObject_t field = texture_of(array);
    Device<float> out(width * height);
    march<<<dim3(2, 2), dim3(16, 8)>>>(field, out, width, height, steps);
    finish();
    CHECK(cudaDestroyTextureObject(field));
    std::vector<float> got = out.get();
    long wrong = 0;
    for (int i = 0; i < width * height; ++i) {
        float sum = 0;
        for (int step = 0; step < steps; ++step) {
            int x = std::min((int)((float)(i % width) + 0.5f + (float)step * 0.25f), width - 1),
                z = (int)((float)step * 0.5f + 0.25f);
            float4 t = texels[((size_t)z * height + i / width) * width + x];
            sum += t.x - t.y + t.z * t.w;
        }
        wrong += got[i] != sum;
    }
    print_digest("rays", got);
    return wrong;
}

int main() {
    long wrong = sampled_field(cudaAddressModeClamp, "clamp") +
                 sampled_field(cudaAddressModeBorder, "border") + rays();
    return verdict("texture_volume", wrong);
}
