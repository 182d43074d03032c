/* Decoding of DS, FLAT, GLOBAL, SCRATCH, MUBUF and MIMG. */
#include "emulator/decode.h"
#include "emulator/image.h"

#include <stdio.h>

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
    op_t *o = begin(d, ENC_DS, (w0 >> 18) & 0xff);
    if (!o) return;
    if (w0 >> 17 & 1 && !emu_rows[d->row].refused) {
        snprintf(d->text, sizeof d->text, "%s in global data share is not implemented",
                 emu_rows[d->row].name);
        decode_fail(d, d->text);
    }
    decode_source(d, o, 0, 256 + (w1 & 0xff), T_B32);
    o->sd = (uint16_t)((w1 >> 8) & 0xff);    /* data0 */
    o->misc = (uint16_t)((w1 >> 16) & 0xff); /* data1 */
    o->d = (uint16_t)(w1 >> 24);
    o->k[1] = w0 & 0xffff; /* offset, or two offsets of 8 bits */
    decode_alignment(d);
    decode_shared(d, w0);
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
    decode_alignment(d);
    decode_shared(d, w0);
}

void decode_mubuf(decode_t *d, uint32_t w0) {
    uint32_t w1 = decode_word(d, 1);
    op_t *o = begin(d, ENC_MUBUF, (w0 >> 18) & 0xff);
    if (!o) {
        decode_shared(d, w0);
        return;
    }
    decode_source(d, o, 0, 256 + (w1 & 0xff), T_B32);
    decode_source(d, o, 1, ((w1 >> 16) & 0x1f) * 4, T_B128);
    decode_source(d, o, 2, w1 >> 24, T_B32);
    o->d = o->sd = (uint16_t)((w1 >> 8) & 0xff);
    o->misc = (uint16_t)(w0 & 0xfff);
    o->flags = (uint16_t)((w0 >> 14 & 1 ? F_GLC : 0) | (w1 >> 22 & 1 ? F_OFFEN : 0) |
                          (w1 >> 23 & 1 ? F_IDXEN : 0));
    if (w1 >> 21 & 1) decode_fail(d, "MUBUF with tfe is not implemented");
    decode_shared(d, w0);
}

/* The address registers: VADDR and those after it, or with NSA four more by number, the rest after
 * the last of them. k[0]: five register numbers of 8 bits; misc: see
 * image.h. */
void decode_mimg(decode_t *d, uint32_t w0) {
    uint32_t w1 = decode_word(d, 1), apart = w0 & 1 ? decode_word(d, 2) : 0;
    op_t *o = begin(d, ENC_MIMG, (w0 >> 18) & 0xff);
    if (!o) return;
    uint64_t first = w1 & 0xff, rest = 0;
    for (unsigned i = 0; i < 4; i++)
        rest |= (uint64_t)(w0 & 1 ? apart >> 8 * i & 0xff : (first + i + 1) & 0xff) << 8 * i;
    o->k[0] = first | rest << 8;
    o->d = o->sd = (uint16_t)((w1 >> 8) & 0xff);
    decode_source(d, o, 1, ((w1 >> 16) & 0x1f) * 4, T_B256);
    decode_source(d, o, 2, ((w1 >> 26) & 0x1f) * 4, T_B128);
    o->misc = (uint16_t)((w0 >> 8 & 0xf) << IMAGE_DMASK | (w0 >> 2 & 7) << IMAGE_DIM |
                         (w0 >> 7 & 1) << IMAGE_UNORM | (w0 >> 16 & 1) << IMAGE_A16 |
                         (w0 >> 17 & 1) << IMAGE_D16);
    o->flags = (uint16_t)(w0 >> 14 & 1 ? F_GLC : 0);
    if ((w0 >> 15 & 1) || (w0 >> 2 & 7) >= IMAGE_DIM_MSAA)
        decode_fail(d, "MIMG with r128 or a multisampled image is not implemented");
    if (w1 >> 21 & 3) decode_fail(d, "MIMG with tfe or lwe is not implemented");
}
