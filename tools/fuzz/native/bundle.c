/* Offload bundles, plain and compressed: emulator/loader_bundle.c. */
#include "emulator/hip_types.h"

#include <stdlib.h>

#include "emulator/hip_module.h"
#include "fuzz/native/driver.h"

hipError_t hipInit(unsigned flags);
static volatile uint64_t sink;

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count, (void)arguments;
    return (int)hipInit(0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    emu_view chosen = {0};
    void *owned = NULL;
    hipError_t error = hipSuccess;
    if (emu_bundle_select((emu_view){data, size}, &chosen, &owned, &error))
        for (uint64_t i = 0; i < chosen.bytes; i++) sink += chosen.data[i];
    else if (error == hipSuccess) __builtin_trap();
    free(owned);
    return 0;
}
