// The workloads of `tools/bench emulator` on this CPU: workgroups on THREADS threads, best of ROUNDS. One thread is
// timed by processor time, several by wall time.
// Prints a line for each: name, seconds, the checksum of its output.
#include <atomic>
#include <chrono>
#include <ctime>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "emulator_kernels.h"

#ifndef WORKLOAD_SET
#define WORKLOAD_SET WORKLOADS
#endif

constexpr int WORDS = 1 << 20;
static float a[WORDS], b[WORDS], c[WORDS];

static double now(int threads) {
    if (threads == 1) return (double)clock() / CLOCKS_PER_SEC;
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <typename Kernel> static double once(Kernel kernel, int x, int y, int n, int threads) {
    std::atomic<int> next{0};
    auto work = [&] {
        for (int group; (group = next++) < x * y;) kernel(group % x, group / x, a, b, c, n);
    };
    double begin = now(threads);
    std::vector<std::thread> pool;
    for (int i = 1; i < threads; i++) pool.emplace_back(work);
    work();
    for (auto &thread : pool) thread.join();
    return now(threads) - begin;
}

static unsigned checksum() {
    unsigned sum = 0, word;
    for (float value : c) {
        memcpy(&word, &value, 4);
        sum = sum * 31 + word;
    }
    return sum;
}

int main(int, char **arguments) {
    int threads = atoi(arguments[1]), rounds = atoi(arguments[2]);
    for (unsigned i = 0; i < WORDS; i++) {
        a[i] = (float)(i * 2654435761u >> 8) / (1 << 24);
        b[i] = (float)(i * 2246822519u >> 8) / (1 << 24);
    }
#define RUN(name, x, y, n)                                                                         \
    {                                                                                              \
        double best = 1e9;                                                                         \
        unsigned sum = 0;                                                                          \
        for (int round = 0; round < rounds; round++) {                                             \
            memset(c, 0, sizeof c);                                                                \
            double taken = once(name, x, y, n, threads);                                           \
            best = taken < best ? taken : best;                                                    \
            sum = checksum();                                                                      \
        }                                                                                          \
        printf("%s %.9f %u\n", #name, best, sum);                                                  \
    }
    WORKLOAD_SET(RUN)
}
