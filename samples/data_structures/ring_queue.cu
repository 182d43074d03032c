// A bounded queue on a ring: producers and consumers take tickets with atomics; the order varies,
// the contents must not.
// features: atomic_uint, atomic_exch, threadfence, volatile, device_variable
#include "../common.h"

constexpr unsigned kRing = 512;
__device__ unsigned head, tail;

__global__ void produce(unsigned *ring, unsigned *full, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned ticket = atomicAdd(&tail, 1u);
    ring[ticket % kRing] = i * 17u + 3;
    __threadfence();
    atomicExch(&full[ticket % kRing], 1u);
}

__global__ void consume(unsigned *ring, unsigned *full, unsigned *taken,
                        volatile unsigned *empty_seen, int wanted) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= wanted) return;
    unsigned ticket = atomicInc(&head, kRing - 1);
    if (atomicExch(&full[ticket], 0u) == 1u) {
        __threadfence();
        taken[ticket] = ring[ticket];
    } else {
        *empty_seen = 1;
    }
}

int main() {
    const int n = 400;
    Device<unsigned> ring(kRing), full(kRing), taken(kRing), empty(1);
    produce<<<4, 128>>>(ring, full, n);
    consume<<<4, 128>>>(ring, full, taken, empty, n);
    finish();
    std::vector<unsigned> got = taken.get();
    got.resize(n);
    std::sort(got.begin(), got.end());
    long wrong = 0;
    for (int i = 0; i < n; ++i) wrong += got[i] != i * 17u + 3;
    unsigned last = 0;
    CHECK(cudaMemcpyFromSymbol(&last, tail, sizeof last));
    std::printf("tickets %u, empty seen: %u\n", last, empty.get()[0]);
    consume<<<1, 32>>>(ring, full, taken, empty, 32);
    finish();
    std::printf("empty seen afterwards: %u\n", empty.get()[0]);
    print_digest("values", got);
    return verdict("ring_queue", wrong + (empty.get()[0] != 1) + (last != n));
}
