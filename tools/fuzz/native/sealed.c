/* See sealed.h. */
#include "fuzz/native/sealed.h"

#include <stdlib.h>
#include <string.h>

static volatile uint64_t sink;

static void touch(const void *bytes, uint64_t size) {
    uint8_t digest[32];
    cass_sha256_of(bytes, size, digest);
    sink += digest[0];
}

cass_file sealed_file(const char *magic, uint32_t version, const uint8_t *body, size_t size) {
    cass_file_header header = {.version = version, .file_bytes = sizeof header + size};
    cass_file file = {.size = sizeof header + size};
    /* aligned as mmap and transport.c give it, and of exactly its size */
    if (posix_memalign((void **)&file.bytes, 64, file.size) != 0) return (cass_file){0};
    memcpy(header.magic, magic, sizeof header.magic);
    cass_sha256_of(body, size, header.sha256);
    memcpy(file.bytes, &header, sizeof header);
    if (size != 0) memcpy(file.bytes + sizeof header, body, size);
    return file;
}

void touch_manifest(const cass_manifest *manifest) {
    for (uint32_t i = 0; i < manifest->kernel_count; i++) {
        const cass_kernel_info *one = &manifest->kernels[i];
        sink += strlen(one->name) + one->key[31];
        for (uint32_t k = 0; k < one->param_count; k++)
            if ((uint64_t)one->params[k].offset + one->params[k].size > one->params_bytes) abort();
    }
    for (uint32_t i = 0; i < manifest->image_count; i++)
        if (manifest->images[i].content != NULL)
            touch(manifest->images[i].content, manifest->images[i].size);
    for (uint32_t i = 0; i < manifest->variable_count; i++) {
        sink += strlen(manifest->variables[i].name);
        if (manifest->variables[i].image >= manifest->image_count) abort();
    }
    for (uint32_t i = 0; i < manifest->relocation_count; i++) {
        const cass_image_relocation *one = &manifest->relocations[i];
        if (one->offset + 8 > manifest->images[one->image].size) abort();
        if (one->kind == 0) sink += strlen(manifest->variables[one->variable].name);
    }
}

void touch_code(const cass_code *code) {
    touch(code->code, code->code_bytes);
    sink += strlen(code->symbol) + strlen(code->route);
    for (uint32_t i = 0; i < code->slot_count; i++) sink += strlen(code->slots[i].symbol);
}
