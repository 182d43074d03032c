// Shared memory beyond 64 KiB: tiles, atomics, generic pointers, matrices, asynchronous copies, barriers, several
// blocks and streams at once, a cooperative launch, a graph. Prints a digest of each part and how much is wrong.
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                    \
    do {                                                                               \
        cudaError_t code_ = (call);                                                    \
        if (code_ != cudaSuccess) {                                                    \
            printf("%s: %s\n", #call, cudaGetErrorName(code_));                        \
            exit(2);                                                                   \
        }                                                                              \
    } while (0)

constexpr int BYTES = 96 << 10, WORDS = BYTES / 4, SIDE = 156, PITCH = 3 * SIDE;
constexpr int FAR = 72 << 10; // beyond what LDS has

__global__ void transpose(const float *in, float *out, int side) {
    extern __shared__ float tile[];
    int pitch = side * gridDim.x;
    for (int at = threadIdx.x; at < side * side; at += blockDim.x)
        tile[at] = in[(blockIdx.y * side + at / side) * pitch + blockIdx.x * side + at % side];
    __syncthreads();
    for (int at = threadIdx.x; at < side * side; at += blockDim.x)
        out[(blockIdx.x * side + at / side) * pitch + blockIdx.y * side + at % side] =
            tile[at % side * side + at / side];
}

// The last eight words are a maximum, a compare-and-swap chain, a float sum, a 64-bit sum, a minimum and a wrap.
__global__ void count(const unsigned *in, int n, unsigned *out, int words) {
    extern __shared__ unsigned bins[];
    unsigned *more = bins + words - 8;
    for (int at = threadIdx.x; at < words; at += blockDim.x) bins[at] = at == words - 3 ? 0xffffffffu : 0;
    __syncthreads();
    for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += gridDim.x * blockDim.x) {
        unsigned value = in[at];
        atomicAdd(&bins[value % (words - 8)], 1u);
        atomicMax(&more[0], value);
        for (unsigned seen = more[1], old; value % 16 == 0 && (old = atomicCAS(&more[1], seen, seen + (value >> 28))) != seen;) seen = old;
        if (value % 8 == 0) atomicAdd((float *)&more[2], (float)(value >> 28));
        atomicAdd((unsigned long long *)(more + 6), (unsigned long long)value << 8);
        atomicMin(&more[5], value);
        atomicInc(&more[3], 100);
    }
    __syncthreads();
    for (int at = threadIdx.x; at < words; at += blockDim.x) out[blockIdx.x * words + at] = bins[at];
}

__device__ __noinline__ void bump(int *where, int by) {
    *where += by;
    if (by & 1) atomicAdd(where, 5);
}

__global__ void generic(int *out, int far) {
    extern __shared__ int shared[];
    shared[far + threadIdx.x] = far + threadIdx.x;
    __syncthreads();
    int t = threadIdx.x, mine[2] = {t, 3 * t};
    int *places[3] = {shared + far + t, out + blockIdx.x * blockDim.x + t, &mine[t & 1]};
    for (int i = 0; i < 3; i++) bump(places[(i + t) % 3], i + t);
    int spaces = 0;
    for (int i = 0; i < 3; i++) spaces += (__isShared(places[i]) + 2 * __isGlobal(places[i]) + 4 * __isLocal(places[i])) << 3 * i;
    __syncthreads();
    unsigned back = (unsigned)__cvta_generic_to_shared(places[0]); // a shared address, and a generic one of it again
    int *again = (int *)__cvta_shared_to_generic(back + 4 * ((t ^ 1) - t));
    out[blockIdx.x * blockDim.x + t] += *again * 16 + mine[t & 1] + (spaces << 20);
}

__global__ void matrices(const uint4 *in, unsigned *out, int bytes, int far) {
    extern __shared__ uint4 rows[];
    unsigned base = (unsigned)__cvta_generic_to_shared(rows);
    for (int at = threadIdx.x; at < bytes / 16; at += blockDim.x)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(base + 16 * at), "l"(in + at % 4096));
    asm volatile("cp.async.commit_group;\ncp.async.wait_all;" ::: "memory");
    __syncthreads();
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, a[4], b[4], c[4] = {0, 0, 0, 0};
    unsigned at = base + far + warp * 1024 + lane * 16;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3]) : "r"(at + 512));
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    for (int i = 0; i < 4; i++) out[threadIdx.x * 12 + i] = a[i], out[threadIdx.x * 12 + 4 + i] = b[i],
                                out[threadIdx.x * 12 + 8 + i] = c[i];
}

// Half of the warps leave early; the others meet at a named barrier, count votes, and pass an mbarrier.
__global__ void barriers(unsigned *out, int far, int place) {
    extern __shared__ unsigned words[];
    unsigned t = threadIdx.x, warp = t / 32;
    unsigned object = (unsigned)__cvta_generic_to_shared(words + place);
    int votes = __syncthreads_count(t % 3 == 0);
    if (!t) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(object), "r"(128));
    __syncthreads();
    if (warp >= 4) return;
    words[far + t] = t * t;
    asm volatile("bar.sync 3, 128;" ::: "memory");
    unsigned sum = words[far + (t + 37) % 128];
    unsigned long long state;
    words[t] = sum + votes;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(object) : "memory");
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(object), "l"(state) : "memory");
    out[blockIdx.x * 128 + t] = words[(t + 91) % 128];
}

__global__ void together(unsigned *values, int words) {
    extern __shared__ unsigned mine[];
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int at = threadIdx.x; at < words; at += blockDim.x) mine[at] = at * 7 + blockIdx.x;
    __syncthreads();
    for (int round = 0; round < 3; round++) {
        values[blockIdx.x * blockDim.x + threadIdx.x] = mine[words - 1 - threadIdx.x * (round + 1)];
        grid.sync();
        mine[words - 1 - threadIdx.x] += values[(blockIdx.x + 1) % gridDim.x * blockDim.x + threadIdx.x];
        grid.sync();
    }
    values[blockIdx.x * blockDim.x + threadIdx.x] = mine[words - 1 - threadIdx.x];
}

static uint64_t digest(const void *bytes, size_t size) {
    uint64_t hash = 1469598103934665603ull;
    for (size_t i = 0; i < size; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211ull;
    return hash;
}

template <class T> static T *device(const std::vector<T> &from) {
    T *at;
    CHECK(cudaMalloc(&at, from.size() * sizeof(T)));
    CHECK(cudaMemcpy(at, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    return at;
}

template <class T> static std::vector<T> host(const T *at, size_t n) {
    std::vector<T> out(n);
    CHECK(cudaMemcpy(out.data(), at, n * sizeof(T), cudaMemcpyDeviceToHost));
    return out;
}

template <class T> static void say(const char *name, const std::vector<T> &found, int wrong) {
    printf("%s %016llx wrong %d\n", name, (unsigned long long)digest(found.data(), found.size() * sizeof(T)), wrong);
}

static int transposed(const std::vector<float> &in, const std::vector<float> &out) {
    int wrong = 0;
    for (int i = 0; i < PITCH * PITCH; i++) wrong += out[i] != in[i % PITCH * PITCH + i / PITCH];
    return wrong;
}

static void tiles(std::vector<float> &in) {
    cudaStream_t streams[3];
    float *ins[3], *outs[3];
    for (int s = 0; s < 3; s++) {
        for (int i = 0; i < PITCH * PITCH; i++) in[i] = (float)(i * (s + 3) % 65521);
        ins[s] = device(in), outs[s] = device(std::vector<float>(in.size()));
        CHECK(cudaStreamCreate(&streams[s]));
    }
    for (int s = 0; s < 3; s++) transpose<<<dim3(3, 3), 256, BYTES, streams[s]>>>(ins[s], outs[s], SIDE);
    CHECK(cudaDeviceSynchronize());
    for (int s = 0; s < 3; s++) {
        for (int i = 0; i < PITCH * PITCH; i++) in[i] = (float)(i * (s + 3) % 65521);
        std::vector<float> out = host(outs[s], in.size());
        say("transpose", out, transposed(in, out));
    }
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaMemset(outs[0], 0, in.size() * 4));
    CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
    transpose<<<dim3(3, 3), 256, BYTES, streams[0]>>>(ins[2], outs[0], SIDE);
    CHECK(cudaStreamEndCapture(streams[0], &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, streams[0]));
    CHECK(cudaStreamSynchronize(streams[0]));
    std::vector<float> out = host(outs[0], in.size());
    say("graph", out, transposed(in, out));
}

static void counts() {
    std::vector<unsigned> in(3000), expected(2 * WORDS);
    for (size_t i = 0; i < in.size(); i++) in[i] = (unsigned)(i * 2654435761u);
    unsigned *out = device(std::vector<unsigned>(2 * WORDS));
    count<<<2, 512, BYTES>>>(device(in), (int)in.size(), out, WORDS);
    std::vector<unsigned> found = host(out, 2 * WORDS);
    for (int block = 0; block < 2; block++) {
        unsigned *bins = expected.data() + block * WORDS, *more = bins + WORDS - 8, turns = 0;
        unsigned long long total = 0;
        float sum = 0;
        more[5] = 0xffffffffu;
        for (size_t i = 0; i < in.size(); i++) {
            if (i / 512 % 2 != (size_t)block) continue;
            bins[in[i] % (WORDS - 8)]++, turns++;
            if (in[i] > more[0]) more[0] = in[i];
            if (in[i] < more[5]) more[5] = in[i];
            if (in[i] % 16 == 0) more[1] += in[i] >> 28;
            if (in[i] % 8 == 0) sum += (float)(in[i] >> 28);
            total += (unsigned long long)in[i] << 8;
        }
        more[3] = turns % 101;
        memcpy(&more[2], &sum, 4), memcpy(&more[6], &total, 8);
    }
    int wrong = 0;
    for (int i = 0; i < 2 * WORDS; i++) wrong += found[i] != expected[i];
    say("atomics", found, wrong);
}

static void pointers() {
    int *out = device(std::vector<int>(3 * 64, 11)), wrong = 0;
    generic<<<3, 64, BYTES>>>(out, FAR / 4);
    std::vector<int> found = host(out, 3 * 64);
    for (int i = 0; i < 3 * 64; i++) {
        int t = i % 64, values[2][3] = {};
        for (int who = 0; who < 2; who++) { // the thread itself, and the one whose shared word it reads
            int u = who ? t ^ 1 : t, start[3] = {FAR / 4 + u, 11, u & 1 ? 3 * u : u};
            for (int k = 0; k < 3; k++) values[who][k] = start[k];
            for (int k = 0; k < 3; k++) values[who][(k + u) % 3] += k + u + ((k + u) & 1 ? 5 : 0);
        }
        wrong += found[i] != values[0][1] + values[1][0] * 16 + values[0][2] + ((1 + (2 << 3) + (4 << 6)) << 20);
    }
    say("generic", found, wrong);
}

// Element i that a lane holds of m16n8k32's product, from the warp's fragments (PTX ISA, mma.m16n8k32: layout of s8).
static int product(const unsigned *warp, unsigned lane, int i) {
    unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
    int sum = 0;
    for (unsigned k = 0; k < 32; k++) {
        unsigned a = warp[(row % 8 * 4 + k % 16 / 4) * 12 + row / 8 + k / 16 * 2];
        unsigned b = warp[(column * 4 + k % 16 / 4) * 12 + 4 + k / 16];
        sum += (int)(signed char)(a >> k % 4 * 8) * (signed char)(b >> k % 4 * 8);
    }
    return sum;
}

// What `together` leaves in `values`, block after block in each round.
static std::vector<unsigned> together_on_host() {
    std::vector<std::vector<unsigned>> mine(4, std::vector<unsigned>(WORDS));
    std::vector<unsigned> values(4 * 128);
    for (int block = 0; block < 4; block++)
        for (int at = 0; at < WORDS; at++) mine[block][at] = at * 7 + block;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 4 * 128; i++) values[i] = mine[i / 128][WORDS - 1 - i % 128 * (round + 1)];
        for (int i = 0; i < 4 * 128; i++) mine[i / 128][WORDS - 1 - i % 128] += values[(i / 128 + 1) % 4 * 128 + i % 128];
    }
    for (int i = 0; i < 4 * 128; i++) values[i] = mine[i / 128][WORDS - 1 - i % 128];
    return values;
}

static void fragments() {
    std::vector<unsigned> in(4096 * 4);
    for (size_t i = 0; i < in.size(); i++) in[i] = (unsigned)(i * 0x9e3779b1u);
    unsigned *out = device(std::vector<unsigned>(256 * 12)), wrong = 0;
    matrices<<<1, 256, BYTES>>>((const uint4 *)device(in), out, BYTES, FAR);
    std::vector<unsigned> found = host(out, 256 * 12);
    const unsigned short *half = (const unsigned short *)in.data();
    for (unsigned t = 0; t < 256; t++) // the fragments
        for (unsigned m = 0; m < 4; m++) {
            unsigned start = (FAR + t / 32 * 1024 + m * 128) / 2, lane = t % 32, row = lane / 4, column = lane % 4 * 2;
            auto at = [&](unsigned word) { return (unsigned)half[word % 32768]; };
            wrong += found[t * 12 + m] != (at(start + row * 8 + column) | at(start + row * 8 + column + 1) << 16);
            start += 256;
            wrong += found[t * 12 + 4 + m] != (at(start + column * 8 + row) | at(start + (column + 1) * 8 + row) << 16);
        }
    for (unsigned t = 0; t < 256; t++)
        for (int i = 0; i < 4; i++) wrong += (int)found[t * 12 + 8 + i] != product(&found[t / 32 * 32 * 12], t % 32, i);
    say("matrices", found, (int)wrong);
}

static void meetings() {
    unsigned *out = device(std::vector<unsigned>(4 * 128)), wrong = 0;
    barriers<<<4, 256, BYTES>>>(out, FAR / 4, WORDS - 2);
    std::vector<unsigned> found = host(out, 4 * 128);
    for (unsigned i = 0; i < 4 * 128; i++) {
        unsigned from = (i % 128 + 91) % 128, other = (from + 37) % 128;
        wrong += found[i] != other * other + 86;
    }
    say("barriers", found, (int)wrong);
    int words = WORDS;
    void *arguments[] = {&out, &words};
    CHECK(cudaLaunchCooperativeKernel((const void *)together, 4, 128, arguments, BYTES, 0));
    found = host(out, 4 * 128);
    std::vector<unsigned> wanted = together_on_host();
    wrong = 0;
    for (unsigned i = 0; i < 4 * 128; i++) wrong += found[i] != wanted[i];
    say("together", found, (int)wrong);
}

int main(int argc, char **argv) {
    int most = 0;
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    const void *kernels[] = {(const void *)transpose, (const void *)count,    (const void *)generic,
                             (const void *)matrices,  (const void *)barriers, (const void *)together};
    if (argc > 1) printf("opt-in %d\n", most);
    for (const void *kernel : kernels) {
        cudaError_t code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
        if (code != cudaSuccess) return printf("%s\n", cudaGetErrorName(code)), 3;
    }
    std::vector<float> in(PITCH * PITCH);
    tiles(in);
    counts();
    pointers();
    fragments();
    meetings();
    transpose<<<1, 32, most + 1>>>(nullptr, nullptr, 0);
    printf("too much: %s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
