/* What the library gives to translated code, and the entry that it gets back. */
#ifndef CASS_EMU_NATIVE_SERVICES_H
#define CASS_EMU_NATIVE_SERVICES_H

#include <stdint.h>

typedef struct {
    uint64_t (*rmw_plain)(unsigned operation, unsigned bytes, void *p, uint64_t a, uint64_t b);
    uint64_t (*rmw_atomic)(unsigned operation, unsigned bytes, void *p, uint64_t a, uint64_t b);
    uint64_t (*rmw_value)(unsigned operation, unsigned bytes, uint64_t old, uint64_t a, uint64_t b);
    int (*range_ok_slow)(uint64_t address, uint32_t bytes);
    double (*ldexp)(double x, int n);
    double (*exp2)(double x);
    double (*log2)(double x);
    double (*sin)(double x);
    double (*cos)(double x);
} native_services;

/* A point where translated code can be entered: an instruction's byte offset in the program, and
 * its record in the unit. */
typedef struct {
    uint32_t pc, record;
} native_entry;

#endif
