/* A static cudart without symbols: recognised by the build's hash, entry points by recorded offsets. */
#include <string.h>

#include "shim/redirect.h"

#define MARK "libcudart_static_"
enum { HASH_DIGITS = 40 };

static int hexadecimal(const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strchr("0123456789abcdef", text[i]) || text[i] == 0)
            return 0;
    return 1;
}

/* The hash inside the file, or NULL. Only programs and objects with GPU code are searched: reading every
 * system library through would cost more than loading it. */
static const char *find_hash(const cass_object *object)
{
    int program = strcmp(object->path, "/proc/self/exe") == 0;
    if (!program && !cass_object_section(object, ".nvFatBinSegment"))
        return NULL;
    const Elf64_Shdr *strings = cass_object_section(object, ".rodata");
    const uint8_t *from = strings ? object->file + strings->sh_offset : object->file;
    const uint8_t *end = from + (strings ? strings->sh_size : object->file_bytes);
    size_t mark = strlen(MARK);
    while (from < end) {
        const uint8_t *hit = memmem(from, (size_t)(end - from), MARK, mark);
        if (!hit || (size_t)(end - hit) < mark + HASH_DIGITS)
            return NULL;
        if (hexadecimal((const char *)hit + mark, HASH_DIGITS))
            return (const char *)hit + mark;
        from = hit + 1;
    }
    return NULL;
}

int cass_stripped_find(const cass_object *object, cass_symbols *found, uint32_t *version)
{
    (void)found;
    (void)version;
    const char *hash = find_hash(object);
    if (!hash)
        return -1;
    cass_warn("%s: stripped, with a static CUDA runtime whose entry points are not known: " MARK "%.40s",
              object->path, hash);
    return -2;
}
