// Calls of the runtime timed from a CUDA program; what they reach is decided by CASS_HIP_LIBRARY. Prints lines
// "name nanoseconds", each the best of many short rounds, so that other processes of the machine do not count. What
// only goes into a stream is timed while a host function holds the stream: whether who runs it keeps up, sleeps or
// shares the caches is not the call's cost.
#include <atomic>
#include <cstdio>
#include <cuda_runtime.h>
#include <ctime>
#include <thread>
#include <unistd.h>
#include <vector>

__global__ void three(int *p, int n, float f) {
    if (p && threadIdx.x > 1000) p[n] = (int)f;
}

enum { CALLS = 2000, ROUNDS = 100, TOGETHER = 200000 };

static double now_ns(clockid_t clock) {
    timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

template <class F> static double once(clockid_t clock, int count, F f) {
    double begin = now_ns(clock);
    for (int i = 0; i < count; ++i) f();
    return (now_ns(clock) - begin) / count;
}

static std::atomic<long> released;

static void CUDART_CB hold(void *turn) {
    while (released.load() < (long)turn) usleep(20);
}

/* held: the stream that f only puts work into, 0 for none. */
template <class F> static void best(const char *name, cudaStream_t held, F f) {
    double least = 1e18;
    for (int round = 0; round < ROUNDS; ++round) {
        if (held) cudaLaunchHostFunc(held, hold, (void *)(released.load() + 1));
        double now = once(CLOCK_MONOTONIC, CALLS, f);
        least = now < least ? now : least;
        if (held) ++released;
        cudaDeviceSynchronize();
    }
    std::printf("%s %.2f\n", name, least);
}

/* Each thread launches into a stream of its own; the mean processor time of one launch. */
static double together(int threads, int *p) {
    std::vector<std::thread> all;
    std::vector<double> each((size_t)threads);
    for (int t = 0; t < threads; ++t)
        all.emplace_back([&, t] {
            cudaStream_t s;
            cudaStreamCreate(&s);
            three<<<1, 32, 0, s>>>(p, 1, 2.0f);
            each[(size_t)t] = once(CLOCK_THREAD_CPUTIME_ID, TOGETHER, [&] { three<<<1, 32, 0, s>>>(p, 1, 2.0f); });
            cudaStreamDestroy(s);
        });
    double sum = 0;
    for (auto &one : all) one.join();
    for (double one : each) sum += one;
    return sum / threads;
}

int main(int count, char **) {
    int *p, *host;
    cudaStream_t s;
    cudaEvent_t e;
    if (cudaMalloc(&p, 64) != cudaSuccess) return 1;
    cudaMallocHost(&host, 64);
    cudaStreamCreate(&s);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    three<<<1, 32>>>(p, 1, 2.0f);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    best("launch", 0, [&] { three<<<1, 32>>>(p, 1, 2.0f); });
    best("launch_stream", s, [&] { three<<<1, 32, 0, s>>>(p, 1, 2.0f); });
    best("launch_waited", 0, [&] { three<<<1, 32>>>(p, 1, 2.0f); cudaDeviceSynchronize(); });
    best("copy", s, [&] { cudaMemcpyAsync(p, host, 16, cudaMemcpyHostToDevice, s); });
    best("record", s, [&] { cudaEventRecord(e, s); });
    best("wait", 0, [&] { cudaStreamSynchronize(s); });
    best("last_error", 0, [&] { cudaGetLastError(); });
    if (count == 1)
        for (int threads : {1, 2}) {
            double least = 1e18;
            for (int round = 0; round < 3; ++round) least = std::min(least, together(threads, p));
            std::printf("threads_%d %.2f\n", threads, least);
        }
    return cudaGetLastError() != cudaSuccess;
}
