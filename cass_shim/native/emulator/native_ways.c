/* How translated code executes each instruction: inline, by the interpreter's body, or not at all.
 */
#include "emulator/native_unit.h"

#include <stdlib.h>

#define MODE_REGISTER 1 /* of s_setreg */
#define MODE_UNKNOWN 0x100u
#define USUAL_16_64 0xc0u /* f16 and f64 round to nearest and keep subnormals, as the host does */
#define BITS_16_64 0xccu
#define BITS_32 0x33u
#define LONG_MAX 64 /* long instructions in loops */
#define ONCE_MAX 16 /* accesses to memory outside loops */

static int starts(const op_t *o, const char *with) {
    return strncmp(emu_rows[o->row].name, with, strlen(with)) == 0;
}
static int holds(const op_t *o, const char *part) {
    return strstr(emu_rows[o->row].name, part) != NULL;
}

/* Loads, stores and counting have bodies in native_memory.h; those of scratch where all lanes share
 * the address. */
static unsigned memory_way(const op_t *o, unsigned encoding) {
    int narrow = holds(o, "8") || holds(o, "16");
    if (encoding == ENC_SCRATCH)
        return o->flags & F_VADDR || (narrow && !holds(o, "b128")) ? WAY_CALL : WAY_TRY;
    int plain = holds(o, "_load_") || holds(o, "_store_") || starts(o, "ds_add_u32");
    return plain && !holds(o, "addtid") ? WAY_TRY : WAY_CALL;
}

/* Called are also: what moves registers that are known at run time only, reads clocks, or ends the
 * wave's run. */
static unsigned usual_way(const op_t *o) {
    static const char *const called[] = {"s_getreg",  "s_sendmsg_rtn", "s_movrel",
                                         "v_movrel",  "v_swaprel",     "v_wmma",
                                         "s_sethalt", "s_trap",        "s_rfe"};
    const emu_row *row = &emu_rows[o->row];
    switch (row->encoding) {
    case ENC_INTERNAL:
        return row->opcode == X_ILLEGAL || row->opcode == X_REFUSED ? WAY_LEAVE : WAY_INLINE;
    case ENC_DS:
    case ENC_GLOBAL:
    case ENC_FLAT:
    case ENC_SCRATCH:
        return memory_way(o, row->encoding);
    case ENC_SMEM:
    case ENC_MUBUF:
    case ENC_MIMG:
        return WAY_CALL;
    default:
        break;
    }
    for (size_t i = 0; i < sizeof called / sizeof *called; i++)
        if (starts(o, called[i])) return WAY_CALL;
    return starts(o, "s_setkill") ? WAY_LEAVE : WAY_INLINE;
}

/* What goes through lanes one by one: many loops in one function take long to compile, and their
 * bodies cost more than going to the interpreter's. */
static int is_long(const op_t *o) {
    static const char *const parts[] = {
        "16",   "f64",   "_u64",  "_i64",  "pk_",    "dot",    "sad",    "24",   "cvt", "mix",
        "cube", "div_",  "rcp",   "rsq",   "sqrt",   "exp",    "log",    "sin",  "cos", "floor",
        "ceil", "trunc", "rndne", "fract", "3_f32",  "minmax", "maxmin", "bcnt", "clz", "ctz",
        "cls",  "bfrev", "mbcnt", "perm",  "hi_u32", "hi_i32", "class"};
    const emu_row *row = &emu_rows[o->row];
    if (row->encoding == ENC_INTERNAL)
        return row->opcode == X_POST_F16 || row->opcode == X_POST_F32 ||
               row->opcode == X_POST_F64 || row->opcode == X_POST_PKF16;
    if (row->name[0] != 'v' || starts(o, "v_mad_u64_u32") || starts(o, "v_ashrrev_i64")) return 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (holds(o, parts[i])) return 1;
    return 0;
}

/* ---- MODE ---- */
int native_sets_mode(const op_t *o) {
    return starts(o, "s_round_mode") || starts(o, "s_denorm_mode") || starts(o, "s_setreg");
}

/* The low byte of MODE behind the instruction. */
static uint32_t mode_behind(const op_t *o, uint32_t mode) {
    unsigned id = o->misc & 63, offset = o->misc >> 6 & 31, size = (o->misc >> 11) + 1u;
    uint32_t mask = (size < 32 ? (1u << size) - 1 : ~0u) << offset, x;
    if (mode == MODE_UNKNOWN || !native_sets_mode(o)) return mode;
    if (starts(o, "s_round_mode")) return (mode & ~15u) | (o->misc & 15u);
    if (starts(o, "s_denorm_mode")) return (mode & ~0xf0u) | (o->misc & 15u) << 4;
    if (id != MODE_REGISTER || !(mask & 0xff)) return mode;
    if (src_kind(o, 0) != SRC_CONST) return MODE_UNKNOWN;
    memcpy(&x, (const char *)o + o->off[0], 4);
    return ((mode & ~mask) | (x << offset & mask)) & 0xff;
}

/* Whether code made for `made_for` computes otherwise than MODE says: it knows the rules of f32,
 * and the usual ones of f16 and f64. */
static int is_wrong_in(const op_t *o, uint32_t mode, uint32_t made_for) {
    const emu_row *row = &emu_rows[o->row];
    int internal = row->encoding == ENC_INTERNAL;
    int other32 = mode == MODE_UNKNOWN || ((mode ^ made_for) & BITS_32);
    int other16 = mode == MODE_UNKNOWN || (mode & BITS_16_64) != USUAL_16_64;
    int is32 = internal ? row->opcode == X_POST_F32 : holds(o, "f32") || holds(o, "mix");
    int is16 = internal ? row->opcode == X_POST_F16 || row->opcode == X_POST_F64 ||
                              row->opcode == X_POST_PKF16
                        : holds(o, "f16") || holds(o, "f64") || holds(o, "mix");
    return (other32 && is32) || (other16 && is16);
}

/* MODE may change between instructions of a block when it comes back: what computes otherwise in
 * between is called. `until`: the record behind which it has come back for the last time. */
static void put_ways(native_unit *u, const native_block *b, uint32_t until, int calls_long,
                     int calls_memory) {
    uint32_t mode = u->mode;
    for (uint32_t k = 0; k < b->count; k++) {
        const op_t *o = b->first + k;
        unsigned way = usual_way(o);
        if (native_sets_mode(o)) way = k < until ? WAY_CALL : WAY_LEAVE;
        else if (way == WAY_INLINE && is_wrong_in(o, mode, u->mode)) way = WAY_CALL;
        else if (way == WAY_INLINE && calls_long && is_long(o)) way = WAY_CALL;
        if (way == WAY_TRY && calls_memory) way = WAY_CALL;
        mode = mode_behind(o, mode);
        u->calls += way >= WAY_TRY;
        u->ways[b->at + k] = (uint8_t)way;
        if (way == WAY_LEAVE && emu_rows[o->row].encoding != ENC_INTERNAL)
            u->leaves = emu_rows[o->row].name;
    }
}

/* Records in loops that are long; or outside that access memory. */
static uint32_t count_costly(const native_unit *u, int looped) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < u->count; i++) {
        const native_block *b = &u->blocks[i];
        for (uint32_t k = 0; b->part == u->part && b->looped == looped && k < b->count; k++)
            count += looped ? (uint32_t)is_long(b->first + k) : usual_way(b->first + k) == WAY_TRY;
    }
    return count;
}

void native_find_ways(native_unit *u) {
    int many_long = count_costly(u, 1) > LONG_MAX, many_once = count_costly(u, 0) > ONCE_MAX;
    for (uint32_t i = 0; i < u->count; i++) {
        native_block *b = &u->blocks[i];
        uint32_t mode = u->mode, until = 0;
        if (b->part != u->part) continue; /* WAY_LEAVE, all of it */
        for (uint32_t k = 0; k < b->count; k++) {
            mode = mode_behind(b->first + k, mode);
            if (native_sets_mode(b->first + k) && mode == u->mode) until = k + 1;
        }
        b->calls = u->calls;
        put_ways(u, b, until, many_long || !b->looped, many_once && !b->looped);
    }
}

unsigned native_way(const native_unit *u, const native_block *b, uint32_t k) {
    return u->ways[b->at + k];
}

int native_is_called(const native_unit *u, const native_block *b, uint32_t k) {
    return native_way(u, b, k) >= WAY_TRY;
}
