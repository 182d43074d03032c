// A Merkle tree over SipHash-2-4, level by level as a captured graph with events between two
// streams; the known vector is checked.
// features: int64, graph_capture, streams, events
#include "../common.h"

__host__ __device__ inline uint64_t rotate(uint64_t v, int n) { return v << n | v >> (64 - n); }

__host__ __device__ inline uint64_t siphash(const unsigned char *bytes, int length) {
    const uint64_t k0 = 0x0706050403020100ull, k1 = 0x0f0e0d0c0b0a0908ull;
    uint64_t a = k0 ^ 0x736f6d6570736575ull, b = k1 ^ 0x646f72616e646f6dull,
             c = k0 ^ 0x6c7967656e657261ull, d = k1 ^ 0x7465646279746573ull;
    auto round = [&] {
        a += b, b = rotate(b, 13) ^ a, a = rotate(a, 32);
        c += d, d = rotate(d, 16) ^ c;
        a += d, d = rotate(d, 21) ^ a;
        c += b, b = rotate(b, 17) ^ c, c = rotate(c, 32);
    };
    for (int at = 0; at <= length; at += 8) {
        uint64_t word = at + 8 > length ? (uint64_t)length << 56 : 0;
        for (int k = 0; k < 8 && at + k < length; ++k) word |= (uint64_t)bytes[at + k] << 8 * k;
        d ^= word;
        round(), round();
        a ^= word;
    }
    c ^= 0xff;
    round(), round(), round(), round();
    return a ^ b ^ c ^ d;
}

__global__ void leaves(const unsigned char *bytes, int size, uint64_t *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = siphash(bytes + i * size, size);
}

__global__ void parents(const uint64_t *in, uint64_t *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = siphash((const unsigned char *)(in + 2 * i), 16);
}

int main() {
    const int n = 256, size = 23;
    Random random(84);
    std::vector<unsigned char> bytes(n * size);
    for (unsigned char &b : bytes) b = (unsigned char)random.next();
    std::vector<uint64_t> tree(2 * n);
    for (int i = 0; i < n; ++i) tree[n + i] = siphash(&bytes[i * size], size);
    for (int i = n - 1; i > 0; --i) tree[i] = siphash((const unsigned char *)&tree[2 * i], 16);
    Device<unsigned char> dbytes(bytes);
    Device<uint64_t> dtree(2 * n);
    cudaStream_t main_stream, side;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t run;
    CHECK(cudaStreamCreate(&main_stream));
    CHECK(cudaStreamCreate(&side));
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(fork, main_stream));
    CHECK(cudaStreamWaitEvent(side, fork));
    leaves<<<1, n / 2, 0, main_stream>>>(dbytes, size, dtree + n, n / 2);
    leaves<<<1, n / 2, 0, side>>>(dbytes + n / 2 * size, size, dtree + n + n / 2, n / 2);
    CHECK(cudaEventRecord(join, side));
    CHECK(cudaStreamWaitEvent(main_stream, join));
    for (int level = n / 2; level >= 1; level /= 2)
        parents<<<(level + 63) / 64, 64, 0, main_stream>>>(dtree + 2 * level, dtree + level, level);
    CHECK(cudaStreamEndCapture(main_stream, &graph));
    CHECK(cudaGraphInstantiate(&run, graph, 0));
    CHECK(cudaGraphLaunch(run, main_stream));
    CHECK(cudaStreamSynchronize(main_stream));
    finish();
    std::vector<uint64_t> got = dtree.get();
    unsigned char vector[15];
    for (int k = 0; k < 15; ++k) vector[k] = (unsigned char)k;
    std::printf("vector %016llx root %016llx\n", (unsigned long long)siphash(vector, 15),
                (unsigned long long)got[1]);
    long wrong = count_different(got, tree) + (siphash(vector, 15) != 0xa129ca6149be45e5ull);
    CHECK(cudaGraphExecDestroy(run));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(join));
    CHECK(cudaStreamDestroy(main_stream));
    CHECK(cudaStreamDestroy(side));
    return verdict("merkle_tree", wrong);
}
