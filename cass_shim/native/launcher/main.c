/* cass-run [OPTIONS] [--] PROGRAM [ARGUMENTS]: checks the program, sets the environment, becomes
 * the program. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cass_settings.h"
#include "launcher/launcher.h"

/* The folder that holds the package: three above this launcher's. */
static const char *package_root(void) {
    static char root[PATH_MAX];
    snprintf(root, sizeof root, "%s", cass_own_folder());
    for (int up = 0; up < 3; up++) {
        char *slash = strrchr(root, '/');
        if (slash && slash != root) *slash = 0;
    }
    return root;
}

/* CASS_PYTHON; else, installed in an environment, that one's; else the one that built this (the
 * daemon's is chosen alike, client/spawn.c). */
static const char *interpreter(const char *root) {
    static char beside[PATH_MAX + 32];
    static const char inside[] = "/site-packages";
    const char *wanted = getenv("CASS_PYTHON");
    size_t length = strlen(root), tail = sizeof inside - 1;
    if (wanted && *wanted) return wanted;
    if (length > tail && strcmp(root + length - tail, inside) == 0) {
        int wrote = snprintf(beside, sizeof beside, "%s/../../../bin/python3", root);
        if (wrote < (int)sizeof beside && access(beside, X_OK) == 0) return beside;
    }
    return CASS_BUILD_PYTHON;
}

/* Python does what needs the whole pipeline: `cass run --explain PROGRAM ...`. */
static _Noreturn void hand_over(const cass_command *command) {
    const char *package = package_root();
    size_t count = 0;
    while (command->program[count]) count++;
    const char **arguments = calloc(count + 8, sizeof *arguments);
    size_t at = 0;
    if (!arguments) cass_die(CASS_EXIT_OWN, "out of memory");
    arguments[at++] = interpreter(package);
    arguments[at++] = "-m";
    arguments[at++] = "cass_shim.cli.main";
    arguments[at++] = "run";
    arguments[at++] = command->hand_over_flag;
    arguments[at++] = "--";
    memcpy(arguments + at, command->program, count * sizeof *arguments);
    const char *path = getenv("PYTHONPATH");
    char root[PATH_MAX + 8192];
    if (strlen(package) + (path ? strlen(path) : 0) + 2 < sizeof root) {
        strcpy(root, package);
        if (path && *path) strcat(strcat(root, ":"), path);
        setenv("PYTHONPATH", root, 1);
    }
    execv(arguments[0], (char **)arguments);
    cass_die(CASS_EXIT_OWN, "%s: %s (set CASS_PYTHON to the Python that has cass-shim)",
             arguments[0], strerror(errno));
}

int main(int count, char **arguments) {
    cass_command command;
    cass_parse(count, arguments, &command);
    const char *path = cass_find_program(command.program[0]);
    cass_check_program(path);
    if (command.hand_over) hand_over(&command);
    cass_set_libraries();
    execvp(command.program[0], command.program);
    cass_die(errno == ENOENT ? CASS_EXIT_NOT_FOUND : CASS_EXIT_CANNOT_RUN, "%s: %s",
             command.program[0], strerror(errno));
}
