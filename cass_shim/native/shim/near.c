/* Machine code of the redirections (System V ABI: r10 and r11 carry no argument). */
#include "shim/near.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim/trace.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define PAGE ((uintptr_t)4096)
/* Room kept below 2 GiB for the length of the area and of the object itself. */
#define REACH ((uintptr_t)0x7ff00000)

/* Tries addresses on both sides of the object, 1 MiB apart at first and then further. */
int cass_near_map(cass_near *area, uintptr_t low, uintptr_t high, size_t count) {
    size_t bytes = (count * CASS_TRAMPOLINE_BYTES + PAGE - 1) & ~(PAGE - 1);
    for (uintptr_t distance = 0x10000; distance < REACH - (high - low);
         distance += distance / 4 + 0x10000) {
        uintptr_t tries[2] = {(high + distance) & ~(PAGE - 1),
                              (low - distance - bytes) & ~(PAGE - 1)};
        for (int side = 0; side < 2; side++) {
            if (side == 1 && distance + bytes + 0x10000 > low) continue;
            void *want = (void *)tries[side];
            int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
            void *got = mmap(want, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
            if (got == want) {
                *area = (cass_near){.code = got, .bytes = bytes, .used = 0};
                return 0;
            }
            if (got != MAP_FAILED)
                munmap(got, bytes); /* a kernel before 4.17 takes the address as a hint */
        }
    }
    errno = ENOMEM;
    return -1;
}

static uint8_t *put(uint8_t *at, const void *bytes, size_t count) {
    memcpy(at, bytes, count);
    return at + count;
}

static uint8_t *put_pointer(uint8_t *at, const void *pointer) {
    uint64_t value = (uint64_t)(uintptr_t)pointer;
    return put(at, &value, sizeof value);
}

void *cass_near_entry(cass_near *area, const cass_caller *caller, const void *entry) {
    uint8_t *start = area->code + area->used, *at = start;
    intptr_t slot = (intptr_t)&cass_current_call.caller - (intptr_t)__builtin_thread_pointer();
    int32_t offset = (int32_t)slot; /* static TLS lies just below the thread pointer */
    area->used += CASS_TRAMPOLINE_BYTES;
    at = put(at, "\x49\xbb", 2); /* movabs $caller, %r11 */
    at = put_pointer(at, caller);
    at = put(at, "\x64\x4c\x89\x1c\x25", 5); /* mov %r11, %fs:offset */
    at = put(at, &offset, sizeof offset);
    at = put(at, "\xff\x25\0\0\0\0", 6); /* jmp *0(%rip) */
    put_pointer(at, entry);
    return start;
}

void *cass_near_unknown(cass_near *area, const char *name) {
    uint8_t *start = area->code + area->used, *at = start;
    area->used += CASS_TRAMPOLINE_BYTES;
    at = put(at, "\x48\xbf", 2); /* movabs $name, %rdi */
    at = put_pointer(at, name);
    at = put(at, "\xff\x25\0\0\0\0", 6); /* jmp *0(%rip) */
    put_pointer(at, (const void *)cass_stub_unknown);
    return start;
}

void *cass_near_plain(cass_near *area, const void *target) {
    uint8_t *start = area->code + area->used;
    area->used += CASS_TRAMPOLINE_BYTES;
    put_pointer(put(start, "\xff\x25\0\0\0\0", 6), target); /* jmp *0(%rip) */
    return start;
}

int cass_near_seal(const cass_near *area) {
    return mprotect(area->code, area->bytes, PROT_READ | PROT_EXEC);
}

void cass_near_unmap(cass_near *area) {
    if (area->code) munmap(area->code, area->bytes);
    *area = (cass_near){0};
}

uint8_t *cass_jump_site(uintptr_t function) {
    uint8_t *code = (uint8_t *)function;
    return memcmp(code, "\xf3\x0f\x1e\xfa", CASS_ENDBR_BYTES) == 0 ? code + CASS_ENDBR_BYTES : code;
}

void cass_jump_write(uint8_t *site, const void *target) {
    int32_t distance = (int32_t)((intptr_t)target - (intptr_t)(site + CASS_JUMP_BYTES));
    site[0] = 0xe9;
    memcpy(site + 1, &distance, sizeof distance);
}
