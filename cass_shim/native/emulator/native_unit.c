/* Finds the basic blocks that a kernel entry reaches. Records never change once they are published,
 * so nothing is locked. */
#include "emulator/native_unit.h"

#include <stdlib.h>

#define BLOCKS_MAX 4096
#define RECORDS_MAX 3000 /* of one function: some 40 s of a processor */
#define SUM_WITHIN 12    /* records behind s_getpc_b64 */
#define PART_MAX 2000    /* of a kernel that is cut; a record in a loop stands there twice */

static int is_body(const op_t *o, const char *name) {
    return strcmp(emu_rows[o->row].name, name) == 0;
}

static int record_ends_block(const native_unit *u, const op_t *o) {
    return native_ends_block(o) || o[1].row == NO_ROW || native_unit_block(u, o + 1);
}

int native_is_branch(const op_t *o) {
    const emu_row *row = &emu_rows[o->row];
    return (row->encoding == ENC_SOPP && row->opcode >= 32 && row->opcode <= 38) ||
           (row->encoding == ENC_SOPK && row->opcode == 20) ||
           (row->encoding == ENC_INTERNAL && row->opcode == X_JUMP);
}

int native_is_indirect(const op_t *o) {
    return is_body(o, "s_setpc_b64") || is_body(o, "s_swappc_b64");
}

int native_is_barrier(const op_t *o) { return is_body(o, "s_barrier"); }

int native_pauses(const op_t *o) { return native_is_barrier(o) || is_body(o, "s_sleep"); }

int native_saves_before(const native_block *from, const native_block *to) {
    return to->looped && !from->looped;
}

int native_ends_block(const op_t *o) {
    const emu_row *row = &emu_rows[o->row];
    if (row->encoding == ENC_INTERNAL) return row->opcode <= X_REFUSED;
    return native_is_branch(o) || native_is_indirect(o) || native_pauses(o) ||
           is_body(o, "s_endpgm");
}

/* ---- the table of blocks ---- */
static uint32_t slot_of(const native_unit *u, const op_t *first) {
    uint32_t i = (uint32_t)((uintptr_t)first / sizeof(op_t) * 2654435761u) & (u->slot_count - 1);
    while (u->slots[i] && u->blocks[u->slots[i] - 1].first != first)
        i = (i + 1) & (u->slot_count - 1);
    return i;
}

const native_block *native_unit_block(const native_unit *u, const op_t *first) {
    uint32_t number = u->slots[slot_of(u, first)];
    return number ? &u->blocks[number - 1] : NULL;
}

static void add_block(native_unit *u, const op_t *first, int entered) {
    uint32_t slot = slot_of(u, first);
    if (!u->slots[slot]) {
        if (u->count == u->room) {
            u->failed = 1;
            return;
        }
        u->blocks[u->count] = (native_block){.first = first};
        u->slots[slot] = ++u->count;
    }
    u->blocks[u->slots[slot] - 1].entered |= (uint8_t)(entered != 0);
}

/* Register `d` plus a constant into itself, by this instruction; 0: it is another. */
static int adds_constant(const op_t *o, const char *name, unsigned d, uint32_t *constant) {
    if (!is_body(o, name) || o->d != d) return 0;
    for (int i = 0; i < 2; i++) {
        int other = 1 - i;
        if (src_kind(o, i) != SRC_SGPR || src_kind(o, other) != SRC_CONST) continue;
        if (o->off[i] != offsetof(wave_t, s) + 4 * d) continue;
        memcpy(constant, (const char *)o + o->off[other], 4);
        return 1;
    }
    return 0;
}

/* The function whose address is made from `o`, an s_getpc_b64, by the two sums that compilers put
 * behind it, as a block; what is outside the code (variables) is none. */
static void add_function(native_unit *u, const op_t *o) {
    uint32_t low, high, offset = o->pc + 4;
    const op_t *at = o + 1, *end = o + 1 + SUM_WITHIN;
    while (at->row != NO_ROW && at < end && !adds_constant(at, "s_add_u32", o->d, &low)) at++;
    if (at->row == NO_ROW || at == end) return;
    while (at->row != NO_ROW && at < end && !adds_constant(at, "s_addc_u32", o->d + 1u, &high))
        at++;
    if (at->row == NO_ROW || at == end) return;
    uint64_t to = offset + ((uint64_t)high << 32 | low);
    const op_t *first = emu_program_at(u->program, emu_program_base(u->program) + to);
    if (first) add_block(u, first, 1);
}

/* Adds the successors of the block at `o`, and the functions whose addresses it makes; a backward
 * branch's target is where a wave that gave way comes back. */
static void follow(native_unit *u, const op_t *o) {
    for (; o->row != NO_ROW && !native_ends_block(o); o++)
        if (u->follows && is_body(o, "s_getpc_b64")) add_function(u, o);
    if (o->row == NO_ROW) return;
    if (native_is_branch(o)) {
        const op_t *to = BRANCH_TARGET(o);
        int conditional = emu_rows[o->row].encoding == ENC_SOPP && emu_rows[o->row].opcode != 32;
        int call = emu_rows[o->row].encoding == ENC_SOPK;
        add_block(u, to, to->pc <= o->pc || call);
        if (conditional) add_block(u, o + 1, 0);
    } else if (native_pauses(o) || is_body(o, "s_swappc_b64")) {
        add_block(u, o + 1, 1);
    }
}

/* Blocks that a backward branch encloses, by address: they get a second copy for full waves. */
static void mark_loops(native_unit *u) {
    for (uint32_t i = 0; i < u->count; i++) {
        const op_t *o = u->blocks[i].first + u->blocks[i].count - 1;
        if (!native_is_branch(o) || BRANCH_TARGET(o)->pc > o->pc) continue;
        for (uint32_t k = 0; k < u->count; k++) {
            uint32_t pc = u->blocks[k].first->pc;
            u->blocks[k].looped |= pc >= BRANCH_TARGET(o)->pc && pc <= o->pc;
        }
    }
}

/* A block ends at a record of its own kind or where another block begins. */
static void measure(native_unit *u, native_block *b) {
    const op_t *o = b->first;
    b->at = u->records;
    b->seq = u->covered;
    for (int ends = 0; !ends; o++) {
        u->covered += (o->flags & F_COUNTED) != 0;
        ends = record_ends_block(u, o);
    }
    b->count = (uint32_t)(o - b->first);
    u->records += b->count + 1;
}

/* ---- parts ---- */
static int by_address(const void *a, const void *b) {
    const native_block *x = *(native_block *const *)a, *y = *(native_block *const *)b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* In order of address. A part that is half full ends in front of a block outside loops. */
static void cut(native_unit *u, native_block *const *order) {
    uint32_t weight = 0, part = 0;
    for (uint32_t i = 0; i < u->count; i++) {
        native_block *b = order[i];
        uint32_t more = b->looped ? 2 * b->count : b->count;
        if (weight && (weight + more > PART_MAX || (weight > PART_MAX / 2 && !b->looped))) {
            part++;
            weight = 0;
        }
        weight += more;
        b->part = (uint8_t)part;
        u->failed |= part >= NATIVE_PARTS;
    }
    u->parts = part + 1;
}

static void enter_from_elsewhere(const native_unit *u, const native_block *from,
                                 const op_t *first) {
    uint32_t number = u->slots[slot_of(u, first)];
    if (number && u->blocks[number - 1].part != from->part) u->blocks[number - 1].entered = 1;
}

/* A wave goes from part to part by leaving one and coming into the other. */
static void divide(native_unit *u) {
    u->parts = 1;
    if (u->records <= RECORDS_MAX) return;
    native_block **order = calloc(u->count, sizeof *order);
    u->failed |= !order;
    for (uint32_t i = 0; order && i < u->count; i++) order[i] = &u->blocks[i];
    if (order) qsort(order, u->count, sizeof *order, by_address);
    if (order) cut(u, order);
    free(order);
    for (uint32_t i = 0; i < u->count; i++) {
        const native_block *b = &u->blocks[i];
        const op_t *last = b->first + b->count - 1;
        if (native_is_branch(last)) enter_from_elsewhere(u, b, BRANCH_TARGET(last));
        if (last[1].row != NO_ROW) enter_from_elsewhere(u, b, last + 1);
    }
}

void native_unit_build(native_unit *u, struct emu_program *program, const op_t *entry,
                       uint32_t mode, const uint32_t *targets, unsigned target_count) {
    memset(u, 0, sizeof *u);
    u->program = program;
    u->mode = mode;
    u->follows = targets != NULL;
    u->room = BLOCKS_MAX;
    u->slot_count = 4 * BLOCKS_MAX;
    u->blocks = calloc(u->room, sizeof *u->blocks);
    u->slots = calloc(u->slot_count, sizeof *u->slots);
    if (!u->blocks || !u->slots) {
        u->failed = 1;
        return;
    }
    add_block(u, entry, 1);
    for (unsigned i = 0; i < target_count; i++) {
        const op_t *o = emu_program_at(program, emu_program_base(program) + targets[i]);
        if (o) add_block(u, o, 1);
    }
    for (uint32_t i = 0; i < u->count; i++) follow(u, u->blocks[i].first);
    for (uint32_t i = 0; i < u->count; i++) measure(u, &u->blocks[i]);
    mark_loops(u);
    divide(u);
    native_unit_select(u, 0);
}

void native_unit_select(native_unit *u, uint32_t part) {
    u->part = part;
    u->calls = 0;
    free(u->ways);
    u->ways = calloc(u->records, 1);
    u->failed |= !u->ways;
    if (u->ways) native_find_ways(u);
}

static const op_t *come_back(wave_t *w, const op_t *o) {
    (void)w;
    return o;
}

op_t *native_calls(const native_unit *u) {
    op_t *calls = calloc(2 * (size_t)u->calls + 1, sizeof *calls), *at = calls;
    for (uint32_t i = 0; calls && i < u->count; i++)
        for (uint32_t k = 0; k < u->blocks[i].count; k++) {
            if (!native_is_called(u, &u->blocks[i], k)) continue;
            *at++ = u->blocks[i].first[k];
            at++->fn = come_back;
        }
    return calls;
}

void native_unit_destroy(native_unit *u) {
    free(u->blocks);
    free(u->slots);
    free(u->ways);
    memset(u, 0, sizeof *u);
}
