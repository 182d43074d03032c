/* Preloaded into a process: lets the k-th call of one function fail, and counts them all.
 *
 * CASS_FAULT_STATE names a file that every process of a run maps: `counts` tells afterwards how
 * often each function was called, so that a campaign knows which k there are. Only calls that
 * matter are counted: in a CUDA program those made by our libraries, in the daemon
 * (CASS_FAULT_UNDER) those on files below a folder and on sockets. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Order and size are read by tools/faults/__init__.py. */
#define CALLS(X)                                                                                   \
    X(open)                                                                                        \
    X(openat)                                                                                      \
    X(read)                                                                                        \
    X(write)                                                                                       \
    X(fstat)                                                                                       \
    X(lstat) X(mkdir) X(mmap) X(mprotect) X(munmap) X(connect) X(socket) X(socketpair)             \
        X(getsockopt) X(poll) X(send) X(recv) X(pipe2) X(flock) X(fcntl) X(fork) X(dlopen)         \
            X(malloc) X(calloc) X(realloc) X(aligned_alloc) X(strdup) X(memfd_create) X(ftruncate) \
                X(pthread_create) X(getcwd) X(futimens) X(access) X(rename) X(fsync) X(unlink)     \
                    X(link) X(close) X(accept4) X(waitpid)

enum call {
#define X(name) CALL_##name,
    CALLS(X)
#undef X
        CALL_COUNT
};

typedef struct {
    uint32_t call, error; /* which call fails and with what; error 0: half of the bytes only */
    uint32_t first, last; /* 1 is the first call; first 0: none fails */
    _Atomic uint32_t counts[CALL_COUNT];
    _Atomic uint32_t failed;
    _Atomic int64_t clock_seconds; /* what the clock of the day is wrong by */
} fault_state;

static fault_state *state;
static const char *under;

static void ignore(int number) { (void)number; }

/* A signal every few microseconds, without SA_RESTART: whatever waits is interrupted (EINTR). */
static void begin_storm(const char *microseconds) {
    char program[4096];
    ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    program[size > 0 ? size : 0] = '\0';
    /* cass-run becomes the program: a timer outlives exec, its handler does not */
    if (strstr(program, "/cass-run") != NULL) return;
    struct sigaction action = {.sa_handler = ignore};
    struct itimerval every = {.it_interval.tv_usec = atol(microseconds)};
    every.it_value = every.it_interval;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
}

__attribute__((constructor(101))) static void attach(void) {
    const char *storm = getenv("CASS_FAULT_STORM");
    if (storm != NULL) begin_storm(storm);
    const char *path = getenv("CASS_FAULT_STATE");
    under = getenv("CASS_FAULT_UNDER");
    int fd = path != NULL ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0) return;
    void *mapped =
        (void *)syscall(SYS_mmap, NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
    if (mapped != MAP_FAILED) state = mapped;
    syscall(SYS_close, fd);
}

static bool called_by_us(const void *caller) {
    Dl_info info;
    return dladdr(caller, &info) != 0 && info.dli_fname != NULL &&
           (strstr(info.dli_fname, "libcass_shim") != NULL ||
            strstr(info.dli_fname, "libamdhip64") != NULL);
}

static bool below(const char *path) {
    return path != NULL && strncmp(path, under, strlen(under)) == 0;
}

static bool is_ours(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size <= 0) return false;
    path[size] = '\0';
    return below(path) || strncmp(path, "socket:", 7) == 0;
}

static bool count(enum call call) {
    static __thread bool inside; /* a report may allocate */
    if (inside) return false;
    uint32_t number = ++state->counts[call];
    if (state->call != (uint32_t)call || number < state->first || number > state->last ||
        state->first == 0)
        return false;
    inside = true;
    state->failed++;
    if (state->error != 0) errno = (int)state->error;
    inside = false;
    return true;
}

static bool fails(enum call call, const void *caller, int fd, const char *path) {
    if (state == NULL) return false;
    if (under != NULL ? !(path != NULL ? below(path) : fd >= 0 && is_ours(fd))
                      : !called_by_us(caller))
        return false;
    return count(call);
}

#define CALLER __builtin_return_address(0)
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* A call that gives -1 when it fails. */
#define WRAP(name, fd, path, type, failed, parameters, arguments)                                  \
    type name parameters {                                                                         \
        if (fails(CALL_##name, CALLER, fd, path)) return failed;                                   \
        return NEXT(name) arguments;                                                               \
    }

WRAP(lstat, -1, path, int, -1, (const char *restrict path, struct stat *restrict out), (path, out))
WRAP(mkdir, -1, path, int, -1, (const char *path, mode_t mode), (path, mode))
WRAP(mprotect, -1, NULL, int, -1, (void *at, size_t size, int flags), (at, size, flags))
WRAP(connect, fd, NULL, int, -1, (int fd, const struct sockaddr *to, socklen_t size),
     (fd, to, size))
WRAP(socket, -1, under, int, -1, (int domain, int type, int protocol), (domain, type, protocol))
WRAP(socketpair, -1, under, int, -1, (int domain, int type, int protocol, int ends[2]),
     (domain, type, protocol, ends))
WRAP(getsockopt, fd, NULL, int, -1, (int fd, int level, int name, void *value, socklen_t *size),
     (fd, level, name, value, size))
WRAP(pipe2, -1, under, int, -1, (int ends[2], int flags), (ends, flags))
WRAP(flock, fd, NULL, int, -1, (int fd, int how), (fd, how))
WRAP(dlopen, -1, NULL, void *, NULL, (const char *file, int mode), (file, mode))
WRAP(memfd_create, -1, NULL, int, -1, (const char *name, unsigned flags), (name, flags))
WRAP(ftruncate, fd, NULL, int, -1, (int fd, off_t size), (fd, size))
WRAP(getcwd, -1, NULL, char *, NULL, (char *into, size_t size), (into, size))
WRAP(futimens, fd, NULL, int, -1, (int fd, const struct timespec times[2]), (fd, times))
WRAP(access, -1, path, int, -1, (const char *path, int mode), (path, mode))
WRAP(rename, -1, to, int, -1, (const char *from, const char *to), (from, to))
WRAP(fsync, fd, NULL, int, -1, (int fd), (fd))
WRAP(unlink, -1, path, int, -1, (const char *path), (path))
WRAP(link, -1, to, int, -1, (const char *from, const char *to), (from, to))
WRAP(accept4, fd, NULL, int, -1, (int fd, struct sockaddr *from, socklen_t *size, int flags),
     (fd, from, size, flags))
WRAP(waitpid, -1, NULL, pid_t, -1, (pid_t pid, int *status, int options), (pid, status, options))

/* The clock of the day as somebody set it; files get the kernel's time, as from another machine. */
static time_t wrong_by(void) { return state != NULL ? (time_t)state->clock_seconds : 0; }

int clock_gettime(clockid_t clock, struct timespec *out) {
    int result = (int)syscall(SYS_clock_gettime, clock, out);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        out->tv_sec += wrong_by();
    return result;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out != NULL) *out = now.tv_sec;
    return now.tv_sec;
}

/* Calls that may move fewer bytes than asked for. */
#define TRANSFER(name, parameters, half, whole)                                                    \
    ssize_t name parameters {                                                                      \
        if (fails(CALL_##name, CALLER, fd, NULL)) {                                                \
            if (state->error != 0) return -1;                                                      \
            return NEXT(name) half;                                                                \
        }                                                                                          \
        return NEXT(name) whole;                                                                   \
    }
#define HALF ((size + 1) / 2)
TRANSFER(read, (int fd, void *into, size_t size), (fd, into, HALF), (fd, into, size))
TRANSFER(write, (int fd, const void *from, size_t size), (fd, from, HALF), (fd, from, size))
TRANSFER(send, (int fd, const void *from, size_t size, int how), (fd, from, HALF, how),
         (fd, from, size, how))
TRANSFER(recv, (int fd, void *into, size_t size, int how), (fd, into, HALF, how),
         (fd, into, size, how))

int poll(struct pollfd *list, nfds_t count_of, int ms) {
    if (fails(CALL_poll, CALLER, -1, under)) return -1;
    return NEXT(poll)(list, count_of, ms);
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = va_arg(more, mode_t);
    va_end(more);
    if (fails(CALL_open, CALLER, -1, path)) return -1;
    return NEXT(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int openat(int folder, const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = va_arg(more, mode_t);
    va_end(more);
    if (fails(CALL_openat, CALLER, folder, path[0] == '/' ? path : NULL)) return -1;
    return NEXT(openat)(folder, path, flags, mode);
}

int fcntl(int fd, int what, ...) {
    va_list more;
    va_start(more, what);
    void *argument = va_arg(more, void *);
    va_end(more);
    if (fails(CALL_fcntl, CALLER, fd, NULL)) return -1;
    return NEXT(fcntl)(fd, what, argument);
}

int fcntl64(int fd, int what, ...) __attribute__((alias("fcntl")));

int fstat(int fd, struct stat *out) {
    if (fails(CALL_fstat, CALLER, fd, NULL)) return -1;
    return fstatat(fd, "", out, AT_EMPTY_PATH);
}

/* The descriptor is closed all the same, as Linux does. */
int close(int fd) {
    bool failed = fails(CALL_close, CALLER, fd, NULL);
    int error = errno, done = (int)syscall(SYS_close, fd);
    if (!failed) return done;
    errno = error;
    return -1;
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
    if (fails(CALL_mmap, CALLER, fd, NULL)) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}

void *mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset)
    __attribute__((alias("mmap")));

int munmap(void *at, size_t size) {
    if (fails(CALL_munmap, CALLER, -1, NULL)) return -1;
    return (int)syscall(SYS_munmap, at, size);
}

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                   void *(*body)(void *), void *restrict argument) {
    if (fails(CALL_pthread_create, CALLER, -1, NULL)) return (int)state->error;
    return NEXT(pthread_create)(thread, attributes, body, argument);
}

/* The client forks by clone without flags (client/spawn.c, quiet_fork). */
long syscall(long number, ...) {
    long a[6];
    va_list more;
    va_start(more, number);
    for (int i = 0; i < 6; i++) a[i] = va_arg(more, long);
    va_end(more);
    static long (*next)(long, ...);
    if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, "syscall");
    if (number == SYS_clone && state != NULL && fails(CALL_fork, CALLER, -1, under)) return -1;
    return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

pid_t fork(void) {
    if (state != NULL && fails(CALL_fork, CALLER, -1, under)) return -1;
    return NEXT(fork)();
}

/* glibc's own names for its allocator: dlsym allocates. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
    return fails(CALL_malloc, CALLER, -1, NULL) ? NULL : __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    return fails(CALL_calloc, CALLER, -1, NULL) ? NULL : __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    return fails(CALL_realloc, CALLER, -1, NULL) ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return fails(CALL_aligned_alloc, CALLER, -1, NULL) ? NULL : __libc_memalign(alignment, size);
}

char *strdup(const char *text) {
    if (fails(CALL_strdup, CALLER, -1, NULL)) return NULL;
    size_t size = strlen(text) + 1;
    char *copy = __libc_malloc(size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}
