/* How true a kernel's instructions are to the hardware, counted over its code. In: a program and an
 * entry. Out: counts by the marks of the opcode rows (isa/rdna3: `~2` is a bound in ULP, `!` is not
 * implemented). Instructions that do nothing here (waits, hints) have no record and do not count.
 */
#include "emulator/decode.h"

#include <stdlib.h>

#define CALLEES_MAX 1024

typedef struct {
    uint8_t *seen; /* a bit a word of the text */
    const op_t **open;
    size_t open_count;
    int calls;
    emu_fidelity found;
} walk_t;

static int is_internal(const op_t *o, unsigned which) {
    return emu_rows[o->row].encoding == ENC_INTERNAL && emu_rows[o->row].opcode == which;
}

static int is_indirect_jump(const op_t *o) {
    const emu_row *row = &emu_rows[o->row];
    return row->encoding == ENC_SOP1 && (row->opcode == 72 || row->opcode == 73);
}

static int first_time(walk_t *w, const op_t *o) {
    uint32_t word = o->pc / 4;
    uint8_t bit = (uint8_t)(1u << (word % 8)), before = w->seen[word / 8];
    w->seen[word / 8] |= bit;
    return !(before & bit);
}

/* Counts the instruction that begins with `o`: the records of its rows tell, others serve them
 * (modifiers, DPP). The record behind it. */
static const op_t *count_one(walk_t *w, const op_t *o) {
    unsigned ulp = 0;
    int illegal = 0;
    do {
        if (is_internal(o, X_ILLEGAL)) illegal = 1;
        if (emu_rows[o->row].ulp > ulp) ulp = emu_rows[o->row].ulp;
        if (is_indirect_jump(o)) w->calls = 1;
        if (emu_is_branch(o)) w->open[w->open_count++] = BRANCH_TARGET(o);
        o++;
    } while (o->row != NO_ROW && !(o->flags & F_COUNTED) && !is_internal(o, X_JUMP));
    if (illegal) w->found.unsupported++;
    else if (ulp) w->found.approximate++;
    else w->found.exact++;
    if (ulp > w->found.ulp) w->found.ulp = ulp;
    return o;
}

/* From `o` on, up to what was counted before, a jump that decoding made, or the end of its run. */
static void walk(walk_t *w, const op_t *o) {
    while (o->row != NO_ROW) {
        if (is_internal(o, X_AWAIT) || is_internal(o, X_TOUCH) || is_internal(o, X_MEET)) {
            o++;
            continue;
        }
        if (is_internal(o, X_JUMP)) o = BRANCH_TARGET(o);
        if (!(o->flags & F_COUNTED) || !first_time(w, o)) return; /* not: the end of the code */
        o = count_one(w, o);
    }
}

static void walk_all(walk_t *w) {
    while (w->open_count) walk(w, w->open[--w->open_count]);
}

emu_fidelity emu_program_fidelity(emu_program *program, uint64_t entry) {
    size_t words = emu_program_words(program);
    walk_t w = {.seen = calloc(1, words / 8 + 1),
                .open = malloc((words + CALLEES_MAX + 1) * sizeof *w.open)};
    const op_t *first = emu_program_at(program, entry);
    if (w.seen && w.open && first) {
        w.open[w.open_count++] = first;
        walk_all(&w);
        if (w.calls) {
            w.open_count = emu_program_callees(program, w.open, CALLEES_MAX);
            walk_all(&w);
        }
    }
    free(w.seen);
    free(w.open);
    return w.found;
}
