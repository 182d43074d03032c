// Transposing a CSR matrix: column counts, a block scan in dynamic shared memory, scatter with
// tickets, rows sorted afterwards.
// features: shared_dynamic, atomic_int, several_kernels
#include "../common.h"

__global__ void count(const int *columns, int n, int *counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&counts[columns[i]], 1);
}

__global__ void exclusive_scan(const int *counts, int *offsets, int *cursor, int n) {
    extern __shared__ int sums[];
    int t = threadIdx.x;
    sums[t] = t < n ? counts[t] : 0;
    __syncthreads();
    for (int d = 1; d < (int)blockDim.x; d *= 2) {
        int below = t >= d ? sums[t - d] : 0;
        __syncthreads();
        sums[t] += below;
        __syncthreads();
    }
    if (t < n) offsets[t + 1] = sums[t], cursor[t] = sums[t] - counts[t];
    if (t == 0) offsets[0] = 0;
}

__global__ void scatter(const int *offsets, const int *columns, const int *values, int rows,
                        int *cursor, int2 *out) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    for (int k = offsets[row]; k < offsets[row + 1]; ++k)
        out[atomicAdd(&cursor[columns[k]], 1)] = make_int2(row, values[k]);
}

__global__ void sort_rows(const int *offsets, int2 *entries, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    for (int i = offsets[row] + 1; i < offsets[row + 1]; ++i) {
        int2 held = entries[i];
        int j = i;
        for (; j > offsets[row] && entries[j - 1].x > held.x; --j) entries[j] = entries[j - 1];
        entries[j] = held;
    }
}

int main() {
    const int rows = 220, width = 200;
    Random random(52);
    std::vector<int> offsets(rows + 1), columns, values;
    std::vector<std::vector<std::pair<int, int>>> turned(width);
    for (int r = 0; r < rows; ++r) {
        for (int c = (int)random.below(20); c < width; c += 1 + (int)random.below(30)) {
            columns.push_back(c), values.push_back((int)random.below(1000));
            turned[c].push_back({r, values.back()});
        }
        offsets[r + 1] = (int)columns.size();
    }
    int n = (int)columns.size();
    Device<int> doffsets(offsets), dcolumns(columns), dvalues(values), counts(width),
        out_offsets(width + 1), cursor(width);
    Device<int2> out(n);
    count<<<(n + 127) / 128, 128>>>(dcolumns, n, counts);
    exclusive_scan<<<1, 256, 256 * sizeof(int)>>>(counts, out_offsets, cursor, width);
    scatter<<<2, 128>>>(doffsets, dcolumns, dvalues, rows, cursor, out);
    sort_rows<<<2, 128>>>(out_offsets, out, width);
    finish();
    std::vector<int2> got = out.get();
    long wrong = 0, at = 0;
    for (int c = 0; c < width; ++c)
        for (auto [row, value] : turned[c]) {
            wrong += got[at].x != row || got[at].y != value;
            ++at;
        }
    print_digest("entries", got);
    print_digest("offsets", out_offsets.get());
    return verdict("transpose_csr", wrong + (at != n));
}
