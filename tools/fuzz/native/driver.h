/* A coverage-guided fuzzer in one process and its child, for targets with libFuzzer's entry.
 *
 * Targets are compiled by gcc with -fsanitize-coverage=trace-pc,trace-cmp and linked with driver.c,
 * mutate.c and feedback.c; they need no library of any compiler but its sanitizers. */
#ifndef CASS_FUZZ_DRIVER_H
#define CASS_FUZZ_DRIVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INPUT_LIMIT = 1 << 17, EDGES = 1 << 16, PAIRS = 512 };

/* What libFuzzer asks of a target, so that it serves there too. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

/* Shared with the child, so that it survives a crash. */
typedef struct {
    _Atomic uint64_t cases;
    _Atomic int64_t began_ms; /* of the running case; 0 between cases */
    _Atomic uint32_t edges;
    _Atomic bool stop;
    size_t size;
    uint8_t input[INPUT_LIMIT];
    uint8_t seen[EDGES];      /* classes of hit counts, a bit each */
    uint8_t distances[EDGES]; /* nearest that a comparison's operands came, plus one */
} shared_state;

typedef struct {
    uint8_t *bytes;
    size_t size;
} input;

typedef struct {
    input *items;
    size_t count, room;
} corpus;

/* ---- feedback.c ---- */
void feedback_clear(void);
/* Merges the last case into `state`; true when it did something new. */
bool feedback_is_new(shared_state *state);
/* Edges of the last case, for choosing a small corpus: count of those not yet in `covered`. */
size_t feedback_adds(uint8_t *covered);
/* Notes the comparisons of the cases that follow, and forgets those before; or no longer. */
void feedback_record(bool on);
/* A comparison that was noted: its operands and their size in bytes; false when there is none. */
bool feedback_pair(uint64_t chance, uint64_t *left, uint64_t *right, unsigned *bytes);

/* ---- files.c ---- */
extern corpus pool;
void add_input(const uint8_t *bytes, size_t size);
/* A file, or the files of a folder in the order of their names. */
void read_corpus(const char *path);
void write_file(const char *name, const void *bytes, size_t size);
/* FNV-1a, for file names. */
uint64_t name_of(const uint8_t *bytes, size_t size);

/* ---- mutate.c ---- */
uint64_t chance_next(void);
void chance_seed(uint64_t seed);
/* Changes `bytes` (room INPUT_LIMIT) in place; `other`: an input to take pieces of. */
size_t mutate(uint8_t *bytes, size_t size, const input *other);

#endif
