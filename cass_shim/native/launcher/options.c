/* Flags: each is the mirror of a CASS_* variable. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cass_settings.h"
#include "launcher/launcher.h"

static const struct {
    const char *flag, *variable, *fallback, *text;
} options[] = {
#define X(flag, variable, fallback, text) {flag, variable, fallback, text},
#include "cass_options.inc"
#undef X
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
    puts("Usage: cass-run [OPTIONS] [--] PROGRAM [ARGUMENTS]\n\n"
         "Runs a CUDA program on an AMD GPU or on an emulated one. Options come before the "
         "program; each is\n"
         "the mirror of an environment variable.\n");
    for (int i = 0; i < OPTION_COUNT; i++)
        printf("  --%-16s %s%s%s%s\n", options[i].flag, options[i].text,
               *options[i].fallback ? " [" : "", options[i].fallback,
               *options[i].fallback ? "]" : "");
    puts("  --explain          say for every kernel how it was translated and how far that is "
         "proved\n"
         "  --dry-run          translate and verify the program's kernels without running it\n"
         "  --version, --help\n\n"
         "Exit status: the program's own; 125 bad usage, 126 the program cannot be run this way, "
         "127 not found.");
    exit(0);
}

static void set(const char *variable, const char *value) {
    if (setenv(variable, value, 1) != 0) cass_die(CASS_EXIT_OWN, "cannot set %s", variable);
}

/* `--trace` alone traces calls; `--quiet` and other switches alone mean 1. */
static const char *bare_value(const char *flag) {
    if (strcmp(flag, "trace") == 0) return "calls";
    return strcmp(flag, "quiet") == 0 ? "1" : NULL;
}

/* One "--flag", "--flag=value" or "--flag value"; returns how many arguments it took. */
static int take_option(char **arguments) {
    const char *flag = arguments[0] + 2, *equals = strchr(flag, '=');
    size_t length = equals ? (size_t)(equals - flag) : strlen(flag);
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (strlen(options[i].flag) != length || memcmp(options[i].flag, flag, length) != 0)
            continue;
        const char *value = equals ? equals + 1 : bare_value(options[i].flag);
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
