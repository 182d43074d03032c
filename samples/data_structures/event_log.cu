// A log that many blocks append to: places by fetch_add, chains of buckets by compare and exchange,
// extrema by fetch_min and fetch_max, and the last block, told by acquire and release, sums up
// behind barriers of its own.
// features: atomic_ref, cuda_barrier, shared_static, struct_param
#include "../common.h"
#include <cuda/atomic>
#include <cuda/barrier>

constexpr int BUCKETS = 64, THREADS = 128;

struct Log {
    int *values, *next, *heads, *used, *least, *most, *done;
    int *sums; // of each bucket, and their total behind them
};

template <typename T> using Shared = cuda::atomic_ref<T, cuda::thread_scope_device>;

__device__ void append(const Log &log, int value) {
    int at = Shared<int>(*log.used).fetch_add(1, cuda::memory_order_relaxed);
    log.values[at] = value;
    Shared<int>(*log.least).fetch_min(value, cuda::memory_order_relaxed);
    Shared<int>(*log.most).fetch_max(value, cuda::memory_order_relaxed);
    Shared<int> head(log.heads[value % BUCKETS]);
    int first = head.load(cuda::memory_order_relaxed);
    do {
        log.next[at] = first;
    } while (!head.compare_exchange_weak(first, at, cuda::memory_order_release,
                                         cuda::memory_order_relaxed));
}

__global__ void record(const int *in, int n, Log log) {
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ Barrier barrier;
    __shared__ int partial[THREADS];
    __shared__ bool is_last;
    if (threadIdx.x == 0) init(&barrier, THREADS);
    __syncthreads();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        if (in[i] >= 0) append(log, in[i]);
    barrier.arrive_and_wait();
    if (threadIdx.x == 0) {
        Shared<int> done(*log.done);
        is_last = done.fetch_add(1, cuda::memory_order_acq_rel) == (int)gridDim.x - 1;
    }
    barrier.arrive_and_wait();
    if (!is_last) return;
    int sum = 0;
    if (threadIdx.x < BUCKETS) {
        int at = Shared<int>(log.heads[threadIdx.x]).load(cuda::memory_order_acquire);
        for (; at >= 0; at = log.next[at]) sum += log.values[at];
        log.sums[threadIdx.x] = sum;
    }
    partial[threadIdx.x] = sum;
    barrier.arrive_and_wait();
    for (int d = THREADS / 2; d > 0; d /= 2) {
        if ((int)threadIdx.x < d) partial[threadIdx.x] += partial[threadIdx.x + d];
        barrier.arrive_and_wait();
    }
    if (threadIdx.x == 0) log.sums[BUCKETS] = partial[0];
}

int main() {
    const int n = 4000;
    Random random(67);
    std::vector<int> in(n), sums(BUCKETS + 1), kept;
    for (int &v : in) {
        v = (int)random.below(20000) - 5000;
        if (v < 0) continue;
        kept.push_back(v);
        sums[v % BUCKETS] += v, sums[BUCKETS] += v;
    }
    Device<int> din(in), values(n), next(n), heads(std::vector<int>(BUCKETS, -1)), used(1),
        least(std::vector<int>{INT32_MAX}), most(std::vector<int>{INT32_MIN}), done(1),
        out(BUCKETS + 1);
    record<<<6, THREADS>>>(din, n, Log{values, next, heads, used, least, most, done, out});
    finish();
    std::vector<int> logged = values.get();
    logged.resize(used.get()[0]);
    std::sort(logged.begin(), logged.end()); // the order of a log of many writers is nobody's
    std::sort(kept.begin(), kept.end());
    long wrong = count_different(logged, kept) + count_different(out.get(), sums);
    wrong += least.get()[0] != kept.front() || most.get()[0] != kept.back();
    std::printf("%d events from %d to %d, sum %d\n", used.get()[0], least.get()[0], most.get()[0],
                out.get()[BUCKETS]);
    print_digest("sums", out.get());
    return verdict("event_log", wrong);
}
