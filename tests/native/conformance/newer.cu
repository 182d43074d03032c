// Execution contexts of the runtime, which CUDA 13.1 brought: through a libcudart.so.13 newer than 13.0, opened late.
#include <cuda.h>
#include <cuda_runtime.h>
#include "section.h"

typedef struct context_of *execution_context;
static void *runtime;
template <typename... A> static int call(const char *name, A... given) {
    if (!runtime) runtime = dlopen("libcudart.so.13", RTLD_NOW);
    auto function = runtime ? (int (*)(A...))dlsym(runtime, name) : nullptr;
    return function ? function(given...) : -1;
}
static const char text[] =
    ".version 7.0\n.target sm_60\n.address_size 64\n.visible .entry add(.param .u64 p, .param .u32 v)\n{\n"
    ".reg .b32 %r<4>;\n.reg .b64 %d<4>;\nld.param.u64 %d1, [p];\ncvta.to.global.u64 %d1, %d1;\nld.param.u32 %r1, [v];\n"
    "mov.u32 %r2, %tid.x;\nmul.wide.u32 %d2, %r2, 4;\nadd.u64 %d1, %d1, %d2;\nld.global.u32 %r3, [%d1];\n"
    "add.u32 %r3, %r3, %r1;\nst.global.u32 [%d1], %r3;\nret;\n}\n";
static int *p, host[8], multiprocessors;
static CUdevResource whole, parts[2], rest;
static CUfunction add;
static void begin() {
    CUmodule m;
    SHOW("malloc", call("cudaMalloc", (void **)&p, (size_t)4096));
    call("cudaMemset", (void *)p, 0, (size_t)4096), call("cudaDeviceSynchronize");
    cuModuleLoadData(&m, text), cuModuleGetFunction(&add, m, "add");
    call("cudaDeviceGetAttribute", &multiprocessors, (int)cudaDevAttrMultiProcessorCount, 0);
}
static void launch(cudaStream_t s, int v) {
    void *arguments[] = {&p, &v};
    SHOW("launch", cuLaunchKernel(add, 1, 1, 1, 8, 1, 1, 0, s, arguments, nullptr));
    SHOW("wait", call("cudaStreamSynchronize", s));
    call("cudaMemcpy", (void *)host, (const void *)p, sizeof host, 2);
    printf("%d %d\n", host[0], host[7]);
}
static execution_context green(unsigned flags) {
    CUdevResourceDesc d = nullptr;
    execution_context c = nullptr;
    unsigned groups = 1;
    SHOW("device", call("cudaDeviceGetDevResource", 0, &whole, 1));
    printf("%d %d\n", (int)whole.type, (int)whole.sm.smCount == multiprocessors);
    SHOW("split", call("cudaDevSmResourceSplitByCount", parts, &groups, (const CUdevResource *)&whole, &rest, 0u, 8u));
    printf("%u %d\n", groups, parts[0].sm.smCount + rest.sm.smCount == whole.sm.smCount);
    SHOW("describe", call("cudaDevResourceGenerateDesc", &d, parts, 1u));
    SHOW("create", call("cudaGreenCtxCreate", &c, d, 0, flags));
    return c;
}

static void resources() {
    begin();
    SHOW("device", call("cudaDeviceGetDevResource", 0, &whole, 1));
    printf("%d %d\n", (int)whole.type, (int)whole.sm.smCount == multiprocessors);
    SHOW("device_99", call("cudaDeviceGetDevResource", 99, &whole, 1));
    SHOW("device_null", call("cudaDeviceGetDevResource", 0, (CUdevResource *)nullptr, 1));
    SHOW("type_0", call("cudaDeviceGetDevResource", 0, &rest, 0));
    SHOW("type_7", call("cudaDeviceGetDevResource", 0, &rest, 7));
    unsigned groups = 0;
    SHOW("count", call("cudaDevSmResourceSplitByCount", (CUdevResource *)nullptr, &groups, (const CUdevResource *)&whole, (CUdevResource *)nullptr, 0u, 8u));
    printf("%d\n", groups > 0);
    groups = 2;
    SHOW("split", call("cudaDevSmResourceSplitByCount", parts, &groups, (const CUdevResource *)&whole, &rest, 0u, 8u));
    printf("%u %d\n", groups, parts[0].sm.smCount + parts[1].sm.smCount + rest.sm.smCount == whole.sm.smCount);
    SHOW("split_null", call("cudaDevSmResourceSplitByCount", parts, (unsigned *)nullptr, (const CUdevResource *)&whole, &rest, 0u, 8u));
    SHOW("split_no_input", call("cudaDevSmResourceSplitByCount", parts, &groups, (const CUdevResource *)nullptr, &rest, 0u, 8u));
    SHOW("split_flags", call("cudaDevSmResourceSplitByCount", parts, &groups, (const CUdevResource *)&whole, &rest, 99u, 8u));
    groups = 2;
    SHOW("split_large", call("cudaDevSmResourceSplitByCount", parts, &groups, (const CUdevResource *)&whole, &rest, 0u, 100000u));
    CUdevResourceDesc d = nullptr;
    SHOW("describe", call("cudaDevResourceGenerateDesc", &d, &whole, 1u));
    printf("%d\n", d != nullptr);
    SHOW("describe_0", call("cudaDevResourceGenerateDesc", &d, &whole, 0u));
    SHOW("describe_null", call("cudaDevResourceGenerateDesc", (CUdevResourceDesc *)nullptr, &whole, 1u));
    SHOW("describe_none", call("cudaDevResourceGenerateDesc", &d, (CUdevResource *)nullptr, 1u));
    rest.type = CU_DEV_RESOURCE_TYPE_INVALID;
    SHOW("describe_invalid", call("cudaDevResourceGenerateDesc", &d, &rest, 1u));
    SHOW("last", call("cudaGetLastError"));
}

static void contexts() {
    begin();
    execution_context c = green(0), other = nullptr;
    if (!c) return;
    int device = 9;
    unsigned long long id = 0, second = 0;
    CUdevResource got;
    SHOW("device", call("cudaExecutionCtxGetDevice", &device, c));
    printf("%d\n", device);
    SHOW("device_null", call("cudaExecutionCtxGetDevice", (int *)nullptr, c));
    SHOW("id", call("cudaExecutionCtxGetId", c, &id));
    SHOW("id_null", call("cudaExecutionCtxGetId", c, (unsigned long long *)nullptr));
    SHOW("resource", call("cudaExecutionCtxGetDevResource", c, &got, 1));
    printf("%d\n", got.sm.smCount == parts[0].sm.smCount);
    SHOW("resource_type", call("cudaExecutionCtxGetDevResource", c, &got, 7));
    SHOW("of_device", call("cudaDeviceGetExecutionCtx", &other, 0));
    printf("%d\n", other != nullptr && other != c);
    SHOW("its_id", call("cudaExecutionCtxGetId", other, &second));
    printf("%d\n", id != second);
    SHOW("its_resource", call("cudaExecutionCtxGetDevResource", other, &got, 1));
    printf("%d\n", got.sm.smCount == whole.sm.smCount);
    SHOW("of_device_99", call("cudaDeviceGetExecutionCtx", &other, 99));
    SHOW("of_device_null", call("cudaDeviceGetExecutionCtx", (execution_context *)nullptr, 0));
    SHOW("synchronize", call("cudaExecutionCtxSynchronize", c));
    SHOW("destroy", call("cudaExecutionCtxDestroy", c));
    SHOW("last", call("cudaGetLastError"));
}

static void streams() {
    begin();
    execution_context c = green(0);
    if (!c) return;
    cudaStream_t s = nullptr, other = nullptr;
    cudaEvent_t e = nullptr;
    CUdevResource got;
    SHOW("stream", call("cudaExecutionCtxStreamCreate", &s, c, (unsigned)cudaStreamNonBlocking, 0));
    launch(s, 5);
    SHOW("of_stream", call("cudaStreamGetDevResource", s, &got, 1));
    printf("%d\n", got.sm.smCount == parts[0].sm.smCount);
    call("cudaStreamCreate", &other);
    SHOW("of_plain", call("cudaStreamGetDevResource", other, &got, 1));
    printf("%d\n", got.sm.smCount == whole.sm.smCount);
    SHOW("of_legacy", call("cudaStreamGetDevResource", (cudaStream_t) nullptr, &got, 1));
    SHOW("of_stream_type", call("cudaStreamGetDevResource", s, &got, 7));
    SHOW("of_stream_null", call("cudaStreamGetDevResource", s, (CUdevResource *)nullptr, 1));
    SHOW("event", call("cudaEventCreateWithFlags", &e, (unsigned)cudaEventDisableTiming));
    SHOW("record", call("cudaExecutionCtxRecordEvent", c, e));
    SHOW("wait_event", call("cudaExecutionCtxWaitEvent", c, e));
    SHOW("record_null", call("cudaExecutionCtxRecordEvent", c, (cudaEvent_t) nullptr));
    SHOW("wait_null", call("cudaExecutionCtxWaitEvent", c, (cudaEvent_t) nullptr));
    SHOW("event_synchronize", call("cudaEventSynchronize", e));
    SHOW("blocking", call("cudaExecutionCtxStreamCreate", &other, c, 0u, 0));
    SHOW("stream_flags", call("cudaExecutionCtxStreamCreate", &other, c, 99u, 0));
    SHOW("stream_null", call("cudaExecutionCtxStreamCreate", (cudaStream_t *)nullptr, c, 1u, 0));
    SHOW("priority", call("cudaExecutionCtxStreamCreate", &other, c, 1u, -99));
    SHOW("context_synchronize", call("cudaExecutionCtxSynchronize", c));
    SHOW("stream_destroy", call("cudaStreamDestroy", s));
    SHOW("destroy", call("cudaExecutionCtxDestroy", c));
    SHOW("last", call("cudaGetLastError"));
}

static void wrong() {
    begin();
    execution_context c = nullptr, own = nullptr;
    cudaStream_t s = nullptr;
    CUdevResource got;
    CUdevResourceDesc d = nullptr;
    int device = 9;
    SHOW("create_null_desc", call("cudaGreenCtxCreate", &c, d, 0, 0u));
    SHOW("resource", call("cudaDeviceGetDevResource", 0, &whole, 1));
    SHOW("describe", call("cudaDevResourceGenerateDesc", &d, &whole, 1u));
    SHOW("create_flags", call("cudaGreenCtxCreate", &c, d, 0, 99u));
    SHOW("create_device", call("cudaGreenCtxCreate", &c, d, 99, 0u));
    SHOW("create_null", call("cudaGreenCtxCreate", (execution_context *)nullptr, d, 0, 0u));
    SHOW("device_of_null", call("cudaExecutionCtxGetDevice", &device, (execution_context) nullptr));
    SHOW("resource_of_null", call("cudaExecutionCtxGetDevResource", (execution_context) nullptr, &got, 1));
    SHOW("stream_of_null", call("cudaExecutionCtxStreamCreate", &s, (execution_context) nullptr, 1u, 0));
    SHOW("synchronize_null", call("cudaExecutionCtxSynchronize", (execution_context) nullptr));
    SHOW("destroy_null", call("cudaExecutionCtxDestroy", (execution_context) nullptr));
    SHOW("of_device", call("cudaDeviceGetExecutionCtx", &own, 0));
    SHOW("destroy_own", call("cudaExecutionCtxDestroy", own));
    SHOW("last", call("cudaGetLastError"));
}

int main() { SECTION(resources); SECTION(contexts); SECTION(streams); SECTION(wrong); return 0; }
