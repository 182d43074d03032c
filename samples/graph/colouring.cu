// Independent sets by hashed priorities (Jones-Plassmann): rounds until every vertex has a colour;
// the result is fixed.
// features: local_array, bit_intrinsics, device_variable, from_symbol, to_symbol
#include "../common.h"

__device__ unsigned uncoloured;

__host__ __device__ inline unsigned priority(unsigned v) {
    v = (v ^ 61) ^ (v >> 16);
    v *= 9;
    v ^= v >> 4;
    v *= 0x27d4eb2d;
    return v ^ (v >> 15);
}
__host__ __device__ inline bool before(int v, int w) {
    unsigned a = priority((unsigned)v), b = priority((unsigned)w);
    return a != b ? a > b : v > w;
}

__global__ void colour(const int *offsets, const int *targets, const int *old, int *now, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    now[v] = old[v];
    if (old[v] >= 0) return;
    unsigned long long used[2] = {};
    bool ready = true;
    for (int e = offsets[v]; e < offsets[v + 1]; ++e) {
        int c = old[targets[e]];
        if (c >= 0) used[c >> 6] |= 1ull << (c & 63);
        else ready &= before(v, targets[e]);
    }
    if (ready)
        now[v] = ~used[0] ? __ffsll((long long)~used[0]) - 1 : 63 + __ffsll((long long)~used[1]);
    else atomicAdd(&uncoloured, 1u);
}

int main() {
    const int n = 400;
    Random random(35);
    std::vector<std::vector<int>> adjacent(n);
    for (int e = 0; e < 1600; ++e) {
        int v = (int)random.below(n), w = (int)random.below(n);
        if (v == w || std::count(adjacent[v].begin(), adjacent[v].end(), w)) continue;
        adjacent[v].push_back(w), adjacent[w].push_back(v);
    }
    std::vector<int> offsets(n + 1), targets, order(n), expected(n, -1);
    for (int v = 0; v < n; ++v) {
        targets.insert(targets.end(), adjacent[v].begin(), adjacent[v].end());
        offsets[v + 1] = (int)targets.size(), order[v] = v;
    }
    std::sort(order.begin(), order.end(), before);
    for (int v : order)
        for (int c = 0; expected[v] < 0; ++c) {
            bool free = true;
            for (int w : adjacent[v]) free &= expected[w] != c;
            if (free) expected[v] = c;
        }
    Device<int> doffsets(offsets), dtargets(targets), a(std::vector<int>(n, -1)), b(n);
    int *old = a, *now = b, rounds = 0;
    for (unsigned left = 1; left && rounds < n; ++rounds) {
        left = 0;
        CHECK(cudaMemcpyToSymbol(uncoloured, &left, sizeof left));
        colour<<<(n + 63) / 64, 64>>>(doffsets, dtargets, old, now, n);
        CHECK(cudaMemcpyFromSymbol(&left, uncoloured, sizeof left));
        std::swap(old, now);
    }
    std::vector<int> got(n);
    CHECK(cudaMemcpy(got.data(), old, n * sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("%d rounds, %d colours\n", rounds, 1 + *std::max_element(got.begin(), got.end()));
    print_digest("colours", got);
    return verdict("colouring", count_different(got, expected));
}
