// A genetic algorithm on bit strings: tournament, crossover and mutation with counter-based random
// numbers, one block a population.
// features: shared_static, bit_intrinsics, syncwarp, match, warp_reduce
#include "../common.h"

constexpr int kPopulation = 64, kGenerations = 12;

__host__ __device__ inline uint32_t noise(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t h = a * 0x9e3779b1u + b * 0x85ebca77u + c * 0xc2b2ae3du;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return h ^ h >> 15;
}

__host__ __device__ inline uint64_t child(const uint64_t *genes, const int *fitness,
                                          uint32_t island, uint32_t generation, uint32_t i) {
    uint32_t r = noise(island, generation, i), s = noise(r, i, generation);
    uint32_t a = r % kPopulation, b = (r >> 8) % kPopulation, c = (r >> 16) % kPopulation,
             d = s % kPopulation;
    uint32_t mother = fitness[a] >= fitness[b] ? a : b, father = fitness[c] >= fitness[d] ? c : d;
    uint64_t mask = (1ull << (s >> 8 & 63)) - 1;
    return ((genes[mother] & mask) | (genes[father] & ~mask)) ^
           (s >> 14 & 1 ? 1ull << (s >> 16 & 63) : 0);
}

__host__ __device__ inline uint64_t target(uint32_t island) {
    return 0x5555aaaa0f0f3333ull * (island + 1);
}

__global__ void evolve(uint64_t *result, int *best, unsigned *kinds) {
    __shared__ uint64_t genes[kPopulation];
    __shared__ int fitness[kPopulation];
    uint32_t i = threadIdx.x, island = blockIdx.x;
    uint64_t own = (uint64_t)noise(i, island, 1) << 32 | noise(i, island, 2);
    for (int g = 0; g <= kGenerations; ++g) {
        genes[i] = own;
        fitness[i] = 64 - __popcll(own ^ target(island));
        __syncthreads();
        if (g < kGenerations) own = child(genes, fitness, island, g, i);
        __syncthreads();
    }
    result[island * kPopulation + i] = own;
    int high = __reduce_max_sync(~0u, fitness[i]);
    unsigned same = __match_any_sync(~0u, fitness[i]);
    __syncwarp();
    if (__ffs((int)same) - 1 == (int)(i % 32)) atomicAdd(&kinds[island], 1u);
    if (i % 32 == 0) atomicMax(&best[island], high);
}

int main() {
    const int islands = 4;
    Device<uint64_t> result(islands * kPopulation);
    Device<int> best(islands);
    Device<unsigned> kinds(islands);
    evolve<<<islands, kPopulation>>>(result, best, kinds);
    finish();
    std::vector<uint64_t> expected(islands * kPopulation);
    std::vector<int> host_best(islands);
    std::vector<unsigned> host_kinds(islands);
    for (int island = 0; island < islands; ++island) {
        std::vector<uint64_t> genes(kPopulation), next(kPopulation);
        std::vector<int> fitness(kPopulation);
        for (int i = 0; i < kPopulation; ++i)
            genes[i] = (uint64_t)noise(i, island, 1) << 32 | noise(i, island, 2);
        for (int g = 0; g <= kGenerations; ++g) {
            for (int i = 0; i < kPopulation; ++i)
                fitness[i] = 64 - __builtin_popcountll(genes[i] ^ target(island));
            for (int i = 0; i < kPopulation; ++i)
                next[i] = child(genes.data(), fitness.data(), island, g, i);
            if (g < kGenerations) genes = next;
        }
        std::copy(genes.begin(), genes.end(), expected.begin() + island * kPopulation);
        host_best[island] = *std::max_element(fitness.begin(), fitness.end());
        for (int w = 0; w < kPopulation; w += 32) {
            std::vector<int> part(fitness.begin() + w, fitness.begin() + w + 32);
            std::sort(part.begin(), part.end());
            host_kinds[island] += (unsigned)(std::unique(part.begin(), part.end()) - part.begin());
        }
    }
    for (int island = 0; island < islands; ++island)
        std::printf("island %d: best %d of 64\n", island, best.get()[island]);
    print_digest("genes", result.get());
    long wrong = count_different(result.get(), expected) + count_different(best.get(), host_best);
    return verdict("genetic", wrong + count_different(kinds.get(), host_kinds));
}
