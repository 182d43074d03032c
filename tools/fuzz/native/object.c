/* Loaded objects' files, read for their symbols: shim/object.c. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/native/driver.h"
#include "shim/object.h"

static volatile size_t sink;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    cass_object object;
    cass_symbols symbols;
    int file = memfd_create("object", MFD_CLOEXEC);
    if (file < 0 || write(file, data, size) != (ssize_t)size) _exit(3);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct link_map map = {.l_addr = 0x10000, .l_name = path};
    if (cass_object_open(&object, &map) == 0) {
        uintptr_t low, high;
        for (size_t i = 0; cass_object_text(&object, i, &low, &high) == 0; i++) sink += low;
        const Elf64_Shdr *section = cass_object_section(&object, ".nv_fatbin");
        for (size_t i = 0; section != NULL && i < section->sh_size; i++)
            sink += object.file[section->sh_offset + i];
        if (cass_object_symtab(&object, &symbols) == 0) {
            for (size_t i = 0; i < symbols.count; i++) sink += strlen(symbols.symbols[i].name);
            cass_symbols_free(&symbols);
        }
        cass_object_close(&object);
    }
    close(file);
    return 0;
}
