/* CASS_EMU_ALIGN=1: loads and stores at addresses that are no multiple of their size end the
 * launch. A record before each of them looks, so that other modes pay nothing. Wider accesses than
 * a dword count as dwords: LLVM makes them of neighbours. It makes dwords of bytes, too, where the
 * program accesses them one by one, which RDNA3 carries out at any address: this mode reports those
 * as well. */
#define EMU_SHARED
#include "emulator/decode.h"
#include "emulator/lanes.h"

#include <pthread.h>

static pthread_once_t read_once = PTHREAD_ONCE_INIT;
static int wanted;

static void read_setting(void) { wanted = emu_setting("CASS_EMU_ALIGN", 0) != 0; }

int emu_alignment_checked(void) {
    pthread_once(&read_once, read_setting);
    return wanted;
}

static uint32_t size_of(const char *name) {
    if (!(strstr(name, "_load_") || strstr(name, "_store_")) || strstr(name, "addtid")) return 1;
    if (strstr(name, "_b8") || strstr(name, "_u8") || strstr(name, "_i8")) return 1;
    return strstr(name, "16") && !strstr(name, "stride") ? 2 : 4;
}

enum { LOW_WORDS, ADDRESSES, SCALAR };

/* How the address is made: d. */
static uint16_t form_of(unsigned encoding) {
    if (encoding == ENC_SMEM) return SCALAR;
    return encoding == ENC_GLOBAL || encoding == ENC_FLAT ? ADDRESSES : LOW_WORDS;
}

/* k[2]: the constant part of the address; misc: the bits of it that must be 0. */
void decode_alignment(decode_t *d) {
    const emu_row *row = &emu_rows[d->row];
    uint32_t size = size_of(row->name);
    if (d->error || !d->count || size == 1 || !emu_alignment_checked()) return;
    if (strstr(row->name, "s_buffer")) return; /* its offsets are whole dwords of a resource */
    op_t *check = &d->out[d->count - 1], *access = decode_emit(d, d->row);
    *access = *check;
    check->fn = emu_selected_variant()->handlers[emu_internal_row(X_ALIGNED)];
    check->misc = (uint16_t)(size - 1);
    check->d = form_of(row->encoding);
    if (row->encoding == ENC_DS) check->k[2] = strstr(row->name, "2addr") ? 0 : check->k[1];
    if (row->encoding != ENC_SCRATCH) check->flags |= F_VADDR;
}

/* The hardware ignores the lowest bits of a scalar load's address: it would read something else. */
static const op_t *scalar_aligned(wave_t *w, const op_t *o) {
    uint64_t address = s64(w, o, 0) + s32(w, o, 1) + o->k[2];
    if (!(address & o->misc)) return o + 1;
    return emu_raise(w, o, EMU_MISALIGNED, 0, address, "no multiple of the access's size");
}

HANDLER(aligned) {
    if (o->d == SCALAR) {
        const op_t *next = scalar_aligned(w, o);
        if (!next) return NULL;
        GO(next);
    }
    uint64_t base = o->k[2] + (o->flags & F_SADDR ? o->d ? s64(w, o, 1) : s32(w, o, 1) : 0);
    const uint32_t *low = (const uint32_t *)(const void *)((const char *)w + o->off[0]);
    for (uint32_t left = EXEC; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t address = base;
        if (o->flags & F_VADDR) address += low[lane];
        if (!(address & o->misc)) continue;
        if (!o->d) address = (uint32_t)address;
        else if (!(o->flags & F_SADDR)) address += (uint64_t)low[LANES + lane] << 32;
        return emu_raise(w, o, EMU_MISALIGNED, lane, address, "no multiple of the access's size");
    }
    NEXT;
}
