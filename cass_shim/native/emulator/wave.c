/* Waves and workgroups: initial register state, rounds with barriers, faults. Source of the initial
 * state: LLVM AMDGPUUsage, "Kernel Dispatch" and "Initial Kernel Execution State". */
#include "emulator/decode.h"
#include "emulator/lds_race.h"
#include "emulator/memory_race.h"
#include "emulator/native.h"
#include "emulator/pending.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define WAVES_KEPT 256

static wave_t *kept;
static unsigned kept_count;
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

/* Bytes of scratch per wave; 0 when none. Sizes were checked by emu_run. */
static uint64_t wave_scratch(const emu_launch *launch) {
    return ((uint64_t)launch->scratch_bytes + 3) / 4 * 4 * LANES;
}

static void wave_release(wave_t *w) {
    if (!w) return;
    free(w->scratch);
    w->scratch = NULL;
    w->scratch_room = 0;
    pthread_mutex_lock(&kept_lock);
    if (kept_count < WAVES_KEPT) {
        w->free_next = kept;
        kept = w;
        kept_count++;
        w = NULL;
    }
    pthread_mutex_unlock(&kept_lock);
    free(w);
}

static wave_t *wave_create(uint64_t scratch) {
    pthread_mutex_lock(&kept_lock);
    wave_t *w = kept;
    if (w) {
        kept = w->free_next;
        kept_count--;
    }
    pthread_mutex_unlock(&kept_lock);
    if (!w) {
        size_t bytes = (sizeof *w + 127) / 128 * 128;
        w = aligned_alloc(128, bytes);
        if (!w) return NULL;
        memset(w, 0, bytes);
    }
    w->scratch_room = scratch;
    w->scratch = scratch ? aligned_alloc(128, scratch) : NULL; /* whole rows of 128 bytes */
    if (w->scratch) memset(w->scratch, 0, scratch);
    if (scratch && !w->scratch) {
        wave_release(w);
        return NULL;
    }
    return w;
}

group_t *emu_group_create(const emu_launch *launch) {
    uint32_t items = launch->group_items[0] * launch->group_items[1] * launch->group_items[2];
    uint32_t waves = (items + LANES - 1) / LANES;
    group_t *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    g->launch = launch;
    g->capacity = waves;
    g->waves = calloc(waves, sizeof *g->waves);
    g->lds = calloc(1, launch->lds_bytes + 16u);
    uint64_t check = emu_setting("CASS_EMU_CHECK", 0);
    int checking = check != 0, races = check > 1;
    if (checking) g->lds_written = malloc(launch->lds_bytes + 16u);
    if (races) g->race = emu_race_create(launch->lds_bytes + 16u);
    if (emu_pending_wanted()) g->pending = emu_pending_create(waves);
    int ok = g->waves && g->lds && (g->lds_written || !checking) && (g->race || !races) &&
             (g->pending || !emu_pending_wanted());
    for (uint32_t i = 0; ok && i < waves; i++)
        ok = (g->waves[i] = wave_create(wave_scratch(launch))) != NULL;
    if (ok) return g;
    emu_group_destroy(g);
    return NULL;
}

void emu_group_destroy(group_t *g) {
    if (!g) return;
    for (uint32_t i = 0; g->waves && i < g->capacity; i++) wave_release(g->waves[i]);
    free(g->waves);
    free(g->lds);
    free(g->lds_written);
    emu_race_destroy(g->race);
    emu_pending_destroy(g->pending);
    free(g);
}

static unsigned put_pointer(wave_t *w, unsigned at, uint64_t value) {
    set_s64(w, at, value);
    return at + 2;
}

static void start_sgprs(wave_t *w, const emu_launch *launch, const uint32_t *id) {
    memset(w->s, 0, sizeof w->s);
    unsigned at = 0, properties = launch->properties;
    if (properties & 1) at += 4;
    if (properties & 2) at = put_pointer(w, at, launch->dispatch_packet);
    if (properties & 4) at = put_pointer(w, at, 0);
    if (properties & 8) at = put_pointer(w, at, launch->kernarg);
    if (properties & 16) at = put_pointer(w, at, 0);
    if (properties & 32) at = put_pointer(w, at, 0);
    if (properties & 64) w->s[at] = launch->scratch_bytes;
    at = (launch->rsrc2 >> 1) & 31;
    for (unsigned axis = 0; axis < 3; axis++)
        if (launch->rsrc2 >> (7 + axis) & 1) w->s[at++] = id[axis];
}

/* The place of each lane in its workgroup: rows of x, one after the other. Lanes behind the last
 * work-item have 0. */
static void start_lanes(wave_t *w, const emu_launch *launch, const uint32_t *extent,
                        uint32_t first) {
    unsigned axes = (launch->rsrc2 >> 11) & 3;
    uint32_t total = extent[0] * extent[1] * extent[2];
    uint32_t count = total - first < LANES ? total - first : LANES;
    uint32_t x = first % extent[0], y = first / extent[0] % extent[1];
    uint32_t z = first / extent[0] / extent[1];
    for (uint32_t lane = 0; lane < count; x = 0) {
        uint32_t row = extent[0] - x < count - lane ? extent[0] - x : count - lane;
        uint32_t word = x | (axes > 0 ? y << 10 : 0) | (axes > 1 ? z << 20 : 0);
        for (uint32_t i = 0; i < row; i++) w->v[0][lane + i] = word + i;
        lane += row;
        if (++y < extent[1]) continue;
        y = 0;
        z++;
    }
    for (uint32_t lane = count; lane < LANES; lane++) w->v[0][lane] = 0;
    w->s[S_EXEC] = count < LANES ? (1u << count) - 1 : ~0u;
}

static void start_wave(group_t *g, uint32_t index, const uint32_t *extent, const op_t *entry) {
    const emu_launch *launch = g->launch;
    wave_t *w = g->waves[index];
    memset(w->v, 0,
           ((launch->rsrc1 & 63) + 1) * 8 * sizeof(vreg_t) > sizeof w->v
               ? sizeof w->v
               : ((launch->rsrc1 & 63) + 1) * 8 * sizeof(vreg_t));
    start_sgprs(w, launch, g->id);
    start_lanes(w, launch, extent, index * LANES);
    w->mode = (launch->rsrc1 >> 12 & 0xff) | (launch->rsrc1 >> 21 & 1) << 8 |
              (launch->rsrc1 >> 23 & 1) << 9;
    w->mode |= (launch->rsrc1 >> 26 & 1) << 23;
    emu_mode_changed(w);
    w->lds = g->lds;
    w->lds_written = g->lds_written;
    w->race = g->race;
    w->pending = g->pending ? emu_pending_start(g->pending, index) : NULL;
    w->lds_bytes = launch->lds_bytes;
    w->scratch_bytes = launch->scratch_bytes;
    w->group = g;
    w->program = launch->program;
    w->code = emu_program_base(launch->program);
    w->index = index;
    w->state = WAVE_READY;
    w->next = entry;
    w->record_of = NULL;
    w->executed = 0;
    w->count_bias = 0 - (uint64_t)entry->seq;
}

void emu_group_start(group_t *g, uint64_t linear_id, const op_t *entry) {
    const emu_launch *launch = g->launch;
    uint32_t extent[3];
    for (int axis = 0; axis < 3; axis++) {
        g->id[axis] = (uint32_t)(linear_id % launch->groups[axis]);
        linear_id /= launch->groups[axis];
        uint64_t first = (uint64_t)g->id[axis] * launch->group_items[axis];
        uint64_t left = launch->grid_items[axis] > first ? launch->grid_items[axis] - first : 0;
        extent[axis] =
            left < launch->group_items[axis] ? (uint32_t)left : launch->group_items[axis];
    }
    uint32_t items = extent[0] * extent[1] * extent[2];
    g->wave_count = (items + LANES - 1) / LANES;
    g->waiting = g->done = g->faulted = g->slept = 0;
    g->reported = g->translated = 0;
    memset(g->lds, 0, launch->lds_bytes);
    if (g->lds_written) memset(g->lds_written, 0, launch->lds_bytes);
    if (g->race) emu_race_barrier(g->race);
    g->acquired = g->met = 0;
    for (uint32_t i = 0; i < g->wave_count; i++) start_wave(g, i, extent, entry);
}

static void release_barrier(group_t *g) {
    if (!g->waiting || g->waiting + g->done < g->wave_count) return;
    g->waiting = 0;
    if (g->race) emu_race_barrier(g->race);
    if (g->memory) emu_memory_race_barrier(g);
    for (uint32_t i = 0; i < g->wave_count; i++)
        if (g->waves[i]->state == WAVE_BARRIER) g->waves[i]->state = WAVE_READY;
}

/* Runs one wave until it waits, yields, ends or faults; in translated code others after it, too.
 * Returns the last one that ran. */
static wave_t *run_wave(group_t *g, wave_t *w, uint64_t *executed) {
    uint64_t limit = g->launch->instruction_limit;
    if (emu_native_ready(g->kernel)) {
        w = emu_native_run(g->kernel, w, executed);
    } else {
        uint64_t before = w->executed;
        w->state = WAVE_READY;
        emu_selected_variant()->run(w, w->next);
        int ended = w->state == WAVE_DONE || w->state == WAVE_FAULT;
        if (!ended) w->executed = w->count_bias + w->next->seq;
        *executed += w->executed - before;
        g->done += ended != 0;
        g->waiting += w->state == WAVE_BARRIER;
    }
    if (limit && w->executed >= limit && w->state == WAVE_YIELD) {
        emu_raise(w, w->next, EMU_LIMIT, 0, 0, "instruction limit reached");
        g->done++;
    }
    return w;
}

/* Every runnable wave; adds up what they executed and whether one gave way. */
static void pass(group_t *g, uint64_t *executed, int *yielded) {
    for (uint32_t i = 0; i < g->wave_count; i++) {
        wave_t *w = g->waves[i];
        if (w->state != WAVE_READY && w->state != WAVE_YIELD) continue;
        w = run_wave(g, w, executed);
        if (g->faulted) return;
        if (w->state == WAVE_YIELD) *yielded = 1;
        g->one_pass = (uint32_t)*yielded;
        i = w->index;
        release_barrier(g);
    }
    release_barrier(g);
}

/* Barriers do not end a round: waves that meet at one have used little of their time. */
int emu_group_round(group_t *g, uint64_t quantum) {
    uint64_t executed = 0, limit = g->launch->instruction_limit;
    int yielded = 0;
    g->slept = g->one_pass = 0;
    for (uint32_t i = 0; i < g->wave_count; i++) {
        wave_t *w = g->waves[i];
        w->stop_at = w->executed + quantum;
        if (limit && w->stop_at > limit) w->stop_at = limit;
    }
    while (!g->faulted && !yielded && g->done < g->wave_count && executed < quantum * g->wave_count)
        pass(g, &executed, &yielded);
    return g->faulted || g->done == g->wave_count;
}

static const char *status_word(emu_status status) {
    switch (status) {
    case EMU_ILLEGAL_ADDRESS:
        return "illegal address";
    case EMU_ILLEGAL_INSTRUCTION:
        return "illegal instruction";
    case EMU_MISALIGNED:
        return "misaligned address";
    case EMU_TRAP:
        return "trap";
    case EMU_LIMIT:
        return "stopped";
    case EMU_RACE:
        return "race";
    case EMU_WAIT:
        return "missing wait";
    default:
        return "bad launch";
    }
}

void emu_describe_fault(const wave_t *w, const op_t *o, emu_status status, unsigned lane,
                        uint64_t address, const char *what, emu_fault *f) {
    const group_t *g = w->group;
    memset(f, 0, sizeof *f);
    f->status = status;
    f->pc = emu_program_base(w->program) + o->pc;
    f->address = address;
    memcpy(f->group, g->id, sizeof f->group);
    f->wave = w->index;
    f->lane = lane;
    const emu_row *row = &emu_rows[o->row];
    uint32_t word = emu_program_word(w->program, o->pc);
    snprintf(f->text, sizeof f->text,
             "%s: %s%s%s at pc +0x%x (word %08x), address 0x%llx, group (%u,%u,%u) wave %u lane %u",
             status_word(status), row->encoding == ENC_INTERNAL ? "" : row->name,
             row->encoding == ENC_INTERNAL ? "" : ": ", what, o->pc, word,
             (unsigned long long)address, g->id[0], g->id[1], g->id[2], w->index, lane);
}

const op_t *emu_raise(wave_t *w, const op_t *o, emu_status status, unsigned lane, uint64_t address,
                      const char *what) {
    emu_describe_fault(w, o, status, lane, address, what, &w->group->fault);
    w->group->faulted = 1;
    w->executed = w->count_bias + o->seq;
    w->state = WAVE_FAULT;
    return NULL;
}
