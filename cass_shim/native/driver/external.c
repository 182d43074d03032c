/* External memory and semaphores: see external.h. */
#include "driver/external.h"

enum { MEMORY_KINDS = 9, SEMAPHORE_KINDS = 10, DEDICATED = 1, TIMELINE = 9 };

int cass_external_memory(const void *out, int type, uint64_t bytes, unsigned flags) {
    static const int answers[MEMORY_KINDS + 1] = {
        INVALID_VALUE, UNKNOWN_ERROR, NOT_SUPPORTED, NOT_SUPPORTED, NOT_SUPPORTED,
        INVALID_VALUE, INVALID_VALUE, INVALID_VALUE, NOT_SUPPORTED, INVALID_VALUE};
    if (!out || type < 1 || type > MEMORY_KINDS || !bytes || flags & ~(unsigned)DEDICATED)
        return INVALID_VALUE;
    return answers[type];
}

int cass_external_semaphore(const void *out, int type, int descriptor, unsigned flags) {
    if (!out || type < 1 || type > SEMAPHORE_KINDS || flags) return INVALID_VALUE;
    if (type == TIMELINE) return descriptor < 0 ? INVALID_VALUE : UNKNOWN_ERROR;
    return type == 1 ? UNKNOWN_ERROR : NOT_SUPPORTED;
}
