// A dense layer with bias and ReLU: half inputs and weights, packed half2 products, float accumulation.
#include "common.h"
#include <cuda_fp16.h>
#include <vector>

__global__ void dense(const __half *x, const __half *w, const __half *bias, __half *y, int batch, int in, int out) {
    int o = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (o >= out || row >= batch) return;
    const __half2 *xs = reinterpret_cast<const __half2 *>(x + row * in);
    const __half2 *ws = reinterpret_cast<const __half2 *>(w + o * in);
    float sum = __half2float(bias[o]);
    for (int k = 0; k < in / 2; ++k) {
        __half2 product = __hmul2(xs[k], ws[k]);
        sum += __low2float(product) + __high2float(product);
    }
    __half result = __float2half_rn(sum);
    y[row * out + o] = __hgt(result, __float2half(0.0f)) ? result : __float2half(0.0f);
}

int main() {
    const int batch = 5, in = 64, out = 100;
    std::vector<__half> x(batch * in), w(out * in), bias(out), y(batch * out);
    Random random(10);
    for (__half &v : x) v = __float2half(random.unit() - 0.5f);
    for (__half &v : w) v = __float2half(random.unit() - 0.5f);
    for (__half &v : bias) v = __float2half(random.unit() - 0.5f);
    __half *dx, *dw, *db, *dy;
    CHECK(cudaMalloc(&dx, x.size() * sizeof(__half)));
    CHECK(cudaMalloc(&dw, w.size() * sizeof(__half)));
    CHECK(cudaMalloc(&db, bias.size() * sizeof(__half)));
    CHECK(cudaMalloc(&dy, y.size() * sizeof(__half)));
    CHECK(cudaMemcpy(dx, x.data(), x.size() * sizeof(__half), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dw, w.data(), w.size() * sizeof(__half), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, bias.data(), bias.size() * sizeof(__half), cudaMemcpyHostToDevice));
    dense<<<dim3((out + 31) / 32, batch), 32>>>(dx, dw, db, dy, batch, in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(y.data(), dy, y.size() * sizeof(__half), cudaMemcpyDeviceToHost));
    long wrong = 0, positive = 0;
    for (int r = 0; r < batch; ++r)
        for (int o = 0; o < out; ++o) {
            float sum = __half2float(bias[o]);
            for (int k = 0; k < in; k += 2) {
                float low = __half2float(__float2half_rn(__half2float(x[r * in + k]) * __half2float(w[o * in + k])));
                float high = __half2float(__float2half_rn(__half2float(x[r * in + k + 1]) * __half2float(w[o * in + k + 1])));
                sum += low + high;
            }
            float expected = __half2float(__float2half_rn(sum > 0.0f ? sum : 0.0f)), got = __half2float(y[r * out + o]);
            wrong += expected != got;
            positive += got > 0.0f;
        }
    std::printf("y[0][0..2]=%.5f %.5f %.5f positive=%ld digest=%016llx\n", __half2float(y[0]), __half2float(y[1]), __half2float(y[2]),
                positive, (unsigned long long)digest(y.data(), y.size() * sizeof(__half)));
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dw));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dy));
    return verdict("half_layer", wrong);
}
