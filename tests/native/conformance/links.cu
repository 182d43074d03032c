// Joining several images, modules and libraries, launches of 2^32 and more threads in one dimension.
#include <cuda.h>
#include <cuda_runtime.h>
#include "section.h"

static const char caller[] = R"(
.version 7.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) twice (.param .b32 x);
.extern .global .align 4 .b32 offset;
.visible .entry run(.param .u64 p, .param .u32 v)
{
.reg .b32 %r<6>;
.reg .b64 %d<3>;
ld.param.u64 %d1, [p];
ld.param.u32 %r1, [v];
{
.param .b32 x;
.param .b32 r;
st.param.b32 [x], %r1;
call.uni (r), twice, (x);
ld.param.b32 %r2, [r];
}
ld.global.u32 %r3, [offset];
add.s32 %r4, %r2, %r3;
cvta.to.global.u64 %d2, %d1;
st.global.u32 [%d2], %r4;
ret;
}
)";
static const char callee[] = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 offset = 2;
.visible .func (.param .b32 r) twice (.param .b32 x)
{
.reg .b32 %r<3>;
ld.param.b32 %r1, [x];
add.s32 %r2, %r1, %r1;
st.param.b32 [r], %r2;
ret;
}
.visible .entry other(.param .u64 p)
{
.reg .b64 %d<3>;
.reg .b32 %r<2>;
ld.param.u64 %d1, [p];
cvta.to.global.u64 %d2, %d1;
mov.u32 %r1, 5;
st.global.u32 [%d2], %r1;
ret;
}
)";
static CUdevice dev;
static CUdeviceptr p;
static void start() {
    CUcontext primary; cuInit(0); cuDeviceGet(&dev, 0); cuDevicePrimaryCtxRetain(&primary, dev); cuCtxSetCurrent(primary); cuMemAlloc(&p, 4096);
}
static int launch(CUfunction f, int v) {
    int got = -1; void *args[] = {&p, &v};
    SHOW("launch", cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr)); cuMemcpyDtoH(&got, p, 4);
    return got;
}

static void two_images() {
    start(); CUlinkState s; void *image = nullptr; size_t bytes = 0; CUmodule m; CUfunction f;
    SHOW("create", cuLinkCreate(0, nullptr, nullptr, &s)); SHOW("caller", cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)caller, sizeof caller, "caller", 0, nullptr, nullptr));
    SHOW("callee", cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)callee, sizeof callee, "callee", 0, nullptr, nullptr)); SHOW("complete", cuLinkComplete(s, &image, &bytes)); printf("image %d\n", image && bytes);
    SHOW("load", cuModuleLoadData(&m, image)); SHOW("destroy", cuLinkDestroy(s)); SHOW("run", cuModuleGetFunction(&f, m, "run")); printf("%d\n", launch(f, 20)); SHOW("other", cuModuleGetFunction(&f, m, "other")); printf("%d\n", launch(f, 0));
    CUdeviceptr at; SHOW("global", cuModuleGetGlobal(&at, &bytes, m, "offset")); printf("%zu\n", bytes); int nine = 9; cuMemcpyHtoD(at, &nine, 4); cuModuleGetFunction(&f, m, "run"); printf("%d\n", launch(f, 1)); SHOW("unload", cuModuleUnload(m));
}

static void unresolved() {
    start(); CUlinkState s; void *image; size_t bytes; CUmodule m; char log[4096] = "";
    CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES}; void *values[] = {log, (void *)sizeof log};
    SHOW("create", cuLinkCreate(2, names, values, &s)); SHOW("add", cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)caller, sizeof caller, "caller", 0, nullptr, nullptr)); SHOW("complete", cuLinkComplete(s, &image, &bytes)); printf("log %d\n", strstr(log, "twice") != nullptr); SHOW("destroy", cuLinkDestroy(s));
    SHOW("module", cuModuleLoadData(&m, caller)); SHOW("defined", cuLinkCreate(0, nullptr, nullptr, &s)); SHOW("add", cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)callee, sizeof callee, "a", 0, nullptr, nullptr)); SHOW("again", cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)callee, sizeof callee, "b", 0, nullptr, nullptr)); SHOW("twice", cuLinkComplete(s, &image, &bytes)); SHOW("destroy", cuLinkDestroy(s));
    SHOW("options", cuLinkCreate(0, nullptr, nullptr, &s)); SHOW("garbage", cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)"not ptx", 8, "g", 0, nullptr, nullptr)); SHOW("cubin_garbage", cuLinkAddData(s, CU_JIT_INPUT_CUBIN, (void *)"no elf", 7, "g", 0, nullptr, nullptr)); SHOW("null", cuLinkAddData(s, CU_JIT_INPUT_PTX, nullptr, 0, "n", 0, nullptr, nullptr)); SHOW("type_99", cuLinkAddData(s, (CUjitInputType)99, (void *)callee, sizeof callee, "t", 0, nullptr, nullptr));
    SHOW("no_file", cuLinkAddFile(s, CU_JIT_INPUT_PTX, "/nowhere/at.ptx", 0, nullptr, nullptr)); SHOW("null_state", cuLinkAddData(nullptr, CU_JIT_INPUT_PTX, (void *)callee, sizeof callee, "t", 0, nullptr, nullptr)); SHOW("create_null", cuLinkCreate(0, nullptr, nullptr, nullptr)); SHOW("complete_null", cuLinkComplete(s, nullptr, nullptr)); SHOW("destroy", cuLinkDestroy(s));
}

static void one_image() {
    start(); CUlinkState s; void *image; size_t bytes; CUmodule m; CUfunction f; FILE *file = fopen("links_callee.ptx", "w"); fputs(callee, file); fclose(file);
    SHOW("create", cuLinkCreate(0, nullptr, nullptr, &s)); SHOW("file", cuLinkAddFile(s, CU_JIT_INPUT_PTX, "links_callee.ptx", 0, nullptr, nullptr)); SHOW("complete", cuLinkComplete(s, &image, &bytes)); SHOW("load", cuModuleLoadData(&m, image)); SHOW("destroy", cuLinkDestroy(s));
    SHOW("function", cuModuleGetFunction(&f, m, "other")); printf("%d\n", launch(f, 0)); SHOW("missing", cuModuleGetFunction(&f, m, "nothing")); CUdeviceptr at; SHOW("missing_global", cuModuleGetGlobal(&at, &bytes, m, "nothing")); unsigned count = 9; SHOW("count", cuModuleGetFunctionCount(&count, m)); printf("%u\n", count);
    CUfunction list[4] = {}; SHOW("enumerate", cuModuleEnumerateFunctions(list, 4, m)); const char *name = ""; cuFuncGetName(&name, list[0]); printf("%s\n", name); SHOW("file", cuModuleLoad(&m, "links_callee.ptx")); SHOW("no_file", cuModuleLoad(&m, "/nowhere/at.cubin")); remove("links_callee.ptx"); SHOW("null", cuModuleLoadData(&m, nullptr)); SHOW("unload_null", cuModuleUnload(nullptr));
    CUmoduleLoadingMode mode; SHOW("mode", cuModuleGetLoadingMode(&mode)); printf("%d\n", (int)mode);
}

__device__ int counter = 3;
__global__ void bump(int *out) { *out = ++counter; }
static void libraries() {
    start(); CUlibrary lib; CUkernel k, list[8] = {}; CUfunction f; CUmodule m; unsigned n = 9; size_t bytes = 0; CUdeviceptr at; const char *name = "";
    SHOW("load", cuLibraryLoadData(&lib, callee, nullptr, nullptr, 0, nullptr, nullptr, 0)); SHOW("kernel", cuLibraryGetKernel(&k, lib, "other")); SHOW("missing", cuLibraryGetKernel(&k, lib, "nothing")); cuLibraryGetKernel(&k, lib, "other"); SHOW("count", cuLibraryGetKernelCount(&n, lib)); printf("%u\n", n); SHOW("enumerate", cuLibraryEnumerateKernels(list, 8, lib)); SHOW("name", cuKernelGetName(&name, list[0])); printf("%s\n", name);
    SHOW("function", cuKernelGetFunction(&f, k)); printf("%d\n", launch(f, 0)); printf("%d\n", launch((CUfunction)k, 0)); SHOW("module", cuLibraryGetModule(&m, lib)); SHOW("global", cuLibraryGetGlobal(&at, &bytes, lib, "offset")); printf("%zu\n", bytes); SHOW("managed", cuLibraryGetManaged(&at, &bytes, lib, "offset")); SHOW("missing_global", cuLibraryGetGlobal(&at, &bytes, lib, "nothing")); CUlibrary back; SHOW("library", cuKernelGetLibrary(&back, k)); printf("%d\n", back == lib);
    int value = 0; SHOW("attribute", cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, dev)); printf("%d\n", value); SHOW("set", cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024, k, dev)); SHOW("cache", cuKernelSetCacheConfig(k, CU_FUNC_CACHE_PREFER_L1, dev)); size_t offset = 9, size = 9; SHOW("parameter", cuKernelGetParamInfo(k, 0, &offset, &size)); printf("%zu %zu\n", offset, size); SHOW("parameter_1", cuKernelGetParamInfo(k, 1, &offset, &size)); SHOW("unload", cuLibraryUnload(lib)); SHOW("null", cuLibraryLoadData(&lib, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0)); SHOW("no_file", cuLibraryLoadFromFile(&lib, "/nowhere/at.cubin", nullptr, nullptr, 0, nullptr, nullptr, 0)); SHOW("unload_null", cuLibraryUnload(nullptr));
    cudaLibrary_t mine; cudaKernel_t kernel; SHOW("runtime_load", cudaLibraryLoadData(&mine, callee, nullptr, nullptr, 0, nullptr, nullptr, 0)); SHOW("runtime_kernel", cudaLibraryGetKernel(&kernel, mine, "other")); void *args[] = {&p}; SHOW("runtime_launch", cudaLaunchKernel((void *)kernel, dim3(1), dim3(1), args, 0, 0)); SHOW("runtime_count", cudaLibraryGetKernelCount(&n, mine)); printf("%u\n", n); void *address = nullptr; SHOW("runtime_global", cudaLibraryGetGlobal(&address, &bytes, mine, "offset")); SHOW("runtime_missing", cudaLibraryGetKernel(&kernel, mine, "nothing")); SHOW("runtime_unload", cudaLibraryUnload(mine)); SHOW("last", cudaGetLastError());
    bump<<<1, 1>>>((int *)p); int got = 0; cudaMemcpy(&got, (void *)p, 4, cudaMemcpyDeviceToHost); printf("%d\n", got); cudaKernel_t own; SHOW("get_kernel", cudaGetKernel(&own, (const void *)bump)); SHOW("get_kernel_bad", cudaGetKernel(&own, (const void *)&got));
}

__global__ void last(unsigned long long *out) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 == (unsigned long long)gridDim.x * blockDim.x) { out[0] = i; out[1] = blockIdx.x; out[2] = gridDim.x; }
    if (i == 1ull << 32) out[3] = i;
}
static void wide() {
    unsigned long long *d, h[4]; cudaMalloc(&d, sizeof h); struct { unsigned blocks, threads; } all[] = {{1u << 22, 1024}, {(1u << 22) + 5, 1024}, {134217729, 64}};
    for (auto one : all) {
        cudaMemset(d, 0, sizeof h); last<<<one.blocks, one.threads>>>(d); SHOW("launch", cudaGetLastError()); SHOW("synchronize", cudaDeviceSynchronize()); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); printf("%llu %llu %llu %llu\n", h[0], h[1], h[2], h[3]);
    }
    last<<<2147483648u, 32>>>(d); SHOW("blocks_2^31", cudaGetLastError()); SHOW("synchronize", cudaDeviceSynchronize());
}

int main(int count, char **) {
    SECTION(two_images); SECTION(unresolved); SECTION(one_image); SECTION(libraries);
    if (count > 1) SECTION(wide); // minutes on the emulated device
    return 0;
}
