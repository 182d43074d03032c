/* What waves did to each dword of device memory, as far as a table of fixed size holds it: what
 * falls out of it is forgotten, so races are missed rather than invented. Records before and behind
 * memory instructions do the work, so that other modes pay nothing. */
#define EMU_SHARED
#include "emulator/memory_race.h"
#include "emulator/decode.h"
#include "emulator/lanes.h"
#include "emulator/memory_words.h"
#include "emulator/pending.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define PLACE_BITS 21 /* dwords that are known: 8 MiB */
#define PAGE_BITS 10  /* those that lie together */
#define FOUND_MAX 16
#define EVERY_BYTE 15u
#define WHOLE 31u /* a scalar load, which may want less */

typedef struct {
    uint64_t tick; /* what ordered anything before it */
    uint32_t group, pc;
    uint8_t wave, lane;
    uint8_t bytes; /* of the dword, a bit each, or WHOLE; 0: nothing */
} access_t;

/* Two reads are enough: one of them is not the writer's. */
typedef struct {
    uint64_t dword; /* its address over 4 */
    access_t write, reads[2];
    uint8_t orders; /* accessed by atomics, or past the caches */
    uint8_t told;
} place_t;

struct memory_race {
    pthread_mutex_t lock;
    uint64_t tick;
    unsigned count;
    struct {
        uint64_t dword;
        emu_fault fault;
    } found[FOUND_MAX];
    place_t places[1 << PLACE_BITS];
};

/* What a record does; in op_t.hi, with the form of the address. */
enum { READ, WRITE, MARK, ACQUIRE, MEET, SCALAR_ADDRESS = 16 };

static pthread_once_t read_once = PTHREAD_ONCE_INIT;
static int wanted;

/* Not where results come late: those records look at each other's instruction, and the inputs are
 * the verifier's own, which may race. */
static void read_setting(void) {
    wanted = emu_setting("CASS_EMU_CHECK", 0) > 1 && !emu_pending_wanted();
}

int emu_memory_races_wanted(void) {
    pthread_once(&read_once, read_setting);
    return wanted;
}

memory_race *emu_memory_race_create(void) {
    memory_race *race = calloc(1, sizeof *race);
    if (race) pthread_mutex_init(&race->lock, NULL);
    return race;
}

void emu_memory_race_destroy(memory_race *race) {
    if (race) pthread_mutex_destroy(&race->lock);
    free(race);
}

int emu_memory_race_found(const memory_race *race, emu_fault *fault) {
    if (!race || !race->count) return 0;
    *fault = race->found[0].fault;
    return 1;
}

/* ---- order ---- */
static void order(group_t *g, int among_groups) {
    memory_race *race = g->memory;
    pthread_mutex_lock(&race->lock);
    g->met = ++race->tick;
    if (among_groups) g->acquired = g->met;
    pthread_mutex_unlock(&race->lock);
}

void emu_memory_race_barrier(group_t *g) { order(g, 0); }

/* A workgroup's number in the grid; of 2^32 and more some look like one, whose races are missed. */
static uint32_t number_of(const group_t *g) {
    const uint32_t *n = g->launch->groups;
    return g->id[0] + n[0] * (g->id[1] + n[1] * g->id[2]);
}

/* LLVM makes scalar loads of dwords of narrow ones: only a store of all of it meets them surely. */
static int overlap(const access_t *a, const access_t *b) {
    unsigned common = a->bytes & b->bytes & EVERY_BYTE;
    return (a->bytes | b->bytes) > EVERY_BYTE ? common == EVERY_BYTE : common != 0;
}

/* Whether nothing orders an access of the wave now behind `a`. */
static int concurrent(const wave_t *w, const access_t *now, const access_t *a) {
    const group_t *g = w->group;
    if (!overlap(a, now)) return 0;
    if (a->group != now->group) return a->tick >= g->acquired;
    return a->wave != now->wave && a->tick >= g->met;
}

/* ---- places ---- */
static place_t *place_of(memory_race *race, uint64_t dword) {
    uint64_t page = (dword >> PAGE_BITS) * 0x9e3779b97f4a7c15u >> (64 - PLACE_BITS + PAGE_BITS);
    place_t *place = &race->places[page << PAGE_BITS | (dword & ((1u << PAGE_BITS) - 1))];
    if (place->dword == dword) return place;
    memset(place, 0, sizeof *place);
    place->dword = dword;
    return place;
}

/* This dword orders waves, so nothing about it is a race. */
static void mark(memory_race *race, uint64_t dword) {
    place_of(race, dword)->orders = 1;
    for (unsigned i = 0; i < race->count;)
        if (race->found[i].dword == dword) race->found[i] = race->found[--race->count];
        else i++;
}

static void tell(const wave_t *w, const op_t *o, place_t *place, const access_t *now,
                 const access_t *a, const char *did) {
    memory_race *race = w->group->memory;
    const uint32_t *n = w->group->launch->groups;
    char what[128];
    if (place->told || race->count == FOUND_MAX) return;
    place->told = 1;
    snprintf(what, sizeof what,
             "nothing orders it behind group (%u,%u,%u) wave %u lane %u, which %s it at pc +0x%x",
             a->group % n[0], a->group / n[0] % n[1], a->group / n[0] / n[1], a->wave, a->lane, did,
             a->pc);
    race->found[race->count].dword = place->dword;
    emu_describe_fault(w, o, EMU_RACE, now->lane, place->dword << 2, what,
                       &race->found[race->count++].fault);
}

static void note_read(place_t *place, const access_t *now) {
    access_t *first = &place->reads[0];
    int other = first->bytes && (first->group != now->group || first->wave != now->wave);
    place->reads[other] = *now;
}

/* One dword of a lane's access. */
static void look(const wave_t *w, const op_t *o, unsigned kind, uint64_t dword,
                 const access_t *now) {
    place_t *place = place_of(w->group->memory, dword);
    if (place->orders) return;
    if (concurrent(w, now, &place->write)) tell(w, o, place, now, &place->write, "wrote");
    for (int i = 0; kind == WRITE && i < 2; i++)
        if (concurrent(w, now, &place->reads[i])) tell(w, o, place, now, &place->reads[i], "read");
    if (kind == WRITE) place->write = *now;
    else note_read(place, now);
}

/* ---- records ---- */
/* Whether a store leaves the lane's memory as it is. */
static int changes_nothing(const wave_t *w, const op_t *o, unsigned lane, uint64_t address,
                           unsigned bytes) {
    uint32_t own[4], held[4];
    for (unsigned k = 0; k < (bytes + 3) / 4; k++) own[k] = w->v[o->sd + k][lane] >> o->k[0];
    memory_get(held, (const void *)(uintptr_t)address, bytes);
    return !memcmp(own, held, bytes);
}

static void lane_access(const wave_t *w, const op_t *o, unsigned kind, unsigned lane,
                        uint64_t address) {
    memory_race *race = w->group->memory;
    unsigned bytes = o->misc;
    if (!range_ok(address, bytes)) return; /* LDS, scratch, or the access says so */
    if (kind == WRITE && changes_nothing(w, o, lane, address, bytes)) return;
    access_t now = {race->tick, number_of(w->group), o->pc, (uint8_t)w->index, (uint8_t)lane, 0};
    for (uint64_t dword = address >> 2; dword <= (address + bytes - 1) >> 2; dword++) {
        uint64_t first = dword << 2 < address ? address - (dword << 2) : 0;
        uint64_t end = address + bytes - (dword << 2);
        now.bytes = (uint8_t)((end < 4 ? (1u << end) - 1 : EVERY_BYTE) & ~0u << first);
        if (o->hi & SCALAR_ADDRESS) now.bytes = WHOLE;
        if (kind == MARK) mark(race, dword);
        else look(w, o, kind, dword, &now);
    }
}

static void all_lanes(const wave_t *w, const op_t *o, unsigned kind) {
    const uint32_t *low = (const uint32_t *)(const void *)((const char *)w + o->off[0]);
    for (uint32_t left = EXEC; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t high = (uint64_t)low[LANES + lane] << 32;
        uint64_t base = o->flags & F_SADDR ? s64(w, o, 1) : high;
        lane_access(w, o, kind, lane, base + low[lane] + o->k[2]);
    }
}

HANDLER(shared) {
    unsigned kind = o->hi & (SCALAR_ADDRESS - 1);
    memory_race *race = w->group->memory;
    if (!race) NEXT;
    if (kind == ACQUIRE || kind == MEET) {
        order(w->group, kind == ACQUIRE);
        NEXT;
    }
    pthread_mutex_lock(&race->lock);
    if (o->hi & SCALAR_ADDRESS)
        lane_access(w, o, kind, 0, (s64(w, o, 0) + s32(w, o, 1) + o->k[2]) & ~3ull);
    else all_lanes(w, o, kind);
    pthread_mutex_unlock(&race->lock);
    NEXT;
}

/* ---- decoding ---- */
static unsigned size_of(const char *name) {
    const char *bits = strrchr(name, 'b');
    if (strstr(name, "16")) return strstr(name, "d16") && strstr(name, "8") ? 1 : 2;
    if (strstr(name, "_u8") || strstr(name, "_i8") || strstr(name, "_b8")) return 1;
    return bits && bits[1] >= '1' && bits[1] <= '9' ? (unsigned)atoi(bits + 1) / 8 : 4;
}

static void add(decode_t *d, op_t *o, unsigned kind) {
    const char *name = emu_rows[d->row].name;
    o->fn = emu_selected_variant()->handlers[emu_internal_row(X_SHARED)];
    o->hi = (uint8_t)(kind | (emu_rows[d->row].encoding == ENC_SMEM ? SCALAR_ADDRESS : 0));
    o->misc = (uint16_t)(strstr(name, "atomic") ? strstr(name, "64") ? 8 : 4 : size_of(name));
    if (kind == WRITE) o->k[0] = strstr(name, "d16_hi") ? 16 : 0;
}

static void add_before(decode_t *d, unsigned kind) {
    op_t *check = &d->out[d->count - 1], *access = decode_emit(d, d->row);
    *access = *check;
    add(d, check, kind);
}

static void add_behind(decode_t *d, unsigned kind) {
    op_t *access = d->count ? &d->out[d->count - 1] : NULL, *after = decode_emit(d, d->row);
    if (access) *after = *access;
    add(d, after, kind);
}

static int lds_atomic(const char *name) {
    static const char *const others[] = {"load", "store_", "permute", "swizzle", "nop"};
    if (strstr(name, "cmpstore") || strstr(name, "storexchg")) return 1;
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        if (strstr(name, others[i])) return 0;
    return 1;
}

/* Of the bits, 14 is glc and 13 dlc in every format. Volatile stores have one of them. */
static void decode_lanes(decode_t *d, const char *name, uint32_t w0) {
    unsigned glc = w0 >> 14 & 1, past = w0 >> 13 & 3;
    if (strstr(name, "addtid")) return;
    if (strstr(name, "_load_") && !glc) {
        add_before(d, READ);
    } else if (strstr(name, "_store_")) {
        add_before(d, past ? MARK : WRITE);
    } else { /* its order begins when it is done */
        add_before(d, MARK);
        add_behind(d, ACQUIRE);
    }
}

void decode_shared(decode_t *d, uint32_t w0) {
    const emu_row *row = &emu_rows[d->row];
    if (d->error || row->refused || !emu_memory_races_wanted()) return;
    if (row->encoding == ENC_MUBUF) {
        if (strstr(row->name, "gl0_inv")) add_behind(d, MEET);
        else if (strstr(row->name, "gl1_inv") || strstr(row->name, "atomic"))
            add_behind(d, ACQUIRE);
    } else if (!d->count) {
        return;
    } else if (row->encoding == ENC_DS) {
        if (lds_atomic(row->name)) add_behind(d, MEET);
    } else if (row->encoding == ENC_SMEM) {
        if (strstr(row->name, "s_load")) add_before(d, READ);
    } else if (row->encoding != ENC_SCRATCH) {
        decode_lanes(d, row->name, w0);
    }
}
