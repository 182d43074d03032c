// How often does each value occur, where does its group begin, and which values are rare: CUB's
// sort of pairs over several tiles, run-length encoding, prefix sum, selection and reduction.
// features: cub, struct_param, template
#include "../common.h"
#include <cub/cub.cuh>

// CUB is called twice: it says how much temporary memory it needs, then it works.
template <typename Call> void with_temporary(Call call) {
    size_t bytes = 0;
    CHECK(call(nullptr, bytes));
    Device<unsigned char> memory(bytes);
    CHECK(call(static_cast<unsigned char *>(memory), bytes));
    finish();
}

struct IsRare {
    int limit;
    __device__ bool operator()(int count) const { return count <= limit; }
};

int main() {
    const int n = 9000, kinds = 700, limit = 8;
    Random random(61);
    std::vector<uint32_t> keys(n);
    std::vector<int> places(n);
    for (int i = 0; i < n; ++i) {
        uint32_t a = random.below(kinds), b = random.below(kinds);
        keys[i] = std::min(a, b) * 5000011u; // low values are frequent, high ones rare
        places[i] = i;
    }
    Device<uint32_t> in(keys), sorted(n), runs(n);
    Device<int> from(places), order(n), counts(n), found(1), starts(n), rare(n), most(1);
    with_temporary([&](void *memory, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(memory, bytes, (uint32_t *)in, (uint32_t *)sorted,
                                               (int *)from, (int *)order, n);
    });
    with_temporary([&](void *memory, size_t &bytes) {
        return cub::DeviceRunLengthEncode::Encode(memory, bytes, (uint32_t *)sorted,
                                                  (uint32_t *)runs, (int *)counts, (int *)found, n);
    });
    int groups = found.get()[0];
    with_temporary([&](void *memory, size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(memory, bytes, (int *)counts, (int *)starts, groups);
    });
    with_temporary([&](void *memory, size_t &bytes) {
        return cub::DeviceReduce::Max(memory, bytes, (int *)counts, (int *)most, groups);
    });
    with_temporary([&](void *memory, size_t &bytes) {
        return cub::DeviceSelect::If(memory, bytes, (int *)counts, (int *)rare, (int *)found,
                                     groups, IsRare{limit});
    });

    std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return keys[a] < keys[b]; });
    std::vector<uint32_t> names;
    std::vector<int> sizes, begins, small;
    for (int i = 0; i < n; ++i) {
        uint32_t key = keys[places[i]];
        if (names.empty() || names.back() != key) {
            names.push_back(key), sizes.push_back(0), begins.push_back(i);
        }
        sizes.back() += 1;
    }
    for (int size : sizes)
        if (size <= limit) small.push_back(size);
    auto first = [](auto values, size_t count) { return values.resize(count), values; };
    size_t kept = (size_t)found.get()[0];
    long wrong = (groups != (int)sizes.size()) + count_different(order.get(), places);
    wrong += count_different(first(runs.get(), groups), names);
    wrong += count_different(first(counts.get(), groups), sizes);
    wrong += count_different(first(starts.get(), groups), begins);
    wrong += count_different(first(rare.get(), kept), small);
    wrong += most.get()[0] != *std::max_element(sizes.begin(), sizes.end());
    std::printf("%d values in %d groups, the largest of %d, %zu rare ones\n", n, groups,
                most.get()[0], kept);
    print_digest("order", order.get());
    print_digest("starts", first(starts.get(), groups));
    return verdict("device_primitives", wrong);
}
