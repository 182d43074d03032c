/* The fuzzing loop and its supervisor (driver.h). The child runs cases; when it dies or hangs, the
 * parent keeps the input that it was at and starts another.
 *
 *   TARGET run OUT SECONDS CASES SEED CORPUS...   findings, new corpus and result.json below OUT
 *   TARGET replay FILE...                         each file once, in this process
 *   TARGET minimize FILE OUT                      a smaller file that fails too
 *   TARGET merge OUT CORPUS...                    the few files that reach all that the corpus does
 */
#include "driver.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILD_CASES = 2000000, CHILDREN = 16, FINDINGS_LIMIT = 50, REPORT_MS = 30000 };

static shared_state *state;
static const char *folder;
static int case_limit_ms = 10000; /* CASS_FUZZ_CASE_MS */

const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=1024:"
           "detect_stack_use_after_return=0:handle_abort=1:symbolize=1:malloc_context_size=6";
}
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) { return "print_stacktrace=1"; }
size_t __sanitizer_get_current_allocated_bytes(void);

__attribute__((weak)) int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count, (void)arguments;
    return 0;
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A case gets memory of exactly its size, so that a read beyond it is seen. */
static void run_case(const uint8_t *bytes, size_t size) {
    uint8_t *exact = malloc(size);
    if (size != 0) memcpy(exact, bytes, size);
    feedback_clear();
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static void run_watched(const uint8_t *bytes, size_t size) {
    memcpy(state->input, bytes, size);
    state->size = size;
    state->began_ms = now_ms();
    run_case(bytes, size);
    state->began_ms = 0;
    state->cases++;
}

/* Memory that grows with each of three equal cases is not given back. */
static void check_leak(const uint8_t *bytes, size_t size) {
    size_t before = __sanitizer_get_current_allocated_bytes(), after = before;
    for (int i = 0; i < 3; i++) {
        size_t last = after;
        run_watched(bytes, size);
        after = __sanitizer_get_current_allocated_bytes();
        if (after <= last) return;
    }
    fprintf(stderr, "SUMMARY: leak of %zu bytes in 3 equal cases\n", after - before);
    memcpy(state->input, bytes, size);
    state->size = size;
    abort();
}

static void keep_input(const uint8_t *bytes, size_t size) {
    char name[4096];
    snprintf(name, sizeof name, "%s/corpus/%016llx", folder,
             (unsigned long long)name_of(bytes, size));
    write_file(name, bytes, size);
    add_input(bytes, size);
}

static void child(uint64_t seed, uint64_t last_case, bool first) {
    static uint8_t bytes[INPUT_LIMIT];
    static input parent;
    chance_seed(seed);
    int log = open("/dev/null", O_RDWR);
    dup2(log, 1);
    if (!first) { /* the map is shared, so only the inputs that were found are new here */
        char name[4200];
        snprintf(name, sizeof name, "%s/corpus", folder);
        read_corpus(name);
    } else
        for (size_t i = 0; i < pool.count && !state->stop; i++) {
            run_watched(pool.items[i].bytes, pool.items[i].size);
            feedback_is_new(state);
            check_leak(pool.items[i].bytes, pool.items[i].size);
        }
    if (pool.count == 0) add_input((const uint8_t *)"", 0);
    for (uint64_t i = 0; i < CHILD_CASES && !state->stop && state->cases < last_case; i++) {
        /* half of the time one of the newest, which reached something new */
        size_t recent = pool.count > 32 && chance_next() % 2 ? pool.count - 32 : 0;
        if (i % CHILDREN == 0) { /* what it is compared with, unchanged, guides the changes */
            parent = pool.items[recent + chance_next() % (pool.count - recent)];
            feedback_record(true);
            run_watched(parent.bytes, parent.size);
            feedback_record(false);
        }
        memcpy(bytes, parent.bytes, parent.size);
        size_t size = mutate(bytes, parent.size, &pool.items[chance_next() % pool.count]);
        run_watched(bytes, size);
        if (feedback_is_new(state)) {
            keep_input(bytes, size);
            check_leak(bytes, size);
        }
    }
    _exit(0);
}

/* Addresses differ between runs, quotes would end a JSON string. */
static void plain(char *text) {
    char *to = text;
    for (const char *from = text; *from != '\0' && *from != '\n'; from++) {
        *to++ = *from == '"' || *from == '\\' ? '\'' : *from;
        if (from[0] == 'x' && from > text && from[-1] == '0') {
            from += strspn(from + 1, "0123456789abcdef");
            *to++ = '#';
        }
    }
    *to = '\0';
}

/* The line of a log that names the failure, with its place in the source. */
static void summary_of(const char *log, char *text, size_t room) {
    char line[1024];
    FILE *file = fopen(log, "r");
    snprintf(text, room, "ended without a word");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *found = strstr(line, "SUMMARY: ");
        if (found == NULL && strstr(line, "runtime error: ") != NULL) {
            found = line;
            for (const char *slash = line; slash < strstr(line, "runtime error: "); slash++)
                if (*slash == '/') found = slash + 1;
        }
        if (found == NULL) continue;
        snprintf(text, room, "%s", found);
        plain(text);
        break;
    }
    if (file != NULL) fclose(file);
}

typedef struct {
    char summary[512], path[4096];
    unsigned times;
} finding;
static finding findings[FINDINGS_LIMIT];
static unsigned finding_count, failures;

static void note_finding(const char *kind) {
    char log[4200], text[400], summary[512];
    snprintf(log, sizeof log, "%s/log", folder);
    summary_of(log, text, sizeof text);
    snprintf(summary, sizeof summary, "%s", kind[0] != '\0' ? kind : text);
    failures++;
    for (unsigned i = 0; i < finding_count; i++)
        if (strcmp(findings[i].summary, summary) == 0) {
            findings[i].times++;
            return;
        }
    if (finding_count == FINDINGS_LIMIT) return;
    finding *one = &findings[finding_count++];
    one->times = 1;
    snprintf(one->summary, sizeof one->summary, "%s", summary);
    snprintf(one->path, sizeof one->path, "%s/finding-%016llx", folder,
             (unsigned long long)name_of(state->input, state->size));
    write_file(one->path, state->input, state->size);
    char kept[4200];
    snprintf(kept, sizeof kept, "%s.log", one->path);
    rename(log, kept);
}

/* A report of a sanitizer has begun: its symbols may take longer than a case. */
static bool is_reporting(void) {
    char log[4200];
    struct stat status;
    snprintf(log, sizeof log, "%s/log", folder);
    return stat(log, &status) == 0 && status.st_size > 0;
}

/* Waits for the child; false when it had to be killed for a case without end. */
static bool await(pid_t pid, int64_t until_ms, int *status) {
    for (;;) {
        if (waitpid(pid, status, WNOHANG) == pid) return true;
        int64_t now = now_ms(), began = state->began_ms;
        if (now > until_ms) state->stop = true;
        if (began != 0 && now - began > case_limit_ms + (is_reporting() ? REPORT_MS : 0)) {
            kill(pid, SIGKILL);
            waitpid(pid, status, 0);
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
}

static pid_t start(uint64_t seed, uint64_t last_case, bool first) {
    char log[4200];
    snprintf(log, sizeof log, "%s/log", folder);
    state->began_ms = 0;
    pid_t pid = fork();
    if (pid != 0) return pid;
    int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    dup2(fd, 2);
    child(seed, last_case, first);
    _exit(0);
}

/* Of this process and of those that ran the cases. */
static double processor_seconds(void) {
    struct rusage used;
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        getrusage(i ? RUSAGE_CHILDREN : RUSAGE_SELF, &used);
        sum += (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
        sum += (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    }
    return sum;
}

static void write_result(const char *target, double seconds, size_t seeds) {
    char name[4200];
    snprintf(name, sizeof name, "%s/result.json", folder);
    FILE *file = fopen(name, "w");
    if (file == NULL) exit(3);
    fprintf(file,
            "{\"target\": \"%s\", \"engine\": \"gcc trace-pc,trace-cmp; ASan, UBSan\", "
            "\"cases\": %llu, \"seconds\": %.1f, \"coverage\": \"%u edges\", \"seeds\": %zu, "
            "\"failures\": %u, \"processor\": %.1f, \"findings\": [",
            target, (unsigned long long)state->cases, seconds, (unsigned)state->edges, seeds,
            failures, processor_seconds());
    for (unsigned i = 0; i < finding_count; i++)
        fprintf(file, "%s{\"what\": \"%s\", \"file\": \"%s\", \"times\": %u}", i ? ", " : "",
                findings[i].summary, findings[i].path, findings[i].times);
    fprintf(file, "]}\n");
    fclose(file);
}

static void stop_now(int number) {
    (void)number;
    state->stop = true;
}

static int run(const char *target, int count, char **arguments) {
    char name[4200];
    signal(SIGTERM, stop_now); /* ends early, with a result of what was done */
    folder = arguments[0];
    double seconds = atof(arguments[1]);
    uint64_t cases = strtoull(arguments[2], NULL, 10), seed = strtoull(arguments[3], NULL, 10);
    snprintf(name, sizeof name, "%s/corpus", folder);
    mkdir(folder, 0755);
    mkdir(name, 0755);
    for (int i = 4; i < count; i++) read_corpus(arguments[i]);
    size_t seeds = pool.count;
    int64_t began = now_ms(), until = seconds > 0 ? began + (int64_t)(seconds * 1000) : INT64_MAX;
    if (cases == 0) cases = UINT64_MAX;
    const char *enough = getenv("CASS_FUZZ_FINDINGS"); /* different ones, then it ends */
    unsigned most = enough != NULL ? (unsigned)atoi(enough) : FINDINGS_LIMIT;
    for (unsigned turn = 0; !state->stop && state->cases < cases && finding_count < most; turn++) {
        int status;
        pid_t pid = start(seed + turn, cases, turn == 0);
        if (!await(pid, until, &status)) note_finding("no end");
        else if (WIFSIGNALED(status) || WEXITSTATUS(status) != 0) note_finding("");
        if (now_ms() > until) break;
    }
    write_result(target, (double)(now_ms() - began) / 1000, seeds);
    return finding_count != 0;
}

/* Whether an input still fails, in a process of its own. */
static bool fails(const uint8_t *bytes, size_t size) {
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        int fd = open("/dev/null", O_RDWR);
        dup2(fd, 1);
        dup2(fd, 2);
        alarm((unsigned)case_limit_ms / 1000 + 1);
        run_case(bytes, size);
        check_leak(bytes, size);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) || WEXITSTATUS(status) != 0;
}

static int minimize(const char *from, const char *to) {
    static uint8_t trial[INPUT_LIMIT];
    read_corpus(from);
    if (pool.count == 0 || !fails(pool.items[0].bytes, pool.items[0].size)) {
        fprintf(stderr, "%s does not fail\n", from);
        return 1;
    }
    uint8_t *bytes = pool.items[0].bytes;
    size_t size = pool.items[0].size;
    for (size_t piece = size / 2; piece > 0; piece /= 2)
        for (size_t at = 0; at + piece <= size;) {
            memcpy(trial, bytes, at);
            memcpy(trial + at, bytes + at + piece, size - at - piece);
            if (fails(trial, size - piece)) memcpy(bytes, trial, size -= piece);
            else at += piece;
        }
    for (size_t at = 0; at < size; at++) {
        uint8_t kept = bytes[at];
        bytes[at] = 0;
        if (kept != 0 && !fails(bytes, size)) bytes[at] = kept;
    }
    write_file(to, bytes, size);
    printf("%zu bytes\n", size);
    return 0;
}

static int by_size(const void *left, const void *right) {
    size_t a = ((const input *)left)->size, b = ((const input *)right)->size;
    return a < b ? -1 : a > b;
}

/* The smallest inputs first; each later one is kept for what it adds. */
static int merge(const char *out, int count, char **arguments) {
    static uint8_t covered[EDGES];
    folder = out;
    char name[4200];
    snprintf(name, sizeof name, "%s/corpus", out);
    mkdir(out, 0755);
    mkdir(name, 0755);
    for (int i = 0; i < count; i++) read_corpus(arguments[i]);
    qsort(pool.items, pool.count, sizeof *pool.items, by_size);
    size_t kept = 0, all = pool.count;
    for (size_t i = 0; i < all; i++) {
        input one = pool.items[i];
        run_case(one.bytes, one.size);
        if (feedback_adds(covered) == 0) continue;
        keep_input(one.bytes, one.size);
        kept++;
    }
    printf("%zu of %zu\n", kept, all);
    return 0;
}

int main(int count, char **arguments) {
    const char *slash = strrchr(arguments[0], '/'), *verb = count > 1 ? arguments[1] : "";
    if (getenv("CASS_FUZZ_CASE_MS") != NULL) case_limit_ms = atoi(getenv("CASS_FUZZ_CASE_MS"));
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (state == MAP_FAILED) return 3;
    LLVMFuzzerInitialize(&count, &arguments);
    if (strcmp(verb, "run") == 0 && count > 5)
        return run(slash != NULL ? slash + 1 : arguments[0], count - 2, arguments + 2);
    if (strcmp(verb, "minimize") == 0 && count == 4) return minimize(arguments[2], arguments[3]);
    if (strcmp(verb, "merge") == 0 && count > 3)
        return merge(arguments[2], count - 3, arguments + 3);
    if (strcmp(verb, "replay") == 0) {
        for (int i = 2; i < count; i++) read_corpus(arguments[i]);
        for (size_t i = 0; i < pool.count; i++) run_case(pool.items[i].bytes, pool.items[i].size);
        printf("%zu replayed\n", pool.count);
        return 0;
    }
    fprintf(stderr,
            "usage: %s run OUT SECONDS CASES SEED CORPUS... | replay FILE... | "
            "minimize FILE OUT | merge OUT CORPUS...\n",
            arguments[0]);
    return 2;
}
