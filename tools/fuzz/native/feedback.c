/* What a case did: edges by trace-pc, comparisons by trace-cmp. Compiled without instrumentation:
 * it is called millions of times a second.
 * Source of the callbacks: LLVM, SanitizerCoverage; gcc manual, -fsanitize-coverage. */
#include <string.h>

#include "driver.h"

static uint8_t hits[EDGES], nearest[EDGES];
static uintptr_t previous;
static bool recording = true;

typedef struct {
    uint64_t left, right;
    unsigned bytes;
} pair;
static pair pairs[PAIRS];
_Static_assert(PAIRS == 1 << 9, "the nine high bits of a hash choose one");

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_cmp1(uint8_t a, uint8_t b);
void __sanitizer_cov_trace_cmp2(uint16_t a, uint16_t b);
void __sanitizer_cov_trace_cmp4(uint32_t a, uint32_t b);
void __sanitizer_cov_trace_cmp8(uint64_t a, uint64_t b);
void __sanitizer_cov_trace_const_cmp1(uint8_t a, uint8_t b);
void __sanitizer_cov_trace_const_cmp2(uint16_t a, uint16_t b);
void __sanitizer_cov_trace_const_cmp4(uint32_t a, uint32_t b);
void __sanitizer_cov_trace_const_cmp8(uint64_t a, uint64_t b);
void __sanitizer_cov_trace_switch(unsigned long value, void *table);
void __sanitizer_cov_trace_cmpf(float a, float b);
void __sanitizer_cov_trace_cmpd(double a, double b);

static unsigned place(uintptr_t pc) {
    return (unsigned)((pc ^ pc >> 16) * 0x9e3779b1u >> 7) % EDGES;
}

void __sanitizer_cov_trace_pc(void) {
    uintptr_t here = place((uintptr_t)__builtin_return_address(0));
    uint8_t *count = &hits[(here ^ previous) % EDGES];
    if (*count != 255) ++*count;
    previous = here >> 1;
}

static void compared(uint64_t left, uint64_t right, unsigned bytes, void *pc) {
    if (left == right) return;
    unsigned equal_bits = 64 - (unsigned)__builtin_popcountll(left ^ right);
    unsigned where = place((uintptr_t)pc);
    if (nearest[where] < equal_bits + 1) nearest[where] = (uint8_t)(equal_bits + 1);
    if (bytes < 2 || !recording) return;
    /* by what it is, so that one that comes all the time takes one place */
    pairs[(left * 31 + right + where) * 0x9e3779b97f4a7c15u >> 55] = (pair){left, right, bytes};
}

#define HOOK(name, type, size)                                                                     \
    void name(type a, type b) { compared(a, b, size, __builtin_return_address(0)); }
HOOK(__sanitizer_cov_trace_cmp1, uint8_t, 1)
HOOK(__sanitizer_cov_trace_cmp2, uint16_t, 2)
HOOK(__sanitizer_cov_trace_cmp4, uint32_t, 4)
HOOK(__sanitizer_cov_trace_cmp8, uint64_t, 8)
HOOK(__sanitizer_cov_trace_const_cmp1, uint8_t, 1)
HOOK(__sanitizer_cov_trace_const_cmp2, uint16_t, 2)
HOOK(__sanitizer_cov_trace_const_cmp4, uint32_t, 4)
HOOK(__sanitizer_cov_trace_const_cmp8, uint64_t, 8)

/* cases[0]: how many, cases[1]: bits of the value, then the constants. */
void __sanitizer_cov_trace_switch(unsigned long value, void *table) {
    const uint64_t *cases = table;
    for (uint64_t i = 0; i < cases[0] && i < 64; i++)
        compared(value, cases[2 + i], (unsigned)cases[1] / 8, __builtin_return_address(0));
}

void __sanitizer_cov_trace_cmpf(float a, float b) { (void)a, (void)b; }
void __sanitizer_cov_trace_cmpd(double a, double b) { (void)a, (void)b; }

void feedback_record(bool on) {
    recording = on;
    if (on) memset(pairs, 0, sizeof pairs);
}

void feedback_clear(void) {
    memset(hits, 0, sizeof hits);
    memset(nearest, 0, sizeof nearest);
    previous = 0;
}

/* AFL's classes: 1, 2, 3, 4-7, 8-15, 16-31, 32-127, 128 and more. */
static uint8_t class_of(uint8_t count) {
    if (count < 4) return (uint8_t)(1u << (count - 1) & 7);
    return count < 8 ? 8 : count < 16 ? 16 : count < 32 ? 32 : count < 128 ? 64 : 128;
}

static bool look_at(shared_state *state, size_t i) {
    bool fresh = false;
    uint8_t bit = hits[i] != 0 ? class_of(hits[i]) : 0;
    if ((state->seen[i] & bit) != bit) {
        if (state->seen[i] == 0) state->edges++;
        state->seen[i] |= bit;
        fresh = true;
    }
    if (nearest[i] > state->distances[i]) {
        state->distances[i] = nearest[i];
        fresh = true;
    }
    return fresh;
}

bool feedback_is_new(shared_state *state) {
    bool fresh = false;
    for (size_t at = 0; at < EDGES; at += 8) {
        uint64_t edges, compared_here;
        memcpy(&edges, hits + at, 8);
        memcpy(&compared_here, nearest + at, 8);
        for (size_t i = at; (edges | compared_here) != 0 && i < at + 8; i++)
            if (look_at(state, i)) fresh = true;
    }
    return fresh;
}

size_t feedback_adds(uint8_t *covered) {
    size_t added = 0;
    for (size_t i = 0; i < EDGES; i++)
        if (hits[i] != 0 && (covered[i] & class_of(hits[i])) == 0) {
            covered[i] |= class_of(hits[i]);
            added++;
        }
    return added;
}

bool feedback_pair(uint64_t chance, uint64_t *left, uint64_t *right, unsigned *bytes) {
    for (unsigned tries = 0; tries < PAIRS; tries++) {
        const pair *one = &pairs[(chance + tries) % PAIRS];
        if (one->bytes == 0) continue;
        *left = one->left;
        *right = one->right;
        *bytes = one->bytes;
        return true;
    }
    return false;
}
