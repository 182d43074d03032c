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
/* Source 0 through its lane pattern, into its temporary; vector_finish does it where nobody has. */
void vector_take_dpp(decode_t *d, vector_t *v);
/* Source i of a record: its temporary where it was prepared in one, else its operand. */
void vector_source(decode_t *d, const vector_t *v, op_t *o, int i);
void vector_finish(decode_t *d, vector_t *v);

#endif
