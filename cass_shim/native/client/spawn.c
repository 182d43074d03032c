/* Starts the translator: the user's daemon, or a private one on a socket pair. Neither is a child
 * that the program can see: it is orphaned at once, in its own session, and dies with its socket or
 * when idle. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client/internal.h"

extern char **environ;

/* -I: neither the program's PYTHON* variables nor its working directory may reach the daemon. */
static const char BOOT[] = "import sys; sys.path.insert(0, sys.argv.pop(1)); "
                           "from cass_shim.daemon.__main__ import main; main()";

/* What must not follow into the daemon: our preload, policy, which each request brings itself, and
 * the emulated device's second back end (a candidate that is verified runs too briefly for it). */
static bool is_scrubbed(const char *entry) {
    static const char *const NAMES[] = {"LD_PRELOAD",    "LD_AUDIT",        "LD_BIND_NOW",
                                        "LD_DEBUG",      "CASS_EMU_NATIVE",
#define REQUEST(variable) variable,
#define DAEMON(variable)
#define PROGRAM(variable)
#define COMMAND(variable)
#define X(field, variable, fallback, scope) scope(variable)
                                        CASS_SETTINGS(X)
#undef X
#undef REQUEST
#undef DAEMON
#undef PROGRAM
#undef COMMAND
    };
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        size_t length = strlen(NAMES[i]);
        if (strncmp(entry, NAMES[i], length) == 0 && entry[length] == '=') return true;
    }
    return false;
}

static char **scrubbed_environment(void) {
    size_t count = 0, kept = 0;
    while (environ != NULL && environ[count] != NULL) count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy != NULL && i < count; i++)
        if (!is_scrubbed(environ[i])) copy[kept++] = environ[i];
    return copy;
}

/* A process without a parent's notice: no SIGCHLD, unseen by wait(), and no pthread_atfork handlers
 * run. Only async-signal-safe calls may follow in the child. */
static pid_t quiet_fork(void) { return (pid_t)syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L); }

static void close_from(int first) {
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0) return;
    struct rlimit limit;
    int end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536 ? (int)limit.rlim_cur
                                                                              : 65536;
    for (int fd = first; fd < end; fd++) close(fd);
}

/* The program's own soft limits were meant for the program. */
static void lift_soft_limits(void) {
    static const int LIMITS[] = {RLIMIT_AS, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_CPU};
    for (size_t i = 0; i < sizeof LIMITS / sizeof LIMITS[0]; i++) {
        struct rlimit limit;
        if (getrlimit((__rlimit_resource_t)LIMITS[i], &limit) == 0) {
            limit.rlim_cur = limit.rlim_max;
            setrlimit((__rlimit_resource_t)LIMITS[i], &limit);
        }
    }
}

/* In the child: descriptors `input` as 0 and, when not -1, `ready` as 3; everything else is the
 * null device. */
__attribute__((noreturn)) static void become(char *const *arguments, char *const *environment,
                                             int input, int ready) {
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    lift_soft_limits();
    /* Move what we keep out of the way of 0..3 first. */
    int null = open("/dev/null", O_RDWR);
    int from = input >= 0 ? fcntl(input, F_DUPFD, 10) : fcntl(null, F_DUPFD, 10);
    int mark = ready >= 0 ? fcntl(ready, F_DUPFD, 10) : -1;
    /* no daemon rather than one that holds the program's pipes: who reads them would wait for it */
    if (null < 0 || from < 0 || dup2(from, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
        _exit(127);
    if (mark >= 0) dup2(mark, 3);
    close_from(mark >= 0 ? 4 : 3);
    if (chdir("/") == 0) execve(arguments[0], arguments, environment);
    _exit(127);
}

/* Runs the interpreter as an orphan of a new session. */
static bool launch(char *const *arguments, int input, int ready) {
    sigset_t all, old;
    char **environment = scrubbed_environment();
    if (environment == NULL) return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pid_t middle = quiet_fork();
    if (middle == 0) {
        setsid();
        pid_t last = quiet_fork();
        if (last == 0) become(arguments, environment, input, ready);
        _exit(last < 0 ? 1 : 0);
    }
    int status = 1;
    while (middle > 0 && waitpid(middle, &status, __WALL) < 0 && errno == EINTR);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    free(environment);
    return middle > 0 && status == 0;
}

/* CASS_PYTHON; else, installed in a virtual environment, that one's; else the one that built this.
 */
const char *cass_spawn_interpreter(const cass_settings *settings) {
    static char beside[4096];
    static const char inside[] = "/site-packages";
    size_t length = strlen(settings->root), tail = sizeof inside - 1;
    if (settings->python[0] == '/') return settings->python;
    if (length > tail && strcmp(settings->root + length - tail, inside) == 0 &&
        snprintf(beside, sizeof beside, "%s/../../../bin/python3", settings->root) <
            (int)sizeof beside &&
        access(beside, X_OK) == 0)
        return beside;
    return CASS_BUILD_PYTHON;
}

bool cass_spawn_runtime_ready(const cass_settings *settings) {
    struct stat status;
    if (settings->runtime_path[0] == '\0') return false;
    if (mkdir(settings->runtime_path, 0700) != 0 && errno != EEXIST) return false;
    if (lstat(settings->runtime_path, &status) != 0 || !S_ISDIR(status.st_mode) ||
        status.st_uid != geteuid() || (status.st_mode & 077) != 0) {
        cass_client_note("%s is not a directory of yours with mode 0700; no daemon is used",
                         settings->runtime_path);
        return false;
    }
    return true;
}

/* The daemon writes one byte when it listens; end of file means that it failed. */
static bool await_ready(int fd, int64_t deadline_ns) {
    for (;;) {
        char byte;
        int64_t left_ms = (deadline_ns - cass_now_ns()) / 1000000;
        struct pollfd one = {.fd = fd, .events = POLLIN};
        if (left_ms <= 0) return false;
        int ready = poll(&one, 1, left_ms < 60000 ? (int)left_ms : 60000);
        if (ready > 0) return read(fd, &byte, 1) == 1;
        if (ready < 0 && errno != EINTR) return false;
    }
}

static bool start_daemon(const cass_settings *settings, int64_t deadline_ns) {
    int ends[2];
    char socket_path[sizeof settings->socket_path];
    memcpy(socket_path, settings->socket_path, sizeof socket_path);
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    const char *const arguments[] = {cass_spawn_interpreter(settings),
                                     "-I",
                                     "-c",
                                     BOOT,
                                     settings->root,
                                     "--serve",
                                     "--socket",
                                     socket_path,
                                     "--ready-fd",
                                     "3",
                                     NULL};
    bool started = launch((char *const *)(uintptr_t)arguments, -1, ends[1]);
    close(ends[1]);
    started = started && await_ready(ends[0], deadline_ns);
    close(ends[0]);
    return started;
}

/* One starter at a time; -1 when the lock cannot be had. */
static int take_lock(const cass_settings *settings, int64_t deadline_ns) {
    char path[sizeof settings->socket_path + 8];
    snprintf(path, sizeof path, "%s.lock", settings->socket_path);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        struct timespec pause = {.tv_nsec = 10 * 1000000};
        if ((errno != EWOULDBLOCK && errno != EINTR) || cass_now_ns() > deadline_ns) {
            close(fd);
            return -1;
        }
        nanosleep(&pause, NULL);
    }
    return fd;
}

int cass_spawn_daemon(const cass_settings *settings, int64_t deadline_ns) {
    if (!cass_spawn_runtime_ready(settings)) return CASS_IO_LOST;
    int fd = cass_transport_connect(settings->socket_path, deadline_ns);
    if (fd >= 0 || fd == CASS_IO_BAD) return fd;
    int lock = take_lock(settings, deadline_ns);
    if (lock < 0) return CASS_IO_LOST;
    fd = cass_transport_connect(settings->socket_path, deadline_ns);
    if (fd == CASS_IO_LOST && start_daemon(settings, deadline_ns))
        fd = cass_transport_connect(settings->socket_path, deadline_ns);
    close(lock);
    return fd;
}

int cass_spawn_inline(const cass_settings *settings) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return CASS_IO_LOST;
    const char *const arguments[] = {
        cass_spawn_interpreter(settings), "-I", "-c", BOOT, settings->root, "--inline", NULL};
    bool started = launch((char *const *)(uintptr_t)arguments, ends[1], -1);
    close(ends[1]);
    if (!started) {
        close(ends[0]);
        return CASS_IO_LOST;
    }
    return ends[0];
}
