/* Forks while threads launch through the driver API: `driver`, see __main__.py. Exit status 0 and "right" when parent
 * and children were. A child of a process that has called cuInit gets CUDA_ERROR_NOT_INITIALIZED from every call. */
#include <cuda.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

enum { THREADS = 3, FORKS = 60, LIMIT_S = 20, LAUNCHES = 300 };
static std::atomic<int> going{1};
static std::atomic<int> wrong{0};
static CUcontext context;
static CUfunction add;

static const char ptx[] = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 total, .param .u32 value)
{
    .reg .b32 %r<3>; .reg .b64 %d<3>;
    ld.param.u64 %d1, [total]; ld.param.u32 %r1, [value];
    cvta.to.global.u64 %d2, %d1;
    red.global.add.u32 [%d2], %r1;
    ret;
}
)";

#define CHECK(call)                                                                                \
    do {                                                                                           \
        CUresult code = call;                                                                      \
        if (code != CUDA_SUCCESS) {                                                                \
            fprintf(stderr, "%s: %d\n", #call, (int)code);                                         \
            wrong++;                                                                               \
        }                                                                                          \
    } while (0)

static CUresult launch(CUdeviceptr total, unsigned value, CUstream stream) {
    void *parameters[] = {&total, &value};
    return cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, stream, parameters, NULL);
}

static void *launch_on(void *argument) {
    CUdeviceptr total = *(CUdeviceptr *)argument;
    CUstream stream;
    int done = 0;
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    while (going || done < LAUNCHES) {
        CHECK(launch(total, 1, stream));
        if (++done % 50 == 0) CHECK(cuStreamSynchronize(stream));
    }
    CHECK(cuStreamSynchronize(stream));
    CHECK(cuStreamDestroy(stream));
    return (void *)(intptr_t)done;
}

static void be_child(int number, CUdeviceptr total) {
    CUdeviceptr pointer;
    int count;
    alarm(LIMIT_S);
    if (number % 4 == 0 && cuMemAlloc(&pointer, 16) != CUDA_ERROR_NOT_INITIALIZED) _exit(41);
    if (number % 4 == 1 && cuInit(0) != CUDA_ERROR_NOT_INITIALIZED) _exit(42);
    if (number % 4 == 2 && launch(total, 1, NULL) != CUDA_ERROR_NOT_INITIALIZED) _exit(43);
    if (number % 4 == 3 && cuDeviceGetCount(&count) != CUDA_ERROR_NOT_INITIALIZED) _exit(44);
    if (number % 2) _exit(0);
    exit(0);
}

static void fork_once(int number, CUdeviceptr total) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) be_child(number, total);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    fprintf(stderr, "child %d ended with %s %d\n", number, WIFSIGNALED(status) ? "signal" : "status",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    wrong++;
}

int main() {
    pthread_t threads[THREADS];
    CUdeviceptr totals[THREADS];
    CUdevice device;
    CUmodule module;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoadData(&module, ptx));
    CHECK(cuModuleGetFunction(&add, module, "add"));
    for (int i = 0; i < THREADS; i++) {
        CHECK(cuMemAlloc(&totals[i], 4));
        CHECK(cuMemsetD32(totals[i], 0, 1));
        CHECK(cuCtxSynchronize()); /* the threads' streams do not wait for it */
        pthread_create(&threads[i], NULL, launch_on, &totals[i]);
    }
    for (int i = 0; i < FORKS; i++) fork_once(i, totals[0]);
    going = 0;
    for (int i = 0; i < THREADS; i++) {
        void *result;
        int sum = 0;
        pthread_join(threads[i], &result);
        CHECK(cuMemcpyDtoH(&sum, totals[i], 4));
        if (sum != 32 * (int)(intptr_t)result) fprintf(stderr, "thread %d lost launches\n", i), wrong++;
    }
    if (wrong == 0) puts("right");
    return wrong != 0;
}
