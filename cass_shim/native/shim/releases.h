/* Recorded builds of libcudart_static.a (cass_shim/api/cudart), for programs without symbols. */
#ifndef CASS_RELEASES_H
#define CASS_RELEASES_H

#include <stdint.h>

typedef struct {
    uint32_t offset, length; /* in the archive's .text */
    uint64_t prefix,
        digest;            /* FNV-1a of the first 16 bytes, and of all with masked bytes as zero */
    const uint16_t *masks; /* pairs: first byte, end */
    uint32_t mask_count;
} cass_anchor;

typedef struct {
    const char *name;
    uint32_t version, entry_count;
    cass_anchor anchors[2];
    const struct cass_release_entry {
        const char *name;
        uint32_t offset;
        uint32_t start; /* low half of FNV-1a of its first 16 bytes; 0: linking changes them */
    } *entries;         /* by offset */
} cass_release;

extern const cass_release cass_releases[];
extern const uint32_t cass_release_count;

#endif
