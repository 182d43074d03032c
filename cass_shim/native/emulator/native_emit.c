/* Writes a unit as C: the interpreter's bodies, the unit's records as constants, and one call of a
 * body per record, block after block. The compiler inlines the bodies and folds what the records
 * say; registers are a local copy of those that the unit names. A wave loads what it needs where it
 * comes in, and saves what it still needs where it waits at a barrier. */
#include "emulator/native_live.h"
#include "emulator/native_names.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define CSR_DEFAULT 0x1f80u /* MXCSR: exceptions masked, nothing flushed, rounding to nearest */

typedef struct {
    char *text;
    size_t length, room;
    int failed;
} text_t;

__attribute__((format(printf, 2, 3))) static void put(text_t *t, const char *format, ...) {
    va_list arguments;
    for (int again = 0; again < 2 && !t->failed; again++) {
        va_start(arguments, format);
        int n = vsnprintf(t->text + t->length, t->room - t->length, format, arguments);
        va_end(arguments);
        if (n >= 0 && t->length + (size_t)n < t->room) {
            t->length += (size_t)n;
            return;
        }
        size_t room = t->room * 2 + (n > 0 ? (size_t)n : 0);
        char *bigger = realloc(t->text, room);
        if (bigger) t->text = bigger;
        else t->failed = 1;
        t->room = room;
    }
}

typedef struct {
    text_t text;
    const native_unit *unit;
    native_live *live; /* [block] */
    native_set used;
} emit_t;

/* ---- records ---- */
static void put_record(text_t *t, const native_unit *u, const op_t *o, uint32_t seq, unsigned way) {
    put(t, "{.pc=%u,.seq=%u,.row=%u,.d=%u,.sd=%u,.flags=%u,.kinds=%u,.hi=%u,.misc=%u,", o->pc, seq,
        o->row, o->d, o->sd, o->flags, o->kinds, o->hi, o->misc);
    put(t, ".off={%u,%u,%u},", o->off[0], o->off[1], o->off[2]);
    const native_block *to = native_is_branch(o) ? native_unit_block(u, BRANCH_TARGET(o)) : NULL;
    if (to) {
        uint32_t counted = (o->flags & F_COUNTED) != 0;
        put(t, ".k={(uint64_t)(uintptr_t)&R[%u],%lluu,0}},\n", to->at,
            (unsigned long long)((uint64_t)seq + counted - to->seq));
    } else if (way == WAY_LEAVE || way == WAY_CALL) { /* may hold addresses */
        put(t, "},\n");
    } else {
        put(t, ".k={%lluu,%lluu,%lluu}},\n", (unsigned long long)o->k[0],
            (unsigned long long)o->k[1], (unsigned long long)o->k[2]);
    }
}

/* Behind each block stands a record that only says where and when the next instruction is. */
static void put_records(text_t *t, const native_unit *u) {
    put(t, "static const op_t R[%u] = {\n", u->records);
    for (uint32_t i = 0; i < u->count; i++) {
        const native_block *b = &u->blocks[i];
        uint32_t seq = b->seq, pc = 0;
        int first = 1;
        if (b->part != u->part) { /* only to be left at */
            put(t, "[%u]={.pc=%u,.seq=%u},\n", b->at, b->first->pc, seq);
            continue;
        }
        put(t, "[%u]=", b->at);
        for (uint32_t k = 0; k < b->count; k++) {
            const op_t *o = b->first + k;
            if (o->flags & F_COUNTED && !first) seq++;
            first = 0;
            put_record(t, u, o, seq, native_way(u, b, k));
            pc = o[1].row == NO_ROW ? o->pc : o[1].pc;
        }
        put(t, "{.pc=%u,.seq=%u},\n", pc, seq + 1);
    }
    put(t, "};\n");
}

/* ---- registers ---- */
static void mark(uint64_t *set, unsigned first, unsigned count, unsigned end) {
    for (unsigned i = first; i < first + count && i < end; i++) set[i / 64] |= 1ull << i % 64;
}
static int marked(const uint64_t *set, unsigned i) { return set[i / 64] >> i % 64 & 1; }

/* More than an instruction names does no harm; less would lose a value. */
static void mark_record(native_set *used, const op_t *o) {
    const emu_row *row = &emu_rows[o->row];
    unsigned words = 4,
             types[4] = {row->destination, row->sources[0], row->sources[1], row->sources[2]};
    for (int i = 0; i < 4; i++)
        if (type_words(types[i]) > words) words = type_words(types[i]);
    for (int i = 0; i < 3; i++) {
        if (src_kind(o, i) == SRC_VGPR && o->off[i] < offsetof(wave_t, s))
            mark(used->v, o->off[i] / (unsigned)sizeof(vreg_t), words, VGPRS);
        else if (src_kind(o, i) == SRC_SGPR)
            mark(used->s, (o->off[i] - (unsigned)offsetof(wave_t, s)) / 4, words, 64 * S_WORDS);
    }
    mark(used->v, o->d, words, VGPRS);
    mark(used->s, o->d, words, 64 * S_WORDS);
    mark(used->v, o->sd, words, VGPRS);
    mark(used->s, o->sd, words, 64 * S_WORDS);
    if (row->encoding == ENC_DS) mark(used->v, o->misc, words, VGPRS);
}

static void mark_unit(native_set *used, const native_unit *u) {
    memset(used, 0, sizeof *used);
    mark(used->s, S_VCC, 2, 64 * S_WORDS);
    mark(used->s, S_M0, 3, 64 * S_WORDS);
    mark(used->s, S_SCC, 1, 64 * S_WORDS);
    for (uint32_t i = 0; i < u->count; i++)
        for (uint32_t k = 0; u->blocks[i].part == u->part && k < u->blocks[i].count; k++)
            mark_record(used, u->blocks[i].first + k);
}

/* One macro for each register of `used` that is in `other` (or, where `unless`, is not). */
static void put_copies(text_t *t, const char *macro, const native_set *used,
                       const native_set *other, int unless) {
    for (unsigned i = 0; i < VGPRS; i++)
        if (marked(used->v, i) && marked(other->v, i) != unless) put(t, "%sV(%u)", macro, i);
    for (unsigned i = 0; i < 64 * S_WORDS; i++)
        if (marked(used->s, i) && marked(other->s, i) != unless) put(t, "%sS(%u)", macro, i);
}

static native_set both(const native_set *a, const native_set *b) {
    native_set out;
    for (unsigned i = 0; i < V_WORDS; i++) out.v[i] = a->v[i] & b->v[i];
    for (unsigned i = 0; i < S_WORDS; i++) out.s[i] = a->s[i] & b->s[i];
    return out;
}

static native_set without(const native_set *a, const native_set *b) {
    native_set out;
    for (unsigned i = 0; i < V_WORDS; i++) out.v[i] = a->v[i] & ~b->v[i];
    for (unsigned i = 0; i < S_WORDS; i++) out.s[i] = a->s[i] & ~b->s[i];
    return out;
}

/* Saves what changed up to the end of `from` and is needed at `to`. */
static void put_saves(emit_t *e, const native_block *from, const native_block *to) {
    const native_block *first = e->unit->blocks;
    native_set saved = both(&e->live[from - first].changed, &e->live[to - first].needed);
    put(&e->text, " ");
    put_copies(&e->text, "PUT_", &e->used, &saved, 0);
}

/* ---- blocks ---- */
/* How a block is reached: one in a loop stands there twice. */
static const char *go(const native_unit *u, const native_block *b) {
    return b->looped && b->part == u->part ? "GO_BLOCK" : "GO_ONLY";
}

static void put_go(emit_t *e, const native_block *from, const native_block *to) {
    put(&e->text, "{");
    if (native_saves_before(from, to)) put_saves(e, from, to);
    put(&e->text, "%s(%u);}\n", go(e->unit, to), to->at);
}

/* GET_ or PUT_ for what is named; scalars that are written as a whole need not be handed over. */
static void put_ranges(text_t *t, const char *macro, const native_range *ranges, unsigned count,
                       int whole) {
    for (unsigned i = 0; i < count; i++) {
        const native_range *range = &ranges[i];
        for (unsigned r = range->first; r < (unsigned)range->first + range->count; r++) {
            if (range->scalar && (r >= 64 * S_WORDS || (range->whole && !whole))) continue;
            put(t, range->scalar ? "%sS(%u)" : "%sV(%u)", macro, r);
        }
    }
}

/* Hands the named registers over, calls the interpreter's body, and takes back what it wrote. */
static void put_body_call(emit_t *e, const op_t *o, uint32_t number, uint32_t start) {
    text_t *t = &e->text;
    native_names n;
    native_names_of(o, &n);
    if (n.everything) {
        put(t, "LEAVE CALL(%u,%u) BACK\n", number, start);
        return;
    }
    put(t, "PUT_S(%u)PUT_S(%u)PUT_S(%u)PUT_S(%u)", S_M0, S_EXEC, S_VCC, S_SCC);
    put_ranges(t, "PUT_", n.reads, n.read_count, 1);
    put_ranges(t, "PUT_", n.writes, n.write_count, 0);
    put(t, " CALL(%u,%u) ", number, start);
    put_ranges(t, "GET_", n.writes, n.write_count, 1);
    if (n.exec != EXEC_KEPT) put(t, "GET_S(%u)", S_EXEC);
    if (native_sets_mode(o)) put(t, "KNOWN_MODE");
    put(t, "\n");
}

/* Record k of the block; `start`: its instruction's in the unit. */
static void put_call(emit_t *e, const native_block *b, uint32_t k, uint32_t start) {
    const op_t *o = b->first + k;
    uint32_t at = b->at + k;
    const char *body = emu_rows[o->row].body;
    const native_block *behind = native_unit_block(e->unit, o + 1);
    if (native_way(e->unit, b, k) == WAY_LEAVE) {
        put(&e->text, "STOP(%u);\n", start);
    } else if (native_is_barrier(o) && behind && behind->part == b->part) {
        put_saves(e, b, behind);
        put(&e->text, "BARRIER(%u,%u);\n", at, behind->at);
    } else if (strcmp(body, "s_endpgm") == 0) {
        put(&e->text, "END(%u);\n", at);
    } else {
        put(&e->text, "RUN(%s,%u,%u)\n", body, at, start);
        const native_block *to =
            native_is_branch(o) ? native_unit_block(e->unit, BRANCH_TARGET(o)) : NULL;
        if (!to) return;
        put(&e->text, "if (r == R + %u) ", to->at);
        put_go(e, b, to);
    }
}

static void put_block(emit_t *e, const native_block *b) {
    uint32_t start = b->at, seq = b->seq, calls = b->calls;
    if (b->part != e->unit->part) {
        put(&e->text, "STOP(%u);\n", b->at);
        return;
    }
    for (uint32_t k = 0; k < b->count; k++) {
        const op_t *o = b->first + k;
        if (o->flags & F_COUNTED) {
            start = b->at + k;
            seq++;
        }
        unsigned way = native_way(e->unit, b, k);
        if (way == WAY_TRY) put(&e->text, "TRY(%s,%u) {", emu_rows[o->row].body, b->at + k);
        if (way >= WAY_TRY) put_body_call(e, o, calls++, start);
        else put_call(e, b, k, start);
        if (way == WAY_TRY) put(&e->text, "}\n");
    }
    const op_t *last = b->first + b->count - 1;
    const native_block *next = last[1].row == NO_ROW ? NULL : native_unit_block(e->unit, last + 1);
    if (native_is_indirect(last)) {
        put(&e->text, "DISPATCH;\n");
    } else if (next) {
        put(&e->text, "ON(%uu);\n", seq - next->seq);
        put_go(e, b, next);
    } else {
        put(&e->text, "__builtin_unreachable();\n");
    }
}

static void put_blocks(emit_t *e, int full) {
    const native_unit *u = e->unit;
    for (uint32_t i = 0; i < u->count; i++) {
        if (full && (!u->blocks[i].looped || u->blocks[i].part != u->part)) continue;
        put(&e->text, "%c%u: %s\n", full ? 'F' : 'M', u->blocks[i].at, full ? "FULL;" : ";");
        put_block(e, &u->blocks[i]);
    }
}

static int by_pc(const void *a, const void *b) {
    const native_block *x = *(const native_block *const *)a, *y = *(const native_block *const *)b;
    return x->first->pc < y->first->pc ? -1 : x->first->pc > y->first->pc;
}

/* Places to enter from outside, in order of address, each address once. */
static uint32_t find_entries(const native_unit *u, const native_block **out) {
    uint32_t found = 0, kept = 0;
    for (uint32_t i = 0; i < u->count; i++)
        if (u->blocks[i].entered && u->blocks[i].part == u->part) out[found++] = &u->blocks[i];
    qsort(out, found, sizeof *out, by_pc);
    for (uint32_t i = 0; i < found; i++)
        if (!kept || out[kept - 1]->first->pc != out[i]->first->pc) out[kept++] = out[i];
    return kept;
}

static int is_empty(const native_set *set) {
    uint64_t any = 0;
    for (unsigned i = 0; i < V_WORDS; i++) any |= set->v[i];
    for (unsigned i = 0; i < S_WORDS; i++) any |= set->s[i];
    return !any;
}

/* What was not loaded is, before all registers are saved. */
static void put_late(emit_t *e, const native_block *const *entries, uint32_t count) {
    put(&e->text, "\n#define LATE ");
    for (uint32_t i = 0; i < count; i++) {
        native_set late = both(&e->live[entries[i] - e->unit->blocks].passed, &e->used);
        if (is_empty(&late)) continue;
        put(&e->text, "case %u: ", entries[i]->at);
        put_copies(&e->text, "GET_", &e->used, &late, 0);
        put(&e->text, "break; ");
    }
}

/* A wave comes in: registers that it needs soon are loaded, others have some value. */
static void put_ways_in(emit_t *e, const native_block *const *entries, uint32_t count) {
    text_t *t = &e->text;
    put(t, "#define ENTRIES ");
    for (uint32_t i = 0; i < count; i++) {
        const native_live *live = &e->live[entries[i] - e->unit->blocks];
        native_set loaded = without(&live->needed, &live->passed);
        put(t, "case %u: BEGIN(%u) ", entries[i]->at, entries[i]->seq);
        put_copies(t, "GET_", &e->used, &loaded, 0);
        put_copies(t, "ZERO_", &e->used, &loaded, 1);
        put(t, "%s(%u); ", go(e->unit, entries[i]), entries[i]->at);
    }
    put(t, "\n#define JUMPS ");
    for (uint32_t i = 0; i < count; i++)
        put(t, "case %u: %s(%u); ", entries[i]->at, go(e->unit, entries[i]), entries[i]->at);
    put_late(e, entries, count);
    native_set all;
    memset(&all, 0xff, sizeof all);
    put(t, "\n#define LEAVE ");
    put_copies(t, "PUT_", &e->used, &all, 0);
    put(t, "\n#define BACK ");
    put_copies(t, "GET_", &e->used, &all, 0);
    put(t, "\n");
}

static void put_entries(emit_t *e) {
    static const char exported[] = "__attribute__((visibility(\"default\")))";
    text_t *t = &e->text;
    const native_block **entries = malloc(e->unit->count * sizeof *entries);
    if (!entries) {
        t->failed = 1;
        return;
    }
    uint32_t count = find_entries(e->unit, entries);
    put_ways_in(e, entries, count);
    put(t, "static const op_t *native_at(uint64_t offset) {\nswitch (offset) {\n");
    for (uint32_t i = 0; i < count; i++)
        put(t, "case %u: return R + %u;\n", entries[i]->first->pc, entries[i]->at);
    put(t, "}\nreturn 0;\n}\n%s const native_entry emu_unit_entries[] = {\n", exported);
    for (uint32_t i = 0; i < count; i++) put(t, "{%u,%u},", entries[i]->first->pc, entries[i]->at);
    put(t, "};\n%s const uint32_t emu_unit_entry_count = %u;\n", exported, count);
    free(entries);
}

/* What variant.c's emu_mode_changed and emu_fp_begin find out at run time. */
static void put_mode(text_t *t, uint32_t mode) {
    static const uint32_t rounding[4] = {0, 0x4000, 0x2000, 0x6000}; /* nearest, up, down, zero */
    int special = (mode & 3) || (mode >> 4 & 3) != 3;
    uint32_t csr = CSR_DEFAULT | rounding[mode & 3];
    csr |= (mode >> 4 & 1 ? 0 : 0x40u) | (mode >> 5 & 1 ? 0 : 0x8000u); /* DAZ, FTZ */
    put(t, "#define MODE_LOW %uu\n#define FP_SPECIAL %d\n#define ORDERED %s\n", mode,
        special ? FP_F32 : 0, special ? "volatile" : "");
    put(t, "#define CSR_DEFAULT %uu\n#define CSR_F32 %uu\n", CSR_DEFAULT, csr);
}

char *native_emit(const native_unit *u) {
    emit_t e = {.unit = u, .live = native_live_of(u)};
    text_t *t = &e.text;
    t->room = strlen(native_bodies) + 65536 + (size_t)u->records * 256;
    t->text = malloc(t->room);
    t->failed = !t->text || !e.live;
    mark_unit(&e.used, u);
    put_mode(t, u->mode);
    put(t, "%s", native_bodies);
    put_records(t, u);
    if (!t->failed) put_entries(&e);
    put(t, "NATIVE_BEGIN\n");
    if (!t->failed) put_blocks(&e, 1);
    if (!t->failed) put_blocks(&e, 0);
    put(t, "NATIVE_END\n");
    free(e.live);
    if (!t->failed) return t->text;
    free(t->text);
    return NULL;
}
