// Four texels at once (tex2Dgather), each channel, and edges found with them; pitched memory as
// a texture beside it.
// features: texture_gather, texture_2d, texture_pitched, pitched, texture_filter, cuda_array
#include "../textures.h"

template <int channel>
__global__ void gather(cudaTextureObject_t texture, uint4 *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    out[y * width + x] = tex2Dgather<uint4>(texture, (float)x, (float)y, channel);
}

// Halves a picture with one filtered sample in the middle of four texels.
__global__ void halve(cudaTextureObject_t texture, float *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = tex2D<float>(texture, (float)(2 * x + 1), (float)(2 * y + 1));
}

static const int width = 40, height = 24;

// Texels around a corner: bottom left, bottom right, top right, top left (y grows downwards).
static long gathered() {
    Random random(131);
    std::vector<uint4> texels(width * height);
    for (uint4 &t : texels)
        t = make_uint4((unsigned)random.next(), (unsigned)random.next(), (unsigned)random.next(),
                       (unsigned)random.next());
    Array<uint4> array(make_cudaExtent(width, height, 0), texels, cudaArrayTextureGather);
    cudaTextureObject_t texture = texture_of(array);
    Device<uint4> out(width * height);
    long wrong = 0;
    for (int channel = 0; channel < 4; ++channel) {
        dim3 grid(3, 3), block(16, 8);
        if (channel == 0) gather<0><<<grid, block>>>(texture, out, width, height);
        if (channel == 1) gather<1><<<grid, block>>>(texture, out, width, height);
        if (channel == 2) gather<2><<<grid, block>>>(texture, out, width, height);
        if (channel == 3) gather<3><<<grid, block>>>(texture, out, width, height);
        finish();
        std::vector<uint4> got = out.get();
        for (int i = 0; i < width * height; ++i) {
            const int right = i % width, below = i / width, left = std::max(right - 1, 0),
                      above = std::max(below - 1, 0);
            auto texel = [&](int x, int y) { return (&texels[y * width + x].x)[channel]; };
            wrong += got[i].x != texel(left, below) || got[i].y != texel(right, below) ||
                     got[i].z != texel(right, above) || got[i].w != texel(left, above);
        }
        print_digest("four texels", got);
    }
    CHECK(cudaDestroyTextureObject(texture));
    return wrong;
}

static long halved() {
    Random random(132);
    std::vector<float> texels(width * height);
    for (float &t : texels) t = (float)random.below(1000);
    float *memory;
    size_t pitch;
    CHECK(cudaMallocPitch(&memory, &pitch, width * sizeof(float), height));
    CHECK(cudaMemcpy2D(memory, pitch, texels.data(), width * sizeof(float), width * sizeof(float),
                       height, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    Sampling how;
    how.filter = cudaFilterModeLinear;
    cudaTextureObject_t texture = texture_of(resource, how);
    Device<float> out(width * height / 4);
    halve<<<dim3(2, 2), dim3(16, 8)>>>(texture, out, width / 2, height / 2);
    finish();
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(memory));
    std::vector<float> got = out.get();
    long wrong = 0;
    for (int y = 0; y < height / 2; ++y)
        for (int x = 0; x < width / 2; ++x) {
            const float *t = &texels[2 * y * width + 2 * x];
            wrong += got[y * width / 2 + x] != (t[0] + t[1] + t[width] + t[width + 1]) * 0.25f;
        }
    print_digest("half size", got);
    return wrong;
}

int main() {
    long wrong = gathered() + halved();
    return verdict("texture_gather", wrong);
}
