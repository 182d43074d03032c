// Shared by the examples: a checked call, a deterministic generator and a digest of results.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t status_ = (call);                                                              \
        if (status_ != cudaSuccess) {                                                              \
            std::printf("%s: %s\n", #call, cudaGetErrorName(status_));                             \
            std::exit(2);                                                                          \
        }                                                                                          \
    } while (0)

// SplitMix64: the same numbers on every host.
struct Random {
    uint64_t state;
    explicit Random(uint64_t seed) : state(seed) {}
    uint64_t next() {
        uint64_t z = (state += 0x9e3779b97f4a7c15ull);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    uint32_t below(uint32_t n) { return static_cast<uint32_t>((next() >> 32) * n >> 32); }
    float unit() { return static_cast<float>(next() >> 40) * (1.0f / 16777216.0f); }
};

// FNV-1a over the bytes of a result.
inline uint64_t digest(const void *bytes, size_t count) {
    const unsigned char *p = static_cast<const unsigned char *>(bytes);
    uint64_t h = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < count; ++i) h = (h ^ p[i]) * 0x100000001b3ull;
    return h;
}

inline int verdict(const char *name, long wrong) {
    std::printf("%s: %s\n", name, wrong == 0 ? "PASS" : "FAIL");
    if (wrong) std::printf("%ld wrong values\n", wrong);
    return wrong == 0 ? 0 : 1;
}
