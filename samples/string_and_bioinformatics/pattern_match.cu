// A small regular-expression matcher that calls itself (., *, ?, classes), run over many words;
// results by 64-bit masks.
// features: recursion, switch, atomic_and_or_xor, atomic_ull
#include "../common.h"
#include <string>

__host__ __device__ __noinline__ bool matches(const char *pattern, const char *text) {
    if (!*pattern) return !*text;
    bool one = false;
    switch (*pattern) {
    case '.':
        one = *text != 0;
        break;
    case '#':
        one = *text >= '0' && *text <= '9';
        break;
    case '@':
        one = *text >= 'a' && *text <= 'z';
        break;
    case '!':
        one = *text && *text != 'x';
        break;
    default:
        one = *pattern == *text;
        break;
    }
    switch (pattern[1]) {
    case '*':
        return matches(pattern + 2, text) || (one && matches(pattern, text + 1));
    case '?':
        return matches(pattern + 2, text) || (one && matches(pattern + 2, text + 1));
    default:
        return one && matches(pattern + 1, text + 1);
    }
}

__global__ void match_all(const char *patterns, int pattern_size, const char *words, int word_size,
                          int n, unsigned long long *masks) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, p = blockIdx.y;
    if (i < n && matches(patterns + p * pattern_size, words + i * word_size))
        atomicOr(&masks[p], 1ull << i);
}

int main() {
    const int pattern_size = 12, word_size = 10, n = 64;
    const char *patterns[] = {"a*b?c", ".*1", "@@#*", "x!x", "a.c.*", "#?@*", "!*", "ab*ab*"};
    const int count = sizeof patterns / sizeof *patterns;
    std::vector<char> all(count * pattern_size), words(n * word_size);
    for (int p = 0; p < count; ++p) std::strcpy(&all[p * pattern_size], patterns[p]);
    Random random(94);
    for (int i = 0; i < n; ++i)
        for (int k = 0, length = 1 + (int)random.below(6); k < length; ++k)
            words[i * word_size + k] = "aabbcx12"[random.below(8)];
    std::vector<unsigned long long> expected(count);
    for (int p = 0; p < count; ++p)
        for (int i = 0; i < n; ++i)
            if (matches(patterns[p], &words[i * word_size])) expected[p] |= 1ull << i;
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    Device<char> dpatterns(all), dwords(words);
    Device<unsigned long long> masks(count);
    match_all<<<dim3(2, count), 32>>>(dpatterns, pattern_size, dwords, word_size, n, masks);
    finish();
    std::vector<unsigned long long> got = masks.get();
    for (int p = 0; p < count; ++p) std::printf("%-8s %016llx\n", patterns[p], got[p]);
    return verdict("pattern_match", count_different(got, expected));
}
