/* Look-ups over the generated name tables. */
#include "shim/names.h"

#include <string.h>

#include "api/entries.h"
#include "shim/call.h"

/* First index in cass_names whose name is not below `name`. */
static uint32_t first_named(const char *name) {
    uint32_t low = 0, high = cass_name_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (strcmp(cass_names[middle].name, name) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

void *cass_entry_named(const char *name, uint32_t version) {
    const cass_name *best = NULL;
    for (uint32_t at = first_named(name); at < cass_name_count; at++) {
        const cass_name *row = &cass_names[at];
        if (strcmp(row->name, name) != 0) break;
        if (!best || row->driver || row->since <= version) best = row;
    }
    return best ? cass_entry_table[best->entry] : NULL;
}

uint32_t cass_name_since(const char *name) {
    uint32_t at = first_named(name);
    return at < cass_name_count && strcmp(cass_names[at].name, name) == 0 ? cass_names[at].since
                                                                          : 0;
}

static uint32_t first_proc(const char *name) {
    uint32_t low = 0, high = cass_proc_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (strcmp(cass_procs[middle].name, name) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

void *cass_proc_lookup(const char *name, int version, int per_thread, int *status) {
    const cass_proc *best = NULL;
    int known = 0;
    for (uint32_t at = name ? first_proc(name) : cass_proc_count; at < cass_proc_count; at++) {
        const cass_proc *row = &cass_procs[at];
        if (strcmp(row->name, name) != 0) break;
        if (!row->implemented || (row->per_thread && !per_thread)) continue;
        known = 1;
        if (version < 0 || row->since > (uint32_t)version) continue;
        best = row; /* rows are sorted by version, a version's per-thread form last */
    }
    if (status)
        *status = best    ? CU_GET_PROC_ADDRESS_SUCCESS
                  : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                          : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return best ? cass_entry_table[best->entry] : NULL;
}
