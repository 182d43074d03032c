/* What a wave's loads and stores have under way: issued, waited for, touched too early. */
#define EMU_SHARED
#include "emulator/pending.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define UNDER_WAY 192 /* three counters hold 63 each */
#define DATA_WORDS 4
#define PATTERN 0x7fa5deadu /* a signalling NaN, and no address */

typedef struct {
    uint32_t pc, exec, bits;
    uint16_t first;
    uint8_t count, scalar, counters, left, ordered, store; /* left: counters yet to show it */
    uint32_t data[DATA_WORDS * LANES];
} entry_t;

struct pending {
    uint32_t count;
    uint32_t lanes[VGPRS]; /* that wait for something */
    uint8_t scalars[128];
    uint8_t order[UNDER_WAY]; /* entries, the oldest first */
    entry_t entries[UNDER_WAY];
};

static int wanted;

static void ask(void) { wanted = emu_setting("CASS_EMU_WAITS", 0) != 0; }

int emu_pending_wanted(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, ask);
    return wanted;
}

pending_t *emu_pending_create(uint32_t waves) { return calloc(waves, sizeof(pending_t)); }

void emu_pending_destroy(pending_t *pending) { free(pending); }

pending_t *emu_pending_start(pending_t *pending, uint32_t wave) {
    pending_t *p = pending + wave;
    p->count = 0;
    memset(p->lanes, 0, sizeof p->lanes);
    memset(p->scalars, 0, sizeof p->scalars);
    for (unsigned i = 0; i < UNDER_WAY; i++) p->order[i] = (uint8_t)i;
    return p;
}

static void mark(pending_t *p, const entry_t *e) {
    for (unsigned k = 0; k < e->count; k++) {
        if (e->scalar) p->scalars[e->first + k] = 1;
        else p->lanes[e->first + k] |= e->exec;
    }
}

static void write_back(wave_t *w, const entry_t *e) {
    if (e->scalar) memcpy(&w->s[e->first], e->data, e->count * 4u);
    for (unsigned k = 0; !e->scalar && k < e->count; k++) {
        uint32_t *v = w->v[e->first + k];
        for (unsigned i = 0; i < LANES; i++)
            if (e->exec >> i & 1) v[i] = (v[i] & ~e->bits) | (e->data[k * LANES + i] & e->bits);
    }
}

/* Gives the registers what has arrived, the oldest first. */
static void arrive(wave_t *w) {
    pending_t *p = w->pending;
    uint8_t gone[UNDER_WAY];
    unsigned kept = 0, left = 0;
    for (unsigned i = 0; i < p->count; i++) {
        if (p->entries[p->order[i]].left) {
            p->order[kept++] = p->order[i];
            continue;
        }
        write_back(w, &p->entries[p->order[i]]);
        gone[left++] = p->order[i];
    }
    if (!left) return;
    memcpy(p->order + kept, gone, left);
    p->count = kept;
    memset(p->lanes, 0, sizeof p->lanes);
    memset(p->scalars, 0, sizeof p->scalars);
    for (unsigned i = 0; i < kept; i++) mark(p, &p->entries[p->order[i]]);
}

/* Counter c is at most limits[c]. What came in order is back unless as many younger ones may be
 * under way; what comes in any order only when nothing is. */
static void wait_for(wave_t *w, const unsigned *limits) {
    pending_t *p = w->pending;
    unsigned younger[COUNTERS] = {0};
    for (unsigned i = p->count; i-- > 0;) {
        entry_t *e = &p->entries[p->order[i]];
        for (unsigned c = 0; c < COUNTERS; c++) {
            if (!(e->left >> c & 1)) continue;
            if (limits[c] == 0 || (e->ordered && younger[c] >= limits[c]))
                e->left = (uint8_t)(e->left & ~(1u << c));
            else younger[c] += e->ordered;
        }
    }
    arrive(w);
}

HANDLER(await) {
    unsigned limits[COUNTERS] = {o->misc & 0xff, o->misc >> 8, (unsigned)o->k[0]};
    if (w->pending->count) wait_for(w, limits);
    NEXT;
}

/* The record of the instruction itself, which names it. */
static const op_t *instruction(const op_t *o, int step) {
    const op_t *at = o + step;
    while (emu_rows[at->row].encoding == ENC_INTERNAL && at[step].pc == o->pc) at += step;
    return at;
}

static int holds(const entry_t *e, unsigned number, int scalar, uint32_t lanes) {
    return e->scalar == scalar && number >= e->first && number < (unsigned)e->first + e->count &&
           (scalar || (e->exec & lanes));
}

/* The oldest that holds a register; there is one where lanes or scalars say so. */
static const entry_t *holder(const pending_t *p, unsigned number, int scalar, uint32_t lanes) {
    unsigned i = 0;
    while (i + 1 < p->count && !holds(&p->entries[p->order[i]], number, scalar, lanes)) i++;
    return &p->entries[p->order[i]];
}

static const op_t *raise_touched(wave_t *w, const op_t *o, unsigned number, int scalar,
                                 uint32_t lanes) {
    const entry_t *e = holder(w->pending, number, scalar, lanes);
    char what[96];
    snprintf(what, sizeof what, "%c%u is touched before %s shows that the load at pc +0x%x is back",
             scalar ? 's' : 'v', number, e->left & COUNT_VM ? "vmcnt" : "lgkmcnt", e->pc);
    unsigned lane = scalar || !(e->exec & lanes) ? 0 : (unsigned)__builtin_ctz(e->exec & lanes);
    return emu_raise(w, o, EMU_WAIT, lane, 0, what);
}

/* k: ranges of 32 bits, as `pack` of pending_records.c makes them; misc: how many. */
HANDLER(touch) {
    const pending_t *p = w->pending;
    if (likely(!p->count)) NEXT;
    uint32_t ranges[6];
    memcpy(ranges, o->k, sizeof ranges);
    for (unsigned i = 0; i < o->misc; i++) {
        unsigned first = ranges[i] & 0xff, count = ranges[i] >> 8 & 0xff;
        int scalar = ranges[i] >> 16 & 1;
        uint32_t lanes = ranges[i] >> 17 & 1 ? ~0u : EXEC;
        for (unsigned number = first; number < first + count; number++)
            if (scalar ? p->scalars[number] : p->lanes[number] & lanes)
                return raise_touched(w, instruction(o, 1), number, scalar, lanes);
    }
    NEXT;
}

/* A barrier tells other waves that what was stored may be read. */
HANDLER(meet) {
    const pending_t *p = w->pending;
    for (unsigned i = 0; i < p->count; i++) {
        const entry_t *e = &p->entries[p->order[i]];
        if (!e->store) continue;
        char what[96];
        snprintf(what, sizeof what, "barrier before %s shows that the store at pc +0x%x is done",
                 e->left & COUNT_VS ? "vscnt" : "lgkmcnt", e->pc);
        return emu_raise(w, instruction(o, 1), EMU_WAIT, 0, 0, what);
    }
    NEXT;
}

/* What the load brought is kept, and the registers get the pattern. */
static void keep(wave_t *w, entry_t *e) {
    if (e->scalar) {
        memcpy(e->data, &w->s[e->first], e->count * 4u);
        for (unsigned k = 0; k < e->count; k++) w->s[e->first + k] = PATTERN;
        return;
    }
    for (unsigned k = 0; k < e->count; k++) {
        uint32_t *v = w->v[e->first + k];
        memcpy(e->data + k * LANES, v, sizeof(vreg_t));
        for (unsigned i = 0; i < LANES; i++)
            if (e->exec >> i & 1) v[i] = (v[i] & ~e->bits) | (PATTERN & e->bits);
    }
}

/* An older load into register `*again` of this one's that may come back behind it; NULL: none. */
static const entry_t *overtaken(const pending_t *p, const entry_t *e, unsigned *again) {
    for (unsigned i = 0; i < p->count; i++) {
        const entry_t *older = &p->entries[p->order[i]];
        if (older->ordered && e->ordered && !(older->left & ~e->counters)) continue;
        for (*again = e->first; *again < (unsigned)e->first + e->count; ++*again)
            if (holds(older, *again, e->scalar, e->exec)) return older;
    }
    return NULL;
}

static const op_t *raise_overtaken(wave_t *w, const op_t *o, const entry_t *older,
                                   unsigned number) {
    char what[96];
    snprintf(
        what, sizeof what, "%c%u is loaded again before %s shows that the load at pc +0x%x is back",
        older->scalar ? 's' : 'v', number, older->left & COUNT_VM ? "vmcnt" : "lgkmcnt", older->pc);
    return emu_raise(w, instruction(o, -1), EMU_WAIT, 0, 0, what);
}

HANDLER(issued) {
    static const unsigned full[COUNTERS] = {63, 63, 63}; /* an instruction more has to wait */
    pending_t *p = w->pending;
    wait_for(w, full);
    if (p->count == UNDER_WAY) { /* more than hardware counts */
        p->entries[p->order[0]].left = 0;
        arrive(w);
    }
    entry_t *e = &p->entries[p->order[p->count]];
    e->pc = o->pc;
    e->exec = EXEC;
    e->bits = (uint32_t)o->k[0];
    e->first = o->d;
    e->count = (uint8_t)(o->misc & 0xff);
    e->counters = e->left = (uint8_t)(o->misc >> 8);
    e->scalar = (o->flags & F_SADDR) != 0;
    e->ordered = (o->flags & F_CMPX) != 0;
    e->store = (o->flags & F_GLC) != 0;
    unsigned again;
    const entry_t *older = overtaken(p, e, &again);
    if (older) return raise_overtaken(w, o, older, again);
    keep(w, e);
    mark(p, e);
    p->count++;
    NEXT;
}
