/* Generated kernels on the host: what they use of CUDA, in plain C++ with the meanings of the CUDA manuals.
 *
 * In: a generated program whose launch `kernel<<<blocks, threads>>>(...)` was rewritten as a call of `launch`.
 * A thread is a coroutine; the threads of a block run in turns between barriers and cross-lane operations, which all
 * lanes of a warp reach together (the generator sees to that). Source: CUDA C++ Programming Guide (warp functions),
 * CUDA Math API (intrinsics), PTX ISA (min and max take -0 for less than +0; conversions saturate).
 */
#ifndef CASS_HOST_CUDA_RUNTIME_H
#define CASS_HOST_CUDA_RUNTIME_H
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <ucontext.h>

#define __global__ __attribute__((noinline))
#define __device__
#define __noinline__ __attribute__((noinline))
#define __shared__ static

using std::max;
using std::min;

/* Calls of the host. */
enum cudaError_t { cudaSuccess };
enum { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
template <typename T> static cudaError_t cudaMalloc(T **place, size_t bytes) {
    *place = static_cast<T *>(std::malloc(bytes));
    return cudaSuccess;
}
static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, int) {
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}
static inline cudaError_t cudaMemset(void *to, int value, size_t bytes) {
    std::memset(to, value, bytes);
    return cudaSuccess;
}
static inline cudaError_t cudaGetLastError() { return cudaSuccess; }
static inline const char *cudaGetErrorName(cudaError_t) { return "cudaSuccess"; }

/* Threads. A thread that waits gives way until everybody of its group has come as often as it has. */
enum { HOST_THREADS = 64, HOST_WARP = 32, HOST_STACK = 256 * 1024 };
struct uint3_host {
    uint32_t x;
};
struct HostThread {
    ucontext_t context;
    alignas(16) char stack[HOST_STACK];
    uint64_t at_barrier, at_exchange, value;
    bool ended;
};
static HostThread host_threads[HOST_THREADS];
static ucontext_t host_scheduler;
static uint3_host threadIdx, blockIdx, blockDim;
static void (*host_kernel)(const uint32_t *, uint32_t *, uint32_t);
static const uint32_t *host_in;
static uint32_t *host_out, host_n;

static inline void host_give_way() {
    uint32_t me = threadIdx.x;
    swapcontext(&host_threads[me].context, &host_scheduler);
    threadIdx.x = me;
}
static void host_wait(uint64_t HostThread::*times, uint32_t first, uint32_t end) {
    uint64_t mine = ++(host_threads[threadIdx.x].*times);
    for (uint32_t i = first; i < end; ++i)
        while (host_threads[i].*times < mine) host_give_way();
}
static void host_thread() {
    host_kernel(host_in, host_out, host_n);
    host_threads[threadIdx.x].ended = true;
    host_give_way();
}
static void launch(void (*kernel)(const uint32_t *, uint32_t *, uint32_t), uint32_t blocks, uint32_t threads,
                   const uint32_t *in, uint32_t *out, uint32_t n) {
    host_kernel = kernel, host_in = in, host_out = out, host_n = n, blockDim.x = threads;
    for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) {
        for (uint32_t i = 0; i < threads; ++i) {
            HostThread &thread = host_threads[i];
            thread.at_barrier = thread.at_exchange = 0;
            thread.ended = false;
            getcontext(&thread.context);
            thread.context.uc_stack.ss_sp = thread.stack;
            thread.context.uc_stack.ss_size = sizeof thread.stack;
            makecontext(&thread.context, host_thread, 0);
        }
        for (bool left = true; left;) {
            left = false;
            for (uint32_t i = 0; i < threads; ++i) {
                if (host_threads[i].ended) continue;
                left = true;
                threadIdx.x = i;
                swapcontext(&host_scheduler, &host_threads[i].context);
            }
        }
    }
}
static inline void __syncthreads() { host_wait(&HostThread::at_barrier, 0, blockDim.x); }

/* Between lanes: everybody shows a value, reads, and goes on when all have read. */
static inline uint32_t host_warp() { return threadIdx.x & ~(HOST_WARP - 1u); }
static inline void host_meet() { host_wait(&HostThread::at_exchange, host_warp(), host_warp() + HOST_WARP); }
template <typename F> static auto host_exchange(uint64_t value, F read) {
    host_threads[threadIdx.x].value = value;
    host_meet();
    auto result = read(host_threads + host_warp());
    host_meet();
    return result;
}
template <typename T> static T host_from(T value, int64_t lane, bool there) {
    uint64_t word = 0;
    std::memcpy(&word, &value, sizeof value);
    word = host_exchange(word, [&](HostThread *warp) { return there ? warp[lane].value : word; });
    std::memcpy(&value, &word, sizeof value);
    return value;
}
static inline int host_lane() { return (int)(threadIdx.x & (HOST_WARP - 1)); }
template <typename T> static T __shfl_sync(uint32_t, T value, int lane, int width) {
    return host_from(value, (host_lane() & ~(width - 1)) | (lane & (width - 1)), true);
}
template <typename T> static T __shfl_up_sync(uint32_t, T value, unsigned delta, int width) {
    int lane = host_lane() - (int)delta;
    return host_from(value, lane, lane >= (host_lane() & ~(width - 1)));
}
template <typename T> static T __shfl_down_sync(uint32_t, T value, unsigned delta, int width) {
    int lane = host_lane() + (int)delta;
    return host_from(value, lane, lane <= (host_lane() | (width - 1)));
}
template <typename T> static T __shfl_xor_sync(uint32_t, T value, int mask, int width) {
    int lane = host_lane() ^ mask; /* groups beyond the own one keep their value, earlier ones may be read */
    return host_from(value, lane, lane <= (host_lane() | (width - 1)));
}
static inline uint32_t __ballot_sync(uint32_t, bool value) {
    return host_exchange(value, [](HostThread *warp) {
        uint32_t all = 0;
        for (uint32_t i = 0; i < HOST_WARP; ++i) all |= (uint32_t)warp[i].value << i;
        return all;
    });
}
static inline int __any_sync(uint32_t mask, bool value) { return __ballot_sync(mask, value) != 0; }
static inline int __all_sync(uint32_t mask, bool value) { return __ballot_sync(mask, value) == 0xffffffffu; }
#define HOST_REDUCE(name, combined)                                                                                     \
    static inline uint32_t __reduce_##name##_sync(uint32_t, uint32_t value) {                                           \
        return host_exchange(value, [](HostThread *warp) {                                                              \
            uint32_t a = (uint32_t)warp[0].value;                                                                       \
            for (uint32_t i = 1; i < HOST_WARP; ++i) {                                                                  \
                uint32_t b = (uint32_t)warp[i].value;                                                                   \
                a = combined;                                                                                           \
            }                                                                                                           \
            return a;                                                                                                   \
        });                                                                                                             \
    }
HOST_REDUCE(add, a + b)
HOST_REDUCE(min, std::min(a, b))
HOST_REDUCE(max, std::max(a, b))
HOST_REDUCE(and, a &b)
HOST_REDUCE(or, a | b)
HOST_REDUCE(xor, a ^ b)
#define HOST_ATOMIC(name, combined)                                                                                     \
    static inline uint32_t atomic##name(uint32_t *place, uint32_t b) {                                                  \
        uint32_t a = *place;                                                                                            \
        *place = combined;                                                                                              \
        return a;                                                                                                       \
    }
HOST_ATOMIC(Add, a + b)
HOST_ATOMIC(Min, std::min(a, b))
HOST_ATOMIC(Max, std::max(a, b))
HOST_ATOMIC(And, a &b)
HOST_ATOMIC(Or, a | b)
HOST_ATOMIC(Xor, a ^ b)

/* Integers. */
static inline int __popc(uint32_t x) { return __builtin_popcount(x); }
static inline int __popcll(uint64_t x) { return __builtin_popcountll(x); }
static inline int __clz(uint32_t x) { return x ? __builtin_clz(x) : 32; }
static inline int __clzll(uint64_t x) { return x ? __builtin_clzll(x) : 64; }
static inline int __ffs(uint32_t x) { return __builtin_ffs((int)x); }
static inline uint64_t __brevll(uint64_t x) {
    uint64_t out = 0;
    for (int i = 0; i < 64; ++i) out |= (x >> i & 1) << (63 - i);
    return out;
}
static inline uint32_t __brev(uint32_t x) { return (uint32_t)(__brevll(x) >> 32); }
static inline uint32_t __byte_perm(uint32_t x, uint32_t y, uint32_t selector) {
    uint64_t both = (uint64_t)y << 32 | x;
    uint32_t out = 0;
    for (int i = 0; i < 4; ++i) out |= (uint32_t)(both >> ((selector >> (4 * i) & 7) * 8) & 0xff) << (8 * i);
    return out;
}
static inline uint32_t __funnelshift_l(uint32_t low, uint32_t high, uint32_t by) {
    return (uint32_t)(((uint64_t)high << 32 | low) << (by & 31) >> 32);
}
static inline uint32_t __funnelshift_rc(uint32_t low, uint32_t high, uint32_t by) {
    return (uint32_t)(((uint64_t)high << 32 | low) >> std::min(by, 32u));
}
static inline uint32_t __umulhi(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }
static inline int __mulhi(int a, int b) { return (int)((int64_t)a * b >> 32); }
static inline unsigned long long __umul64hi(uint64_t a, uint64_t b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline long long __mul64hi(int64_t a, int64_t b) { return (long long)((__int128)a * b >> 64); }
static inline float __uint_as_float(uint32_t x) {
    float out;
    std::memcpy(&out, &x, sizeof out);
    return out;
}
static inline uint32_t __float_as_uint(float x) {
    uint32_t out;
    std::memcpy(&out, &x, sizeof out);
    return out;
}
static inline double __longlong_as_double(long long x) {
    double out;
    std::memcpy(&out, &x, sizeof out);
    return out;
}
static inline long long __double_as_longlong(double x) {
    long long out;
    std::memcpy(&out, &x, sizeof out);
    return out;
}

/* Floats: the host's own unit (IEEE 754, as CUDA's), rounding as named. volatile: nothing is folded or moved. */
template <int MODE, typename F> __attribute__((noinline)) static auto host_rounded(F compute) {
    std::fesetround(MODE);
    auto result = compute();
    std::fesetround(FE_TONEAREST);
    return result;
}
#define HOST_FLOAT(type, letter, name, operator, mode, MODE)                                                            \
    static inline type __##letter##name##_##mode(type a, type b) {                                                      \
        volatile type x = a, y = b;                                                                                     \
        return host_rounded<MODE>([&] {                                                                                 \
            volatile type z = x operator y;                                                                             \
            return (type)z;                                                                                             \
        });                                                                                                             \
    }
#define HOST_FLOAT_MODES(type, letter, name, operator)                                                                  \
    HOST_FLOAT(type, letter, name, operator, rn, FE_TONEAREST)                                                          \
    HOST_FLOAT(type, letter, name, operator, rz, FE_TOWARDZERO)                                                         \
    HOST_FLOAT(type, letter, name, operator, ru, FE_UPWARD)                                                             \
    HOST_FLOAT(type, letter, name, operator, rd, FE_DOWNWARD)
#define HOST_FLOATS(type, letter)                                                                                       \
    HOST_FLOAT_MODES(type, letter, add, +)                                                                              \
    HOST_FLOAT_MODES(type, letter, sub, -)                                                                              \
    HOST_FLOAT_MODES(type, letter, mul, *)                                                                              \
    HOST_FLOAT(type, letter, div, /, rn, FE_TONEAREST)                                                                  \
    static inline type __##letter##sqrt_rn(type a) {                                                                    \
        volatile type x = a;                                                                                            \
        return std::sqrt(x);                                                                                            \
    }
HOST_FLOATS(float, f)
HOST_FLOATS(double, d)
static inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
static inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
template <typename T> static T host_fmin(T a, T b) {
    if (a != a || b != b) return a != a ? b : a;
    return a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
}
template <typename T> static T host_fmax(T a, T b) {
    if (a != a || b != b) return a != a ? b : a;
    return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}
/* NVIDIA's compiler (cicc 13.0) takes ceil of a constant from 2^63 on for -2^63; an H200 recorded what that gives. */
#define ceil(x) (__builtin_constant_p(x) && !(std::fabs(x) < 0x1p63) ? -0x1p63 : (std::ceil)(x))
#define fmin host_fmin<double>
#define fmax host_fmax<double>
#define fminf host_fmin<float>
#define fmaxf host_fmax<float>

/* A float as an integer: rounded as named, then clamped to what the type holds. */
template <typename I, typename F> static I host_clamped(F x) {
    constexpr I least = std::numeric_limits<I>::min(), most = std::numeric_limits<I>::max();
    if (x >= std::ldexp((F)1, std::numeric_limits<I>::digits)) return most;
    return x <= (F)least ? least : (I)x;
}
#define HOST_CONVERT(source, from, target, to)                                                                          \
    static inline target __##from##2##to##_rn(source x) { return host_clamped<target>(std::nearbyint(x)); }             \
    static inline target __##from##2##to##_rz(source x) { return host_clamped<target>(std::trunc(x)); }                 \
    static inline target __##from##2##to##_ru(source x) { return host_clamped<target>((std::ceil)(x)); }                  \
    static inline target __##from##2##to##_rd(source x) { return host_clamped<target>(std::floor(x)); }
#define HOST_CONVERTS(source, from)                                                                                     \
    HOST_CONVERT(source, from, uint32_t, uint)                                                                          \
    HOST_CONVERT(source, from, int, int)                                                                                \
    HOST_CONVERT(source, from, unsigned long long, ull)                                                                 \
    HOST_CONVERT(source, from, long long, ll)
HOST_CONVERTS(float, float)
HOST_CONVERTS(double, double)
#endif
