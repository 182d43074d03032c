/* Inside the loader: an image while it is read. */
#ifndef CASS_EMU_LOADER_H
#define CASS_EMU_LOADER_H

#include "emulator/hip_module.h"

#include <elf.h>

/* An image while it is read: everything is checked against `file`, addresses against `span`. */
typedef struct {
    emu_view file;
    Elf64_Ehdr head;
    uint64_t low, span;
    emu_view symbols, strings; /* in the file */
    Elf64_Rela *relocations;   /* in the loaded image */
    uint64_t relocation_count;
    emu_module *module;
} emu_loading;

static inline bool inside(uint64_t offset, uint64_t bytes, uint64_t limit) {
    return offset <= limit && bytes <= limit - offset;
}
static inline uint64_t emu_symbol_count(const emu_loading *in) {
    return in->symbols.bytes / sizeof(Elf64_Sym);
}

/* hipErrorInvalidImage with a reason text. */
hipError_t emu_broken(const char *what, uint64_t offset);
Elf64_Phdr emu_segment_at(const emu_loading *in, unsigned i);
/* Where an address of the image was placed; NULL if [address, address + bytes) leaves it. */
uint8_t *emu_place_of(const emu_loading *in, uint64_t address, uint64_t bytes);
Elf64_Sym emu_symbol_at(const emu_loading *in, uint64_t i, const char **name);
/* Applies the dynamic relocations. loader_relocate.c */
hipError_t emu_relocate(emu_loading *in);

#endif
