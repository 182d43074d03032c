/* What libamdhip64.so exports beside HIP, for tests and tools; also read by
 * native/bindings_build.py. */
#ifndef CASS_EMU_RUN_ASM_H
#define CASS_EMU_RUN_ASM_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

/* Runs raw code on plain host memory. s[0:1] hold the argument pointer; workgroup numbers follow
 * the user SGPRs that rsrc2 counts; 64 KiB of LDS; f32 subnormals flushed, as an assembler's
 * default descriptor asks for; at most a million instructions a wave. Returns 0, or the emu_status.
 */
int run_asm(const void *code, uint64_t bytes, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t lx,
            uint32_t ly, uint32_t lz, uint64_t arguments, uint32_t rsrc2, uint32_t scratch_bytes);

/* Why this thread's last run_asm failed. */
const char *cass_emu_last_error(void);

/* Why this thread's last HIP call or launch failed: the length of the text, which is cut to
 * `bytes`. */
size_t hipCassLastFault(char *text, size_t bytes);

#pragma GCC visibility pop

#endif
