/* Reading loaded ELF objects (System V gABI, chapters 4 and 5). */
#include "shim/object.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* "All data structures … follow the natural size and alignment guidelines" (gABI, chapter 4): what
 * does not is no table of an ELF file, and reading it in place would be undefined. */
static int is_aligned(uint64_t offset) { return offset % _Alignof(Elf64_Shdr) == 0; }

/* The mapped file is the loaded object when both begin with the same ELF header. */
static int map_file(cass_object *object) {
    int descriptor = open(object->path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (descriptor < 0) return -1;
    if (fstat(descriptor, &status) != 0 || status.st_size < (off_t)sizeof(Elf64_Ehdr)) {
        close(descriptor);
        return -1;
    }
    object->file_bytes = (size_t)status.st_size;
    void *mapped = mmap(NULL, object->file_bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (mapped == MAP_FAILED) return -1;
    object->file = mapped;
    if (memcmp(mapped, ELFMAG, SELFMAG) != 0 || object->file[EI_CLASS] != ELFCLASS64) {
        munmap(mapped, object->file_bytes);
        object->file = NULL;
        return -1;
    }
    return 0;
}

static void note_segments(cass_object *object, const Elf64_Phdr *headers, size_t count) {
    object->low = object->text_low = UINTPTR_MAX;
    for (size_t i = 0; i < count; i++) {
        if (headers[i].p_type != PT_LOAD) continue;
        uintptr_t start = object->base + headers[i].p_vaddr, end = start + headers[i].p_memsz;
        object->low = start < object->low ? start : object->low;
        object->high = end > object->high ? end : object->high;
        if (headers[i].p_flags & PF_X) {
            object->text_low = start < object->text_low ? start : object->text_low;
            object->text_high = end > object->text_high ? end : object->text_high;
        }
    }
}

int cass_object_open(cass_object *object, const struct link_map *map) {
    *object = (cass_object){.base = map->l_addr};
    int program = !map->l_name || !map->l_name[0];
    object->path = program ? "/proc/self/exe" : map->l_name;
    object->name = program ? (const char *)getauxval(AT_EXECFN) : map->l_name;
    if (!object->name) object->name = object->path;
    if (map_file(object) != 0) return -1;
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)object->file;
    size_t end = header->e_phoff + (size_t)header->e_phnum * sizeof(Elf64_Phdr);
    if (header->e_machine != EM_X86_64 || header->e_phentsize != sizeof(Elf64_Phdr) ||
        header->e_phoff > object->file_bytes || end > object->file_bytes ||
        !is_aligned(header->e_phoff)) {
        cass_object_close(object);
        return -1;
    }
    note_segments(object, (const Elf64_Phdr *)(object->file + header->e_phoff), header->e_phnum);
    return 0;
}

int cass_object_text(const cass_object *object, size_t index, uintptr_t *low, uintptr_t *high) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)object->file;
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(object->file + header->e_phoff);
    for (size_t i = 0; i < header->e_phnum; i++) {
        if (segments[i].p_type != PT_LOAD || !(segments[i].p_flags & PF_X) || index-- > 0) continue;
        *low = object->base + segments[i].p_vaddr;
        *high = *low + segments[i].p_memsz;
        return 0;
    }
    return -1;
}

void cass_object_close(cass_object *object) {
    if (object->file) munmap((void *)object->file, object->file_bytes);
    object->file = NULL;
}

/* The section headers when all of them lie in the file, else none. */
static const Elf64_Shdr *sections(const cass_object *object, size_t *count) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)object->file;
    size_t bytes = (size_t)header->e_shnum * sizeof(Elf64_Shdr);
    *count = 0;
    if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff > object->file_bytes ||
        bytes > object->file_bytes - header->e_shoff || !is_aligned(header->e_shoff))
        return NULL;
    *count = header->e_shnum;
    return (const Elf64_Shdr *)(object->file + header->e_shoff);
}

static int inside_file(const cass_object *object, const Elf64_Shdr *section) {
    return section->sh_type != SHT_NOBITS && section->sh_offset <= object->file_bytes &&
           section->sh_size <= object->file_bytes - section->sh_offset;
}

/* A string of a string table that is known to end with a zero byte, or NULL. */
static const char *string_at(const char *table, size_t bytes, size_t offset) {
    return offset < bytes && bytes > 0 && table[bytes - 1] == 0 ? table + offset : NULL;
}

const Elf64_Shdr *cass_object_section(const cass_object *object, const char *name) {
    size_t count;
    const Elf64_Shdr *all = sections(object, &count);
    uint16_t names = ((const Elf64_Ehdr *)object->file)->e_shstrndx;
    if (names >= count || !inside_file(object, &all[names])) return NULL;
    const char *strings = (const char *)object->file + all[names].sh_offset;
    for (size_t i = 0; i < count; i++) {
        const char *known = string_at(strings, all[names].sh_size, all[i].sh_name);
        if (known && strcmp(known, name) == 0) return inside_file(object, &all[i]) ? &all[i] : NULL;
    }
    return NULL;
}

static int by_address(const void *left, const void *right) {
    uintptr_t a = ((const cass_symbol *)left)->address, b = ((const cass_symbol *)right)->address;
    return a < b ? -1 : a > b;
}

/* Room for `count` symbols. */
static int reserve(cass_symbols *found, size_t count) {
    *found = (cass_symbols){.bytes = (count + 1) * sizeof(cass_symbol)};
    void *memory =
        mmap(NULL, found->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return -1;
    found->symbols = memory;
    return 0;
}

/* The number of kept symbols at or below `address`. */
static size_t up_to(const cass_symbols *found, uintptr_t address) {
    size_t low = 0, high = found->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (found->symbols[middle].address <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

static int is_function(const Elf64_Sym *symbol) {
    int type = ELF64_ST_TYPE(symbol->st_info);
    return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF;
}

static int is_runtime_name(const char *name) {
    name += strncmp(name, "__", 2) == 0 ? 2 : 0;
    return strncmp(name, "cuda", 4) == 0 && name[4] >= 'A' && name[4] <= 'Z';
}

static int is_public_name(const char *name) {
    return is_runtime_name(name) ||
           (strncmp(name, "cu", 2) == 0 && name[2] >= 'A' && name[2] <= 'Z');
}

/* Where symbols are read from. */
typedef struct {
    const Elf64_Sym *symbols;
    size_t count;
    const char *strings;
    size_t string_bytes;
    uintptr_t base, end; /* load bias, end of the code */
} symbol_source;

/* The room of each kept function: up to the next function of any name, or the end of the code. Only
 * the kept ones are sorted: a program has thousands, and starting it waits for this. */
static void measure_room(const symbol_source *from, cass_symbols *found) {
    uintptr_t next = from->end;
    for (size_t i = found->count; i-- > 0;) {
        cass_symbol *symbol = &found->symbols[i];
        if (i + 1 < found->count && symbol[1].address != symbol->address) next = symbol[1].address;
        symbol->room = next > symbol->address ? next - symbol->address : 0;
    }
    for (size_t i = 0; i < from->count; i++) {
        if (!is_function(&from->symbols[i])) continue;
        uintptr_t address = from->base + from->symbols[i].st_value;
        size_t below = up_to(found, address - 1);
        for (size_t at = below;
             at-- > 0 && found->symbols[at].room > address - found->symbols[at].address;)
            found->symbols[at].room = address - found->symbols[at].address;
    }
}

/* Keeps the functions whose names are wanted, by address, with the room each has. */
static void collect(const symbol_source *from, int (*wanted)(const char *), cass_symbols *found) {
    for (size_t i = 0; i < from->count; i++) {
        const Elf64_Sym *symbol = &from->symbols[i];
        if (!is_function(symbol) || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC) continue;
        const char *name = string_at(from->strings, from->string_bytes, symbol->st_name);
        if (name && wanted(name))
            found->symbols[found->count++] =
                (cass_symbol){.name = name, .address = from->base + symbol->st_value};
    }
    if (!found->count) return;
    qsort(found->symbols, found->count, sizeof(cass_symbol), by_address);
    measure_room(from, found);
}

int cass_object_symtab(const cass_object *object, cass_symbols *found) {
    size_t count;
    const Elf64_Shdr *all = sections(object, &count), *table = NULL;
    for (size_t i = 0; i < count; i++)
        if (all[i].sh_type == SHT_SYMTAB) table = &all[i];
    if (!table || table->sh_link >= count || !inside_file(object, table) ||
        !inside_file(object, &all[table->sh_link]) || table->sh_entsize != sizeof(Elf64_Sym) ||
        !is_aligned(table->sh_offset))
        return -1;
    size_t symbols = table->sh_size / sizeof(Elf64_Sym);
    if (reserve(found, symbols) != 0) return -1;
    const Elf64_Shdr *strings = &all[table->sh_link];
    symbol_source from = {(const Elf64_Sym *)(object->file + table->sh_offset),
                          symbols,
                          (const char *)object->file + strings->sh_offset,
                          strings->sh_size,
                          object->base,
                          object->text_high};
    collect(&from, is_runtime_name, found);
    return 0;
}

/* A pointer of the dynamic section: glibc has relocated it for most objects. */
static const void *dynamic_pointer(const struct link_map *map, Elf64_Sxword tag) {
    for (const Elf64_Dyn *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == tag) {
            uintptr_t value = entry->d_un.d_ptr;
            return (const void *)(value < map->l_addr ? value + map->l_addr : value);
        }
    return NULL;
}

static size_t dynamic_value(const struct link_map *map, Elf64_Sxword tag) {
    for (const Elf64_Dyn *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == tag) return entry->d_un.d_val;
    return 0;
}

/* Number of dynamic symbols: the highest chained index of DT_GNU_HASH, or DT_HASH's chain count. */
static size_t dynamic_symbols(const struct link_map *map) {
    const uint32_t *sysv = dynamic_pointer(map, DT_HASH);
    if (sysv) return sysv[1];
    const uint32_t *gnu = dynamic_pointer(map, DT_GNU_HASH);
    if (!gnu) return 0;
    const uint32_t *buckets = (const uint32_t *)((const uint64_t *)(gnu + 4) + gnu[2]);
    const uint32_t *chain = buckets + gnu[0];
    uint32_t last = 0;
    for (uint32_t i = 0; i < gnu[0]; i++) last = buckets[i] > last ? buckets[i] : last;
    if (last < gnu[1]) return gnu[1];
    while (!(chain[last - gnu[1]] & 1)) last++;
    return (size_t)last + 1;
}

int cass_object_dynsym(const struct link_map *map, const cass_object *object, cass_symbols *found) {
    const Elf64_Sym *symbols = dynamic_pointer(map, DT_SYMTAB);
    const char *strings = dynamic_pointer(map, DT_STRTAB);
    size_t count = dynamic_symbols(map);
    if (!symbols || !strings || count == 0 || reserve(found, count) != 0) return -1;
    symbol_source from = {
        symbols, count, strings, dynamic_value(map, DT_STRSZ), object->base, object->text_high};
    collect(&from, is_public_name, found);
    return 0;
}

void cass_symbols_free(cass_symbols *symbols) {
    if (symbols->symbols) munmap(symbols->symbols, symbols->bytes);
    *symbols = (cass_symbols){0};
}

const char *cass_object_soname(const struct link_map *map) {
    const char *strings = dynamic_pointer(map, DT_STRTAB);
    size_t offset = dynamic_value(map, DT_SONAME);
    return strings && offset ? strings + offset : NULL;
}

int cass_object_is_ours(const struct link_map *map) {
    static const char own[] = "libcass_shim.so";
    const char *strings = dynamic_pointer(map, DT_STRTAB);
    for (const Elf64_Dyn *entry = map->l_ld; strings && entry && entry->d_tag != DT_NULL; entry++)
        if ((entry->d_tag == DT_NEEDED || entry->d_tag == DT_SONAME) &&
            strcmp(strings + entry->d_un.d_val, own) == 0)
            return 1;
    return 0;
}
