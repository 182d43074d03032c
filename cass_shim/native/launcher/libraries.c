/* Which of our libraries the program gets, and how. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launcher/launcher.h"

/* The stand-ins are preloaded too: an object with DT_RPATH would find NVIDIA's own library before
 * LD_LIBRARY_PATH is looked at, but never before an object of that SONAME that is loaded already.
 */
static const char *const preloaded[] = {"libcass_shim.so", "libcudart.so.11.0", "libcudart.so.12",
                                        "libcudart.so.13", "libcuda.so.1"};
enum { PRELOADED = sizeof preloaded / sizeof preloaded[0] };

const char *cass_own_folder(void) {
    static char folder[PATH_MAX];
    ssize_t bytes = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (bytes <= 0) cass_die(CASS_EXIT_OWN, "cannot find its own folder: %s", strerror(errno));
    folder[bytes] = 0;
    *strrchr(folder, '/') = 0;
    return folder;
}

static void extend(const char *variable, const char *first, const char *second) {
    char *joined = NULL;
    int wrote = asprintf(&joined, "%s%s%s", first, *first && *second ? ":" : "", second);
    if (wrote < 0 || setenv(variable, joined, 1) != 0)
        cass_die(CASS_EXIT_OWN, "cannot set %s", variable);
    free(joined);
}

void cass_set_libraries(void) {
    const char *folder = cass_own_folder(), *now = getenv("LD_PRELOAD"),
               *search = getenv("LD_LIBRARY_PATH");
    char list[PRELOADED * (PATH_MAX + 32)] = "";
    size_t used = 0;
    if (strchr(folder, ':') || strchr(folder, ';'))
        cass_die(CASS_EXIT_OWN, "%s: the loader cannot use a folder with a colon in its name",
                 folder);
    /* LD_PRELOAD is also split at spaces: then by name, found through LD_LIBRARY_PATH. */
    const char *prefix = strchr(folder, ' ') ? "" : folder, *slash = *prefix ? "/" : "";
    for (int i = 0; i < PRELOADED; i++) {
        char path[PATH_MAX + 32];
        snprintf(path, sizeof path, "%s/%s", folder, preloaded[i]);
        if (access(path, R_OK) != 0)
            cass_die(CASS_EXIT_OWN, "%s: %s; the installation is incomplete", path,
                     strerror(errno));
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s%s%s", i ? ":" : "", prefix,
                                 slash, preloaded[i]);
    }
    if (!now || !strstr(now, list)) extend("LD_PRELOAD", now ? now : "", list);
    if (!search || strncmp(search, folder, strlen(folder)) != 0)
        extend("LD_LIBRARY_PATH", folder, search ? search : "");
}
