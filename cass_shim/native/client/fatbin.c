/* Walks a fatbinary's headers and chooses the entry to run. Nothing is decompressed, no cubin is
 * parsed. */
#include <stdlib.h>
#include <string.h>

#include "client/internal.h"

/* Layout by inspection of nvcc 11.8 to 13.0 output; extract/fatbin.py reads the same in Python. */
enum { REGION_MAGIC = (int)0xBA55ED50u, REGION_HEADER = 16, ENTRY_HEADER = 64 };
enum { KIND_PTX = 1, KIND_ELF = 2 };

typedef struct {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t payload_bytes;
    uint32_t compressed_bytes, options;
    uint16_t minor, major;
    uint32_t sm;
} entry_head;

typedef struct {
    const uint8_t *at; /* NULL: none */
    entry_head head;
} entry;

static const uint32_t ORDER[] = {CASS_SM_ORDER};

enum { ORDERED = sizeof ORDER / sizeof ORDER[0], ALL = (1 << ORDERED) - 1 };

/* first: which of ORDER come before the others, a bit each. */
static uint32_t rank(uint32_t sm, int preferred_sm, unsigned first) {
    if (preferred_sm > 0 && sm == (uint32_t)preferred_sm) return 0;
    for (uint32_t i = 0; i < ORDERED; i++)
        if (ORDER[i] == sm) return (first >> i & 1 ? 1 : 1 + ORDERED) + i;
    return UINT32_MAX;
}

/* PTX for the generation of the SASS, else the closest below it, else the lowest. */
static bool better_ptx(uint32_t candidate, uint32_t best, uint32_t sm) {
    if ((candidate <= sm) != (best <= sm)) return candidate <= sm;
    return candidate <= sm ? candidate > best : candidate < best;
}

static bool read_entry(const uint8_t *at, const uint8_t *end, entry *out) {
    if ((size_t)(end - at) < ENTRY_HEADER) return false;
    memcpy(&out->head, at, sizeof out->head);
    out->at = at;
    uint64_t room = (uint64_t)(end - at);
    return out->head.header_bytes >= ENTRY_HEADER && out->head.header_bytes <= room &&
           out->head.payload_bytes <= room - out->head.header_bytes &&
           out->head.compressed_bytes <= out->head.payload_bytes;
}

static size_t entry_bytes(const entry *one) {
    return (size_t)(one->head.header_bytes + one->head.payload_bytes);
}

/* Generations of ORDER whose PTX is there. */
static unsigned with_ptx(const uint8_t *at, const uint8_t *end) {
    unsigned found = 0;
    entry one;
    for (; at < end && read_entry(at, end, &one); at += entry_bytes(&one))
        for (uint32_t i = 0; i < ORDERED; i++)
            if (one.head.kind == KIND_PTX && one.head.sm == ORDER[i]) found |= 1u << i;
    return found;
}

/* A fatbinary of the chosen entries, so that the rest of a large library is neither kept nor sent.
 */
static int copy_entries(const entry *chosen, const entry *ptx, cass_chosen *out,
                        cass_client_error *error) {
    size_t first = entry_bytes(chosen), second = ptx != NULL ? entry_bytes(ptx) : 0;
    uint32_t magic = (uint32_t)REGION_MAGIC;
    uint16_t version = 1, header = REGION_HEADER;
    uint64_t size = first + second;
    out->region_bytes = REGION_HEADER + first + second;
    out->region = malloc(out->region_bytes);
    if (out->region == NULL)
        return cass_fail(error, 2, "out of memory for a module of %zu bytes", out->region_bytes);
    memcpy(out->region, &magic, 4);
    memcpy(out->region + 4, &version, 2);
    memcpy(out->region + 6, &header, 2);
    memcpy(out->region + 8, &size, 8);
    memcpy(out->region + REGION_HEADER, chosen->at, first);
    if (ptx != NULL) memcpy(out->region + REGION_HEADER + first, ptx->at, second);
    out->entry_offset = REGION_HEADER;
    out->stored = out->region + REGION_HEADER + chosen->head.header_bytes;
    out->stored_bytes = chosen->head.compressed_bytes != 0 ? chosen->head.compressed_bytes
                                                           : (size_t)chosen->head.payload_bytes;
    return 0;
}

static int copy_whole(const void *image, size_t bytes, cass_chosen *out, cass_client_error *error) {
    out->region = malloc(bytes + 1);
    if (out->region == NULL)
        return cass_fail(error, 2, "out of memory for a module of %zu bytes", bytes);
    memcpy(out->region, image, bytes);
    out->region[bytes] = '\0';
    out->region_bytes = out->stored_bytes = bytes;
    out->entry_offset = 0;
    out->stored = out->region;
    return 0;
}

static int choose_entry(const uint8_t *region, size_t region_bytes, const cass_wish *wish,
                        cass_chosen *out, cass_client_error *error) {
    uint16_t header, version;
    uint64_t size;
    entry best = {0}, ptx = {0}, one;
    memcpy(&version, region + 4, 2);
    memcpy(&header, region + 6, 2);
    memcpy(&size, region + 8, 8);
    if (version != 1)
        return cass_fail(error, CASS_CUDA_INVALID_KERNEL_IMAGE, "fatbinary of unknown version %u",
                         version);
    if (header < REGION_HEADER || header > region_bytes || size > region_bytes - header)
        return cass_fail(error, CASS_CUDA_INVALID_KERNEL_IMAGE,
                         "fatbinary of %llu bytes is truncated", (unsigned long long)size);
    const uint8_t *at = region + header, *end = at + size;
    unsigned first = wish->own_ptx ? with_ptx(at, end) : ALL;
    for (; at < end; at += entry_bytes(&one)) {
        if (!read_entry(at, end, &one))
            return cass_fail(error, CASS_CUDA_INVALID_KERNEL_IMAGE,
                             "fatbinary entry at offset %zu does not fit", (size_t)(at - region));
        if (one.head.kind == KIND_ELF &&
            (best.at == NULL ||
             rank(one.head.sm, wish->sm, first) < rank(best.head.sm, wish->sm, first)))
            best = one;
    }
    bool usable = best.at != NULL && rank(best.head.sm, wish->sm, first) != UINT32_MAX;
    uint32_t wanted = usable ? best.head.sm : ORDER[0];
    for (at = region + header; at < end && read_entry(at, end, &one); at += entry_bytes(&one))
        if (one.head.kind == KIND_PTX &&
            (ptx.at == NULL || better_ptx(one.head.sm, ptx.head.sm, wanted)))
            ptx = one;
    if (!usable && ptx.at != NULL) return copy_entries(&ptx, NULL, out, error);
    if (best.at == NULL)
        return cass_fail(error, CASS_CUDA_NO_KERNEL_IMAGE_FOR_DEVICE,
                         "fatbinary holds neither SASS nor PTX");
    return copy_entries(&best, ptx.at != NULL ? &ptx : NULL, out, error);
}

int cass_fatbin_choose(const void *region, size_t region_bytes, const cass_wish *wish,
                       cass_chosen *out, cass_client_error *error) {
    uint32_t magic = 0;
    if (region == NULL || region_bytes < REGION_HEADER)
        return cass_fail(error, CASS_CUDA_INVALID_KERNEL_IMAGE, "module image of %zu bytes",
                         region_bytes);
    memcpy(&magic, region, sizeof magic);
    if (magic == (uint32_t)REGION_MAGIC)
        return choose_entry(region, region_bytes, wish, out, error);
    if (memcmp(region, "\177ELF", 4) == 0) return copy_whole(region, region_bytes, out, error);
    size_t text_bytes = strnlen(region, region_bytes);
    if (memmem(region, text_bytes, ".version", 8) != NULL)
        return copy_whole(region, text_bytes, out, error);
    return cass_fail(error, CASS_CUDA_INVALID_KERNEL_IMAGE,
                     "module image is no fatbinary, cubin or PTX (first bytes %08x)", magic);
}
