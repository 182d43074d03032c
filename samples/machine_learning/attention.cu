// Attention for one head: scores on tensor cores (exact small integers), softmax in shared memory,
// weighted values.
// features: tensor_core, half, shared_dynamic, math_float
#include "../common.h"
#include <mma.h>

namespace wmma = nvcuda::wmma;
constexpr int kLength = 32, kDepth = 16;

__global__ void attention(const __half *q, const __half *k, const float *v, float *scores,
                          float *out) {
    extern __shared__ __align__(32) float weight[]; // kLength rows of kLength
    int warp = threadIdx.x / 32, row = warp / 2 * 16, column = warp % 2 * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fq;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fk;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(fq, q + row * kDepth, kDepth);
    wmma::load_matrix_sync(fk, k + column * kDepth, kDepth);
    wmma::mma_sync(sum, fq, fk, sum);
    wmma::store_matrix_sync(weight + row * kLength + column, sum, kLength, wmma::mem_row_major);
    __syncthreads();
    for (int i = threadIdx.x; i < kLength * kLength; i += blockDim.x) scores[i] = weight[i];
    __syncthreads();
    if (threadIdx.x < kLength) {
        float *mine = weight + threadIdx.x * kLength, high = mine[0], total = 0;
        for (int j = 1; j < kLength; ++j) high = fmaxf(high, mine[j]);
        for (int j = 0; j < kLength; ++j) total += mine[j] = expf((mine[j] - high) * 0.25f);
        for (int j = 0; j < kLength; ++j) mine[j] /= total;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kLength * kDepth; i += blockDim.x) {
        float mixed = 0;
        for (int j = 0; j < kLength; ++j)
            mixed += weight[i / kDepth * kLength + j] * v[j * kDepth + i % kDepth];
        out[i] = mixed;
    }
}

int main() {
    Random random(73);
    std::vector<int> iq(kLength * kDepth), ik(iq.size());
    std::vector<__half> q(iq.size()), k(iq.size());
    std::vector<float> v(iq.size()), expected_scores(kLength * kLength);
    for (size_t i = 0; i < iq.size(); ++i) {
        iq[i] = (int)random.below(5) - 2, ik[i] = (int)random.below(5) - 2;
        q[i] = __float2half((float)iq[i]), k[i] = __float2half((float)ik[i]), v[i] = random.unit();
    }
    Device<__half> dq(q), dk(k);
    Device<float> dv(v), scores(kLength * kLength), out(iq.size());
    attention<<<1, 128, kLength * kLength * sizeof(float)>>>(dq, dk, dv, scores, out);
    finish();
    std::vector<float> got = out.get();
    long wrong = 0;
    for (int i = 0; i < kLength; ++i) {
        double total = 0, weight[kLength];
        for (int j = 0; j < kLength; ++j) {
            int dot = 0;
            for (int d = 0; d < kDepth; ++d) dot += iq[i * kDepth + d] * ik[j * kDepth + d];
            expected_scores[i * kLength + j] = (float)dot;
            total += weight[j] = std::exp(dot * 0.25);
        }
        for (int d = 0; d < kDepth; ++d) {
            double mixed = 0;
            for (int j = 0; j < kLength; ++j) mixed += weight[j] / total * v[j * kDepth + d];
            wrong += !close_to(got[i * kDepth + d], mixed, 1e-5);
        }
    }
    print_digest("scores", scores.get());
    return verdict("attention", wrong + count_different(scores.get(), expected_scores));
}
