/* The folder of translated code, `<cache>/emulator/`: where it is, and how much it may hold. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "emulator/native.h"

#define LIMIT_DEFAULT (256ull << 20)
#define LEFT_BEHIND_AFTER 3600 /* seconds: a compiler's file that nobody will finish */
#define MARK_AFTER 3600        /* seconds between two marks of use */

static int make_folders(char *path) {
    for (char *at = path + 1; *at; at++) {
        if (*at != '/') continue;
        *at = '\0';
        int made = mkdir(path, 0700) == 0 || errno == EEXIST;
        *at = '/';
        if (!made) return 0;
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

int native_cache_folder(char *out, size_t room) {
    const char *own = getenv("CASS_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME"), *used = getenv("CASS_CACHE");
    int n = -1;
    if (used && used[0] == '0') return 0;
    if (own && own[0] == '/') n = snprintf(out, room, "%s/emulator", own);
    else if (xdg && xdg[0] == '/') n = snprintf(out, room, "%s/cass/emulator", xdg);
    else if (home && home[0] == '/') n = snprintf(out, room, "%s/.cache/cass/emulator", home);
    return n > 0 && (size_t)n < room && make_folders(out);
}

void native_cache_used(const char *path) {
    struct stat status;
    if (stat(path, &status) == 0 && time(NULL) - status.st_mtime > MARK_AFTER)
        utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
}

typedef struct {
    char name[256];
    time_t used;
    off_t bytes;
} entry_t;

typedef struct {
    entry_t *items;
    size_t count, room;
    uint64_t bytes;
} listing_t;

static int oldest_first(const void *a, const void *b) {
    const entry_t *x = a, *y = b;
    return (x->used > y->used) - (x->used < y->used);
}

static void add(listing_t *list, const char *name, const struct stat *status) {
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 64;
        entry_t *items = realloc(list->items, room * sizeof *items);
        if (!items) return;
        list->items = items;
        list->room = room;
    }
    entry_t *entry = &list->items[list->count++];
    snprintf(entry->name, sizeof entry->name, "%s", name);
    entry->used = status->st_mtime;
    entry->bytes = status->st_size;
    list->bytes += (uint64_t)status->st_size;
}

static void list_folder(DIR *folder, listing_t *list) {
    time_t now = time(NULL);
    for (struct dirent *item; (item = readdir(folder));) {
        struct stat status;
        if (fstatat(dirfd(folder), item->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(status.st_mode))
            continue;
        if (strncmp(item->d_name, "tmp-", 4) != 0) add(list, item->d_name, &status);
        else if (now - status.st_mtime > LEFT_BEHIND_AFTER)
            unlinkat(dirfd(folder), item->d_name, 0);
    }
}

/* A library that another process has loaded stays usable for that process. */
void native_cache_trim(const char *path) {
    uint64_t limit = emu_setting("CASS_EMU_CACHE", LIMIT_DEFAULT);
    listing_t list = {0};
    DIR *folder = opendir(path);
    if (!folder) return;
    list_folder(folder, &list);
    if (list.count) qsort(list.items, list.count, sizeof *list.items, oldest_first);
    for (size_t i = 0; i < list.count && list.bytes > limit; i++)
        if (unlinkat(dirfd(folder), list.items[i].name, 0) == 0)
            list.bytes -= (uint64_t)list.items[i].bytes;
    closedir(folder);
    free(list.items);
}
