/* An interpreter that runs nothing, for tests of the HIP half alone. */
#include "emulator/core.h"
#include "emulator/image_sample.h"

#include <stdlib.h>

struct emu_program {
    int unused;
};

emu_program *emu_program_create(const void *text, size_t text_bytes, char *error,
                                size_t error_bytes) {
    (void)text, (void)text_bytes, (void)error, (void)error_bytes;
    return calloc(1, sizeof(emu_program));
}

uint32_t emu_border_colors[GFX11_BORDER_COLORS][4];

uint64_t emu_instructions_executed(void) { return 0; }

emu_fidelity emu_program_fidelity(emu_program *program, uint64_t entry) {
    (void)program, (void)entry;
    return (emu_fidelity){0};
}

void emu_program_destroy(emu_program *program) { free(program); }

uint64_t emu_waves_at_once(const emu_launch *launch) { return launch->groups[0]; }

emu_status emu_run(const emu_launch *launch, emu_fault *fault) {
    (void)launch, (void)fault;
    return EMU_OK;
}
