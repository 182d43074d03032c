/* Which registers an instruction touches and which it fills later, and the records that say so to
 * pending.c. Fields: AMD RDNA3 ISA, "Microcode Formats"; as verify/waits.py reads them from code.
 */
#include "emulator/image.h"
#include "emulator/native_names.h"
#include "emulator/pending.h"

static int holds(const char *name, const char *part) { return strstr(name, part) != NULL; }

static int crosses_lanes(const char *name) {
    return holds(name, "permute") || holds(name, "swizzle");
}

/* The record of the opcode itself, behind the decoder's own and checks (align_check.c). */
static const op_t *main_record(const op_t *ops, unsigned count) {
    while (count-- > 0)
        if (emu_rows[ops[count].row].encoding != ENC_INTERNAL) return &ops[count];
    return NULL;
}

/* Dwords of one element that a memory instruction names. */
static unsigned element_words(const char *name) {
    static const char *const doubles[] = {"_b64", "_u64", "_i64", "_f64"};
    if (holds(name, "_b128")) return 4;
    if (holds(name, "_b96")) return 3;
    for (unsigned i = 0; i < 4; i++)
        if (holds(name, doubles[i])) return 2;
    const char *format = strstr(name, "_format_");
    return format ? (unsigned)strlen(format + strlen("_format_")) : 1;
}

static unsigned image_words(const op_t *o, const char *name) {
    unsigned count = holds(name, "gather4") ? 4 : (unsigned)__builtin_popcount(image_dmask(o));
    if (image_flag(o, IMAGE_D16)) count = (count + 1) / 2;
    return count ? count : 1;
}

/* ---- what comes later ---- */
static void late_ds(const op_t *o, const char *name, late_t *late) {
    int load = holds(name, "_load_") || crosses_lanes(name);
    late->counters = COUNT_LGKM;
    late->ordered = 1;
    late->store = !load;
    if (!load && !holds(name, "_rtn") && !holds(name, "append") && !holds(name, "consume")) return;
    late->first = o->d;
    late->count = element_words(name) * (holds(name, "2addr") ? 2 : 1);
}

static void late_vector(const op_t *o, const emu_row *row, late_t *late) {
    int image = row->encoding == ENC_MIMG, flat = row->encoding == ENC_FLAT;
    int stores = holds(row->name, "_store"), atomic = holds(row->name, "_atomic_");
    int returns = !stores && (!atomic || o->flags & F_GLC);
    late->counters = returns ? COUNT_VM : COUNT_VS;
    if (flat) late->counters |= COUNT_LGKM; /* it may go to LDS */
    late->ordered = 1;
    late->store = !returns && row->encoding != ENC_SCRATCH;
    if (!returns) return;
    late->first = o->d;
    late->count = image ? image_words(o, row->name) : element_words(row->name);
}

int emu_late_result(const op_t *ops, unsigned count, late_t *late) {
    const op_t *o = main_record(ops, count);
    if (!o) return 0;
    const emu_row *row = &emu_rows[o->row];
    memset(late, 0, sizeof *late);
    late->bits = holds(row->name, "d16_hi") ? 0xffff0000u : holds(row->name, "d16") ? 0xffffu : ~0u;
    switch (row->encoding) {
    case ENC_SOP1:
        if (!holds(row->name, "s_sendmsg_rtn")) return 0;
        /* fall through */
    case ENC_SMEM:
        *late = (late_t){o->d, type_words(row->destination), COUNT_LGKM, ~0u, 1, 0, 0};
        if (late->first + late->count > 128) late->count = 0; /* NULL */
        return 1;
    case ENC_DS:
        late_ds(o, row->name, late);
        return 1;
    case ENC_FLAT:
    case ENC_GLOBAL:
    case ENC_SCRATCH:
    case ENC_MUBUF:
    case ENC_MIMG:
        late_vector(o, row, late);
        return 1;
    default:
        return 0;
    }
}

/* ---- what is touched at once ---- */
typedef struct {
    touched_t *ranges;
    unsigned count;
} list_t;

static void add(list_t *list, unsigned first, unsigned count, int scalar, int whole) {
    unsigned limit =
        scalar ? 128 : VGPRS; /* behind them constants, and the decoder's temporaries */
    if (!count || first + count > limit || list->count == TOUCHED_MAX) return;
    list->ranges[list->count++] = (touched_t){first, count, scalar, whole};
}

static void add_source(list_t *list, const op_t *o, int i, unsigned words, int whole) {
    unsigned scalars = (unsigned)offsetof(wave_t, s);
    if (src_kind(o, i) == SRC_VGPR)
        add(list, o->off[i] / (unsigned)sizeof(vreg_t), words, 0, whole);
    else if (src_kind(o, i) == SRC_SGPR) add(list, (o->off[i] - scalars) / 4, words, 1, 0);
}

static void touched_ds(const op_t *o, const char *name, list_t *list) {
    int whole = crosses_lanes(name);
    unsigned words = element_words(name);
    if (holds(name, "append") || holds(name, "consume")) return;
    if (!holds(name, "addtid")) add_source(list, o, 0, 1, whole);
    if (holds(name, "_load_") || holds(name, "swizzle")) return;
    add(list, o->sd, words, 0, whole);
    if (holds(name, "2addr") || holds(name, "cmpstore") || holds(name, "mskor") ||
        holds(name, "wrap"))
        add(list, o->misc, words, 0, 0);
}

static void touched_flat(const op_t *o, const emu_row *row, list_t *list) {
    int scratch = row->encoding == ENC_SCRATCH, based = (o->flags & F_SADDR) != 0;
    int addressed = scratch ? (o->flags & F_VADDR) != 0 : !holds(row->name, "addtid");
    if (addressed) add_source(list, o, 0, scratch || based ? 1 : 2, 0);
    if (based) add_source(list, o, 1, scratch ? 1 : 2, 0);
    if (!holds(row->name, "_load_"))
        add(list, o->sd, element_words(row->name) * (holds(row->name, "cmpswap") ? 2 : 1), 0, 0);
}

static void touched_buffer(const op_t *o, const emu_row *row, list_t *list) {
    unsigned addresses = ((o->flags & F_OFFEN) != 0) + ((o->flags & F_IDXEN) != 0);
    if (addresses) add_source(list, o, 0, addresses, 0);
    add_source(list, o, 1, 4, 0);
    add_source(list, o, 2, 1, 0);
    if (!holds(row->name, "_load_"))
        add(list, o->sd, element_words(row->name) * (holds(row->name, "cmpswap") ? 2 : 1), 0, 0);
}

/* Of the addresses the texel's; what others (levels, gradients, offsets) stand before is not known
 * here. */
static void touched_image(const op_t *o, const emu_row *row, list_t *list) {
    unsigned count = image_coordinates(image_dim(o));
    int sampled = holds(row->name, "sample") || holds(row->name, "gather4");
    if (image_flag(o, IMAGE_A16)) count = (count + 1) / 2;
    for (unsigned i = 0; i < count && !holds(row->name, "resinfo"); i++)
        add(list, image_register(o, i), 1, 0, 0);
    add_source(list, o, 1, 8, 0);
    if (sampled) add_source(list, o, 2, 4, 0);
    if (holds(row->name, "_store") || holds(row->name, "_atomic_"))
        add(list, o->sd, image_words(o, row->name), 0, 0);
}

/* As the second back end has it, which is tried against the bodies, but for what that leaves open.
 */
static void touched_others(const op_t *o, const emu_row *row, list_t *list) {
    native_names names;
    native_names_of(o, &names);
    for (unsigned i = 0; i < names.read_count; i++)
        add(list, names.reads[i].first, names.reads[i].count, names.reads[i].scalar,
            names.reads[i].whole);
    for (unsigned i = 0; i < names.write_count; i++)
        add(list, names.writes[i].first, names.writes[i].count, names.writes[i].scalar, 0);
    if (holds(row->name, "v_wmma")) {
        for (int i = 0; i < row->source_count; i++)
            add_source(list, o, i, type_words(row->sources[i]), 0);
        add(list, o->d, type_words(row->destination), 0, 0);
    }
    if (holds(row->name, "s_cbranch_vcc")) add(list, S_VCC, 1, 1, 0);
}

unsigned emu_touched(const op_t *ops, unsigned count, touched_t *ranges) {
    list_t list = {ranges, 0};
    const op_t *o = main_record(ops, count);
    const emu_row *row = o ? &emu_rows[o->row] : NULL;
    switch (row ? row->encoding : ENC_INTERNAL) {
    case ENC_SMEM:
        add_source(&list, o, 0, holds(row->name, "buffer") ? 4 : 2, 0);
        add_source(&list, o, 1, 1, 0);
        break;
    case ENC_DS:
        touched_ds(o, row->name, &list);
        break;
    case ENC_FLAT:
    case ENC_GLOBAL:
    case ENC_SCRATCH:
        touched_flat(o, row, &list);
        break;
    case ENC_MUBUF:
        touched_buffer(o, row, &list);
        break;
    case ENC_MIMG:
        touched_image(o, row, &list);
        break;
    default:
        for (o = ops; o < ops + count; o++) touched_others(o, &emu_rows[o->row], &list);
    }
    return list.count;
}

/* ---- records ---- */
static op_t record(const decode_t *d, unsigned which) {
    op_t o;
    memset(&o, 0, sizeof o);
    unsigned row = emu_internal_row(which);
    o.fn = emu_selected_variant()->handlers[row];
    o.row = (uint16_t)row;
    o.pc = d->pc;
    return o;
}

/* A wait has no record of its own. Fields: s_waitcnt has vmcnt in bits 10 to 15, lgkmcnt in 4 to 9;
 * of the single ones with a register, which no compiler writes, nothing is taken as shown. */
static unsigned await_record(const decode_t *d, op_t *out) {
    const emu_row *row = &emu_rows[d->row];
    uint32_t word = d->words[0];
    unsigned vm = NO_WAIT, lgkm = NO_WAIT, vs = NO_WAIT;
    if (row->encoding == ENC_SOPP && row->opcode == 9) {
        vm = word >> 10 & 63;
        lgkm = word >> 4 & 63;
    } else if (row->encoding == ENC_SOPP && row->opcode == 10) { /* s_wait_idle */
        vm = lgkm = vs = 0;
    } else if (row->encoding == ENC_SOPK && (word >> 16 & 0x7f) == S_NULL) {
        if (row->opcode == 24) vs = word & 63;
        if (row->opcode == 25) vm = word & 63;
        if (row->opcode == 27) lgkm = word & 63;
    }
    if (vm == NO_WAIT && lgkm == NO_WAIT && vs == NO_WAIT) return 0;
    *out = record(d, X_AWAIT);
    out->misc = (uint16_t)(vm | lgkm << 8);
    out->k[0] = vs;
    return 1;
}

static unsigned touch_records(const decode_t *d, op_t *out) {
    touched_t ranges[TOUCHED_MAX];
    unsigned count = emu_touched(d->out, d->count, ranges), made = 0;
    for (unsigned i = 0; i < count; i += 6) {
        uint32_t packed[6] = {0};
        unsigned part = count - i < 6 ? count - i : 6;
        for (unsigned k = 0; k < part; k++) {
            const touched_t *t = &ranges[i + k];
            packed[k] = t->first | t->count << 8 | (uint32_t)t->scalar << 16 |
                        (uint32_t)(t->whole != 0) << 17;
        }
        out[made] = record(d, X_TOUCH);
        out[made].misc = (uint16_t)part;
        memcpy(out[made++].k, packed, sizeof packed);
    }
    return made;
}

static unsigned issued_record(const decode_t *d, op_t *out) {
    late_t late;
    if (!emu_late_result(d->out, d->count, &late)) return 0;
    *out = record(d, X_ISSUED);
    out->d = (uint16_t)late.first;
    out->misc = (uint16_t)(late.count | late.counters << 8);
    out->flags = (uint16_t)((late.scalar ? F_SADDR : 0) | (late.ordered ? F_CMPX : 0) |
                            (late.store ? F_GLC : 0));
    out->k[0] = late.bits;
    return 1;
}

unsigned emu_pending_records(const decode_t *d, op_t *out) {
    const emu_row *row = &emu_rows[d->row];
    if (!d->count) return await_record(d, out);
    unsigned count = 0;
    if (row->encoding == ENC_SOPP && row->opcode == 61) out[count++] = record(d, X_MEET);
    if (!d->error) count += touch_records(d, out);
    memcpy(out + count, d->out, d->count * sizeof *out);
    count += d->count;
    if (!d->error) count += issued_record(d, out + count);
    return count;
}
