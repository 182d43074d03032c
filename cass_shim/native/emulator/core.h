/* The boundary inside the emulated device: hip_*.c (memory, streams, modules, HIP API) above, the
 * gfx1100 interpreter (decode, dispatch, waves, workgroups) below. Only these declarations are
 * shared. */
#ifndef CASS_EMU_CORE_H
#define CASS_EMU_CORE_H

#include <stddef.h>
#include <stdint.h>

/* Device address space: device addresses are host addresses inside one reserved range. Owned by
 * memory.c. A lane may touch `a` when a - base < size and page_ok[(a - base) >> 12] != 0 (1: read
 * and write, 2: read only, which a checking mode may use). Registered host memory lies outside and
 * is asked for through emu_foreign_ok (slow path). */
typedef struct {
    uint8_t *base;
    uint64_t size;
    const uint8_t *page_ok;
} emu_space_t;
extern emu_space_t emu_space;
int emu_foreign_ok(uint64_t address, uint32_t bytes);
/* A number of the environment with an optional K, M or G after it; `fallback` when unset or
 * unreadable. */
uint64_t emu_setting(const char *name, uint64_t fallback);

/* A loaded code object's text, decoded lazily by the core. Create once per module, destroy after
 * its last launch. */
typedef struct emu_program emu_program;
emu_program *emu_program_create(const void *text, size_t text_bytes, char *error,
                                size_t error_bytes);
void emu_program_destroy(emu_program *program);

/* A kernel's instructions by how they are executed: as the hardware does, within `ulp` units in the
 * last place of it (the largest bound among them), or not at all. */
typedef struct {
    uint32_t exact, approximate, ulp, unsupported;
} emu_fidelity;
/* Counts the code that branches from `entry` reach; if it calls, also what calls of the program
 * have gone to so far. `entry`: of a kernel that was launched. Nothing is counted without host
 * memory. */
emu_fidelity emu_program_fidelity(emu_program *program, uint64_t entry);

typedef struct {
    emu_program *program;
    uint64_t entry; /* host address of the first instruction */
    uint32_t rsrc1, rsrc2, rsrc3;
    uint16_t properties;      /* kernel_code_properties of the descriptor */
    uint32_t groups[3];       /* workgroups per dimension (partial last groups by grid_items) */
    uint32_t group_items[3];  /* work-items per workgroup */
    uint64_t grid_items[3];   /* work-items in all */
    uint64_t kernarg;         /* host address of the kernarg segment, hidden arguments filled in */
    uint64_t dispatch_packet; /* host address of a 64-byte hsa_kernel_dispatch_packet */
    uint32_t lds_bytes;       /* static + dynamic */
    uint32_t scratch_bytes;   /* per lane */
    uint32_t cooperative;     /* all workgroups resident and progressing */
    uint64_t instruction_limit; /* per wave; 0: none (CASS_EMU_LIMIT) */
    const char *kernel_name;
    /* Called again and again while waves wait, by any thread, where not NULL: answers what they
     * asked of the host. Nonzero ends the launch for the reason in `text`. */
    int (*serve)(void *calls, char *text, size_t bytes);
    void *calls;
} emu_launch;

typedef enum {
    EMU_OK = 0,
    EMU_ILLEGAL_ADDRESS,
    EMU_ILLEGAL_INSTRUCTION, /* undefined or unimplemented encoding */
    EMU_MISALIGNED,
    EMU_TRAP,  /* s_trap: assert or __trap */
    EMU_LIMIT, /* instruction limit or no progress */
    EMU_BAD_LAUNCH,
    EMU_RACE, /* for LDS or device memory, in checking mode */
    EMU_WAIT  /* a missing one, where results come late */
} emu_status;

typedef struct {
    emu_status status;
    uint64_t pc;      /* host address of the instruction */
    uint64_t address; /* of the access */
    uint32_t group[3], wave, lane;
    char text[256];       /* one line: what, with the instruction's disassembly or its bytes */
    uint64_t executed;    /* wave-instructions of the groups that ended, also without a fault */
    uint64_t translated;  /* those of them that the second back end ran */
    char translation[80]; /* what the second back end does with the kernel; "": it is off */
} emu_fault;

/* At most so many waves of a launch have begun and not ended. */
uint64_t emu_waves_at_once(const emu_launch *launch);

/* Runs the whole grid on the worker pool; returns when done. Safe to call from several threads. */
emu_status emu_run(const emu_launch *launch, emu_fault *fault);

/* Wave-instructions executed by this process so far, for tools and tests. */
uint64_t emu_instructions_executed(void);
uint64_t emu_instructions_translated(void); /* those of them that the second back end ran */

#endif
