/* Entries for tests and tools: run raw code or a chosen launch on plain host memory, without the
 * HIP API.
 *
 * run_asm has the calling convention of tinygrad's AMD emulator, so its hardware-checked test suite
 * can drive this interpreter. While one of these runs, addresses outside the device arena are
 * accepted as host memory: a wrong address in a test kernel ends the test process. */
#include "emulator/run_asm.h"

#include <stdatomic.h>
#include <stdio.h>

#include "emulator/decode.h"

#define EXPORT __attribute__((visibility("default")))

extern atomic_int emu_trust_host;

EXPORT int cass_emu_launch_raw(emu_launch *launch, const void *text, uint64_t text_bytes,
                               emu_fault *fault);
EXPORT int cass_emu_launch_checked(emu_launch *launch, const void *text, uint64_t text_bytes,
                                   emu_fault *fault);
EXPORT uint64_t cass_emu_instructions(void);
EXPORT uint64_t cass_emu_translated(void);

EXPORT int cass_emu_describe(const void *code, uint32_t bytes, char *name, uint32_t name_bytes);
EXPORT uint32_t cass_emu_fidelity(uint32_t index, const char **name);

uint64_t cass_emu_translated(void) { return emu_instructions_translated(); }

static __thread emu_fault last;

const char *cass_emu_last_error(void) { return last.text; }

uint64_t cass_emu_instructions(void) { return emu_instructions_executed(); }

/* launch->program is created from `text` and destroyed; everything else is used as given. */
int cass_emu_launch_raw(emu_launch *launch, const void *text, uint64_t text_bytes,
                        emu_fault *fault) {
    memset(fault, 0, sizeof *fault);
    launch->program = emu_program_create(text, text_bytes, fault->text, sizeof fault->text);
    if (!launch->program) return EMU_BAD_LAUNCH;
    atomic_fetch_add(&emu_trust_host, 1);
    emu_status status = emu_run(launch, fault);
    atomic_fetch_sub(&emu_trust_host, 1);
    emu_program_destroy(launch->program);
    last = *fault;
    return (int)status;
}

/* The same without trusting host memory: every access outside the device arena faults. For fuzzing.
 */
int cass_emu_launch_checked(emu_launch *launch, const void *text, uint64_t text_bytes,
                            emu_fault *fault) {
    memset(fault, 0, sizeof *fault);
    launch->program = emu_program_create(text, text_bytes, fault->text, sizeof fault->text);
    if (!launch->program) return EMU_BAD_LAUNCH;
    emu_status status = emu_run(launch, fault);
    emu_program_destroy(launch->program);
    return (int)status;
}

int run_asm(const void *code, uint64_t bytes, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t lx,
            uint32_t ly, uint32_t lz, uint64_t arguments, uint32_t rsrc2, uint32_t scratch_bytes) {
    emu_fault fault;
    emu_launch launch = {
        .entry = (uint64_t)(uintptr_t)code,
        .rsrc1 = 0x60ac001f | 63,
        .rsrc2 = (rsrc2 & ~0x1800u) | (ly > 1 || lz > 1 ? 2u << 11 : 0),
        .properties = 1 << 10 | 1 << 3,
        .groups = {gx, gy, gz},
        .group_items = {lx, ly, lz},
        .grid_items = {(uint64_t)gx * lx, (uint64_t)gy * ly, (uint64_t)gz * lz},
        .kernarg = arguments,
        .lds_bytes = 65536,
        .scratch_bytes = scratch_bytes,
        .instruction_limit = 1000000,
        .kernel_name = "run_asm",
    };
    return cass_emu_launch_raw(&launch, code, bytes, &fault);
}

/* Decodes one instruction: its length in bytes, its row's name and the count of records in `name`;
 * -1 when refused, with the reason. */
int cass_emu_describe(const void *code, uint32_t bytes, char *name, uint32_t name_bytes) {
    decode_t d = {.words = code, .available = bytes / 4};
    emu_decode(&d);
    if (d.error) {
        snprintf(name, name_bytes, "%s", d.error);
        return -1;
    }
    snprintf(name, name_bytes, "%s %u", emu_rows[d.row].name, d.count);
    return (int)(d.used * 4);
}

/* Fidelity of row `index`: 0 exact, n > 0 approximate within n ULP, 1000 refused, 1001 past the
 * last row. */
uint32_t cass_emu_fidelity(uint32_t index, const char **name) {
    if (index >= emu_row_count) return 1001;
    *name = emu_rows[index].name;
    return emu_rows[index].refused ? 1000 : emu_rows[index].ulp;
}
