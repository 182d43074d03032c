// A kernel of surface_forms.cu.
#pragma once
#include <cuda_runtime.h>

// Registers: %0-%3 results, %4 handle, %5-%7 texel, %8 layer, %9-%12 value, %13 level; %14-%16 place, %17 level,
// %18-%23 gradients.
#define FORM(n, text)                                                                                                  \
    __global__ void form_##n(unsigned long long t, const int *i, const float *f, uint4 *out) {                         \
        i += 12 * threadIdx.x, f += 12 * threadIdx.x;                                                                  \
        unsigned a = 0xA5A5A5A5u, b = a, c = a, d = a;                                                                 \
        asm volatile(text                                                                                              \
                     : "+r"(a), "+r"(b), "+r"(c), "+r"(d)                                                              \
                     : "l"(t), "r"(i[0]), "r"(i[1]), "r"(i[2]), "r"(i[3]), "r"(i[4]), "r"(i[5]), "r"(i[6]), "r"(i[7]), \
                       "r"(i[8]), "f"(f[0]), "f"(f[1]), "f"(f[2]), "f"(f[3]), "f"(f[4]), "f"(f[5]), "f"(f[6]),         \
                       "f"(f[7]), "f"(f[8]), "f"(f[9])                                                                 \
                     : "memory");                                                                                      \
        out[threadIdx.x] = make_uint4(a, b, c, d);                                                                     \
    }
