/* A traced call as text. */
#ifndef CASS_TRACE_FORMAT_H
#define CASS_TRACE_FORMAT_H

#include "shim/trace.h"

/* A bounded piece of text under construction; what does not fit is cut off. */
typedef struct {
    char *at, *end;
} cass_text;

void cass_text_add(cass_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* `name(argument=value, ...) = result`. Values behind out-pointers are read after the call, and
 * safely: a wild pointer of the program's shows as such. */
void cass_text_call(cass_text *text, const cass_row *row, const cass_value *values,
                    uint64_t result);

#endif
