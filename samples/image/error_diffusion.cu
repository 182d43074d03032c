// Floyd-Steinberg dithering as a wavefront inside one block: each row follows the one above by
// three pixels.
// features: shared_dynamic, sync_count
#include "../common.h"

__global__ void dither(const short *in, unsigned char *out, int width, int height) {
    extern __shared__ int errors[]; // one row more than the image, two columns more
    int y = threadIdx.x, stride = width + 2;
    for (int i = threadIdx.x; i < (height + 1) * stride; i += blockDim.x) errors[i] = 0;
    __syncthreads();
    for (int step = 0, busy = 1; busy; ++step) {
        int x = step - 3 * y;
        bool active = y < height && x >= 0 && x < width;
        if (active) {
            int *own = errors + y * stride + x + 1, *below = own + stride;
            int value = in[y * width + x] * 16 + own[0], white = value >= 128 * 16,
                error = value - (white ? 255 * 16 : 0);
            out[y * width + x] = white ? 255 : 0;
            own[1] += error * 7 / 16;
            below[-1] += error * 3 / 16;
            below[0] += error * 5 / 16;
            below[1] += error / 16;
        }
        busy = __syncthreads_or(y < height && x < width);
    }
}

int main() {
    const int width = 70, height = 48, stride = width + 2;
    std::vector<short> in(width * height);
    std::vector<unsigned char> expected(in.size());
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) in[y * width + x] = (short)((x * 3 + y * 2) % 256);
    std::vector<int> errors((height + 1) * stride);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            int *own = &errors[y * stride + x + 1], *below = own + stride;
            int value = in[y * width + x] * 16 + own[0], white = value >= 128 * 16,
                error = value - (white ? 255 * 16 : 0);
            expected[y * width + x] = white ? 255 : 0;
            own[1] += error * 7 / 16, below[-1] += error * 3 / 16, below[0] += error * 5 / 16,
                below[1] += error / 16;
        }
    Device<short> din(in);
    Device<unsigned char> dout(in.size());
    dither<<<1, 64, (height + 1) * stride * sizeof(int)>>>(din, dout, width, height);
    finish();
    std::vector<unsigned char> got = dout.get();
    std::printf("%td white pixels\n", std::count(got.begin(), got.end(), 255));
    print_digest("pixels", got);
    return verdict("error_diffusion", count_different(got, expected));
}
