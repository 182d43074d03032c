/* Program control: branches, calls, barriers, traps, hardware registers, messages. */
#define EMU_SHARED
#include "emulator/interp.h"

#define TAKE(o)                                                                                    \
    do {                                                                                           \
        const op_t *t = BRANCH_TARGET(o);                                                          \
        w->count_bias += (o)->k[1];                                                                \
        if (unlikely(w->count_bias + t->seq >= w->stop_at)) {                                      \
            w->next = t;                                                                           \
            w->state = WAVE_YIELD;                                                                 \
            return NULL;                                                                           \
        }                                                                                          \
        GO(t);                                                                                     \
    } while (0)
#define BRANCH(name, condition)                                                                    \
    HANDLER(name) {                                                                                \
        if (condition) TAKE(o);                                                                    \
        NEXT;                                                                                      \
    }

HANDLER(s_branch) { TAKE(o); }
BRANCH(s_cbranch_scc0, !SCC)
BRANCH(s_cbranch_scc1, SCC)
BRANCH(s_cbranch_vccz, w->s[S_VCC] == 0)
BRANCH(s_cbranch_vccnz, w->s[S_VCC] != 0)
BRANCH(s_cbranch_execz, EXEC == 0)
BRANCH(s_cbranch_execnz, EXEC != 0)

HANDLER(jump) {
    const op_t *t = BRANCH_TARGET(o);
    w->count_bias += o->k[1];
    GO(t);
}

HANDLER(illegal) {
    return emu_raise(w, o, EMU_ILLEGAL_INSTRUCTION, 0, 0, (const char *)(uintptr_t)o->k[0]);
}
HANDLER(refused) {
    return emu_raise(w, o, EMU_ILLEGAL_INSTRUCTION, 0, 0, "instruction not implemented");
}
HANDLER(s_nop) { NEXT; }
HANDLER(v_nop) { NEXT; }

/* Goes on at the record of another address; shared by the indirect jumps. */
static const op_t *indirect(wave_t *w, const op_t *o, const op_t *t) {
    w->count_bias += (uint64_t)o->seq + 1 - t->seq;
    w->next = t;
    if (unlikely(w->count_bias + t->seq >= w->stop_at)) {
        w->state = WAVE_YIELD;
        return NULL;
    }
    return t;
}
static const op_t *nowhere(wave_t *w, const op_t *o, uint64_t target) {
    return emu_raise(w, o, EMU_ILLEGAL_INSTRUCTION, 0, target,
                     "jump to an address outside the code");
}
static uint64_t address_after(const wave_t *w, const op_t *o) { return w->code + o->pc + 4; }
HANDLER(s_getpc_b64) {
    set_s64(w, o->d, address_after(w, o));
    NEXT;
}
HANDLER(s_setpc_b64) {
    uint64_t target = s64(w, o, 0);
    const op_t *t = emu_program_at(w->program, target);
    if (unlikely(!t)) return nowhere(w, o, target);
    t = indirect(w, o, t);
    if (unlikely(!t)) return NULL;
    GO(t);
}
HANDLER(s_rfe_b64) {
    return emu_raise(w, o, EMU_ILLEGAL_INSTRUCTION, 0, 0,
                     "return from a trap handler without a trap");
}
HANDLER(s_swappc_b64) {
    uint64_t target = s64(w, o, 0);
    const op_t *t = emu_program_at(w->program, target);
    if (unlikely(!t)) return nowhere(w, o, target);
    set_s64(w, o->d, address_after(w, o));
    t = indirect(w, o, t);
    if (unlikely(!t)) return NULL;
    GO(t);
}
HANDLER(s_call_b64) {
    set_s64(w, o->d, address_after(w, o));
    TAKE(o);
}

HANDLER(s_endpgm) {
    w->executed = w->count_bias + o->seq + 1;
    w->state = WAVE_DONE;
    return NULL;
}
HANDLER(s_barrier) {
    w->next = o + 1;
    w->state = WAVE_BARRIER;
    return NULL;
}
/* Gives way: a sleeping wave usually waits for another one. */
HANDLER(s_sleep) {
    w->next = o + 1;
    w->state = WAVE_YIELD;
    w->group->slept = 1;
    return NULL;
}
/* Ends the wave at once, where its operand says so. */
HANDLER(s_setkill) {
    if (!(o->misc & 1)) NEXT;
    w->executed = w->count_bias + o->seq + 1;
    w->state = WAVE_DONE;
    return NULL;
}
HANDLER(s_sethalt) {
    if (o->misc & 1) return emu_raise(w, o, EMU_TRAP, 0, 0, "wave halted");
    NEXT;
}
HANDLER(s_trap) {
    return emu_raise(w, o, EMU_TRAP, 0, o->misc,
                     o->misc == 2 ? "assertion or __builtin_trap" : "trap");
}
