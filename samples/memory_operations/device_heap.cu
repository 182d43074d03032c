// malloc and free in kernels: each thread builds a list of its own, another kernel reads and frees
// it.
// features: device_malloc, several_kernels
#include "../common.h"

struct Item {
    int value;
    Item *next;
};

__global__ void build(Item **heads, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Item *head = nullptr;
    for (int k = 0; k <= i % 6; ++k) {
        Item *item = (Item *)malloc(sizeof(Item));
        if (!item) break;
        item->value = i * 10 + k;
        item->next = head;
        head = item;
    }
    heads[i] = head;
}

__global__ void consume(Item **heads, int *sums, int *lengths, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = 0, length = 0;
    for (Item *item = heads[i]; item;) {
        Item *next = item->next;
        sum = sum * 3 + item->value;
        ++length;
        free(item);
        item = next;
    }
    sums[i] = sum;
    lengths[i] = length;
}

int main() {
    const int n = 200;
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16u << 20));
    Device<Item *> heads(n);
    Device<int> sums(n), lengths(n);
    std::vector<int> sum(n), length(n);
    for (int i = 0; i < n; ++i) {
        for (int k = i % 6; k >= 0; --k) sum[i] = sum[i] * 3 + i * 10 + k;
        length[i] = i % 6 + 1;
    }
    long wrong = 0;
    for (int round = 0; round < 3; ++round) {
        build<<<4, 64>>>(heads, n);
        consume<<<4, 64>>>(heads, sums, lengths, n);
        finish();
        wrong += count_different(sums.get(), sum) + count_different(lengths.get(), length);
    }
    print_digest("sums", sums.get());
    return verdict("device_heap", wrong);
}
