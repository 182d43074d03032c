/* Forks at bad moments: `forks MODE`, see forks.py. Exit status 0 and "right" when parent and children were. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

enum { THREADS = 3, FORKS = 60, LIMIT_S = 20, LAUNCHES = 400 };
extern char **environ;
static std::atomic<int> going{1};
static std::atomic<int> wrong{0};

__global__ void add(int *total, int value) { atomicAdd(total, value); }

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t code = call;                                                                   \
        if (code != cudaSuccess) {                                                                 \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorName(code));                            \
            wrong++;                                                                               \
        }                                                                                          \
    } while (0)

/* A whole use of the device: 10 launches, their sum. */
static int use_device() {
    int *total, sum = 0;
    CHECK(cudaMalloc(&total, sizeof *total));
    CHECK(cudaMemset(total, 0, sizeof *total));
    for (int i = 0; i < 10; i++) add<<<2, 32>>>(total, i);
    CHECK(cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(total));
    return sum == 64 * 45 && wrong == 0 ? 0 : 1;
}

static void *launch_on(void *argument) {
    cudaStream_t stream;
    int *total = (int *)argument, done = 0;
    CHECK(cudaStreamCreate(&stream));
    while (going || done < LAUNCHES) {
        add<<<1, 32, 0, stream>>>(total, 1);
        if (++done % 50 == 0) CHECK(cudaStreamSynchronize(stream));
        free(malloc((size_t)done % 5000 + 1)); /* the allocator's locks are held now and then */
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    return (void *)(intptr_t)done;
}

/* The same launches, by a graph of two kernels. */
static void *launch_graph_on(void *argument) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t runs;
    int *total = (int *)argument, done = 0;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    add<<<1, 16, 0, stream>>>(total, 1);
    add<<<1, 16, 0, stream>>>(total, 1);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&runs, graph, 0));
    while (going || done < LAUNCHES / 4) {
        CHECK(cudaGraphLaunch(runs, stream));
        if (++done % 20 == 0) CHECK(cudaStreamSynchronize(stream));
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(runs));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    return (void *)(intptr_t)done;
}

/* A child of a process that uses the device has no device (CUDA: cudaErrorInitializationError), and
 * ends like any other process. */
static void be_child(int number) {
    alarm(LIMIT_S);
    void *pointer = NULL;
    free(malloc(100));
    if (number % 3 == 1 && cudaMalloc(&pointer, 16) != cudaErrorInitializationError) _exit(41);
    if (number % 3 == 2) { /* not add<<<>>>: a guard in nvcc's stub may be held by a thread of the parent */
        void *arguments[] = {&pointer, &number};
        if (cudaLaunchKernel((const void *)add, 1, 1, arguments, 0, NULL) == cudaSuccess) _exit(43);
    }
    if (number % 2) _exit(0);
    exit(0);
}

static void reap(pid_t child, const char *what) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    fprintf(stderr, "%s: a child ended with %s %d\n", what, WIFSIGNALED(status) ? "signal" : "status",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    wrong++;
}

static void fork_once(int number) {
    pid_t child = fork();
    if (child == 0) be_child(number);
    if (child < 0) wrong++;
    else reap(child, "fork");
}

static void vfork_once(int) {
    pid_t child = vfork();
    if (child == 0) {
        execl("/proc/self/exe", "forks", "whole", (char *)NULL);
        _exit(42);
    }
    reap(child, "vfork");
}

static void spawn_once(int) {
    pid_t child;
    char program[] = "/proc/self/exe", name[] = "forks", mode[] = "whole";
    char *arguments[] = {name, mode, NULL};
    if (posix_spawn(&child, program, NULL, NULL, arguments, environ) != 0) wrong++;
    else reap(child, "posix_spawn");
}

static void exec_once(int) {
    pid_t child = fork();
    if (child == 0) {
        void *pointer;
        (void)cudaMalloc(&pointer, 16); /* fails; the new program knows nothing of it */
        execl("/proc/self/exe", "forks", "whole", (char *)NULL);
        _exit(42);
    }
    reap(child, "fork and exec");
}

/* While other threads launch. */
static void busily(void *(*launch)(void *), void (*once)(int), int times) {
    pthread_t threads[THREADS];
    int *totals, sums[THREADS], done[THREADS];
    CHECK(cudaMalloc(&totals, sizeof sums));
    CHECK(cudaMemset(totals, 0, sizeof sums));
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, launch, totals + i);
    for (int i = 0; i < times; i++) once(i);
    going = 0;
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        done[i] = (int)(intptr_t)result;
    }
    CHECK(cudaMemcpy(sums, totals, sizeof sums, cudaMemcpyDeviceToHost));
    for (int i = 0; i < THREADS; i++)
        if (sums[i] != 32 * done[i]) fprintf(stderr, "thread %d: %d of %d\n", i, sums[i], 32 * done[i]), wrong++;
}

static void CUDART_CB in_callback(void *argument) { ((void (*)(int))argument)(0), going++; }

/* From a function that a stream calls, on the device's own thread. */
static void called_back(void (*once)(int), int times) {
    cudaStream_t stream;
    int *total, sum = 0;
    going = 0;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&total, sizeof *total));
    CHECK(cudaMemset(total, 0, sizeof *total));
    for (int i = 0; i < times; i++) {
        add<<<1, 32, 0, stream>>>(total, 1);
        CHECK(cudaLaunchHostFunc(stream, in_callback, (void *)once));
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDeviceToHost));
    if (sum != 32 * times || going != times) fprintf(stderr, "%d calls, sum %d\n", (int)going, sum), wrong++;
}

/* In the middle of a capture: the parent's goes on, the child has none to end. */
static void capturing() {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t runs;
    int *total, sum = 0;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&total, sizeof *total));
    CHECK(cudaMemset(total, 0, sizeof *total));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 6; i++) {
        add<<<1, 32, 0, stream>>>(total, i);
        pid_t child = fork();
        if (child == 0) {
            alarm(LIMIT_S);
            _exit(cudaStreamEndCapture(stream, &graph) == cudaSuccess ? 44 : 0);
        }
        reap(child, "fork in a capture");
    }
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&runs, graph, 0));
    fork_once(1);
    CHECK(cudaGraphLaunch(runs, stream));
    fork_once(2);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDeviceToHost));
    if (sum != 32 * 15) fprintf(stderr, "the graph's sum is %d\n", sum), wrong++;
}

/* Before the first call, the device is the child's as much as the parent's. */
static void early() {
    pid_t child = fork();
    if (child == 0) exit(use_device());
    wrong += use_device();
    reap(child, "early fork");
}

int main(int count, char **arguments) {
    const char *mode = count > 1 ? arguments[1] : "";
    if (!strcmp(mode, "whole")) return use_device();
    if (!strcmp(mode, "early")) early();
    else if (!strcmp(mode, "launching")) busily(launch_on, fork_once, FORKS);
    else if (!strcmp(mode, "vfork")) busily(launch_on, vfork_once, 5);
    else if (!strcmp(mode, "spawn")) busily(launch_on, spawn_once, 5);
    else if (!strcmp(mode, "exec")) busily(launch_on, exec_once, 5);
    else if (!strcmp(mode, "graph")) busily(launch_graph_on, fork_once, FORKS);
    else if (!strcmp(mode, "capture")) capturing();
    else if (!strcmp(mode, "callback")) called_back(fork_once, 10);
    else if (!strcmp(mode, "callback-vfork")) called_back(vfork_once, 3);
    else return 2;
    if (wrong == 0) puts("right");
    return wrong != 0;
}
