// Lanes of one warp that wait for each other. words: zeroed; words[64 + lane] is each lane's result.
extern "C" {

__global__ void flag(unsigned *words, unsigned n) {
    volatile unsigned *flag = words;
    unsigned lane = threadIdx.x;
    if (lane == n) {
        words[1] = 7;
        __threadfence();
        *flag = 1;
        words[64 + lane] = 1000;
    } else {
        while (*flag == 0) {
        }
        words[64 + lane] = ((volatile unsigned *)words)[1] + lane;
    }
}

__global__ void turns(unsigned *words, unsigned n) {
    __shared__ volatile unsigned turn, sum;
    unsigned lane = threadIdx.x;
    if (lane == 0) {
        turn = n;
        sum = 0;
    }
    __syncthreads();
    while (turn != lane) {
    }
    sum = sum * 3 + lane;
    words[64 + lane] = sum;
    __threadfence_block();
    turn = turn - 1;
}

__global__ void tickets(unsigned *words, unsigned n) {
    unsigned lane = threadIdx.x;
    unsigned mine = atomicAdd(&words[0], 1);
    while (atomicAdd(&words[1], 0) != mine) {
    }
    unsigned seen = ((volatile unsigned *)words)[2];
    ((volatile unsigned *)words)[2] = seen + n;
    words[64 + mine] = seen;
    __threadfence();
    atomicAdd(&words[1], 1);
}

__global__ void bit_lock(unsigned *words, unsigned n) {
    volatile unsigned *counter = words + 1;
    bool done = false;
    while (!done) {
        if ((atomicOr(&words[0], 1u) & 1u) == 0) {
            unsigned seen = *counter;
            *counter = seen + n;
            words[64 + seen / n] = seen;
            __threadfence();
            atomicAnd(&words[0], ~1u);
            done = true;
        }
    }
}

__global__ void pipeline(unsigned *words, unsigned n) {
    __shared__ volatile unsigned ready[33];
    unsigned lane = threadIdx.x;
    ready[lane] = 0;
    __syncwarp();
    if (lane == 0) {
        for (unsigned k = 1; k < 32; ++k) {
            words[k] = k * n;
            __threadfence();
            ready[k] = 1;
        }
    } else {
        while (!ready[lane]) {
            __nanosleep(20);
        }
        words[64 + lane] = ((volatile unsigned *)words)[lane] + 1;
    }
    __syncwarp();
    words[64 + lane] += __shfl_xor_sync(~0u, lane, 1) << 16;
    if (lane & 1) {
        __syncwarp(0xaaaaaaaa);
        words[64 + lane] += __popc(__ballot_sync(0xaaaaaaaa, lane < n)) << 24;
    } else {
        __syncwarp(0x55555555);
        words[64 + lane] += __popc(__ballot_sync(0x55555555, true)) << 24;
    }
}

// Two lanes at a time hold a unit; each waits for the lane in front of it, in a function.
__device__ __noinline__ void wait_for(volatile unsigned *word, unsigned least) {
    while (*word < least) {
    }
}

__global__ void chain(unsigned *words, unsigned n) {
    unsigned lane = threadIdx.x;
    volatile unsigned *steps = words;
    for (unsigned round = 1; round <= n; ++round) {
        if (lane < 31) {
            wait_for(&steps[lane + 1], round);
        }
        steps[lane] = round;
        __threadfence();
    }
    words[64 + lane] = steps[lane] + lane;
}
}
