/* The rival of launch.cu: the same code object launched directly on libamdhip64.so. */
#include "direct.h"

typedef int (*fn_malloc)(void **, size_t);
typedef int (*fn_sync)(void);

int main(int argc, char **argv) { /* library, code object, kernel, kernarg bytes, bindings offset */
    if (argc < 6) return 2;
    void *hip = dlopen(argv[1], RTLD_NOW);
    if (!hip) return fprintf(stderr, "%s\n", dlerror()), 2;
    fn_malloc allocate = (fn_malloc)dlsym(hip, "hipMalloc");
    fn_sync sync = (fn_sync)dlsym(hip, "hipDeviceSynchronize");
    fn_launch launch = (fn_launch)dlsym(hip, "hipModuleLaunchKernel");
    void *function = kernel_of(hip, argv[2], argv[3]), *p;
    if (!function || allocate(&p, 4)) return 3;
    size_t bytes = (size_t)atol(argv[4]);
    char kernarg[512] = {0};
    *(void **)kernarg = p;
    *(void **)(kernarg + atol(argv[5])) = p;
    void *extra[] = {(void *)1, kernarg, (void *)2, &bytes, (void *)3};
    double best[2] = {1e18, 1e18};
    for (int round = 0; round < 5; ++round)
        for (int waits = 0; waits < 2; ++waits) {
            int count = waits ? 5000 : 20000;
            double begin = now_ns();
            for (int i = 0; i < count; ++i) {
                if (launch(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra)) return 4;
                if (waits) sync();
            }
            sync();
            double each = (now_ns() - begin) / count;
            if (each < best[waits]) best[waits] = each;
        }
    printf("%.1f %.1f\n", best[0], best[1]);
    return 0;
}
