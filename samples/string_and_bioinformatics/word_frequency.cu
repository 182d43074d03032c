// Words of a text: boundaries by ballots over letters, hashes per word, counts printed by the
// device in a fixed order.
// features: vote, printf, funnel_shift, atomic_uint, host_threads, managed
#include "../common.h"
#include <string>
#include <thread>

constexpr unsigned kBuckets = 64;

__host__ __device__ inline bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
__host__ __device__ inline unsigned mix(unsigned h, char c) {
    return (h ^ (unsigned char)c) * 16777619u;
}

__global__ void count(const char *text, int n, unsigned *buckets, unsigned *words) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned letters = __ballot_sync(~0u, i < n && is_letter(text[i]));
    bool first_of_warp = threadIdx.x % 32 == 0 && i > 0 && i < n && is_letter(text[i - 1]);
    unsigned carried = __ballot_sync(~0u, first_of_warp) & 1;
    unsigned starts = letters & ~__funnelshift_l(carried << 31, letters, 1);
    if (threadIdx.x % 32 == 0) atomicAdd(words, (unsigned)__popc(starts));
    if (starts >> threadIdx.x % 32 & 1) {
        unsigned h = 2166136261u;
        for (int k = i; k < n && is_letter(text[k]); ++k) h = mix(h, text[k]);
        atomicAdd(&buckets[h % kBuckets], 1u);
    }
}

__global__ void report(const unsigned *buckets, unsigned words) {
    printf("%u words in %d buckets\n", words, (int)kBuckets);
    for (unsigned b = 0; b < kBuckets; ++b)
        if (buckets[b] > 14)
            printf("bucket %2u holds %3u (%s)\n", b, buckets[b], buckets[b] > 16 ? "many" : "some");
}

static std::string make_text(uint64_t seed) {
    Random random(seed);
    std::string text;
    for (int w = 0; w < 500; ++w) {
        for (int k = (int)random.below(4); k >= 0; --k) text += (char)('a' + random.below(5));
        text += " ,.-"[random.below(4)];
        if (random.below(3) == 0) text += ' ';
    }
    return text;
}

int main() {
    std::string parts[2];
    std::thread first([&] { parts[0] = make_text(95); }), second([&] { parts[1] = make_text(96); });
    first.join(), second.join();
    std::string text = parts[0] + parts[1];
    int n = (int)text.size();
    char *shared;
    CHECK(cudaMallocManaged(&shared, n));
    std::memcpy(shared, text.data(), n);
    Device<unsigned> buckets(kBuckets), words(1);
    std::thread launcher([&] { // another thread of the program launches
        count<<<(n + 127) / 128, 128>>>(shared, n, buckets, words);
        finish();
    });
    launcher.join();
    std::vector<unsigned> expected(kBuckets);
    unsigned total = 0;
    for (int i = 0; i < n; ++i)
        if (is_letter(text[i]) && (i == 0 || !is_letter(text[i - 1]))) {
            unsigned h = 2166136261u;
            for (int k = i; k < n && is_letter(text[k]); ++k) h = mix(h, text[k]);
            ++expected[h % kBuckets], ++total;
        }
    report<<<1, 1>>>(buckets, words.get()[0]);
    finish();
    CHECK(cudaFree(shared));
    return verdict("word_frequency",
                   count_different(buckets.get(), expected) + (words.get()[0] != total));
}
