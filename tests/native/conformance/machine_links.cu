// Machine code joined by cuLink: relocatable cubins, fat binaries, objects, libraries, with PTX. argv[1]: the folder.
#include <cuda.h>
#include <cuda_runtime.h>
#include "section.h"
#include <string>
#include <vector>
static CUdevice dev;
static CUdeviceptr p;
static std::string folder;
static void start() {
    CUcontext primary; cuInit(0); cuDeviceGet(&dev, 0); cuDevicePrimaryCtxRetain(&primary, dev); cuCtxSetCurrent(primary); cuMemAlloc(&p, 4096);
}
static CUresult add(CUlinkState s, CUjitInputType type, const char *name) {
    return cuLinkAddFile(s, type, (folder + "/" + name).c_str(), 0, nullptr, nullptr);
}
static CUresult add_data(CUlinkState s, CUjitInputType type, const char *name) {
    FILE *f = fopen((folder + "/" + name).c_str(), "rb"); std::vector<char> bytes(1 << 20); size_t n = f ? fread(bytes.data(), 1, bytes.size() - 1, f) : 0; if (f) fclose(f);
    return cuLinkAddData(s, type, bytes.data(), n, name, 0, nullptr, nullptr);
}
static void show(CUmodule m, const char *kernel, int threads, int dynamic, int v, int count) {
    CUfunction f; int got[4] = {-1, -1, -1, -1}; void *args[] = {&p, &v}; cuMemsetD8(p, 0xff, 16);
    int found = cuModuleGetFunction(&f, m, kernel); if (found) { printf("%s missing %d\n", kernel, found); fflush(stdout); return; }
    int l = cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, dynamic, nullptr, args, nullptr), w = cuCtxSynchronize(); cuMemcpyDtoH(got, p, 16);
    printf("%s %d %d:", kernel, l, w); for (int i = 0; i < count; i++) printf(" %d", got[i]); printf("\n"); fflush(stdout);
}
static void all(CUmodule m) {
    show(m, "_Z3runPii", 1, 0, 2, 4); show(m, "_Z5otherPii", 1, 0, 4, 3); show(m, "_Z3sumPi", 64, 256, 0, 1); show(m, "_Z4widePi", 128, 0, 0, 1);
    for (const char *name : {"counter", "offset", "table", "chosen", "mine", "pointer", "_ZL4mine"}) {
        CUdeviceptr at = 0; size_t bytes = 0; int r = cuModuleGetGlobal(&at, &bytes, m, name); printf("global %s %d %zu\n", name, r, bytes); fflush(stdout);
    }
    CUdeviceptr at; size_t bytes; int nine = 9; if (!cuModuleGetGlobal(&at, &bytes, m, "offset")) { cuMemcpyHtoD(at, &nine, 4); show(m, "_Z3runPii", 1, 0, 3, 4); show(m, "_Z5otherPii", 1, 0, 1, 3); }
    unsigned n = 0; cuModuleGetFunctionCount(&n, m); printf("functions %u\n", n);
}
static CUmodule finish(CUlinkState s) {
    void *image = nullptr; size_t bytes = 0; CUmodule m = nullptr; int r = cuLinkComplete(s, &image, &bytes); printf("complete %d\n", r); fflush(stdout);
    if (!r) { printf("elf %d\n", bytes > 4 && !memcmp(image, "\177ELF", 4)); SHOW("load", cuModuleLoadData(&m, image)); }
    SHOW("destroy", cuLinkDestroy(s)); return m;
}
static void two_cubins() { start(); CUlinkState s; SHOW("create", cuLinkCreate(0, 0, 0, &s)); SHOW("a", add(s, CU_JIT_INPUT_CUBIN, "a.cubin")); SHOW("b", add_data(s, CU_JIT_INPUT_CUBIN, "b.cubin")); CUmodule m = finish(s); if (m) all(m); }
static void two_fatbins() { start(); CUlinkState s; SHOW("create", cuLinkCreate(0, 0, 0, &s)); SHOW("b", add(s, CU_JIT_INPUT_FATBINARY, "b.fatbin")); SHOW("a", add_data(s, CU_JIT_INPUT_FATBINARY, "a.fatbin")); CUmodule m = finish(s); if (m) all(m); }
static void two_objects() { start(); CUlinkState s; SHOW("create", cuLinkCreate(0, 0, 0, &s)); SHOW("a", add(s, CU_JIT_INPUT_OBJECT, "a.o")); SHOW("b", add_data(s, CU_JIT_INPUT_OBJECT, "b.o")); CUmodule m = finish(s); if (m) all(m); }
static void library() { start(); CUlinkState s; SHOW("create", cuLinkCreate(0, 0, 0, &s)); SHOW("a", add(s, CU_JIT_INPUT_CUBIN, "a.cubin")); SHOW("b", add(s, CU_JIT_INPUT_LIBRARY, "libb.a")); CUmodule m = finish(s); if (m) all(m); }
static void whole_library() { start(); CUlinkState s; SHOW("create", cuLinkCreate(0, 0, 0, &s)); SHOW("all", add_data(s, CU_JIT_INPUT_LIBRARY, "liball.a")); CUmodule m = finish(s); if (m) all(m); }
static void with_ptx() { start(); CUlinkState s; SHOW("create", cuLinkCreate(0, 0, 0, &s)); SHOW("c", add(s, CU_JIT_INPUT_PTX, "c.ptx")); SHOW("a", add(s, CU_JIT_INPUT_CUBIN, "a.cubin")); SHOW("b", add(s, CU_JIT_INPUT_CUBIN, "b.cubin")); CUmodule m = finish(s); if (m) { show(m, "_Z5thirdPii", 1, 0, 5, 1); all(m); } }
static void ptx_calls() { start(); CUlinkState s; SHOW("create", cuLinkCreate(0, 0, 0, &s)); SHOW("a", add(s, CU_JIT_INPUT_PTX, "a.ptx")); SHOW("b", add(s, CU_JIT_INPUT_CUBIN, "b.cubin")); CUmodule m = finish(s); if (m) all(m); }
static void plain_beside() { start(); CUlinkState s; SHOW("create", cuLinkCreate(0, 0, 0, &s)); SHOW("plain", add(s, CU_JIT_INPUT_CUBIN, "plain.cubin")); SHOW("b", add(s, CU_JIT_INPUT_CUBIN, "b.cubin")); SHOW("a", add(s, CU_JIT_INPUT_CUBIN, "a.cubin")); CUmodule m = finish(s); if (m) { show(m, "_Z5plainPii", 1, 0, 1, 1); all(m); } }
static void plain_alone() { start(); CUlinkState s; SHOW("create", cuLinkCreate(0, 0, 0, &s)); SHOW("plain", add(s, CU_JIT_INPUT_CUBIN, "plain.cubin")); CUmodule m = finish(s); if (m) show(m, "_Z5plainPii", 1, 0, 1, 1); }
static char text[4096];
static CUlinkState logged() { CUlinkState s; static CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES}; static void *values[] = {text, (void *)sizeof text}; values[0] = text; values[1] = (void *)sizeof text; text[0] = 0; SHOW("create", cuLinkCreate(2, names, values, &s)); return s; }
static void unresolved() {
    start(); CUlinkState s = logged(); SHOW("a", add(s, CU_JIT_INPUT_CUBIN, "a.cubin")); finish(s); printf("log %d %d\n", strstr(text, "twice") != nullptr, strstr(text, "ndefined") != nullptr); fprintf(stderr, "unresolved: %s\n", text);
    CUmodule m; std::string path = folder + "/a.cubin"; SHOW("module", cuModuleLoad(&m, path.c_str()));
    path = folder + "/b.cubin"; SHOW("module_b", cuModuleLoad(&m, path.c_str()));
}
static void twice_defined() { start(); CUlinkState s = logged(); SHOW("b", add(s, CU_JIT_INPUT_CUBIN, "b.cubin")); SHOW("again", add(s, CU_JIT_INPUT_CUBIN, "b.cubin")); finish(s); printf("log %d\n", strstr(text, "ultipl") != nullptr); fprintf(stderr, "twice: %s\n", text); }
static void variable_twice() { start(); CUlinkState s = logged(); SHOW("v", add(s, CU_JIT_INPUT_CUBIN, "v1.cubin")); SHOW("again", add(s, CU_JIT_INPUT_CUBIN, "v2.cubin")); finish(s); fprintf(stderr, "variable: %s\n", text); }
static void other_size() { start(); CUlinkState s = logged(); SHOW("v", add(s, CU_JIT_INPUT_CUBIN, "v1.cubin")); SHOW("again", add(s, CU_JIT_INPUT_CUBIN, "v3.cubin")); CUmodule m = finish(s); fprintf(stderr, "size: %s\n", text); if (m) show(m, "_Z2v3Pii", 1, 0, 1, 1); }
static void wrong() {
    start(); CUlinkState s; cuLinkCreate(0, 0, 0, &s); SHOW("object_as_cubin", add(s, CU_JIT_INPUT_CUBIN, "a.o")); cuLinkDestroy(s); cuLinkCreate(0, 0, 0, &s); SHOW("cubin_as_object", add(s, CU_JIT_INPUT_OBJECT, "a.cubin")); cuLinkDestroy(s); cuLinkCreate(0, 0, 0, &s); SHOW("cubin_as_ptx", add(s, CU_JIT_INPUT_PTX, "a.cubin")); cuLinkDestroy(s); cuLinkCreate(0, 0, 0, &s); SHOW("cubin_as_library", add(s, CU_JIT_INPUT_LIBRARY, "a.cubin")); cuLinkDestroy(s); cuLinkCreate(0, 0, 0, &s); SHOW("ptx_as_cubin", add(s, CU_JIT_INPUT_CUBIN, "c.ptx")); cuLinkDestroy(s);
    cuLinkCreate(0, 0, 0, &s); SHOW("garbage_library", cuLinkAddData(s, CU_JIT_INPUT_LIBRARY, (void *)"nonsense!", 9, "g", 0, 0, 0)); cuLinkDestroy(s); cuLinkCreate(0, 0, 0, &s); SHOW("garbage_object", cuLinkAddData(s, CU_JIT_INPUT_OBJECT, (void *)"nonsense!", 9, "g", 0, 0, 0)); cuLinkDestroy(s); cuLinkCreate(0, 0, 0, &s); SHOW("garbage_fatbin", cuLinkAddData(s, CU_JIT_INPUT_FATBINARY, (void *)"nonsense! nonsense!", 19, "g", 0, 0, 0)); cuLinkDestroy(s);
    cuLinkCreate(0, 0, 0, &s); SHOW("empty_archive", cuLinkAddData(s, CU_JIT_INPUT_LIBRARY, (void *)"!<arch>\n", 8, "g", 0, 0, 0)); finish(s); cuLinkCreate(0, 0, 0, &s); SHOW("nothing", finish(s) == nullptr);
    CUlinkState t; cuLinkCreate(0, 0, 0, &t); SHOW("cubin_then_fatbin", add(t, CU_JIT_INPUT_FATBINARY, "a.cubin")); cuLinkDestroy(t);
}
int main(int count, char **argv) {
    folder = count > 1 ? argv[1] : ".";
    SECTION(two_cubins); SECTION(two_fatbins); SECTION(two_objects); SECTION(library); SECTION(whole_library); SECTION(with_ptx); SECTION(ptx_calls); SECTION(plain_beside); SECTION(plain_alone); SECTION(unresolved); SECTION(twice_defined); SECTION(variable_twice); SECTION(other_size); SECTION(wrong);
    return 0;
}
