/* The error log: see log.h. */
#include "driver/log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "driver/names.h"
#include "driver/state.h"
#include "shim/trace.h"

/* 25,600 bytes, as a driver keeps (cuLogsDumpToMemory, Note). */
enum { LINES = 128, LINE_BYTES = 200, READERS = 32, LEVEL_ERROR = 0 };

typedef struct {
    cass_log_reader reader;
    void *data;
} watcher;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char lines[LINES][LINE_BYTES]; /* each with its newline */
static uint32_t made;                 /* lines so far; the newest is number made - 1 */
static watcher watchers[READERS];

/* Writes one line to where CUDA_LOG_FILE says: stdout, stderr or a file. The caller holds the lock.
 */
static void write_out(const char *line) {
    static int file = -2;
    if (file == -2) {
        const char *path = getenv("CUDA_LOG_FILE");
        if (!path || !*path) file = -1;
        else if (!strcmp(path, "stdout")) file = STDOUT_FILENO;
        else if (!strcmp(path, "stderr")) file = STDERR_FILENO;
        else file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    }
    if (file >= 0 && write(file, line, strlen(line)) < 0) file = -1;
}

static void compose(char *line, const cass_row *row, int result) {
    struct timespec now;
    struct tm local;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &local);
    const char *name = cass_error_name(result, row->driver);
    int length = snprintf(line, LINE_BYTES,
                          "[%02d:%02d:%02d.%03ld][%ld][CUDA][E] Returning %d (%s) from %s\n",
                          local.tm_hour, local.tm_min, local.tm_sec, now.tv_nsec / 1000000,
                          syscall(SYS_gettid), result, name ? name : "unknown", row->name);
    if (length >= LINE_BYTES) line[LINE_BYTES - 2] = '\n';
}

/* A stream or an event that is not done yet is no failure; a forked child may have been left with a
 * lock that nobody holds. */
void cass_log_failure(uint32_t row, int result) {
    if (result == NOT_READY || cass_is_forked_child()) return;
    char line[LINE_BYTES];
    watcher told[READERS];
    compose(line, &cass_rows[row], result);
    pthread_mutex_lock(&lock);
    memcpy(lines[made++ % LINES], line, sizeof line);
    memcpy(told, watchers, sizeof told);
    write_out(line);
    pthread_mutex_unlock(&lock);
    size_t length = strlen(line) - 1;
    line[length] = 0;
    for (int i = 0; i < READERS; i++)
        if (told[i].reader) told[i].reader(told[i].data, LEVEL_ERROR, line, length);
}

uint32_t cass_log_end(void) {
    pthread_mutex_lock(&lock);
    uint32_t end = made;
    pthread_mutex_unlock(&lock);
    return end;
}

/* The number of the first line to give: those before it are not kept, or were not asked for. */
static uint32_t first_line(const uint32_t *iterator) {
    uint32_t oldest = made > LINES ? made - LINES : 0;
    return iterator && *iterator > oldest ? *iterator : oldest;
}

int cass_log_dump(uint32_t *iterator, char *buffer, size_t *size) {
    size_t room = *size, used = 0;
    pthread_mutex_lock(&lock);
    uint32_t at = first_line(iterator);
    int any = at < made;
    for (; at < made; at++) {
        size_t length = strlen(lines[at % LINES]);
        if (used + length >= room) break;
        memcpy(buffer + used, lines[at % LINES], length);
        used += length;
    }
    pthread_mutex_unlock(&lock);
    buffer[used] = 0;
    *size = used;
    if (iterator && (used || !any)) *iterator = at;
    return any && !used ? INVALID_VALUE : OK;
}

int cass_log_dump_file(uint32_t *iterator, const char *path) {
    char text[LINES * LINE_BYTES + 1];
    size_t size = sizeof text;
    FILE *file = fopen(path, "we");
    if (!file) return INVALID_VALUE;
    (void)cass_log_dump(iterator, text, &size);
    size_t written = fwrite(text, 1, size, file);
    return fclose(file) || written < size ? INVALID_VALUE : OK;
}

int cass_log_watch(cass_log_reader reader, void *data, void **handle) {
    int result = OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < READERS && result; i++)
        if (!watchers[i].reader) {
            watchers[i] = (watcher){reader, data};
            if (handle) *handle = &watchers[i];
            result = OK;
        }
    pthread_mutex_unlock(&lock);
    return result;
}

int cass_log_unwatch(const void *handle) {
    int result = INVALID_VALUE;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < READERS; i++)
        if (handle == &watchers[i] && watchers[i].reader) {
            watchers[i] = (watcher){0};
            result = OK;
        }
    pthread_mutex_unlock(&lock);
    return result;
}
