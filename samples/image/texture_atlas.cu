// Texture objects as data: each thread takes a handle out of a table in memory, so that the
// lanes of a warp sample different textures of different kinds.
// features: texture_2d, texture_cube, texture_fetch, texture_pitched, pitched, cuda_array
#include "../textures.h"

enum { PLANE, PITCHED, LINE, CUBE, KINDS };

struct Sprite {
    cudaTextureObject_t texture;
    int kind, offset;
};

struct Sheet {
    const Sprite *sprites;
    int count;
};

__global__ void draw(Sheet sheet, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Sprite sprite = sheet.sprites[(i * 7 + i / 32) % sheet.count];
    int x = i % 13, y = i / 13 % 11, value;
    switch (sprite.kind) {
    case LINE:
        value = tex1Dfetch<int>(sprite.texture, y * 13 + x);
        break;
    case CUBE:
        value = texCubemap<int>(sprite.texture, 1.0f, (float)(y - 5) / 8.0f, (float)(x - 6) / 8.0f);
        break;
    default:
        value = tex2D<int>(sprite.texture, (float)x + 0.5f, (float)y + 0.5f);
    }
    out[i] = value + sprite.offset;
}

static int texel(int kind, int x, int y) { return kind * 100000 + y * 1000 + x; }

int main() {
    const int width = 13, height = 11, n = 5000, cube_side = 16;
    std::vector<int> plane(width * height), line(width * height), pitched(width * height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            plane[y * width + x] = texel(PLANE, x, y);
            pitched[y * width + x] = texel(PITCHED, x, y);
            line[y * width + x] = texel(LINE, x, y);
        }
    // The face of +x: the texel that draw meets at (x, y) holds texel(CUBE, x, y).
    std::vector<int> cube(cube_side * cube_side * 6);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            int column = (int)((1 - (float)(x - 6) / 8.0f) * 0.5f * cube_side),
                row = (int)((1 - (float)(y - 5) / 8.0f) * 0.5f * cube_side);
            cube[row * cube_side + column] = texel(CUBE, x, y);
        }
    Array<int> plane_array(make_cudaExtent(width, height, 0), plane);
    Array<int> cube_array(make_cudaExtent(cube_side, cube_side, 6), cube, cudaArrayCubemap);
    Device<int> line_memory(line), out(n);
    int *pitched_memory;
    size_t pitch;
    CHECK(cudaMallocPitch(&pitched_memory, &pitch, width * sizeof(int), height));
    CHECK(cudaMemcpy2D(pitched_memory, pitch, pitched.data(), width * sizeof(int),
                       width * sizeof(int), height, cudaMemcpyHostToDevice));
    cudaResourceDesc of_line = {}, of_pitched = {};
    of_line.resType = cudaResourceTypeLinear;
    of_line.res.linear.devPtr = (int *)line_memory;
    of_line.res.linear.desc = cudaCreateChannelDesc<int>();
    of_line.res.linear.sizeInBytes = line.size() * sizeof(int);
    of_pitched.resType = cudaResourceTypePitch2D;
    of_pitched.res.pitch2D.devPtr = pitched_memory;
    of_pitched.res.pitch2D.desc = cudaCreateChannelDesc<int>();
    of_pitched.res.pitch2D.width = width;
    of_pitched.res.pitch2D.height = height;
    of_pitched.res.pitch2D.pitchInBytes = pitch;
    Sampling in_cube;
    in_cube.normalized = true;
    std::vector<Sprite> sprites = {{texture_of(plane_array), PLANE, 1},
                                   {texture_of(of_pitched, {}), PITCHED, 2},
                                   {texture_of(of_line, {}), LINE, 3},
                                   {texture_of(cube_array, in_cube), CUBE, 4},
                                   {texture_of(plane_array), PLANE, 5}};
    Device<Sprite> table(sprites);
    draw<<<(n + 95) / 96, 96>>>({table, (int)sprites.size()}, out, n);
    finish();
    std::vector<int> got = out.get();
    long wrong = 0;
    for (int i = 0; i < n; ++i) {
        const Sprite &sprite = sprites[(i * 7 + i / 32) % sprites.size()];
        wrong += got[i] != texel(sprite.kind, i % 13, i / 13 % 11) + sprite.offset;
    }
    for (const Sprite &sprite : sprites) CHECK(cudaDestroyTextureObject(sprite.texture));
    CHECK(cudaFree(pitched_memory));
    print_digest("sprites", got);
    return verdict("texture_atlas", wrong);
}
