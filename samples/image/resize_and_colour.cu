// Bilinear resize of an RGBA image in 16.16 fixed point, and a colour conversion by dot products of
// packed bytes.
// features: dp4a, vector_load, byte_perm, launch_2d
#include "../common.h"

__host__ __device__ inline int lerp(int a, int b, int t) { return a + ((b - a) * t >> 8); }

__host__ __device__ inline uchar4 sample(const uchar4 *in, int width, int height, int x, int y,
                                         int scale) {
    int sx = x * scale, sy = y * scale, x0 = sx >> 16, y0 = sy >> 16, tx = sx >> 8 & 255,
        ty = sy >> 8 & 255;
    int x1 = x0 + 1 < width ? x0 + 1 : width - 1, y1 = y0 + 1 < height ? y0 + 1 : height - 1;
    uchar4 a = in[y0 * width + x0], b = in[y0 * width + x1], c = in[y1 * width + x0],
           d = in[y1 * width + x1];
    uchar4 r;
    r.x = (unsigned char)lerp(lerp(a.x, b.x, tx), lerp(c.x, d.x, tx), ty);
    r.y = (unsigned char)lerp(lerp(a.y, b.y, tx), lerp(c.y, d.y, tx), ty);
    r.z = (unsigned char)lerp(lerp(a.z, b.z, tx), lerp(c.z, d.z, tx), ty);
    r.w = (unsigned char)lerp(lerp(a.w, b.w, tx), lerp(c.w, d.w, tx), ty);
    return r;
}

__global__ void resize(const uchar4 *in, int width, int height, uchar4 *out, int out_width,
                       int out_height, int scale) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < out_width && y < out_height)
        out[y * out_width + x] = sample(in, width, height, x, y, scale);
}

// Weights of 77, 110 and 29 in 1/256 for luma: unsigned bytes times signed weights, four at a time.
__global__ void luma(const uchar4 *in, unsigned *swapped, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 p = in[i];
    unsigned packed = p.x | p.y << 8 | p.z << 16 | (unsigned)p.w << 24;
    swapped[i] = __byte_perm(packed, 0, 0x3012);
    out[i] = (int)__dp4a(packed, 0x001d6e4du, 128u) +
             __dp4a((int)(packed ^ 0x80808080u), (int)0x00f0107f, 0) * 1000;
}

int main() {
    const int width = 50, height = 40, out_width = 83, out_height = 66, scale = 39000,
              n = out_width * out_height;
    Random random(62);
    std::vector<uchar4> in(width * height);
    for (uchar4 &p : in) {
        unsigned v = (unsigned)random.next();
        p = make_uchar4((unsigned char)v, (unsigned char)(v >> 8), (unsigned char)(v >> 16),
                        (unsigned char)(v >> 24));
    }
    Device<uchar4> din(in), dout(n);
    Device<unsigned> swapped(n);
    Device<int> grey(n);
    resize<<<dim3(6, 9), dim3(16, 8)>>>(din, width, height, dout, out_width, out_height, scale);
    luma<<<(n + 127) / 128, 128>>>(dout, swapped, grey, n);
    finish();
    std::vector<uchar4> out = dout.get();
    std::vector<unsigned> turned = swapped.get();
    std::vector<int> y = grey.get();
    long wrong = 0;
    for (int i = 0; i < n; ++i) {
        uchar4 p = sample(in.data(), width, height, i % out_width, i / out_width, scale);
        wrong += std::memcmp(&p, &out[i], 4) != 0;
        wrong += turned[i] != (p.z | p.y << 8 | p.x << 16 | (unsigned)p.w << 24);
        int chroma = (p.x - 128) * 127 + (p.y - 128) * 16 + (p.z - 128) * -16;
        wrong += y[i] != 77 * p.x + 110 * p.y + 29 * p.z + 128 + 1000 * chroma;
    }
    print_digest("pixels", out);
    print_digest("luma", y);
    return verdict("resize_and_colour", wrong);
}
