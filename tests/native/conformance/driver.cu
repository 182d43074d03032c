// The driver API by itself: contexts, modules from PTX text, both launch forms, memory, streams, events, errors.
#include <cstdio>
#include <cstring>
#include <cuda.h>
#define SHOW(name, call) printf("%s %d\n", name, (int)(call))

static const char ptx[] = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 counter = 11;
.visible .entry fill(.param .u64 out, .param .u32 value)
{
    .reg .b32 %r<6>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [out]; ld.param.u32 %r1, [value];
    cvta.to.global.u64 %d1, %d1;
    mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;
    mad.lo.u32 %r2, %r3, %r4, %r2;
    mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2; add.u32 %r5, %r1, %r2;
    st.global.u32 [%d3], %r5; ret;
}
)";

int main() {
    CUdevice dev; CUcontext ctx, other, got; CUmodule mod; CUfunction f, missing; CUdeviceptr p, q; int n = -1; size_t bytes; const char *text;
    SHOW("before_init", cuDeviceGetCount(&n)); SHOW("init_flags", cuInit(1)); SHOW("init", cuInit(0)); SHOW("count_null", cuDeviceGetCount(nullptr));
    SHOW("device", cuDeviceGet(&dev, 0)); SHOW("device_99", cuDeviceGet(&dev, 99)); cuDeviceGet(&dev, 0);
    SHOW("no_context", cuMemAlloc(&p, 16)); SHOW("current", cuCtxGetCurrent(&got)); printf("none %d\n", got == nullptr);
    SHOW("retain", cuDevicePrimaryCtxRetain(&ctx, dev)); SHOW("set", cuCtxSetCurrent(ctx)); unsigned flags; SHOW("state", cuDevicePrimaryCtxGetState(dev, &flags, &n)); printf("active %d\n", n);
    SHOW("push", cuCtxPushCurrent(ctx)); SHOW("pop", cuCtxPopCurrent(&got)); printf("same %d\n", got == ctx);
    SHOW("module", cuModuleLoadData(&mod, ptx)); SHOW("function", cuModuleGetFunction(&f, mod, "fill")); SHOW("missing", cuModuleGetFunction(&missing, mod, "nothing")); SHOW("bad_image", cuModuleLoadData(&mod + 0, "garbage that is not PTX"));
    SHOW("module", cuModuleLoadDataEx(&mod, ptx, 0, nullptr, nullptr)); cuModuleGetFunction(&f, mod, "fill"); SHOW("no_file", cuModuleLoad(&mod, "/nowhere/x.cubin"));
    SHOW("global", cuModuleGetGlobal(&q, &bytes, mod, "counter")); printf("bytes %zu\n", bytes); SHOW("read", cuMemcpyDtoH(&n, q, 4)); printf("counter %d\n", n); SHOW("no_global", cuModuleGetGlobal(&q, &bytes, mod, "none"));
    SHOW("alloc", cuMemAlloc(&p, 64)); SHOW("alloc_zero", cuMemAlloc(&q, 0)); unsigned value = 100; int out[16] = {0};
    void *params[] = {&p, &value}; SHOW("launch", cuLaunchKernel(f, 2, 1, 1, 8, 1, 1, 0, 0, params, nullptr)); SHOW("copy", cuMemcpyDtoH(out, p, 64)); printf("%d %d %d\n", out[0], out[1], out[15]);
    struct { CUdeviceptr p; unsigned v; } block = {p, 7}; size_t size = 12; void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    SHOW("launch_extra", cuLaunchKernel(f, 1, 1, 1, 16, 1, 1, 0, 0, nullptr, extra)); cuMemcpyDtoH(out, p, 64); printf("%d %d\n", out[0], out[15]);
    SHOW("launch_both", cuLaunchKernel(f, 1, 1, 1, 16, 1, 1, 0, 0, params, extra)); SHOW("launch_null", cuLaunchKernel(nullptr, 1, 1, 1, 16, 1, 1, 0, 0, params, nullptr)); SHOW("launch_zero", cuLaunchKernel(f, 0, 1, 1, 16, 1, 1, 0, 0, params, nullptr)); SHOW("launch_2000", cuLaunchKernel(f, 1, 1, 1, 2000, 1, 1, 0, 0, params, nullptr));
    SHOW("attribute", cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f)); printf("threads %d\n", n); SHOW("attribute_bad", cuFuncGetAttribute(&n, (CUfunction_attribute)99, f)); size_t offset; SHOW("param", cuFuncGetParamInfo(f, 1, &offset, &bytes)); printf("%zu %zu\n", offset, bytes); SHOW("param_past", cuFuncGetParamInfo(f, 2, &offset, &bytes));
    SHOW("d8", cuMemsetD8(p, 1, 64)); SHOW("d16", cuMemsetD16(p, 2, 8)); SHOW("d32", cuMemsetD32(p + 32, 3, 4)); cuMemcpyDtoH(out, p, 64); printf("%x %x %x\n", out[0], out[8], out[15]); SHOW("d32_odd", cuMemsetD32(p + 2, 3, 4));
    CUDA_MEMCPY2D c = {}; int small[4] = {9, 8, 7, 6}; c.srcMemoryType = CU_MEMORYTYPE_HOST; c.srcHost = small; c.srcPitch = 8; c.dstMemoryType = CU_MEMORYTYPE_DEVICE; c.dstDevice = p; c.dstPitch = 16; c.dstXInBytes = 4; c.WidthInBytes = 8; c.Height = 2; SHOW("2d", cuMemcpy2D(&c)); cuMemcpyDtoH(out, p, 64); printf("%d %d %d %d\n", out[1], out[2], out[5], out[6]);
    CUdeviceptr base; SHOW("range", cuMemGetAddressRange(&base, &bytes, p + 8)); printf("%d %zu\n", base == p, bytes); CUmemorytype kind; SHOW("pointer", cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p)); printf("%d\n", (int)kind); SHOW("pointer_host", cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)out));
    CUstream s; CUevent a, b; float ms; SHOW("stream", cuStreamCreate(&s, CU_STREAM_NON_BLOCKING)); cuEventCreate(&a, 0); cuEventCreate(&b, 0); cuEventRecord(a, s); cuLaunchKernel(f, 1, 1, 1, 16, 1, 1, 0, s, params, nullptr); cuEventRecord(b, s); SHOW("sync", cuEventSynchronize(b)); SHOW("elapsed", cuEventElapsedTime(&ms, a, b)); printf("positive %d\n", ms >= 0); SHOW("stream_context", cuStreamGetCtx(s, &got)); printf("same %d\n", got == ctx); SHOW("destroy", cuStreamDestroy(s)); SHOW("destroy_null", cuStreamDestroy(nullptr));
    CUlibrary lib; CUkernel k; SHOW("library", cuLibraryLoadData(&lib, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0)); SHOW("kernel", cuLibraryGetKernel(&k, lib, "fill")); SHOW("no_kernel", cuLibraryGetKernel(&k, lib, "zero")); cuLibraryGetKernel(&k, lib, "fill"); unsigned many; SHOW("kernels", cuLibraryGetKernelCount(&many, lib)); printf("%u\n", many); value = 1; SHOW("launch_kernel", cuLaunchKernel((CUfunction)k, 1, 1, 1, 16, 1, 1, 0, 0, params, nullptr)); cuMemcpyDtoH(out, p, 64); printf("%d\n", out[15]); SHOW("unload", cuLibraryUnload(lib));
    SHOW("occupancy", cuOccupancyMaxPotentialBlockSize(&n, (int *)&many, f, nullptr, 0, 0)); printf("block %u\n", many);
    SHOW("name", cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text)); printf("%s\n", text); SHOW("name_bad", cuGetErrorName((CUresult)12345, &text)); SHOW("string", cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text)); printf("%s\n", text);
    void *fn; CUdriverProcAddressQueryResult status; SHOW("proc", cuGetProcAddress("cuMemAlloc", &fn, 12000, 0, &status)); printf("%d %d\n", fn != nullptr, (int)status); SHOW("proc_none", cuGetProcAddress("cuNoSuchThing", &fn, 12000, 0, &status)); printf("%d %d\n", fn == nullptr, (int)status); SHOW("proc_old", cuGetProcAddress("cuMemAllocAsync", &fn, 10000, 0, &status)); printf("%d\n", (int)status);
    SHOW("create", cuCtxCreate(&other, nullptr, 0, dev)); cuCtxGetCurrent(&got); printf("current %d\n", got == other); SHOW("destroy_context", cuCtxDestroy(other)); cuCtxGetCurrent(&got); printf("back %d\n", got == ctx); SHOW("destroyed", cuCtxDestroy(other)); SHOW("free", cuMemFree(p)); SHOW("free_again", cuMemFree(p)); SHOW("unload", cuModuleUnload(mod)); SHOW("release", cuDevicePrimaryCtxRelease(dev)); SHOW("release_again", cuDevicePrimaryCtxRelease(dev));
    SHOW("version", cuDriverGetVersion(&n)); SHOW("version_null", cuDriverGetVersion(nullptr));
    return 0;
}
