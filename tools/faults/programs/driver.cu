// The driver API: a module from PTX, a library of kernels, a stream with an event, a pool, a host function.
#include <cstdio>
#include <cstdlib>
#include <cuda.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        CUresult status_ = (call);                                                                 \
        if (status_ != CUDA_SUCCESS) {                                                             \
            std::printf("%s: error %d\n", #call, (int)status_);                                    \
            std::exit(2);                                                                          \
        }                                                                                          \
    } while (0)

static const char ptx[] = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 step = 3;
.visible .entry add(.param .u64 data)
{
    .reg .b32 %r<5>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [data];
    cvta.to.global.u64 %d1, %d1;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r1, %r2, %r3, %r1;
    mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
    ld.global.u32 %r2, [%d3]; ld.global.u32 %r4, [step];
    add.u32 %r2, %r2, %r4;
    st.global.u32 [%d3], %r2;
    ret;
}
)";

static void CUDA_CB noted(void *count) { ++*static_cast<int *>(count); }

int main() {
    enum { COUNT = 512, THREADS = 128 };
    static unsigned values[COUNT];
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUlibrary library;
    CUkernel kernel;
    CUfunction function;
    CUstream stream;
    CUevent event;
    CUdeviceptr data, step, scratch;
    size_t bytes;
    unsigned seven = 7;
    int calls = 0;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoadData(&module, ptx));
    CHECK(cuModuleGetFunction(&function, module, "add"));
    CHECK(cuModuleGetGlobal(&step, &bytes, module, "step"));
    CHECK(cuMemcpyHtoD(step, &seven, sizeof seven));
    CHECK(cuLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    CHECK(cuLibraryGetKernel(&kernel, library, "add"));
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuEventCreate(&event, CU_EVENT_DEFAULT));
    CHECK(cuMemAlloc(&data, sizeof values));
    CHECK(cuMemAllocAsync(&scratch, sizeof values, stream));
    for (unsigned i = 0; i < COUNT; ++i) values[i] = i;
    CHECK(cuMemcpyHtoDAsync(data, values, sizeof values, stream));
    void *parameters[] = {&data};
    for (int i = 0; i < 3; ++i)
        CHECK(cuLaunchKernel(function, COUNT / THREADS, 1, 1, THREADS, 1, 1, 0, stream, parameters, nullptr));
    CHECK(cuLaunchKernel((CUfunction)kernel, COUNT / THREADS, 1, 1, THREADS, 1, 1, 0, stream, parameters, nullptr));
    CHECK(cuMemcpyDtoDAsync(scratch, data, sizeof values, stream));
    CHECK(cuLaunchHostFunc(stream, noted, &calls));
    CHECK(cuEventRecord(event, stream));
    CHECK(cuEventSynchronize(event));
    CHECK(cuMemcpyDtoH(values, scratch, sizeof values));
    CHECK(cuMemFreeAsync(scratch, stream));
    CHECK(cuStreamSynchronize(stream));
    int wrong = calls != 1;
    for (unsigned i = 0; i < COUNT; ++i) wrong += values[i] != i + 3 * 7 + 3;
    CHECK(cuEventDestroy(event));
    CHECK(cuStreamDestroy(stream));
    CHECK(cuMemFree(data));
    CHECK(cuLibraryUnload(library));
    CHECK(cuModuleUnload(module));
    CHECK(cuDevicePrimaryCtxRelease(device));
    std::printf("driver: %d wrong, the last is %u\n", wrong, values[COUNT - 1]);
    return wrong != 0;
}
