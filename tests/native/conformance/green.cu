// Green contexts: resources, their split, contexts and streams made of them, and the errors.
#include <cuda.h>
#include "section.h"

static CUdevice dev;
static CUcontext primary;
static void start() { cuInit(0); cuDeviceGet(&dev, 0); cuDevicePrimaryCtxRetain(&primary, dev); cuCtxSetCurrent(primary); }

static void resources() {
    start();
    CUdevResource all, of_context, other; int count;
    memset(&all, 0xff, sizeof all);
    SHOW("device", cuDeviceGetDevResource(dev, &all, CU_DEV_RESOURCE_TYPE_SM));
    cuDeviceGetAttribute(&count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, dev);
    printf("type %d whole %d\n", (int)all.type, all.sm.smCount == (unsigned)count);
    SHOW("context", cuCtxGetDevResource(primary, &of_context, CU_DEV_RESOURCE_TYPE_SM));
    printf("whole %d\n", of_context.sm.smCount == all.sm.smCount);
    SHOW("context_null", cuCtxGetDevResource(nullptr, &of_context, CU_DEV_RESOURCE_TYPE_SM));
    SHOW("device_invalid_type", cuDeviceGetDevResource(dev, &other, CU_DEV_RESOURCE_TYPE_INVALID));
    SHOW("device_type_7", cuDeviceGetDevResource(dev, &other, (CUdevResourceType)7));
    SHOW("device_99", cuDeviceGetDevResource(99, &other, CU_DEV_RESOURCE_TYPE_SM));
    SHOW("device_null", cuDeviceGetDevResource(dev, nullptr, CU_DEV_RESOURCE_TYPE_SM));
    unsigned groups = 0;
    SHOW("count_groups", cuDevSmResourceSplitByCount(nullptr, &groups, &all, nullptr, 0, 8));
    printf("groups of 8: %d\n", groups == all.sm.smCount / 8);
    CUdevResource parts[4], rest;
    groups = 2;
    SHOW("split", cuDevSmResourceSplitByCount(parts, &groups, &all, &rest, 0, 8));
    printf("groups %u first %u second %u together %d\n", groups, parts[0].sm.smCount, parts[1].sm.smCount,
           parts[0].sm.smCount + parts[1].sm.smCount + rest.sm.smCount == all.sm.smCount);
    groups = 1;
    SHOW("split_uneven", cuDevSmResourceSplitByCount(parts, &groups, &all, &rest, 0, 9));
    printf("groups %u first %u\n", groups, parts[0].sm.smCount);
    groups = 1;
    SHOW("split_0", cuDevSmResourceSplitByCount(parts, &groups, &all, &rest, 0, 0));
    printf("groups %u first %u\n", groups, parts[0].sm.smCount);
    groups = 1;
    SHOW("split_too_many", cuDevSmResourceSplitByCount(parts, &groups, &all, &rest, 0, all.sm.smCount + 8));
    printf("groups %u\n", groups);
    groups = 1;
    SHOW("split_all", cuDevSmResourceSplitByCount(parts, &groups, &all, &rest, 0, all.sm.smCount));
    printf("groups %u first whole %d rest %u type %d\n", groups, parts[0].sm.smCount == all.sm.smCount, rest.sm.smCount, (int)rest.type);
    groups = 0;
    SHOW("split_no_groups", cuDevSmResourceSplitByCount(parts, &groups, &all, &rest, 0, 8));
    groups = 1;
    SHOW("split_flags", cuDevSmResourceSplitByCount(parts, &groups, &all, &rest, 64, 8));
    SHOW("split_null", cuDevSmResourceSplitByCount(parts, nullptr, &all, &rest, 0, 8));
    groups = 1;
    SHOW("split_no_input", cuDevSmResourceSplitByCount(parts, &groups, nullptr, &rest, 0, 8));
    memset(&other, 0, sizeof other);
    groups = 1;
    SHOW("split_zeroed", cuDevSmResourceSplitByCount(parts, &groups, &other, &rest, 0, 8));
    CUdevResourceDesc desc;
    groups = 2;
    cuDevSmResourceSplitByCount(parts, &groups, &all, &rest, 0, 8);
    SHOW("desc", cuDevResourceGenerateDesc(&desc, parts, 1));
    SHOW("desc_2", cuDevResourceGenerateDesc(&desc, parts, 2));
}

static const char ptx[] = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry fill(.param .u64 out, .param .u32 value)
{
    .reg .b32 %r<6>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [out]; ld.param.u32 %r1, [value];
    cvta.to.global.u64 %d1, %d1;
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2; add.u32 %r5, %r1, %r2;
    st.global.u32 [%d3], %r5; ret;
}
)";

static void contexts() {
    start();
    CUdevResource all, part, got; CUdevResourceDesc desc; CUgreenCtx green = nullptr, none = nullptr; CUcontext made = nullptr, current; CUstream s = nullptr, t = nullptr; unsigned groups = 1;
    cuDeviceGetDevResource(dev, &all, CU_DEV_RESOURCE_TYPE_SM);
    cuDevSmResourceSplitByCount(&part, &groups, &all, nullptr, 0, 8);
    cuDevResourceGenerateDesc(&desc, &part, 1);
    SHOW("create_flags_0", cuGreenCtxCreate(&none, desc, dev, 0));
    SHOW("create_flags_2", cuGreenCtxCreate(&none, desc, dev, 2));
    SHOW("create_no_desc", cuGreenCtxCreate(&none, nullptr, dev, CU_GREEN_CTX_DEFAULT_STREAM));
    SHOW("create_device_99", cuGreenCtxCreate(&none, desc, 99, CU_GREEN_CTX_DEFAULT_STREAM));
    SHOW("create_null", cuGreenCtxCreate(nullptr, desc, dev, CU_GREEN_CTX_DEFAULT_STREAM));
    SHOW("create", cuGreenCtxCreate(&green, desc, dev, CU_GREEN_CTX_DEFAULT_STREAM));
    cuCtxGetCurrent(&current);
    printf("current unchanged %d\n", current == primary);
    SHOW("resource", cuGreenCtxGetDevResource(green, &got, CU_DEV_RESOURCE_TYPE_SM));
    printf("as split %d\n", got.sm.smCount == part.sm.smCount);
    SHOW("resource_null", cuGreenCtxGetDevResource(nullptr, &got, CU_DEV_RESOURCE_TYPE_SM));
    SHOW("from", cuCtxFromGreenCtx(&made, green));
    printf("made %d\n", made != nullptr && made != primary);
    SHOW("from_null", cuCtxFromGreenCtx(&made, nullptr));
    SHOW("from_to_null", cuCtxFromGreenCtx(nullptr, green));
    CUcontext again = nullptr;
    cuCtxFromGreenCtx(&again, green);
    cuCtxFromGreenCtx(&made, green);
    printf("same %d\n", again == made);
    SHOW("set_current", cuCtxSetCurrent(made));
    int count; CUdevice where = -1;
    SHOW("ctx_device", cuCtxGetDevice(&where));
    printf("device %d\n", where);
    SHOW("ctx_resource", cuCtxGetDevResource(made, &got, CU_DEV_RESOURCE_TYPE_SM));
    printf("as split %d\n", got.sm.smCount == part.sm.smCount);
    cuDeviceGetAttribute(&count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, dev);
    printf("attribute whole %d\n", (unsigned)count == all.sm.smCount);
    SHOW("stream_default", cuGreenCtxStreamCreate(&t, green, CU_STREAM_DEFAULT, 0));
    SHOW("stream", cuGreenCtxStreamCreate(&s, green, CU_STREAM_NON_BLOCKING, 0));
    SHOW("stream_null_green", cuGreenCtxStreamCreate(&t, nullptr, CU_STREAM_NON_BLOCKING, 0));
    SHOW("stream_null", cuGreenCtxStreamCreate(nullptr, green, CU_STREAM_NON_BLOCKING, 0));
    CUgreenCtx of = nullptr; CUcontext stream_context = nullptr;
    SHOW("stream_green", cuStreamGetGreenCtx(s, &of));
    printf("of %d\n", of == green);
    SHOW("stream_context", cuStreamGetCtx(s, &stream_context));
    printf("its context %d\n", stream_context == made);
    CUgreenCtx second = nullptr;
    SHOW("stream_context_v2", cuStreamGetCtx_v2(s, &stream_context, &second));
    printf("green %d context null %d\n", second == green, stream_context == nullptr);
    CUmodule module; CUfunction f; CUdeviceptr p; unsigned value = 5; int out[4] = {0}; CUevent e;
    SHOW("module", cuModuleLoadData(&module, ptx));
    cuModuleGetFunction(&f, module, "fill");
    SHOW("alloc", cuMemAlloc(&p, 64));
    void *params[] = {&p, &value};
    SHOW("launch", cuLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, s, params, nullptr));
    SHOW("event", cuEventCreate(&e, 0));
    SHOW("record", cuGreenCtxRecordEvent(green, e));
    SHOW("wait", cuGreenCtxWaitEvent(green, e));
    SHOW("record_null", cuGreenCtxRecordEvent(green, nullptr));
    SHOW("record_no_green", cuGreenCtxRecordEvent(nullptr, e));
    SHOW("wait_null", cuGreenCtxWaitEvent(green, nullptr));
    SHOW("sync", cuStreamSynchronize(s));
    cuMemcpyDtoH(out, p, 16);
    printf("%d %d\n", out[0], out[3]);
    unsigned long long id = 0, other = 0;
    SHOW("id", cuGreenCtxGetId(green, &id));
    cuCtxGetId(made, &other);
    printf("same id %d\n", id == other);
    unsigned version = 0; SHOW("api_version", cuCtxGetApiVersion(made, &version));
    cuCtxSetCurrent(primary);
    CUgreenCtx primary_green = green; CUstream plain;
    cuStreamCreate(&plain, CU_STREAM_NON_BLOCKING);
    SHOW("plain_stream_green", cuStreamGetGreenCtx(plain, &primary_green));
    printf("none %d\n", primary_green == nullptr);
    SHOW("ctx_destroy", cuCtxDestroy(made));
    SHOW("destroy_stream", cuStreamDestroy(s));
    SHOW("destroy", cuGreenCtxDestroy(green));
    SHOW("destroy_null", cuGreenCtxDestroy(nullptr));
    cuCtxGetCurrent(&current);
    printf("current primary %d\n", current == primary);
}

static void legacy_stream() {
    start();
    CUdevResource all; CUdevResourceDesc desc; CUgreenCtx green; CUcontext made; CUgreenCtx of = nullptr;
    cuDeviceGetDevResource(dev, &all, CU_DEV_RESOURCE_TYPE_SM);
    SHOW("whole_desc", cuDevResourceGenerateDesc(&desc, &all, 1));
    SHOW("create", cuGreenCtxCreate(&green, desc, dev, CU_GREEN_CTX_DEFAULT_STREAM));
    cuCtxFromGreenCtx(&made, green);
    cuCtxSetCurrent(made);
    SHOW("legacy_green", cuStreamGetGreenCtx(nullptr, &of));
    printf("of %d\n", of == green);
    CUstream s; SHOW("plain_create_here", cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    SHOW("plain_green", cuStreamGetGreenCtx(s, &of)); printf("of %d\n", of == green);
    SHOW("plain_default_here", cuStreamCreate(&s, CU_STREAM_DEFAULT));
    SHOW("sync", cuCtxSynchronize());
}

int main() { SECTION(resources); SECTION(contexts); SECTION(legacy_stream); return 0; }
