/* Decoding arguments: the letters are those of cass_shim/api/c_types.py. */
#include "shim/trace_format.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

void cass_text_add(cass_text *text, const char *format, ...) {
    size_t room = (size_t)(text->end - text->at);
    va_list arguments;
    va_start(arguments, format);
    int wrote = vsnprintf(text->at, room, format, arguments);
    va_end(arguments);
    if (wrote > 0 && room > 0) text->at += (size_t)wrote < room ? (size_t)wrote : room - 1;
}

/* Reads the program's memory without a fault; the number of bytes read. */
static size_t read_safely(uint64_t address, void *into, size_t bytes) {
    struct iovec local = {into, bytes}, remote = {(void *)(uintptr_t)address, bytes};
    if (address == 0) return 0;
    ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    return got > 0 ? (size_t)got : 0;
}

static void add_string(cass_text *text, uint64_t address) {
    char shown[65] = {0};
    size_t got = read_safely(address, shown, sizeof shown - 1);
    if (address && !got) /* the string may end close to the end of its page */
        got = read_safely(address, shown, (size_t)(64 - (address & 63)));
    if (!got) {
        cass_text_add(text, address ? "%#llx" : "NULL", (unsigned long long)address);
        return;
    }
    for (char *at = shown; *at; at++) *at = *at < ' ' || *at > '~' ? '?' : *at;
    cass_text_add(text, strlen(shown) == sizeof shown - 1 ? "\"%s\"..." : "\"%s\"", shown);
}

static void add_enumerator(cass_text *text, const char *tag, size_t tag_bytes, int64_t value) {
    for (const cass_enum *known = cass_enums; known->name; known++) {
        if (strlen(known->name) != tag_bytes || memcmp(known->name, tag, tag_bytes) != 0) continue;
        for (uint32_t i = 0; i < known->count; i++)
            if (known->values[i].value == (int32_t)value) {
                cass_text_add(text, "%s", known->values[i].name);
                return;
            }
    }
    cass_text_add(text, "%lld", (long long)value);
}

/* What an out-pointer points to after the call. */
static void add_pointed(cass_text *text, char kind, uint64_t address) {
    uint64_t bits = 0;
    size_t bytes = kind == 'P' || kind == 'Z' ? 8 : 4;
    if (read_safely(address, &bits, bytes) != bytes) {
        cass_text_add(text, address ? "%#llx (unreadable)" : "NULL", (unsigned long long)address);
        return;
    }
    float number;
    memcpy(&number, &bits, sizeof number);
    if (kind == 'P') cass_text_add(text, "&%#llx", (unsigned long long)bits);
    else if (kind == 'F') cass_text_add(text, "&%g", (double)number);
    else if (kind == 'I') cass_text_add(text, "&%d", (int)bits);
    else cass_text_add(text, "&%llu", (unsigned long long)bits);
}

static void add_value(cass_text *text, const char *kind, size_t kind_bytes,
                      const cass_value *value) {
    switch (*kind) {
    case 'p':
        cass_text_add(text, value->bits ? "%#llx" : "NULL", (unsigned long long)value->bits);
        break;
    case 's':
        add_string(text, value->bits);
        break;
    case 'e':
        add_enumerator(text, kind + 1, kind_bytes - 1, (int64_t)value->bits);
        break;
    case 'i':
        cass_text_add(text, "%lld", (long long)value->bits);
        break;
    case 'u':
        cass_text_add(text, "%llu", (unsigned long long)value->bits);
        break;
    case 'f':
        cass_text_add(text, "%g", value->number);
        break;
    case 'd':
        cass_text_add(text, "{%u,%u,%u}", value->dims[0], value->dims[1], value->dims[2]);
        break;
    case '?':
        cass_text_add(text, "{...}");
        break;
    default:
        add_pointed(text, *kind, value->bits);
    }
}

static void add_result(cass_text *text, char kind, uint64_t result) {
    if (kind == 'r') add_enumerator(text, "cudaError_t", strlen("cudaError_t"), (int64_t)result);
    else if (kind == 'c') add_enumerator(text, "CUresult", strlen("CUresult"), (int64_t)result);
    else if (kind == 's') add_string(text, result);
    else if (kind == 'p') cass_text_add(text, "%#llx", (unsigned long long)result);
    else if (kind == 'u') cass_text_add(text, "%llu", (unsigned long long)result);
    else cass_text_add(text, "void");
}

void cass_text_call(cass_text *text, const cass_row *row, const cass_value *values,
                    uint64_t result) {
    cass_text_add(text, "%s(", row->name);
    const char *at = row->arguments;
    for (size_t i = 0; *at; i++) {
        const char *colon = strchr(at, ':'), *end = strchr(colon, ' ');
        end = end ? end : colon + strlen(colon);
        cass_text_add(text, "%s%.*s=", i ? ", " : "", (int)(end - colon - 1), colon + 1);
        add_value(text, at, (size_t)(colon - at), &values[i]);
        at = *end ? end + 1 : end;
    }
    cass_text_add(text, ") = ");
    add_result(text, row->result, result);
}
