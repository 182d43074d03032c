// A mipmapped texture, its levels written through surfaces: levels chosen exactly (tex2DLod) and
// blended, by derivatives (tex2DGrad), and four neighbours of a level (tex2Dgather).
// features: texture_mipmap, texture_gather, texture_filter, surface
#include "../textures.h"

__global__ void fill(cudaSurfaceObject_t level, int width, int height, float value) {
    int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height)
        surf2Dwrite(value + (float)(y * width + x), level, x * (int)sizeof(float), y);
}

__global__ void look(cudaTextureObject_t texture, float *out, int n, float lod, float step) {
    int i = threadIdx.x;
    float u = ((float)i + 0.5f) / (float)n;
    out[i] = tex2DLod<float>(texture, u, 0.25f, lod);
    out[n + i] = tex2DGrad<float>(texture, u, 0.25f, make_float2(step, 0), make_float2(0, step));
}

__global__ void corners(cudaTextureObject_t texture, float4 *out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = tex2Dgather<float4>(texture, (float)i / (float)n, 0.5f);
}

static const int side = 16, levels = 5, n = 16;

int main() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t pyramid;
    CHECK(cudaMallocMipmappedArray(&pyramid, &format, make_cudaExtent(side, side, 0), levels,
                                   cudaArraySurfaceLoadStore | cudaArrayTextureGather));
    for (int level = 0; level < levels; ++level) {
        cudaArray_t array;
        CHECK(cudaGetMipmappedArrayLevel(&array, pyramid, level));
        cudaSurfaceObject_t surface = surface_of(array);
        fill<<<1, dim3(16, 16)>>>(surface, side >> level, side >> level, 1000.0f * (float)level);
        finish();
        CHECK(cudaDestroySurfaceObject(surface));
    }
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = pyramid;
    Device<float> out(2 * n);
    long wrong = 0;
    for (int blended = 0; blended < 2; ++blended) {
        Sampling how;
        how.normalized = true;
        how.filter = blended ? cudaFilterModeLinear : cudaFilterModePoint;
        cudaTextureDesc texture = description(how);
        texture.mipmapFilterMode = how.filter;
        texture.maxMipmapLevelClamp = (float)(levels - 1);
        cudaTextureObject_t object = 0;
        CHECK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
        for (float lod = 0; lod < (float)levels; lod += blended ? 0.5f : 1.0f) {
            // A derivative of 2^lod texels chooses that level.
            look<<<1, n>>>(object, out, n, lod, std::exp2(lod) / side);
            finish();
            std::vector<float> got = out.get();
            int low = (int)lod, high = std::min(low + 1, levels - 1);
            for (int i = 0; i < n; ++i) {
                float want = 0, u = ((float)i + 0.5f) / (float)n;
                for (int part = 0; part < 2; ++part) {
                    int level = part ? high : low, size = side >> level;
                    float share = part ? lod - (float)low : 1 - (lod - (float)low);
                    std::vector<float> texels(size * size);
                    for (size_t k = 0; k < texels.size(); ++k) texels[k] = 1000.0f * level + k;
                    want += share * sampled(texels, size, size, 1, how, u * size, 0.25f * size, 0);
                }
                wrong += got[i] != want;
                if (lod == (float)low) wrong += got[n + i] != want;
            }
            got.resize(n);
            std::printf("level %g%s ", lod, blended ? " blended" : "");
            print_digest("samples", got);
        }
        if (!blended) {
            Device<float4> four(n);
            corners<<<1, n>>>(object, four, n);
            finish();
            std::vector<float4> got = four.get();
            for (int i = 0; i < n; ++i) {
                float left = (float)std::max(i - 1, 0), right = (float)i, row = side / 2.0f;
                wrong += got[i].x != row * side + left || got[i].y != row * side + right ||
                         got[i].z != (row - 1) * side + right ||
                         got[i].w != (row - 1) * side + left;
            }
            print_digest("corners", got);
        }
        CHECK(cudaDestroyTextureObject(object));
    }
    CHECK(cudaFreeMipmappedArray(pyramid));
    return verdict("texture_mipmaps", wrong);
}
