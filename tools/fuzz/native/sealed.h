/* Files of the local cache with a right seal around whatever the fuzzer writes, and readers that
 * touch every byte that the views lead to. */
#ifndef CASS_FUZZ_SEALED_H
#define CASS_FUZZ_SEALED_H

#include "client/internal.h"

/* A file of header and body; bytes NULL when memory is out. */
cass_file sealed_file(const char *magic, uint32_t version, const uint8_t *body, size_t size);
void touch_manifest(const cass_manifest *manifest);
void touch_code(const cass_code *code);

#endif
