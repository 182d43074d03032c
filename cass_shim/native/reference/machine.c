// The scheduler of the compiled reference (cass_shim/verify/compiled): which lanes run next, and
// the control instructions that need no Python. It decides exactly as verify/interpreter.py and
// verify/control.py do; whatever it has no rule for it hands back. All arrays are numpy's, one
// entry per lane.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WARP = 32, FAIRNESS = 16, PATIENCE = 64 };
enum { RUN, AT_BSYNC, AT_WARPSYNC, AT_BARRIER, AT_DIVERGENCE };
enum { ABSENT, STRAIGHT, JUMP, LEAVE, BSSY, BSYNC, WARPSYNC, BREAK, PARK, TOGETHER };
enum { NOBODY, BY_PYTHON, FAULT, PAUSE }; // why the scheduler returned
enum { RAN, FAULTED, REFUSED };           // what compiled code answers
enum { EVERYONE = -1, PLAIN_MASK = -2, NONE = -1 };

// One entry per instruction: compiled code or a control instruction that starts here, and how many
// it stands for.
struct unit {
    int32_t (*code)(uint64_t *context);
    int32_t kind, length;
    int32_t guard, negated; // row of predicates, NONE
    int32_t number; // barrier register; of WARPSYNC the row of its mask, EVERYONE or PLAIN_MASK
    uint32_t mask;
};

struct machine {
    int64_t lanes, policy_random;
    int32_t *list;
    uint64_t *context;
    int64_t *count; // of the list, in the context
    const struct unit *units;
    const uint32_t *regs;
    const uint8_t *preds;
    int64_t *pc;
    uint8_t *alive, *waiting;
    int64_t *wait_for;
    int8_t *wait_at;
    uint32_t *convergence;
    int64_t *exclusive, *yields;
    const int64_t *turn;
    uint8_t *executed;
    int64_t *stamp;
    int64_t steps, most_steps, pause_at, repeated;
    uint64_t picks;
    int64_t index, resumed, program;
};

int32_t cass_reference_run(struct machine *m);
void cass_reference_sizes(int64_t sizes[3]);
int64_t cass_reference_memory_size(void);

static uint64_t splitmix(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static bool ready(const struct machine *m, int64_t lane, int64_t unit) {
    return m->alive[lane] && m->waiting[lane] == RUN && (!m->turn || m->turn[lane] == unit);
}

// The unit (block or warp) whose turn it is: the first that has not finished.
static int64_t whose_turn(const struct machine *m) {
    int64_t first = INT64_MAX;
    for (int64_t lane = 0; m->turn && lane < m->lanes; lane++)
        if (m->alive[lane] && m->turn[lane] < first) first = m->turn[lane];
    return first;
}

static int64_t next_above(const struct machine *m, int64_t unit, int64_t floor) {
    int64_t lowest = INT64_MAX;
    for (int64_t lane = 0; lane < m->lanes; lane++)
        if (m->pc[lane] > floor && m->pc[lane] < lowest && ready(m, lane, unit))
            lowest = m->pc[lane];
    return lowest;
}

// Fill the list with the lanes that run next. Returns false when nobody can.
static bool choose(struct machine *m) {
    int64_t unit = whose_turn(m), start = next_above(m, unit, -1);
    if (start == INT64_MAX) return false;
    m->repeated++;
    if (m->policy_random || m->repeated % FAIRNESS == 0) {
        int64_t kinds = 1, at = start;
        while ((at = next_above(m, unit, at)) != INT64_MAX) kinds++;
        if (kinds > 1)
            for (int64_t left = (int64_t)(splitmix(&m->picks) % (uint64_t)kinds); left > 0; left--)
                start = next_above(m, unit, start);
    }
    int64_t count = 0;
    for (int64_t lane = 0; lane < m->lanes; lane++)
        if (m->pc[lane] == start && ready(m, lane, unit)) m->list[count++] = (int32_t)lane;
    *m->count = count;
    m->index = start;
    return true;
}

static uint32_t pack(const struct machine *m, int64_t first, int state, int number) {
    uint32_t bits = 0;
    for (int lane = 0; lane < WARP; lane++)
        if (m->alive[first + lane] && (state == RUN || (m->waiting[first + lane] == state &&
                                                        m->wait_at[first + lane] == number)))
            bits |= 1u << lane;
    return bits;
}

// Of the lanes `at` a barrier register those that wait for this lane too, or for the same lanes:
// callees save a register that their caller's siblings wait at (BMOV) and use it.
static uint32_t met(const struct machine *m, int64_t first, int lane, uint32_t at) {
    const int64_t *wanted = m->wait_for + first;
    uint32_t found = 0;
    for (int other = 0; other < WARP; other++)
        if (wanted[other] >> lane & 1 || wanted[other] == wanted[lane]) found |= 1u << other;
    return found & at;
}

// Lanes of a warp whose convergence point is complete go on. Nobody of it has yielded PATIENCE
// times.
static void release(struct machine *m, int64_t first) {
    uint32_t live = pack(m, first, RUN, 0), open = 0;
    for (int lane = 0; lane < WARP; lane++) {
        int64_t at = first + lane;
        int state = m->waiting[at];
        if (!m->alive[at] || state == RUN || state == AT_BARRIER) continue;
        uint32_t wanted = (uint32_t)m->wait_for[at] & live;
        uint32_t there = met(m, first, lane, pack(m, first, state, m->wait_at[at]));
        if (!(wanted & ~there)) open |= 1u << lane;
    }
    for (int lane = 0; lane < WARP; lane++)
        if (open >> lane & 1) {
            m->waiting[first + lane] = RUN;
            m->exclusive[first + lane] = 0;
            m->pc[first + lane]++;
        }
}

static bool passes(const struct machine *m, const struct unit *u, int64_t lane) {
    return u->guard == NONE || m->preds[u->guard * m->lanes + lane] != (uint8_t)u->negated;
}

// Lanes of the list from `k` on that share a warp: their bits (those that pass the guard), and the
// next position.
static int64_t one_warp(const struct machine *m, const struct unit *u, int64_t k, uint32_t *bits) {
    int64_t warp = m->list[k] / WARP;
    *bits = 0;
    for (; k < *m->count && m->list[k] / WARP == warp; k++)
        if (passes(m, u, m->list[k])) *bits |= 1u << m->list[k] % WARP;
    return k;
}

static bool patient(const struct machine *m, int64_t first) {
    for (int lane = 0; lane < WARP; lane++)
        if (m->yields[first + lane] >= PATIENCE) return false;
    return true;
}

static void enter(struct machine *m, int number, int64_t first, uint32_t bits) {
    for (int lane = 0; lane < WARP; lane++)
        if (bits >> lane & 1) m->convergence[number * m->lanes + first + lane] = bits;
}

static void leave(struct machine *m, int number, int64_t first, uint32_t bits) {
    uint32_t *row = m->convergence + number * m->lanes + first, before[WARP];
    for (int lane = 0; lane < WARP; lane++) before[lane] = row[lane];
    for (int lane = 0; lane < WARP; lane++)
        for (int other = 0; other < WARP; other++)
            if (bits >> other & 1 && before[lane] == before[other])
                row[lane] = before[lane] & ~bits;
    for (int lane = 0; lane < WARP; lane++) // who waits at a BSYNC looks at the register again
        if (m->waiting[first + lane] == AT_BSYNC)
            m->wait_for[first + lane] =
                m->convergence[m->wait_at[first + lane] * m->lanes + first + lane];
    release(m, first);
}

static void wait(struct machine *m, const struct unit *u, int64_t first, uint32_t bits) {
    bool sync = u->kind == BSYNC;
    for (int lane = 0; lane < WARP; lane++) {
        int64_t at = first + lane;
        if (!(bits >> lane & 1)) continue;
        if (sync) m->yields[at] = 0;
        m->wait_at[at] = (int8_t)(sync ? u->number : 0);
        m->pc[at] = m->index;
        m->waiting[at] = sync ? AT_BSYNC : AT_WARPSYNC;
        m->wait_for[at] = sync                      ? m->convergence[u->number * m->lanes + at]
                          : u->number == EVERYONE   ? 0xFFFFFFFF
                          : u->number == PLAIN_MASK ? u->mask
                                                    : m->regs[u->number * m->lanes + at];
    }
    release(m, first);
}

static void effect(struct machine *m, const struct unit *u, int64_t first, uint32_t bits) {
    if (u->kind == BSSY) enter(m, u->number, first, bits);
    else if (u->kind == BREAK) leave(m, u->number, first, bits);
    else if (u->kind == LEAVE) {
        for (int lane = 0; lane < WARP; lane++)
            if (bits >> lane & 1) m->alive[first + lane] = 0;
        release(m, first);
    } else if (u->kind == BSYNC || u->kind == WARPSYNC) wait(m, u, first, bits);
}

// Whether Python has to run this control instruction: lanes that lost patience, or a warp that is
// not together.
static bool beyond(const struct machine *m, const struct unit *u) {
    for (int64_t k = 0; k < *m->count;) {
        int64_t first = m->list[k] / WARP * WARP;
        uint32_t bits;
        k = one_warp(m, u, k, &bits);
        if (u->kind == TOGETHER ? bits != pack(m, first, RUN, 0) : !patient(m, first)) return true;
    }
    return false;
}

static bool control(struct machine *m, const struct unit *u) {
    if (u->kind != BSSY && u->kind != PARK && beyond(m, u)) return false;
    m->steps++;
    if (u->kind != PARK) m->executed[m->index] = 1;
    for (int64_t k = 0; k < *m->count; k++) {
        bool stays = u->kind == PARK && passes(m, u, m->list[k]);
        m->pc[m->list[k]] = m->index + (stays ? 0 : 1);
        if (stays) m->waiting[m->list[k]] = AT_BARRIER;
    }
    for (int64_t k = 0; k < *m->count && u->kind != PARK && u->kind != TOGETHER;) {
        int64_t first = m->list[k] / WARP * WARP;
        uint32_t bits;
        k = one_warp(m, u, k, &bits);
        if (bits) effect(m, u, first, bits);
    }
    return true;
}

// Run until nobody can, an instruction needs Python (from `index` on, for the list), a fault, or a
// pause.
int32_t cass_reference_run(struct machine *m) {
    bool inside = m->resumed != 0;
    m->resumed = 0;
    for (;;) {
        if (!inside) {
            if (m->steps >= m->pause_at) return PAUSE;
            if (!choose(m)) return NOBODY;
            inside = true;
        }
        const struct unit *u = &m->units[m->index];
        if (m->index >= m->program || u->kind == ABSENT || m->steps + u->length > m->most_steps)
            return BY_PYTHON;
        if (u->kind > JUMP) {
            if (!control(m, u)) return BY_PYTHON;
            inside = false;
            continue;
        }
        ++*m->stamp;
        int32_t answer = u->code(m->context);
        if (answer == FAULTED) return FAULT;
        if (answer == REFUSED) return BY_PYTHON;
        for (int32_t k = 0; k < u->length; k++) m->executed[m->index + k] = 1;
        m->steps += u->length;
        if (u->kind == JUMP) inside = false;
        else m->index += u->length;
    }
}

// Sizes of the structures, by which Python sees that its layouts are these.
void cass_reference_sizes(int64_t sizes[3]) {
    sizes[0] = sizeof(struct unit);
    sizes[1] = cass_reference_memory_size();
    sizes[2] = sizeof(struct machine);
}
