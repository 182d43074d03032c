/* Look-ups over the generated tables: an exported name, or a cuGetProcAddress question, to its
 * entry. */
#ifndef CASS_NAMES_H
#define CASS_NAMES_H

#include <stdint.h>

typedef struct {
    const char *name;
    uint32_t since, until; /* CUDA versions */
    uint16_t entry;
    uint8_t implemented, driver;
} cass_name;

typedef struct {
    const char *name;
    uint32_t since;
    uint16_t per_thread, entry;
    uint8_t implemented;
} cass_proc;

extern const cass_name cass_names[]; /* sorted by name, then since */
extern const uint32_t cass_name_count;
extern const cass_proc cass_procs[]; /* sorted by name, since, per_thread */
extern const uint32_t cass_proc_count;

/* The entry of an exported name for callers built with this CUDA version; of several the newest
 * that it has, else the first it will get. NULL: no such name. */
void *cass_entry_named(const char *name, uint32_t version);
/* The CUDA version that brought a name; 0: no such name. */
uint32_t cass_name_since(const char *name);

#endif
