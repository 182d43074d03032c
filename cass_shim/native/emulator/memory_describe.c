/* Words for an address that a lane should not have touched (memory.h). */
#include "emulator/hip_launch.h"
#include "emulator/memory.h"

#include <stdio.h>

#define NEAR_BYTES (1ull << 20)

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
        snprintf(text, bytes, "inside %llu bytes of %s memory at %#llx that were freed",
                 (unsigned long long)block.bytes, kind_name(block.kind),
                 (unsigned long long)block.base);
    } else if (emu_memory_below(at, &block) &&
               address - (uint64_t)block.base < block.bytes + NEAR_BYTES) {
        uint64_t end = (uint64_t)block.base + block.bytes;
        if (address < end)
            snprintf(text, bytes, "in %s memory at %#llx, which may not be touched this way",
                     kind_name(block.kind), (unsigned long long)block.base);
        else
            snprintf(text, bytes, "%llu bytes past the end of %llu bytes of %s memory at %#llx",
                     (unsigned long long)(address - end), (unsigned long long)block.bytes,
                     kind_name(block.kind), (unsigned long long)block.base);
    } else {
        snprintf(text, bytes, "no allocation is near");
    }
}
