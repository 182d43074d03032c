/* printf of HIP's device library, on the host (hip_hostcall.h). What follows C's rules for a
 * conversion goes to C's own; %n writes nothing. */
#include "emulator/hip_hostcall.h"

#include <string.h>

#define SPEC_ROOM 64

typedef struct {
    FILE *stream;
    const uint64_t *at, *end; /* arguments */
    long printed;
} output_t;

/* A string in whole words; how many bytes before its end or the message's. */
static size_t text_bytes(const uint64_t *at, const uint64_t *end) {
    return strnlen((const char *)at, (size_t)(end - at) * sizeof *at);
}

static uint64_t argument(output_t *out) { return out->at < out->end ? *out->at++ : 0; }

static void add(output_t *out, int written) {
    if (written > 0) out->printed += written;
}

static void put(output_t *out, const char *text, size_t bytes) {
    out->printed += (long)fwrite(text, 1, bytes, out->stream);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the kernel's own, rebuilt below */
static void put_string(output_t *out, const char *spec) {
    char text[4096];
    size_t bytes = text_bytes(out->at, out->end), words = bytes / 8 + 1;
    if (bytes < sizeof text && strcmp(spec, "%s") != 0) {
        memcpy(text, out->at, bytes);
        text[bytes] = 0;
        add(out, fprintf(out->stream, spec, text));
    } else {
        put(out, (const char *)out->at, bytes);
    }
    size_t left = (size_t)(out->end - out->at);
    out->at += words < left ? words : left;
}

static void put_value(output_t *out, const char *spec, char conversion) {
    uint64_t value = argument(out);
    double number;
    memcpy(&number, &value, sizeof number);
    if (strchr("diouxXc", conversion))
        add(out, strchr(spec, 'l') ? fprintf(out->stream, spec, value)
                                   : fprintf(out->stream, spec, (unsigned)value));
    else if (conversion == 'p') add(out, fprintf(out->stream, spec, (void *)value));
    else if (conversion != 'n') add(out, fprintf(out->stream, spec, number));
}
#pragma GCC diagnostic pop

/* A width or precision: digits, or `*` for an argument; a negative precision is none. */
static const char *read_number(output_t *out, const char *from, const char *end, char *spec,
                               size_t *used) {
    if (from < end && *from == '*') {
        int value = (int)argument(out);
        if (value < 0 && spec[*used - 1] == '.') --*used;
        else *used += (size_t)snprintf(spec + *used, 12, "%d", value);
        return from + 1;
    }
    for (unsigned digits = 0; from < end && *from >= '0' && *from <= '9'; from++)
        if (digits++ < 9) spec[(*used)++] = *from;
    return from;
}

/* Writes a conversion of the format anew, in C's order of its parts; of lengths only what integers
 * have. Returns the conversion's place; NULL: there is none that is known. */
static const char *read_spec(output_t *out, const char *from, const char *end, char *spec) {
    size_t used = 0, shorts = 0, longs = 0;
    spec[used++] = '%';
    for (from++; from < end && strchr("-+ #0", *from); from++)
        if (used < 8) spec[used++] = *from;
    from = read_number(out, from, end, spec, &used);
    if (from < end && *from == '.') {
        spec[used++] = '.';
        from = read_number(out, from + 1, end, spec, &used);
    }
    for (; from < end && strchr("hljztqL", *from); from++) {
        shorts += *from == 'h';
        longs += *from != 'h' && *from != 'L';
    }
    if (from >= end || !strchr("diouxXfFeEgGaAcspn", *from)) return NULL;
    if (strchr("diouxX", *from) && longs) spec[used++] = 'l';
    else if (strchr("diouxX", *from))
        for (size_t i = 0; i < shorts && i < 2; i++) spec[used++] = 'h';
    spec[used++] = *from;
    spec[used] = 0;
    return from;
}

static void format(output_t *out, const char *text, const char *end) {
    while (text < end) {
        const char *mark = memchr(text, '%', (size_t)(end - text));
        put(out, text, (size_t)((mark ? mark : end) - text));
        if (!mark) return;
        if (mark + 1 < end && mark[1] == '%') {
            put(out, "%", 1);
            text = mark + 2;
            continue;
        }
        char spec[SPEC_ROOM];
        const char *conversion = out->at < out->end ? read_spec(out, mark, end, spec) : NULL;
        if (!conversion) return; /* undefined in C; AMD's runtime ends here, too */
        if (*conversion == 's') put_string(out, spec);
        else put_value(out, spec, *conversion);
        text = conversion + 1;
    }
}

int emu_hostcall_print(const uint64_t *words, size_t count) {
    if (count < 2 || words[0] > 1) return -1;
    const uint64_t *text = words + 1, *end = words + count;
    size_t bytes = text_bytes(text, end);
    output_t out = {.stream = words[0] ? stderr : stdout, .end = end};
    out.at = (size_t)(end - text) > bytes / 8 + 1 ? text + bytes / 8 + 1 : end;
    format(&out, (const char *)text, (const char *)text + bytes);
    return (int)out.printed;
}
