// Bottom-up merge sort of key-value pairs: every thread merges two runs; a comparison functor
// chooses the order.
// features: template, struct_param
#include "../common.h"

struct Pair {
    int key, value;
};
struct ByKey {
    __host__ __device__ bool operator()(Pair a, Pair b) const { return a.key < b.key; }
};
struct ByDescendingRemainder {
    int modulus;
    __host__ __device__ bool operator()(Pair a, Pair b) const {
        return a.key % modulus > b.key % modulus;
    }
};

template <typename Less>
__global__ void merge(const Pair *in, Pair *out, int n, int width, Less less) {
    int left = 2 * width * (blockIdx.x * blockDim.x + threadIdx.x);
    if (left >= n) return;
    int middle = min(left + width, n), end = min(left + 2 * width, n), a = left, b = middle;
    for (int at = left; at < end; ++at) {
        bool second = a >= middle || (b < end && less(in[b], in[a]));
        out[at] = second ? in[b++] : in[a++];
    }
}

template <typename Less> long run(const char *name, Less less) {
    const int n = 1777;
    Random random(37);
    std::vector<Pair> pairs(n), expected;
    for (int i = 0; i < n; ++i) pairs[i] = {(int)random.below(500), i};
    expected = pairs;
    std::stable_sort(expected.begin(), expected.end(), less);
    Device<Pair> a(pairs), b(n);
    Pair *from = a, *to = b;
    for (int width = 1; width < n; width *= 2) {
        int merges = (n + 2 * width - 1) / (2 * width);
        merge<Less><<<(merges + 63) / 64, 64>>>(from, to, n, width, less);
        std::swap(from, to);
    }
    finish();
    std::vector<Pair> got(n);
    CHECK(cudaMemcpy(got.data(), from, n * sizeof(Pair), cudaMemcpyDeviceToHost));
    print_digest(name, got);
    return std::memcmp(got.data(), expected.data(), n * sizeof(Pair)) != 0;
}

int main() {
    return verdict("merge_sort",
                   run("by key", ByKey{}) + run("by remainder", ByDescendingRemainder{37}));
}
