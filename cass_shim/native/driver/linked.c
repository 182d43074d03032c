/* Images of two halves: see linked.h. */
#include "driver/linked.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char MARK[] = "cass: two halves"; /* its 16 letters are written, not the zero behind */

typedef struct { /* the first three as in a fatbinary (client/fatbin.c) */
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* behind the header */
    char mark[16];
    uint64_t text_at;
} linked_head;

enum { REGION_MAGIC = 0xBA55ED50, REGION_VERSION = 1 };

void *cass_linked_pack(const void *cubin, size_t cubin_bytes, const char *text, size_t *bytes) {
    size_t text_bytes = strlen(text) + 1, all = cubin_bytes + text_bytes;
    linked_head head = {.magic = (uint32_t)REGION_MAGIC,
                        .version = REGION_VERSION,
                        .header_bytes = sizeof head,
                        .bytes = all,
                        .text_at = sizeof head + cubin_bytes};
    memcpy(head.mark, MARK, sizeof head.mark);
    char *image = malloc(sizeof head + all);
    if (!image) return NULL;
    memcpy(image, &head, sizeof head);
    memcpy(image + sizeof head, cubin, cubin_bytes);
    memcpy(image + head.text_at, text, text_bytes);
    *bytes = sizeof head + all;
    return image;
}

int cass_linked_parts(const void *image, const void **cubin, const char **text) {
    linked_head head;
    memcpy(&head, image, offsetof(linked_head, mark));
    if (head.magic != (uint32_t)REGION_MAGIC || head.header_bytes != sizeof head) return 0;
    memcpy(&head, image, sizeof head);
    if (memcmp(head.mark, MARK, sizeof head.mark)) return 0;
    *cubin = (const char *)image + sizeof head;
    *text = (const char *)image + head.text_at;
    return 1;
}
