// Four threads that launch different kernels at the same moment, first launches too, each in a stream of its own.
#include <atomic>
#include <system_error>
#include <thread>

#include "../../../examples/common.h"

template <int FACTOR> __global__ void scale(int *values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = values[i] * FACTOR + i;
}

static std::atomic<int> waiting{4};

template <int FACTOR> static void work(long *wrong) {
    const int n = 1000, rounds = 5;
    int *host, *device;
    cudaStream_t stream;
    waiting--;
    while (waiting > 0) std::this_thread::yield();
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMallocHost(&host, n * sizeof *host));
    CHECK(cudaMalloc(&device, n * sizeof *device));
    for (int i = 0; i < n; ++i) host[i] = 1;
    CHECK(cudaMemcpyAsync(device, host, n * sizeof *host, cudaMemcpyHostToDevice, stream));
    for (int round = 0; round < rounds; ++round) {
        scale<FACTOR><<<(n + 63) / 64, 64, 0, stream>>>(device, n);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpyAsync(host, device, n * sizeof *host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; ++i) {
        int expected = 1;
        for (int round = 0; round < rounds; ++round) expected = expected * FACTOR + i;
        *wrong += host[i] != expected;
    }
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    CHECK(cudaStreamDestroy(stream));
}

int main() {
    long wrong[4] = {};
    void (*works[])(long *) = {work<2>, work<3>, work<5>, work<7>};
    std::thread threads[4];
    try {
        for (int i = 0; i < 4; ++i) threads[i] = std::thread(works[i], wrong + i);
    } catch (const std::system_error &error) {
        std::printf("no thread: error %s\n", error.what());
        std::fflush(stdout);
        std::_Exit(2); // the others wait for it
    }
    for (auto &one : threads) one.join();
    return verdict("threads", wrong[0] + wrong[1] + wrong[2] + wrong[3]);
}
