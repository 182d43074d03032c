/* MODE and the other hardware registers, messages. Source: AMD RDNA3 ISA, "Hardware registers". */
#define EMU_SHARED
#include "emulator/interp.h"

#include <time.h>

HANDLER(s_round_mode) {
    w->mode = (w->mode & ~15u) | (o->misc & 15);
    emu_mode_changed(w);
    NEXT;
}
HANDLER(s_denorm_mode) {
    w->mode = (w->mode & ~0xf0u) | (o->misc & 15u) << 4;
    emu_mode_changed(w);
    NEXT;
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

enum {
    HW_MODE = 1,
    HW_STATUS = 2,
    HW_TRAPSTS = 3,
    HW_GPR_ALLOC = 5,
    HW_LDS_ALLOC = 6,
    HW_IB_STS = 7,
    HW_PC_LO = 8,
    HW_PC_HI = 9,
    HW_SH_MEM_BASES = 15,
    HW_FLAT_SCRATCH_LO = 20,
    HW_FLAT_SCRATCH_HI = 21,
    HW_ID1 = 23,
    HW_ID2 = 24,
    HW_SHADER_CYCLES = 29
};

static uint32_t hardware_register(const wave_t *w, const op_t *o, unsigned id) {
    uint64_t pc = emu_program_base(w->program) + o->pc;
    switch (id) {
    case HW_MODE:
        return w->mode;
    case HW_STATUS:
        return SCC | (uint32_t)(EXEC == 0) << 9 | (uint32_t)(w->s[S_VCC] == 0) << 10 | 1u << 16;
    case HW_LDS_ALLOC:
        return (w->lds_bytes + 511) / 512 << 12;
    case HW_PC_LO:
        return (uint32_t)pc;
    case HW_PC_HI:
        return (uint32_t)(pc >> 32);
    case HW_SH_MEM_BASES:
        return (APERTURE_LDS >> 16) << 16 | APERTURE_SCRATCH >> 16;
    case HW_ID1:
        return w->index & 31;
    /* One tick per 0.4 ns, 20 bits, as a 2.5 GHz shader clock counts. */
    case HW_SHADER_CYCLES:
        return (uint32_t)(now_ns() * 5 / 2) & 0xfffff;
    default:
        return 0;
    }
}
HANDLER(s_getreg_b32) {
    unsigned id = o->misc & 63, offset = o->misc >> 6 & 31, size = (o->misc >> 11) + 1u;
    uint32_t x = hardware_register(w, o, id) >> offset;
    w->s[o->d] = size < 32 ? x & ((1u << size) - 1) : x;
    NEXT;
}
HANDLER(s_setreg_b32) {
    unsigned id = o->misc & 63, offset = o->misc >> 6 & 31, size = (o->misc >> 11) + 1u;
    uint32_t mask = (size < 32 ? (1u << size) - 1 : ~0u) << offset;
    uint32_t x = s32(w, o, 0);
    if (id == HW_MODE) {
        w->mode = (w->mode & ~mask) | (x << offset & mask);
        emu_mode_changed(w);
    }
    NEXT;
}

enum { MESSAGE_DOORBELL = 0x80, MESSAGE_REALTIME = 0x83 };
static uint64_t message_reply(unsigned message) {
    return message == MESSAGE_REALTIME ? now_ns() / 10
                                       : 0; /* the real-time counter runs at 100 MHz */
}
HANDLER(s_sendmsg_rtn_b32) {
    w->s[o->d] = (uint32_t)message_reply(o->misc);
    NEXT;
}
HANDLER(s_sendmsg_rtn_b64) {
    set_s64(w, o->d, message_reply(o->misc));
    NEXT;
}
