/* Four threads that use streams, events, pools, graphs and modules of the emulated device at once,
 * without a race of their own: what ThreadSanitizer reports is the library's. Argument: a code
 * object with a kernel `vadd`. */
#include "emulator/hip_types.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <stdatomic.h>
#define API(n, ...) hipError_t n(__VA_ARGS__);
API(hipMalloc, void **, size_t)
API(hipFree, void *) API(hipMallocAsync, void **, size_t, hipStream_t)
    API(hipFreeAsync, void *, hipStream_t) API(hipStreamCreateWithFlags, hipStream_t *, unsigned)
        API(hipStreamDestroy, hipStream_t) API(hipStreamSynchronize,
                                               hipStream_t) API(hipDeviceSynchronize, void)
            API(hipEventCreate, hipEvent_t *) API(hipEventRecord, hipEvent_t, hipStream_t)
                API(hipStreamWaitEvent, hipStream_t, hipEvent_t,
                    unsigned) API(hipEventSynchronize, hipEvent_t) API(hipEventDestroy, hipEvent_t)
                    API(hipEventQuery, hipEvent_t) API(hipMemsetD32Async, void *, int, size_t,
                                                       hipStream_t) API(hipMemcpyAsync, void *,
                                                                        const void *, size_t,
                                                                        hipMemcpyKind, hipStream_t)
                        API(hipMemcpy, void *, const void *, size_t,
                            hipMemcpyKind) API(hipLaunchHostFunc, hipStream_t, hipHostFn_t, void *)
                            API(hipHostMalloc, void **, size_t, unsigned) API(hipHostFree, void *)
                                API(hipModuleLoadData, hipModule_t *, const void *)
                                    API(hipModuleGetFunction, hipFunction_t *, hipModule_t,
                                        const char *) API(hipModuleUnload, hipModule_t)
                                        API(hipModuleLaunchKernel, hipFunction_t, unsigned,
                                            unsigned, unsigned, unsigned, unsigned, unsigned,
                                            unsigned, hipStream_t, void **,
                                            void **) API(hipStreamBeginCapture, hipStream_t,
                                                         hipStreamCaptureMode)
                                            API(hipStreamEndCapture, hipStream_t, hipGraph_t *)
                                                API(hipGraphInstantiateWithFlags, hipGraphExec_t *,
                                                    hipGraph_t, unsigned long long)
                                                    API(hipGraphLaunch, hipGraphExec_t, hipStream_t)
                                                        API(hipGraphExecDestroy, hipGraphExec_t)
                                                            API(hipGraphDestroy, hipGraph_t)
#define OK(x)                                                                                      \
    do {                                                                                           \
        hipError_t e_ = (x);                                                                       \
        if (e_) {                                                                                  \
            fprintf(stderr, "%s: %d line %d\n", #x, e_, __LINE__);                                 \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
                                                                static _Atomic int hosts;
static void host(void *p) {
    (void)p;
    atomic_fetch_add(&hosts, 1);
}
static void *image;
static hipEvent_t shared;
static void *work(void *arg) {
    unsigned seed = (unsigned)(size_t)arg;
    hipModule_t m;
    hipFunction_t f;
    OK(hipModuleLoadData(&m, image));
    OK(hipModuleGetFunction(&f, m, "vadd"));
    for (int round = 0; round < 200; round++) {
        hipStream_t a, b;
        hipEvent_t e;
        void *d, *h, *h2, *g2, *p;
        int n = 0;
        OK(hipHostMalloc(&h2, 4096, 0));
        OK(hipMalloc(&g2, 4096));
        OK(hipStreamCreateWithFlags(&a, rand_r(&seed) & 1));
        OK(hipStreamCreateWithFlags(&b, rand_r(&seed) & 1));
        OK(hipEventCreate(&e));
        OK(hipMalloc(&d, 4096));
        OK(hipHostMalloc(&h, 4096, 0));
        OK(hipMallocAsync(&p, 1 << 16, a));
        for (int i = 0; i < 10; i++) {
            hipStream_t s = (i & 1) ? a : b;
            OK(hipMemsetD32Async(d, round, 1024, s));
            void *args[] = {&d, &d, &d, &n};
            OK(hipModuleLaunchKernel(f, 4, 1, 1, 64, 1, 1, 0, s, args, NULL));
            OK(hipEventRecord(e, s));
            OK(hipStreamWaitEvent((i & 1) ? b : a, e, 0));
            if (i == 3) OK(hipLaunchHostFunc(s, host, NULL));
            if (i == 5) {
                OK(hipEventRecord(shared, s));
                OK(hipStreamWaitEvent(a, shared, 0));
                hipEventQuery(shared);
            }
            if (i == 9) OK(hipMemcpyAsync(h2, d, 4096, hipMemcpyDeviceToHost, s));
            if (i == 8) OK(hipMemsetD32Async(h, 1, 4, NULL));
        }
        OK(hipFreeAsync(p, a));
        if (round % 4 == 0) OK(hipEventSynchronize(e));
        if (round % 4 == 1) OK(hipStreamSynchronize(b));
        if (round % 4 == 2) OK(hipDeviceSynchronize());
        if (round % 8 == 3) {
            hipStream_t c;
            hipGraph_t g;
            hipGraphExec_t x;
            OK(hipStreamCreateWithFlags(&c, 1));
            OK(hipStreamBeginCapture(c, hipStreamCaptureModeRelaxed));
            OK(hipMemsetD32Async(g2, 3, 100, c));
            OK(hipLaunchHostFunc(c, host, NULL));
            OK(hipStreamEndCapture(c, &g));
            OK(hipGraphInstantiateWithFlags(&x, g, 0));
            OK(hipGraphLaunch(x, c));
            OK(hipGraphLaunch(x, c));
            OK(hipGraphExecDestroy(x));
            OK(hipGraphDestroy(g));
            OK(hipStreamDestroy(c));
        }
        OK(hipStreamDestroy(a));
        OK(hipStreamDestroy(b));
        OK(hipEventDestroy(e));
        OK(hipFree(d));
        OK(hipHostFree(h));
        OK(hipHostFree(h2));
        OK(hipFree(g2));
    }
    OK(hipModuleUnload(m));
    return NULL;
}
int main(int c, char **v) {
    (void)c;
    FILE *f = fopen(v[1], "rb");
    image = malloc(1 << 20);
    (void)!fread(image, 1, 1 << 20, f);
    fclose(f);
    OK(hipEventCreate(&shared));
    pthread_t t[4];
    for (size_t i = 0; i < 4; i++) pthread_create(&t[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    OK(hipDeviceSynchronize());
    printf("done %d\n", atomic_load(&hosts));
    return 0;
}
