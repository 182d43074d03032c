/* A kernel and its translation, between native.c, which makes it, and native_run.c, which runs it.
 */
#ifndef CASS_EMU_NATIVE_KERNEL_H
#define CASS_EMU_NATIVE_KERNEL_H

#include <stdatomic.h>

#include "emulator/native.h"
#include "emulator/native_unit.h"

struct native_kernel {
    native_kernel *next;
    struct emu_program *program; /* while it lives */
    const op_t *entry;
    char *name;
    uint32_t mode; /* low byte of MODE when it begins */
    _Atomic uint64_t executed, compile_after;
    atomic_int stage;
    _Atomic(native_code *) codes[NATIVE_PARTS];
    atomic_uint parts, ready;      /* that it has, and of which there is code */
    _Atomic(const char *) refused; /* why there is no code */
    _Atomic(const char *) leaves;  /* an instruction that the interpreter executes all the same */
    int references;                /* under lock */
};

#endif
