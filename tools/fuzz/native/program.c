/* Programs that cass-run is asked to start: launcher/program.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/native/driver.h"
#include "launcher/launcher.h"

static jmp_buf refused;

_Noreturn void cass_die(int code, const char *format, ...) {
    char text[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    longjmp(refused, code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    int file = memfd_create("program", MFD_CLOEXEC);
    if (file < 0 || write(file, data, size) != (ssize_t)size) _exit(3);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (setjmp(refused) == 0) cass_check_program(path);
    close_range((unsigned)file, ~0u, 0); /* cass_die ends the process, which closes them */
    return 0;
}
