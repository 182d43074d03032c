// Autocorrelation of 16-bit samples with 64-bit sums, two host threads that each drive a stream of
// their own.
// features: host_threads, streams, int64, shared_dynamic
#include "../common.h"
#include <thread>

__global__ void correlate(const short *samples, int n, long long *out) {
    extern __shared__ long long partial[];
    long long sum = 0;
    int lag = blockIdx.x;
    for (int i = threadIdx.x; i + lag < n; i += blockDim.x)
        sum += (long long)samples[i] * samples[i + lag];
    partial[threadIdx.x] = sum;
    for (int half = blockDim.x / 2; half; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    if (threadIdx.x == 0) out[lag] = partial[0];
}

static void work(uint64_t seed, long *wrong, uint64_t *result) {
    const int n = 1500, lags = 40;
    Random random(seed);
    std::vector<short> samples(n);
    for (short &s : samples) s = (short)(random.next() >> 48);
    std::vector<long long> expected(lags), got(lags);
    for (int lag = 0; lag < lags; ++lag)
        for (int i = 0; i + lag < n; ++i) expected[lag] += (long long)samples[i] * samples[i + lag];
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    Device<short> dsamples(samples);
    Device<long long> dout(lags);
    CHECK(cudaDeviceSynchronize()); // the blocking stream's memset and copy are done
    for (int repeat = 0; repeat < 3; ++repeat)
        correlate<<<lags, 64, 64 * sizeof(long long), stream>>>(dsamples, n, dout);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(got.data(), dout, lags * sizeof(long long), cudaMemcpyDeviceToHost,
                          stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    *wrong = count_different(got, expected);
    *result = digest(got.data(), lags * sizeof(long long));
}

int main() {
    long wrong[3] = {};
    uint64_t results[3] = {};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) threads.emplace_back(work, 67 + t, &wrong[t], &results[t]);
    for (std::thread &t : threads) t.join();
    for (int t = 0; t < 3; ++t)
        std::printf("thread %d: %016llx\n", t, (unsigned long long)results[t]);
    return verdict("autocorrelation", wrong[0] + wrong[1] + wrong[2]);
}
