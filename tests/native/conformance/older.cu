// Calls that CUDA 13 no longer declares: of the runtime 12, opened late, and of the driver, by their names; external
// semaphores that are none. Needs libcudart.so.12 where the loader looks.
#include <cuda.h>
#include <cuda_runtime.h>
#include "late_runtime.h"

// CUDA_LAUNCH_PARAMS, whose use ends with CUDA 13.
struct driver_launch { CUfunction function; unsigned grid[3], block[3], shared; CUstream stream; void **arguments; };

template <typename... A> static int driver(const char *name, A... given) {
    auto function = driver_function<CUresult(A...)>(name);
    return function ? (int)function(given...) : -1;
}

static const char text[] =
    ".version 7.0\n.target sm_60\n.address_size 64\n"
    ".visible .entry add(.param .u64 p, .param .u32 v)\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [p];\ncvta.to.global.u64 %d1, %d1;\nld.param.u32 %r1, [v];\nmov.u32 %r2, %tid.x;\n"
    "mul.wide.u32 %d2, %r2, 4;\nadd.u64 %d1, %d1, %d2;\nld.global.u32 %r3, [%d1];\nadd.u32 %r3, %r3, %r1;\n"
    "st.global.u32 [%d1], %r3;\nret;\n}\n";
static char add;
static void register_all() {
    static struct { int magic, version; const void *data, *list; } wrapper = {0x466243B1, 1, nullptr, nullptr};
    wrapper.data = fatbinary(text, sizeof text);
    void *none = nullptr;
    auto open = (void **(*)(void *))dlsym(runtime, "__cudaRegisterFatBinary");
    void **h = open(&wrapper);
    auto function = (void (*)(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *))dlsym(
        runtime, "__cudaRegisterFunction");
    function(h, &add, nullptr, "add", -1, none, none, none, none, nullptr);
    auto done = (void (*)(void **))dlsym(runtime, "__cudaRegisterFatBinaryEnd");
    done(h);
}
static int host[64], given[64];
static void begin(const char *name) {
    open_runtime(name);
    register_all();
    for (int i = 0; i < 64; i++) given[i] = i + 1;
    SHOW("malloc", call("cudaMalloc", (void **)&p, (size_t)4096));
    call("cudaMemset", (void *)p, 0, (size_t)4096), call("cudaDeviceSynchronize");
}

static void threads_12() {
    begin("libcudart.so.12");
    thread_calls();
}

static void profilers() {
    cudaFree(0);
    SHOW("driver", driver("cuProfilerInitialize", "/nowhere/settings", "/nowhere/output", 1));
    SHOW("driver_mode", driver("cuProfilerInitialize", "/nowhere/settings", "/nowhere/output", 9));
    SHOW("driver_null", driver("cuProfilerInitialize", (const char *)nullptr, (const char *)nullptr, 0));
}

// One launch on several devices, of which there is one here.

static void many_driver() {
    CUcontext c;
    CUmodule m;
    CUfunction f;
    CUdeviceptr q;
    CUstream s;
    cuInit(0), cuDevicePrimaryCtxRetain(&c, 0), cuCtxSetCurrent(c);
    SHOW("load", cuModuleLoadData(&m, text));
    SHOW("function", cuModuleGetFunction(&f, m, "add"));
    cuMemAlloc(&q, 4096), cuMemsetD32(q, 0, 16), cuStreamCreate(&s, CU_STREAM_NON_BLOCKING), cuCtxSynchronize();
    int v = 4;
    void *arguments[] = {&q, &v};
    driver_launch one = {f, {1, 1, 1}, {8, 1, 1}, 0, s, arguments}, two[2] = {one, one};
    SHOW("one", driver("cuLaunchCooperativeKernelMultiDevice", &one, 1u, 0u));
    SHOW("flags_wrong", driver("cuLaunchCooperativeKernelMultiDevice", &one, 1u, 99u));
    SHOW("none", driver("cuLaunchCooperativeKernelMultiDevice", &one, 0u, 0u));
    SHOW("null", driver("cuLaunchCooperativeKernelMultiDevice", (driver_launch *)nullptr, 1u, 0u));
    SHOW("same_device", driver("cuLaunchCooperativeKernelMultiDevice", two, 2u, 0u));
    one.stream = nullptr;
    SHOW("legacy_stream", driver("cuLaunchCooperativeKernelMultiDevice", &one, 1u, 0u));
    one.stream = s, one.block[0] = 4096;
    SHOW("too_large", driver("cuLaunchCooperativeKernelMultiDevice", &one, 1u, 0u));
    one.block[0] = 8, one.function = nullptr;
    SHOW("no_function", driver("cuLaunchCooperativeKernelMultiDevice", &one, 1u, 0u));
    SHOW("wait", cuStreamSynchronize(s));
    SHOW("copy", cuMemcpyDtoH(host, q, 64));
    printf("%d %d %d\n", host[0], host[7], host[8]);
}


// Semaphores that are none.
static void waits() {
    cudaFree(0);
    CUexternalSemaphore none = nullptr;
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS w = {};
    SHOW("driver", cuWaitExternalSemaphoresAsync(&none, &w, 0, nullptr));
    cudaExternalSemaphore_t nothing = nullptr;
    cudaExternalSemaphoreWaitParams v = {};
    SHOW("runtime", cudaWaitExternalSemaphoresAsync(&nothing, &v, 0, nullptr));
    begin("libcudart.so.12");
    SHOW("first", call("cudaWaitExternalSemaphoresAsync", (const void *)&nothing, (const void *)&v, 0u, (cudaStream_t) nullptr));
    SHOW("second", call("cudaWaitExternalSemaphoresAsync_v2", (const void *)&nothing, (const void *)&v, 0u, (cudaStream_t) nullptr));
}
static void destroys() { cudaFree(0); SHOW("runtime", cudaDestroyExternalSemaphore(nullptr)); }
static void destroys_driver() { cudaFree(0); SHOW("driver", cuDestroyExternalSemaphore(nullptr)); }

int main() {
    SECTION(threads_12); SECTION(profilers); SECTION(many_driver); SECTION(waits); SECTION(destroys); SECTION(destroys_driver);
    return 0;
}
