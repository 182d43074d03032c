// __constant__ and __device__ variables: written and read by the host with cudaMemcpyToSymbol/FromSymbol.
#include "common.h"
#include <vector>

__constant__ int coefficients[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__constant__ float scale = 0.5f;
__device__ unsigned counter;
__device__ int table[64] = {10, 20, 30};
__device__ int *pointer_to_table = table;

__global__ void polynomial(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
    for (int k = 7; k >= 0; --k) sum = sum * x[i] + coefficients[k];
    y[i] = (int)(scale * (float)(sum & 0xffff)) + pointer_to_table[i & 63];
    atomicAdd(&counter, 1u);
}

int main() {
    const int n = 1000;
    std::vector<int> x(n), y(n);
    for (int i = 0; i < n; ++i) x[i] = i % 23 - 11;
    int *dx, *dy;
    CHECK(cudaMalloc(&dx, n * sizeof(int)));
    CHECK(cudaMalloc(&dy, n * sizeof(int)));
    CHECK(cudaMemcpy(dx, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    long wrong = 0;
    for (int pass = 0; pass < 2; ++pass) {
        int host_coefficients[8] = {1, 2, 3, 4, 5, 6, 7, 8}, host_table[64] = {10, 20, 30};
        float host_scale = 0.5f;
        if (pass == 1) {
            for (int k = 0; k < 8; ++k) host_coefficients[k] = 3 * k - 7;
            for (int k = 0; k < 64; ++k) host_table[k] = k * k;
            host_scale = 0.25f;
            CHECK(cudaMemcpyToSymbol(coefficients, host_coefficients, sizeof host_coefficients));
            CHECK(cudaMemcpyToSymbol(scale, &host_scale, sizeof host_scale));
            CHECK(cudaMemcpyToSymbol(table, host_table + 32, 32 * sizeof(int), 32 * sizeof(int)));
            CHECK(cudaMemcpyToSymbol(table, host_table, 32 * sizeof(int)));
        }
        polynomial<<<8, 128>>>(dx, dy, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(y.data(), dy, n * sizeof(int), cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; ++i) {
            unsigned sum = 0;
            for (int k = 7; k >= 0; --k) sum = sum * (unsigned)x[i] + (unsigned)host_coefficients[k];
            wrong += y[i] != (int)(host_scale * (float)(sum & 0xffff)) + host_table[i & 63];
        }
        std::printf("pass %d: y[3]=%d digest=%016llx\n", pass, y[3], (unsigned long long)digest(y.data(), n * sizeof(int)));
    }
    unsigned count = 0;
    int back[3] = {};
    size_t bytes = 0;
    void *address = nullptr;
    CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    CHECK(cudaMemcpyFromSymbol(back, table, sizeof back, 4 * sizeof(int)));
    CHECK(cudaGetSymbolSize(&bytes, coefficients));
    CHECK(cudaGetSymbolAddress(&address, table));
    std::printf("counter=%u table[4..6]=%d %d %d sizeof(coefficients)=%zu address %s\n", count, back[0], back[1], back[2],
                bytes, address ? "known" : "null");
    wrong += count != 2 * n;
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dy));
    return verdict("symbols", wrong);
}
