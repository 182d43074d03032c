/* Code objects and kernel descriptors for the emulated device: emulator/loader.c and its parts. */
#include "emulator/hip_types.h"

#include <string.h>

#include "emulator/hip_module.h"
#include "fuzz/native/driver.h"

hipError_t hipInit(unsigned flags);
static volatile uint64_t sink;

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count, (void)arguments;
    return (int)hipInit(0);
}

static void touch(const emu_module *module) {
    for (size_t i = 0; i < module->function_count; i++) {
        const emu_function *one = &module->functions[i];
        sink += strlen(one->name) + *(const uint32_t *)one->entry;
        for (unsigned k = 0; k < one->arg_count; k++)
            sink += one->args[k].offset + one->args[k].size;
    }
    for (size_t i = 0; i < module->symbol_count; i++) {
        const emu_symbol *one = &module->symbols[i];
        sink += strlen(one->name);
        if (one->bytes != 0) sink += ((const uint8_t *)one->address)[one->bytes - 1];
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hipError_t error = hipSuccess;
    emu_module *module = emu_module_load(&emu_devices[0], data, size, &error);
    if (module == NULL && error == hipSuccess) __builtin_trap();
    if (module == NULL) return 0;
    touch(module);
    emu_module_release(module);
    return 0;
}
