/* --trace: every call on one line, and a table of calls at exit. Off, it costs one test of
 * cass_gate a call. */
#include "shim/trace.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "api/entries.h"
#include "shim/trace_format.h"

static struct {
    int descriptor;   /* where lines go */
    struct stat file; /* what that was when it was opened; st_ino 0: stderr */
    int calls, stats;
} settings = {.descriptor = STDERR_FILENO};

static struct {
    atomic_ullong calls, failures, nanoseconds;
} counted[CASS_ROW_COUNT];

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static const char *variable(char **environment, const char *name) {
    size_t length = strlen(name);
    for (; environment && *environment; environment++)
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
            return *environment + length + 1;
    return NULL;
}

/* A high number, out of the way of programs that count on the lowest free one. */
static int open_file(const char *path) {
    enum { HIGH = 200 };
    int low = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (low < 0) return -1;
    int high = fcntl(low, F_DUPFD_CLOEXEC, HIGH);
    if (high >= 0) close(low);
    settings.descriptor = high >= 0 ? high : low;
    return fstat(settings.descriptor, &settings.file);
}

void cass_trace_setup(char **environment) {
    const char *what = variable(environment, "CASS_TRACE");
    const char *file = variable(environment, "CASS_TRACE_FILE");
    if (!what || !*what || strcmp(what, "0") == 0) return;
    settings.stats = strstr(what, "stats") != NULL;
    settings.calls = strstr(what, "calls") != NULL || !settings.stats;
    if (file && *file && open_file(file) != 0)
        cass_warn("cannot open the trace file %s; tracing to stderr", file);
    cass_gate |= CASS_GATE_TRACE;
}

void cass_trace_begin(cass_traced *call, uint32_t row) {
    call->row = row;
    call->start_ns = cass_gate & CASS_GATE_TRACE ? now_ns() : 0;
}

/* A program may close every descriptor and reuse the number: its own files must not get our lines.
 */
static void write_line(const char *line, size_t bytes) {
    struct stat now;
    if (settings.file.st_ino != 0 &&
        (fstat(settings.descriptor, &now) != 0 || now.st_ino != settings.file.st_ino ||
         now.st_dev != settings.file.st_dev))
        return;
    ssize_t ignored = write(settings.descriptor, line, bytes);
    (void)ignored;
}

void cass_trace_end(const cass_traced *call, const cass_value *values, uint64_t result) {
    if (!(cass_gate & CASS_GATE_TRACE)) return;
    uint64_t spent = now_ns() - call->start_ns;
    const cass_row *row = &cass_rows[call->row];
    int failed = (row->result == 'r' || row->result == 'c') && result != 0;
    atomic_fetch_add_explicit(&counted[call->row].calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counted[call->row].nanoseconds, spent, memory_order_relaxed);
    if (failed) atomic_fetch_add_explicit(&counted[call->row].failures, 1, memory_order_relaxed);
    if (!settings.calls) return;
    char line[2048];
    cass_text text = {.at = line, .end = line + sizeof line - 1};
    cass_text_add(&text, "[%d.%ld] ", (int)getpid(), (long)syscall(SYS_gettid));
    cass_text_call(&text, row, values, result);
    cass_text_add(&text, " [%llu.%03llu us]%s", (unsigned long long)(spent / 1000),
                  (unsigned long long)(spent % 1000),
                  cass_call_per_thread() ? " per-thread stream" : "");
    *text.at++ = '\n';
    write_line(line, (size_t)(text.at - line));
}

static int by_time(const void *left, const void *right) {
    unsigned long long a = counted[*(const uint32_t *)left].nanoseconds;
    unsigned long long b = counted[*(const uint32_t *)right].nanoseconds;
    return a > b ? -1 : a < b;
}

/* The table of --trace=stats, longest total first. */
__attribute__((destructor)) static void print_statistics(void) {
    uint32_t order[CASS_ROW_COUNT], used = 0;
    if (!settings.stats) return;
    for (uint32_t row = 0; row < CASS_ROW_COUNT; row++)
        if (counted[row].calls) order[used++] = row;
    qsort(order, used, sizeof order[0], by_time);
    char line[256];
    int bytes = snprintf(line, sizeof line, "%10s %10s %14s %12s  call\n", "calls", "failed",
                         "total us", "mean us");
    write_line(line, (size_t)bytes);
    for (uint32_t i = 0; i < used; i++) {
        unsigned long long calls = counted[order[i]].calls, spent = counted[order[i]].nanoseconds;
        bytes = snprintf(line, sizeof line, "%10llu %10llu %14.1f %12.3f  %s\n", calls,
                         (unsigned long long)counted[order[i]].failures, (double)spent / 1e3,
                         (double)spent / 1e3 / (double)calls, cass_rows[order[i]].name);
        write_line(line, (size_t)bytes);
    }
}
