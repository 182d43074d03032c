// PTX beside machine code that comes without PTX, joined by cuLink, where neither uses anything of the other.
#include <cuda.h>
#include "section.h"
static CUdeviceptr p;
static void start() { CUcontext c; cuInit(0); cuDevicePrimaryCtxRetain(&c, 0); cuCtxSetCurrent(c); cuMemAlloc(&p, 4096); }
static void add(CUlinkState s, CUjitInputType type, const char *name) { SHOW(name, cuLinkAddFile(s, type, name, 0, nullptr, nullptr)); }
static void show(CUfunction f, const char *name, int v, int count) {
    int got[4] = {-1, -1, -1, -1}; void *args[] = {&p, &v}; cuMemsetD8(p, 0xff, 16);
    int l = cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr), w = cuCtxSynchronize(); cuMemcpyDtoH(got, p, 16);
    printf("%s %d %d:", name, l, w); for (int i = 0; i < count; i++) printf(" %d", got[i]); printf("\n"); fflush(stdout);
}
static void look(CUmodule m) {
    CUfunction f; CUmodule of; unsigned n = 0; CUdeviceptr at; size_t bytes;
    for (const char *name : {"_Z5apartPii", "_Z3runPii", "_Z5otherPii", "nothing"}) {
        SHOW(name, cuModuleGetFunction(&f, m, name)); if (*name == 'n') continue;
        SHOW("module", cuFuncGetModule(&of, f)); printf("%d\n", of == m); show(f, name, 2, name[4] == 'r' ? 4 : 1);
    }
    for (const char *name : {"own", "offset", "counter", "nothing"}) { int v = 0; SHOW(name, cuModuleGetGlobal(&at, &bytes, m, name)); if (*name == 'n') continue; cuMemcpyDtoH(&v, at, 4); printf("%zu %d\n", bytes, v); }
    SHOW("count", cuModuleGetFunctionCount(&n, m)); CUfunction all[8] = {}; SHOW("list", cuModuleEnumerateFunctions(all, n, m)); int named = 0; for (unsigned i = 0; i < n; i++) { const char *name = ""; cuFuncGetName(&name, all[i]); named += *name != 0; } printf("%u %d\n", n, named);
    SHOW("unload", cuModuleUnload(m)); SHOW("sync", cuCtxSynchronize());
}
static void finish(CUlinkState s, bool of_library) {
    void *image = nullptr; size_t bytes = 0; CUmodule m; SHOW("complete", cuLinkComplete(s, &image, &bytes)); if (!image) return;
    if (!of_library) { SHOW("load", cuModuleLoadData(&m, image)); cuLinkDestroy(s); look(m); return; }
    CUlibrary l, back; CUkernel k; SHOW("load", cuLibraryLoadData(&l, image, nullptr, nullptr, 0, nullptr, nullptr, 0)); cuLinkDestroy(s); SHOW("kernel", cuLibraryGetKernel(&k, l, "_Z5apartPii")); SHOW("library", cuKernelGetLibrary(&back, k)); printf("%d\n", back == l); SHOW("other", cuLibraryGetKernel(&k, l, "_Z5otherPii")); unsigned n = 0; SHOW("count", cuLibraryGetKernelCount(&n, l)); printf("%u\n", n); CUdeviceptr at; size_t bytes_of; SHOW("own", cuLibraryGetGlobal(&at, &bytes_of, l, "own")); SHOW("table", cuLibraryGetGlobal(&at, &bytes_of, l, "table")); printf("%zu\n", bytes_of); SHOW("unload", cuLibraryUnload(l));
}
static CUlinkState create() { start(); CUlinkState s; cuLinkCreate(0, nullptr, nullptr, &s); return s; }
static void cubins() { CUlinkState s = create(); add(s, CU_JIT_INPUT_PTX, "apart.ptx"); add(s, CU_JIT_INPUT_CUBIN, "a.cubin"); add(s, CU_JIT_INPUT_CUBIN, "b.cubin"); finish(s, false); }
static void archive() { CUlinkState s = create(); add(s, CU_JIT_INPUT_CUBIN, "a.cubin"); add(s, CU_JIT_INPUT_LIBRARY, "libb.a"); add(s, CU_JIT_INPUT_PTX, "apart.ptx"); finish(s, false); }
static void library() { CUlinkState s = create(); add(s, CU_JIT_INPUT_OBJECT, "a.o"); add(s, CU_JIT_INPUT_PTX, "apart.ptx"); add(s, CU_JIT_INPUT_OBJECT, "b.o"); finish(s, true); }
static void texts() { CUlinkState s = create(); for (const char *name : {"b.ptx", "apart.ptx", "a.ptx"}) add(s, CU_JIT_INPUT_PTX, name); finish(s, false); }
static void twice() { CUlinkState s = create(); add(s, CU_JIT_INPUT_PTX, "apart.ptx"); add(s, CU_JIT_INPUT_CUBIN, "apart.cubin"); finish(s, false); }
static void unresolved() { CUlinkState s = create(); add(s, CU_JIT_INPUT_PTX, "apart.ptx"); add(s, CU_JIT_INPUT_CUBIN, "a.cubin"); finish(s, false); }
int main() { SECTION(cubins); SECTION(archive); SECTION(library); SECTION(texts); SECTION(twice); SECTION(unresolved); return 0; }
