/* What the client's own files share. Lock order: there is one lock, in client.c; everything here is
 * called with it held, or touches no shared state. */
#ifndef CASS_CLIENT_INTERNAL_H
#define CASS_CLIENT_INTERNAL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cass_formats.h"
#include "cass_settings.h"
#include "client/client.h"

/* Fills *error and returns -1, so that a caller can return it. */
int cass_fail(cass_client_error *error, int cuda_error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes one line to stderr, unless CASS_QUIET; no stdio. */
void cass_client_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- sha256.c ------------------------------------------------------------------------------ */
typedef struct {
    uint32_t state[8];
    uint64_t total;
    uint8_t pending[64];
} cass_sha256;

void cass_sha256_start(cass_sha256 *hash);
void cass_sha256_add(cass_sha256 *hash, const void *bytes, size_t count);
void cass_sha256_end(cass_sha256 *hash, uint8_t digest[32]);
void cass_sha256_of(const void *bytes, size_t count, uint8_t digest[32]);
/* The portable block function, whatever the processor has; for the test that compares the two. */
void cass_sha256_portable(uint32_t state[8], const uint8_t *blocks, size_t count);
void cass_hex(char *text, const uint8_t *bytes, size_t count); /* 2 * count + 1 characters */

/* ---- settings.c ---------------------------------------------------------------------------- */
/* Which entry of a fatbinary should serve. */
typedef struct {
    int sm;       /* 0: no matter which */
    bool own_ptx; /* one with PTX of its generation, as what translates PTX needs */
} cass_wish;

typedef struct {
#define X(field, variable, fallback, scope) const char *field;
    CASS_SETTINGS(X)
#undef X
    char *options;    /* request-scoped settings that differ from their defaults, "NAME=value\n" */
    char *root;       /* folder that holds the package cass_shim */
    char *cache_path; /* "" when there is none */
    char runtime_path[CASS_RUNTIME_PATH_LIMIT];
    char socket_path[CASS_RUNTIME_PATH_LIMIT + 17]; /* less than the 108 of sun_path */
    double timeout_s;
    cass_wish wish;
    bool captures;          /* first launches are recorded */
    bool captures_weak;     /* those of kernels of which inputs told too little */
    uint64_t capture_bytes; /* of memory that one may hold */
} cass_settings;

/* Read once per process from its environment; lives as long as the process. Source:
 * model/config.py. */
const cass_settings *cass_settings_get(void);

/* ---- clock --------------------------------------------------------------------------------- */
int64_t cass_now_ns(void); /* CLOCK_MONOTONIC */

/* ---- fatbin.c ------------------------------------------------------------------------------ */
/* The entry to use, with what a translator needs beside it. `region` is a copy that this struct
 * owns: a fatbinary of the chosen entry and the best PTX entry, or the whole cubin or text. */
typedef struct {
    uint8_t *region;
    size_t region_bytes;
    uint64_t entry_offset; /* of the chosen entry's header in `region`; 0 for a raw cubin or text */
    const uint8_t *stored; /* the entry as stored, inside `region` */
    size_t stored_bytes;
} cass_chosen;

int cass_fatbin_choose(const void *region, size_t region_bytes, const cass_wish *wish,
                       cass_chosen *out, cass_client_error *error);

/* ---- cache.c ------------------------------------------------------------------------------- */
typedef struct {
    uint8_t *bytes;
    size_t size;
    bool mapped; /* else malloc'ed */
} cass_file;

/* A whole, checked file of the local cache. Returns false on a miss, whatever the reason. */
bool cass_cache_load(const char *kind, const uint8_t digest[32], const char *extension,
                     const char *magic, uint32_t version, cass_file *out);
/* Magic, version, size and SHA-256 of a file's header. */
bool cass_file_is_sound(const uint8_t *bytes, size_t size, const char *magic, uint32_t version);
void cass_file_release(cass_file *file);

/* ---- format.c ------------------------------------------------------------------------------ */
typedef struct cass_code_node {
    cass_code code; /* first: the caller holds a pointer to it */
    cass_file file;
    cass_slot *slots;
    struct cass_code_node *before; /* the one that a launch has told more of; it may be in use */
    bool is_noted;                 /* weak evidence was told */
} cass_code_node;

typedef struct cass_module {
    cass_manifest manifest; /* first: the caller holds a pointer to it */
    struct cass_module *next;
    cass_chosen chosen;
    cass_file file;
    cass_kernel_info *kernels;
    cass_image_info *images;
    cass_variable_info *variables;
    cass_code_node **codes; /* two per kernel, NULL until asked for; the second: spilled */
} cass_module;

/* Views over a sound file; the file is taken over when they succeed. -1: the tables do not hold
 * together. */
int cass_format_manifest(cass_file file, const uint8_t digest[32], cass_module *out);
int cass_format_entry(cass_file file, const uint8_t key[32], cass_code_node *out);
void cass_format_release_module(cass_module *module);
void cass_format_release_code(cass_code_node *node);

/* ---- transport.c --------------------------------------------------------------------------- */
enum cass_io {
    CASS_IO_OK = 0,
    CASS_IO_LOST = -1,
    CASS_IO_LATE = -2,
    CASS_IO_BAD = -3,    /* not ours, or damaged */
    CASS_IO_VERSION = -4 /* ours, of another version */
};

/* Called about every 300 ms while a reply is awaited. */
typedef void (*cass_waiting)(void *context);

int cass_transport_connect(const char *path,
                           int64_t deadline_ns); /* a descriptor, or enum cass_io */
int cass_transport_send(int fd, const void *const *parts, const size_t *sizes, int count,
                        int64_t deadline_ns);
/* One reply; *body is malloc'ed, *body_bytes long, NUL-terminated beyond that. */
int cass_transport_receive(int fd, cass_reply *reply, uint8_t **body, int64_t deadline_ns,
                           cass_waiting waiting, void *context);

/* ---- spawn.c ------------------------------------------------------------------------------- */
/* Makes the directory of the socket and checks whose it is. */
bool cass_spawn_runtime_ready(const cass_settings *settings);
/* The Python that runs the translator. */
const char *cass_spawn_interpreter(const cass_settings *settings);
/* A connection to the user's daemon, started when there is none; or enum cass_io. */
int cass_spawn_daemon(const cass_settings *settings, int64_t deadline_ns);
/* A connection to a translator of this process's own, which ends with the connection; or enum
 * cass_io. */
int cass_spawn_inline(const cass_settings *settings);

/* ---- request.c ----------------------------------------------------------------------------- */
int cass_request_module(const cass_chosen *chosen, const uint8_t digest[32], cass_file *out,
                        cass_client_error *error);
/* launch: the one that the code is wanted for, or NULL. */
int cass_request_kernel(const cass_module *module, uint32_t kernel, int spilled,
                        const cass_captured *launch, cass_file *out, cass_client_error *error);
/* Whether a request of so many bytes can be asked; else the error says what to do. */
int cass_request_fits(uint64_t bytes, cass_client_error *error);
int cass_request_link(const void *payload, size_t bytes, cass_file *out, cass_client_error *error);
void cass_request_forget(void);
/* What the progress line counts. */
void cass_request_count_kernels(uint32_t count);

#endif
