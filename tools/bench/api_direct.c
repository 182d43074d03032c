/* The rival of api.cu: the same calls made directly on a libamdhip64.so. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

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

static atomic_long released;

static void hold(void *turn) {
    while (atomic_load(&released) < (long)turn) usleep(20);
}

typedef int (*fn_host)(void *, void (*)(void *), void *);
typedef int (*fn_out)(void **);
typedef int (*fn_sized)(void **, size_t);
typedef int (*fn_flags)(void **, unsigned);
typedef int (*fn_pinned)(void **, size_t, unsigned);
typedef int (*fn_one)(void *);
typedef int (*fn_two)(void *, void *);
typedef int (*fn_none)(void);
typedef int (*fn_copy)(void *, const void *, size_t, int, void *);

enum { CALLS = 2000, ROUNDS = 100 };

/* held: the stream that the call only puts work into, NULL for none; see api.cu. */
#define BEST(name, held, call)                                                                                         \
    do {                                                                                                               \
        double least = 1e18;                                                                                           \
        for (int round = 0; round < ROUNDS; ++round) {                                                                 \
            if (held) host(held, hold, (void *)(atomic_load(&released) + 1));                                          \
            double begin = now_ns();                                                                                   \
            for (int i = 0; i < CALLS; ++i) call;                                                                      \
            double each = (now_ns() - begin) / CALLS;                                                                  \
            if (each < least) least = each;                                                                            \
            if (held) atomic_fetch_add(&released, 1);                                                                  \
            sync();                                                                                                    \
        }                                                                                                              \
        printf("%s %.2f\n", name, least);                                                                              \
    } while (0)

int main(int argc, char **argv) { /* library, code object, kernel, kernarg bytes, bindings offset */
    if (argc < 6) return 2;
    void *hip = dlopen(argv[1], RTLD_NOW);
    if (!hip) return fprintf(stderr, "%s\n", dlerror()), 2;
    fn_sized allocate = (fn_sized)dlsym(hip, "hipMalloc");
    fn_pinned pinned = (fn_pinned)dlsym(hip, "hipHostMalloc");
    fn_out stream_new = (fn_out)dlsym(hip, "hipStreamCreate");
    fn_flags event_new = (fn_flags)dlsym(hip, "hipEventCreateWithFlags");
    fn_none sync = (fn_none)dlsym(hip, "hipDeviceSynchronize");
    fn_host host = (fn_host)dlsym(hip, "hipLaunchHostFunc");
    fn_one wait = (fn_one)dlsym(hip, "hipStreamSynchronize");
    fn_two record = (fn_two)dlsym(hip, "hipEventRecord");
    fn_copy copy = (fn_copy)dlsym(hip, "hipMemcpyAsync");
    fn_none last = (fn_none)dlsym(hip, "hipGetLastError");
    fn_launch launch = (fn_launch)dlsym(hip, "hipModuleLaunchKernel");
    void *function = kernel_of(hip, argv[2], argv[3]), *p, *pages, *stream, *event;
    if (!function || !host || allocate(&p, 64)) return 3;
    if (pinned(&pages, 64, 0) || stream_new(&stream) || event_new(&event, 2)) return 3;
    size_t bytes = (size_t)atol(argv[4]);
    char kernarg[512] = {0};
    *(void **)kernarg = p;
    *(void **)(kernarg + atol(argv[5])) = p;
    void *extra[] = {(void *)1, kernarg, (void *)2, &bytes, (void *)3};
    BEST("launch", NULL, launch(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
    BEST("launch_stream", stream, launch(function, 1, 1, 1, 32, 1, 1, 0, stream, NULL, extra));
    BEST("launch_waited", NULL, (launch(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra), sync()));
    BEST("copy", stream, copy(p, pages, 16, 1, stream));
    BEST("record", stream, record(event, stream));
    BEST("wait", NULL, wait(stream));
    BEST("last_error", NULL, last());
    return 0;
}
