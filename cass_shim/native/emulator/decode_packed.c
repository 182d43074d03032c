/* Decoding of VOP3P: half selection and sign changes become one extra record per source, so bodies
 * stay plain. */
#include "emulator/decode_vector.h"

enum {
    OP_DOT4_IU8 = 22,
    OP_DOT8_IU4 = 24,
    OP_MIX_FIRST = 32,
    OP_MIX_LAST = 34,
    OP_WMMA_FIRST = 64,
    OP_WMMA_LAST = 69
};

static int is_packed(unsigned type) {
    return type == T_PKF16 || type == T_PK16 || type == T_PKBF16;
}

/* For packed sources: pick the half for each result half, then flip signs. */
static void emit_select(decode_t *d, vector_t *v, int i, unsigned low_half, unsigned high_half,
                        uint32_t flip) {
    op_t source = {0};
    vector_source(d, v, &source, i);
    op_t *o = decode_emit(d, emu_internal_row(X_PREP_PACKED));
    o->kinds = (uint8_t)src_kind(&source, i);
    o->off[0] = source.off[i];
    if (src_kind(&source, i) == SRC_CONST) {
        o->off[0] = (uint32_t)offsetof(op_t, k);
        o->k[0] = source.k[i];
    }
    o->d = (uint16_t)(TEMP0 + 2u * (unsigned)i);
    o->misc = (uint16_t)(low_half | high_half << 1);
    o->k[1] = flip;
    v->source_temp |= 1u << i;
}

static void decode_packed_sources(decode_t *d, vector_t *v, uint32_t w0, uint32_t w1) {
    unsigned op_sel = (w0 >> 11) & 7, op_sel_hi = ((w1 >> 27) & 3) | (w0 >> 14 & 1) << 2;
    unsigned neg_lo = w1 >> 29, neg_hi = (w0 >> 8) & 7;
    for (int i = 0; i < v->row->source_count; i++) {
        if (!is_packed(v->row->sources[i])) continue;
        unsigned low = op_sel >> i & 1, high = op_sel_hi >> i & 1;
        uint32_t flip = (neg_lo >> i & 1 ? 0x8000u : 0) | (neg_hi >> i & 1 ? 0x80000000u : 0);
        if (v->row->sources[i] == T_PK16) flip = 0;
        if (low || !high || flip) emit_select(d, v, i, low, high, flip);
        v->neg &= ~(1u << i);
        v->abs &= ~(1u << i);
    }
}

void decode_vop3p(decode_t *d, uint32_t w0) {
    uint32_t w1 = decode_word(d, 1);
    unsigned opcode = (w0 >> 16) & 0x7f;
    vector_t v;
    vector_begin(d, &v, ENC_VOP3P, opcode);
    if (d->error) return;
    v.d = w0 & 0xff;
    v.clamp = (w0 >> 15) & 1;
    v.neg = w1 >> 29;
    v.source[0] = w1 & 0x1ff;
    v.source[1] = (w1 >> 9) & 0x1ff;
    v.source[2] = (w1 >> 18) & 0x1ff;
    if (v.source[0] == 250 || v.source[0] == 233 || v.source[0] == 234) {
        uint32_t x = decode_word(d, d->used);
        v.dpp = v.source[0] == 250 ? DPP_16 : DPP_8;
        v.dpp_fi = v.source[0] == 250 ? (x >> 18) & 1 : v.source[0] == 234;
        v.dpp_source = x & 0xff;
        v.dpp_control = x >> 8;
        v.source[0] = 256 + v.dpp_source;
    }
    v.misc = ((w0 >> 11) & 7) | ((w1 >> 27) & 3) << 3 | (w0 >> 14 & 1) << 5 | v.neg << 6 |
             ((w0 >> 8) & 7) << 9;
    if (opcode >= OP_MIX_FIRST && opcode <= OP_MIX_LAST) {
        v.keep_modifiers = 1;
    } else if (opcode == OP_DOT4_IU8 || opcode == OP_DOT8_IU4 ||
               (opcode >= OP_WMMA_FIRST && opcode <= OP_WMMA_LAST)) {
        v.keep_modifiers = 1;
    } else {
        v.abs = 0;
        if (v.dpp) vector_take_dpp(d, &v);
        decode_packed_sources(d, &v, w0, w1);
    }
    vector_finish(d, &v);
}
