/* Jumps: near trampolines and the 5-byte redirection of a function to one of them.
 *
 * Nothing here is thread-safe: callers hold the loader's lock or run before any thread exists. */
#ifndef CASS_NEAR_H
#define CASS_NEAR_H

#include <stddef.h>
#include <stdint.h>

#include "shim/call.h"

enum { CASS_TRAMPOLINE_BYTES = 40, CASS_JUMP_BYTES = 5, CASS_ENDBR_BYTES = 4 };

typedef struct {
    uint8_t *code;
    size_t bytes, used;
} cass_near;

/* Maps room for `count` trampolines within 2 GiB of [low, high). 0, or -1 with errno. */
int cass_near_map(cass_near *area, uintptr_t low, uintptr_t high, size_t count);
/* A trampoline that notes `caller` as this thread's and jumps to `entry`. */
void *cass_near_entry(cass_near *area, const cass_caller *caller, const void *entry);
/* A trampoline that calls cass_stub_unknown(name); `name` must outlive it. */
void *cass_near_unknown(cass_near *area, const char *name);
/* A trampoline that only jumps. */
void *cass_near_plain(cass_near *area, const void *target);
/* Makes the trampolines executable and no longer writable. 0, or -1 with errno. */
int cass_near_seal(const cass_near *area);
void cass_near_unmap(cass_near *area);

/* Where the jump goes: behind an endbr64, which indirect calls may need. */
uint8_t *cass_jump_site(uintptr_t function);
/* Writes the jump; the page must be writable. */
void cass_jump_write(uint8_t *site, const void *target);

#endif
