/* What waves did to each byte of LDS since the last barrier. */
#include "emulator/lds_race.h"

#include <stdio.h>
#include <stdlib.h>

#define WAVES_MAX 32

typedef struct {
    uint32_t epoch; /* barriers before it */
    uint32_t tick;  /* atomics before it */
    uint32_t pc;
    uint8_t wave, lane, atomic;
} access_t;

/* Two reads are enough: one of them is not the writer's. */
typedef struct {
    access_t write, reads[2];
} place_t;

struct lds_race {
    uint32_t epoch, tick;
    uint32_t synced[WAVES_MAX]; /* tick of each wave's last atomic */
    place_t places[];
};

lds_race *emu_race_create(uint32_t bytes) {
    lds_race *race = calloc(1, sizeof *race + (size_t)bytes * sizeof *race->places);
    if (race) race->epoch = 1;
    return race;
}

void emu_race_destroy(lds_race *race) { free(race); }

void emu_race_barrier(lds_race *race) { race->epoch++; }

void emu_race_atomic(const wave_t *w) { w->race->synced[w->index % WAVES_MAX] = ++w->race->tick; }

/* Whether nothing orders the wave's access now behind `a`. One wave's atomic is enough: the other
 * may have waited for it by plain loads (cuda::barrier), or let go of a lock by a plain store. */
static int concurrent(const wave_t *w, const access_t *a) {
    const lds_race *race = w->race;
    if (a->epoch != race->epoch || a->wave == w->index) return 0;
    return race->synced[a->wave % WAVES_MAX] <= a->tick &&
           race->synced[w->index % WAVES_MAX] <= a->tick;
}

static int raise_race(wave_t *w, const op_t *o, unsigned lane, uint32_t address, const access_t *a,
                      const char *did) {
    char what[96];
    snprintf(what, sizeof what, "no barrier since wave %u lane %u %s it at pc +0x%x", a->wave,
             a->lane, did, a->pc);
    emu_raise(w, o, EMU_RACE, lane, address, what);
    return 1;
}

static void note_read(const wave_t *w, place_t *place, const access_t *now) {
    access_t *reads = place->reads;
    int other = reads[0].epoch == now->epoch && reads[0].wave != w->index;
    reads[other] = *now;
}

/* One byte; `same`: the store changes nothing. */
static int check(wave_t *w, const op_t *o, unsigned kind, unsigned lane, uint32_t address,
                 int same) {
    lds_race *race = w->race;
    place_t *place = &race->places[address];
    access_t now = {race->epoch, race->tick, o->pc, (uint8_t)w->index, (uint8_t)lane, 0};
    const access_t *write = &place->write;
    int counter = write->epoch == race->epoch && write->atomic;
    if (!counter && concurrent(w, write) && !(kind == RACE_WRITE && same))
        return raise_race(w, o, lane, address, write, "wrote");
    for (int i = 0; kind == RACE_WRITE && !counter && i < 2; i++)
        if (concurrent(w, &place->reads[i]))
            return raise_race(w, o, lane, address, &place->reads[i], "read");
    if (kind == RACE_READ) {
        note_read(w, place, &now);
        return 0;
    }
    now.atomic = kind == RACE_ATOMIC || counter;
    place->write = now;
    return 0;
}

int emu_race_access(wave_t *w, const op_t *o, unsigned kind, const uint32_t *at, uint32_t exec,
                    unsigned bytes, const vreg_t *x, unsigned shift) {
    for (uint32_t left = exec; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        for (unsigned k = 0; k < bytes; k++) {
            uint32_t address = at[lane] + k;
            int same = x && (uint8_t)(x[k / 4][lane] >> shift >> 8 * (k % 4)) == w->lds[address];
            if (check(w, o, kind, lane, address, same)) return 1;
        }
    }
    if (kind == RACE_ATOMIC) emu_race_atomic(w);
    return 0;
}

int emu_race_lane(wave_t *w, const op_t *o, unsigned kind, uint32_t address, unsigned lane,
                  unsigned bytes) {
    vreg_t at;
    at[lane] = address;
    return emu_race_access(w, o, kind, at, 1u << lane, bytes, NULL, 0);
}
