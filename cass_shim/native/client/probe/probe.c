/* A client for tests and for a person at a terminal: asks for the modules and kernels in files,
 * prints what it got.
 *
 *   cass-probe [--paths] [--no-kernels] [--pause FD] FILE...     FILE: a fatbinary region, a cubin
 * or PTX text
 *
 * --paths: only where the socket and the cache are. --sha256: the digest of FILE by both block
 * functions.
 * --pause FD: between module and kernels, one byte is read from FD. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/client.h"
#include "client/internal.h"

static void *read_whole(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (file == NULL || fstat(fileno(file), &status) != 0) return NULL;
    *size = (size_t)status.st_size;
    char *bytes = malloc(*size + 1);
    if (bytes != NULL && fread(bytes, 1, *size, file) != *size) {
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    return bytes;
}

static bool timing;

static void show_time(const char *what, int64_t began_ns) {
    if (timing) fprintf(stderr, "%s %.1f us\n", what, (double)(cass_now_ns() - began_ns) / 1e3);
}

static int show_failure(const char *what, const cass_client_error *error) {
    printf("%s failed %d: %s\n", what, error->cuda_error, error->message);
    return 1;
}

static void show_manifest(const cass_manifest *manifest) {
    char hex[65];
    cass_hex(hex, manifest->digest, 32);
    printf("module %s kernels %u images %u variables %u relocations %u\n", hex,
           manifest->kernel_count, manifest->image_count, manifest->variable_count,
           manifest->relocation_count);
    for (uint32_t i = 0; i < manifest->image_count; i++)
        printf("image %u kind %u size %llu align %u %s\n", i, manifest->images[i].kind,
               (unsigned long long)manifest->images[i].size, manifest->images[i].align,
               manifest->images[i].content != NULL ? "content" : "zero");
    for (uint32_t i = 0; i < manifest->variable_count; i++)
        printf("variable %s image %u offset %llu size %llu\n", manifest->variables[i].name,
               manifest->variables[i].image, (unsigned long long)manifest->variables[i].offset,
               (unsigned long long)manifest->variables[i].size);
    for (uint32_t i = 0; i < manifest->kernel_count; i++)
        printf("kernel %s sm %u params %u bytes %u shared %u\n", manifest->kernels[i].name,
               manifest->kernels[i].sm, manifest->kernels[i].param_count,
               manifest->kernels[i].params_bytes, manifest->kernels[i].shared_bytes);
}

static int show_kernels(const cass_manifest *manifest) {
    cass_client_error error;
    int failed = 0;
    for (uint32_t i = 0; i < manifest->kernel_count; i++) {
        const cass_code *code;
        int64_t began_ns = cass_now_ns();
        int done = cass_client_kernel(manifest, i, &code, &error);
        show_time("kernel", began_ns);
        if (done != 0) {
            failed |= show_failure(manifest->kernels[i].name, &error);
            continue;
        }
        cass_client_note_evidence(manifest, i, code);
        char hex[65];
        uint8_t digest[32];
        cass_sha256_of(code->code, code->code_bytes, digest);
        cass_hex(hex, digest, 32);
        printf("code %s symbol %s route %s evidence %u abi %u bindings %u slots %u bytes %zu "
               "sha256 %s\n",
               manifest->kernels[i].name, code->symbol, code->route, code->evidence, code->abi,
               code->bindings_offset, code->slot_count, code->code_bytes, hex);
    }
    return failed;
}

static int show_sha256(const char *path) {
    size_t size;
    uint8_t *bytes = read_whole(path, &size), digest[32];
    char hex[65];
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    cass_sha256 hash;
    if (bytes == NULL) return 1;
    cass_sha256_of(bytes, size, digest);
    cass_hex(hex, digest, 32);
    puts(hex);
    cass_sha256_start(&hash);
    cass_sha256_add(&hash, bytes, size / 64 * 64);
    cass_sha256_portable(state, bytes, size / 64);
    puts(memcmp(state, hash.state, sizeof state) == 0 ? "same" : "different");
    free(bytes);
    return 0;
}

static int show_file(const char *path, bool kernels, int pause_fd) {
    size_t size = 0;
    const cass_manifest *manifest;
    cass_client_error error;
    char byte;
    void *bytes = read_whole(path, &size);
    if (bytes == NULL) {
        printf("%s cannot be read\n", path);
        return 1;
    }
    int64_t began_ns = cass_now_ns();
    int done = cass_client_module(bytes, size, &manifest, &error);
    show_time("module", began_ns);
    free(bytes); /* the client keeps what it needs */
    if (done != 0) return show_failure("module", &error);
    show_manifest(manifest);
    fflush(stdout);
    if (pause_fd >= 0 && read(pause_fd, &byte, 1) < 0) return 1;
    return kernels ? show_kernels(manifest) : 0;
}

int main(int count, char **arguments) {
    int failed = 0, pause_fd = -1;
    bool kernels = true;
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--paths") == 0) {
            const cass_settings *settings = cass_settings_get();
            printf("socket %s\ncache %s\nroot %s\noptions %s", settings->socket_path,
                   settings->cache_path, settings->root, settings->options);
        } else if (strcmp(arguments[i], "--no-kernels") == 0) kernels = false;
        else if (strcmp(arguments[i], "--time") == 0) timing = true;
        else if (strcmp(arguments[i], "--pause") == 0 && i + 1 < count)
            pause_fd = atoi(arguments[++i]);
        else if (strcmp(arguments[i], "--sha256") == 0 && i + 1 < count)
            failed |= show_sha256(arguments[++i]);
        else failed |= show_file(arguments[i], kernels, pause_fd);
    }
    cass_client_close();
    return failed;
}
