/* All or nothing: every entry point of a copy of the CUDA runtime jumps to ours, or none does. */
#include "shim/redirect.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "shim/names.h"

#define PAGE ((uintptr_t)4096)

typedef struct {
    const struct link_map *map;
    const cass_object *object;
    cass_symbols symbols;
    uint32_t version; /* CUDA version; 0: the driver */
} candidate;

static const cass_symbol *named(const cass_symbols *symbols, const char *name) {
    for (size_t i = 0; i < symbols->count; i++)
        if (strcmp(symbols->symbols[i].name, name) == 0) return &symbols->symbols[i];
    return NULL;
}

/* The major version shows in which names exist: 12.0 brought cudaGetDeviceProperties_v2 and dropped
 * texture references, 13.0 dropped the _v2; the newest name shows the minor version at least.
 * Source: the export lists of 11.8, 12.0, 12.9 and 13.0 to 13.5. */
static uint32_t runtime_version(const cass_symbols *symbols) {
    uint32_t version = named(symbols, "cudaGetDeviceProperties_v2") ? 12000
                       : named(symbols, "__cudaRegisterTexture")    ? 11080
                                                                    : 13000;
    uint32_t end = (version / 1000 + 1) * 1000;
    for (size_t i = 0; i < symbols->count; i++) {
        uint32_t since = cass_name_since(symbols->symbols[i].name);
        if (since > version && since < end) version = since;
    }
    return version;
}

/* A program may have functions called cuda* of its own: a runtime has these three. */
static int is_runtime(const cass_symbols *symbols) {
    return named(symbols, "__cudaRegisterFatBinary") && named(symbols, "cudaMalloc") &&
           named(symbols, "cudaGetDeviceCount");
}

/* The library of NVIDIA's that this object is, by SONAME; ours name libcass_shim.so in DT_NEEDED.
 */
static int is_vendor_library(const struct link_map *map, const char *prefix) {
    const char *soname = cass_object_soname(map);
    return soname && strncmp(soname, prefix, strlen(prefix)) == 0 && !cass_object_is_ours(map);
}

/* Keeps what is to be redirected: names we know, and names in between that a newer runtime may
 * have. */
static void keep_entry_points(candidate *c) {
    uintptr_t low = UINTPTR_MAX, high = 0, last = 0;
    for (size_t i = 0; i < c->symbols.count; i++)
        if (cass_entry_named(c->symbols.symbols[i].name, c->version)) {
            low = c->symbols.symbols[i].address < low ? c->symbols.symbols[i].address : low;
            high = c->symbols.symbols[i].address;
        }
    size_t kept = 0;
    for (size_t i = 0; i < c->symbols.count; i++) {
        const cass_symbol *symbol = &c->symbols.symbols[i];
        if (symbol->address < low || symbol->address > high || symbol->address == last) continue;
        last = symbol->address;
        c->symbols.symbols[kept++] = *symbol;
    }
    c->symbols.count = kept;
}

/* The first entry point that cannot hold the jump, or NULL. Functions start at multiples of 16, and
 * what follows a shorter one up to there is padding. */
static const cass_symbol *too_short(const candidate *c) {
    for (size_t i = 0; i < c->symbols.count; i++) {
        const cass_symbol *symbol = &c->symbols.symbols[i];
        uintptr_t end = (uintptr_t)cass_jump_site(symbol->address) + CASS_JUMP_BYTES;
        if (end - symbol->address > symbol->room || end > c->object->text_high) return symbol;
    }
    return NULL;
}

static int prepare_names(const candidate *c, cass_copy *copy) {
    size_t bytes = strlen(c->object->name) + 1;
    for (size_t i = 0; i < c->symbols.count; i++)
        if (!cass_entry_named(c->symbols.symbols[i].name, c->version))
            bytes += strlen(c->symbols.symbols[i].name) + 1;
    copy->names_bytes = bytes;
    copy->names = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy->names == MAP_FAILED) return -1;
    strcpy(copy->names, c->object->name);
    return 0;
}

/* Writes the trampolines; targets[i] is the one of symbol i. */
static int prepare_trampolines(const candidate *c, cass_copy *copy, void **targets) {
    static atomic_uint next_id = CASS_COPY_COUNT + 1;
    if (cass_near_map(&copy->area, c->object->low, c->object->high, c->symbols.count) != 0)
        return -1;
    copy->caller = (cass_caller){.version = c->version,
                                 .id = atomic_fetch_add(&next_id, 1),
                                 .base = c->object->low,
                                 .end = c->object->high,
                                 .name = copy->names};
    char *unknown = copy->names + strlen(copy->names) + 1;
    for (size_t i = 0; i < c->symbols.count; i++) {
        const char *name = c->symbols.symbols[i].name;
        void *entry = cass_entry_named(name, c->version);
        if (entry) {
            targets[i] = cass_near_entry(&copy->area, &copy->caller, entry);
        } else {
            strcpy(unknown, name);
            targets[i] = cass_near_unknown(&copy->area, unknown);
            unknown += strlen(name) + 1;
        }
    }
    return cass_near_seal(&copy->area);
}

/* The text is writable or executable, never both: nobody runs it yet. */
static int write_jumps(const candidate *c, void *const *targets) {
    const cass_symbol *symbols = c->symbols.symbols;
    uintptr_t first = symbols[0].address & ~(PAGE - 1);
    uintptr_t end = symbols[c->symbols.count - 1].address + CASS_ENDBR_BYTES + CASS_JUMP_BYTES;
    size_t bytes = ((end + PAGE - 1) & ~(PAGE - 1)) - first;
    if (mprotect((void *)first, bytes, PROT_READ | PROT_WRITE) != 0) return -1;
    for (size_t i = 0; i < c->symbols.count; i++)
        cass_jump_write(cass_jump_site(symbols[i].address), targets[i]);
    if (mprotect((void *)first, bytes, PROT_READ | PROT_EXEC) == 0) return 0;
    cass_warn("%s: its code was made writable and may not be made executable again: %s",
              c->object->name, strerror(errno));
    _Exit(126);
}

static cass_redirect_result redirect(candidate *c, cass_copy *copy) {
    keep_entry_points(c);
    const cass_symbol *bad = too_short(c);
    if (bad) {
        cass_warn("%s: %s has no room for a jump; this CUDA runtime is left alone", c->object->name,
                  bad->name);
        return CASS_CANNOT;
    }
    size_t bytes = (c->symbols.count + 1) * sizeof(void *);
    void **targets = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int done = targets != MAP_FAILED && prepare_names(c, copy) == 0 &&
               prepare_trampolines(c, copy, targets) == 0 && write_jumps(c, targets) == 0;
    int error = errno;
    if (targets != MAP_FAILED) munmap(targets, bytes);
    if (done) return CASS_REDIRECTED;
    cass_warn(
        "%s: the CUDA runtime in it cannot be redirected: %s%s", c->object->name, strerror(error),
        error == EACCES || error == EPERM ? " (a security policy forbids changing code)" : "");
    return CASS_CANNOT;
}

/* Which symbols, of which version. 1 when there is something to redirect, 0 when not, -1 when it is
 * hopeless. */
static int choose(candidate *c) {
    if (is_vendor_library(c->map, "libcudart.so") || is_vendor_library(c->map, "libcuda.so")) {
        if (cass_object_dynsym(c->map, c->object, &c->symbols) != 0 || c->symbols.count == 0)
            return 0;
        c->version = is_runtime(&c->symbols) ? runtime_version(&c->symbols) : 0;
        return 1;
    }
    if (cass_object_symtab(c->object, &c->symbols) == 0) {
        if (!is_runtime(&c->symbols)) return 0;
        c->version = runtime_version(&c->symbols);
        return 1;
    }
    int stripped = cass_stripped_find(c->object, &c->symbols, &c->version);
    return stripped == 0 ? 1 : stripped == -1 ? 0 : -1;
}

cass_redirect_result cass_redirect(const struct link_map *map, cass_copy **copy) {
    cass_object object;
    *copy = NULL;
    if (cass_object_is_ours(map) || cass_object_open(&object, map) != 0) return CASS_NO_CUDA;
    candidate c = {.map = map, .object = &object};
    int found = choose(&c);
    cass_redirect_result result = found < 0 ? CASS_CANNOT : CASS_NO_CUDA;
    if (found > 0) {
        void *memory =
            mmap(NULL, sizeof **copy, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *copy = memory == MAP_FAILED ? NULL : memory;
        result = *copy ? redirect(&c, *copy) : CASS_CANNOT;
        if (result != CASS_REDIRECTED && *copy) cass_redirect_forget(*copy);
    }
    cass_symbols_free(&c.symbols);
    cass_object_close(&object);
    return result;
}

void cass_redirect_forget(cass_copy *copy) {
    cass_near_unmap(&copy->area);
    if (copy->names && copy->names != MAP_FAILED) munmap(copy->names, copy->names_bytes);
    munmap(copy, sizeof *copy);
}
