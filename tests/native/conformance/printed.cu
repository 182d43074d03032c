// Every printf conversion of device code, and a launch whose output nobody waits for.
#include <cstdio>
#include <cuda_runtime.h>
__device__ char text[8] = "device";
__global__ void formats(const char *given) {
    printf("%d %i %u %5d|%-5d|%05d %+d % d\n", -1, 2, 3u, 42, 42, 42, 42, 42);
    printf("%x %X %#x %o %#o\n", 255u, 255u, 255u, 8u, 8u);
    printf("%hd %ld %lld %lu %llu\n", (short)-3, -5L, -6LL, 7UL, 8ULL);
    printf("%f %.2f %10.3f|%-10.3f|%e %E %g %G %a\n", 1.5, 2.345, 3.14159, 3.14159, 12345.678, 12345.678, 0.0001, 1e20, 1.0);
    printf("%f %f %f\n", 1.0 / 0.0, -1.0 / 0.0, __int_as_float(0x7fffffff));
    printf("%c%c %s %10s|%-10s|%.3s %%\n", 'a', 'b', text, "right", "left", "truncate");
}
__global__ void more_formats(const char *given) {
    printf("%*d|%-*d|%.*f\n", 6, 1, 6, 2, 2, 3.14159);
    printf("%s\n", given ? given : "(none)");
    printf("returns %d\n", printf("") );
    printf("no arguments\n");
    printf("literal only %% done\n");
    printf("%s|\n", (const char *)nullptr);
    printf("%p\n", (void *)nullptr);
    printf("%lx %llx\n", 0x123456789abcL, 0xdeadbeefcafeULL);
}
__global__ void threads() { printf("block %d thread %d\n", blockIdx.x, threadIdx.x); }
int main() {
    formats<<<1, 1>>>(nullptr);
    more_formats<<<1, 1>>>(nullptr);
    cudaDeviceSynchronize();
    threads<<<2, 3>>>();
    printf("host before\n");
    cudaDeviceSynchronize();
    printf("host after\n");
    return 0;
}
