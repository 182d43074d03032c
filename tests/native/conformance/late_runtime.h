// A runtime of an earlier toolkit, opened late: its functions by name, a module to register with it, and the calls about
// threads, of which the runtimes 11.8 and 12 have the same.
#pragma once
#include <cuda_runtime.h>
#include "section.h"

static void *runtime; // the one that a section asks
static void open_runtime(const char *name) {
    runtime = dlopen(name, RTLD_NOW);
    if (!runtime) { printf("no %s\n", name); exit(1); }
}
template <typename... A> static int call(const char *name, A... given) {
    auto function = (int (*)(A...))dlsym(runtime, name);
    return function ? function(given...) : -1;
}

// A fatbinary of one PTX text (bytes: with its end), as `fatbinary --compress=false` writes it.
static unsigned char image[8192] __attribute__((aligned(16)));
static void put(int at, unsigned long long value, int bytes) { memcpy(image + at, &value, bytes); }
static const void *fatbinary(const char *text, size_t bytes) {
    unsigned long long room = (bytes + 7) / 8 * 8;
    put(0, 0xBA55ED50, 4), put(4, 1, 2), put(6, 16, 2), put(8, 64 + 16 + room, 8);
    put(16, 1, 2), put(18, 0x101, 2), put(20, 80, 4), put(24, room, 8), put(36, 64, 4), put(40, 0, 2), put(42, 7, 2);
    put(44, 60, 4), put(56, 0x11, 8), put(80, 72, 8);
    memcpy(image + 96, text, bytes - 1);
    return image;
}

static int *p; // memory that a section has

// The threads of CUDA 3 are today's devices.
static void thread_calls() {
    size_t limit = 9;
    SHOW("synchronize", call("cudaThreadSynchronize"));
    SHOW("set_limit", call("cudaThreadSetLimit", (int)cudaLimitStackSize, (size_t)4096));
    SHOW("limit", call("cudaThreadGetLimit", &limit, (int)cudaLimitStackSize));
    printf("%zu\n", limit);
    SHOW("limit_wrong", call("cudaThreadGetLimit", &limit, 99));
    SHOW("set_limit_wrong", call("cudaThreadSetLimit", 99, (size_t)1));
    SHOW("limit_null", call("cudaThreadGetLimit", (size_t *)nullptr, (int)cudaLimitStackSize));
    int cache = 9;
    SHOW("set_cache", call("cudaThreadSetCacheConfig", (int)cudaFuncCachePreferL1));
    SHOW("cache", call("cudaThreadGetCacheConfig", &cache));
    printf("%d\n", cache);
    SHOW("set_cache_wrong", call("cudaThreadSetCacheConfig", 99));
    SHOW("cache_null", call("cudaThreadGetCacheConfig", (int *)nullptr));
    SHOW("last", call("cudaGetLastError"));
    double d = 1.5;
    SHOW("for_device", call("cudaSetDoubleForDevice", &d));
    SHOW("for_host", call("cudaSetDoubleForHost", &d));
    printf("%g\n", d);
    SHOW("for_null", call("cudaSetDoubleForDevice", (double *)nullptr));
    SHOW("exit", call("cudaThreadExit"));
    SHOW("gone", call("cudaMemset", (void *)p, 0, (size_t)64));
    SHOW("again", call("cudaMalloc", (void **)&p, (size_t)64));
}
