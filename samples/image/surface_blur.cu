// Repeated box blurs from a texture into a surface, two arrays taking turns; the sums stay
// integers.
// features: surface, texture_2d, cuda_array, launch_2d
#include "../textures.h"

__global__ void blur(cudaTextureObject_t from, cudaSurfaceObject_t to, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    unsigned sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            sum += tex2D<unsigned short>(from, (float)(x + dx) + 0.5f, (float)(y + dy) + 0.5f);
    surf2Dwrite((unsigned short)(sum / 9), to, x * (int)sizeof(unsigned short), y);
}

int main() {
    const int width = 70, height = 50, rounds = 5;
    Random random(121);
    std::vector<unsigned short> image(width * height), next(width * height);
    for (unsigned short &p : image) p = (unsigned short)random.next();
    const cudaExtent extent = make_cudaExtent(width, height, 0);
    Array<unsigned short> first(extent, image, cudaArraySurfaceLoadStore),
        second(extent, cudaArraySurfaceLoadStore);
    cudaTextureObject_t textures[2] = {texture_of(first), texture_of(second)};
    cudaSurfaceObject_t surfaces[2] = {surface_of(first), surface_of(second)};
    for (int round = 0; round < rounds; ++round) {
        blur<<<dim3(5, 7), dim3(16, 8)>>>(textures[round % 2], surfaces[1 - round % 2], width,
                                          height);
        for (int i = 0; i < width * height; ++i) {
            unsigned sum = 0;
            for (int k = 0; k < 9; ++k)
                sum +=
                    image[addressed(cudaAddressModeClamp, i / width + k / 3 - 1, height) * width +
                          addressed(cudaAddressModeClamp, i % width + k % 3 - 1, width)];
            next[i] = (unsigned short)(sum / 9);
        }
        image = next;
    }
    finish();
    for (int k = 0; k < 2; ++k) {
        CHECK(cudaDestroyTextureObject(textures[k]));
        CHECK(cudaDestroySurfaceObject(surfaces[k]));
    }
    std::vector<unsigned short> got = rounds % 2 ? second.get() : first.get();
    print_digest("image", got);
    return verdict("surface_blur", count_different(got, image));
}
