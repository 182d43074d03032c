// Errors are reported by name: bad launches, bad sizes, bad pointers; a good launch afterwards
// works. (The runtime of CUDA 12 calls bad dimensions cudaErrorInvalidConfiguration.)
// features: error_handling, device_properties, occupancy
// not with: cuda12-static, cuda12-shared
#include "../common.h"

__global__ void fill(int *out, int value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = value + i;
}

int main() {
    const int n = 300;
    long wrong = 0;
    Device<int> out(n);
    auto expect = [&](const char *what, cudaError_t got, cudaError_t expected) {
        std::printf("%s: %s\n", what, cudaGetErrorName(got));
        wrong += got != expected;
    };
    fill<<<1, 2048>>>(out, 0, n);
    expect("2048 threads in a block", cudaGetLastError(), cudaErrorInvalidValue);
    fill<<<0, 32>>>(out, 0, n);
    expect("no blocks", cudaPeekAtLastError(), cudaErrorInvalidValue);
    expect("the last error is kept", cudaGetLastError(), cudaErrorInvalidValue);
    expect("and then forgotten", cudaGetLastError(), cudaSuccess);
    void *memory = nullptr;
    expect("2^50 bytes", cudaMalloc(&memory, 1ull << 50), cudaErrorMemoryAllocation);
    expect("device 99", cudaSetDevice(99), cudaErrorInvalidDevice);
    expect("copy without direction", cudaMemcpy(out, out, 4, (cudaMemcpyKind)17),
           cudaErrorInvalidMemcpyDirection);
    expect("no event", cudaEventDestroy(nullptr), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    std::printf("text of 2: %s; name of 12345: %s\n", cudaGetErrorString(cudaErrorMemoryAllocation),
                cudaGetErrorName((cudaError_t)12345));
    int device = -1, count = 0, resident = 0, grid = 0, block = 0;
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaGetDevice(&device));
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, fill, 128, 0));
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, fill, 0, 0));
    std::printf("device %d, warp %d, block limit %d, compute 8 or newer: %s\n", device,
                properties.warpSize, properties.maxThreadsPerBlock,
                properties.major >= 8 ? "yes" : "no");
    wrong += count < 1 || resident < 1 || grid < 1 || block < 32 || block % 32;
    fill<<<2, 256>>>(out, 7, n);
    expect("a good launch", cudaGetLastError(), cudaSuccess);
    CHECK(cudaDeviceSynchronize());
    std::vector<int> got = out.get();
    for (int i = 0; i < n; ++i) wrong += got[i] != 7 + i;
    return verdict("error_names", wrong);
}
