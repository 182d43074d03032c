// Barriers in shared memory as sm_90 has them, by the names of PTX. words[64 + thread] is each thread's result.
__device__ unsigned address(void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(unsigned b, unsigned n) {
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(b), "r"(n) : "memory");
    }
    __syncthreads();
}
__device__ void wait(unsigned b, unsigned long long token) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.shared.b64 p, [%0], %1; @!p bra again; }" ::"r"(b), "l"(token)
                 : "memory");
}
__device__ void wait_parity(unsigned b, unsigned parity) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra again; }" ::"r"(b),
                 "r"(parity)
                 : "memory");
}
__device__ unsigned long long arrive(unsigned b) {
    unsigned long long token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(b) : "memory");
    return token;
}

extern "C" {

__global__ void phases(unsigned *words, unsigned n) { // every thread reads what another wrote, n times
    __shared__ unsigned long long barrier;
    __shared__ unsigned held[128];
    unsigned b = address(&barrier), mine = threadIdx.x;
    init(b, blockDim.x);
    for (unsigned k = 0; k < n; ++k) {
        held[threadIdx.x] = mine;
        wait(b, arrive(b));
        mine += held[(threadIdx.x + 33) % blockDim.x];
        wait(b, arrive(b));
    }
    words[64 + threadIdx.x] = mine;
}

__global__ void dropping(unsigned *words, unsigned n) { // threads from n on leave after the first phase
    __shared__ unsigned long long barrier;
    __shared__ unsigned sum;
    unsigned b = address(&barrier);
    if (threadIdx.x == 0) {
        sum = 0;
    }
    init(b, blockDim.x);
    if (threadIdx.x >= n) {
        asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" ::"r"(b) : "memory");
        words[64 + threadIdx.x] = 1;
        return;
    }
    wait(b, arrive(b));
    atomicAdd(&sum, threadIdx.x);
    wait(b, arrive(b));
    words[64 + threadIdx.x] = sum;
}

__global__ void copies(unsigned *words, unsigned n) { // asynchronous copies count as transactions or arrivals
    __shared__ unsigned long long barrier;
    __shared__ unsigned held[128];
    unsigned b = address(&barrier), to = address(&held[threadIdx.x]);
    words[64 + threadIdx.x] = threadIdx.x * n;
    __syncthreads();
    init(b, 2 * blockDim.x);
    unsigned *from = &words[64 + threadIdx.x];
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(b) : "memory");
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(b) : "memory");
    arrive(b);
    wait_parity(b, 0);
    words[64 + threadIdx.x] = held[127 - threadIdx.x];
}

__global__ void counts(unsigned *words, unsigned n) { // one thread arrives for all, and announces what another brings
    __shared__ unsigned long long barrier;
    __shared__ unsigned value;
    unsigned b = address(&barrier);
    init(b, n);
    if (threadIdx.x == 0) {
        value = 77;
        asm volatile("mbarrier.arrive.shared.b64 _, [%0], %1;" ::"r"(b), "r"(n - 1) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(b), "r"(4096) : "memory");
    }
    if (threadIdx.x == 96) {
        asm volatile("mbarrier.complete_tx.shared::cluster.relaxed.cluster.b64 [%0], %1;" ::"r"(b), "r"(4096) : "memory");
    }
    wait_parity(b, 0);
    words[64 + threadIdx.x] = value + threadIdx.x;
}
}
