// Sobel edges with magnitude and direction: float square root and atan2, compared within tolerance;
// a threshold count is exact.
// features: math_float, launch_2d, vote, atomic_uint, restrict
// not with: fast-math
#include "../common.h"

__global__ void sobel(const unsigned char *__restrict__ in, int2 *__restrict__ gradient,
                      float2 *__restrict__ polar, unsigned *strong, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    bool inside = x > 0 && y > 0 && x < width - 1 && y < height - 1;
    int gx = 0, gy = 0;
    if (inside) {
        const unsigned char *p = in + y * width + x;
        gx = p[1 - width] + 2 * p[1] + p[1 + width] - p[-1 - width] - 2 * p[-1] - p[width - 1];
        gy = p[width - 1] + 2 * p[width] + p[width + 1] - p[-width - 1] - 2 * p[-width] -
             p[1 - width];
        gradient[y * width + x] = make_int2(gx, gy);
        polar[y * width + x] =
            make_float2(sqrtf((float)(gx * gx + gy * gy)), atan2f((float)gy, (float)gx));
    }
    unsigned mask = __ballot_sync(~0u, inside && gx * gx + gy * gy > 40000);
    if ((threadIdx.y * blockDim.x + threadIdx.x) % 32 == 0) atomicAdd(strong, __popc(mask));
}

int main() {
    const int width = 96, height = 70;
    std::vector<unsigned char> in(width * height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            in[y * width + x] = (unsigned char)((x / 9 + y / 7) % 2 * 150 + (x * y) % 60);
    Device<unsigned char> din(in);
    Device<int2> gradient(in.size());
    Device<float2> polar(in.size());
    Device<unsigned> strong(1);
    sobel<<<dim3(3, 9), dim3(32, 8)>>>(din, gradient, polar, strong, width, height);
    finish();
    std::vector<int2> g = gradient.get();
    std::vector<float2> p = polar.get();
    long wrong = 0;
    unsigned count = 0;
    for (int y = 1; y < height - 1; ++y)
        for (int x = 1; x < width - 1; ++x) {
            auto at = [&](int dx, int dy) { return (int)in[(y + dy) * width + x + dx]; };
            int gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
            int gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
            int i = y * width + x;
            count += gx * gx + gy * gy > 40000;
            wrong += g[i].x != gx || g[i].y != gy ||
                     !close_to(p[i].x, std::sqrt((double)(gx * gx + gy * gy)), 1e-6);
            wrong += !close_to(p[i].y, std::atan2((double)gy, (double)gx), 1e-6);
        }
    std::printf("strong edges: %u\n", strong.get()[0]);
    print_digest("gradients", g);
    return verdict("sobel_edges", wrong + (strong.get()[0] != count));
}
