/* The process's settings: environment, defaults, and the paths that follow from them
 * (model/config.py). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/internal.h"

enum scope { REQUEST, DAEMON, PROGRAM, COMMAND };

static const char *value_of(const char *variable, const char *fallback) {
    const char *value = getenv(variable);
    return value != NULL && value[0] != '\0' ? value : fallback;
}

/* strdup that cannot fail: a program without memory for a path has lost anyway, and gets "". */
static char *kept(const char *text) {
    char *copy = strdup(text);
    return copy != NULL ? copy : (char *)"";
}

static void add_option(char **options, const char *variable, const char *value) {
    char *longer = NULL;
    if (strchr(value, '\n') == NULL &&
        asprintf(&longer, "%s%s=%s\n", *options, variable, value) >= 0) {
        free(*options);
        *options = longer;
    }
}

static char *request_options(const cass_settings *settings) {
    char *options = calloc(1, 1);
#define X(field, variable, fallback, scope)                                                        \
    if (options != NULL && scope == REQUEST && strcmp(settings->field, fallback) != 0)             \
        add_option(&options, variable, settings->field);
    CASS_SETTINGS(X)
#undef X
    return options != NULL ? options : (char *)"";
}

/* The folder that holds the package: four levels above this library, else where it was built. */
static char *package_root(void) {
    Dl_info info;
    static const char inside[] = "/cass_shim/native/_build/";
    if (dladdr((void *)(uintptr_t)&cass_settings_get, &info) != 0 && info.dli_fname != NULL) {
        char *path = realpath(info.dli_fname, NULL);
        char *end = path != NULL ? strstr(path, inside) : NULL;
        if (end != NULL) {
            *end = '\0';
            return path;
        }
        free(path);
    }
    return kept(CASS_BUILD_ROOT);
}

static char *cache_path(const cass_settings *settings) {
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int length = -1;
    if (strcmp(settings->cache, "0") == 0) return kept("");
    if (settings->cache_dir[0] == '/') return kept(settings->cache_dir);
    if (base != NULL && base[0] == '/') length = asprintf(&path, "%s/cass", base);
    else if (home != NULL && home[0] == '/') length = asprintf(&path, "%s/.cache/cass", home);
    return length >= 0 ? path : kept("");
}

static void hash_text(cass_sha256 *hash, const char *text) {
    uint32_t length = (uint32_t)strlen(text);
    cass_sha256_add(hash, &length, sizeof length);
    cass_sha256_add(hash, text, length);
}

/* Source: model/config.py, daemon_name(); runtime directory: daemon/runtime.py. */
static void socket_paths(cass_settings *settings) {
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    cass_sha256 hash;
    uint8_t digest[32];
    char name[17];
    cass_sha256_start(&hash);
    hash_text(&hash, settings->root);
#define X(field, variable, fallback, scope)                                                        \
    if (scope == DAEMON) hash_text(&hash, settings->field);
    CASS_SETTINGS(X)
#undef X
    hash_text(&hash, settings->cache_path); /* another HOME: another cache, so another daemon */
    cass_sha256_end(&hash, digest);
    cass_hex(name, digest, 8);
    char *path = settings->runtime_path;
    if (settings->runtime_dir[0] == '/') {
        if (strlen(settings->runtime_dir) < CASS_RUNTIME_PATH_LIMIT)
            strcpy(path, settings->runtime_dir);
    } else if (runtime != NULL && runtime[0] == '/' && access(runtime, W_OK | X_OK) == 0 &&
               strlen(runtime) + sizeof "/cass" <= CASS_RUNTIME_PATH_LIMIT)
        sprintf(path, "%s/cass", runtime);
    else sprintf(path, "/tmp/cass-%u", geteuid());
    snprintf(settings->socket_path, sizeof settings->socket_path, "%s/%s", settings->runtime_path,
             name);
}

/* Whether `name` is the first of the names in `list`. Source: model/config.py, translator_order. */
static bool leads(const char *list, const char *name) {
    size_t skipped = strspn(list, " ,"), length = strlen(name);
    return strncmp(list + skipped, name, length) == 0 &&
           strchr(" ,", list[skipped + length]) != NULL;
}

/* The daemon's working directory is not the program's. */
static const char *absolute(const char *path) {
    char *longer = NULL, *here = NULL;
    if (path[0] == '\0' || path[0] == '/' || (here = getcwd(NULL, 0)) == NULL) return path;
    int length = asprintf(&longer, "%s/%s", here, path);
    free(here);
    return length >= 0 ? longer : path;
}

static void read_settings(cass_settings *settings) {
#define X(field, variable, fallback, scope) settings->field = kept(value_of(variable, fallback));
    CASS_SETTINGS(X)
#undef X
    settings->keep = absolute(settings->keep);
    settings->capture_dir = absolute(settings->capture_dir);
    settings->root = package_root();
    settings->options = request_options(settings);
    settings->cache_path = cache_path(settings);
    settings->wish =
        (cass_wish){atoi(settings->prefer_sm), leads(settings->translators, "ptx-hip")};
    settings->timeout_s = atof(settings->timeout);
    if (!(settings->timeout_s > 0.0 && settings->timeout_s < 1e6)) settings->timeout_s = 120.0;
    double limit_mib = atof(settings->capture_limit);
    if (!(limit_mib >= 0.0 &&
          limit_mib * (1 << 20) < CASS_REQUEST_LIMIT / 2)) /* the rest: the frame */
        limit_mib = CASS_REQUEST_LIMIT / 2 / (1 << 20);
    settings->capture_bytes = (uint64_t)(limit_mib * (1 << 20));
    settings->captures_weak = strcmp(settings->capture, CASS_CAPTURE_WEAK) == 0;
    settings->captures = (strcmp(settings->capture, "0") != 0 && !settings->captures_weak) ||
                         settings->capture_dir[0] != '\0' ||
                         strcmp(settings->min_evidence, "E3") == 0;
    socket_paths(settings);
}

const cass_settings *cass_settings_get(void) {
    static cass_settings settings;
    static bool known;
    if (!known) { /* under the client's lock */
        read_settings(&settings);
        known = true;
    }
    return &settings;
}
