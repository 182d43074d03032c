/* The function around a unit's blocks. A block in a loop stands there twice: F for waves of which
 * every lane is active, M for the others, chosen at every jump. */

/* Registers of the wave: a local copy that the compiler can keep in the processor's, or the wave's
 * own where a unit is left too often for copying. */
#if LOCAL
#define THE local
#define GET_V(i) *(V *)local.v[i] = *(const V *)w->v[i];
#define GET_S(i) local.s[i] = w->s[i];
#define PUT_V(i) *(V *)w->v[i] = *(const V *)local.v[i];
#define PUT_S(i) w->s[i] = local.s[i];
#define LOCAL_WAVE wave_t local;
#define ENTER_WAVE                                                                                 \
    local.stop_at = w->stop_at;                                                                    \
    local.state = WAVE_READY;                                                                      \
    local.fp_special = FP_SPECIAL;                                                                 \
    local.lds = w->lds;                                                                            \
    local.lds_bytes = w->lds_bytes;                                                                \
    local.scratch = w->scratch;                                                                    \
    local.scratch_bytes = w->scratch_bytes;                                                        \
    local.code = w->code;                                                                          \
    local.group = w->group;
#define LEAVE_WAVE                                                                                 \
    w->state = local.state;                                                                        \
    w->executed = local.state == WAVE_DONE ? local.executed : local.count_bias + local.next->seq;  \
    w->resume_pc = local.next->pc;
#else
#define THE (*w)
#define GET_V(i)
#define GET_S(i)
#define PUT_V(i)
#define PUT_S(i)
#define LOCAL_WAVE
#define ENTER_WAVE w->state = WAVE_READY;
#define LEAVE_WAVE                                                                                 \
    if (w->state != WAVE_DONE) w->executed = w->count_bias + w->next->seq;                         \
    w->resume_pc = w->next->pc;
#endif
/* Units are entered in no other mode than theirs. */
#define KNOWN_MODE THE.mode = (w->mode & ~0xffu) | MODE_LOW;

#define FULL THE.s[S_EXEC] = ~0u
#define GO_BLOCK(at)                                                                               \
    do {                                                                                           \
        if (THE.s[S_EXEC] == ~0u) goto F##at;                                                      \
        goto M##at;                                                                                \
    } while (0)
#define GO_ONLY(at) goto M##at
/* What follows counts from elsewhere. */
#define ON(skew) THE.count_bias += (uint64_t)(int64_t)(int32_t)(skew)
#define STOP(at)                                                                                   \
    do {                                                                                           \
        THE.next = R + (at);                                                                       \
        goto leave;                                                                                \
    } while (0)
/* A body that wants to leave has said where to go on; one that cannot go on has not, and the
 * interpreter repeats its instruction. */
#define RUN(body, at, start)                                                                       \
    r = emu_nat_##body(&THE, R + (at));                                                            \
    if (unlikely(!r)) {                                                                            \
        if (THE.state == WAVE_READY || THE.state == WAVE_DONE) THE.next = R + (start);             \
        goto leave;                                                                                \
    }
#define DISPATCH goto dispatch

#define NATIVE_BEGIN                                                                               \
    __attribute__((visibility("default"))) void emu_unit_start(const native_services *given,       \
                                                               emu_space_t space);                 \
    void emu_unit_start(const native_services *given, emu_space_t space) {                         \
        services = given;                                                                          \
        emu_space = space;                                                                         \
    }                                                                                              \
    __attribute__((visibility("default"))) void emu_unit_run(wave_t *restrict w, uint32_t entry);  \
    void emu_unit_run(wave_t *restrict w, uint32_t entry) {                                        \
        LOCAL_WAVE                                                                                 \
        const op_t *r = R + entry;                                                                 \
        ENTER                                                                                      \
        ENTER_WAVE                                                                                 \
        KNOWN_MODE                                                                                 \
        THE.count_bias = w->executed - r->seq;                                                     \
    dispatch:                                                                                      \
        switch (r - R) { ENTRIES }                                                                 \
        THE.next = r;                                                                              \
        goto leave;
#define NATIVE_END                                                                                 \
    leave:                                                                                         \
    LEAVE                                                                                          \
    LEAVE_WAVE                                                                                     \
    }
