/* Whether a program can be run with preloaded libraries, said before it runs unlaunched in silence.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "launcher/launcher.h"

enum { SCRIPT_DEPTH = 5, HEAD_BYTES = 4096 };

const char *cass_find_program(const char *name) {
    static char found[PATH_MAX];
    const char *path = getenv("PATH");
    int denied = 0;
    if (strchr(name, '/')) {
        if (access(name, F_OK) != 0) cass_die(CASS_EXIT_NOT_FOUND, "%s: %s", name, strerror(errno));
        return name;
    }
    for (path = path ? path : "/bin:/usr/bin"; *name && path; path = strchr(path, ':')) {
        path += *path == ':';
        int length = (int)strcspn(path, ":");
        if (snprintf(found, sizeof found, "%.*s%s%s", length, path, length ? "/" : "", name) >=
            (int)sizeof found)
            continue;
        struct stat status;
        if (stat(found, &status) != 0 || !S_ISREG(status.st_mode)) continue;
        if (access(found, X_OK) == 0) return found;
        denied = 1;
    }
    if (denied) cass_die(CASS_EXIT_CANNOT_RUN, "%s: permission denied", name);
    struct stat here;
    if (stat(name, &here) == 0 && S_ISREG(here.st_mode))
        cass_die(CASS_EXIT_NOT_FOUND, "%s: not found in PATH; the file here is called ./%s", name,
                 name);
    cass_die(CASS_EXIT_NOT_FOUND, "%s: not found in PATH", name);
}

/* The loader ignores LD_PRELOAD in programs that gain privileges. */
static void check_privileges(const char *path, int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return;
    if (S_ISDIR(status.st_mode)) cass_die(CASS_EXIT_CANNOT_RUN, "%s: is a directory", path);
    if (((status.st_mode & S_ISUID) && status.st_uid != getuid()) ||
        ((status.st_mode & S_ISGID) && status.st_gid != getgid()) ||
        fgetxattr(descriptor, "security.capability", NULL, 0) > 0)
        cass_die(CASS_EXIT_CANNOT_RUN,
                 "%s: is set-user-id, set-group-id or has capabilities; the loader allows no "
                 "preloading there",
                 path);
}

static void check_interpreter(const char *path, int descriptor, const Elf64_Ehdr *header) {
    char interpreter[PATH_MAX] = {0};
    struct stat status = {0};
    size_t file_bytes = fstat(descriptor, &status) == 0 ? (size_t)status.st_size : 0;
    for (size_t i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr segment;
        off_t at = (off_t)(header->e_phoff + i * header->e_phentsize);
        if (pread(descriptor, &segment, sizeof segment, at) != sizeof segment)
            cass_die(CASS_EXIT_CANNOT_RUN, "%s: truncated: its program headers are missing", path);
        if (segment.p_type == PT_LOAD && segment.p_offset + segment.p_filesz > file_bytes)
            cass_die(CASS_EXIT_CANNOT_RUN, "%s: truncated: %zu of its %zu bytes are there", path,
                     file_bytes, (size_t)(segment.p_offset + segment.p_filesz));
        if (segment.p_type != PT_INTERP || segment.p_filesz >= sizeof interpreter) continue;
        if (pread(descriptor, interpreter, segment.p_filesz, (off_t)segment.p_offset) !=
            (ssize_t)segment.p_filesz)
            cass_die(CASS_EXIT_CANNOT_RUN, "%s: truncated: its interpreter's name is missing",
                     path);
    }
    if (!interpreter[0])
        cass_die(CASS_EXIT_CANNOT_RUN,
                 "%s: statically linked (%s); it loads no libraries, so none can be preloaded",
                 path, header->e_type == ET_DYN ? "static-pie" : "no PT_INTERP");
    if (strstr(interpreter, "ld-musl"))
        cass_die(CASS_EXIT_CANNOT_RUN,
                 "%s: linked with musl (%s); cass-shim's libraries need glibc", path, interpreter);
}

static void check_elf(const char *path, int descriptor, const unsigned char *head, size_t bytes) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)head;
    if (head[EI_CLASS] == ELFCLASS32)
        cass_die(CASS_EXIT_CANNOT_RUN,
                 "%s: a 32-bit program; only 64-bit x86-64 programs are supported", path);
    if (bytes < sizeof *header)
        cass_die(CASS_EXIT_CANNOT_RUN, "%s: truncated: its ELF header is missing", path);
    if (header->e_machine != EM_X86_64)
        cass_die(CASS_EXIT_CANNOT_RUN, "%s: built for another processor (ELF machine %u)", path,
                 header->e_machine);
    if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
        cass_die(CASS_EXIT_CANNOT_RUN, "%s: not an executable (ELF type %u)", path, header->e_type);
    check_interpreter(path, descriptor, header);
}

/* The program that runs a script: the word after #!, or the argument of env(1). */
static const char *script_interpreter(char *line) {
    char *rest = line + 2, *word = strtok_r(rest, " \t\r\n", &rest);
    const char *base = word && strrchr(word, '/') ? strrchr(word, '/') + 1 : word;
    if (!word || strcmp(base, "env") != 0) return word;
    for (char *next = strtok_r(NULL, " \t\r\n", &rest); next;
         next = strtok_r(NULL, " \t\r\n", &rest))
        if (next[0] != '-' && !strchr(next, '=')) return cass_find_program(next);
    return word;
}

static void check(const char *path, int depth) {
    unsigned char head[HEAD_BYTES + 1] __attribute__((aligned(16))) = {0};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        if (access(path, X_OK) == 0) return; /* executable and unreadable: the kernel will tell */
        cass_die(errno == ENOENT ? CASS_EXIT_NOT_FOUND : CASS_EXIT_CANNOT_RUN, "%s: %s", path,
                 strerror(errno));
    }
    check_privileges(path, descriptor);
    ssize_t bytes = pread(descriptor, head, HEAD_BYTES, 0);
    if (bytes >= SELFMAG + 1 && memcmp(head, ELFMAG, SELFMAG) == 0)
        check_elf(path, descriptor, head, (size_t)bytes);
    close(descriptor);
    if (bytes >= 2 && head[0] == '#' && head[1] == '!' && depth < SCRIPT_DEPTH) {
        head[strcspn((char *)head, "\n")] = 0;
        const char *interpreter = script_interpreter((char *)head);
        if (interpreter && access(interpreter, F_OK) == 0) check(interpreter, depth + 1);
    }
}

void cass_check_program(const char *path) {
    if (access(path, X_OK) != 0)
        cass_die(errno == ENOENT ? CASS_EXIT_NOT_FOUND : CASS_EXIT_CANNOT_RUN, "%s: %s", path,
                 strerror(errno));
    check(path, 0);
}
