/* Calls exported functions with zeros and says which of them do not return.
 *
 * shim_calls MODE LIBRARY NAME...: each call runs in a child of its own. MODE: "null" before any initialisation;
 * "threads" from two threads at once; "forked" in a child of a parent that has initialised the library. Prints
 * "NAME signal N", "NAME hangs" or "NAME = result" and exits 1 when anything is wrong. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Six words in registers, then the stack: structures by value find zeros there too. */
typedef long function(void *, long, long, long, long, long, long, long, long, long, long, long, long,
                      long, long, long, long, long, long, long, long, long, long, long);

static function *target;
static void *first_argument; /* of functions that return a structure: where to put it */

static void *call(void *result)
{
    *(long *)result = target(first_argument, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    return NULL;
}

static int run_one(const char *mode)
{
    long result = 0, other = 0;
    alarm(20);
    if (strcmp(mode, "threads") == 0) {
        pthread_t threads[2];
        pthread_create(&threads[0], NULL, call, &result);
        pthread_create(&threads[1], NULL, call, &other);
        pthread_join(threads[0], NULL);
        pthread_join(threads[1], NULL);
    } else {
        call(&result);
    }
    return (int)(result & 0xff) ^ (result > 255 || result < 0 ? 0x80 : 0);
}

int main(int count, char **arguments)
{
    static char structure[256];
    int bad = 0;
    if (count < 3)
        return 2;
    void *library = dlopen(arguments[2], RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        puts(dlerror());
        return 2;
    }
    if (strcmp(arguments[1], "forked") == 0) {
        int (*start)(void *) = (int (*)(void *))dlsym(library, "cudaFree");
        int (*init)(unsigned) = (int (*)(unsigned))dlsym(library, "cuInit");
        printf("initialised: %d\n", start ? start(NULL) : init ? init(0) : -1);
    }
    for (int i = 3; i < count; i++) {
        first_argument = strcmp(arguments[i], "cudaCreateChannelDesc") == 0 ? structure : NULL;
        target = (function *)dlsym(library, arguments[i]);
        fflush(stdout);
        pid_t child = target ? fork() : 0;
        if (!target) {
            printf("%s is not exported\n", arguments[i]);
            bad = 1;
            continue;
        }
        if (child == 0)
            _exit(run_one(arguments[1]));
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) {
            printf(WTERMSIG(status) == SIGALRM ? "%s hangs\n" : "%s signal %d\n", arguments[i], WTERMSIG(status));
            bad = 1;
        } else {
            printf("%s = %d\n", arguments[i], WEXITSTATUS(status));
        }
    }
    return bad;
}
