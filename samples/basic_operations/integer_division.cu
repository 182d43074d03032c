// Division and remainder by run-time divisors: signed and unsigned, 8 to 64 bits, with the awkward
// values.
// features: division, int64, template
#include "../common.h"

template <typename T>
__global__ void divide(const T *a, const T *b, T *quotient, T *remainder, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    quotient[i] = (T)(a[i] / b[i]);
    remainder[i] = (T)(a[i] % b[i]);
}

template <typename T> long run(const char *name) {
    const int n = 1024;
    std::vector<T> a(n), b(n), q(n), r(n);
    Random random(12);
    for (int i = 0; i < n; ++i) {
        a[i] = (T)(random.next() >> random.below(64));
        b[i] = (T)(random.next() >> random.below(64));
        if (i % 7 == 0) a[i] = std::numeric_limits<T>::max();
        if (i % 11 == 0) a[i] = std::numeric_limits<T>::min();
        if (i % 5 == 0) b[i] = (T)(i % 50 + 1);
        if (b[i] == 0 || b[i] == (T)-1) b[i] = 3; // min / -1 overflows
        q[i] = (T)(a[i] / b[i]);
        r[i] = (T)(a[i] % b[i]);
    }
    Device<T> da(a), db(b), dq(n), dr(n);
    divide<T><<<8, 128>>>(da, db, dq, dr, n);
    finish();
    print_digest(name, dq.get());
    return count_different(dq.get(), q) + count_different(dr.get(), r);
}

int main() {
    long wrong = run<int>("int32") + run<unsigned>("uint32") + run<long long>("int64") +
                 run<unsigned long long>("uint64");
    wrong += run<short>("int16") + run<unsigned char>("uint8");
    return verdict("integer_division", wrong);
}
