// FIR filter of 16-bit samples with taps in constant memory; chunks overlap across two streams with
// pinned buffers and host functions.
// features: streams, pinned, host_function, constant, to_symbol, events
#include "../common.h"

constexpr int kTaps = 24, kChunk = 1024, kChunks = 6;
__constant__ short taps[kTaps];

__global__ void fir(const short *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
    for (int k = 0; k < kTaps; ++k) sum += taps[k] * in[i + k];
    out[i] = sum >> 6;
}

struct Progress {
    int order[kChunks], count;
};
struct Done {
    Progress *progress;
    int chunk;
};
static void CUDART_CB note(void *argument) {
    Done *done = (Done *)argument;
    done->progress->order[done->progress->count++] = done->chunk;
}

int main() {
    short *in, host_taps[kTaps];
    int *out;
    const int n = kChunk * kChunks;
    CHECK(cudaMallocHost(&in, (n + kTaps) * sizeof(short)));
    CHECK(cudaMallocHost(&out, n * sizeof(int)));
    Random random(64);
    for (int i = 0; i < n + kTaps; ++i) in[i] = (short)(random.below(4000) - 2000);
    for (int k = 0; k < kTaps; ++k) host_taps[k] = (short)(k < 12 ? k * 5 - 20 : (23 - k) * 5 - 20);
    CHECK(cudaMemcpyToSymbol(taps, host_taps, sizeof host_taps));
    cudaStream_t streams[2];
    cudaEvent_t turn;
    CHECK(cudaEventCreateWithFlags(&turn, cudaEventDisableTiming));
    Device<short> in0(kChunk + kTaps), in1(kChunk + kTaps);
    Device<int> out0(kChunk), out1(kChunk);
    for (cudaStream_t &s : streams) CHECK(cudaStreamCreate(&s));
    Progress progress = {};
    Done done[kChunks];
    for (int c = 0; c < kChunks; ++c) {
        cudaStream_t s = streams[c % 2];
        short *di = c % 2 ? in1 : in0;
        int *od = c % 2 ? out1 : out0;
        CHECK(cudaMemcpyAsync(di, in + c * kChunk, (kChunk + kTaps) * sizeof(short),
                              cudaMemcpyHostToDevice, s));
        fir<<<kChunk / 128, 128, 0, s>>>(di, od, kChunk);
        CHECK(
            cudaMemcpyAsync(out + c * kChunk, od, kChunk * sizeof(int), cudaMemcpyDeviceToHost, s));
        if (c) CHECK(cudaStreamWaitEvent(s, turn)); // host functions run in the order of the chunks
        done[c] = {&progress, c};
        CHECK(cudaLaunchHostFunc(s, note, &done[c]));
        CHECK(cudaEventRecord(turn, s));
    }
    for (cudaStream_t s : streams) CHECK(cudaStreamSynchronize(s));
    long wrong = progress.count != kChunks;
    for (int c = 0; c < kChunks; ++c) wrong += progress.order[c] != c;
    for (int i = 0; i < n; ++i) {
        int sum = 0;
        for (int k = 0; k < kTaps; ++k) sum += host_taps[k] * in[i + k];
        wrong += out[i] != sum >> 6;
    }
    std::printf("out[1000]=%d, chunks done %d, digest %016llx\n", out[1000], progress.count,
                (unsigned long long)digest(out, n * sizeof(int)));
    for (cudaStream_t s : streams) CHECK(cudaStreamDestroy(s));
    CHECK(cudaEventDestroy(turn));
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(out));
    return verdict("fir_filter", wrong);
}
