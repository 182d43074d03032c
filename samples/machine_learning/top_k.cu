// The largest logits of each row and their weights: one block a row, with CUB's collectives of a
// block and of a warp in shared memory that they use one after another.
// features: cub, shared_static, launch_bounds
#include "../common.h"
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>

constexpr int THREADS = 64, ITEMS = 5, WIDTH = THREADS * ITEMS, TOP = 32;

// weights: in 1/4096 of the largest one's, halved for each 64 below it, so that sums are exact.
__host__ __device__ int weight_of(int logit, int largest) {
    int below = (largest - logit) / 64;
    return below > 12 ? 0 : 4096 >> below;
}

__global__ void __launch_bounds__(THREADS)
    top(const int *logits, int *values, int *columns, int *totals, int *sums) {
    using Load = cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<int, THREADS, ITEMS, int>;
    using Reduce = cub::BlockReduce<int, THREADS>;
    using Scan = cub::BlockScan<int, THREADS>;
    using Warp = cub::WarpReduce<int>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Sort::TempStorage sort;
        typename Reduce::TempStorage reduce;
        typename Scan::TempStorage scan;
        typename Warp::TempStorage warp;
    } shared;
    int row = blockIdx.x, item[ITEMS], column[ITEMS];
    Load(shared.load).Load(logits + row * WIDTH, item);
    for (int i = 0; i < ITEMS; ++i) column[i] = threadIdx.x * ITEMS + i;
    __syncthreads();
    Sort(shared.sort).SortDescendingBlockedToStriped(item, column);
    __syncthreads();
    int sum = item[0];
    for (int i = 1; i < ITEMS; ++i) sum += item[i];
    int total = Reduce(shared.reduce).Sum(sum);
    if (threadIdx.x == 0) totals[row] = total;
    __syncthreads();
    int before, all;
    Scan(shared.scan).ExclusiveSum(item[0] > 0 ? 1 : 0, before, all);
    __syncthreads();
    if (threadIdx.x >= TOP) return;
    int largest = __shfl_sync(0xffffffffu, item[0], 0);
    int sums_of_warp = Warp(shared.warp).Sum(weight_of(item[0], largest));
    if (threadIdx.x == 0) sums[2 * row] = sums_of_warp, sums[2 * row + 1] = all;
    values[row * TOP + threadIdx.x] = item[0];
    columns[row * TOP + threadIdx.x] = column[0] * 1000 + before;
}

int main() {
    const int rows = 12;
    Random random(62);
    std::vector<int> logits(rows * WIDTH);
    for (int &one : logits) one = (int)random.below(3000) - 2600;
    Device<int> in(logits), values(rows * TOP), columns(rows * TOP), totals(rows), sums(2 * rows);
    top<<<rows, THREADS>>>(in, values, columns, totals, sums);
    finish();
    std::vector<int> best, where, whole, weights;
    for (int r = 0; r < rows; ++r) {
        const int *row = &logits[r * WIDTH];
        std::vector<int> order(WIDTH);
        for (int i = 0; i < WIDTH; ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return row[a] > row[b]; });
        int total = 0, weight = 0, positive = 0;
        for (int i = 0; i < WIDTH; ++i) total += row[i];
        for (int i = 0; i < THREADS; ++i) {
            if (i < TOP) {
                best.push_back(row[order[i]]);
                where.push_back(order[i] * 1000 + positive);
                weight += weight_of(row[order[i]], row[order[0]]);
            }
            positive += row[order[i]] > 0;
        }
        whole.push_back(total);
        weights.push_back(weight), weights.push_back(positive);
    }
    long wrong = count_different(values.get(), best) + count_different(columns.get(), where);
    wrong += count_different(totals.get(), whole) + count_different(sums.get(), weights);
    print_digest("values", values.get());
    print_digest("columns", columns.get());
    for (int r = 0; r < rows; r += 4)
        std::printf("row %d: sum %d, weight %d\n", r, totals.get()[r], sums.get()[2 * r]);
    return verdict("top_k", wrong);
}
