/* Device printf's conversions, as CUDA prints them.
 *
 * In: a format and its packed arguments (each aligned to its size, as device code stores them).
 * Out: stdout. Recorded: tests/native/conformance/printed.expected. CUDA knows fewer conversions
 * than C: one it does not know
 * ("%zu", a '*' precision) is printed as it stands and takes no argument. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/ring.h"

enum { LONGEST_CONVERSION = 64 };

typedef struct {
    const unsigned char *at;
    size_t bytes, offset;
} arguments;

/* The next argument of `size` bytes (4 or 8), zero where the record is too short. */
static uint64_t take(arguments *list, size_t size) {
    uint64_t value = 0;
    list->offset = (list->offset + size - 1) & ~(size - 1);
    if (list->offset + size <= list->bytes) memcpy(&value, list->at + list->offset, size);
    list->offset += size;
    return value;
}

typedef struct {
    char text[LONGEST_CONVERSION]; /* "%-5" without length and letter */
    size_t flags;                  /* bytes of text */
    int star, longs, shorts;       /* '*' width; 'l' and 'h' counts */
    char letter;
    const char *end; /* after the letter */
} conversion;

/* Reads the conversion at `from` ('%'). 0 when CUDA does not know it. */
static int parse(const char *from, conversion *found) {
    const char *at = from + 1;
    *found = (conversion){.text = "%"};
    at += strspn(at, "-+ #0");
    if (*at == '*') {
        found->star = 1;
        found->flags = (size_t)(at++ - from);
    } else {
        at += strspn(at, "0123456789");
    }
    const char *precision = at;
    if (*at == '.') at += 1 + strspn(at + 1, "0123456789");
    size_t plain = (size_t)((found->star ? precision : at) - from) - (size_t)(found->star ? 1 : 0);
    if (plain + (size_t)(at - precision) + 8 > sizeof found->text) return 0;
    memcpy(found->text, from, plain);
    found->flags = plain;
    if (found->star) { /* the width's digits go where the '*' was */
        memcpy(found->text + plain, "*", 1);
        memcpy(found->text + plain + 1, precision, (size_t)(at - precision));
        found->flags = plain + 1 + (size_t)(at - precision);
    }
    for (; *at == 'h'; at++) found->shorts++;
    for (; *at == 'l'; at++) found->longs++;
    found->letter = *at;
    found->end = at + 1;
    return *at && strchr("diouxXcsfFeEgGaApn", *at) != NULL;
}

static void print_integer(conversion *what, arguments *list, int width) {
    uint64_t bits = take(list, what->longs ? 8 : 4);
    int is_signed = what->letter == 'd' || what->letter == 'i';
    if (!what->longs && is_signed) bits = (uint64_t)(int64_t)(int32_t)bits;
    if (what->shorts == 1) bits = is_signed ? (uint64_t)(int64_t)(int16_t)bits : (uint16_t)bits;
    if (what->shorts == 2) bits = is_signed ? (uint64_t)(int64_t)(int8_t)bits : (uint8_t)bits;
    snprintf(what->text + what->flags, 4, "ll%c", what->letter);
    if (what->star) printf(what->text, width, (long long)bits);
    else printf(what->text, (long long)bits);
}

static void print_double(conversion *what, arguments *list, int width) {
    uint64_t bits = take(list, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (value != value) value = __builtin_fabs(value); /* CUDA prints no sign of a NaN */
    snprintf(what->text + what->flags, 2, "%c", what->letter);
    if (what->star) printf(what->text, width, value);
    else printf(what->text, value);
}

static void print_string(conversion *what, arguments *list, int width) {
    uint64_t address = take(list, 8);
    char *text = address ? cass_device_string(address) : NULL;
    const char *shown = text ? text : "(null)";
    snprintf(what->text + what->flags, 2, "s");
    if (what->star) printf(what->text, width, shown);
    else printf(what->text, shown);
    free(text);
}

static void print_one(conversion *what, arguments *list) {
    int width = what->star ? (int)take(list, 4) : 0;
    switch (what->letter) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        print_integer(what, list, width);
        break;
    case 's':
        print_string(what, list, width);
        break;
    case 'n':
        take(list, 8);
        break; /* nothing is stored, nothing printed */
    case 'c':
    case 'p': {
        uint64_t bits = take(list, what->letter == 'p' ? 8 : 4);
        snprintf(what->text + what->flags, 2, "%c", what->letter);
        if (what->letter == 'p' && what->star) printf(what->text, width, (void *)(uintptr_t)bits);
        else if (what->letter == 'p') printf(what->text, (void *)(uintptr_t)bits);
        else if (what->star) printf(what->text, width, (int)bits);
        else printf(what->text, (int)bits);
        break;
    }
    default:
        print_double(what, list, width);
    }
}

void cass_format(const char *format, const unsigned char *packed, size_t bytes) {
    arguments list = {packed, bytes, 0};
    while (*format) {
        size_t plain = strcspn(format, "%");
        fwrite(format, 1, plain, stdout);
        format += plain;
        conversion what;
        if (!*format) break;
        if (format[1] == '%') {
            fputc('%', stdout);
            format += 2;
        } else if (parse(format, &what)) {
            print_one(&what, &list);
            format = what.end;
        } else {
            fputc('%', stdout);
            format++;
        }
    }
}
