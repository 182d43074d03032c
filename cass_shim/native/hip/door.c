/* Opens libamdhip64.so and fills cass_hip.
 *
 * In: CASS_DEVICE=auto|hip|emulated; CASS_HIP_LIBRARY, a path that is used whatever the device.
 * Out: cass_hip, or one line on stderr and a CUDA error code. */
#include "hip/hip.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hip/errors.inc"

enum { NO_DRIVER = 35, NO_DEVICE = 100, BAD_LIBRARY = 303 };
enum { OLDEST_HIP = 60000000 }; /* HIP 5 numbers hipDeviceAttribute_t differently */

cass_hip_table cass_hip;
static pthread_once_t opened = PTHREAD_ONCE_INIT;
static int open_result;

void cass_complain(const char *format, ...) {
    int saved = errno;
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int prefix = snprintf(line, sizeof line, "cass: ");
    int length = vsnprintf(line + prefix, sizeof line - 8, format, arguments);
    va_end(arguments);
    size_t bytes = (size_t)prefix + (size_t)(length < 0 ? 0 : length);
    if (bytes > sizeof line - 2) bytes = sizeof line - 2;
    line[bytes++] = '\n';
    ssize_t done = write(STDERR_FILENO, line, bytes);
    (void)done;
    errno = saved;
}

int cass_hip_error(hipError_t status) {
    switch (status) {
#define ROW(hip, cuda, name)                                                                       \
    case hip:                                                                                      \
        return cuda;
        HIP_ERRORS(ROW)
#undef ROW
    default:
        return 999;
    }
}

/* Resolves every row; the name of the first required one that is missing, or NULL. */
static const char *resolve(void *library, cass_hip_table *table) {
    const char *missing = NULL;
#define OPTIONAL(name, ...) *(void **)&table->name = dlsym(library, #name);
#define REQUIRED(name, ...)                                                                        \
    OPTIONAL(name)                                                                                 \
    if (!table->name && !missing) missing = #name;
    HIP_FUNCTIONS(REQUIRED, OPTIONAL)
#undef OPTIONAL
#undef REQUIRED
    return missing;
}

/* "PATH finds no device", with the reason that the emulated one gives. */
static void no_device(void *library, const char *path, char *why, size_t why_bytes) {
    size_t (*tell)(char *, size_t) = NULL;
    *(void **)&tell = dlsym(library, "hipCassLastFault");
    char reason[256] = "";
    if (tell) tell(reason, sizeof reason);
    snprintf(why, why_bytes, "%s finds no device%s%s", path, *reason ? ": " : "", reason);
}

/* Opens one candidate and starts it. Returns 0, or a CUDA code with the reason in `why`. */
static int try_library(const char *path, int emulated, char *why, size_t why_bytes) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(why, why_bytes, "%s", dlerror());
        return NO_DRIVER;
    }
    cass_hip_table table = {.emulated = emulated};
    snprintf(table.library, sizeof table.library, "%s", path);
    const char *missing = resolve(library, &table);
    int version = OLDEST_HIP;
    if (missing) {
        snprintf(why, why_bytes, "%s has no %s", path, missing);
    } else if (table.hipRuntimeGetVersion && table.hipRuntimeGetVersion(&version) == 0 &&
               version < OLDEST_HIP) {
        snprintf(why, why_bytes, "%s is HIP %d; HIP 6 or newer is needed", path,
                 version / 10000000);
    } else if (table.hipInit(0) || table.hipGetDeviceCount(&table.device_count) ||
               table.device_count < 1) {
        no_device(library, path, why, why_bytes);
        dlclose(library);
        return NO_DEVICE;
    } else {
        cass_hip = table;
        return 0;
    }
    dlclose(library);
    return BAD_LIBRARY;
}

/* Path of the emulated library, in its folder beside the library that holds this function. */
static int emulated_path(char *path, size_t bytes) {
    Dl_info here;
    if (!dladdr(&cass_hip, &here) || !here.dli_fname) return 0;
    const char *slash = strrchr(here.dli_fname, '/');
    int folder = slash ? (int)(slash - here.dli_fname) : 0;
    return snprintf(path, bytes, "%.*s/emulated/libamdhip64.so", folder, here.dli_fname) <
           (int)bytes;
}

static void open_once(void) {
    static const char *const installed[] = {"libamdhip64.so.10", "libamdhip64.so.7",
                                            "libamdhip64.so.6", "libamdhip64.so"};
    const char *device = getenv("CASS_DEVICE"), *named = getenv("CASS_HIP_LIBRARY");
    int any = !device || !*device || !strcmp(device, "auto");
    int saved = errno;
    char why[768] = "", path[1024];
    open_result = NO_DRIVER;
    if (named && *named) {
        open_result = try_library(named, 0, why, sizeof why);
        any = 0, device = "";
    } else if (any || !strcmp(device, "hip")) {
        for (size_t i = 0; i < sizeof installed / sizeof *installed && open_result; i++)
            open_result = try_library(installed[i], 0, why, sizeof why);
    } else if (strcmp(device, "emulated") != 0) {
        snprintf(why, sizeof why, "CASS_DEVICE=%.64s is none of auto, hip, emulated", device);
    }
    if (open_result && (any || !strcmp(device, "emulated")) && emulated_path(path, sizeof path))
        open_result = try_library(path, 1, why, sizeof why);
    if (open_result) cass_complain("no device: %s", why);
    errno = saved;
}

int cass_hip_open(void) {
    pthread_once(&opened, open_once);
    return open_result;
}
