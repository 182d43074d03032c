/* Relocations of a loaded code object. Source: AMDGPUUsage "Relocation Records". */
#include "emulator/loader.h"

#include <string.h>

static hipError_t find_relocations(emu_loading *in) {
    uint64_t table = 0, bytes = 0;
    for (unsigned i = 0; i < in->head.e_phnum; i++) {
        Elf64_Phdr segment = emu_segment_at(in, i);
        if (segment.p_type != PT_DYNAMIC) continue;
        for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment.p_filesz; at += sizeof(Elf64_Dyn)) {
            Elf64_Dyn entry;
            memcpy(&entry, in->file.data + segment.p_offset + at, sizeof entry);
            if (entry.d_tag == DT_NULL) break;
            if (entry.d_tag == DT_RELA) table = entry.d_un.d_ptr;
            if (entry.d_tag == DT_RELASZ) bytes = entry.d_un.d_val;
        }
    }
    if (bytes == 0) return hipSuccess;
    in->relocations = (Elf64_Rela *)(void *)emu_place_of(in, table, bytes);
    in->relocation_count = bytes / sizeof(Elf64_Rela);
    return in->relocations ? hipSuccess : emu_broken("relocations lie outside the image", table);
}

/* Relocation numbers of AMDGPUUsage. */
enum {
    ABS32_LO = 1,
    ABS32_HI = 2,
    ABS64 = 3,
    REL32 = 4,
    REL64 = 5,
    ABS32 = 6,
    REL32_LO = 10,
    REL32_HI = 11,
    RELATIVE64 = 13
};

/* The address a symbolic relocation means, before its addend. */
static hipError_t symbol_target(emu_loading *in, Elf64_Rela record, uint64_t *target) {
    uint32_t index = (uint32_t)ELF64_R_SYM(record.r_info);
    const char *name = "";
    if (index >= emu_symbol_count(in))
        return emu_broken("a relocation names no symbol", record.r_offset);
    Elf64_Sym symbol = emu_symbol_at(in, index, &name);
    bool undefined = symbol.st_shndx == SHN_UNDEF;
    if (undefined && ELF64_ST_BIND(symbol.st_info) != STB_WEAK)
        return emu_fail(hipErrorSharedObjectSymbolNotFound,
                        "code object needs undefined symbol %.200s", name);
    *target = undefined ? 0 : *target + symbol.st_value;
    return hipSuccess;
}

static hipError_t relocate_one(emu_loading *in, Elf64_Rela record) {
    uint32_t kind = (uint32_t)ELF64_R_TYPE(record.r_info);
    unsigned width = kind == ABS64 || kind == REL64 || kind == RELATIVE64 ? 8 : 4;
    uint8_t *at = emu_place_of(in, record.r_offset, width);
    if (!at) return emu_broken("a relocation patches outside the image", record.r_offset);
    uint64_t target = (uint64_t)in->module->base - in->low;
    hipError_t error = kind == RELATIVE64 ? hipSuccess : symbol_target(in, record, &target);
    if (error) return error;
    target += (uint64_t)record.r_addend;
    switch (kind) {
    case ABS64:
    case RELATIVE64:
    case ABS32:
    case ABS32_LO:
        break;
    case ABS32_HI:
        target >>= 32;
        break;
    case REL64:
    case REL32:
    case REL32_LO:
        target -= (uint64_t)at;
        break;
    case REL32_HI:
        target = (target - (uint64_t)at) >> 32;
        break;
    default:
        return emu_fail(hipErrorInvalidImage, "code object: relocation type %u is not supported",
                        kind);
    }
    memcpy(at, &target, width);
    return hipSuccess;
}

hipError_t emu_relocate(emu_loading *in) {
    hipError_t error = find_relocations(in);
    for (uint64_t i = 0; i < in->relocation_count && !error; i++) {
        Elf64_Rela record;
        memcpy(&record, in->relocations + i, sizeof record);
        error = relocate_one(in, record);
    }
    return error;
}
