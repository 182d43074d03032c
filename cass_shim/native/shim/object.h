/* One loaded ELF object: where it lies, and the CUDA entry points it contains.
 *
 * Reads the mapped file for .symtab (not part of a loaded image) and the loaded image for .dynsym.
 * Every offset taken from a file is checked; a malformed object counts as one without CUDA. No
 * allocation but mmap. */
#ifndef CASS_OBJECT_H
#define CASS_OBJECT_H

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *path;              /* of the file; "/proc/self/exe" for the program */
    const char *name;              /* the same for people */
    uintptr_t base;                /* load bias */
    uintptr_t low, high;           /* of its mapped segments */
    uintptr_t text_low, text_high; /* of its executable segments */
    const uint8_t *file;           /* the mapped file, NULL when it could not be read */
    size_t file_bytes;
} cass_object;

typedef struct {
    const char *name;
    uintptr_t address;
    size_t room; /* bytes up to the next symbol or the section's end */
} cass_symbol;

typedef struct {
    cass_symbol *symbols; /* by address */
    size_t count, bytes;  /* bytes: of the mapping that holds them */
} cass_symbols;

/* 0, or -1 when the object has no readable program headers. `map` may be the program's. */
int cass_object_open(cass_object *object, const struct link_map *map);
void cass_object_close(cass_object *object);

/* Functions called cuda* and __cuda* in the file's .symtab; -1 when there is no .symtab. */
int cass_object_symtab(const cass_object *object, cass_symbols *found);
/* The same for exported cu* and cuda* functions of the loaded image. */
int cass_object_dynsym(const struct link_map *map, const cass_object *object, cass_symbols *found);
void cass_symbols_free(cass_symbols *symbols);

/* The executable segment number `index` as it is mapped; 0, or -1 when there are no more. */
int cass_object_text(const cass_object *object, size_t index, uintptr_t *low, uintptr_t *high);

/* A section of the file by name, or NULL. */
const Elf64_Shdr *cass_object_section(const cass_object *object, const char *name);
/* DT_SONAME, or NULL. */
const char *cass_object_soname(const struct link_map *map);
/* 1 for libcass_shim.so and for the stand-ins, which name it in DT_NEEDED. */
int cass_object_is_ours(const struct link_map *map);

#endif
