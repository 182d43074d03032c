/* The function around a unit's blocks. A block in a loop stands there twice: F for waves of which
 * every lane is active, M for the others, chosen at every jump. */

/* Registers of the wave: a local copy that the compiler can keep in the processor's. */
#define THE local
#define GET_V(i) *(V *)local.v[i] = *(const V *)w->v[i];
#define GET_S(i) local.s[i] = w->s[i];
#define ZERO_V(i) *(V *)local.v[i] = v_splat(0);
#define ZERO_S(i) local.s[i] = 0;
#define PUT_V(i) *(V *)w->v[i] = *(const V *)local.v[i];
#define PUT_S(i) w->s[i] = local.s[i];
#define ENTER_GROUP                                                                                \
    local.fp_special = FP_SPECIAL;                                                                 \
    local.lds = w->lds;                                                                            \
    local.lds_bytes = w->lds_bytes;                                                                \
    local.scratch_bytes = w->scratch_bytes;                                                        \
    local.code = w->code;                                                                          \
    local.group = w->group;
#define ENTER_WAVE                                                                                 \
    local.stop_at = w->stop_at;                                                                    \
    local.state = WAVE_READY;                                                                      \
    local.scratch = w->scratch;
/* seq: instructions before the block that it comes in at. */
#define BEGIN(seq) local.count_bias = begun - (seq);
#define LEAVE_WAVE                                                                                 \
    w->state = local.state;                                                                        \
    w->executed = local.count_bias + local.next->seq;                                              \
    w->resume_pc = local.next->pc;
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
/* The interpreter's body, on the wave's own registers; where it faults, it has reported. */
#define CALL(n, start)                                                                             \
    if (unlikely(!calls[2 * (n)].fn(w, &calls[2 * (n)]))) {                                        \
        THE.state = w->state;                                                                      \
        THE.next = R + (start);                                                                    \
        goto leave;                                                                                \
    }
#define TRY(body, at) if (unlikely(!emu_nat_##body(&THE, R + (at))))
#define DISPATCH goto dispatch
/* The wave waits, or ends, and the next one of its workgroup goes on. */
#define BARRIER(at, to)                                                                            \
    emu_nat_s_barrier(&THE, R + (at));                                                             \
    w->executed = THE.count_bias + R[(at) + 1].seq;                                                \
    w->resume_pc = R[(at) + 1].pc;                                                                 \
    w->record = (to);                                                                              \
    w->state = WAVE_BARRIER;                                                                       \
    goto waits
#define END(at)                                                                                    \
    emu_nat_s_endpgm(&THE, R + (at));                                                              \
    w->executed = THE.executed;                                                                    \
    w->state = WAVE_DONE;                                                                          \
    goto ends

/* All waves have come to the barrier, or ended. */
ALWAYS_INLINE void native_release(group_t *g) {
    wave_t **waves = g->waves, **end = waves + g->wave_count;
    g->waiting = 0;
    for (; waves < end; waves++)
        if ((*waves)->state == WAVE_BARRIER) (*waves)->state = WAVE_READY;
}

/* The wave that runs after `w`, in the order of emu_group_round; NULL: not in translated code. */
ALWAYS_INLINE wave_t *native_turn(const wave_t *w, const group_t *g) {
    uint32_t i = w->index;
    do {
        if (++i >= g->wave_count) {
            if (g->one_pass) return 0;
            i = 0;
        }
        wave_t *x = g->waves[i];
        if (x->state != WAVE_READY && x->state != WAVE_YIELD) continue;
        return x->record == NO_RECORD || (x->mode & 0xff) != MODE_LOW ? 0 : x;
    } while (i != w->index);
    return 0;
}

#define NATIVE_BEGIN                                                                               \
    __attribute__((visibility("default"))) void emu_unit_start(const native_services *given,       \
                                                               emu_space_t space);                 \
    void emu_unit_start(const native_services *given, emu_space_t space) {                         \
        services = given;                                                                          \
        emu_space = space;                                                                         \
    }                                                                                              \
    __attribute__((visibility("default"))) wave_t *emu_unit_run(wave_t *w, int *left,              \
                                                                const op_t *calls);                \
    wave_t *emu_unit_run(wave_t *w, int *left, const op_t *calls) {                                \
        wave_t local, *last;                                                                       \
        const op_t *r;                                                                             \
        group_t *const group = w->group;                                                           \
        uint64_t begun;                                                                            \
        ENTER_GROUP                                                                                \
    enter:                                                                                         \
        begun = w->executed;                                                                       \
        ENTER_WAVE                                                                                 \
        KNOWN_MODE                                                                                 \
        switch (w->record) { ENTRIES }                                                             \
        __builtin_unreachable();                                                                   \
    dispatch:                                                                                      \
        switch (r - R) { JUMPS }                                                                   \
        THE.next = r;                                                                              \
        goto leave;
#define NATIVE_END                                                                                 \
    ends:                                                                                          \
    group->done++;                                                                                 \
    goto turn;                                                                                     \
    waits:                                                                                         \
    group->waiting++;                                                                              \
    turn:                                                                                          \
    group->translated += w->executed - begun;                                                      \
    if (group->waiting && group->waiting + group->done >= group->wave_count)                       \
        native_release(group);                                                                     \
    last = w;                                                                                      \
    w = native_turn(w, group);                                                                     \
    if (w) goto enter;                                                                             \
    return last;                                                                                   \
    leave:                                                                                         \
    switch (w->record) { LATE default : break; }                                                   \
    LEAVE                                                                                          \
    LEAVE_WAVE                                                                                     \
    w->group->translated += w->executed - begun;                                                   \
    *left = 1;                                                                                     \
    return w;                                                                                      \
    }
