/* Which addresses of the reserved range are free (memory_addresses.h). */
#include "emulator/memory_addresses.h"
#include "emulator/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define QUARANTINE_BYTES (1ull << 30)
#define COMMIT_STEP (64ull << 20)
typedef struct {
    uint64_t base, span;
} extent;

typedef struct {
    extent *items;
    size_t count, capacity;
} extent_list;

static extent_list idle;       /* reusable, sorted, coalesced */
static extent_list quarantine; /* freed lately, in order: a stale pointer faults for a while */
static size_t oldest;          /* its first entry that still rests */
static uint64_t quarantined_bytes;
static uint64_t next_unused = EMU_PAGE; /* offset of the first address never handed out */
static uint64_t committed; /* offset up to which pages are readable and writable by the host */

static uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) & ~(unit - 1); }

static bool list_room(extent_list *list) {
    if (list->count < list->capacity) return true;
    size_t wanted = list->capacity ? list->capacity * 2 : 64;
    extent *grown = realloc(list->items, wanted * sizeof *grown);
    if (!grown) return false;
    list->items = grown;
    list->capacity = wanted;
    return true;
}

/* Moves one extent to the idle list and joins it with its neighbours. */
static void make_idle(extent one) {
    size_t at = 0;
    while (at < idle.count && idle.items[at].base < one.base) at++;
    if (at > 0 && idle.items[at - 1].base + idle.items[at - 1].span == one.base) {
        idle.items[--at].span += one.span;
    } else {
        if (!list_room(&idle)) return; /* the addresses are lost, nothing else */
        memmove(idle.items + at + 1, idle.items + at, (idle.count - at) * sizeof *idle.items);
        idle.items[at] = one;
        idle.count++;
    }
    if (at + 1 < idle.count &&
        idle.items[at].base + idle.items[at].span == idle.items[at + 1].base) {
        idle.items[at].span += idle.items[at + 1].span;
        memmove(idle.items + at + 1, idle.items + at + 2,
                (idle.count - at - 2) * sizeof *idle.items);
        idle.count--;
    }
}

void emu_addresses_give(uint64_t offset, uint64_t span) {
    if (!list_room(&quarantine)) return;
    quarantine.items[quarantine.count++] = (extent){offset, span};
    quarantined_bytes += span;
    while (quarantined_bytes > QUARANTINE_BYTES && oldest < quarantine.count) {
        quarantined_bytes -= quarantine.items[oldest].span;
        make_idle(quarantine.items[oldest++]);
    }
    if (oldest < 1024 || oldest * 2 < quarantine.count) return;
    quarantine.count -=
        oldest; /* the front is spent: close the gap, rarely enough to cost nothing */
    memmove(quarantine.items, quarantine.items + oldest,
            quarantine.count * sizeof *quarantine.items);
    oldest = 0;
}

static bool commit_to(uint64_t end) {
    if (end <= committed) return true;
    uint64_t target = round_up(end, COMMIT_STEP);
    if (target > emu_space.size) target = emu_space.size;
    /* under RLIMIT_DATA a whole step may be too much where what is asked for is not */
    if (mprotect(emu_space.base + committed, target - committed, PROT_READ | PROT_WRITE) != 0) {
        target = end;
        if (mprotect(emu_space.base + committed, target - committed, PROT_READ | PROT_WRITE) != 0)
            return false;
    }
    committed = target;
    return true;
}

static bool take_fresh(uint64_t span, uint64_t align, uint64_t *offset) {
    uint64_t start = round_up(next_unused, align);
    if (start > emu_space.size || emu_space.size - start < span || !commit_to(start + span))
        return false;
    next_unused = start + span;
    *offset = start;
    return true;
}

static bool take_idle(uint64_t span, uint64_t align, uint64_t *offset) {
    for (size_t i = 0; i < idle.count; i++) {
        extent *one = &idle.items[i];
        uint64_t start = round_up(one->base, align), skipped = start - one->base;
        if (one->span < skipped || one->span - skipped < span) continue;
        extent after = {start + span, one->span - skipped - span};
        one->span = skipped;
        if (skipped == 0) {
            memmove(one, one + 1, (idle.count - i - 1) * sizeof *one);
            idle.count--;
        }
        if (after.span) make_idle(after);
        *offset = start;
        return true;
    }
    return false;
}

bool emu_addresses_take(uint64_t span, uint64_t align, uint64_t *offset) {
    if (emu_config.check) return take_fresh(span, align, offset) || take_idle(span, align, offset);
    return take_idle(span, align, offset) || take_fresh(span, align, offset);
}
