/* Finds the gfx1100 code object inside what a program hands over: a plain ELF, an offload bundle, a
 * compressed one. Source: clang's OffloadBundler documentation ("Bundled Binary File Layout",
 * "Compressed Offload Bundle"). */
#include "emulator/hip_module.h"
#include "emulator/memory.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define MAX_IMAGE (1ull << 30)
static const char BUNDLE[] = "__CLANG_OFFLOAD_BUNDLE__";

static uint64_t u64_at(const uint8_t *p) {
    uint64_t value;
    memcpy(&value, p, 8);
    return value;
}

static uint32_t u32_at(const uint8_t *p) {
    uint32_t value;
    memcpy(&value, p, 4);
    return value;
}

/* Whether a bundle entry's target runs here: "hip…-amdgcn-amd-amdhsa--gfx1100", features after a
 * colon. */
static bool runs_here(const char *triple, uint64_t length) {
    static const char *const chips[] = {"gfx1100", "gfx11-generic"};
    const char *colon = memchr(triple, ':', length);
    uint64_t end = colon ? (uint64_t)(colon - triple) : length;
    if (length < 3 || memcmp(triple, "hip", 3)) return false;
    for (size_t i = 0; i < 2; i++) {
        uint64_t chip = strlen(chips[i]);
        if (end > chip && !memcmp(triple + end - chip, chips[i], chip) &&
            triple[end - chip - 1] == '-')
            return true;
    }
    return false;
}

static bool select_entry(emu_view image, emu_view *chosen, hipError_t *error) {
    uint64_t at = sizeof BUNDLE - 1, count = 0;
    if (image.bytes >= at + 8) count = u64_at(image.data + at);
    at += 8;
    for (uint64_t i = 0; i < count; i++) {
        if (image.bytes < at || image.bytes - at < 24) break;
        uint64_t offset = u64_at(image.data + at), bytes = u64_at(image.data + at + 8);
        uint64_t name = u64_at(image.data + at + 16);
        at += 24;
        if (name > image.bytes - at || offset > image.bytes || bytes > image.bytes - offset) break;
        if (bytes && runs_here((const char *)image.data + at, name)) {
            *chosen = (emu_view){image.data + offset, bytes};
            return true;
        }
        at += name;
        if (i + 1 == count) {
            *error = emu_fail(hipErrorNoBinaryForGpu, "offload bundle has no entry for gfx1100");
            return false;
        }
    }
    *error = emu_fail(hipErrorInvalidImage,
                      "offload bundle: entry table at offset %llu is broken or empty",
                      (unsigned long long)at);
    return false;
}

/* Inflates with the machine's own libraries: the emulated device brings no decompressor of its own.
 */
static bool inflate_with(const char *library, bool zstd, emu_view packed, uint8_t *into,
                         uint64_t bytes) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return false;
    bool good = false;
    if (zstd) {
        size_t (*decompress)(void *, size_t, const void *, size_t);
        *(void **)&decompress = dlsym(handle, "ZSTD_decompress");
        good = decompress && decompress(into, bytes, packed.data, packed.bytes) == bytes;
    } else {
        int (*uncompress)(uint8_t *, unsigned long *, const uint8_t *, unsigned long);
        *(void **)&uncompress = dlsym(handle, "uncompress");
        unsigned long size = bytes;
        good =
            uncompress && uncompress(into, &size, packed.data, packed.bytes) == 0 && size == bytes;
    }
    dlclose(handle);
    return good;
}

/* "CCOB", u16 version, u16 method (0 zlib, 1 zstd), sizes by version, then the packed bundle. */
static bool unpack(emu_view image, emu_view *bundle, void **owned, hipError_t *error) {
    uint16_t version = 0, method = 0;
    uint64_t header = 0, bytes = 0;
    if (image.bytes >= 32) {
        memcpy(&version, image.data + 4, 2);
        memcpy(&method, image.data + 6, 2);
        header = version == 1 ? 20 : version == 2 ? 24 : version == 3 ? 32 : 0;
        bytes = version == 1   ? u32_at(image.data + 8)
                : version == 2 ? u32_at(image.data + 12)
                               : u64_at(image.data + 16);
    }
    if (!header || method > 1 || bytes == 0 || bytes > MAX_IMAGE) {
        *error = emu_fail(hipErrorInvalidImage, "compressed offload bundle: version %u, method %u",
                          version, method);
        return false;
    }
    uint8_t *plain = malloc(bytes);
    emu_view packed = {image.data + header, image.bytes - header};
    const char *library = method ? "libzstd.so.1" : "libz.so.1";
    if (!plain || !inflate_with(library, method == 1, packed, plain, bytes)) {
        free(plain);
        *error =
            emu_fail(hipErrorInvalidImage,
                     "compressed offload bundle: %s is missing or the data is broken", library);
        return false;
    }
    *owned = plain;
    *bundle = (emu_view){plain, bytes};
    return true;
}

bool emu_bundle_select(emu_view image, emu_view *chosen, void **owned, hipError_t *error) {
    *owned = NULL;
    *chosen = image;
    if (image.bytes >= 4 && memcmp(image.data, "CCOB", 4) == 0) {
        if (!unpack(image, chosen, owned, error)) return false;
        image = *chosen;
    }
    if (image.bytes < sizeof BUNDLE - 1 || memcmp(image.data, BUNDLE, sizeof BUNDLE - 1))
        return true;
    return select_entry(image, chosen, error);
}

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t elf_bytes(const void *image) {
    Elf64_Ehdr head;
    if (!emu_memory_copy(&head, image, sizeof head)) return 0;
    uint64_t bytes =
        larger(sizeof head, head.e_shoff + (uint64_t)head.e_shnum * sizeof(Elf64_Shdr));
    bytes = larger(bytes, head.e_phoff + (uint64_t)head.e_phnum * sizeof(Elf64_Phdr));
    for (unsigned i = 0; i < head.e_phnum; i++) {
        Elf64_Phdr segment;
        const uint8_t *at = (const uint8_t *)image + head.e_phoff + i * sizeof segment;
        if (head.e_phoff > MAX_IMAGE || !emu_memory_copy(&segment, at, sizeof segment)) return 0;
        bytes = larger(bytes, segment.p_offset + segment.p_filesz);
    }
    return bytes > MAX_IMAGE ? 0 : bytes;
}

static uint64_t bundle_bytes(const void *image) {
    uint8_t entry[24];
    uint64_t count, at = sizeof BUNDLE - 1 + 8, bytes = at;
    if (!emu_memory_copy(&count, (const uint8_t *)image + at - 8, 8) || count > 1024) return 0;
    for (uint64_t i = 0; i < count; i++) {
        if (at > MAX_IMAGE || !emu_memory_copy(entry, (const uint8_t *)image + at, sizeof entry))
            return 0;
        bytes = larger(bytes, u64_at(entry) + u64_at(entry + 8));
        at += 24 + u64_at(entry + 16);
    }
    bytes = larger(bytes, at);
    return bytes > MAX_IMAGE ? 0 : bytes;
}

uint64_t emu_image_bytes(const void *image) {
    uint8_t head[32] = {0};
    if (!emu_memory_copy(head, image, sizeof head)) return 0;
    if (memcmp(head, ELFMAG, SELFMAG) == 0) return elf_bytes(image);
    if (memcmp(head, BUNDLE, sizeof BUNDLE - 1) == 0) return bundle_bytes(image);
    if (memcmp(head, "CCOB", 4) == 0) {
        uint64_t bytes = head[4] == 2 ? u32_at(head + 8) : head[4] == 3 ? u64_at(head + 8) : 0;
        return bytes > MAX_IMAGE ? 0 : bytes;
    }
    return 0;
}
