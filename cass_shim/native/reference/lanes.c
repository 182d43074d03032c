// Operations over the lanes of a warp for the compiled reference, as verify/state.py defines them.
// `active` are the lanes that take part, ascending; every row of `values` has one entry per lane of
// the launch, results come back in the first rows.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WARP = 32 };
enum { RAN, FAULTED, REFUSED };
enum { UP, DOWN, BUTTERFLY, INDEX };
enum { BALLOT, MATCH_ANY, MATCH_ALL, FIRST };
enum { RED_AND, RED_OR, RED_XOR, RED_ADD, RED_UMIN, RED_UMAX, RED_SMIN, RED_SMAX };

int32_t cass_reference_shuffle(const int32_t *active, int64_t count, uint64_t *const *values,
                               uint32_t mode);
int32_t cass_reference_vote(const int32_t *active, int64_t count, uint64_t *const *values,
                            uint32_t operation);
int32_t cass_reference_reduce(const int32_t *active, int64_t count, uint64_t *const *values,
                              uint32_t operation);

static int64_t warp_end(const int32_t *active, int64_t count, int64_t from) {
    int64_t k = from;
    while (k < count && active[k] / WARP == active[from] / WARP) k++;
    return k;
}

static uint32_t present(const int32_t *active, int64_t from, int64_t end) {
    uint32_t bits = 0;
    for (int64_t k = from; k < end; k++) bits |= 1u << active[k] % WARP;
    return bits;
}

// Where a lane reads; -1: out of range, so it keeps its own.
static int source(uint32_t mode, int own, uint32_t lane, uint32_t control) {
    int by = (int)(lane & 31), segment = (int)(control >> 8 & 31), limit = (int)(control & 31);
    int last = (own & segment) | (limit & ~segment);
    int from = mode == UP          ? own - by
               : mode == DOWN      ? own + by
               : mode == BUTTERFLY ? own ^ by
                                   : (own & segment) | (by & ~segment);
    bool inside = mode == UP ? from >= last : from <= last;
    return inside ? from : -1;
}

// values: value, lane, clamp. Back: the value read (row 3), and whether it was in range (row 4).
// Refused where a lane that takes no part is read: what that gives is the reference's to make up.
int32_t cass_reference_shuffle(const int32_t *active, int64_t count, uint64_t *const *values,
                               uint32_t mode) {
    for (int64_t from = 0, end; from < count; from = end) {
        end = warp_end(active, count, from);
        uint32_t there = present(active, from, end);
        for (int64_t k = from; k < end; k++) {
            int own = active[k] % WARP;
            int read =
                source(mode, own, (uint32_t)values[1][active[k]], (uint32_t)values[2][active[k]]);
            int at = (read < 0 ? own : read) & 31;
            if (!(there >> at & 1)) return REFUSED;
            values[3][active[k]] = values[0][active[k] - own + at];
            values[4][active[k]] = read >= 0;
        }
    }
    return RAN;
}

// values: one row. Back: ballot of row 0 (row 1); lanes with the same value (row 1), or all of them
// if it is one value (row 1, and whether in row 2); the first lane's value (row 1).
int32_t cass_reference_vote(const int32_t *active, int64_t count, uint64_t *const *values,
                            uint32_t operation) {
    for (int64_t from = 0, end; from < count; from = end) {
        end = warp_end(active, count, from);
        uint32_t there = present(active, from, end);
        for (int64_t k = from; k < end; k++) {
            uint32_t bits = 0;
            for (int64_t n = from; n < end; n++) {
                bool in = operation == BALLOT ? values[0][active[n]] != 0
                                              : values[0][active[n]] == values[0][active[k]];
                bits |= (uint32_t)in << active[n] % WARP;
            }
            bool all = bits == there;
            values[1][active[k]] = operation == MATCH_ALL ? (all ? there : 0)
                                   : operation == FIRST   ? values[0][active[from]]
                                                          : bits;
            values[2][active[k]] = all;
        }
    }
    return RAN;
}

static uint32_t join(uint32_t operation, uint32_t a, uint32_t b) {
    switch (operation) {
    case RED_AND:
        return a & b;
    case RED_OR:
        return a | b;
    case RED_XOR:
        return a ^ b;
    case RED_ADD:
        return a + b;
    case RED_UMIN:
        return a < b ? a : b;
    case RED_UMAX:
        return a > b ? a : b;
    case RED_SMIN:
        return (int32_t)a < (int32_t)b ? a : b;
    default:
        return (int32_t)a > (int32_t)b ? a : b;
    }
}

// values: row 0. Back: the warp's result (row 1).
int32_t cass_reference_reduce(const int32_t *active, int64_t count, uint64_t *const *values,
                              uint32_t operation) {
    for (int64_t from = 0, end; from < count; from = end) {
        end = warp_end(active, count, from);
        uint32_t total = (uint32_t)values[0][active[from]];
        for (int64_t k = from + 1; k < end; k++)
            total = join(operation, total, (uint32_t)values[0][active[k]]);
        for (int64_t k = from; k < end; k++) values[1][active[k]] = total;
    }
    return RAN;
}
