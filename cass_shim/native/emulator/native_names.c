/* Registers that a record names, by family. Reads may be more than the body reads, writes more than
 * it writes; what is said to be written as a whole is (tests/native/native_names.c tries it). */
#include "emulator/native_names.h"

#include "emulator/native_unit.h"

static int starts(const char *name, const char *with) {
    return strncmp(name, with, strlen(with)) == 0;
}
static int holds(const char *name, const char *part) { return strstr(name, part) != NULL; }

static void add(native_range *ranges, unsigned *count, native_range range) {
    if (range.count && *count < NAMES_MAX) ranges[(*count)++] = range;
}
static void reads(native_names *n, unsigned first, unsigned count, int scalar, int whole) {
    add(n->reads, &n->read_count,
        (native_range){(uint16_t)first, (uint16_t)count, (uint8_t)scalar, (uint8_t)whole});
}
static void writes(native_names *n, unsigned first, unsigned count, int scalar, int whole) {
    add(n->writes, &n->write_count,
        (native_range){(uint16_t)first, (uint16_t)count, (uint8_t)scalar, (uint8_t)whole});
    if (scalar && first <= S_EXEC && first + count > S_EXEC) n->exec = EXEC_CHANGED;
}

/* Source i, `words` registers of it. */
static void reads_source(native_names *n, const op_t *o, int i, unsigned words, int whole) {
    unsigned scalars = (unsigned)offsetof(wave_t, s);
    if (src_kind(o, i) == SRC_VGPR && o->off[i] < scalars)
        reads(n, o->off[i] / (unsigned)sizeof(vreg_t), words, 0, whole);
    else if (src_kind(o, i) == SRC_SGPR) reads(n, (o->off[i] - scalars) / 4, words, 1, 0);
}

static int is_exec(const op_t *o, int i) {
    return src_kind(o, i) == SRC_SGPR && o->off[i] == offsetof(wave_t, s) + 4 * S_EXEC;
}

/* ---- scalar ---- */
static void scalar(native_names *n, const op_t *o, const emu_row *row) {
    for (int i = 0; i < row->source_count; i++)
        reads_source(n, o, i, type_words(row->sources[i]), 0);
    unsigned words = type_words(row->destination);
    if (starts(row->name, "s_setreg")) {
        reads_source(n, o, 0, 1, 0);
        return;
    }
    int keeps = starts(row->name, "s_cmov") || starts(row->name, "s_bitset");
    int constant = starts(row->name, "s_movk") || starts(row->name, "s_call");
    if (keeps || (row->encoding == ENC_SOPK && !constant)) reads(n, o->d, words, 1, 0);
    if (!starts(row->name, "s_cmpk")) writes(n, o->d, words, 1, !keeps);
    int and = starts(row->name, "s_and_b32") || starts(row->name, "s_and_not1_b32");
    if (n->exec && and && is_exec(o, 0)) n->exec = EXEC_NARROWED;
    if (holds(row->name, "saveexec")) n->exec = EXEC_CHANGED;
    if (holds(row->name, "wrexec")) n->exec = EXEC_CHANGED;
    if (starts(row->name, "s_and_saveexec_b32") && o->d != S_EXEC) n->exec = EXEC_NARROWED;
}

static void scalar_load(native_names *n, const op_t *o, const emu_row *row) {
    reads_source(n, o, 0, 4, 0);
    reads_source(n, o, 1, 1, 0);
    writes(n, o->d, type_words(row->destination), 1, 1);
}

/* ---- vector ---- */
static int crosses_lanes(const char *name) {
    return holds(name, "lane") || holds(name, "permute") || holds(name, "swizzle");
}

static void vector(native_names *n, const op_t *o, const emu_row *row) {
    int whole = crosses_lanes(row->name), swaps = starts(row->name, "v_swap");
    for (int i = 0; i < row->source_count; i++) /* a mask in a VGPR is that of lane 0 */
        reads_source(n, o, i, type_words(row->sources[i]), whole || row->sources[i] == T_M);
    if (o->flags & F_CMPX) n->exec = EXEC_NARROWED;
    else if (row->encoding == ENC_VOPC || row->encoding == ENC_VOP3SD || holds(row->name, "_co_"))
        writes(n, o->sd, 1, 1, row->encoding == ENC_VOPC);
    if (row->destination == T_M) return;
    if (row->destination == T_S32) {
        writes(n, o->d, 1, 1, 1);
        return;
    }
    unsigned words = type_words(row->destination);
    if (swaps) {
        reads(n, o->d, 1, 0, 0);
        writes(n, o->d, 1, 0, 0);
        writes(n, o->off[0] / (unsigned)sizeof(vreg_t), 1, 0, 0);
    } else if (whole) { /* v_writelane, v_permlane: other lanes are kept */
        reads(n, o->d, words, 0, 1);
        writes(n, o->d, words, 0, 0);
    } else {
        if (type_is16(row->destination)) reads(n, o->d, words, 0, 0); /* the other half */
        writes(n, o->d, words, 0, 1);
    }
}

/* Records of the decoder's own: operand modifiers and DPP. */
static void internal(native_names *n, const op_t *o, const emu_row *row) {
    int dpp = row->opcode == X_DPP16 || row->opcode == X_DPP8;
    switch (row->opcode) {
    case X_JUMP:
    case X_DPP_END:
    case X_VOPD_END:
        return;
    case X_ILLEGAL:
    case X_REFUSED:
        n->everything = 1;
        return;
    default:
        break;
    }
    unsigned words =
        row->opcode == X_PREP_B64 || row->opcode == X_POST_F64 || row->opcode == X_COPY_B64 ? 2 : 1;
    reads_source(n, o, 0, words, dpp);
    if (row->opcode == X_POST_F16) reads(n, o->d, 1, 0, 0);
    writes(n, o->d, words, 0, 1);
}

/* ---- memory ---- */
static unsigned words_of(const char *name) {
    unsigned words = holds(name, "b128") ? 4 : holds(name, "b96") ? 3 : holds(name, "b64") ? 2 : 1;
    return holds(name, "2addr") ? words * 2 : words;
}

/* Whether an access that is neither a plain load nor a store writes registers. */
static int returns(const op_t *o, const char *name, int lds) {
    if (!lds) return holds(name, "_load_") || o->flags & F_GLC;
    return holds(name, "_rtn") || holds(name, "_load_") || holds(name, "append") ||
           holds(name, "consume") || crosses_lanes(name);
}

static void memory(native_names *n, const op_t *o, const emu_row *row) {
    const char *name = row->name;
    int lds = row->encoding == ENC_DS, whole = lds && crosses_lanes(name);
    reads_source(n, o, 0, lds || row->encoding == ENC_SCRATCH ? 1 : 2, whole);
    if (o->flags & F_SADDR) reads_source(n, o, 1, 2, 0);
    if (holds(name, "_load_") && !holds(name, "_d16")) {
        writes(n, o->d, words_of(name), 0, 1);
    } else if (holds(name, "_store_") && !holds(name, "xchg")) {
        unsigned words = holds(name, "b128") || holds(name, "b96") ? 4 : holds(name, "b64") ? 2 : 1;
        reads(n, o->sd, words, 0, 0);
        if (holds(name, "2addr")) reads(n, o->misc, words, 0, 0);
    } else {
        reads(n, o->sd, 4, 0, whole);
        if (lds) reads(n, o->misc, 4, 0, whole);
        if (!returns(o, name, lds)) return;
        reads(n, o->d, 4, 0, whole);
        writes(n, o->d, 4, 0, 0);
    }
}

void native_names_of(const op_t *o, native_names *n) {
    const emu_row *row = &emu_rows[o->row];
    memset(n, 0, sizeof *n);
    if (holds(row->name, "movrel") || holds(row->name, "swaprel")) {
        n->everything = 1;
        return;
    }
    switch (row->encoding) {
    case ENC_SOPP:
        return;
    case ENC_SOP1:
    case ENC_SOP2:
    case ENC_SOPC:
    case ENC_SOPK:
        scalar(n, o, row);
        return;
    case ENC_SMEM:
        scalar_load(n, o, row);
        return;
    case ENC_INTERNAL:
        internal(n, o, row);
        return;
    case ENC_DS:
    case ENC_GLOBAL:
    case ENC_FLAT:
    case ENC_SCRATCH:
        memory(n, o, row);
        return;
    case ENC_MUBUF:
    case ENC_MIMG:
        n->everything = 1;
        return;
    default:
        if (starts(row->name, "v_wmma")) n->everything = 1;
        else vector(n, o, row);
        if (n->exec == EXEC_CHANGED) n->everything = 1; /* a carry that goes to EXEC */
        return;
    }
}
