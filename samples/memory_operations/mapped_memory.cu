// Host memory the device reads and writes in place: mapped allocation, registered memory, pointer
// attributes.
// features: mapped, pinned, volatile
#include "../common.h"

__global__ void exchange(const int *in, volatile int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[n - 1 - i] = in[i] * 2 + 1;
}

int main() {
    const int n = 700;
    int *host, *view, *plain_view;
    CHECK(cudaHostAlloc(&host, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&view, host, 0));
    std::vector<int> plain(n, -1);
    CHECK(cudaHostRegister(plain.data(), n * sizeof(int), cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer(&plain_view, plain.data(), 0));
    for (int i = 0; i < n; ++i) host[i] = i * i;
    exchange<<<6, 128>>>(view, plain_view, n);
    finish();
    long wrong = 0;
    for (int i = 0; i < n; ++i) wrong += plain[n - 1 - i] != i * i * 2 + 1;
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, host));
    std::printf("pinned memory is of type %d (1: host)", (int)attributes.type);
    wrong += attributes.type != cudaMemoryTypeHost;
    Device<int> device(n);
    CHECK(cudaPointerGetAttributes(&attributes, (int *)device));
    std::printf(", device memory of type %d (2: device)\n", (int)attributes.type);
    wrong += attributes.type != cudaMemoryTypeDevice;
    unsigned flags = 0;
    CHECK(cudaHostGetFlags(&flags, host));
    std::printf("mapped: %s\n", flags & cudaHostAllocMapped ? "yes" : "no");
    print_digest("results", plain);
    CHECK(cudaHostUnregister(plain.data()));
    CHECK(cudaFreeHost(host));
    return verdict("mapped_memory", wrong);
}
