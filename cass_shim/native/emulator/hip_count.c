/* Launches, wave-instructions and fidelity by kernel name. */
#include "emulator/hip_count.h"
#include "emulator/hip_state.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    struct row *next;
    uint64_t launches, instructions, translated;
    emu_fidelity fidelity;                                 /* after the first launch */
    char translation[sizeof((emu_fault *)0)->translation]; /* of the last launch */
    char kernel[];
} row_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static row_t *rows;

static row_t *row_of(const char *kernel) {
    for (row_t *row = rows; row; row = row->next)
        if (strcmp(row->kernel, kernel) == 0) return row;
    size_t length = strlen(kernel) + 1;
    row_t *row = calloc(1, sizeof *row + length);
    if (!row) return NULL;
    memcpy(row->kernel, kernel, length);
    row->next = rows;
    return rows = row;
}

void emu_count_launch(const emu_launch *launch, const emu_fault *done) {
    pthread_mutex_lock(&lock);
    row_t *row = row_of(launch->kernel_name);
    if (row) {
        if (!row->launches++ && done->status != EMU_BAD_LAUNCH)
            row->fidelity = emu_program_fidelity(launch->program, launch->entry);
        row->instructions += done->executed;
        row->translated += done->translated;
        memcpy(row->translation, done->translation, sizeof row->translation);
    }
    pthread_mutex_unlock(&lock);
}

/* Kernel names are symbols: nothing in them needs escaping. */
__attribute__((destructor)) static void write_counts(void) {
    const char *path = emu_after_fork() ? NULL : getenv("CASS_EMU_COUNT"); /* the parent's rows */
    FILE *file = rows && path ? fopen(path, "a") : NULL;
    if (!file) return;
    for (row_t *row = rows; row; row = row->next)
        fprintf(file,
                "{\"kernel\": \"%s\", \"launches\": %llu, \"wave_instructions\": %llu, "
                "\"translated\": %llu, \"translation\": \"%s\", \"exact\": %u, "
                "\"approximate\": %u, \"ulp\": %u, \"unsupported\": %u}\n",
                row->kernel, (unsigned long long)row->launches,
                (unsigned long long)row->instructions, (unsigned long long)row->translated,
                row->translation, row->fidelity.exact, row->fidelity.approximate, row->fidelity.ulp,
                row->fidelity.unsupported);
    fclose(file);
}
