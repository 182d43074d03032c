/* Which registers an instruction names. In: a decoded record. Out: what it reads, what it may
 * write, and which of that it always writes as a whole, for native_live.c. */
#ifndef CASS_EMU_NATIVE_NAMES_H
#define CASS_EMU_NATIVE_NAMES_H

#include "emulator/decode.h"

#define NAMES_MAX 8

typedef struct {
    uint16_t first, count;
    uint8_t scalar;
    uint8_t whole; /* read: inactive lanes too; written: every (active) lane of every register */
} native_range;

enum { EXEC_KEPT, EXEC_NARROWED, EXEC_CHANGED };

typedef struct {
    native_range reads[NAMES_MAX], writes[NAMES_MAX];
    unsigned read_count, write_count;
    unsigned exec;  /* EXEC_*; a DPP record's own mask does not count */
    int everything; /* not known: it may read any register */
} native_names;

/* VCC, M0, EXEC and SCC are left out: they count as read and written everywhere. */
void native_names_of(const op_t *o, native_names *names);

#endif
