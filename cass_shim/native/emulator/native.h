/* The second back end: kernels that have run long enough are translated to the machine code of this
 * CPU, from the same bodies as the interpreter's, and share its wave state: either can go on where
 * the other left off, at block boundaries. CASS_EMU_NATIVE says when. */
#ifndef CASS_EMU_NATIVE_H
#define CASS_EMU_NATIVE_H

#include "emulator/interp.h"
#include "emulator/native_services.h"

/* One kernel of a program, hot or not. Counted references. */
typedef struct native_kernel native_kernel;

/* A loaded unit. */
typedef struct {
    void *handle;
    void (*run)(wave_t *w, uint32_t entry);
    const native_entry *entries;
    uint32_t entry_count;
} native_code;

/* The kernel that begins at `entry`, from its program's list; NULL where nothing is translated.
 * With CASS_EMU_NATIVE=wait it comes back translated. */
native_kernel *emu_native_kernel(struct emu_program *program, const op_t *entry);
/* Counts instructions that the kernel executed, and asks for its translation when it is hot. */
void emu_native_executed(native_kernel *kernel, uint64_t instructions);
/* Its translation, NULL: not there (yet). */
const native_code *emu_native_code(native_kernel *kernel);
/* Runs `w` from w->next up to w->stop_at, in either back end. */
void emu_native_run(const native_code *code, wave_t *w);

/* ---- between native*.c and program.c ---- */
native_kernel **emu_program_kernels(struct emu_program *program); /* under the lock of native.c */
/* Offsets that indirect jumps went to, at most `room`. */
unsigned emu_program_targets(struct emu_program *program, uint32_t *offsets, unsigned room);
void emu_native_forget(native_kernel *kernels); /* the program ends */

/* native_build.c: the library made of `text`, from the cache or, where `compile`, by the compiler;
 * NULL: none. May block for as long as the compiler runs. */
void *emu_native_library(const char *text, int compile);

#endif
