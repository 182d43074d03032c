/* Which addresses of the reserved range are free, as offsets from its start. The memory lock is
 * held by the caller. */
#ifndef CASS_EMU_MEMORY_ADDRESSES_H
#define CASS_EMU_MEMORY_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

/* Addresses for `span` bytes: fresh ones, or once much has been freed, the lowest that fit; in
 * checking mode fresh ones as long as there are any. False: none are left, or the host refuses to
 * back them. */
bool emu_addresses_take(uint64_t span, uint64_t align, uint64_t *offset);
/* Gives addresses back; they rest for a while before they are handed out again, so that a stale
 * pointer faults. */
void emu_addresses_give(uint64_t offset, uint64_t span);

#endif
