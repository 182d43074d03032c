/* Any bytes as gfx1100 code, and as the fields of its kernel descriptor, run in the emulated device
 * with real memory around it: a wave ends, or faults with a reason, and never leaves the memory
 * that it was given. */
#include "emulator/hip_types.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/core.h"
#include "emulator/memory.h"
#include "fuzz/native/driver.h"

enum { BUFFER_BYTES = 1 << 16, WAVE32 = 1 << 10, KERNARG_POINTER = 1 << 3, STEPS = 600 };

hipError_t hipInit(unsigned flags);
int cass_emu_launch_checked(emu_launch *launch, const void *text, uint64_t text_bytes,
                            emu_fault *fault);
static uint8_t *buffer, *code;

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count, (void)arguments;
    setenv("CASS_EMU_THREADS", "1", 1);
    setenv("CASS_EMU_CPU", "v2", 1);
    if (hipInit(0) != hipSuccess) exit(3);
    buffer = emu_memory_alloc(EMU_MEMORY_DEVICE, 0, BUFFER_BYTES, 256, 0);
    code = emu_memory_alloc(EMU_MEMORY_CODE, 0, INPUT_LIMIT, 4096, 0);
    return buffer == NULL || code == NULL ? 3 : 0;
}

typedef struct { /* the first bytes of an input */
    uint8_t rsrc2, lds, scratch, shape, flags;
    uint8_t mode, rsrc1, properties; /* changes of the usual descriptor */
} setting;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    setting chosen;
    emu_fault fault;
    if (size < sizeof chosen + 4) return 0;
    memcpy(&chosen, data, sizeof chosen);
    size_t bytes = (size - sizeof chosen) & ~(size_t)3;
    memcpy(code, data + sizeof chosen, bytes);
    memset(buffer, 0, 4096);
    for (unsigned i = 0; i < 16; i++) { /* arguments: addresses inside the buffer */
        uint64_t address = (uint64_t)(uintptr_t)buffer + i * 4096;
        memcpy(buffer + 8 * i, &address, 8);
    }
    uint32_t items = chosen.shape % 4 == 0 ? 1 : chosen.shape % 96 + 1;
    uint32_t groups = chosen.flags & 1 ? 2 : 1;
    emu_launch launch = {
        .entry = (uint64_t)(uintptr_t)code,
        .rsrc1 = (0x60ac001f | 63) ^ (uint32_t)chosen.mode << 12 ^ (uint32_t)chosen.rsrc1 << 20,
        .rsrc2 = ((uint32_t)chosen.rsrc2 << 1 | 0x80) ^ (uint32_t)(chosen.flags & 0xfc) << 5,
        .rsrc3 = chosen.rsrc1,
        .properties = (uint16_t)((WAVE32 | KERNARG_POINTER) ^ chosen.properties << 1),
        .dispatch_packet = (uint64_t)(uintptr_t)buffer + 1024,
        .groups = {groups, 1, 1},
        .group_items = {items, 1, 1},
        .grid_items = {(uint64_t)groups * items, 1, 1},
        .kernarg = (uint64_t)(uintptr_t)buffer,
        .lds_bytes = chosen.lds * 256u,
        .scratch_bytes = chosen.scratch * 4u,
        .cooperative = chosen.flags >> 1 & 1,
        .instruction_limit = STEPS,
        .kernel_name = "fuzz",
    };
    int status = cass_emu_launch_checked(&launch, code, bytes, &fault);
    if (status != EMU_OK && fault.text[0] == '\0') __builtin_trap();
    return 0;
}
