/* What the library gives to translated code, and the entry that it gets back. */
#ifndef CASS_EMU_NATIVE_SERVICES_H
#define CASS_EMU_NATIVE_SERVICES_H

#include <stdint.h>

typedef uint32_t native_lanes[32] __attribute__((aligned(128)));

/* One width of access: its bytes, and whether what is loaded keeps its sign. */
#define ACCESS(bytes, is_signed) ((bytes) | (is_signed) << 8)

/* A workgroup's LDS, and an instruction's offset in it. */
typedef struct {
    uint8_t *base;
    uint32_t bytes, offset;
} native_lds;

/* access.c, for each build. upper: the addresses' high words, NULL where `low` are offsets from
 * `base`. They return 0 where some active lane may not, and have done nothing. */
typedef struct native_access {
    int (*global_read)(native_lanes *r, const native_lanes *low, const native_lanes *upper,
                       uint64_t base, uint32_t exec, unsigned kind);
    int (*global_write)(const native_lanes *x, const native_lanes *low, const native_lanes *upper,
                        uint64_t base, uint32_t exec, unsigned bytes, unsigned shift);
    int (*lds_read)(native_lanes *r, native_lds lds, const native_lanes *address, uint32_t exec,
                    unsigned kind);
    int (*lds_write)(const native_lanes *x, native_lds lds, const native_lanes *address,
                     uint32_t exec, unsigned bytes, unsigned shift);
    int (*lds_add)(const native_lanes *x, native_lds lds, const native_lanes *address,
                   uint32_t exec);
} native_access;

typedef struct {
    double (*ldexp)(double x, int n);
    double (*exp2)(double x);
    double (*log2)(double x);
    double (*sin)(double x);
    double (*cos)(double x);
    native_access access;
} native_services;

/* A point where translated code can be entered: an instruction's byte offset in the program, and
 * its record in the unit. */
typedef struct {
    uint32_t pc, record;
} native_entry;

#endif
