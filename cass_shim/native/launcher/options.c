/* Flags: each is the mirror of a CASS_* variable. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cass_settings.h"
#include "launcher/launcher.h"

static const struct {
    const char *flag, *variable, *fallback, *text, *bare; /* bare: the flag without a value */
} options[] = {
#define X(flag, variable, fallback, text, bare) {flag, variable, fallback, text, bare},
#include "cass_options.inc"
};
static const struct {
    const char *name, *text;
} switches[] = {
#define S(name, text) {name, text},
#include "cass_options.inc"
};
enum { OPTION_COUNT = sizeof options / sizeof options[0] };

void cass_die(int code, const char *format, ...) {
    va_list arguments;
    fputs("cass-run: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(code);
}

static _Noreturn void show_help(void) {
    puts("Usage: cass-run [OPTIONS] [--] PROGRAM [ARGUMENTS]\n\n" CASS_PURPOSE "\n");
    for (int i = 0; i < OPTION_COUNT; i++)
        printf("  --%-16s %s%s%s%s\n", options[i].flag, options[i].text,
               *options[i].fallback ? " [" : "", options[i].fallback,
               *options[i].fallback ? "]" : "");
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
        printf("  --%-16s %s\n", switches[i].name, switches[i].text);
    puts("\nExit status: " CASS_EXIT_STATUS ".");
    exit(0);
}

static void set(const char *variable, const char *value) {
    if (setenv(variable, value, 1) != 0) cass_die(CASS_EXIT_OWN, "cannot set %s", variable);
}

/* One "--flag", "--flag=value" or "--flag value"; returns how many arguments it took. */
static int take_option(char **arguments) {
    const char *flag = arguments[0] + 2, *equals = strchr(flag, '=');
    size_t length = equals ? (size_t)(equals - flag) : strlen(flag);
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (strlen(options[i].flag) != length || memcmp(options[i].flag, flag, length) != 0)
            continue;
        const char *bare = *options[i].bare ? options[i].bare : NULL;
        const char *value = equals ? equals + 1 : bare;
        if (value) {
            set(options[i].variable, value);
            return 1;
        }
        if (!arguments[1]) cass_die(CASS_EXIT_OWN, "--%s needs a value", options[i].flag);
        set(options[i].variable, arguments[1]);
        return 2;
    }
    cass_die(CASS_EXIT_OWN, "unknown option %s (cass-run --help lists them)", arguments[0]);
}

void cass_parse(int count, char **arguments, cass_command *command) {
    int at = 1;
    *command = (cass_command){0};
    while (at < count && arguments[at][0] == '-' && arguments[at][1] != 0) {
        const char *argument = arguments[at];
        if (strcmp(argument, "--") == 0) {
            at++;
            break;
        }
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) show_help();
        if (strcmp(argument, "--version") == 0) {
            puts("cass-run " CASS_VERSION);
            exit(0);
        }
        if (strcmp(argument, "--dry-run") == 0 || strcmp(argument, "--explain") == 0) {
            command->hand_over = 1;
            command->hand_over_flag = argument;
            at++;
        } else if (strncmp(argument, "--", 2) == 0) {
            at += take_option(arguments + at);
        } else {
            cass_die(CASS_EXIT_OWN, "unknown option %s (cass-run --help lists them)", argument);
        }
    }
    command->program = arguments + at;
    if (at >= count) cass_die(CASS_EXIT_OWN, "no program given (cass-run --help)");
}
