/* How a wave moves between the interpreter and translated code, and from part to part of that. */
#include "emulator/native_kernel.h"

#define NO_PC 0xffffffffu

static const native_entry *entry_at(const native_code *code, uint32_t pc) {
    uint32_t low = 0, high = code->entry_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (code->entries[middle].pc < pc) low = middle + 1;
        else high = middle;
    }
    return low < code->entry_count && code->entries[low].pc == pc ? &code->entries[low] : NULL;
}

/* The part that goes on with the wave; NULL: none (yet). */
static const native_code *code_for(native_kernel *kernel, const wave_t *w) {
    unsigned parts = atomic_load_explicit(&kernel->parts, memory_order_relaxed);
    if ((w->mode & 0xff) != kernel->mode) return NULL;
    for (unsigned i = 0; i < parts; i++) {
        const native_code *code = atomic_load_explicit(&kernel->codes[i], memory_order_acquire);
        if (code && entry_at(code, w->next->pc)) return code;
    }
    return NULL;
}

/* Where translated code would go on with the waves of the group. */
static void find_records(const native_code *code, group_t *g) {
    for (uint32_t i = 0; i < g->wave_count; i++) {
        wave_t *w = g->waves[i];
        if (w->state == WAVE_DONE || w->state == WAVE_FAULT) continue;
        if (w->record_of == w->next && w->record_in == code) continue;
        const native_entry *entry = entry_at(code, w->next->pc);
        w->record = entry ? entry->record : NO_RECORD;
        w->record_of = w->next;
        w->record_in = code;
    }
}

/* A wave that translated code left is where the interpreter expects it. */
static void set_next(wave_t *w) {
    w->next = emu_program_at(w->program, w->code + w->resume_pc);
    w->count_bias = w->executed - w->next->seq;
}

/* Translated code from w->record. */
static wave_t *run_translated(const native_code *code, wave_t *w, int *left) {
    group_t *g = w->group;
    for (uint32_t i = 0; i < g->wave_count; i++) g->waves[i]->resume_pc = NO_PC;
    wave_t *last = code->run(w, left, code->calls);
    for (uint32_t i = 0; i < g->wave_count; i++) {
        wave_t *x = g->waves[i];
        if (x->resume_pc == NO_PC || x->state == WAVE_DONE) continue;
        set_next(x);
        x->record_of = *left && x == last ? NULL : x->next;
    }
    return last;
}

static void count(group_t *g, const wave_t *w) {
    g->done += w->state == WAVE_DONE || w->state == WAVE_FAULT;
    g->waiting += w->state == WAVE_BARRIER;
}

/* Interprets up to the next branch that is taken, or in another mode than that of the code up to
 * stop_at; whether the wave may go on in translated code. */
static int run_interpreted(wave_t *w, int other_mode) {
    uint64_t stop_at = w->stop_at;
    group_t *g = w->group;
    w->stop_at = other_mode ? stop_at : 0;
    w->state = WAVE_READY;
    g->slept = 0;
    emu_selected_variant()->run(w, w->next);
    w->stop_at = stop_at;
    if (w->state != WAVE_DONE && w->state != WAVE_FAULT) w->executed = w->count_bias + w->next->seq;
    return w->state == WAVE_YIELD && !g->slept && w->executed < stop_at;
}

wave_t *emu_native_run(native_kernel *kernel, wave_t *w, uint64_t *executed) {
    group_t *g = w->group;
    uint32_t slept = g->slept;
    for (;;) {
        const native_code *code = code_for(kernel, w);
        uint64_t before = g->translated;
        if (code) {
            int left = 0;
            find_records(code, g);
            w = run_translated(code, w, &left);
            *executed += g->translated - before;
            if (!left) break;
            if (w->state != WAVE_READY) {
                count(g, w);
                break;
            }
            if (g->translated != before) continue; /* in another part, perhaps */
        }
        before = w->executed;
        int on = run_interpreted(w, (w->mode & 0xff) != kernel->mode);
        *executed += w->executed - before;
        if (on) continue;
        count(g, w);
        break;
    }
    g->slept |= slept;
    return w;
}
