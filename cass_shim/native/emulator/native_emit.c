/* Writes a unit as C: the interpreter's bodies, the unit's records as constants, and one call of a
 * body per record, block after block. The compiler inlines the bodies and folds what the records
 * say; registers are those of the wave, or a local copy of those that the unit names. */
#include "emulator/native_unit.h"

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

/* ---- records ---- */
static void put_record(text_t *t, const native_unit *u, const op_t *o, uint32_t seq) {
    put(t, "{.pc=%u,.seq=%u,.row=%u,.d=%u,.sd=%u,.flags=%u,.kinds=%u,.hi=%u,.misc=%u,", o->pc, seq,
        o->row, o->d, o->sd, o->flags, o->kinds, o->hi, o->misc);
    put(t, ".off={%u,%u,%u},", o->off[0], o->off[1], o->off[2]);
    const native_block *to = native_is_branch(o) ? native_unit_block(u, BRANCH_TARGET(o)) : NULL;
    if (to) {
        uint32_t counted = (o->flags & F_COUNTED) != 0;
        put(t, ".k={(uint64_t)(uintptr_t)&R[%u],%lluu,0}},\n", to->at,
            (unsigned long long)((uint64_t)seq + counted - to->seq));
    } else if (!native_is_covered(o)) { /* may hold an address of this process */
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
        for (uint32_t k = 0; k < b->count; k++) {
            const op_t *o = b->first + k;
            if (o->flags & F_COUNTED && !first) seq++;
            first = 0;
            put_record(t, u, o, seq);
            pc = o[1].row == NO_ROW ? o->pc : o[1].pc;
        }
        put(t, "{.pc=%u,.seq=%u},\n", pc, seq + 1);
    }
    put(t, "};\n");
}

/* ---- registers ---- */
typedef struct {
    uint8_t v[VGPRS + TEMPS + 16], s[SGPR_SLOTS + 16];
} used_t;

static void mark(uint8_t *file, unsigned first, unsigned count, unsigned end) {
    for (unsigned i = first; i < first + count && i < end; i++) file[i] = 1;
}

/* More than an instruction names does no harm; less would lose a value. */
static void mark_record(used_t *used, const op_t *o) {
    const emu_row *row = &emu_rows[o->row];
    unsigned words = 4,
             types[4] = {row->destination, row->sources[0], row->sources[1], row->sources[2]};
    for (int i = 0; i < 4; i++)
        if (type_words(types[i]) > words) words = type_words(types[i]);
    for (int i = 0; i < 3; i++) {
        if (src_kind(o, i) == SRC_VGPR && o->off[i] < offsetof(wave_t, s))
            mark(used->v, o->off[i] / (unsigned)sizeof(vreg_t), words, VGPRS);
        else if (src_kind(o, i) == SRC_SGPR)
            mark(used->s, (o->off[i] - (unsigned)offsetof(wave_t, s)) / 4, words, SGPR_SLOTS);
    }
    mark(used->v, o->d, words, VGPRS);
    mark(used->s, o->d, words, SGPR_SLOTS);
    mark(used->v, o->sd, words, VGPRS);
    mark(used->s, o->sd, words, SGPR_SLOTS);
    if (row->encoding == ENC_DS) mark(used->v, o->misc, words, VGPRS);
}

static void put_copies(text_t *t, const char *macro, const uint8_t *v, const uint8_t *s) {
    for (unsigned i = 0; i < VGPRS; i++)
        if (v[i]) put(t, "%sV(%u)", macro, i);
    for (unsigned i = 0; i < SGPR_SLOTS; i++)
        if (s[i]) put(t, "%sS(%u)", macro, i);
    put(t, "\n");
}

static void put_registers(text_t *t, const native_unit *u) {
    used_t used;
    memset(&used, 0, sizeof used);
    mark(used.s, S_VCC, 2, SGPR_SLOTS);
    mark(used.s, S_M0, 3, SGPR_SLOTS);
    used.s[S_SCC] = 1;
    for (uint32_t i = 0; i < u->count; i++)
        for (uint32_t k = 0; k < u->blocks[i].count; k++)
            mark_record(&used, u->blocks[i].first + k);
    put(t, "#define ENTER ");
    put_copies(t, "GET_", used.v, used.s);
    put(t, "#define LEAVE ");
    put_copies(t, "PUT_", used.v, used.s);
}

/* ---- blocks ---- */
/* How a block is reached: one in a loop stands there twice. */
static const char *go(const native_block *b) { return b->looped ? "GO_BLOCK" : "GO_ONLY"; }

/* The record at index `at` of the unit; `start`: that of its instruction. */
static void put_call(text_t *t, const native_unit *u, const op_t *o, uint32_t at, uint32_t start) {
    const char *body = emu_rows[o->row].body;
    if (!native_is_covered(o)) {
        put(t, "STOP(%u);\n", start);
        return;
    }
    put(t, "RUN(%s,%u,%u)\n", body, at, start);
    const native_block *to = native_is_branch(o) ? native_unit_block(u, BRANCH_TARGET(o)) : NULL;
    if (to) put(t, "if (r == R + %u) %s(%u);\n", to->at, go(to), to->at);
}

static void put_block(text_t *t, const native_unit *u, const native_block *b) {
    uint32_t start = b->at, seq = b->seq;
    for (uint32_t k = 0; k < b->count; k++) {
        const op_t *o = b->first + k;
        if (o->flags & F_COUNTED) {
            start = b->at + k;
            seq++;
        }
        put_call(t, u, o, b->at + k, start);
    }
    const op_t *last = b->first + b->count - 1;
    if (emu_rows[last->row].encoding == ENC_SOP1 && native_ends_block(last)) put(t, "DISPATCH;\n");
    else if (last[1].row != NO_ROW) {
        const native_block *next = native_unit_block(u, last + 1);
        if (next) put(t, "ON(%uu);\n%s(%u);\n", seq - next->seq, go(next), next->at);
        else put(t, "__builtin_unreachable();\n");
    } else put(t, "__builtin_unreachable();\n");
}

static void put_blocks(text_t *t, const native_unit *u, int full) {
    for (uint32_t i = 0; i < u->count; i++) {
        if (full && !u->blocks[i].looped) continue;
        put(t, "%c%u: %s\n", full ? 'F' : 'M', u->blocks[i].at, full ? "FULL;" : ";");
        put_block(t, u, &u->blocks[i]);
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
        if (u->blocks[i].entered) out[found++] = &u->blocks[i];
    qsort(out, found, sizeof *out, by_pc);
    for (uint32_t i = 0; i < found; i++)
        if (!kept || out[kept - 1]->first->pc != out[i]->first->pc) out[kept++] = out[i];
    return kept;
}

static void put_entries(text_t *t, const native_unit *u) {
    static const char exported[] = "__attribute__((visibility(\"default\")))";
    const native_block **entries = malloc(u->count * sizeof *entries);
    if (!entries) {
        t->failed = 1;
        return;
    }
    uint32_t count = find_entries(u, entries);
    put(t, "#define ENTRIES ");
    for (uint32_t i = 0; i < count; i++)
        put(t, "case %u: %s(%u); ", entries[i]->at, go(entries[i]), entries[i]->at);
    put(t, "\nstatic const op_t *native_at(uint64_t offset) {\nswitch (offset) {\n");
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
    text_t t = {.room = strlen(native_bodies) + 65536 + (size_t)u->records * 256};
    t.text = malloc(t.room);
    if (!t.text) return NULL;
    put(&t, "#define LOCAL %d\n", !u->waits);
    put_mode(&t, u->mode);
    put(&t, "%s", native_bodies);
    put_records(&t, u);
    put_registers(&t, u);
    put_entries(&t, u);
    put(&t, "NATIVE_BEGIN\n");
    put_blocks(&t, u, 1);
    put_blocks(&t, u, 0);
    put(&t, "NATIVE_END\n");
    if (!t.failed) return t.text;
    free(t.text);
    return NULL;
}
