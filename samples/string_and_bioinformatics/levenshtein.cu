// Edit distance of many pairs of words: anti-diagonals in shared memory, one block a pair, letters
// packed in one array.
// features: shared_dynamic, division, sync_count
#include "../common.h"
#include <string>

__global__ void distance(const char *letters, const int *starts, int *out, int stride) {
    extern __shared__ int diagonals[]; // three of `stride`
    const char *a = letters + starts[2 * blockIdx.x], *b = letters + starts[2 * blockIdx.x + 1];
    int n = starts[2 * blockIdx.x + 1] - starts[2 * blockIdx.x],
        m = starts[2 * blockIdx.x + 2] - starts[2 * blockIdx.x + 1];
    int i = threadIdx.x;
    for (int d = 0; d <= n + m; ++d) {
        int *now = diagonals + d % 3 * stride, *last = diagonals + (d + 2) % 3 * stride,
            *before = diagonals + (d + 1) % 3 * stride;
        int j = d - i;
        if (i <= n && j >= 0 && j <= m) {
            if (i == 0 || j == 0) now[i] = d;
            else
                now[i] = min(min(last[i - 1], last[i]) + 1, before[i - 1] + (a[i - 1] != b[j - 1]));
        }
        __syncthreads();
    }
    int equal = __syncthreads_and(i >= n || (i < m && a[i] == b[i]));
    if (i == 0) out[blockIdx.x] = diagonals[(n + m) % 3 * stride + n] * 2 + (equal && n == m);
}

static int reference(const std::string &a, const std::string &b) {
    std::vector<int> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = (int)j;
    for (size_t i = 1; i <= a.size(); ++i) {
        int corner = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= b.size(); ++j) {
            int up = row[j];
            row[j] = std::min(std::min(up, row[j - 1]) + 1, corner + (a[i - 1] != b[j - 1]));
            corner = up;
        }
    }
    return row[b.size()];
}

int main() {
    const int pairs = 40, longest = 50;
    Random random(90);
    std::string letters;
    std::vector<int> starts, expected;
    for (int p = 0; p < pairs; ++p) {
        std::string a, b;
        for (int k = (int)random.below(longest); k >= 0; --k) a += (char)('a' + random.below(4));
        b = a;
        for (int k = p % 5 ? (int)random.below(12) : 0; k > 0; --k) {
            size_t at = random.below((uint32_t)b.size());
            if (random.below(2) && b.size() > 1) b.erase(at, 1);
            else b[at] = 'z';
        }
        starts.push_back((int)letters.size()), letters += a;
        starts.push_back((int)letters.size()), letters += b;
        expected.push_back(reference(a, b) * 2 + (a == b));
    }
    starts.push_back((int)letters.size());
    Device<char> dletters(std::vector<char>(letters.begin(), letters.end()));
    Device<int> dstarts(starts), out(pairs);
    distance<<<pairs, 64, 3 * 64 * sizeof(int)>>>(dletters, dstarts, out, 64);
    finish();
    print_digest("distances", out.get());
    return verdict("levenshtein", count_different(out.get(), expected));
}
