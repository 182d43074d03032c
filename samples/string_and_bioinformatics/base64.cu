// Base64 encoding and decoding: three bytes a thread, look-up by arithmetic, the text printed by
// the device.
// features: byte_perm, printf, several_kernels
#include "../common.h"
#include <string>

__host__ __device__ inline char letter(unsigned v) {
    return (char)(v < 26    ? 'A' + v
                  : v < 52  ? 'a' + v - 26
                  : v < 62  ? '0' + v - 52
                  : v == 62 ? '+'
                            : '/');
}

__global__ void encode(const unsigned char *in, int n, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (3 * i >= n) return;
    unsigned v = 0;
    for (int k = 0; k < 3; ++k) v = v << 8 | (3 * i + k < n ? in[3 * i + k] : 0);
    unsigned text = 0;
    for (int k = 0; k < 4; ++k) {
        char c = 3 * i + k <= n ? letter(v >> (18 - 6 * k) & 63) : '=';
        text = text << 8 | (unsigned char)c;
    }
    out[i] = __byte_perm(text, 0, 0x0123);
}

__global__ void decode(const char *in, int n, unsigned char *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n) return;
    unsigned v = 0;
    for (int k = 0; k < 4; ++k) {
        char c = in[4 * i + k];
        unsigned six = c >= 'a'               ? c - 'a' + 26
                       : c >= 'A'             ? c - 'A'
                       : c >= '0' && c <= '9' ? c - '0' + 52
                       : c == '+'             ? 62
                       : c == '/'             ? 63
                                              : 0;
        v = v << 6 | six;
    }
    for (int k = 0; k < 3; ++k) out[3 * i + k] = (unsigned char)(v >> (16 - 8 * k));
}

__global__ void show(const char *text, int n) {
    for (int i = 0; i < n; i += 24)
        printf("%4d: %c%c%c%c... %5.1f%%\n", i, text[i], text[i + 1], text[i + 2], text[i + 3],
               100.0 * i / n);
}

int main() {
    const int n = 220;
    Random random(93);
    std::vector<unsigned char> bytes(n);
    for (unsigned char &b : bytes) b = (unsigned char)random.next();
    std::string expected;
    for (int i = 0; i < n; i += 3) {
        unsigned v =
            bytes[i] << 16 | (i + 1 < n ? bytes[i + 1] << 8 : 0) | (i + 2 < n ? bytes[i + 2] : 0);
        for (int k = 0; k < 4; ++k) expected += i + k <= n ? letter(v >> (18 - 6 * k) & 63) : '=';
    }
    int groups = (n + 2) / 3;
    Device<unsigned char> dbytes(bytes), back(3 * groups);
    Device<unsigned> text(groups);
    encode<<<2, 64>>>(dbytes, n, text);
    decode<<<2, 64>>>((const char *)(unsigned *)text, 4 * groups, back);
    show<<<1, 1>>>((const char *)(unsigned *)text, 4 * groups);
    finish();
    std::vector<unsigned> words = text.get();
    std::string got((const char *)words.data(), 4 * groups);
    std::vector<unsigned char> restored = back.get();
    restored.resize(n);
    std::printf("%s\n", got.c_str());
    return verdict("base64", (got != expected) + count_different(restored, bytes));
}
