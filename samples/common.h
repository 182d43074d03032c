// Shared by the samples: what the examples share, device memory that frees itself, and tolerant
// comparison.
#pragma once
#include "../examples/common.h"
#include <algorithm>
#include <cmath>
#include <vector>

// `count` values in device memory, zero at first; converts to the pointer that kernels take.
template <typename T> class Device {
  public:
    explicit Device(size_t count) : count_(count) {
        CHECK(cudaMalloc(&data_, count * sizeof(T)));
        CHECK(cudaMemset(data_, 0, count * sizeof(T)));
    }
    explicit Device(const std::vector<T> &values) : count_(values.size()) {
        CHECK(cudaMalloc(&data_, count_ * sizeof(T)));
        set(values);
    }
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;
    ~Device() { CHECK(cudaFree(data_)); }
    operator T *() const { return data_; }
    void set(const std::vector<T> &values) {
        CHECK(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> get() const {
        std::vector<T> values(count_);
        CHECK(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }

  private:
    T *data_ = nullptr;
    size_t count_;
};

// The launch was accepted and ran to its end.
inline void finish() {
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

// Relative tolerance, absolute below 1; equal infinities and two NaNs agree.
inline bool close_to(double got, double expected, double tolerance) {
    if (std::isnan(expected)) return std::isnan(got);
    if (std::isinf(expected) || std::isinf(got)) return got == expected;
    return std::fabs(got - expected) <= tolerance * std::max(1.0, std::fabs(expected));
}

template <typename T>
long count_different(const std::vector<T> &got, const std::vector<T> &expected) {
    long wrong = got.size() != expected.size();
    for (size_t i = 0; i < std::min(got.size(), expected.size()); ++i)
        wrong += !(got[i] == expected[i]);
    return wrong;
}

template <typename T> void print_digest(const char *what, const std::vector<T> &values) {
    std::printf("%s: %zu values, digest %016llx\n", what, values.size(),
                (unsigned long long)digest(values.data(), values.size() * sizeof(T)));
}
