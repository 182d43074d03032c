// A kernel that prints: every conversion, strings, several launches in order, mixed with host output.
#include "common.h"

__device__ const char *names[3] = {"alpha", "beta", "gamma"};

__global__ void greet(int round) {
    printf("round %d: thread %u of %u says %s\n", round, threadIdx.x, blockDim.x, names[threadIdx.x % 3]);
}

__global__ void formats(double d, float f, long long big, const char *text) {
    printf("%d %5d|%-5d|%05d %+d\n", -7, 42, 42, 42, 42);
    printf("%u %x %X %#x %o %c\n", 4000000000u, 48879u, 48879u, 255u, 8u, 'z');
    printf("%lld %llu %llx\n", big, 18446744073709551615ull, big);
    printf("%f %.3f %10.4f %e %g %a\n", d, d, (double)f, d, d, 1.0);
    printf("%s %10s|%-10s|%%\n", text ? "text" : "(null)", "right", "left");
    int written = printf("no arguments\n");
    printf("printf returned %d\n", written);
}

int main() {
    std::printf("before\n");
    std::fflush(stdout);
    for (int round = 0; round < 2; ++round) {
        greet<<<1, 5>>>(round);
        CHECK(cudaDeviceSynchronize());
        std::printf("after round %d\n", round);
        std::fflush(stdout);
    }
    formats<<<1, 1>>>(3.14159265358979, 2.5f, 1234567890123456789ll, "x");
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return verdict("device_printf", 0);
}
