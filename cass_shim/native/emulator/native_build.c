/* From a unit's C text to a loaded library: the cache, and the compiler in a process of its own.
 *
 * Files are `<cache>/emulator/<SHA-256 of text and compiler options>.so`, each with a trailer (size
 * and digest) behind the ELF file. A file is loaded only when it is the user's own, writable to
 * nobody else, and its trailer fits. Where the compiler fails, `<...>.failed` says so: the kernel,
 * the command and what the compiler printed; for a day it is not tried again. The compiler's parent
 * is an orphan in all but name: it makes no SIGCHLD, is unseen by wait(), and finishes the file
 * even when the program has ended. */
#include "emulator/native.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client/internal.h"
#include "emulator/native_compiler.h"

extern char **environ;

#define PATH_ROOM 4096
#define RETRY_AFTER 86400 /* seconds */
static const uint8_t MAGIC[8] = {'C', 'A', 'S', 'S', 'E', 'M', 'U', 1};

typedef struct {
    uint8_t magic[8];
    uint64_t bytes; /* before the trailer */
    uint8_t digest[32];
} trailer_t;

typedef struct {
    char folder[NATIVE_FOLDER_ROOM]; /* of the cache */
    char final[PATH_ROOM], failed[PATH_ROOM];
    char source[PATH_ROOM], object[PATH_ROOM], library[PATH_ROOM], output[PATH_ROOM];
    char headline[512]; /* of `failed` */
    unsigned cpu_seconds;
} paths_t;

static void find_paths(paths_t *p, const char *text, const native_compiler *compiler) {
    static _Atomic unsigned serial;
    cass_sha256 hash;
    uint8_t digest[32];
    char hex[65];
    cass_sha256_start(&hash);
    cass_sha256_add(&hash, text, strlen(text));
    for (unsigned i = 0; i < compiler->option_count; i++)
        cass_sha256_add(&hash, compiler->options[i], strlen(compiler->options[i]) + 1);
    cass_sha256_end(&hash, digest);
    for (int i = 0; i < 32; i++) snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    unsigned number = serial++;
    snprintf(p->final, sizeof p->final, "%s/%s.so", p->folder, hex);
    snprintf(p->failed, sizeof p->failed, "%s/%s.failed", p->folder, hex);
    const struct {
        char *path;
        const char *suffix;
    } temporary[] = {{p->source, "c"}, {p->object, "o"}, {p->library, "so"}, {p->output, "failed"}};
    for (unsigned i = 0; i < sizeof temporary / sizeof *temporary; i++)
        snprintf(temporary[i].path, PATH_ROOM, "%s/tmp-%d-%u.%s", p->folder, getpid(), number,
                 temporary[i].suffix);
}

/* ---- a finished file ---- */
static int digest_of(int fd, uint64_t bytes, uint8_t digest[32]) {
    cass_sha256 hash;
    uint8_t block[16384];
    cass_sha256_start(&hash);
    for (uint64_t at = 0; at < bytes;) {
        size_t wanted = bytes - at < sizeof block ? (size_t)(bytes - at) : sizeof block;
        ssize_t n = pread(fd, block, wanted, (off_t)at);
        if (n <= 0) return 0;
        cass_sha256_add(&hash, block, (size_t)n);
        at += (uint64_t)n;
    }
    cass_sha256_end(&hash, digest);
    return 1;
}

static int is_sound(int fd) {
    struct stat status;
    trailer_t trailer;
    uint8_t digest[32];
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
        (status.st_mode & 022) || status.st_size <= (off_t)sizeof trailer)
        return 0;
    uint64_t bytes = (uint64_t)status.st_size - sizeof trailer;
    return pread(fd, &trailer, sizeof trailer, (off_t)bytes) == (ssize_t)sizeof trailer &&
           memcmp(trailer.magic, MAGIC, sizeof MAGIC) == 0 && trailer.bytes == bytes &&
           digest_of(fd, bytes, digest) && memcmp(digest, trailer.digest, sizeof digest) == 0;
}

/* The folder is the user's alone, so a name goes on meaning the file that was checked. (A name
 * below /proc/self/fd would not do: the loader takes equal names for the same library.) */
static int is_private(const char *folder) {
    struct stat status;
    return lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           !(status.st_mode & 022);
}

static void *load(const paths_t *p) {
    int fd = is_private(p->folder) ? open(p->final, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    int sound = fd >= 0 && is_sound(fd);
    if (fd >= 0) close(fd);
    if (!sound) return NULL;
    native_cache_used(p->final);
    return dlopen(p->final, RTLD_NOW | RTLD_LOCAL);
}

/* ---- in the compiler's parent: only calls that are safe in a forked child ---- */
static pid_t quiet_fork(void) { return (pid_t)syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L); }

static int finish(const paths_t *p) {
    struct stat status;
    trailer_t trailer;
    int fd = open(p->library, O_RDWR | O_CLOEXEC);
    if (fd < 0) return 0;
    int good = fstat(fd, &status) == 0 && fchmod(fd, 0600) == 0;
    memcpy(trailer.magic, MAGIC, sizeof MAGIC);
    trailer.bytes = good ? (uint64_t)status.st_size : 0;
    good = good && digest_of(fd, trailer.bytes, trailer.digest) &&
           pwrite(fd, &trailer, sizeof trailer, status.st_size) == (ssize_t)sizeof trailer;
    close(fd);
    return good && rename(p->library, p->final) == 0;
}

static int run_tool(char *const *arguments, char *const *environment) {
    int status = 1;
    pid_t child = quiet_fork();
    if (child == 0) {
        execve(arguments[0], arguments, environment);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, __WALL) < 0 && errno == EINTR);
    return child > 0 && status == 0;
}

__attribute__((noreturn)) static void compile_apart(const paths_t *p, const native_compiler *c,
                                                    char *const *environment) {
    setsid();
    for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
    signal(SIGHUP, SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpriority(PRIO_PROCESS, 0, 10);
    const struct rlimit time = {p->cpu_seconds, p->cpu_seconds};
    setrlimit(RLIMIT_CPU, &time);
    int null = open("/dev/null", O_RDWR);
    int output = open(p->output, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (output < 0 || write(output, p->headline, strlen(p->headline)) < 0) output = null;
    dup2(null, 0);
    dup2(output, 1);
    dup2(output, 2);
    syscall(SYS_close_range, 3u, ~0u, 0u);
    int done = run_tool(c->compile, environment) && (!c->link[0] || run_tool(c->link, environment));
    done = done && finish(p);
    if (done) unlink(p->failed);
    if (done || rename(p->output, p->failed) != 0) unlink(p->output);
    unlink(p->source);
    unlink(p->object);
    unlink(p->library);
    _exit(done ? 0 : 1);
}

/* ---- in the program ---- */
static char **scrubbed_environment(void) {
    size_t count = 0, kept = 0;
    while (environ && environ[count]) count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        if (strncmp(environ[i], "LD_", 3) != 0 && strncmp(environ[i], "CASS_", 5) != 0)
            copy[kept++] = environ[i];
    return copy;
}

static int write_source(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    size_t left = strlen(text);
    while (fd >= 0 && left) {
        ssize_t n = write(fd, text, left);
        if (n <= 0) break;
        text += n;
        left -= (size_t)n;
    }
    if (fd >= 0) close(fd);
    return fd >= 0 && left == 0;
}

/* Waits for the compiler, which its limit of CPU time ends. */
static void compile(paths_t *p, native_compiler *c, const char *text, const char *kernel) {
    sigset_t all, old;
    char **environment = scrubbed_environment();
    if (!environment || !write_source(p->source, text)) {
        free(environment);
        unlink(p->source);
        return;
    }
    native_compiler_files(c, p->source, p->object, p->library);
    int n = snprintf(p->headline, sizeof p->headline - 1, "%s: no native code by %.200s (%u s)",
                     kernel ? kernel : "a kernel", c->path, p->cpu_seconds);
    p->headline[n < (int)sizeof p->headline - 2 ? n : (int)sizeof p->headline - 2] = '\n';
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pid_t child = quiet_fork();
    if (child == 0) compile_apart(p, c, environment);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    int status;
    while (child > 0 && waitpid(child, &status, __WALL) < 0 && errno == EINTR);
    free(environment);
}

static int failed_lately(const paths_t *p) {
    struct stat status;
    return lstat(p->failed, &status) == 0 && time(NULL) - status.st_mtime < RETRY_AFTER;
}

static void *library(paths_t *p, native_compiler *c, const char *text, const char *kernel,
                     int may_compile, const char **why) {
    static const char failed[] = "the compiler failed (*.failed in the cache)";
    find_paths(p, text, c);
    void *handle = load(p);
    if (handle) return handle;
    *why = failed_lately(p) ? failed : NULL;
    if (*why || !may_compile) return NULL;
    compile(p, c, text, kernel);
    handle = load(p);
    native_cache_trim(p->folder); /* also of this one: what is loaded stays usable */
    if (!handle) *why = failed;
    return handle;
}

void *emu_native_library(const char *text, const char *kernel, int may_compile,
                         unsigned cpu_seconds, const char **why) {
    native_compiler compiler;
    paths_t *paths = calloc(1, sizeof *paths);
    void *handle = NULL;
    if (!paths) return NULL;
    paths->cpu_seconds = cpu_seconds;
    if (!native_compiler_find(&compiler)) *why = "no C compiler";
    else if (!native_cache_folder(paths->folder, sizeof paths->folder)) *why = "no cache";
    else handle = library(paths, &compiler, text, kernel, may_compile, why);
    free(paths);
    return handle;
}
