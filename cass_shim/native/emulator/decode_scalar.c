/* Decoding of SOP1, SOP2, SOPC, SOPK, SOPP and SMEM. */
#include "emulator/decode.h"

static int pick_row(decode_t *d, unsigned encoding, unsigned opcode) {
    d->row = emu_row_of(encoding, opcode);
    if (d->row == NO_ROW) {
        d->row = emu_internal_row(X_ILLEGAL);
        decode_fail(d, "undefined opcode");
        return 0;
    }
    return 1;
}

static int body_is_nop(unsigned row) {
    const emu_variant *variant = emu_selected_variant();
    return variant->handlers[row] == variant->handlers[emu_row_of(ENC_SOPP, 0)];
}

static void decode_sopp(decode_t *d, uint32_t w0) {
    unsigned opcode = (w0 >> 16) & 0x7f;
    if (!pick_row(d, ENC_SOPP, opcode)) return;
    if (body_is_nop(d->row)) return;
    op_t *o = decode_emit(d, d->row);
    o->misc = (uint16_t)w0;
    if (opcode >= 32 && opcode <= 38) {
        d->flow = opcode == 32 ? FLOW_JUMP : FLOW_BRANCH;
        d->target = d->pc + 4 + (uint32_t)((int32_t)(int16_t)w0 * 4);
    } else if (opcode == 48 || opcode == 49 || opcode == 31) {
        d->flow = FLOW_END;
    }
}

static void decode_sopk(decode_t *d, uint32_t w0) {
    unsigned opcode = (w0 >> 23) & 31, sdst = (w0 >> 16) & 0x7f;
    if (!pick_row(d, ENC_SOPK, opcode) || body_is_nop(d->row)) return;
    op_t *o = decode_emit(d, d->row);
    int is_unsigned = opcode >= 9 && opcode <= 14;
    uint64_t k = is_unsigned ? (uint16_t)w0 : (uint64_t)(int64_t)(int16_t)w0;
    o->d = (uint16_t)decode_scalar_destination(sdst);
    o->misc = (uint16_t)w0;
    unsigned immediate_source = opcode == 0 || opcode == 2 ? 0 : 1;
    if (opcode == 20) {
        d->flow = FLOW_JUMP;
        d->target = d->pc + 4 + (uint32_t)((int32_t)(int16_t)w0 * 4);
    } else if (opcode == 17) {
        return;
    } else if (opcode == 19) {
        decode_source(d, o, 0, 255, T_B32);
        return;
    } else if (immediate_source == 1) {
        decode_source(d, o, 0, sdst, T_B32);
    }
    o->kinds = (uint8_t)((o->kinds & ~(3u << (2 * immediate_source))) |
                         (unsigned)SRC_CONST << (2 * immediate_source));
    o->off[immediate_source] = (uint32_t)(offsetof(op_t, k) + 8 * immediate_source);
    if (opcode != 20) o->k[immediate_source] = k;
}

static void decode_sop1(decode_t *d, uint32_t w0) {
    unsigned opcode = (w0 >> 8) & 0xff;
    if (!pick_row(d, ENC_SOP1, opcode)) return;
    op_t *o = decode_emit(d, d->row);
    o->d = (uint16_t)decode_scalar_destination((w0 >> 16) & 0x7f);
    o->misc = (uint16_t)(w0 & 0xff); /* operand number, for s_movrel* and s_sendmsg_rtn */
    const emu_row *row = &emu_rows[d->row];
    if (opcode == 76 || opcode == 77) return;
    if (row->source_count) decode_source(d, o, 0, w0 & 0xff, row->sources[0]);
    if (opcode == 72 || opcode == 74) d->flow = FLOW_END;
}

void decode_sop(decode_t *d, uint32_t w0) {
    if (w0 >> 23 == 0x17d) {
        decode_sop1(d, w0);
    } else if (w0 >> 23 == 0x17f) {
        decode_sopp(d, w0);
    } else if (w0 >> 23 == 0x17e) {
        if (!pick_row(d, ENC_SOPC, (w0 >> 16) & 0x7f)) return;
        op_t *o = decode_emit(d, d->row);
        decode_source(d, o, 0, w0 & 0xff, emu_rows[d->row].sources[0]);
        decode_source(d, o, 1, (w0 >> 8) & 0xff, emu_rows[d->row].sources[1]);
    } else if (w0 >> 28 == 0xb) {
        decode_sopk(d, w0);
    } else {
        if (!pick_row(d, ENC_SOP2, (w0 >> 23) & 0x7f)) return;
        op_t *o = decode_emit(d, d->row);
        o->d = (uint16_t)decode_scalar_destination((w0 >> 16) & 0x7f);
        decode_source(d, o, 0, w0 & 0xff, emu_rows[d->row].sources[0]);
        decode_source(d, o, 1, (w0 >> 8) & 0xff, emu_rows[d->row].sources[1]);
    }
}

void decode_smem(decode_t *d, uint32_t w0) {
    uint32_t w1 = decode_word(d, 1);
    if (!pick_row(d, ENC_SMEM, (w0 >> 18) & 0xff) || body_is_nop(d->row)) return;
    op_t *o = decode_emit(d, d->row);
    o->d = (uint16_t)decode_scalar_destination((w0 >> 6) & 0x7f);
    o->sd = (uint16_t)((w0 & 0x3f) * 2);
    decode_source(d, o, 0, (w0 & 0x3f) * 2, T_B64);
    decode_source(d, o, 1, (w1 >> 25) & 0x7f, T_B32); /* NULL reads as zero */
    o->k[2] = (uint64_t)((int64_t)((uint64_t)(w1 & 0x1fffff) << 43) >> 43);
    decode_alignment(d);
    decode_shared(d, w0);
}
