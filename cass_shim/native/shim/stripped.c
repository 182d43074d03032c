/* A static cudart without symbols: its build is recognised by two functions of recorded hash at a
 * recorded distance, and every entry point lies at a recorded offset from them. */
#include <string.h>
#include <sys/mman.h>

#include "shim/redirect.h"
#include "shim/releases.h"

/* A string of every static runtime from 11.8 to 13.5; nothing else has reason to contain it. */
#define MARK "/cudart.shm.%x.%x.%llx"
/* nvcc leaves this in GPU code: the toolkit a program was built with. */
#define BUILD "Build cuda_"
#define FNV_START 0xcbf29ce484222325u
enum { PREFIX_BYTES = 16, ALIGNMENT = 16, BUILD_DIGITS = 48 };

static uint64_t fnv1a(uint64_t value, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) value = (value ^ bytes[i]) * 0x100000001b3u;
    return value;
}

/* FNV-1a with the masked bytes as zero. */
static uint64_t masked_hash(const cass_anchor *anchor, const uint8_t *code) {
    static const uint8_t zeros[16];
    uint64_t value = FNV_START;
    uint32_t at = 0;
    for (uint32_t i = 0; i < anchor->mask_count; i++) {
        uint32_t start = anchor->masks[2 * i], end = anchor->masks[2 * i + 1];
        value = fnv1a(value, code + at, start > at ? start - at : 0);
        for (uint32_t from = start > at ? start : at; from < end; from++)
            value = fnv1a(value, zeros, 1);
        at = end > at ? end : at;
    }
    return fnv1a(value, code + at, anchor->length - at);
}

static int anchor_is_at(const cass_anchor *anchor, const uint8_t *code, const uint8_t *end) {
    return code + anchor->length <= end && masked_hash(anchor, code) == anchor->digest;
}

/* Releases that differ little may share anchors and their distance: every entry point is looked at.
 */
static int entries_match(const cass_release *release, const uint8_t *text, const uint8_t *end) {
    for (uint32_t i = 0; i < release->entry_count; i++) {
        const uint8_t *code = text + release->entries[i].offset;
        if (code + PREFIX_BYTES > end) return 0;
        uint32_t start = (uint32_t)fnv1a(FNV_START, code, PREFIX_BYTES);
        if (release->entries[i].start && start != release->entries[i].start) return 0;
    }
    return 1;
}

/* The release whose .text starts so that both anchors match at `code`, and that start. */
static const cass_release *release_at(const uint8_t *code, const uint8_t *low, const uint8_t *end,
                                      uintptr_t *start) {
    uint64_t prefix = fnv1a(FNV_START, code, PREFIX_BYTES);
    for (uint32_t i = 0; i < cass_release_count; i++) {
        const cass_anchor *first = &cass_releases[i].anchors[0];
        const cass_anchor *second = &cass_releases[i].anchors[1];
        if (prefix != first->prefix || !anchor_is_at(first, code, end)) continue;
        if ((size_t)(code - low) < first->offset) continue;
        const uint8_t *text = code - first->offset;
        if (!anchor_is_at(second, text + second->offset, end) ||
            !entries_match(&cass_releases[i], text, end))
            continue;
        *start = (uintptr_t)text;
        return &cass_releases[i];
    }
    return NULL;
}

static const cass_release *recognise(const cass_object *object, uintptr_t *start) {
    uintptr_t low, high;
    for (size_t segment = 0; cass_object_text(object, segment, &low, &high) == 0; segment++) {
        const uint8_t *end = (const uint8_t *)high;
        const uint8_t *code =
            (const uint8_t *)((low + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
        for (; code + PREFIX_BYTES <= end; code += ALIGNMENT) {
            const cass_release *found = release_at(code, (const uint8_t *)low, end, start);
            if (found) return found;
        }
    }
    return NULL;
}

static const uint8_t *find(const cass_object *object, const char *section, const char *text) {
    const Elf64_Shdr *place = cass_object_section(object, section);
    const uint8_t *from = place ? object->file + place->sh_offset : object->file;
    return memmem(from, place ? place->sh_size : object->file_bytes, text, strlen(text));
}

/* Only programs and objects with GPU code are searched: reading every system library through would
 * cost more than loading it. */
static int has_static_runtime(const cass_object *object) {
    int program = strcmp(object->path, "/proc/self/exe") == 0;
    return (program || cass_object_section(object, ".nvFatBinSegment")) &&
           find(object, ".rodata", MARK);
}

static void complain(const cass_object *object) {
    const char *build = (const char *)find(object, ".nv_fatbin", BUILD);
    char shown[BUILD_DIGITS + 1] = "a toolkit that left no build string";
    size_t room = build ? object->file_bytes - (size_t)((const uint8_t *)build - object->file) : 0;
    for (size_t i = 0; i < BUILD_DIGITS && i < room && build[i] > ' ' - 1 && build[i] < 0x7f; i++)
        shown[i] = build[i], shown[i + 1] = 0;
    cass_warn("%s: stripped, with a static CUDA runtime whose entry points are not recorded (%s, "
              "%s); build "
              "it with -cudart shared or without strip",
              object->name, shown, "see tools/cudart_offsets.py");
}

int cass_stripped_find(const cass_object *object, cass_symbols *found, uint32_t *version) {
    uintptr_t start;
    if (!has_static_runtime(object)) return -1;
    const cass_release *release = recognise(object, &start);
    if (!release) {
        complain(object);
        return -2;
    }
    *found = (cass_symbols){.count = release->entry_count,
                            .bytes = (release->entry_count + 1) * sizeof(cass_symbol)};
    found->symbols =
        mmap(NULL, found->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (found->symbols == MAP_FAILED) {
        found->symbols = NULL;
        return -2;
    }
    for (uint32_t i = 0; i < release->entry_count; i++) {
        uint32_t next = i + 1 < release->entry_count ? release->entries[i + 1].offset
                                                     : release->entries[i].offset + 16;
        found->symbols[i] =
            (cass_symbol){release->entries[i].name, start + release->entries[i].offset,
                          next - release->entries[i].offset};
    }
    *version = release->version;
    return 0;
}
