/* Slow path of the generated entry points: refusals after fork, tracing, stubs, and the rows they
 * describe. */
#ifndef CASS_TRACE_H
#define CASS_TRACE_H

#include <stdint.h>

#include "shim/call.h"

/* How an argument is shown; the letter is in cass_row.arguments, which reads "kind:name kind:name
 * ...". */
typedef union {
    uint64_t bits;
    double number;
    uint32_t dims[4];
} cass_value;

typedef struct {
    const char *name;
    const char *arguments;
    char result; /* 'r' cudaError_t, 'c' CUresult, 'p' pointer, 's' string, 'v' nothing, 'u' number
                  */
    uint8_t driver; /* errors are CUresult */
} cass_row;

typedef struct {
    const char *name;
    uint32_t count;
    const struct cass_enumerator {
        int32_t value;
        const char *name;
    } *values;
} cass_enum;

extern const cass_row cass_rows[];
extern const uint32_t cass_row_count;
extern const cass_enum cass_enums[];

typedef struct {
    uint32_t row;
    uint64_t start_ns;
} cass_traced;

/* Reads CASS_TRACE ("1", "calls", "stats", "calls,stats") and CASS_TRACE_FILE from the environment
 * given, which is the constructor's: before libc's own constructors getenv() may see nothing. */
void cass_trace_setup(char **environment);

/* 1 when a forked child of an initialised parent must not go on with this call. */
int cass_gate_refuses(void);
void cass_trace_begin(cass_traced *call, uint32_t row);
void cass_trace_end(const cass_traced *call, const cass_value *values, uint64_t result);

/* A call failed: a line for the error log (driver/log.h). */
void cass_log_failure(uint32_t row, int result);

/* Counts a call of a row without body, names it on stderr the first time, returns 801 (not
 * supported). */
int cass_stub(uint32_t row);
/* The same for a name in no row (an object built by a CUDA newer than the table). */
int cass_stub_unknown(const char *name);

#endif
