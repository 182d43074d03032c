// A suffix array by doubling prefixes with Thrust, then its longest common prefixes and the longest
// text that occurs twice.
// features: thrust, int64, struct_param
#include "../common.h"
#include <string>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>

// The rank of a prefix of `step` letters and that of the next one, in one number.
struct PairAt {
    const int *ranks;
    int n, step;
    __device__ uint64_t operator()(int i) const {
        uint32_t next = i + step < n ? ranks[i + step] + 1u : 0u;
        return (uint64_t)ranks[i] << 32 | next;
    }
};
struct IsNew {
    __device__ int operator()(uint64_t pair, uint64_t before) const { return pair != before; }
};
struct CommonPrefix {
    const unsigned char *text;
    const int *suffixes;
    int n;
    __device__ int operator()(int k) const {
        if (k == 0) return 0;
        int a = suffixes[k - 1], b = suffixes[k], length = 0;
        while (a + length < n && b + length < n && text[a + length] == text[b + length]) ++length;
        return length;
    }
};

int main() {
    const int n = 1200;
    Random random(64);
    std::string text(n, 'A');
    for (int i = 0; i < n; ++i)
        text[i] = i >= 700 && i < 760 ? text[i - 500] : "ACGT"[random.below(4)];
    thrust::device_vector<unsigned char> letters(text.begin(), text.end());
    thrust::device_vector<int> ranks(letters.begin(), letters.end()), suffixes(n), fresh(n);
    thrust::device_vector<uint64_t> pairs(n);
    thrust::counting_iterator<int> first(0);
    int rounds = 0;
    for (int step = 1; step < 2 * n; step *= 2, ++rounds) {
        PairAt pair_at{thrust::raw_pointer_cast(ranks.data()), n, step};
        thrust::transform(first, first + n, pairs.begin(), pair_at);
        thrust::sequence(suffixes.begin(), suffixes.end());
        thrust::sort_by_key(pairs.begin(), pairs.end(), suffixes.begin());
        fresh[0] = 0;
        thrust::transform(pairs.begin() + 1, pairs.end(), pairs.begin(), fresh.begin() + 1,
                          IsNew());
        thrust::inclusive_scan(fresh.begin(), fresh.end(), fresh.begin());
        thrust::scatter(fresh.begin(), fresh.end(), suffixes.begin(), ranks.begin());
        if (fresh[n - 1] == n - 1) break; // all ranks differ
    }
    thrust::device_vector<int> common(n);
    CommonPrefix common_prefix{thrust::raw_pointer_cast(letters.data()),
                               thrust::raw_pointer_cast(suffixes.data()), n};
    thrust::tabulate(common.begin(), common.end(), common_prefix);
    auto longest = thrust::max_element(common.begin(), common.end());
    int length = *longest, where = suffixes[longest - common.begin()];

    std::vector<int> expected(n), got(n), prefixes(n), shared(n);
    for (int i = 0; i < n; ++i) expected[i] = i;
    std::sort(expected.begin(), expected.end(), [&](int a, int b) {
        return text.compare(a, std::string::npos, text, b, std::string::npos) < 0;
    });
    for (int k = 1; k < n; ++k) {
        int a = expected[k - 1], b = expected[k];
        while (std::max(a, b) + prefixes[k] < n && text[a + prefixes[k]] == text[b + prefixes[k]])
            ++prefixes[k];
    }
    thrust::copy(suffixes.begin(), suffixes.end(), got.begin());
    thrust::copy(common.begin(), common.end(), shared.begin());
    long wrong = count_different(got, expected) + count_different(shared, prefixes);
    wrong += length != *std::max_element(prefixes.begin(), prefixes.end());
    std::printf("rounds %d, longest repeat %d at %d: %.20s...\n", rounds + 1, length, where,
                text.c_str() + where);
    print_digest("suffixes", got);
    print_digest("common prefixes", shared);
    return verdict("suffix_array", wrong);
}
