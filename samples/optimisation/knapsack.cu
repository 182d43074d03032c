// 0/1 knapsack by dynamic programming: one launch an item, rows ping-pong, choices as bits from
// ballots, timed with events.
// features: vote, pinned, events
#include "../common.h"

constexpr int kCapacity = 511, kItems = 40;

__global__ void take(const int *before, int *after, unsigned *choices, int weight, int value) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int without = before[c], with = c >= weight ? before[c - weight] + value : -1;
    unsigned word = __ballot_sync(~0u, with > without);
    after[c] = max(without, with);
    if (threadIdx.x % 32 == 0) choices[c / 32] = word;
}

int main() {
    const int cells = kCapacity + 1, words = cells / 32;
    Random random(85);
    int weight[kItems], value[kItems];
    for (int i = 0; i < kItems; ++i)
        weight[i] = 5 + (int)random.below(60), value[i] = 10 + (int)random.below(500);
    Device<int> a(cells), b(cells);
    Device<unsigned> choices(kItems * words);
    unsigned *taken;
    CHECK(cudaMallocHost(&taken, kItems * words * sizeof(unsigned)));
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    for (int i = 0; i < kItems; ++i)
        take<<<cells / 128, 128>>>(i % 2 ? b : a, i % 2 ? a : b, choices + i * words, weight[i],
                                   value[i]);
    CHECK(cudaMemcpyAsync(taken, choices, kItems * words * sizeof(unsigned), cudaMemcpyDeviceToHost,
                          nullptr));
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = -1;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    finish();
    std::vector<int> expected(cells), row = a.get();
    for (int i = 0; i < kItems; ++i)
        for (int c = kCapacity; c >= weight[i]; --c)
            expected[c] = std::max(expected[c], expected[c - weight[i]] + value[i]);
    int left = kCapacity, total = 0, count = 0;
    for (int i = kItems - 1; i >= 0; --i)
        if (taken[i * words + left / 32] >> left % 32 & 1)
            left -= weight[i], total += value[i], ++count;
    std::printf("best value %d with %d items, time %s\n", row[kCapacity], count,
                milliseconds >= 0 ? "known" : "unknown");
    print_digest("row", row);
    long wrong = count_different(row, expected) + (total != row[kCapacity]) + !(milliseconds >= 0);
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFreeHost(taken));
    return verdict("knapsack", wrong);
}
