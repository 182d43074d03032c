// A two-dimensional texture with every combination of address mode, filter and kind of
// coordinate. Coordinates are eighths of texels, so that every weight and every result is exact.
// features: texture_2d, texture_filter, cuda_array, launch_2d
#include "../textures.h"

// One sample a thread: from (start, start) in steps of 1/8 texel, scaled to the texture's
// coordinates.
__global__ void sample(cudaTextureObject_t texture, float *out, int side, float start,
                       float scale_x, float scale_y) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    float u = (start + (float)x * 0.125f) * scale_x, v = (start + (float)y * 0.375f) * scale_y;
    out[y * side + x] = tex2D<float>(texture, u, v);
}

int main() {
    const int width = 16, height = 8, side = 200;
    const float start = -6.0f;
    Random random(71);
    std::vector<float> texels(width * height);
    for (float &texel : texels) texel = (float)random.below(256) - 64.0f;
    Array<float> array(make_cudaExtent(width, height, 0), texels);
    Device<float> out(side * side);
    const struct {
        const char *name;
        cudaTextureAddressMode mode;
    } modes[] = {{"clamp", cudaAddressModeClamp},
                 {"border", cudaAddressModeBorder},
                 {"wrap", cudaAddressModeWrap},
                 {"mirror", cudaAddressModeMirror}};
    long wrong = 0;
    for (const auto &mode : modes)
        for (int linear = 0; linear < 2; ++linear)
            for (int normalized = 0; normalized < 2; ++normalized) {
                // Wrap and mirror are defined for normalized coordinates only.
                if (!normalized && mode.mode != cudaAddressModeClamp &&
                    mode.mode != cudaAddressModeBorder)
                    continue;
                Sampling how;
                how.address = mode.mode;
                how.filter = linear ? cudaFilterModeLinear : cudaFilterModePoint;
                how.normalized = normalized;
                cudaTextureObject_t texture = texture_of(array, how);
                sample<<<dim3(13, 25), dim3(16, 8)>>>(texture, out, side, start,
                                                      normalized ? 1.0f / width : 1.0f,
                                                      normalized ? 1.0f / height : 1.0f);
                finish();
                CHECK(cudaDestroyTextureObject(texture));
                std::vector<float> got = out.get();
                long differ = 0;
                for (int i = 0; i < side * side; ++i)
                    differ += got[i] != sampled(texels, width, height, 1, how,
                                                start + (float)(i % side) * 0.125f,
                                                start + (float)(i / side) * 0.375f, 0);
                std::printf("%s %s %s: %ld of %d differ\n", mode.name, linear ? "linear" : "point",
                            normalized ? "normalized" : "texels", differ, side * side);
                print_digest("samples", got);
                wrong += differ;
            }
    return verdict("texture_filtering", wrong);
}
