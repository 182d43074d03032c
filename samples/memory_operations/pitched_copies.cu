// Pitched memory: 2D copies in both directions, parts of an image, 2D memset, and a 3D allocation
// with cudaMemcpy3D.
// features: pitched, copy_2d, copy_3d, launch_2d
#include "../common.h"

__global__ void invert(unsigned char *image, size_t pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) image[y * pitch + x] = (unsigned char)(255 - image[y * pitch + x]);
}

__global__ void accumulate(cudaPitchedPtr volume, int depth, int *sums) {
    int x = threadIdx.x, y = threadIdx.y, width = (int)volume.xsize / (int)sizeof(int),
        height = (int)volume.ysize;
    if (x >= width || y >= height) return;
    int sum = 0;
    for (int z = 0; z < depth; ++z)
        sum += ((int *)((char *)volume.ptr + (size_t)(z * height + y) * volume.pitch))[x];
    sums[y * width + x] = sum;
}

static long images() {
    const int width = 75, height = 40;
    std::vector<unsigned char> image(width * height), back(width * height), expected;
    for (int i = 0; i < width * height; ++i) image[i] = (unsigned char)(i * 31 % 251);
    expected = image;
    unsigned char *device;
    size_t pitch;
    CHECK(cudaMallocPitch(&device, &pitch, width, height));
    CHECK(cudaMemcpy2D(device, pitch, image.data(), width, width, height, cudaMemcpyHostToDevice));
    CHECK(cudaMemset2D(device + 5 * pitch + 10, pitch, 7, 20, 8));
    CHECK(cudaMemcpy2D(device + 20 * pitch, pitch, device + 2 * pitch + 30, pitch, 25, 9,
                       cudaMemcpyDeviceToDevice));
    invert<<<dim3(5, 5), dim3(16, 8)>>>(device, pitch, width, height);
    finish();
    CHECK(cudaMemcpy2D(back.data(), width, device, pitch, width, height, cudaMemcpyDeviceToHost));
    for (int y = 5; y < 13; ++y)
        for (int x = 10; x < 30; ++x) expected[y * width + x] = 7;
    for (int y = 0; y < 9; ++y)
        for (int x = 0; x < 25; ++x)
            expected[(20 + y) * width + x] = expected[(2 + y) * width + 30 + x];
    for (unsigned char &v : expected) v = (unsigned char)(255 - v);
    std::printf("the pitch holds a row: %s\n", pitch >= (size_t)width ? "yes" : "no");
    print_digest("image", back);
    CHECK(cudaFree(device));
    return count_different(back, expected);
}

static long volumes() {
    const int width = 13, height = 7, depth = 5;
    std::vector<int> cells(width * height * depth), expected(width * height);
    for (size_t i = 0; i < cells.size(); ++i)
        cells[i] = (int)(i * i % 1000), expected[i % expected.size()] += cells[i];
    cudaPitchedPtr volume;
    CHECK(cudaMalloc3D(&volume, make_cudaExtent(width * sizeof(int), height, depth)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(cells.data(), width * sizeof(int), width, height);
    copy.dstPtr = volume;
    copy.extent = make_cudaExtent(width * sizeof(int), height, depth);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    Device<int> sums(expected.size());
    accumulate<<<1, dim3(16, 8)>>>(volume, depth, sums);
    finish();
    CHECK(cudaFree(volume.ptr));
    print_digest("sums", sums.get());
    return count_different(sums.get(), expected);
}

int main() { return verdict("pitched_copies", images() + volumes()); }
