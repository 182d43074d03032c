/* Liveness over a unit's blocks. A block in a loop stands in the code twice (native_emit.c): F,
 * where every lane is active, and M. A vector register is needed in active lanes only (`active`),
 * or in all (`all`): a write under EXEC ends the first kind of need, one with every lane active
 * ends both; where EXEC may grow, the first becomes the second. */
#include "emulator/native_live.h"

#include <stdlib.h>

#include "emulator/native_names.h"

typedef struct {
    uint64_t all[V_WORDS], active[V_WORDS], s[S_WORDS];
} need_t;

typedef struct {
    const native_unit *unit;
    int turn;         /* needs are those of one turn: up to where the wave waits or is left */
    need_t *needs;    /* [2 * block + F] when it begins */
    uint8_t *keeps;   /* [block]: does not write EXEC */
    native_set *came; /* [block]: changed when it begins */
    native_live *out;
} live_t;

static void set_range(uint64_t *set, unsigned words, unsigned first, unsigned count, int on) {
    for (unsigned i = first; i < first + count && i < 64 * words; i++)
        if (on) set[i / 64] |= 1ull << i % 64;
        else set[i / 64] &= ~(1ull << i % 64);
}

static int merge(uint64_t *into, const uint64_t *from, unsigned words) {
    uint64_t grown = 0;
    for (unsigned i = 0; i < words; i++) {
        grown |= from[i] & ~into[i];
        into[i] |= from[i];
    }
    return grown != 0;
}

static void need_everything(need_t *need) { memset(need, 0xff, sizeof *need); }

/* Implicit operands of many instructions. */
static void need_special(uint64_t *s) {
    set_range(s, S_WORDS, S_VCC, 2, 1);
    set_range(s, S_WORDS, S_M0, 3, 1);
    set_range(s, S_WORDS, S_SCC, 1, 1);
}

static void need_block(need_t *need, const live_t *l, const native_block *b, int f, int m) {
    if (!b) {
        need_everything(need);
        return;
    }
    need_t *of = &l->needs[2 * (b - l->unit->blocks)];
    if (f) merge((uint64_t *)need, (uint64_t *)&of[1], sizeof *need / 8);
    if (m) merge((uint64_t *)need, (uint64_t *)&of[0], sizeof *need / 8);
}

/* Where a wave goes from the block's end: into a copy for which EXEC is right. */
static void need_next(need_t *need, const live_t *l, const native_block *from, int full,
                      const native_block *to) {
    int kept = l->keeps[from - l->unit->blocks];
    int f = to && to->looped && (full ? 1 : !(kept && from->looped));
    int m = !(to && to->looped) || !(full && kept);
    need_block(need, l, to, f, m);
}

static void need_behind(need_t *need, const live_t *l, const native_block *b, int full) {
    const op_t *last = b->first + b->count - 1;
    const emu_row *row = &emu_rows[last->row];
    memset(need, 0, sizeof *need);
    int left = native_way(l->unit, b, b->count - 1) == WAY_LEAVE;
    if (l->turn && (left || native_pauses(last))) return;
    if (left) need_everything(need);
    else if (native_is_branch(last)) {
        need_next(need, l, b, full, native_unit_block(l->unit, BRANCH_TARGET(last)));
        int always = row->encoding != ENC_SOPP || row->opcode == 32;
        if (!always) need_next(need, l, b, full, native_unit_block(l->unit, last + 1));
    } else if (native_pauses(last) || !native_ends_block(last)) {
        need_next(need, l, b, full, native_unit_block(l->unit, last + 1));
    } else if (strcmp(row->name, "s_endpgm") != 0) {
        need_everything(need);
    }
}

/* What is needed before the record, from what is needed behind it. */
static void before_record(need_t *need, const op_t *o, unsigned way, int full, int inside_dpp) {
    native_names n;
    native_names_of(o, &n);
    if (n.everything || way == WAY_LEAVE) {
        need_everything(need);
        return;
    }
    if (n.exec == EXEC_CHANGED) merge(need->all, need->active, V_WORDS);
    for (unsigned i = 0; i < n.write_count; i++) {
        native_range r = n.writes[i];
        if (!r.whole) continue;
        if (r.scalar) set_range(need->s, S_WORDS, r.first, r.count, 0);
        else if (!inside_dpp) {
            set_range(need->active, V_WORDS, r.first, r.count, 0);
            if (full) set_range(need->all, V_WORDS, r.first, r.count, 0);
        }
    }
    for (unsigned i = 0; i < n.read_count; i++) {
        native_range r = n.reads[i];
        if (r.scalar) set_range(need->s, S_WORDS, r.first, r.count, 1);
        else set_range(r.whole ? need->all : need->active, V_WORDS, r.first, r.count, 1);
    }
}

static int is_internal(const op_t *o, unsigned opcode) {
    return emu_rows[o->row].encoding == ENC_INTERNAL && emu_rows[o->row].opcode == opcode;
}

/* Records of the block that run with every lane active, when it begins with them. */
static uint32_t full_records(const native_block *b) {
    for (uint32_t k = 0; k < b->count; k++) {
        native_names n;
        native_names_of(b->first + k, &n);
        if (n.exec != EXEC_KEPT || n.everything) return k;
    }
    return b->count;
}

static int update(live_t *l, const native_block *b, int f) {
    int elsewhere = b->part != l->unit->part;
    uint32_t full = f && !elsewhere ? full_records(b) : 0, k = elsewhere ? 0 : b->count;
    need_t need;
    int inside_dpp = 0;
    if (elsewhere) memset(&need, l->turn ? 0 : 0xff, sizeof need);
    else need_behind(&need, l, b, f);
    while (k--) {
        const op_t *o = b->first + k;
        unsigned way = native_way(l->unit, b, k);
        if (is_internal(o, X_DPP_END)) inside_dpp = 1;
        if (l->turn && way == WAY_LEAVE) memset(&need, 0, sizeof need);
        else before_record(&need, o, way, k < full, inside_dpp);
        if (is_internal(o, X_DPP16) || is_internal(o, X_DPP8)) inside_dpp = 0;
    }
    need_special(need.s);
    if (l->turn) {
        const native_set *changed = &l->out[b - l->unit->blocks].changed;
        merge(need.all, changed->v, V_WORDS);
        merge(need.s, changed->s, S_WORDS);
    }
    return merge((uint64_t *)&l->needs[2 * (b - l->unit->blocks) + f], (uint64_t *)&need,
                 sizeof need / 8);
}

static void find_needs(live_t *l) {
    const native_unit *u = l->unit;
    memset(l->needs, 0, 2 * (size_t)u->count * sizeof *l->needs);
    for (int more = 1; more;) {
        more = 0;
        for (uint32_t i = u->count; i-- > 0;) {
            more |= update(l, &u->blocks[i], 0);
            if (u->blocks[i].looped) more |= update(l, &u->blocks[i], 1);
        }
    }
}

/* Registers needed when a block begins, in whatever lanes. */
static native_set needed_at(const live_t *l, const native_block *b) {
    native_set set;
    need_t need;
    memset(&need, 0, sizeof need);
    need_block(&need, l, b, 1, 1);
    merge(need.all, need.active, V_WORDS);
    memcpy(set.v, need.all, sizeof set.v);
    memcpy(set.s, need.s, sizeof set.s);
    return set;
}

/* What changed in the turn counts as needed in it: it is saved where the wave waits, also on ways
 * on which it did not change. */
static void find_passed(live_t *l) {
    const native_unit *u = l->unit;
    l->turn = 1;
    find_needs(l);
    for (uint32_t i = 0; i < u->count; i++) {
        native_set in_turn = needed_at(l, &u->blocks[i]);
        native_live *out = &l->out[i];
        for (unsigned k = 0; k < V_WORDS; k++) out->passed.v[k] = out->needed.v[k] & ~in_turn.v[k];
        for (unsigned k = 0; k < S_WORDS; k++) out->passed.s[k] = out->needed.s[k] & ~in_turn.s[k];
    }
}

/* ---- what has changed ---- */
static void change(native_set *set, const op_t *o) {
    native_names n;
    native_names_of(o, &n);
    if (n.everything) memset(set, 0xff, sizeof *set);
    for (unsigned i = 0; i < n.write_count; i++) {
        native_range r = n.writes[i];
        set_range(r.scalar ? set->s : set->v, r.scalar ? S_WORDS : V_WORDS, r.first, r.count, 1);
    }
}

static int arrives(const live_t *l, const native_block *from, const native_set *changed,
                   const op_t *at) {
    const native_block *to = native_unit_block(l->unit, at);
    if (!to || native_saves_before(from, to)) return 0;
    return merge((uint64_t *)&l->came[to - l->unit->blocks], (const uint64_t *)changed,
                 sizeof *changed / 8);
}

static int pass_on(const live_t *l, const native_block *b) {
    const native_unit *u = l->unit;
    const op_t *last = b->first + b->count - 1;
    native_set changed = l->came[b - u->blocks];
    if (b->part != u->part) return 0;
    need_special(changed.s);
    for (uint32_t k = 0; k < b->count; k++) change(&changed, b->first + k);
    l->out[b - u->blocks].changed = changed;
    if (native_pauses(last)) return 0;
    int more = 0;
    if (native_is_branch(last)) more |= arrives(l, b, &changed, BRANCH_TARGET(last));
    if (last[1].row != NO_ROW) more |= arrives(l, b, &changed, last + 1);
    if (!native_is_indirect(last)) return more;
    for (uint32_t i = 0; i < u->count; i++)
        if (u->blocks[i].entered) more |= arrives(l, b, &changed, u->blocks[i].first);
    return more;
}

native_live *native_live_of(const native_unit *u) {
    live_t l = {.unit = u};
    l.needs = calloc(2 * (size_t)u->count, sizeof *l.needs);
    l.keeps = calloc(u->count, 1);
    l.came = calloc(u->count, sizeof *l.came);
    l.out = calloc(u->count, sizeof *l.out);
    int ok = l.needs && l.keeps && l.came && l.out;
    for (uint32_t i = 0; ok && i < u->count; i++)
        if (u->blocks[i].part == u->part)
            l.keeps[i] = full_records(&u->blocks[i]) == u->blocks[i].count;
    for (int more = ok; more;) {
        more = 0;
        for (uint32_t i = 0; i < u->count; i++) more |= pass_on(&l, &u->blocks[i]);
    }
    if (ok) find_needs(&l);
    for (uint32_t i = 0; ok && i < u->count; i++) l.out[i].needed = needed_at(&l, &u->blocks[i]);
    if (ok) find_passed(&l);
    free(l.needs);
    free(l.keeps);
    free(l.came);
    if (ok) return l.out;
    free(l.out);
    return NULL;
}
