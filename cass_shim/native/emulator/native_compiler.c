/* Finds the C compiler for translated kernels. ziglang's clang is what the interpreter itself is
 * built with, and a package that ours requires. */
#include "emulator/native_compiler.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emulator/interp.h"

static int usable(native_compiler *c, const char *path) {
    if (path[0] != '/' || access(path, X_OK) != 0 || strlen(path) >= sizeof c->path) return 0;
    const char *name = strrchr(path, '/') + 1;
    strcpy(c->path, path);
    c->zig = strcmp(name, "zig") == 0;
    return 1;
}

/* .../site-packages/cass_shim/native/_build/emulated/libamdhip64.so */
static int beside_package(native_compiler *c) {
    Dl_info info;
    char path[4096];
    if (!dladdr((const void *)&emu_rows, &info) || !info.dli_fname) return 0;
    snprintf(path, sizeof path, "%s", info.dli_fname);
    for (int up = 0; up < 5; up++) {
        char *slash = strrchr(path, '/');
        if (!slash) return 0;
        *slash = '\0';
    }
    size_t length = strlen(path);
    snprintf(path + length, sizeof path - length, "/ziglang/zig");
    return usable(c, path);
}

static int on_path(native_compiler *c, const char *name) {
    const char *at = getenv("PATH");
    char path[4096];
    while (at && *at) {
        size_t length = strcspn(at, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)length, at, name);
        if (usable(c, path)) return 1;
        at += length + (at[length] == ':');
    }
    return 0;
}

static void add_options(native_compiler *c) {
    static const char *const common[] = {"-std=gnu17",
                                         "-O2",
                                         "-w",
                                         "-fPIC",
                                         "-fvisibility=hidden",
                                         "-ffreestanding",
                                         "-fwrapv",
                                         "-fno-strict-aliasing",
                                         "-fno-math-errno",
                                         "-ffp-contract=off",
                                         "-fno-stack-protector",
                                         "-mavx2",
                                         "-mfma",
                                         "-mf16c",
                                         "-mbmi",
                                         "-mbmi2",
                                         "-mlzcnt",
                                         NULL};
    static const char *const wide[] = {"-mavx512f",  "-mavx512bw", "-mavx512cd",
                                       "-mavx512dq", "-mavx512vl", "-mprefer-vector-width=512",
                                       NULL};
    static const char *const zig[] = {"-target", "x86_64-linux-gnu", "-nostdlibinc", NULL};
    const char *const *lists[] = {
        common, strcmp(emu_selected_variant()->name, "v4") == 0 ? wide : NULL, c->zig ? zig : NULL};
    c->option_count = 0;
    for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const char *const *at = lists[i]; at && *at; at++) c->options[c->option_count++] = *at;
}

int native_compiler_find(native_compiler *c) {
    const char *wanted = getenv("CASS_EMU_CC");
    memset(c, 0, sizeof *c);
    int found = wanted && wanted[0] ? usable(c, wanted)
                                    : beside_package(c) || usable(c, native_zig) ||
                                          on_path(c, "clang") || on_path(c, "cc");
    if (found) add_options(c);
    return found;
}

void native_compiler_files(native_compiler *c, const char *source, const char *object,
                           const char *library) {
    unsigned n = 0;
    c->compile[n++] = c->path;
    if (c->zig) {
        const char *slash = strrchr(c->path, '/');
        snprintf(c->headers, sizeof c->headers, "-isystem%.*s/lib/include", (int)(slash - c->path),
                 c->path);
        c->compile[n++] = "clang";
        c->compile[n++] = c->headers;
        c->compile[n++] = "-c";
    } else {
        c->compile[n++] = "-shared";
        c->compile[n++] = "-nostdlib";
    }
    for (unsigned i = 0; i < c->option_count; i++)
        c->compile[n++] = (char *)(uintptr_t)c->options[i];
    c->compile[n++] = (char *)(uintptr_t)source;
    c->compile[n++] = "-o";
    c->compile[n++] = (char *)(uintptr_t)(c->zig ? object : library);
    c->compile[n] = NULL;
    if (!c->zig) return;
    char *link[] = {
        c->path, "ld.lld", "-shared", (char *)(uintptr_t)object, "-o", (char *)(uintptr_t)library,
        NULL};
    memcpy(c->link, link, sizeof link);
}
