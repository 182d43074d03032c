// Assembling a sparse matrix with Thrust: duplicate entries sorted and summed, offsets of rows by
// binary search, then a product with a vector as a segmented reduction.
// features: thrust, struct_param
#include "../common.h"
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>

constexpr int ROWS = 120, COLUMNS = 90;

struct RowOf {
    __host__ __device__ int operator()(int key) const { return key / COLUMNS; }
};
struct ColumnOf {
    __host__ __device__ int operator()(int key) const { return key % COLUMNS; }
};
struct Product {
    __host__ __device__ int operator()(thrust::tuple<int, int> pair) const {
        return thrust::get<0>(pair) * thrust::get<1>(pair);
    }
};
struct Square {
    __host__ __device__ long long operator()(int x) const { return (long long)x * x; }
};

int main() {
    const int n = 3000;
    Random random(63);
    thrust::host_vector<int> keys(n), values(n), vector(COLUMNS);
    std::vector<int> dense(ROWS * COLUMNS), filled(ROWS * COLUMNS), product(ROWS);
    for (int i = 0; i < n; ++i) {
        int row = (int)random.below(ROWS), column = (int)random.below(30) * 3;
        keys[i] = row * COLUMNS + column;
        values[i] = (int)random.below(19) - 9;
        dense[keys[i]] += values[i], filled[keys[i]] = 1;
    }
    for (int &one : vector) one = (int)random.below(100) - 50;

    thrust::device_vector<int> dkeys = keys, dvalues = values, dvector = vector;
    thrust::device_vector<int> entries(n), sums(n), offsets(ROWS + 1), out(ROWS), rows(ROWS);
    thrust::stable_sort_by_key(dkeys.begin(), dkeys.end(), dvalues.begin());
    auto ends = thrust::reduce_by_key(dkeys.begin(), dkeys.end(), dvalues.begin(), entries.begin(),
                                      sums.begin());
    int count = (int)(ends.first - entries.begin());
    entries.resize(count), sums.resize(count);
    auto row = thrust::make_transform_iterator(entries.begin(), RowOf());
    thrust::lower_bound(row, row + count, thrust::counting_iterator<int>(0),
                        thrust::counting_iterator<int>(ROWS + 1), offsets.begin());
    auto column = thrust::make_transform_iterator(entries.begin(), ColumnOf());
    auto factor = thrust::make_permutation_iterator(dvector.begin(), column);
    auto pairs = thrust::make_zip_iterator(thrust::make_tuple(sums.begin(), factor));
    auto products = thrust::make_transform_iterator(pairs, Product());
    auto last = thrust::reduce_by_key(row, row + count, products, rows.begin(), out.begin());
    long long norm = thrust::transform_reduce(sums.begin(), sums.end(), Square(), 0ll,
                                              thrust::plus<long long>());

    std::vector<int> starts(ROWS + 1), expected_entries, expected_sums;
    long long square = 0;
    for (int k = 0; k < ROWS * COLUMNS; ++k) {
        if (!filled[k]) continue;
        expected_entries.push_back(k), expected_sums.push_back(dense[k]);
        starts[k / COLUMNS + 1] += 1;
        product[k / COLUMNS] += dense[k] * vector[k % COLUMNS];
        square += (long long)dense[k] * dense[k];
    }
    for (int r = 0; r < ROWS; ++r) starts[r + 1] += starts[r];
    auto on_host = [](const thrust::device_vector<int> &values) {
        std::vector<int> copy(values.size());
        thrust::copy(values.begin(), values.end(), copy.begin());
        return copy;
    };
    long wrong = count_different(on_host(entries), expected_entries);
    wrong += count_different(on_host(sums), expected_sums);
    wrong += count_different(on_host(offsets), starts);
    wrong += count_different(on_host(out), product) + (norm != square);
    wrong += (int)(last.first - rows.begin()) != ROWS;
    std::printf("%d entries of %d, squares %lld\n", count, n, norm);
    print_digest("entries", on_host(entries));
    print_digest("sums", on_host(sums));
    print_digest("product", on_host(out));
    return verdict("coo_assembly", wrong);
}
