/* Calls without a body: named once on stderr, counted, answered "not supported". */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/entries.h"
#include "shim/trace.h"

static atomic_uint stub_calls[CASS_ROW_COUNT];

void cass_warn(const char *format, ...) {
    char line[1024] = "cass-shim: ";
    size_t used = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    int wrote = vsnprintf(line + used, sizeof line - used - 1, format, arguments);
    va_end(arguments);
    if (wrote < 0) return;
    used += (size_t)wrote < sizeof line - used - 1 ? (size_t)wrote : sizeof line - used - 2;
    line[used++] = '\n';
    ssize_t ignored = write(STDERR_FILENO, line, used);
    (void)ignored;
}

int cass_stub(uint32_t row) {
    if (atomic_fetch_add_explicit(&stub_calls[row], 1, memory_order_relaxed) == 0)
        cass_warn("%s is not implemented; it returns \"not supported\" (801)", cass_rows[row].name);
    return cudaErrorNotSupported;
}

/* Names in no row are few (an object from a newer CUDA); each trampoline passes a name of its own.
 */
int cass_stub_unknown(const char *name) {
    enum { REMEMBERED = 64 };
    static _Atomic(const char *) named[REMEMBERED];
    for (int at = 0; at < REMEMBERED; at++) {
        const char *expected = NULL;
        if (atomic_compare_exchange_strong(&named[at], &expected, name)) {
            cass_warn("%s is in no table of this version; it returns \"not supported\" (801)",
                      name);
            break;
        }
        if (expected == name) break;
    }
    return cudaErrorNotSupported;
}
