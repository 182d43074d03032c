/* Decoding one instruction into records. In: code words. Out: up to DECODE_ROOM records, or a
 * reason to refuse. */
#ifndef CASS_EMU_DECODE_H
#define CASS_EMU_DECODE_H

#include "emulator/interp.h"

enum {
#define TYPE(name) name,
#include "emulator/types.inc"
#undef TYPE
    T_COUNT
};
enum {
#define ENCODING(name) ENC_##name,
#include "emulator/encodings.inc"
#undef ENCODING
    ENC_COUNT
};

#define DECODE_ROOM 16
#define NO_ROW 0xffffu

/* What follows an instruction, for the run that is being decoded. */
enum { FLOW_NEXT, FLOW_BRANCH, FLOW_JUMP, FLOW_END };

typedef struct {
    const uint32_t *words; /* at the instruction */
    uint32_t available;    /* words up to the end of the text */
    uint32_t pc;           /* byte offset of the instruction */
    uint32_t used;         /* words consumed so far */
    uint32_t literal_at;   /* word index of the literal, 0: none yet */
    op_t out[DECODE_ROOM];
    unsigned count;
    unsigned row;
    unsigned flow;
    uint32_t target; /* byte offset, for FLOW_BRANCH and FLOW_JUMP */
    const char *error;
    char text[96];
} decode_t;

/* Decodes at d->words; d->error is set when refused, and then one `illegal` or `refused` record is
 * produced. */
void emu_decode(decode_t *d);

/* A branch record of a program: BRANCH_TARGET(o) is where it goes when taken. */
int emu_is_branch(const op_t *o);
/* Words of a program's text. */
uint32_t emu_program_words(const struct emu_program *program);
/* What indirect jumps of a program have gone to and is no kernel's entry, at most `room` of it. */
unsigned emu_program_callees(struct emu_program *program, const op_t **callees, unsigned room);

unsigned emu_row_of(unsigned encoding, unsigned opcode);
unsigned emu_internal_row(unsigned opcode);

/* ---- for the decode_*.c files ---- */
op_t *decode_emit(decode_t *d, unsigned row);
void decode_fail(decode_t *d, const char *why);
uint32_t decode_word(decode_t *d, unsigned index);
uint32_t decode_literal(decode_t *d);
/* code: 9-bit source operand; sets kind, offset and constant of source i for operand type `type`.
 */
void decode_source(decode_t *d, op_t *o, int i, unsigned code, unsigned type);
unsigned decode_scalar_destination(unsigned code);
unsigned type_words(unsigned type);
int type_is16(unsigned type);
int type_is_float(unsigned type);

void decode_sop(decode_t *d, uint32_t w0);
void decode_vop12c(decode_t *d, uint32_t w0);
void decode_vop3(decode_t *d, uint32_t w0);
void decode_vop3p(decode_t *d, uint32_t w0);
void decode_vopd(decode_t *d, uint32_t w0);
void decode_smem(decode_t *d, uint32_t w0);
void decode_ds(decode_t *d, uint32_t w0);
void decode_flat(decode_t *d, uint32_t w0);
void decode_mubuf(decode_t *d, uint32_t w0);
void decode_mimg(decode_t *d, uint32_t w0);
/* align_check.c: puts a check before the load or store that was just decoded, where it is wanted.
 */
void decode_alignment(decode_t *d);
/* memory_race.c: the same for races; w0: the instruction's first word. */
void decode_shared(decode_t *d, uint32_t w0);
int emu_alignment_checked(void);

enum {
    X_JUMP,
    X_ILLEGAL,
    X_REFUSED,
    X_PREP_B32,
    X_PREP_B64,
    X_PREP_PACKED,
    X_POST_F16,
    X_POST_F32,
    X_POST_F64,
    X_DPP16,
    X_DPP8,
    X_DPP_END,
    X_COPY_B32,
    X_COPY_B64,
    X_VOPD_END,
    X_POST_PKF16,
    X_ALIGNED,
    X_AWAIT,
    X_TOUCH,
    X_MEET,
    X_ISSUED,
    X_SHARED
};

#endif
