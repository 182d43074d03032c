/* Names and texts of error codes: see names.h. */
#include "driver/names.h"

#include <stddef.h>

#include "driver/errors.inc"

static const char unknown[] = "unrecognized error code";

/* A function, as clang warns of a literal that is tested in place. */
static const char *first_of(const char *text, const char *other) { return text ? text : other; }

const char *cass_error_name(int code, int driver) {
    switch (code) {
#define ROW(number, runtime_name, driver_name, text)                                               \
    case number:                                                                                   \
        return driver ? driver_name : first_of(runtime_name, unknown);
        CASS_ERRORS(ROW)
#undef ROW
    default:
        return driver ? NULL : unknown;
    }
}

const char *cass_error_text(int code, int driver) {
    if (driver && !cass_error_name(code, 1)) return NULL;
    switch (code) {
#define ROW(number, runtime_name, driver_name, text)                                               \
    case number:                                                                                   \
        return first_of(text, driver ? driver_name : unknown);
        CASS_ERRORS(ROW)
#undef ROW
    default:
        return driver ? NULL : unknown;
    }
}

int cass_driver_code(int code) {
    switch (code) {
    case 9: /* configuration, pitch, pointers, textures, directions: invalid value */
    case 12:
    case 16:
    case 17:
    case 18:
    case 19:
    case 20:
    case 21:
    case 22:
    case 52:
        return 1;
    case 13:
        return 500;
    case 35:
        return 100; /* a missing library is a missing device to the driver API */
    case 98:
        return 400;
    default:
        return cass_error_name(code, 1) ? code : 999;
    }
}
