/* Asks the daemon, and copes when it is gone: once more with a new one, then with a translator of
 * our own. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client/internal.h"

/* The connection. A forked child finds another pid and leaves it alone. */
static struct {
    int fd;
    pid_t pid;
    bool is_inline;
} connection = {.fd = -1};

static uint32_t kernels_known, kernels_done;

void cass_request_count_kernels(uint32_t count) { kernels_known += count; }

static void drop_connection(void) {
    if (connection.fd >= 0 && connection.pid == getpid()) close(connection.fd);
    connection.fd = -1;
}

void cass_request_forget(void) { drop_connection(); }

/* Attempts 0 to 2: the daemon, first over the connection that is open, last after a pause, since a
 * daemon that dies may still take connections for a moment. Attempt 3: our own translator. */
enum { LAST_DAEMON_ATTEMPT = 2, INLINE_ATTEMPT = 3, PAUSE_MS = 30 };

static int connect_for(int attempt, int64_t deadline_ns) {
    const cass_settings *settings = cass_settings_get();
    if (connection.fd >= 0 && connection.pid == getpid()) return CASS_IO_OK;
    bool use_inline = attempt >= INLINE_ATTEMPT || strcmp(settings->daemon, "0") == 0;
    int fd = use_inline ? cass_spawn_inline(settings) : cass_spawn_daemon(settings, deadline_ns);
    if (fd < 0) return fd;
    connection.fd = fd;
    connection.pid = getpid();
    connection.is_inline = use_inline;
    return CASS_IO_OK;
}

typedef struct {
    const char *what;
    bool shown;
} progress;

/* One line on a terminal, rewritten in place; nothing anywhere else. */
static void show_progress(void *context) {
    progress *state = context;
    char line[128];
    if (state->what == NULL || strcmp(cass_settings_get()->quiet, "0") != 0 || !isatty(2)) return;
    int size = snprintf(line, sizeof line, "\r\033[Kcass: translating %u/%u kernels (%.60s)",
                        kernels_done + 1, kernels_known, state->what);
    state->shown = write(2, line, (size_t)size) >= 0;
}

static void end_progress(const progress *state) {
    if (state->shown && write(2, "\r\033[K", 4) < 0) return;
}

typedef struct {
    const void *parts[8];
    size_t sizes[8];
    int count;
} message;

static int exchange(message *request, cass_reply *reply, uint8_t **body, int64_t deadline_ns,
                    progress *state) {
    int done = cass_transport_send(connection.fd, request->parts, request->sizes, request->count,
                                   deadline_ns);
    if (done == CASS_IO_OK)
        done =
            cass_transport_receive(connection.fd, reply, body, deadline_ns, show_progress, state);
    if (done == CASS_IO_OK && reply->status == CASS_STATUS_VERSION) {
        free(*body);
        return CASS_IO_VERSION;
    }
    return done;
}

static int fail_asking(int done, bool reached, const char *what, cass_client_error *error) {
    const cass_settings *settings = cass_settings_get();
    const char *python = cass_spawn_interpreter(settings);
    if (done == CASS_IO_LATE)
        return cass_fail(error, CASS_CUDA_UNKNOWN,
                         "no answer from the translator within %.0f s (CASS_TIMEOUT)",
                         settings->timeout_s);
    if (done == CASS_IO_VERSION)
        return cass_fail(error, CASS_CUDA_UNKNOWN,
                         "the native parts and the Python of cass-shim are of different versions; "
                         "run `cd %s && %s -m cass_shim.native.build`, or install it anew",
                         settings->root, python);
    return cass_fail(error, CASS_CUDA_UNKNOWN, "the translator (%s) %s%s%s; run `cass doctor`",
                     python, reached ? "ended before it answered" : "cannot be started",
                     what != NULL ? ", at kernel " : "", what != NULL ? what : "");
}

int cass_request_fits(uint64_t bytes, cass_client_error *error) {
    if (bytes <= CASS_REQUEST_LIMIT) return 1;
    cass_fail(error, CASS_CUDA_UNKNOWN,
              "the device code has %llu bytes, more than the %u that the translator takes at once; "
              "build it for fewer GPU architectures or in several modules",
              (unsigned long long)bytes, CASS_REQUEST_LIMIT);
    return 0;
}

/* One request and its reply, over as many connections as it takes. */
static int ask(message *request, cass_reply *reply, uint8_t **body, progress *state,
               int64_t deadline_ns, cass_client_error *error) {
    const cass_frame *frame = request->parts[0];
    static bool outdated; /* our own translator is of another version: so it stays */
    int done = outdated ? CASS_IO_VERSION : CASS_IO_LOST;
    bool reached = false;
    if (!cass_request_fits(frame->payload_bytes, error)) return -1;
    for (int attempt = 0; attempt <= INLINE_ATTEMPT && done != CASS_IO_LATE && !outdated;
         attempt++) {
        done = connect_for(attempt, deadline_ns);
        reached = done == CASS_IO_OK;
        if (reached) done = exchange(request, reply, body, deadline_ns, state);
        if (done == CASS_IO_OK) break;
        outdated = done == CASS_IO_VERSION && connection.is_inline;
        drop_connection();
        /* another version or another user's: only our own will do */
        if ((done == CASS_IO_BAD || done == CASS_IO_VERSION) && attempt < LAST_DAEMON_ATTEMPT)
            attempt = LAST_DAEMON_ATTEMPT;
        if (attempt + 1 == LAST_DAEMON_ATTEMPT)
            nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000}, NULL);
    }
    end_progress(state);
    return done == CASS_IO_OK ? 0 : fail_asking(done, reached, state->what, error);
}

static int64_t deadline(void) {
    return cass_now_ns() + (int64_t)(cass_settings_get()->timeout_s * 1e9);
}

static cass_frame frame_of(uint16_t kind, const message *request) {
    cass_frame head = {.magic = CASS_FRAME_MAGIC, .version = CASS_WIRE_VERSION, .kind = kind};
    for (int i = 1; i < request->count; i++) head.payload_bytes += request->sizes[i];
    return head;
}

/* The reply's file, or its message as the error. Takes `body` over. */
static int accept(const cass_reply *reply, uint8_t *body, const char *magic, uint32_t version,
                  cass_file *out, cass_client_error *error) {
    if (reply->status == CASS_STATUS_OK) {
        if (cass_file_is_sound(body, (size_t)reply->body_bytes, magic, version)) {
            *out = (cass_file){.bytes = body, .size = (size_t)reply->body_bytes};
            return 0;
        }
        cass_fail(error, CASS_CUDA_UNKNOWN, "the translator's answer is damaged");
    } else
        cass_fail(error, reply->cuda_error != 0 ? (int)reply->cuda_error : CASS_CUDA_UNKNOWN, "%s",
                  (const char *)body);
    free(body);
    return -1;
}

static int send_module(const cass_chosen *chosen, const uint8_t digest[32], int64_t until,
                       cass_file *out, cass_client_error *error) {
    const char *options = cass_settings_get()->options;
    cass_module_request head = {.entry_offset = chosen->entry_offset,
                                .region_bytes = chosen->region_bytes,
                                .options_bytes = (uint32_t)strlen(options)};
    memcpy(head.module, digest, sizeof head.module);
    cass_frame frame;
    message request = {.parts = {&frame, &head, options, chosen->region},
                       .sizes = {sizeof frame, sizeof head, strlen(options), chosen->region_bytes},
                       .count = 4};
    frame = frame_of(CASS_FRAME_MODULE, &request);
    cass_reply reply;
    uint8_t *body = NULL;
    progress state = {0};
    if (ask(&request, &reply, &body, &state, until, error) != 0) return -1;
    return accept(&reply, body, CASS_MANIFEST_MAGIC, CASS_MANIFEST_VERSION, out, error);
}

int cass_request_module(const cass_chosen *chosen, const uint8_t digest[32], cass_file *out,
                        cass_client_error *error) {
    return send_module(chosen, digest, deadline(), out, error);
}

int cass_request_link(const void *payload, size_t bytes, cass_file *out, cass_client_error *error) {
    cass_frame frame;
    message request = {.parts = {&frame, payload}, .sizes = {sizeof frame, bytes}, .count = 2};
    frame = frame_of(CASS_FRAME_LINK, &request);
    cass_reply reply;
    uint8_t *body = NULL;
    progress state = {0};
    if (ask(&request, &reply, &body, &state, deadline(), error) != 0) return -1;
    return accept(&reply, body, CASS_LINKED_MAGIC, CASS_LINKED_VERSION, out, error);
}

static void add_part(message *request, const void *part, size_t size) {
    request->parts[request->count] = part;
    request->sizes[request->count++] = size;
}

/* The rows and the bytes of a captured launch's memory in one block, which the caller frees. NULL:
 * out of memory. */
static uint8_t *captured_memory(const cass_captured *launch, cass_capture_head *head,
                                size_t *bytes) {
    size_t rows = launch->range_count * sizeof(cass_capture_range);
    for (uint32_t i = 0; i < launch->range_count; i++) head->memory_bytes += launch->ranges[i].size;
    *bytes = rows + (size_t)head->memory_bytes;
    uint8_t *block = malloc(*bytes ? *bytes : 1), *at = block ? block + rows : NULL;
    for (uint32_t i = 0; block != NULL && i < launch->range_count; i++) {
        const cass_captured_range *range = &launch->ranges[i];
        cass_capture_range row = {
            .address = range->address, .size = range->size, .image = range->image};
        memcpy(block + i * sizeof row, &row, sizeof row);
        memcpy(at, range->content, (size_t)range->size);
        at += range->size;
    }
    return block;
}

static cass_capture_head capture_head(const cass_captured *launch, size_t request_bytes,
                                      uint32_t params_bytes) {
    return (cass_capture_head){
        .request_bytes = (uint32_t)request_bytes,
        .params_bytes = params_bytes,
        .range_count = launch->range_count,
        .flags = launch->cooperative ? CASS_CAPTURE_COOPERATIVE : 0,
        .grid_x = launch->grid[0],
        .grid_y = launch->grid[1],
        .grid_z = launch->grid[2],
        .block_x = launch->block[0],
        .block_y = launch->block[1],
        .block_z = launch->block[2],
        .shared_bytes = launch->shared_bytes,
    };
}

/* Asks for a kernel, and gives the module again where the daemon does not know it. */
static int ask_for_kernel(const cass_module *module, message *request, const char *name,
                          cass_file *out, cass_client_error *error) {
    int64_t until = deadline();
    progress state = {.what = name};
    /* A daemon that restarts between the two requests may need the module more than once. */
    for (int resends = 0; resends < 3; resends++) {
        cass_reply reply;
        uint8_t *body = NULL;
        cass_file again = {0};
        if (ask(request, &reply, &body, &state, until, error) != 0) return -1;
        if (reply.status != CASS_STATUS_NEED_MODULE) {
            kernels_done++;
            return accept(&reply, body, CASS_ENTRY_MAGIC, CASS_ENTRY_VERSION, out, error);
        }
        free(body);
        if (send_module(&module->chosen, module->manifest.digest, until, &again, error) != 0)
            return -1;
        cass_file_release(&again);
    }
    return cass_fail(error, CASS_CUDA_UNKNOWN, "the translator keeps forgetting the module of %s",
                     name);
}

int cass_request_kernel(const cass_module *module, uint32_t kernel, int spilled,
                        const cass_captured *launch, cass_file *out, cass_client_error *error) {
    const cass_kernel_info *info = &module->kernels[kernel];
    const char *options = cass_settings_get()->options, *name = info->name;
    const char *more = spilled ? CASS_SPILLED_OPTION : "";
    cass_kernel_request head = {.options_bytes = (uint32_t)(strlen(options) + strlen(more)),
                                .name_bytes = (uint32_t)strlen(name)};
    memcpy(head.module, module->manifest.digest, sizeof head.module);
    cass_frame frame;
    cass_capture_head captured = {0};
    uint8_t *memory = NULL;
    size_t memory_bytes = 0, request_bytes = sizeof head + head.options_bytes + strlen(name);
    message request = {0};
    add_part(&request, &frame, sizeof frame);
    if (launch != NULL) {
        captured = capture_head(launch, request_bytes, info->params_bytes);
        memory = captured_memory(launch, &captured, &memory_bytes);
        if (memory == NULL) return cass_fail(error, 2, "out of memory for a captured launch");
        add_part(&request, &captured, sizeof captured);
    }
    add_part(&request, &head, sizeof head);
    add_part(&request, options, strlen(options));
    add_part(&request, more, strlen(more));
    add_part(&request, name, strlen(name));
    if (launch != NULL) {
        add_part(&request, launch->params, info->params_bytes);
        add_part(&request, memory, memory_bytes);
    }
    frame = frame_of(launch != NULL ? CASS_FRAME_CAPTURE : CASS_FRAME_KERNEL, &request);
    int done = ask_for_kernel(module, &request, name, out, error);
    free(memory);
    return done;
}
