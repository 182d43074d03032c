/* cass-run: sets an environment and becomes the program. */
#ifndef CASS_LAUNCHER_H
#define CASS_LAUNCHER_H

#include <stddef.h>

/* Exit codes of the launcher's own failures, as env(1) has them. */
enum { CASS_EXIT_OWN = 125, CASS_EXIT_CANNOT_RUN = 126, CASS_EXIT_NOT_FOUND = 127 };

typedef struct {
    char **program; /* argument vector of the program, NULL-terminated */
    int hand_over;  /* --dry-run, --explain: Python's `cass run` does the work */
    const char *hand_over_flag;
} cass_command;

/* Parses flags into environment variables; ends the process for --help, --version and bad usage. */
void cass_parse(int count, char **arguments, cass_command *command);

/* Prints "cass-run: ..." on stderr and ends the process with `code`. */
_Noreturn void cass_die(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The file that `name` means, searched in PATH as execvp does. Ends the process when there is none.
 */
const char *cass_find_program(const char *name);
/* Ends the process with 126 and the reason when the preloaded libraries could not work in it. */
void cass_check_program(const char *path);

/* The folder of the running launcher. */
const char *cass_own_folder(void);
/* LD_PRELOAD and LD_LIBRARY_PATH. */
void cass_set_libraries(void);

#endif
