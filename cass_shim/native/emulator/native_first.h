/* What translated code begins with: it is compiled without the C library's headers, by whatever
 * compiler there is, and asks the library for the rest through one table. */
#define EMU_NATIVE 1
#define EMU_VARIANT nat
#include <stddef.h>
#include <stdint.h>
#if !defined(__clang__)
#include <immintrin.h>
#endif
#include "emulator/native_services.h"

#define memcpy __builtin_memcpy
#define memset __builtin_memset
#define signbit __builtin_signbit
#define sqrtl __builtin_sqrtl

static const native_services *services;
#define ldexp(x, n) services->ldexp(x, n)
#define exp2(x) services->exp2(x)
#define log2(x) services->log2(x)
#define sin(x) services->sin(x)
#define cos(x) services->cos(x)
/* Where an indirect jump goes on, NULL: outside the unit. */
#define emu_program_at(program, pc) native_at((pc) - w->code)
