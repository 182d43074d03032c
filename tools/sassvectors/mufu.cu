// MUFU over whole mantissa periods: for each function, one signed byte per input, the distance in units in the last
// place from the correctly rounded result (128: more than 127 away, or not comparable). Writes OUT/mufu-NAME.bin.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <string>
#include <vector>

enum Function { RCP, RSQ, SQRT, EX2, LG2, SIN, COS, TANH };
static const char *names[] = {"rcp", "rsq", "sqrt", "ex2", "lg2", "sin", "cos", "tanh"};

__global__ void evaluate(int function, uint32_t first, uint32_t count, float *out) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float x = __uint_as_float(first + i), y = 0;
    switch (function) {
    case RCP: asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); break;
    case RSQ: asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); break;
    case SQRT: asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); break;
    case EX2: asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); break;
    case LG2: asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); break;
    case SIN: asm("sin.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); break;
    case COS: asm("cos.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); break;
    case TANH: asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x)); break;
    }
    out[i] = y;
}

static double exact(int function, double x) {
    switch (function) {
    case RCP: return 1 / x;
    case RSQ: return 1 / std::sqrt(x);
    case SQRT: return std::sqrt(x);
    case EX2: return std::exp2(x);
    case LG2: return std::log2(x);
    case SIN: return std::sin(x);
    case COS: return std::cos(x);
    default: return std::tanh(x);
    }
}

static int32_t ordered(float f) {
    int32_t i;
    __builtin_memcpy(&i, &f, 4);
    return i < 0 ? INT32_MIN - i : i;
}

int main(int argc, char **argv) {
    std::string folder = argc > 1 ? argv[1] : ".";
    // First input and count: a whole period of the mantissa at the exponents where the function's table is used.
    struct { int function; uint32_t first, count; } sweeps[] = {
        {RCP, 0x3f800000u, 1u << 23}, {RSQ, 0x3f800000u, 1u << 24}, {SQRT, 0x3f800000u, 1u << 24},
        {EX2, 0x3f000000u, 1u << 24}, {LG2, 0x3f000000u, 1u << 24}, {SIN, 0x3f000000u, 1u << 24},
        {COS, 0x3f000000u, 1u << 24}, {TANH, 0x3e800000u, 1u << 24}};
    for (auto &s : sweeps) {
        float *device;
        cudaMalloc(&device, s.count * 4ull);
        evaluate<<<s.count / 256, 256>>>(s.function, s.first, s.count, device);
        std::vector<float> got(s.count);
        if (cudaMemcpy(got.data(), device, s.count * 4ull, cudaMemcpyDeviceToHost)) return 1;
        cudaFree(device);
        std::vector<int8_t> delta(s.count);
        int low = 127, high = -128;
        for (uint32_t i = 0; i < s.count; ++i) {
            uint32_t bits = s.first + i;
            float x;
            __builtin_memcpy(&x, &bits, 4);
            int64_t d = (int64_t)ordered(got[i]) - ordered((float)exact(s.function, x));
            delta[i] = d < -127 || d > 127 ? -128 : (int8_t)d;
            low = delta[i] < low ? delta[i] : low;
            high = delta[i] > high ? delta[i] : high;
        }
        FILE *f = std::fopen((folder + "/mufu-" + names[s.function] + ".bin").c_str(), "wb");
        std::fwrite(delta.data(), 1, delta.size(), f);
        std::fclose(f);
        std::printf("%s %08x %u ulp %d..%d\n", names[s.function], s.first, s.count, low, high);
    }
}
