/* A vector instruction on its way from bits to records. */
#ifndef CASS_EMU_DECODE_VECTOR_H
#define CASS_EMU_DECODE_VECTOR_H

#include "emulator/decode.h"

enum { DPP_NONE, DPP_16, DPP_8 };

typedef struct {
    const emu_row *row;
    unsigned d, scalar_d;
    unsigned source[3];   /* 9-bit operand codes */
    unsigned source_temp; /* bit i: source i was prepared in a temporary */
    unsigned hi;          /* as op_t.hi */
    unsigned neg, abs, omod, clamp, cmpx, misc;
    unsigned keep_modifiers; /* the body reads neg itself (integer dot products) */
    unsigned dpp, dpp_source, dpp_control, dpp_fi;
} vector_t;

void vector_begin(decode_t *d, vector_t *v, unsigned encoding, unsigned opcode);
void vector_finish(decode_t *d, vector_t *v);

#endif
