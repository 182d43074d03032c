/* What the direct rivals of the benchmarks share: the clock, and a kernel loaded by HIP alone. */
#ifndef CASS_BENCH_DIRECT_H
#define CASS_BENCH_DIRECT_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef int (*fn_launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                         void **);

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The kernel `name` of the code object `file`; NULL where something is missing. */
static void *kernel_of(void *hip, const char *file, const char *name) {
    int (*load)(void **, const void *) = (int (*)(void **, const void *))dlsym(hip, "hipModuleLoadData");
    int (*get)(void **, void *, const char *) =
        (int (*)(void **, void *, const char *))dlsym(hip, "hipModuleGetFunction");
    static char code[1 << 20];
    FILE *from = fopen(file, "rb");
    void *module, *function;
    if (!from || !fread(code, 1, sizeof code, from) || load(&module, code) || get(&function, module, name)) return NULL;
    return function;
}

#endif
