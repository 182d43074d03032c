// A long FIR filter over a signal that is streamed through shared memory: one kernel whose first
// warp only fetches (a pipeline of the block with roles), one whose barrier's phases overlap copies
// with work.
// features: cuda_pipeline, cuda_barrier, async_copy, shared_static, several_kernels, constant
#include "../common.h"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

constexpr int TAPS = 24, CHUNK = 96, WINDOW = CHUNK + TAPS, STAGES = 2;
__constant__ int taps[TAPS];

__device__ int filtered(const int *window, int i) {
    int sum = 0;
    for (int k = 0; k < TAPS; ++k) sum += taps[k] * window[i + k];
    return sum;
}

// Threads below 32 produce, the others consume.
__global__ void by_roles(const int *in, int *out, int chunks) {
    __shared__ int windows[STAGES][WINDOW];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    cg::thread_block block = cg::this_thread_block();
    bool is_producer = block.thread_rank() < 32;
    auto role = is_producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    for (int c = blockIdx.x, turn = 0; c < chunks; c += gridDim.x, ++turn) {
        int *window = windows[turn % STAGES];
        if (is_producer) {
            pipe.producer_acquire();
            for (int i = threadIdx.x; i < WINDOW; i += 32)
                cuda::memcpy_async(&window[i], &in[c * CHUNK + i], sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            for (int i = threadIdx.x - 32; i < CHUNK; i += blockDim.x - 32)
                out[c * CHUNK + i] = filtered(window, i);
            pipe.consumer_release();
        }
    }
}

// Everybody fetches the next window, works on this one, then waits for the phase.
__global__ void by_phases(const int *in, int *out, int chunks) {
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(16) int windows[2][WINDOW];
    __shared__ Barrier arrived[2];
    cg::thread_block block = cg::this_thread_block();
    if (threadIdx.x < 2) init(&arrived[threadIdx.x], blockDim.x);
    block.sync();
    int turn = 0;
    cuda::memcpy_async(block, windows[0], in + blockIdx.x * CHUNK, WINDOW * sizeof(int),
                       arrived[0]);
    for (int c = blockIdx.x; c < chunks; c += gridDim.x, ++turn) {
        int next = c + gridDim.x;
        if (next < chunks)
            cuda::memcpy_async(block, windows[(turn + 1) % 2], in + next * CHUNK,
                               WINDOW * sizeof(int), arrived[(turn + 1) % 2]);
        Barrier::arrival_token token = arrived[turn % 2].arrive();
        arrived[turn % 2].wait(std::move(token));
        for (int i = threadIdx.x; i < CHUNK; i += blockDim.x)
            out[c * CHUNK + i] = filtered(windows[turn % 2], i);
        block.sync(); // before the window is filled anew
    }
}

int main() {
    const int chunks = 14, n = chunks * CHUNK;
    Random random(66);
    std::vector<int> in(n + TAPS), weights(TAPS), expected(n);
    for (int &v : in) v = (int)random.below(2001) - 1000;
    for (int &v : weights) v = (int)random.below(41) - 20;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < TAPS; ++k) expected[i] += weights[k] * in[i + k];
    CHECK(cudaMemcpyToSymbol(taps, weights.data(), TAPS * sizeof(int)));
    Device<int> din(in), roles(n), phases(n);
    by_roles<<<3, 32 + 64>>>(din, roles, chunks);
    by_phases<<<3, 64>>>(din, phases, chunks);
    finish();
    print_digest("by roles", roles.get());
    print_digest("by phases", phases.get());
    long wrong = count_different(roles.get(), expected) + count_different(phases.get(), expected);
    return verdict("overlapped_filter", wrong);
}
