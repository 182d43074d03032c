/* Reads the local cache: <cache>/v<schema>/<epoch>/<kind>/<xx>/<digest><extension>, files that
 * never change. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "client/internal.h"

enum { DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
enum { MARK_AFTER_S = 3600 }; /* a file's use is marked at most this often */

static int open_retrying(int directory, const char *name, int flags) {
    int fd;
    do fd = openat(directory, name, flags);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* Ours (or root's) and not writable by others: nobody else can have put code there. */
static bool is_trusted(int fd, struct stat *status) {
    return fstat(fd, status) == 0 && (status->st_uid == geteuid() || status->st_uid == 0) &&
           (status->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Opens a directory below `parent` and closes the parent; -1 when missing or not trusted. */
static int descend(int parent, const char *name) {
    struct stat status;
    int fd = open_retrying(parent, name, DIRECTORY);
    if (parent != AT_FDCWD) close(parent);
    if (fd >= 0 && !is_trusted(fd, &status)) {
        static bool said;
        if (!said)
            cass_client_note(
                "cache directory %s is not used: it must belong to you and be writable by "
                "you only",
                name);
        said = true;
        close(fd);
        return -1;
    }
    return fd;
}

static void hash_text(cass_sha256 *hash, const void *text, size_t size) {
    uint32_t length = (uint32_t)size;
    cass_sha256_add(hash, &length, sizeof length);
    cass_sha256_add(hash, text, size);
}

/* Source: model/config.py, epoch_name(). The file `epoch` is the daemon's; without it the base is
 * "". */
static void epoch_name(int versions, char name[33]) {
    const cass_settings *settings = cass_settings_get();
    char base[128];
    ssize_t size = 0;
    cass_sha256 hash;
    uint8_t digest[32];
    int fd = open_retrying(versions, "epoch", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) {
        size = read(fd, base, sizeof base);
        close(fd);
    }
    cass_sha256_start(&hash);
    hash_text(&hash, CASS_VERSION, strlen(CASS_VERSION));
    hash_text(&hash, base, size > 0 ? (size_t)size : 0);
#define X(field) hash_text(&hash, settings->field, strlen(settings->field));
    CASS_POLICY(X)
#undef X
    cass_sha256_end(&hash, digest);
    cass_hex(name, digest, 16);
}

static bool map_file(int fd, const struct stat *status, cass_file *out) {
    if (!S_ISREG(status->st_mode) || status->st_size < (off_t)sizeof(cass_file_header) ||
        status->st_size > (off_t)CASS_REPLY_LIMIT)
        return false;
    void *bytes = mmap(NULL, (size_t)status->st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) return false;
    *out = (cass_file){.bytes = bytes, .size = (size_t)status->st_size, .mapped = true};
    return true;
}

/* Eviction takes the least recently used file; a failure (read-only home) means nothing. */
static void mark_use(int fd, const struct stat *status) {
    struct timespec now[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_OMIT}};
    time_t age = time(NULL) - status->st_atime;
    if (age > MARK_AFTER_S || age < 0) /* below 0: the clock was set back */
        (void)futimens(fd, now);
}

bool cass_file_is_sound(const uint8_t *bytes, size_t size, const char *magic, uint32_t version) {
    cass_file_header header;
    uint8_t digest[32];
    if (size < sizeof header) return false;
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.magic, magic, sizeof header.magic) != 0 || header.version != version ||
        header.file_bytes != size)
        return false;
    cass_sha256_of(bytes + sizeof header, size - sizeof header, digest);
    return memcmp(digest, header.sha256, sizeof digest) == 0;
}

void cass_file_release(cass_file *file) {
    if (file->mapped) munmap(file->bytes, file->size);
    else free(file->bytes);
    *file = (cass_file){0};
}

static int open_epoch(void) {
    char name[33], schema[16];
    const cass_settings *settings = cass_settings_get();
    if (settings->cache_path[0] == '\0') return -1;
    int at = descend(AT_FDCWD, settings->cache_path);
    snprintf(schema, sizeof schema, "v%d", CASS_SCHEMA);
    if (at < 0 || (at = descend(at, schema)) < 0) return -1;
    epoch_name(at, name);
    return descend(at, name);
}

bool cass_cache_load(const char *kind, const uint8_t digest[32], const char *extension,
                     const char *magic, uint32_t version, cass_file *out) {
    char hex[65], shard[3], name[96];
    struct stat status;
    bool loaded = false;
    cass_hex(hex, digest, 32);
    memcpy(shard, hex, 2);
    shard[2] = '\0';
    snprintf(name, sizeof name, "%s%s", hex, extension);
    int at = open_epoch();
    if (at < 0 || (at = descend(at, kind)) < 0 || (at = descend(at, shard)) < 0) return false;
    int fd = open_retrying(at, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    close(at);
    if (fd < 0) return false;
    if (is_trusted(fd, &status) && map_file(fd, &status, out)) {
        loaded = cass_file_is_sound(out->bytes, out->size, magic, version);
        if (loaded) mark_use(fd, &status);
        else cass_file_release(out);
    }
    close(fd);
    return loaded;
}
