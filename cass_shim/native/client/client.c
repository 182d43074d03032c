/* The client's two questions: a module's manifest and a kernel's code. */
#include "client/client.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/internal.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cass_module *modules; /* newest first; memoised by digest */

int cass_fail(cass_client_error *error, int cuda_error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    error->cuda_error = cuda_error;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return -1;
}

void cass_client_note(const char *format, ...) {
    char line[512] = "cass: ";
    va_list arguments;
    if (strcmp(cass_settings_get()->quiet, "0") != 0) return;
    va_start(arguments, format);
    vsnprintf(line + 6, sizeof line - 7, format, arguments);
    va_end(arguments);
    size_t size = strlen(line);
    line[size++] = '\n';
    if (write(2, line, size) < 0) return;
}

static cass_module *find_module(const uint8_t digest[32]) {
    for (cass_module *module = modules; module != NULL; module = module->next)
        if (memcmp(module->manifest.digest, digest, 32) == 0) return module;
    return NULL;
}

/* The manifest's file from the cache, or from the daemon. */
static int fetch_manifest(cass_module *module, const uint8_t digest[32], cass_client_error *error) {
    cass_file file;
    if (cass_cache_load("modules", digest, CASS_MANIFEST_EXTENSION, CASS_MANIFEST_MAGIC,
                        CASS_MANIFEST_VERSION, &file)) {
        if (cass_format_manifest(file, digest, module) == 0) return 0;
        cass_file_release(&file);
    }
    if (cass_request_module(&module->chosen, digest, &file, error) != 0) return -1;
    if (cass_format_manifest(file, digest, module) == 0) return 0;
    cass_file_release(&file);
    return cass_fail(error, CASS_CUDA_UNKNOWN, "the translator's manifest does not hold together");
}

static int load_module(const void *region, size_t region_bytes, const cass_manifest **out,
                       cass_client_error *error) {
    cass_chosen chosen = {0};
    uint8_t digest[32];
    if (cass_fatbin_choose(region, region_bytes, &cass_settings_get()->wish, &chosen, error) != 0)
        return -1;
    cass_sha256_of(chosen.stored, chosen.stored_bytes, digest);
    cass_module *module = find_module(digest);
    if (module != NULL) {
        free(chosen.region);
        *out = &module->manifest;
        return 0;
    }
    module = calloc(1, sizeof *module);
    if (module == NULL) {
        free(chosen.region);
        return cass_fail(error, 2, "out of memory");
    }
    module->chosen = chosen;
    if (fetch_manifest(module, digest, error) != 0) {
        free(chosen.region);
        free(module);
        return -1;
    }
    cass_request_count_kernels(module->manifest.kernel_count);
    module->next = modules;
    modules = module;
    *out = &module->manifest;
    return 0;
}

/* Architecture decision 6. */
void cass_client_note_evidence(const cass_manifest *manifest, uint32_t kernel,
                               const cass_code *code) {
    cass_code_node *node = (cass_code_node *)(uintptr_t)code; /* the code is its first member */
    pthread_mutex_lock(&lock);
    bool is_noted = node->is_noted;
    node->is_noted = true;
    pthread_mutex_unlock(&lock);
    if (!is_noted && code->evidence < CASS_EVIDENCE_E1U)
        cass_client_note("kernel %s runs with evidence %s only (route %s)%s",
                         manifest->kernels[kernel].name,
                         code->evidence >= CASS_EVIDENCE_E0 ? "E0" : "none", code->route,
                         code->is_disputed
                             ? ": on a first launch its results differed from the original's, with "
                               "no time to tell whether that is a fault"
                             : "");
}

/* The entry of a record key from the local cache; false on a miss or a damaged file. */
static bool cached_code(const uint8_t key[32], cass_code_node *node) {
    cass_file file;
    if (!cass_cache_load("code", key, CASS_ENTRY_EXTENSION, CASS_ENTRY_MAGIC, CASS_ENTRY_VERSION,
                         &file))
        return false;
    if (cass_format_entry(file, key, node) == 0) return true;
    cass_file_release(&file);
    return false;
}

/* The record key of one of a kernel's two codes. Source: cache/key.py, spilled_key(). */
static void key_of(const cass_kernel_info *kernel, int spilled, uint8_t key[32]) {
    static const char text[] = "spilled";
    const uint32_t sizes[] = {sizeof kernel->key, sizeof text - 1};
    cass_sha256 hash;
    if (!spilled) {
        memcpy(key, kernel->key, sizeof kernel->key);
        return;
    }
    cass_sha256_start(&hash);
    cass_sha256_add(&hash, &sizes[0], sizeof sizes[0]);
    cass_sha256_add(&hash, kernel->key, sizeof kernel->key);
    cass_sha256_add(&hash, &sizes[1], sizeof sizes[1]);
    cass_sha256_add(&hash, text, sizeof text - 1);
    cass_sha256_end(&hash, key);
}

static cass_code_node **slot_of(const cass_module *module, uint32_t kernel, int spilled) {
    return &module->codes[2 * kernel + (spilled != 0)];
}

static int load_code(cass_module *module, uint32_t kernel, int spilled, const cass_captured *launch,
                     const cass_code **out, cass_client_error *error) {
    const cass_kernel_info *info = &module->kernels[kernel];
    cass_code_node *node = calloc(1, sizeof *node);
    cass_file file;
    uint8_t key[32];
    key_of(info, spilled, key);
    if (node == NULL) return cass_fail(error, 2, "out of memory");
    bool keep = cass_settings_get()->keep[0] != '\0'; /* artifacts need a translation */
    bool done = !keep && launch == NULL && cached_code(key, node);
    if (!done && cass_request_kernel(module, kernel, spilled, launch, &file, error) == 0) {
        done = cass_format_entry(file, key, node) == 0;
        if (!done) {
            cass_file_release(&file);
            cass_fail(error, CASS_CUDA_UNKNOWN,
                      "the translator's answer for %s does not hold together", info->name);
        }
    }
    if (!done) {
        free(node);
        return -1;
    }
    node->before = *slot_of(module, kernel, spilled);
    *slot_of(module, kernel, spilled) = node;
    *out = &node->code;
    return 0;
}

int cass_client_module(const void *region, size_t region_bytes, const cass_manifest **out,
                       cass_client_error *error) {
    int saved = errno;
    pthread_mutex_lock(&lock);
    int done = load_module(region, region_bytes, out, error);
    pthread_mutex_unlock(&lock);
    errno = saved;
    return done;
}

int cass_client_kernel(const cass_manifest *manifest, uint32_t kernel, const cass_code **out,
                       cass_client_error *error) {
    return cass_client_kernel_for(manifest, kernel, 0, NULL, out, error);
}

int cass_client_kernel_for(const cass_manifest *manifest, uint32_t kernel, int spilled,
                           const cass_captured *launch, const cass_code **out,
                           cass_client_error *error) {
    int saved = errno, done = 0;
    /* The manifest is the first member of its module. */
    cass_module *module = (cass_module *)(uintptr_t)manifest;
    if (kernel >= manifest->kernel_count)
        return cass_fail(error, 98, "kernel number %u of a module with %u", kernel,
                         manifest->kernel_count);
    pthread_mutex_lock(&lock);
    const cass_code_node *known = *slot_of(module, kernel, spilled);
    if (known != NULL) *out = &known->code;
    else done = load_code(module, kernel, spilled, launch, out, error);
    pthread_mutex_unlock(&lock);
    errno = saved;
    return done;
}

/* The evidence of the code that the cache holds under this key; CASS_EVIDENCE_NONE where there is
 * none. */
static uint32_t cached_evidence(const uint8_t key[32]) {
    cass_code_node *node = calloc(1, sizeof *node);
    if (node == NULL || !cached_code(key, node)) {
        free(node);
        return CASS_EVIDENCE_NONE;
    }
    uint32_t evidence = node->code.evidence;
    cass_format_release_code(node);
    return evidence;
}

int cass_client_wants_launch(const cass_manifest *manifest, uint32_t kernel, int spilled) {
    int saved = errno;
    const cass_module *module = (const cass_module *)(uintptr_t)manifest;
    uint8_t key[32];
    pthread_mutex_lock(&lock);
    const cass_settings *settings = cass_settings_get();
    bool wanted = settings->captures && kernel < manifest->kernel_count &&
                  *slot_of(module, kernel, spilled) == NULL;
    if (wanted && settings->capture_dir[0] == '\0') {
        key_of(&manifest->kernels[kernel], spilled, key);
        wanted = cached_evidence(key) < CASS_EVIDENCE_E3;
    }
    pthread_mutex_unlock(&lock);
    errno = saved;
    return wanted;
}

int cass_client_wants_judging(const cass_code *code) {
    pthread_mutex_lock(&lock);
    bool wanted = cass_settings_get()->captures_weak && code->launch_may_tell;
    pthread_mutex_unlock(&lock);
    return wanted;
}

int cass_client_judge(const cass_manifest *manifest, uint32_t kernel, int spilled,
                      const cass_captured *launch, const cass_code **out,
                      cass_client_error *error) {
    int saved = errno, done = 0;
    cass_module *module = (cass_module *)(uintptr_t)manifest;
    pthread_mutex_lock(&lock);
    const cass_code_node *known = *slot_of(module, kernel, spilled);
    /* another thread may have been here */
    if (known != NULL && !known->code.launch_may_tell) *out = &known->code;
    else done = load_code(module, kernel, spilled, launch, out, error);
    pthread_mutex_unlock(&lock);
    errno = saved;
    if (done == 0 || error->cuda_error == CASS_CUDA_NO_KERNEL_IMAGE_FOR_DEVICE) return done;
    cass_client_note("%s", error->message);
    return 0;
}

static size_t link_bytes(const cass_link_input *inputs, uint32_t count) {
    size_t bytes = sizeof(cass_link_request);
    for (uint32_t i = 0; i < count; i++)
        bytes += sizeof(cass_link_input_head) + strlen(inputs[i].name) + inputs[i].bytes;
    return bytes;
}

/* The LINK frame's payload, which the caller frees. Source: model/wire.py. */
static uint8_t *link_payload(const cass_link_input *inputs, uint32_t count, size_t bytes) {
    uint8_t *payload = malloc(bytes), *at = payload;
    if (payload == NULL) return NULL;
    memcpy(at, &(cass_link_request){.input_count = count}, sizeof(cass_link_request));
    at += sizeof(cass_link_request);
    for (uint32_t i = 0; i < count; i++) {
        cass_link_input_head head = {.kind = inputs[i].kind,
                                     .name_bytes = (uint32_t)strlen(inputs[i].name),
                                     .content_bytes = inputs[i].bytes};
        memcpy(at, &head, sizeof head);
        memcpy(at + sizeof head, inputs[i].name, head.name_bytes);
        memcpy(at + sizeof head + head.name_bytes, inputs[i].content, inputs[i].bytes);
        at += sizeof head + head.name_bytes + inputs[i].bytes;
    }
    return payload;
}

/* What stands behind the file's header and the head of an answer. */
static int take_linked(cass_file file, cass_link_result *out, cass_client_error *error) {
    cass_linked head;
    size_t start = sizeof(cass_file_header) + sizeof head;
    if (file.size < start)
        return cass_fail(error, CASS_CUDA_UNKNOWN, "the linker's answer is too short");
    memcpy(&head, file.bytes + sizeof(cass_file_header), sizeof head);
    size_t bytes = file.size - start;
    if (head.cubin_bytes > bytes || head.names_bytes > bytes - head.cubin_bytes)
        return cass_fail(error, CASS_CUDA_UNKNOWN, "the linker's answer does not add up");
    char *copy = calloc(1, bytes + 1);
    if (copy == NULL) return cass_fail(error, 2, "out of memory for a linked image");
    memcpy(copy, file.bytes + start, bytes);
    size_t texts_at = (size_t)(head.cubin_bytes + head.names_bytes);
    *out = (cass_link_result){copy,
                              copy,
                              copy + head.cubin_bytes,
                              copy + texts_at,
                              (size_t)head.cubin_bytes,
                              (size_t)head.names_bytes,
                              bytes - texts_at};
    return 0;
}

int cass_client_link(const cass_link_input *inputs, uint32_t count, cass_link_result *out,
                     cass_client_error *error) {
    int saved = errno;
    size_t payload_bytes = link_bytes(inputs, count);
    cass_file file = {0};
    if (!cass_request_fits(payload_bytes, error)) return -1;
    uint8_t *payload = link_payload(inputs, count, payload_bytes);
    if (payload == NULL) return cass_fail(error, 2, "out of memory for %u images", count);
    pthread_mutex_lock(&lock);
    int done = cass_request_link(payload, payload_bytes, &file, error);
    pthread_mutex_unlock(&lock);
    free(payload);
    if (done == 0) done = take_linked(file, out, error);
    cass_file_release(&file);
    errno = saved;
    return done;
}

uint64_t cass_client_capture_limit(void) {
    pthread_mutex_lock(&lock);
    uint64_t limit = cass_settings_get()->capture_bytes;
    pthread_mutex_unlock(&lock);
    return limit;
}

int cass_client_spills(void) {
    /* The answer plus one: launches ask, and translations hold the lock. */
    static _Atomic int known;
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer) return answer - 1;
    pthread_mutex_lock(&lock);
    int spills = strcmp(cass_settings_get()->shared, "spill") == 0;
    pthread_mutex_unlock(&lock);
    atomic_store_explicit(&known, spills + 1, memory_order_relaxed);
    return spills;
}

int cass_client_holds(const uint8_t key[32]) {
    int saved = errno;
    cass_code_node *node = calloc(1, sizeof *node);
    bool held = node != NULL && cached_code(key, node);
    if (held) cass_format_release_code(node);
    else free(node);
    errno = saved;
    return held;
}

void cass_client_close(void) {
    pthread_mutex_lock(&lock);
    cass_request_forget();
    while (modules != NULL) {
        cass_module *module = modules;
        modules = module->next;
        cass_format_release_module(module);
        free(module->chosen.region);
        free(module);
    }
    pthread_mutex_unlock(&lock);
}

/* In a forked child another thread may have held the lock; what is known stays valid and readable.
 */
void cass_client_forget(void) {
    pthread_mutex_init(&lock, NULL);
    cass_request_forget();
}
