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

__attribute__((constructor)) static void preload(int count, char **arguments, char **environment) {
    (void)count;
    (void)arguments;
    if (getauxval(AT_SECURE)) return;
    int saved = errno;
    cass_trace_setup(environment);
    int redirected = cass_watch_now();
    if (redirected < 0) _Exit(126);
    if (cass_watch_loader() != 0 && redirected > 0) /* silent in programs without CUDA */
        cass_warn("this loader cannot be watched: CUDA libraries opened later run unredirected");
    errno = saved;
}
