/* Instruction decoding: the encoding families, operands and literals. Source: AMD RDNA3 ISA,
 * chapter "Microcode Formats", and LLVM's gfx11 disassembler for the parts the manual leaves out
 * (true16, VOPD literals). */
#include "emulator/decode.h"

#include <pthread.h>
#include <stdio.h>

const emu_row emu_rows[] = {
#define ROW(enc, op, name, body, td, ta, tb, tc, n, ulp)                                           \
    {#name,                                                                                        \
     #body,                                                                                        \
     ENC_##enc,                                                                                    \
     td,                                                                                           \
     {ta, tb, tc},                                                                                 \
     n,                                                                                            \
     ulp,                                                                                          \
     sizeof(#body) == sizeof("refused") && #body[0] == 'r',                                        \
     op},
#include "emulator/rows.inc"
#undef ROW
};
const unsigned emu_row_count = sizeof emu_rows / sizeof emu_rows[0];

static uint16_t row_index[ENC_COUNT][1024];
static pthread_once_t index_once = PTHREAD_ONCE_INIT;

static void build_index(void) {
    memset(row_index, 0xff, sizeof row_index);
    for (unsigned i = 0; i < emu_row_count; i++)
        row_index[emu_rows[i].encoding][emu_rows[i].opcode] = (uint16_t)i;
}

unsigned emu_row_of(unsigned encoding, unsigned opcode) {
    pthread_once(&index_once, build_index);
    return row_index[encoding][opcode & 1023];
}

unsigned emu_internal_row(unsigned opcode) { return emu_row_of(ENC_INTERNAL, opcode); }

op_t *decode_emit(decode_t *d, unsigned row) {
    op_t *o = &d->out[d->count < DECODE_ROOM - 1 ? d->count++ : DECODE_ROOM - 1];
    memset(o, 0, sizeof *o);
    o->fn = emu_selected_variant()->handlers[row];
    o->row = (uint16_t)row;
    o->pc = d->pc;
    return o;
}

void decode_fail(decode_t *d, const char *why) {
    if (!d->error) d->error = why;
}

uint32_t decode_word(decode_t *d, unsigned index) {
    if (index >= d->available) {
        decode_fail(d, "instruction reaches past the end of the code");
        return 0;
    }
    if (d->used <= index) d->used = index + 1;
    return d->words[index];
}

uint32_t decode_literal(decode_t *d) {
    if (!d->literal_at) d->literal_at = d->used;
    return decode_word(d, d->literal_at);
}

unsigned type_words(unsigned type) {
    switch (type) {
    case T_NONE:
        return 0;
    case T_B64:
    case T_F64:
        return 2;
    case T_B96:
        return 3;
    case T_B128:
    case T_WAB_IU8:
        return 4;
    case T_B256:
    case T_WDC_F32:
    case T_WDC_F16:
    case T_WDC_BF16:
    case T_WDC_I32:
    case T_WAB_F16:
    case T_WAB_BF16:
        return 8;
    case T_WAB_IU4:
        return 2;
    case T_B512:
        return 16;
    default:
        return 1;
    }
}

int type_is16(unsigned type) { return type == T_B16 || type == T_F16 || type == T_BF16; }

int type_is_float(unsigned type) {
    return type == T_F16 || type == T_F32 || type == T_F64 || type == T_BF16;
}

/* 240..248: 0.5 -0.5 1 -1 2 -2 4 -4 1/(2*pi). */
static uint64_t float_constant(unsigned code, unsigned type) {
    static const uint16_t half[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                    0xc000, 0x4400, 0xc400, 0x3118};
    static const uint16_t brain[] = {0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000,
                                     0xc000, 0x4080, 0xc080, 0x3e22};
    static const uint32_t single[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                      0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
    static const uint64_t both[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                                    0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                                    0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};
    unsigned i = code - 240;
    switch (type) {
    case T_B16:
    case T_F16:
    case T_PKF16:
    case T_WAB_F16:
    case T_WDC_F16:
        return half[i];
    case T_BF16:
    case T_PKBF16:
    case T_WAB_BF16:
    case T_WDC_BF16:
        return brain[i];
    case T_B64:
    case T_F64:
        return both[i];
    default:
        return single[i];
    }
}

static uint64_t literal_value(decode_t *d, unsigned type) {
    uint64_t x = decode_literal(d);
    if (type == T_F64) return x << 32;
    if (type == T_B64 && strstr(emu_rows[d->row].name, "_i64"))
        return (uint64_t)(int64_t)(int32_t)x;
    return x;
}

static void set_constant(op_t *o, int i, uint64_t value) {
    o->kinds = (uint8_t)(o->kinds | SRC_CONST << (2 * i));
    o->off[i] = (uint32_t)(offsetof(op_t, k) + 8 * (unsigned)i);
    o->k[i] = value;
}

void decode_source(decode_t *d, op_t *o, int i, unsigned code, unsigned type) {
    o->kinds = (uint8_t)(o->kinds & ~(3u << (2 * i)));
    if (code >= 256) {
        o->off[i] = (uint32_t)(offsetof(wave_t, v) + (code - 256) * sizeof(vreg_t));
    } else if (code == S_NULL) {
        set_constant(o, i, 0);
    } else if (code < 128 || code == S_SCC) {
        o->kinds = (uint8_t)(o->kinds | SRC_SGPR << (2 * i));
        o->off[i] = (uint32_t)(offsetof(wave_t, s) + code * 4);
    } else if (code <= 192) {
        set_constant(o, i, code - 128);
    } else if (code <= 208) {
        set_constant(o, i, (uint64_t)(192 - (int64_t)code));
    } else if (code >= S_SHARED_BASE && code <= S_PRIVATE_BASE + 1) {
        /* As a 32-bit operand these read as their low word (LLVM, SIISelLowering:
         * getSegmentAperture). */
        uint64_t high = code < S_PRIVATE_BASE ? APERTURE_LDS : APERTURE_SCRATCH;
        set_constant(o, i, high << 32 | (code & 1 ? 0 : 0xffffffffu));
    } else if (code >= 240 && code <= 248) {
        set_constant(o, i, float_constant(code, type));
    } else if (code == 255) {
        set_constant(o, i, literal_value(d, type));
    } else {
        decode_fail(d, "reserved source operand");
    }
}

unsigned decode_scalar_destination(unsigned code) { return code == S_NULL ? S_JUNK : code; }

/* Encodings that no compute instruction of gfx1100 has, or that are left out. */
static const char *refusal(uint32_t w0) {
    switch (w0 >> 26) {
    case 0x33:
        return "graphics interpolation and LDS-direct instructions are not part of compute";
    case 0x3a:
        return "MTBUF (typed buffers) is not implemented";
    case 0x3e:
        return "EXP is not part of compute";
    default:
        return "undefined encoding";
    }
}

static void decode_by_family(decode_t *d, uint32_t w0) {
    static void (*const families[64])(decode_t *, uint32_t) = {
        [0x32] = decode_vopd,  [0x35] = decode_vop3, [0x36] = decode_ds,   [0x37] = decode_flat,
        [0x38] = decode_mubuf, [0x3c] = decode_mimg, [0x3d] = decode_smem,
    };
    if (!(w0 >> 31)) decode_vop12c(d, w0);
    else if (w0 >> 30 == 2) decode_sop(d, w0);
    else if (w0 >> 24 == 0xcc) decode_vop3p(d, w0);
    else if (families[w0 >> 26]) families[w0 >> 26](d, w0);
    else decode_fail(d, refusal(w0));
}

void emu_decode(decode_t *d) {
    d->used = 0;
    d->count = 0;
    d->literal_at = 0;
    d->error = NULL;
    d->flow = FLOW_NEXT;
    d->row = emu_internal_row(X_ILLEGAL);
    decode_by_family(d, decode_word(d, 0));
    if (!d->error && emu_rows[d->row].refused) {
        snprintf(d->text, sizeof d->text, "%s is not implemented", emu_rows[d->row].name);
        d->error = d->text;
    }
    if (d->error) {
        d->count = 0;
        op_t *o = decode_emit(d, emu_internal_row(X_ILLEGAL));
        o->k[0] =
            (uint64_t)(uintptr_t)(d->error == d->text ? "instruction not implemented" : d->error);
        o->k[1] = d->row;
        d->flow = FLOW_END;
    }
    if (d->count) d->out[0].flags |= F_COUNTED;
}
