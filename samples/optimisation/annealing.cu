// Simulated annealing of small tours: cost models with virtual functions built in device memory by
// new, integer arithmetic only.
// features: virtual_call, device_malloc, local_array, division
#include "../common.h"

constexpr int kCities = 12, kSteps = 150;

struct Metric {
    __host__ __device__ virtual ~Metric() {}
    __host__ __device__ virtual int between(int2 a, int2 b) const = 0;
};
struct Taxi : Metric {
    __host__ __device__ int between(int2 a, int2 b) const override {
        return (a.x > b.x ? a.x - b.x : b.x - a.x) + (a.y > b.y ? a.y - b.y : b.y - a.y);
    }
};
struct Weighted : Metric {
    int weight;
    __host__ __device__ explicit Weighted(int w) : weight(w) {}
    __host__ __device__ int between(int2 a, int2 b) const override {
        int dx = a.x - b.x, dy = a.y - b.y;
        return (weight * dx * dx + dy * dy) / 16;
    }
};

__global__ void make(Metric **metrics) {
    if (threadIdx.x == 0) metrics[0] = new Taxi();
    if (threadIdx.x == 1) metrics[1] = new Weighted(3);
}
__global__ void destroy(Metric **metrics) { delete metrics[threadIdx.x]; }

__host__ __device__ inline int anneal(const Metric &metric, const int2 *cities, unsigned seed) {
    int tour[kCities], best, length = 0;
    for (int k = 0; k < kCities; ++k) tour[k] = k;
    for (int k = 0; k < kCities; ++k)
        length += metric.between(cities[k], cities[(k + 1) % kCities]);
    best = length;
    for (int step = 0; step < kSteps; ++step) {
        seed = seed * 1664525u + 1013904223u;
        int i = (int)(seed >> 16) % kCities, j = (int)(seed >> 24) % kCities,
            heat = 400 * (kSteps - step) / kSteps, changed = 0;
        int held = tour[i];
        tour[i] = tour[j], tour[j] = held;
        for (int k = 0; k < kCities; ++k)
            changed += metric.between(cities[tour[k]], cities[tour[(k + 1) % kCities]]);
        if (changed < length + (int)((seed >> 8) % 256) * heat / 256) length = changed;
        else tour[j] = tour[i], tour[i] = held;
        best = length < best ? length : best;
    }
    return best;
}

__global__ void search(Metric *const *metrics, const int2 *cities, int *best, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) best[i] = anneal(*metrics[i / 8 % 2], cities, i * 77u + 5);
}

int main() {
    const int n = 96;
    Random random(86);
    std::vector<int2> cities(kCities);
    for (int2 &c : cities) c = make_int2((int)random.below(100), (int)random.below(100));
    Taxi taxi;
    Weighted weighted(3);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i)
        expected[i] =
            anneal(i / 8 % 2 ? (const Metric &)weighted : taxi, cities.data(), i * 77u + 5);
    Device<Metric *> metrics(2);
    Device<int2> dcities(cities);
    Device<int> best(n);
    make<<<1, 32>>>(metrics);
    search<<<3, 32>>>(metrics, dcities, best, n);
    destroy<<<1, 2>>>(metrics);
    finish();
    std::vector<int> got = best.get();
    std::printf("shortest: %d\n", *std::min_element(got.begin(), got.end()));
    print_digest("tours", got);
    return verdict("annealing", count_different(got, expected));
}
