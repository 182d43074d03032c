/* Decoding of VOP1, VOP2, VOPC, VOP3, VOP3SD and VOPD, with operand modifiers and DPP turned into
 * extra records. */
#include "emulator/decode_vector.h"

void vector_begin(decode_t *d, vector_t *v, unsigned encoding, unsigned opcode) {
    memset(v, 0, sizeof *v);
    d->row = emu_row_of(encoding, opcode);
    if (d->row == NO_ROW) {
        d->row = emu_internal_row(X_ILLEGAL);
        decode_fail(d, "undefined opcode");
    }
    v->row = &emu_rows[d->row];
    v->scalar_d = S_VCC;
}

static void point_at_temp(op_t *o, int i, unsigned temp) {
    o->kinds = (uint8_t)(o->kinds & ~(3u << (2 * i)));
    o->off[i] = (uint32_t)(offsetof(wave_t, v) + temp * sizeof(vreg_t));
}

/* Source temporaries are pairs behind v255: 256/257, 258/259, 260/261; the result goes to 262/263.
 */
static unsigned source_temp(int i) { return TEMP0 + 2u * (unsigned)i; }
#define RESULT_TEMP (TEMP0 + 6u)

/* quad_perm, shifts and rotations of a row by 1 to 15, mirrors, row_share, row_xmask. */
static int dpp16_defined(unsigned control) {
    unsigned kind = control >> 4;
    if (kind >= 0x10 && kind <= 0x12) return (control & 15) != 0;
    return kind < 0x10 || control == 0x140 || control == 0x141 || kind == 0x15 || kind == 0x16;
}

void vector_take_dpp(decode_t *d, vector_t *v) {
    if (v->dpp == DPP_16 && !dpp16_defined(v->dpp_control & 0x1ff))
        decode_fail(d, "undefined DPP control");
    op_t *o = decode_emit(d, emu_internal_row(v->dpp == DPP_16 ? X_DPP16 : X_DPP8));
    decode_source(d, o, 0, 256 + v->dpp_source, T_B32);
    o->d = (uint16_t)source_temp(0);
    o->k[1] = v->dpp_control;
    o->flags = (uint16_t)(v->dpp_fi ? F_GLC : 0);
    v->source_temp |= 1;
}

/* One record that applies |x| and -x; 64-bit floats carry their sign in the second register. */
static void emit_prepare(decode_t *d, vector_t *v, const op_t *main, int i) {
    unsigned type = v->row->sources[i];
    unsigned row = type == T_F64 ? X_PREP_B64 : X_PREP_B32;
    op_t *o = decode_emit(d, emu_internal_row(row));
    o->kinds = (uint8_t)src_kind(main, i);
    if (src_kind(main, i) == SRC_CONST) {
        o->off[0] = (uint32_t)offsetof(op_t, k);
        o->k[0] = main->k[i];
    } else {
        o->off[0] = main->off[i];
    }
    uint32_t sign = type_is16(type) || type == T_PKF16 ? 0x80008000u : 0x80000000u;
    o->d = (uint16_t)source_temp(i);
    o->k[1] = (v->abs >> i) & 1 ? ~sign : ~0u;
    o->k[2] = (v->neg >> i) & 1 ? sign : 0;
}

static unsigned post_row(unsigned type) {
    switch (type) {
    case T_F64:
        return X_POST_F64;
    case T_F16:
    case T_BF16:
        return X_POST_F16;
    case T_PKF16:
        return X_POST_PKF16;
    default:
        return X_POST_F32;
    }
}

static int wants_post(const vector_t *v) {
    unsigned type = v->row->destination;
    return (v->clamp || v->omod) && (type_is_float(type) || type == T_PKF16);
}

void vector_source(decode_t *d, const vector_t *v, op_t *o, int i) {
    if (v->source_temp >> i & 1) point_at_temp(o, i, source_temp(i));
    else decode_source(d, o, i, v->source[i], v->row->sources[i]);
}

static void fill_sources(decode_t *d, const vector_t *v, op_t *o) {
    for (int i = 0; i < v->row->source_count; i++) vector_source(d, v, o, i);
}

void vector_finish(decode_t *d, vector_t *v) {
    if (d->error) return;
    op_t main;
    memset(&main, 0, sizeof main);
    if (v->dpp && !(v->source_temp & 1)) vector_take_dpp(d, v);
    fill_sources(d, v, &main);
    for (int i = 0; i < v->row->source_count; i++) {
        if (!((v->neg | v->abs) >> i & 1) || v->keep_modifiers) continue;
        if (!type_is_float(v->row->sources[i]) && v->row->sources[i] != T_PKF16) continue;
        emit_prepare(d, v, &main, i);
        v->source_temp |= 1u << i;
    }
    int post = wants_post(v);
    op_t *o = decode_emit(d, d->row);
    fill_sources(d, v, o);
    o->d = (uint16_t)(post ? RESULT_TEMP : v->d);
    o->sd = (uint16_t)v->scalar_d;
    o->hi = (uint8_t)(post ? v->hi & 7 : v->hi);
    o->misc = (uint16_t)v->misc;
    o->flags = (uint16_t)((v->clamp ? F_CLAMP : 0) | (v->cmpx ? F_CMPX : 0));
    if (v->row->destination == T_S32) o->d = (uint16_t)decode_scalar_destination(v->d);
    if (post) {
        op_t *p = decode_emit(d, emu_internal_row(post_row(v->row->destination)));
        p->d = (uint16_t)v->d;
        p->hi = (uint8_t)(v->hi & 8);
        p->misc = (uint16_t)v->omod;
        p->flags = (uint16_t)(v->clamp ? F_CLAMP : 0);
        point_at_temp(p, 0, RESULT_TEMP);
    }
    if (v->dpp && !v->cmpx) decode_emit(d, emu_internal_row(X_DPP_END));
}

/* DPP8 and DPP16 take the place of source 0; the control word follows the instruction. */
static void read_dpp(decode_t *d, vector_t *v, unsigned code) {
    uint32_t x = decode_word(d, d->used);
    v->dpp_source = x & 0xff;
    v->dpp_control = x >> 8;
    if (code == 250) {
        v->dpp = DPP_16;
        v->dpp_fi = (x >> 18) & 1;
        v->neg |= (x >> 20 & 1) | (x >> 22 & 1) << 1;
        v->abs |= (x >> 21 & 1) | (x >> 23 & 1) << 1;
    } else {
        v->dpp = DPP_8;
        v->dpp_fi = code == 234;
    }
}

static int is_dpp(unsigned code) { return code == 250 || code == 233 || code == 234; }

/* In 32-bit encodings a 16-bit VGPR operand has 7 bits of number and one bit for the half. */
static unsigned short_register(vector_t *v, unsigned type, unsigned number, unsigned bit) {
    if (!type_is16(type)) return number;
    if (number & 0x80) v->hi |= 1u << bit;
    return number & 0x7f;
}

static void first_source(decode_t *d, vector_t *v, unsigned code) {
    if (is_dpp(code)) {
        read_dpp(d, v, code);
        v->dpp_source = short_register(v, v->row->sources[0], v->dpp_source, 0);
        v->source[0] = 256 + v->dpp_source;
    } else if (code >= 256) {
        v->source[0] = 256 + short_register(v, v->row->sources[0], code - 256, 0);
    } else {
        v->source[0] = code;
    }
}

static void decode_vop2(decode_t *d, vector_t *v, uint32_t w0) {
    unsigned opcode = (w0 >> 25) & 0x3f;
    vector_begin(d, v, ENC_VOP2, opcode);
    if (d->error) return;
    first_source(d, v, w0 & 0x1ff);
    v->source[1] = 256 + short_register(v, v->row->sources[1], (w0 >> 9) & 0xff, 1);
    v->d = short_register(v, v->row->destination, (w0 >> 17) & 0xff, 3);
    if (opcode == 44 || opcode == 55) { /* fmamk: s0 * K + s1 */
        v->source[2] = v->source[1];
        v->hi = (v->hi & ~4u) | (v->hi & 2) << 1;
        v->hi &= ~2u;
        v->source[1] = 255;
    } else if (opcode == 45 || opcode == 56) { /* fmaak: s0 * s1 + K */
        v->source[2] = 255;
    } else if (v->row->source_count == 3) {
        if (v->row->sources[2] == T_M) {
            v->source[2] = S_VCC;
        } else {
            v->source[2] = 256 + v->d;
            v->hi |= (v->hi & 8) >> 1;
        }
    }
}

void decode_vop12c(decode_t *d, uint32_t w0) {
    vector_t v;
    if (w0 >> 25 == 0x3f) {
        vector_begin(d, &v, ENC_VOP1, (w0 >> 9) & 0xff);
        if (d->error || !v.row->source_count) return;
        first_source(d, &v, w0 & 0x1ff);
        v.d = short_register(&v, v.row->destination, (w0 >> 17) & 0xff, 3);
    } else if (w0 >> 25 == 0x3e) {
        vector_begin(d, &v, ENC_VOPC, (w0 >> 17) & 0xff);
        if (d->error) return;
        v.cmpx = ((w0 >> 17) & 0x80) != 0;
        v.scalar_d = v.cmpx ? S_EXEC : S_VCC;
        first_source(d, &v, w0 & 0x1ff);
        v.source[1] = 256 + short_register(&v, v.row->sources[1], (w0 >> 9) & 0xff, 1);
    } else {
        decode_vop2(d, &v, w0);
    }
    vector_finish(d, &v);
}

/* A VOP3 opcode belongs to VOPC (0..0xff), VOP2 (0x100), VOP1 (0x180) or VOP3 itself. */
static void begin_vop3(decode_t *d, vector_t *v, unsigned opcode) {
    if (opcode < 0x100) vector_begin(d, v, ENC_VOPC, opcode);
    else if (opcode < 0x180) vector_begin(d, v, ENC_VOP2, opcode - 0x100);
    else if (opcode < 0x200) vector_begin(d, v, ENC_VOP1, opcode - 0x180);
    else if (emu_row_of(ENC_VOP3SD, opcode) != NO_ROW) vector_begin(d, v, ENC_VOP3SD, opcode);
    else vector_begin(d, v, ENC_VOP3, opcode);
}

static void opsel_halves(vector_t *v, uint32_t w0) {
    for (int i = 0; i < v->row->source_count; i++)
        if (type_is16(v->row->sources[i]) && (w0 >> (11 + i) & 1)) v->hi |= 1u << i;
    if (type_is16(v->row->destination) && (w0 >> 14 & 1)) v->hi |= 8;
}

void decode_vop3(decode_t *d, uint32_t w0) {
    uint32_t w1 = decode_word(d, 1);
    unsigned opcode = (w0 >> 16) & 0x3ff;
    vector_t v;
    begin_vop3(d, &v, opcode);
    if (d->error || !v.row->source_count) return;
    int has_scalar = v.row->encoding == ENC_VOP3SD || (opcode >= 0x120 && opcode <= 0x122);
    unsigned codes[3] = {w1 & 0x1ff, (w1 >> 9) & 0x1ff, (w1 >> 18) & 0x1ff};
    v.d = w0 & 0xff;
    v.neg = w1 >> 29;
    v.clamp = (w0 >> 15) & 1;
    v.omod = (w1 >> 27) & 3;
    v.misc = (w0 >> 11) & 15;
    if (has_scalar) {
        v.scalar_d = decode_scalar_destination((w0 >> 8) & 0x7f);
    } else {
        v.abs = (w0 >> 8) & 7;
        opsel_halves(&v, w0);
    }
    if (opcode < 0x100) {
        v.cmpx = (opcode & 0x80) != 0;
        v.scalar_d = v.cmpx ? S_EXEC : decode_scalar_destination(v.d);
    }
    for (int i = 0; i < 3; i++) v.source[i] = codes[i];
    if (opcode < 0x200 && v.row->source_count == 3 && v.row->sources[2] != T_M) {
        v.source[2] = 256 + v.d; /* fmac, dot2acc: the destination is the addend */
        v.hi |= (v.hi & 8) >> 1;
    }
    if (is_dpp(codes[0])) {
        uint32_t neg = v.neg, abs = v.abs;
        read_dpp(d, &v, codes[0]);
        v.neg = neg; /* VOP3 carries its own modifiers */
        v.abs = abs;
        v.source[0] = 256 + v.dpp_source;
    }
    vector_finish(d, &v);
}

/* ---- VOPD ---- */

typedef struct {
    unsigned opcode, d, source[3];
} half_t;

static void vopd_operands(half_t *h, unsigned src0, unsigned vsrc1) {
    h->source[0] = src0;
    h->source[1] = 256 + vsrc1;
    h->source[2] = 256 + h->d;
    if (h->opcode == 1) { /* fmaak */
        h->source[2] = 255;
    } else if (h->opcode == 2) { /* fmamk */
        h->source[2] = h->source[1];
        h->source[1] = 255;
    } else if (h->opcode == 9) {
        h->source[2] = S_VCC;
    }
}

static int reads(const half_t *h, unsigned reg, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (h->source[i] == 256 + reg) return 1;
    return 0;
}

static void emit_half(decode_t *d, const half_t *h, unsigned destination) {
    unsigned row = emu_row_of(ENC_VOPD, h->opcode);
    d->row = row;
    op_t *o = decode_emit(d, row);
    for (int i = 0; i < emu_rows[row].source_count; i++)
        decode_source(d, o, i, h->source[i], emu_rows[row].sources[i]);
    o->d = (uint16_t)destination;
}

/* Both halves read before either writes: the first result waits in a temporary when the second half
 * reads it. */
void decode_vopd(decode_t *d, uint32_t w0) {
    uint32_t w1 = decode_word(d, 1);
    half_t x = {(w0 >> 22) & 15, w1 >> 24, {0}}, y = {(w0 >> 17) & 31, 0, {0}};
    y.d = ((w1 >> 17) & 0x7f) << 1 | !(x.d & 1);
    unsigned row_y = emu_row_of(ENC_VOPD, y.opcode);
    if (emu_row_of(ENC_VOPD, x.opcode) == NO_ROW || row_y == NO_ROW) {
        decode_fail(d, "undefined dual-issue opcode");
        return;
    }
    vopd_operands(&x, w0 & 0x1ff, (w0 >> 9) & 0xff);
    vopd_operands(&y, w1 & 0x1ff, (w1 >> 9) & 0xff);
    int conflict = reads(&y, x.d, emu_rows[row_y].source_count);
    emit_half(d, &x, conflict ? RESULT_TEMP : x.d);
    emit_half(d, &y, y.d);
    if (conflict) {
        op_t *o = decode_emit(d, emu_internal_row(X_COPY_B32));
        o->d = (uint16_t)x.d;
        point_at_temp(o, 0, RESULT_TEMP);
    }
}
