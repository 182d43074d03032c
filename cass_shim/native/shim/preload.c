/* The preloaded library's constructor: patches, and does nothing else.
 *
 * Linked -z initfirst, so it runs before the constructors of the program and of its libraries,
 * which register kernels. No thread, no socket, no HIP before the first CUDA call; nothing at all
 * in a set-id program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "shim/call.h"
#include "shim/trace.h"
#include "shim/watch.h"

/* Whether the loader brought us before anything ran. A stand-in opened later brings us too, into a
 * process whose objects have run already, perhaps in other threads: those keep the runtime they
 * started with. */
static int is_preloaded(char **environment) {
    for (; environment && *environment; environment++)
        if (strncmp(*environment, "LD_PRELOAD=", 11) == 0)
            return strstr(*environment, "libcass_shim.so") != NULL;
    return 0;
}

__attribute__((constructor)) static void preload(int count, char **arguments, char **environment) {
    (void)count;
    (void)arguments;
    if (getauxval(AT_SECURE)) return;
    int saved = errno;
    cass_trace_setup(environment);
    int redirected = cass_watch_now(!is_preloaded(environment));
    if (redirected < 0) _Exit(126);
    if (cass_watch_loader() != 0 && redirected > 0) /* silent in programs without CUDA */
        cass_warn("this loader cannot be watched: CUDA libraries opened later run unredirected");
    errno = saved;
}
