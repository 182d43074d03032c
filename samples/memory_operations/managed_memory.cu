// Managed memory shared by host and device in turns: allocated and as a __managed__ variable, with
// advice and prefetch.
// features: managed, struct_param, atomic_int
#include "../common.h"

struct Node {
    int value;
    Node *next;
};
__managed__ int visits;

__global__ void walk(Node *head, int *sums) {
    int sum = 0, hops = 0;
    for (Node *node = head; node; node = node->next) {
        if (hops++ % 4 == threadIdx.x) sum += node->value;
    }
    sums[threadIdx.x] = sum;
    atomicAdd(&visits, hops);
}

__global__ void lengthen(Node *nodes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) nodes[i].value *= 10;
}

int main() {
    const int n = 100;
    Node *nodes;
    int *sums;
    CHECK(cudaMallocManaged(&nodes, n * sizeof(Node)));
    CHECK(cudaMallocManaged(&sums, 4 * sizeof(int)));
    for (int i = 0; i < n; ++i) nodes[i] = {i * 3 + 1, i + 1 < n ? &nodes[i + 1] : nullptr};
    visits = 5;
    walk<<<1, 4>>>(nodes, sums);
    finish();
    long wrong = visits != 5 + 4 * n;
    for (int k = 0; k < 4; ++k) {
        int expected = 0;
        for (int i = k; i < n; i += 4) expected += nodes[i].value;
        wrong += sums[k] != expected;
    }
    std::printf("visits=%d sums=%d %d %d %d\n", visits, sums[0], sums[1], sums[2], sums[3]);
    visits = 0;
    nodes[49].next = nullptr; // the host changes the list between launches
    lengthen<<<1, 128>>>(nodes, n);
    walk<<<1, 4>>>(nodes, sums);
    finish();
    int total = 0;
    for (int i = 0; i < 50; ++i) total += (i * 3 + 1) * 10;
    wrong +=
        sums[0] + sums[1] + sums[2] + sums[3] != total || visits != 200 || nodes[99].value != 2980;
    std::printf("total=%d visits=%d last=%d\n", total, visits, nodes[99].value);
    CHECK(cudaFree(nodes));
    CHECK(cudaFree(sums));
    return verdict("managed_memory", wrong);
}
