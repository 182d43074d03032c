/* Decoding of DS, FLAT, GLOBAL, SCRATCH and MUBUF. */
#include "emulator/decode.h"

static op_t *begin(decode_t *d, unsigned encoding, unsigned opcode) {
    d->row = emu_row_of(encoding, opcode);
    if (d->row == NO_ROW) {
        d->row = emu_internal_row(X_ILLEGAL);
        decode_fail(d, "undefined opcode");
        return NULL;
    }
    const emu_variant *variant = emu_selected_variant();
    if (variant->handlers[d->row] == variant->handlers[emu_row_of(ENC_SOPP, 0)]) return NULL;
    return decode_emit(d, d->row);
}

void decode_ds(decode_t *d, uint32_t w0) {
    uint32_t w1 = decode_word(d, 1);
    if (w0 >> 17 & 1) {
        decode_fail(d, "global data share is not implemented");
        return;
    }
    op_t *o = begin(d, ENC_DS, (w0 >> 18) & 0xff);
    if (!o) return;
    decode_source(d, o, 0, 256 + (w1 & 0xff), T_B32);
    o->sd = (uint16_t)((w1 >> 8) & 0xff);    /* data0 */
    o->misc = (uint16_t)((w1 >> 16) & 0xff); /* data1 */
    o->d = (uint16_t)(w1 >> 24);
    o->k[1] = w0 & 0xffff; /* offset, or two offsets of 8 bits */
}

void decode_flat(decode_t *d, uint32_t w0) {
    uint32_t w1 = decode_word(d, 1);
    static const uint8_t encoding[4] = {ENC_FLAT, ENC_SCRATCH, ENC_GLOBAL, ENC_COUNT};
    unsigned segment = (w0 >> 16) & 3, saddr = (w1 >> 16) & 0x7f;
    if (segment == 3) {
        decode_fail(d, "undefined segment");
        return;
    }
    op_t *o = begin(d, encoding[segment], (w0 >> 18) & 0x7f);
    if (!o) return;
    decode_source(d, o, 0, 256 + (w1 & 0xff), T_B32);
    o->sd = (uint16_t)((w1 >> 8) & 0xff);
    o->d = (uint16_t)(w1 >> 24);
    o->k[2] = (uint64_t)((int64_t)((uint64_t)(w0 & 0x1fff) << 51) >> 51);
    o->flags = (uint16_t)(w0 >> 14 & 1 ? F_GLC : 0);
    if (saddr != S_NULL && segment != 0) {
        decode_source(d, o, 1, saddr, T_B64);
        o->flags |= F_SADDR;
    }
    if (segment == 1 && (w1 >> 23 & 1)) o->flags |= F_VADDR;
}

void decode_mubuf(decode_t *d, uint32_t w0) {
    uint32_t w1 = decode_word(d, 1);
    op_t *o = begin(d, ENC_MUBUF, (w0 >> 18) & 0xff);
    if (!o) return;
    decode_source(d, o, 0, 256 + (w1 & 0xff), T_B32);
    decode_source(d, o, 1, ((w1 >> 16) & 0x1f) * 4, T_B128);
    decode_source(d, o, 2, w1 >> 24, T_B32);
    o->d = o->sd = (uint16_t)((w1 >> 8) & 0xff);
    o->misc = (uint16_t)(w0 & 0xfff);
    o->flags = (uint16_t)((w0 >> 14 & 1 ? F_GLC : 0) | (w1 >> 22 & 1 ? F_OFFEN : 0) |
                          (w1 >> 23 & 1 ? F_IDXEN : 0));
    if (w1 >> 21 & 1) decode_fail(d, "MUBUF with tfe is not implemented");
}
