/* Loads a gfx1100 code object: placement, relocations, symbols, kernel descriptors (hip_module.h).
 * Source: AMDGPUUsage "ELF Code Object", "Kernel Descriptor", "Relocation Records"; ELF-64 object
 * file format. */
#include "emulator/memory.h"
#include "emulator/loader.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELF_MACHINE_AMDGPU 224
#define ELF_OSABI_HSA 64
#define MACH_GFX1100 0x41
#define MACH_GFX11_GENERIC 0x54
#define NOTE_METADATA 32
#define MAX_SPAN (4ull << 30)

Elf64_Phdr emu_segment_at(const emu_loading *in, unsigned i) {
    Elf64_Phdr segment;
    memcpy(&segment, in->file.data + in->head.e_phoff + i * sizeof segment, sizeof segment);
    return segment;
}

hipError_t emu_broken(const char *what, uint64_t offset) {
    return emu_fail(hipErrorInvalidImage, "code object: %s (offset %#llx)", what,
                    (unsigned long long)offset);
}

static hipError_t check_header(emu_loading *in) {
    if (in->file.bytes < sizeof in->head)
        return emu_broken("shorter than an ELF header", in->file.bytes);
    memcpy(&in->head, in->file.data, sizeof in->head);
    const Elf64_Ehdr *head = &in->head;
    if (memcmp(head->e_ident, ELFMAG, SELFMAG))
        return emu_broken("not an ELF file or offload bundle", 0);
    if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB)
        return emu_broken("not a 64-bit little-endian ELF file", EI_CLASS);
    if (head->e_machine != ELF_MACHINE_AMDGPU)
        return emu_fail(hipErrorNoBinaryForGpu, "code object is for ELF machine %u, not AMDGPU",
                        head->e_machine);
    unsigned version = head->e_ident[EI_ABIVERSION];
    if (head->e_ident[EI_OSABI] != ELF_OSABI_HSA || version < 2 || version > 4)
        return emu_fail(hipErrorInvalidImage,
                        "code object ABI version byte %u; v4 to v6 (2 to 4) are supported",
                        version);
    unsigned machine = head->e_flags & 0xff;
    if (machine != MACH_GFX1100 && machine != MACH_GFX11_GENERIC)
        return emu_fail(hipErrorNoBinaryForGpu,
                        "code object is for AMDGPU machine %#x, the device is gfx1100", machine);
    if (head->e_type != ET_DYN)
        return emu_fail(hipErrorInvalidImage,
                        "code object is not linked (ELF type %u, want a shared object)",
                        head->e_type);
    if (head->e_phentsize != sizeof(Elf64_Phdr) ||
        !inside(head->e_phoff, (uint64_t)head->e_phnum * sizeof(Elf64_Phdr), in->file.bytes))
        return emu_broken("program headers leave the file", head->e_phoff);
    return hipSuccess;
}

static hipError_t measure(emu_loading *in) {
    uint64_t low = UINT64_MAX, high = 0;
    for (unsigned i = 0; i < in->head.e_phnum; i++) {
        Elf64_Phdr segment = emu_segment_at(in, i);
        if (!inside(segment.p_offset, segment.p_filesz, in->file.bytes) &&
            segment.p_type != PT_NULL)
            return emu_broken("a segment leaves the file", segment.p_offset);
        if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
        if (segment.p_filesz > segment.p_memsz ||
            !inside(segment.p_vaddr, segment.p_memsz, MAX_SPAN))
            return emu_broken("a segment has an impossible size", segment.p_offset);
        if (segment.p_vaddr < low) low = segment.p_vaddr;
        if (segment.p_vaddr + segment.p_memsz > high) high = segment.p_vaddr + segment.p_memsz;
    }
    if (high == 0) return emu_broken("nothing to load", 0);
    in->low = low & ~(uint64_t)(EMU_PAGE - 1);
    in->span = high - in->low;
    return hipSuccess;
}

uint8_t *emu_place_of(const emu_loading *in, uint64_t address, uint64_t bytes) {
    if (address < in->low || !inside(address - in->low, bytes, in->span)) return NULL;
    return in->module->base + (address - in->low);
}

static hipError_t place(emu_loading *in) {
    emu_module *module = in->module;
    module->bytes = in->span;
    module->base =
        emu_memory_alloc(EMU_MEMORY_CODE, module->device->ordinal, in->span, EMU_PAGE, 0);
    if (!module->base) return emu_fail(hipErrorOutOfMemory, "no device memory for a code object");
    for (unsigned i = 0; i < in->head.e_phnum; i++) {
        Elf64_Phdr segment = emu_segment_at(in, i);
        if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
        memcpy(emu_place_of(in, segment.p_vaddr, segment.p_memsz), in->file.data + segment.p_offset,
               segment.p_filesz);
        if (!(segment.p_flags & PF_X)) continue;
        if (module->text) return emu_broken("more than one executable segment", segment.p_offset);
        module->text = (uint64_t)emu_place_of(in, segment.p_vaddr, segment.p_memsz);
        module->text_bytes = segment.p_memsz;
    }
    return hipSuccess;
}

/* The dynamic symbol and string tables by their section headers, which lld always writes. */
static hipError_t find_symbols(emu_loading *in) {
    const Elf64_Ehdr *head = &in->head;
    if (head->e_shnum &&
        (head->e_shentsize != sizeof(Elf64_Shdr) ||
         !inside(head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr), in->file.bytes)))
        return emu_broken("section headers leave the file", head->e_shoff);
    for (unsigned i = 0; i < head->e_shnum; i++) {
        Elf64_Shdr section, strings;
        const uint8_t *table = in->file.data + head->e_shoff;
        memcpy(&section, table + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_DYNSYM) continue;
        if (section.sh_link >= head->e_shnum)
            return emu_broken("symbol table without strings", section.sh_offset);
        memcpy(&strings, table + section.sh_link * sizeof strings, sizeof strings);
        if (!inside(section.sh_offset, section.sh_size, in->file.bytes) ||
            !inside(strings.sh_offset, strings.sh_size, in->file.bytes) || strings.sh_size == 0 ||
            in->file.data[strings.sh_offset + strings.sh_size - 1] != 0)
            return emu_broken("symbol table leaves the file", section.sh_offset);
        in->symbols = (emu_view){in->file.data + section.sh_offset, section.sh_size};
        in->strings = (emu_view){in->file.data + strings.sh_offset, strings.sh_size};
        return hipSuccess;
    }
    return emu_broken("no dynamic symbol table", head->e_shoff);
}

Elf64_Sym emu_symbol_at(const emu_loading *in, uint64_t i, const char **name) {
    Elf64_Sym symbol;
    memcpy(&symbol, in->symbols.data + i * sizeof symbol, sizeof symbol);
    *name =
        symbol.st_name < in->strings.bytes ? (const char *)in->strings.data + symbol.st_name : "";
    return symbol;
}

static hipError_t read_descriptor(emu_loading *in, const char *name, uint64_t address,
                                  emu_function *out) {
    const uint8_t *kd = emu_place_of(in, address, 64);
    if (!kd) return emu_broken("a kernel descriptor lies outside the image", address);
    int64_t entry;
    memcpy(&out->lds_bytes, kd, 4);
    memcpy(&out->scratch_bytes, kd + 4, 4);
    memcpy(&out->kernarg_bytes, kd + 8, 4);
    memcpy(&entry, kd + 16, 8);
    memcpy(&out->rsrc3, kd + 44, 4);
    memcpy(&out->rsrc1, kd + 48, 4);
    memcpy(&out->rsrc2, kd + 52, 4);
    memcpy(&out->properties, kd + 56, 2);
    out->entry = (uint64_t)kd + (uint64_t)entry;
    uint64_t text = in->module->text;
    if (out->entry - text >= in->module->text_bytes || (out->entry & 3))
        return emu_broken("a kernel's entry lies outside the code", address);
    if (out->kernarg_bytes > EMU_MAX_KERNARG)
        return emu_broken("a kernel's arguments are too large", address);
    out->dynamic_stack = out->properties >> 11 & 1;
    out->module = in->module;
    size_t length = strlen(name) - 3;
    out->name = malloc(length + 1);
    if (!out->name) return emu_fail(hipErrorOutOfMemory, "no host memory for a kernel's name");
    memcpy(out->name, name, length);
    out->name[length] = 0;
    return hipSuccess;
}

static bool is_descriptor(const Elf64_Sym *symbol, const char *name) {
    size_t length = strlen(name);
    return symbol->st_size == 64 && length > 3 && strcmp(name + length - 3, ".kd") == 0;
}

static hipError_t read_symbols(emu_loading *in) {
    emu_module *module = in->module;
    uint64_t count = emu_symbol_count(in);
    module->functions = calloc(count + 1, sizeof *module->functions);
    module->symbols = calloc(count + 1, sizeof *module->symbols);
    if (!module->functions || !module->symbols)
        return emu_fail(hipErrorOutOfMemory, "no host memory for symbols");
    for (uint64_t i = 0; i < count; i++) {
        const char *name;
        Elf64_Sym symbol = emu_symbol_at(in, i, &name);
        if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || !*name)
            continue;
        if (is_descriptor(&symbol, name)) {
            hipError_t error = read_descriptor(in, name, symbol.st_value,
                                               &module->functions[module->function_count]);
            if (error) return error;
            module->function_count++;
            continue;
        }
        uint8_t *at = emu_place_of(in, symbol.st_value, symbol.st_size);
        if (!at) return emu_broken("a variable lies outside the image", symbol.st_value);
        module->symbols[module->symbol_count++] =
            (emu_symbol){strdup(name), (uint64_t)at, symbol.st_size};
    }
    return hipSuccess;
}

static hipError_t read_notes(emu_loading *in) {
    for (unsigned i = 0; i < in->head.e_phnum; i++) {
        Elf64_Phdr segment = emu_segment_at(in, i);
        if (segment.p_type != PT_NOTE) continue;
        uint64_t at = 0;
        while (at + sizeof(Elf64_Nhdr) <= segment.p_filesz) {
            Elf64_Nhdr note;
            memcpy(&note, in->file.data + segment.p_offset + at, sizeof note);
            uint64_t name = at + sizeof note, text = name + ((note.n_namesz + 3ull) & ~3ull);
            if (!inside(text, note.n_descsz, segment.p_filesz))
                return emu_broken("a note leaves its segment", segment.p_offset + at);
            const uint8_t *base = in->file.data + segment.p_offset;
            if (note.n_type == NOTE_METADATA && note.n_namesz == 7 &&
                !memcmp(base + name, "AMDGPU", 7) &&
                !emu_metadata_attach(in->module, (emu_view){base + text, note.n_descsz}))
                return emu_broken("the kernel metadata is malformed", segment.p_offset + text);
            at = text + ((note.n_descsz + 3ull) & ~3ull);
        }
    }
    return hipSuccess;
}

/* Pages that no writable segment touches become read-only to lanes: code and constants. */
static void protect(const emu_loading *in) {
    for (unsigned i = 0; i < in->head.e_phnum; i++) {
        Elf64_Phdr segment = emu_segment_at(in, i);
        if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
        uint8_t permission = segment.p_flags & PF_W ? EMU_PAGE_READ_WRITE : EMU_PAGE_READ_ONLY;
        uint64_t start = segment.p_vaddr & ~(uint64_t)(EMU_PAGE - 1);
        emu_memory_permit(emu_place_of(in, start, 0), segment.p_vaddr + segment.p_memsz - start,
                          permission);
    }
}

static hipError_t load(emu_loading *in) {
    hipError_t (*const steps[])(emu_loading *) = {
        check_header, measure, place, find_symbols, read_symbols, emu_relocate, read_notes};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        hipError_t error = steps[i](in);
        if (error) return error;
    }
    emu_module *module = in->module;
    char reason[256] = "";
    if (module->text) {
        module->program = emu_program_create((const void *)module->text, module->text_bytes, reason,
                                             sizeof reason);
        if (!module->program) return emu_fail(hipErrorInvalidImage, "code object: %s", reason);
    }
    protect(in);
    return hipSuccess;
}

void emu_module_retain(emu_module *module) { atomic_fetch_add(&module->references, 1); }

void emu_module_release(emu_module *module) {
    if (atomic_fetch_sub(&module->references, 1) != 1) return;
    if (module->program) emu_program_destroy(module->program);
    for (size_t i = 0; i < module->function_count; i++) {
        free(module->functions[i].name);
        free(module->functions[i].args);
    }
    for (size_t i = 0; i < module->symbol_count; i++) free(module->symbols[i].name);
    free(module->functions);
    free(module->symbols);
    if (module->base) emu_memory_free(module->base, 1u << EMU_MEMORY_CODE);
    free(module);
}

/* A private copy of the program's image; its bytes may be anything and may end anywhere. */
static uint8_t *copy_image(const void *image, uint64_t *bytes, hipError_t *error) {
    if (*bytes == 0) *bytes = emu_image_bytes(image);
    uint8_t *copy = *bytes ? malloc(*bytes) : NULL;
    if (!copy || !emu_memory_copy(copy, image, *bytes)) {
        free(copy);
        *error = emu_fail(hipErrorInvalidImage,
                          "not a code object, or one whose headers point outside it");
        return NULL;
    }
    return copy;
}

emu_module *emu_module_load(emu_device *device, const void *image, uint64_t bytes,
                            hipError_t *error) {
    uint8_t *copy = copy_image(image, &bytes, error);
    if (!copy) return NULL;
    void *owned = NULL;
    emu_loading in = {0};
    emu_module *module = NULL;
    if (emu_bundle_select((emu_view){copy, bytes}, &in.file, &owned, error)) {
        module = calloc(1, sizeof *module);
        *error = module ? hipSuccess : emu_fail(hipErrorOutOfMemory, "no host memory for a module");
    }
    if (module) {
        module->device = device;
        module->references = 1;
        in.module = module;
        *error = load(&in);
        if (*error) {
            emu_module_release(module);
            module = NULL;
        }
    }
    free(owned);
    free(copy);
    return module;
}
