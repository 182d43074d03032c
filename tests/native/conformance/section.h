// Sections of a conformance program: each in a child of its own that has not touched CUDA, so that a call that
// crashes or a sticky error ends one section and not the program.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>
#define SHOW(name, call)                                                                                               \
    do {                                                                                                               \
        int result_ = (int)(call);                                                                                     \
        printf("%s %d\n", name, result_);                                                                              \
        fflush(stdout);                                                                                                \
    } while (0)
#define SECTION(body)                                                                                                  \
    do {                                                                                                               \
        printf("[%s]\n", #body);                                                                                       \
        fflush(stdout);                                                                                                \
        pid_t child_ = fork();                                                                                         \
        if (!child_) {                                                                                                 \
            alarm(240);                                                                                                \
            body();                                                                                                    \
            fflush(stdout);                                                                                            \
            _exit(0);                                                                                                  \
        }                                                                                                              \
        int status_ = 0;                                                                                               \
        waitpid(child_, &status_, 0);                                                                                  \
        if (WIFSIGNALED(status_)) printf("signal %d\n", WTERMSIG(status_));                                            \
        fflush(stdout);                                                                                                \
    } while (0)
// A driver function by its exported name, which cuda.h may have redirected to a later version.
template <typename F> F *driver_function(const char *name) {
    static void *library = dlopen("libcuda.so.1", RTLD_NOW);
    return library ? (F *)dlsym(library, name) : nullptr;
}
