// Cube maps: the texel that a direction meets, on a single cube and on a layered one.
// features: texture_cube, texture_layered, cuda_array
#include "../textures.h"

__global__ void single(cudaTextureObject_t texture, const float4 *directions, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = texCubemap<int>(texture, directions[i].x, directions[i].y, directions[i].z);
}

__global__ void layered(cudaTextureObject_t texture, const float4 *directions, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = texCubemapLayered<int>(texture, directions[i].x, directions[i].y, directions[i].z,
                                        (int)directions[i].w);
}

static const int side = 8, cubes = 3;

// Face and position on it: the CUDA C++ Programming Guide, "Cubemap Textures".
static int texel_index(float x, float y, float z) {
    float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z), s, t, m;
    int face;
    if (ax >= ay && ax >= az) face = x >= 0 ? 0 : 1, m = ax, s = x >= 0 ? -z : z, t = -y;
    else if (ay >= az) face = y >= 0 ? 2 : 3, m = ay, s = x, t = y >= 0 ? z : -z;
    else face = z >= 0 ? 4 : 5, m = az, s = z >= 0 ? x : -x, t = -y;
    int column = std::min((int)((s / m + 1) * 0.5f * side), side - 1),
        row = std::min((int)((t / m + 1) * 0.5f * side), side - 1);
    return (face * side + row) * side + column;
}

// Directions through the middles of texels of each face, off the edges between them.
static std::vector<float4> directions_of(int n) {
    std::vector<float4> directions(n);
    for (int i = 0; i < n; ++i) {
        float s = ((float)(i % side) + 0.5f) / side * 2 - 1,
              t = ((float)(i / side % side) + 0.5f) / side * 2 - 1, length = 0.5f + (float)(i % 5),
              layer = (float)(i % cubes);
        switch (i / (side * side) % 6) {
        case 0:
            directions[i] = make_float4(length, s * length, t * length, layer);
            break;
        case 1:
            directions[i] = make_float4(-length, s * length, t * length, layer);
            break;
        case 2:
            directions[i] = make_float4(s * length, length, t * length, layer);
            break;
        case 3:
            directions[i] = make_float4(s * length, -length, t * length, layer);
            break;
        case 4:
            directions[i] = make_float4(s * length, t * length, length, layer);
            break;
        default:
            directions[i] = make_float4(s * length, t * length, -length, layer);
            break;
        }
    }
    return directions;
}

static long cube(const char *name, int layers) {
    const int n = side * side * 6;
    std::vector<int> texels(n * layers);
    for (size_t i = 0; i < texels.size(); ++i) texels[i] = (int)(i * 7 + 3);
    std::vector<float4> directions = directions_of(n);
    Array<int> array(make_cudaExtent(side, side, 6 * layers), texels,
                     cudaArrayCubemap | (layers > 1 ? cudaArrayLayered : 0));
    Sampling how;
    how.normalized = true;
    cudaTextureObject_t texture = texture_of(array, how);
    Device<float4> ways(directions);
    Device<int> out(n);
    if (layers > 1) layered<<<(n + 63) / 64, 64>>>(texture, ways, out, n);
    else single<<<(n + 63) / 64, 64>>>(texture, ways, out, n);
    finish();
    CHECK(cudaDestroyTextureObject(texture));
    std::vector<int> got = out.get();
    long wrong = 0;
    for (int i = 0; i < n; ++i) {
        float4 d = directions[i];
        int layer = layers > 1 ? (int)d.w : 0;
        wrong += got[i] != texels[layer * n + texel_index(d.x, d.y, d.z)];
    }
    print_digest(name, got);
    return wrong;
}

int main() {
    long wrong = cube("cube", 1) + cube("layered cubes", cubes);
    return verdict("texture_cube", wrong);
}
