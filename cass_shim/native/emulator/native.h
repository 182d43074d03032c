/* The second back end: kernels that have run long enough are translated to the machine code of this
 * CPU, from the same bodies as the interpreter's, and share its wave state: either can go on where
 * the other left off, at block boundaries. CASS_EMU_NATIVE says when. */
#ifndef CASS_EMU_NATIVE_H
#define CASS_EMU_NATIVE_H

#include "emulator/interp.h"
#include "emulator/native_services.h"

/* One kernel of a program, hot or not. Counted references. */
typedef struct native_kernel native_kernel;

/* A loaded part of a unit. */
typedef struct {
    void *handle;
    /* From its record on, and waves after it; the last one that ran. *left: it did not get to a
     * barrier or its end. */
    wave_t *(*run)(wave_t *w, int *left, const op_t *calls);
    op_t *calls; /* native_calls */
    const native_entry *entries;
    uint32_t entry_count;
} native_code;

/* The kernel of `launch`, which begins at `entry`, from its program's list; NULL where nothing is
 * translated. With CASS_EMU_NATIVE=wait it comes back translated. */
native_kernel *emu_native_kernel(const emu_launch *launch, const op_t *entry);
/* What has become of it, in a few words. */
void emu_native_describe(const native_kernel *kernel, char *text, size_t bytes);
/* Counts instructions that the kernel executed, and asks for its translation when it is hot. */
void emu_native_executed(native_kernel *kernel, uint64_t instructions);
/* Whether some of it is translated. */
int emu_native_ready(native_kernel *kernel);
/* Runs `w` from w->next up to w->stop_at, in either back end, and where it waits at a barrier or
 * ends in translated code, waves after it; the last one that ran. `*executed` grows by the
 * instructions of all. Counts waves that wait or have ended. */
wave_t *emu_native_run(native_kernel *kernel, wave_t *w, uint64_t *executed);

/* ---- between native*.c and program.c ---- */
native_kernel **emu_program_kernels(struct emu_program *program); /* under the lock of native.c */
/* Offsets that indirect jumps went to, at most `room`. */
unsigned emu_program_targets(struct emu_program *program, uint32_t *offsets, unsigned room);
void emu_native_forget(native_kernel *kernels); /* the program ends */

/* native_build.c: the library made of `text`, from the cache or, where `compile`, by the compiler,
 * which may take `cpu_seconds`; NULL: none, and `*why` says why not. May block for as long as the
 * compiler runs. `kernel`: its name, for the log. */
void *emu_native_library(const char *text, const char *kernel, int compile, unsigned cpu_seconds,
                         const char **why);

/* native_cache.c */
#define NATIVE_FOLDER_ROOM 3800
/* The folder of translated code, made where it is missing; 0: there is none to be used. */
int native_cache_folder(char *out, size_t room);
/* Removes what was not used for longest, until the folder holds no more than CASS_EMU_CACHE. */
void native_cache_trim(const char *folder);
/* Marks a file as used now. */
void native_cache_used(const char *path);

#endif
