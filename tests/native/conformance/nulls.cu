// Every call that returns an error code, with nulls and zeros for all its arguments: what a driver says that is not
// initialised (`before`, all but cuInit), and what it and the runtime say with a device (`after`).
// Arguments: before or after, and a file of names, one a line. A child goes on behind a call that ends its process.
#include <cuda.h>
#include <cuda_runtime.h>
#include <csignal>
#include <sys/mman.h>
#include "section.h"

typedef int (*any_call)(long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long);
enum { MOST = 4096, LIMIT_SECONDS = 20 };
static char names[MOST][96];
static int count;
static volatile int *at;

static void read_names(const char *path) {
    FILE *from = fopen(path, "r");
    if (!from) exit(2);
    while (count < MOST && fscanf(from, "%95s", names[count]) == 1) count++;
    fclose(from);
}

static void call_from(int first, bool after) {
    void *runtime = dlopen("libcudart.so.13", RTLD_NOW), *driver = dlopen("libcuda.so.1", RTLD_NOW);
    CUcontext primary = nullptr;
    auto last_error = (int (*)())dlsym(runtime, "cudaGetLastError");
    if (after) ((int (*)(void *))dlsym(runtime, "cudaFree"))(nullptr), cuCtxGetCurrent(&primary);
    for (int i = first; i < count; i++) {
        bool of_runtime = !strncmp(names[i], "cuda", 4);
        auto call = (any_call)dlsym(of_runtime ? runtime : driver, names[i]);
        *at = i;
        if (!call || (!after && (of_runtime || !strcmp(names[i], "cuInit")))) continue;
        alarm(LIMIT_SECONDS);
        int result = call(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        printf("%s %d\n", names[i], result);
        fflush(stdout);
        if (after) cuCtxSetCurrent(primary), last_error();
    }
    *at = count;
}

int main(int many, char **argument) {
    if (many < 3) return 2;
    bool after = !strcmp(argument[1], "after");
    read_names(argument[2]);
    at = (volatile int *)mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int first = 0; first < count;) {
        *at = first;
        fflush(stdout);
        pid_t child = fork();
        if (!child) {
            call_from(first, after);
            fflush(stdout);
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (*at < count) printf("%s signal %d\n", names[*at], WIFSIGNALED(status) ? WTERMSIG(status) : 0);
        first = *at + 1;
    }
    return 0;
}
