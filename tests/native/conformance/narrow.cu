// The first versions of driver functions, whose addresses and sizes have 32 bits: what a 64-bit process gets from them.
#include <cuda.h>
#include "section.h"

typedef unsigned int narrow;
static CUdevice dev;
static CUcontext primary;
static void start() { cuInit(0); cuDeviceGet(&dev, 0); cuDevicePrimaryCtxRetain(&primary, dev); cuCtxSetCurrent(primary); }
#define FN(name, ...) auto *name##_1 = driver_function<CUresult(__VA_ARGS__)>(#name)
struct Array { narrow width, height; CUarray_format format; narrow channels; };
struct Array3 { narrow width, height, depth; CUarray_format format; narrow channels, flags; };
struct Copy2 { narrow src_x, src_y; CUmemorytype src_type; const void *src_host; narrow src_device; CUarray src_array; narrow src_pitch;
               narrow dst_x, dst_y; CUmemorytype dst_type; void *dst_host; narrow dst_device; CUarray dst_array; narrow dst_pitch, width, height; };
struct Copy3 { narrow src_x, src_y, src_z, src_lod; CUmemorytype src_type; const void *src_host; narrow src_device; CUarray src_array; void *reserved0; narrow src_pitch, src_height;
               narrow dst_x, dst_y, dst_z, dst_lod; CUmemorytype dst_type; void *dst_host; narrow dst_device; CUarray dst_array; void *reserved1; narrow dst_pitch, dst_height, width, height, depth; };

static void sizes() {
    FN(cuDeviceTotalMem, narrow *, CUdevice); FN(cuMemGetInfo, narrow *, narrow *);
    narrow total = 77, available = 77; size_t wide = 0;
    SHOW("total_before_init", cuDeviceTotalMem_1(&total, 0));
    start(); cuDeviceTotalMem(&wide, dev); total = 77;
    SHOW("total", cuDeviceTotalMem_1(&total, dev)); printf("low %d most %d zero %d\n", total == (narrow)wide, total == 0xffffffffu, total == 0); SHOW("total_null", cuDeviceTotalMem_1(nullptr, dev)); SHOW("total_99", cuDeviceTotalMem_1(&total, 99));
    total = 77; SHOW("memory", cuMemGetInfo_1(&available, &total)); printf("low %d most %d\n", total == (narrow)wide, total == 0xffffffffu);
    SHOW("memory_null", cuMemGetInfo_1(nullptr, &total));
}

static void allocations() {
    FN(cuMemAlloc, narrow *, narrow); FN(cuMemFree, narrow); FN(cuMemAllocPitch, narrow *, narrow *, narrow, narrow, narrow); FN(cuMemAllocHost, void **, narrow); FN(cuMemHostGetDevicePointer, narrow *, void *, narrow); FN(cuMemGetAddressRange, narrow *, narrow *, narrow);
    start();
    narrow p = 77, pitch = 77; void *host = nullptr;
    SHOW("alloc", cuMemAlloc_1(&p, 64)); printf("kept %d\n", p == 77); SHOW("alloc_0", cuMemAlloc_1(&p, 0)); SHOW("alloc_null", cuMemAlloc_1(nullptr, 64));
    p = 77; SHOW("pitch", cuMemAllocPitch_1(&p, &pitch, 100, 4, 4)); printf("kept %d %d\n", p == 77, pitch == 77);
    SHOW("host", cuMemAllocHost_1(&host, 4096)); printf("made %d\n", host != nullptr); p = 77;
    SHOW("host_pointer", cuMemHostGetDevicePointer_1(&p, host, 0)); printf("kept %d\n", p == 77); SHOW("host_free", cuMemFreeHost(host));
    SHOW("free_0", cuMemFree_1(0)); SHOW("free_16", cuMemFree_1(4096)); narrow base = 77, size = 77; SHOW("range", cuMemGetAddressRange_1(&base, &size, 4096)); SHOW("range_0", cuMemGetAddressRange_1(&base, &size, 0));
}

static void linear() {
    FN(cuMemcpyHtoD, narrow, const void *, narrow); FN(cuMemcpyDtoH, void *, narrow, narrow); FN(cuMemcpyDtoD, narrow, narrow, narrow); FN(cuMemcpyHtoDAsync, narrow, const void *, narrow, CUstream); FN(cuMemcpyDtoHAsync, void *, narrow, narrow, CUstream); FN(cuMemcpyDtoDAsync, narrow, narrow, narrow, CUstream);
    FN(cuMemsetD8, narrow, unsigned char, narrow); FN(cuMemsetD16, narrow, unsigned short, narrow); FN(cuMemsetD32, narrow, narrow, narrow); FN(cuMemsetD2D8, narrow, narrow, unsigned char, narrow, narrow); FN(cuMemsetD2D16, narrow, narrow, unsigned short, narrow, narrow); FN(cuMemsetD2D32, narrow, narrow, narrow, narrow, narrow);
    start(); int v[4] = {1, 2, 3, 4};
    SHOW("h2d", cuMemcpyHtoD_1(4096, v, 16)); SHOW("d2h", cuMemcpyDtoH_1(v, 4096, 16)); SHOW("d2d", cuMemcpyDtoD_1(4096, 8192, 16)); SHOW("h2d_0", cuMemcpyHtoD_1(0, v, 0)); SHOW("h2d_null", cuMemcpyHtoD_1(0, v, 16));
    SHOW("h2d_async", cuMemcpyHtoDAsync_1(4096, v, 16, nullptr)); SHOW("d2h_async", cuMemcpyDtoHAsync_1(v, 4096, 16, nullptr)); SHOW("d2d_async", cuMemcpyDtoDAsync_1(4096, 8192, 16, nullptr));
    SHOW("d8", cuMemsetD8_1(4096, 1, 16)); SHOW("d16", cuMemsetD16_1(4096, 1, 8)); SHOW("d32", cuMemsetD32_1(4096, 1, 4)); SHOW("d2d8", cuMemsetD2D8_1(4096, 16, 1, 4, 4)); SHOW("d2d16", cuMemsetD2D16_1(4096, 16, 1, 4, 4)); SHOW("d2d32", cuMemsetD2D32_1(4096, 16, 1, 4, 4)); SHOW("d8_0", cuMemsetD8_1(0, 1, 0));
}

static void arrays() {
    FN(cuArrayCreate, CUarray *, const Array *); FN(cuArrayGetDescriptor, Array *, CUarray); FN(cuArray3DCreate, CUarray *, const Array3 *); FN(cuArray3DGetDescriptor, Array3 *, CUarray); FN(cuMemcpyHtoA, CUarray, narrow, const void *, narrow); FN(cuMemcpyAtoH, void *, CUarray, narrow, narrow); FN(cuMemcpyAtoA, CUarray, narrow, CUarray, narrow, narrow); FN(cuMemcpyAtoD, narrow, CUarray, narrow, narrow); FN(cuMemcpyDtoA, CUarray, narrow, narrow, narrow); FN(cuMemcpyHtoAAsync, CUarray, narrow, const void *, narrow, CUstream); FN(cuMemcpyAtoHAsync, void *, CUarray, narrow, narrow, CUstream); FN(cuMemcpy2D, const Copy2 *); FN(cuMemcpy2DUnaligned, const Copy2 *); FN(cuMemcpy2DAsync, const Copy2 *, CUstream); FN(cuMemcpy3D, const Copy3 *); FN(cuMemcpy3DAsync, const Copy3 *, CUstream);
    start(); CUarray a = nullptr, b = nullptr, c = nullptr; Array d = {8, 4, CU_AD_FORMAT_SIGNED_INT32, 1}, got; Array3 d3 = {4, 4, 2, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0}, got3; int v[32], w[32]; memset(w, 0, sizeof w); for (int i = 0; i < 32; i++) v[i] = i + 1;
    SHOW("create", cuArrayCreate_1(&a, &d)); SHOW("create_b", cuArrayCreate_1(&b, &d)); memset(&got, 0, sizeof got); SHOW("descriptor", cuArrayGetDescriptor_1(&got, a)); printf("%u %u %d %u\n", got.width, got.height, (int)got.format, got.channels);
    SHOW("create3", cuArray3DCreate_1(&c, &d3)); memset(&got3, 0, sizeof got3); SHOW("descriptor3", cuArray3DGetDescriptor_1(&got3, c)); printf("%u %u %u %d %u %u\n", got3.width, got3.height, got3.depth, (int)got3.format, got3.channels, got3.flags);
    SHOW("create_null", cuArrayCreate_1(nullptr, &d)); SHOW("create_none", cuArrayCreate_1(&a, nullptr)); d.channels = 3; SHOW("create_channels", cuArrayCreate_1(&c, &d));
    SHOW("to", cuMemcpyHtoA_1(a, 0, v, 32)); SHOW("between", cuMemcpyAtoA_1(b, 4, a, 0, 16)); SHOW("from", cuMemcpyAtoH_1(w, b, 0, 32)); printf("%d %d %d\n", w[1], w[2], w[4]); SHOW("to_device", cuMemcpyAtoD_1(4096, a, 0, 16)); SHOW("from_device", cuMemcpyDtoA_1(a, 0, 4096, 16));
    SHOW("to_async", cuMemcpyHtoAAsync_1(a, 0, v + 4, 16, nullptr)); SHOW("from_async", cuMemcpyAtoHAsync_1(w, a, 0, 16, nullptr)); cuCtxSynchronize(); printf("%d %d\n", w[0], w[3]); SHOW("past", cuMemcpyHtoA_1(a, 16, v, 1000));
    Copy2 k = {}; k.src_type = CU_MEMORYTYPE_HOST; k.src_host = v; k.src_pitch = 32; k.dst_type = CU_MEMORYTYPE_ARRAY; k.dst_array = a; k.width = 32; k.height = 4; SHOW("2d", cuMemcpy2D_1(&k)); SHOW("2d_unaligned", cuMemcpy2DUnaligned_1(&k)); SHOW("2d_async", cuMemcpy2DAsync_1(&k, nullptr));
    Copy2 r = {}; r.src_type = CU_MEMORYTYPE_ARRAY; r.src_array = a; r.src_y = 1; r.dst_type = CU_MEMORYTYPE_HOST; r.dst_host = w; r.dst_pitch = 32; r.width = 32; r.height = 2; SHOW("2d_back", cuMemcpy2D_1(&r)); printf("%d %d\n", w[0], w[15]); SHOW("2d_null", cuMemcpy2D_1(nullptr));
    Copy3 t = {}; t.src_type = CU_MEMORYTYPE_HOST; t.src_host = v; t.src_pitch = 16; t.src_height = 4; t.dst_type = CU_MEMORYTYPE_ARRAY; t.dst_array = c; t.width = 16; t.height = 4; t.depth = 2; SHOW("3d", cuMemcpy3D_1(&t)); Copy3 u = {}; u.src_type = CU_MEMORYTYPE_ARRAY; u.src_array = c; u.src_z = 1; u.dst_type = CU_MEMORYTYPE_HOST; u.dst_host = w; u.dst_pitch = 16; u.dst_height = 4; u.width = 16; u.height = 4; u.depth = 1; SHOW("3d_back", cuMemcpy3DAsync_1(&u, nullptr)); cuCtxSynchronize(); printf("%d %d\n", w[0], w[15]);
    Copy2 x = {}; x.src_type = CU_MEMORYTYPE_DEVICE; x.src_device = 4096; x.src_pitch = 32; x.dst_type = CU_MEMORYTYPE_ARRAY; x.dst_array = a; x.width = 32; x.height = 4; SHOW("2d_device", cuMemcpy2D_1(&x));
}

static void modules() {
    static const char ptx[] = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .global .align 4 .u32 counter = 11;\n.visible .entry f() { ret; }\n";
    FN(cuModuleGetGlobal, narrow *, narrow *, CUmodule, const char *);
    start(); CUmodule m; narrow p = 77, n = 77; SHOW("load", cuModuleLoadData(&m, ptx)); SHOW("global", cuModuleGetGlobal_1(&p, &n, m, "counter")); printf("kept %d bytes %u\n", p == 77, n); n = 77; SHOW("size_only", cuModuleGetGlobal_1(nullptr, &n, m, "counter")); printf("%u\n", n); SHOW("none", cuModuleGetGlobal_1(&p, &n, m, "nothing"));
    FN(cuCtxCreate, CUcontext *, unsigned, CUdevice); FN(cuStreamDestroy, CUstream); FN(cuEventDestroy, CUevent); CUstream s; cuStreamCreate(&s, 0); SHOW("stream", cuStreamDestroy_1(s)); CUevent e; cuEventCreate(&e, 0); SHOW("event", cuEventDestroy_1(e)); CUcontext c; SHOW("context", cuCtxCreate_1(&c, 0, dev));
}

int main() { SECTION(sizes); SECTION(allocations); SECTION(linear); SECTION(arrays); SECTION(modules); return 0; }
