// An open-addressing hash table: insertion by atomicCAS, counting by atomicAdd, lookup by another
// kernel.
// features: atomic_cas, atomic_ull, atomic_uint, int64
#include "../common.h"

constexpr unsigned kSlots = 2048;
constexpr unsigned long long kEmpty = ~0ull;

__host__ __device__ inline unsigned slot_of(unsigned long long key) {
    return (unsigned)((key * 0x9e3779b97f4a7c15ull) >> 53);
}

__global__ void insert(const unsigned long long *keys, int n, unsigned long long *table,
                       unsigned *counts, unsigned long long *sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned slot = slot_of(keys[i]);
    for (;;) {
        unsigned long long seen = atomicCAS(&table[slot], kEmpty, keys[i]);
        if (seen == kEmpty || seen == keys[i]) break;
        slot = (slot + 1) % kSlots;
    }
    atomicAdd(&counts[slot], 1u);
    atomicAdd(sum, keys[i]);
}

__global__ void find(const unsigned long long *keys, int n, const unsigned long long *table,
                     const unsigned *counts, unsigned *found) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned slot = slot_of(keys[i]);
    while (table[slot] != kEmpty && table[slot] != keys[i]) slot = (slot + 1) % kSlots;
    found[i] = table[slot] == kEmpty ? 0 : counts[slot];
}

int main() {
    const int n = 3000, distinct = 900;
    Random random(25);
    std::vector<unsigned long long> pool(distinct + 100), keys(n), queries(pool.size());
    for (unsigned long long &key : pool) key = random.next() >> 1;
    std::vector<unsigned> expected(pool.size());
    unsigned long long total = 0;
    for (unsigned long long &key : keys) {
        unsigned which = random.below(distinct);
        key = pool[which];
        ++expected[which];
        total += key;
    }
    Device<unsigned long long> dkeys(keys), dpool(pool), sum(1),
        table(std::vector<unsigned long long>(kSlots, kEmpty));
    Device<unsigned> counts(kSlots), found(pool.size());
    insert<<<(n + 127) / 128, 128>>>(dkeys, n, table, counts, sum);
    find<<<8, 128>>>(dpool, (int)pool.size(), table, counts, found);
    finish();
    std::printf("sum of keys %016llx\n", sum.get()[0]);
    print_digest("counts", found.get());
    return verdict("hash_table", count_different(found.get(), expected) + (sum.get()[0] != total));
}
