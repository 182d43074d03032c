/* Inputs in files and folders. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "driver.h"

corpus pool;

void add_input(const uint8_t *bytes, size_t size) {
    if (pool.count == pool.room) {
        pool.room = pool.room != 0 ? 2 * pool.room : 256;
        pool.items = realloc(pool.items, pool.room * sizeof *pool.items);
        if (pool.items == NULL) abort();
    }
    uint8_t *copy = malloc(size + 1);
    if (copy == NULL) abort();
    memcpy(copy, bytes, size);
    pool.items[pool.count++] = (input){copy, size};
}

static void read_input(const char *path) {
    static uint8_t bytes[INPUT_LIMIT];
    struct stat status;
    FILE *file = fopen(path, "rb");
    if (file == NULL || fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode)) {
        if (file != NULL) fclose(file);
        return;
    }
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    add_input(bytes, size);
}

/* A file, or the files of a folder in the order of their names. */
void read_corpus(const char *path) {
    struct dirent **names;
    int count = scandir(path, &names, NULL, alphasort);
    if (count < 0) read_input(path);
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.') read_input(name);
        free(names[i]);
    }
    if (count >= 0) free(names);
}

void write_file(const char *name, const void *bytes, size_t size) {
    FILE *file = fopen(name, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size) {
        fprintf(stderr, "%s: %s\n", name, strerror(errno));
        exit(3);
    }
    fclose(file);
}

/* FNV-1a, for file names. */
uint64_t name_of(const uint8_t *bytes, size_t size) {
    uint64_t value = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) value = (value ^ bytes[i]) * 0x100000001b3u;
    return value;
}
