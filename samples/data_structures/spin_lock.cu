// A lock by atomicCAS and atomicExch guards a plain structure; and linked lists pushed with a CAS
// loop, then read.
// features: atomic_cas, atomic_exch, threadfence, volatile, atomic_float
#include "../common.h"

struct Account {
    int lock, balance, transfers;
};

__global__ void transfer(volatile Account *accounts, int *locks, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int which = i % 5;
    for (bool done = false; !done;) {
        if (atomicCAS(&locks[which], 0, 1) == 0) {
            accounts[which].balance += i;
            accounts[which].transfers += 1;
            __threadfence();
            atomicExch(&locks[which], 0);
            done = true;
        }
    }
}

__global__ void push(int *heads, int *next, float *weights, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int list = i % 7, seen = heads[list], expected;
    do {
        expected = seen;
        next[i] = expected;
        __threadfence();
        seen = atomicCAS(&heads[list], expected, i);
    } while (seen != expected);
    atomicAdd(&weights[list], 0.5f * (float)(i % 16));
}

int main() {
    const int n = 150;
    Device<Account> accounts(5);
    Device<int> locks(5), heads(std::vector<int>(7, -1)), next(n);
    Device<float> weights(7);
    transfer<<<3, 64>>>(accounts, locks, n);
    push<<<3, 64>>>(heads, next, weights, n);
    finish();
    std::vector<Account> got = accounts.get();
    std::vector<int> head = heads.get(), link = next.get();
    std::vector<float> weight = weights.get();
    long wrong = 0;
    for (int a = 0; a < 5; ++a) {
        int balance = 0;
        for (int i = a; i < n; i += 5) balance += i;
        wrong += got[a].balance != balance || got[a].transfers != n / 5;
        std::printf("account %d: %d after %d\n", a, got[a].balance, got[a].transfers);
    }
    for (int list = 0; list < 7; ++list) {
        int members = 0, expected = 0;
        float total = 0, sum = 0;
        for (int i = list; i < n; i += 7) ++expected, total += 0.5f * (float)(i % 16);
        for (int i = head[list]; i >= 0 && members <= n; i = link[i])
            ++members, sum += 0.5f * (float)(i % 16), wrong += i % 7 != list;
        wrong += members != expected || sum != total || weight[list] != total;
    }
    return verdict("spin_lock", wrong);
}
