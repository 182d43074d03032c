/* Instructions that move values between lanes. They ignore EXEC where the ISA says so. Source: AMD
 * RDNA3 ISA. */
#define EMU_SHARED_SSE
#include "emulator/lanes.h"

/* The first active lane; lane 0 when none is active. */
HANDLER(v_readfirstlane_b32) {
    uint32_t exec = EXEC;
    lanes32 room;
    const uint32_t *a = ld32(w, o, 0, room);
    w->s[o->d] = a[exec ? __builtin_ctz(exec) : 0];
    NEXT;
}
HANDLER(v_readlane_b32) {
    lanes32 room;
    const uint32_t *a = ld32(w, o, 0, room);
    w->s[o->d] = a[s32(w, o, 1) & 31];
    NEXT;
}
HANDLER(v_writelane_b32) {
    V x = *(const V *)w->v[o->d];
    x[s32(w, o, 1) & 31] = s32(w, o, 0);
    *(V *)w->v[o->d] = x;
    NEXT;
}

/* op_sel bit 0: fetch inactive lanes; bit 1: a lane that may not be read gives 0 instead of keeping
 * the old value. */
static inline void permute_rows(wave_t *w, const op_t *o, int cross) {
    lanes32 room, old;
    const uint32_t *a = ld32(w, o, 0, room), *kept = LANES_OF(w, o->d, old);
    uint64_t select = s32(w, o, 1) | (uint64_t)s32(w, o, 2) << 32;
    int fetch_inactive = o->misc & 1, bound_zero = o->misc >> 1 & 1;
    lanes32 r;
    uint32_t exec = EXEC;
    for (int i = 0; i < LANES; i++) {
        int row = (i & 16) ^ (cross ? 16 : 0), from = row | (int)(select >> (4 * (i & 15)) & 15);
        int valid = fetch_inactive || (exec >> from & 1);
        r[i] = valid ? a[from] : bound_zero ? 0 : kept[i];
    }
    put32(w, o->d, r);
}
HANDLER(v_permlane16_b32) {
    permute_rows(w, o, 0);
    NEXT;
}
HANDLER(v_permlanex16_b32) {
    permute_rows(w, o, 1);
    NEXT;
}
/* Only wave64 has a lane 64 apart. */
HANDLER(v_permlane64_b32) { NEXT; }

/* ---- relative VGPR addressing by M0; outside the file: reads 0, writes nothing ---- */
static unsigned number_of(const op_t *o) {
    return (unsigned)((o->off[0] - offsetof(wave_t, v)) / sizeof(vreg_t));
}
static inline void move_relative(wave_t *w, uint64_t to, uint64_t from, const op_t *o,
                                 int from_register) {
    V x = from_register ? from < VGPRS ? *(const V *)w->v[from] : v_splat(0) : v_src(w, o, 0);
    if (to < VGPRS) v_put(w, (unsigned)to, x);
}
HANDLER(v_movreld_b32) {
    move_relative(w, (uint64_t)o->d + w->s[S_M0], 0, o, 0);
    NEXT;
}
HANDLER(v_movrels_b32) {
    move_relative(w, o->d, (uint64_t)number_of(o) + w->s[S_M0], o, 1);
    NEXT;
}
HANDLER(v_movrelsd_b32) {
    move_relative(w, (uint64_t)o->d + w->s[S_M0], (uint64_t)number_of(o) + w->s[S_M0], o, 1);
    NEXT;
}
HANDLER(v_movrelsd_2_b32) {
    uint32_t m0 = w->s[S_M0];
    move_relative(w, (uint64_t)o->d + (m0 >> 16 & 0x3ff), (uint64_t)number_of(o) + (m0 & 0x3ff), o,
                  1);
    NEXT;
}
HANDLER(v_swaprel_b32) {
    uint32_t m0 = w->s[S_M0];
    unsigned to = o->d + (m0 >> 16 & 0x3ff), from = number_of(o) + (m0 & 0x3ff);
    if (to < VGPRS && from < VGPRS) {
        V x = *(const V *)w->v[to], y = *(const V *)w->v[from];
        v_put(w, to, y);
        v_put(w, from, x);
    }
    NEXT;
}
