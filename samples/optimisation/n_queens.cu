// Counting the placements of n queens: prefixes on the host, recursive search with bit sets in each
// thread.
// features: recursion, atomic_ull
#include "../common.h"

struct Board {
    unsigned columns, left, right;
};

__host__ __device__ __noinline__ unsigned place(unsigned all, unsigned columns, unsigned left,
                                                unsigned right) {
    if (columns == all) return 1;
    unsigned found = 0;
    for (unsigned free = all & ~(columns | left | right); free; free &= free - 1) {
        unsigned bit = free & (0u - free);
        found += place(all, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return found;
}

__global__ void search(const Board *boards, int n, unsigned all, unsigned long long *total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned found = place(all, boards[i].columns, boards[i].left, boards[i].right);
    if (found) atomicAdd(total, (unsigned long long)found);
}

int main() {
    const unsigned long long known[] = {0, 1, 0, 0, 2, 10, 4, 40, 92, 352};
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    long wrong = 0;
    for (unsigned size = 5; size <= 9; ++size) {
        unsigned all = (1u << size) - 1;
        std::vector<Board> boards;
        for (unsigned a = 0; a < size; ++a)
            for (unsigned b = 0; b < size; ++b) {
                unsigned p = 1u << a, q = 1u << b;
                if ((p | p << 1 | p >> 1) & q) continue;
                boards.push_back({p | q, (p << 1 | q) << 1, (p >> 1 | q) >> 1});
            }
        Device<Board> dboards(boards);
        Device<unsigned long long> total(1);
        search<<<(unsigned)(boards.size() + 31) / 32, 32>>>(dboards, (int)boards.size(), all,
                                                            total);
        finish();
        unsigned long long got = total.get()[0], expected = place(all, 0, 0, 0);
        std::printf("%u queens: %llu\n", size, got);
        wrong += got != expected || got != known[size];
    }
    return verdict("n_queens", wrong);
}
