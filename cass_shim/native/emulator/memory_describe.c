/* Words for an address that a lane should not have touched (memory.h). */
#include "emulator/hip_launch.h"
#include "emulator/memory.h"

#include <stdio.h>

#define NEAR_BYTES (1ull << 20)
#define CLOSE_BYTES (1ull << 12)

static const char *kind_name(emu_memory_kind kind) {
    switch (kind) {
    case EMU_MEMORY_HOST:
        return "pinned host";
    case EMU_MEMORY_MANAGED:
        return "managed";
    case EMU_MEMORY_ARRAY:
        return "array";
    case EMU_MEMORY_CODE:
        return "code object's";
    case EMU_MEMORY_INTERNAL:
        return "runtime's";
    default:
        return "device";
    }
}

/* What lies below the address: "" where nothing is near. */
static void describe_below(uint64_t address, uint64_t near, char *text, size_t bytes) {
    emu_block block;
    text[0] = 0;
    if (!emu_memory_below((const void *)address, &block)) return;
    uint64_t end = (uint64_t)block.base + block.bytes;
    if (address < end)
        snprintf(text, bytes, "in %s memory at %#llx, which may not be touched this way",
                 kind_name(block.kind), (unsigned long long)block.base);
    else if (address - end < near)
        snprintf(text, bytes, "%llu bytes past the end of %llu bytes of %s memory at %#llx",
                 (unsigned long long)(address - end), (unsigned long long)block.bytes,
                 kind_name(block.kind), (unsigned long long)block.base);
}

/* Freed memory; what has been given out there since may be what was meant, so that is told too. */
static void describe_freed(uint64_t address, const emu_block *freed, char *text, size_t bytes) {
    char below[160];
    describe_below(address, CLOSE_BYTES, below, sizeof below);
    snprintf(text, bytes, "inside %llu bytes of %s memory at %#llx that were freed%s%s",
             (unsigned long long)freed->bytes, kind_name(freed->kind),
             (unsigned long long)freed->base, below[0] ? ", and " : "", below);
}

void emu_memory_describe(uint64_t address, char *text, size_t bytes) {
    emu_block block;
    const void *at = (const void *)address;
    const char *unserved = emu_hidden_unserved(address);
    if (unserved) {
        snprintf(text, bytes, "%s", unserved);
    } else if (address < 65536) {
        snprintf(text, bytes, "a null pointer");
    } else if (!emu_memory_inside(at)) {
        snprintf(text, bytes,
                 "no device memory: a host pointer that was not registered, or a wild one");
    } else if (emu_memory_freed(at, &block) && !emu_memory_covers(at, 1)) {
        describe_freed(address, &block, text, bytes);
    } else {
        describe_below(address, NEAR_BYTES, text, bytes);
        if (!text[0]) snprintf(text, bytes, "no allocation is near");
    }
}
