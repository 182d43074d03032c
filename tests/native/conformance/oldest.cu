// Calls of the runtime 11.8, opened late: threads, profiler, launches on several devices, texture references. Needs
// libcudart.so.11.0 where the loader looks.
#include <cuda_runtime.h>
#include "late_runtime.h"

// What the headers of 11.8 and 12 declare.
struct texture_reference {
    int normalized, filter, address[3];
    cudaChannelFormatDesc format;
    int srgb;
    unsigned anisotropy;
    int mipmap_filter;
    float bias, low, high;
    int no_trilinear, reserved[14];
};
struct surface_reference { cudaChannelFormatDesc format; };
struct launch_of_many { const void *function; dim3 grid, block; void **arguments; size_t shared; cudaStream_t stream; };

static const char text[] =
    ".version 7.0\n.target sm_60\n.address_size 64\n"
    ".global .texref line;\n.global .texref picture;\n.global .texref chain;\n.global .surfref canvas;\n"
    ".visible .entry add(.param .u64 p, .param .u32 v)\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [p];\ncvta.to.global.u64 %d1, %d1;\nld.param.u32 %r1, [v];\nmov.u32 %r2, %tid.x;\n"
    "mul.wide.u32 %d2, %r2, 4;\nadd.u64 %d1, %d1, %d2;\nld.global.u32 %r3, [%d1];\nadd.u32 %r3, %r3, %r1;\n"
    "st.global.u32 [%d1], %r3;\nret;\n}\n"
    ".visible .entry reads(.param .u64 p)\n{\n.reg .b32 %r<12>;\n.reg .b64 %d<4>;\n.reg .f32 %f<4>;\n"
    "ld.param.u64 %d1, [p];\ncvta.to.global.u64 %d1, %d1;\nmov.u32 %r2, %tid.x;\nmul.wide.u32 %d2, %r2, 16;\n"
    "add.u64 %d1, %d1, %d2;\ntex.1d.v4.s32.s32 {%r4, %r5, %r6, %r7}, [line, {%r2}];\nst.global.u32 [%d1], %r4;\n"
    "cvt.rn.f32.u32 %f1, %r2;\nadd.f32 %f1, %f1, 0f3F000000;\nmov.f32 %f2, 0f3FC00000;\n"
    "tex.2d.v4.s32.f32 {%r4, %r5, %r6, %r7}, [picture, {%f1, %f2}];\nst.global.u32 [%d1+4], %r4;\n"
    "mov.f32 %f3, 0f3F800000;\ntex.level.2d.v4.s32.f32 {%r4, %r5, %r6, %r7}, [chain, {%f1, %f2}], %f3;\n"
    "st.global.u32 [%d1+8], %r4;\nmul.lo.u32 %r8, %r2, 4;\nmov.u32 %r9, 1;\n"
    "suld.b.2d.b32.trap {%r4}, [canvas, {%r8, %r9}];\nst.global.u32 [%d1+12], %r4;\nadd.u32 %r4, %r4, 500;\n"
    "sust.b.2d.b32.trap [canvas, {%r8, %r9}], {%r4};\nret;\n}\n";
static texture_reference line, picture, chain, unknown;
static surface_reference canvas;
static char add, reads;
static void register_all(bool textures) {
    static struct { int magic, version; const void *data, *list; } wrapper = {0x466243B1, 1, nullptr, nullptr};
    wrapper.data = fatbinary(text, sizeof text);
    void *none = nullptr;
    auto open = (void **(*)(void *))dlsym(runtime, "__cudaRegisterFatBinary");
    void **h = open(&wrapper);
    auto function = (void (*)(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *))dlsym(
        runtime, "__cudaRegisterFunction");
    function(h, &add, nullptr, "add", -1, none, none, none, none, nullptr);
    function(h, &reads, nullptr, "reads", -1, none, none, none, none, nullptr);
    auto texture = (void (*)(void **, const void *, const void **, const char *, int, int, int))dlsym(
        runtime, "__cudaRegisterTexture");
    auto surface = (void (*)(void **, const void *, const void **, const char *, int, int))dlsym(
        runtime, "__cudaRegisterSurface");
    if (textures) texture(h, &line, nullptr, "line", 1, 0, 0), texture(h, &picture, nullptr, "picture", 2, 0, 0);
    if (textures) texture(h, &chain, nullptr, "chain", 2, 0, 0), surface(h, &canvas, nullptr, "canvas", 2, 0);
    auto done = (void (*)(void **))dlsym(runtime, "__cudaRegisterFatBinaryEnd");
    done(h);
}
static int host[64], given[64];
static void begin(bool textures) {
    open_runtime("libcudart.so.11.0");
    register_all(textures);
    for (int i = 0; i < 64; i++) given[i] = i + 1;
    SHOW("malloc", call("cudaMalloc", (void **)&p, (size_t)4096));
    call("cudaMemset", (void *)p, 0, (size_t)4096), call("cudaDeviceSynchronize");
}
static void show() {
    SHOW("wait", call("cudaDeviceSynchronize"));
    call("cudaMemcpy", (void *)host, (const void *)p, sizeof host, 2);
    for (int i = 0; i < 16; i++) printf("%d%c", host[i], i == 15 ? '\n' : ' ');
}

static void threads() {
    begin(false);
    thread_calls();
}

static void profilers() {
    begin(false);
    SHOW("runtime", call("cudaProfilerInitialize", "/nowhere/settings", "/nowhere/output", 1));
    SHOW("runtime_mode", call("cudaProfilerInitialize", "/nowhere/settings", "/nowhere/output", 9));
    SHOW("runtime_null", call("cudaProfilerInitialize", (const char *)nullptr, (const char *)nullptr, 0));
    SHOW("last", call("cudaGetLastError"));
}

// One launch on several devices, of which there is one here.
static void many() {
    begin(false);
    int v = 3;
    void *arguments[] = {&p, &v};
    cudaStream_t s = nullptr;
    SHOW("stream", call("cudaStreamCreate", &s));
    launch_of_many one = {&add, dim3(1), dim3(8), arguments, 0, s}, two[2] = {one, one};
    SHOW("one", call("cudaLaunchCooperativeKernelMultiDevice", &one, 1u, 0u));
    show();
    SHOW("flags", call("cudaLaunchCooperativeKernelMultiDevice", &one, 1u, 3u));
    show();
    SHOW("flags_wrong", call("cudaLaunchCooperativeKernelMultiDevice", &one, 1u, 99u));
    SHOW("none", call("cudaLaunchCooperativeKernelMultiDevice", &one, 0u, 0u));
    SHOW("null", call("cudaLaunchCooperativeKernelMultiDevice", (launch_of_many *)nullptr, 1u, 0u));
    SHOW("same_device", call("cudaLaunchCooperativeKernelMultiDevice", two, 2u, 0u));
    SHOW("too_many", call("cudaLaunchCooperativeKernelMultiDevice", two, 1000u, 0u));
    one.stream = nullptr;
    SHOW("legacy_stream", call("cudaLaunchCooperativeKernelMultiDevice", &one, 1u, 0u));
    one.stream = s, one.grid = dim3(1 << 20);
    SHOW("too_large", call("cudaLaunchCooperativeKernelMultiDevice", &one, 1u, 0u));
    one.grid = dim3(1), one.function = &unknown;
    SHOW("no_function", call("cudaLaunchCooperativeKernelMultiDevice", &one, 1u, 0u));
    SHOW("last", call("cudaGetLastError"));
    show();
}

static void references() {
    begin(true);
    cudaChannelFormatDesc ints = {32, 0, 0, 0, cudaChannelFormatKindSigned};
    cudaArray_t a = nullptr, c = nullptr, level = nullptr;
    cudaMipmappedArray_t m = nullptr;
    int *data;
    size_t offset = 99;
    call("cudaMalloc", (void **)&data, sizeof given), call("cudaMemcpy", (void *)data, (const void *)given, sizeof given, 1);
    SHOW("array", call("cudaMallocArray", &a, &ints, (size_t)8, (size_t)4, 0u));
    SHOW("canvas", call("cudaMallocArray", &c, &ints, (size_t)8, (size_t)4, (unsigned)cudaArraySurfaceLoadStore));
    SHOW("fill", call("cudaMemcpyToArray", a, (size_t)0, (size_t)0, (const void *)(given + 8), (size_t)128, 1));
    SHOW("fill", call("cudaMemcpyToArray", c, (size_t)0, (size_t)0, (const void *)(given + 16), (size_t)128, 1));
    auto make = (int (*)(cudaMipmappedArray_t *, const void *, cudaExtent, unsigned, unsigned))dlsym(runtime, "cudaMallocMipmappedArray");
    SHOW("mipmap", make(&m, &ints, cudaExtent{16, 8, 0}, 2, 0));
    SHOW("level", call("cudaGetMipmappedArrayLevel", &level, m, 1u));
    SHOW("fill", call("cudaMemcpyToArray", level, (size_t)0, (size_t)0, (const void *)(given + 24), (size_t)128, 1));
    SHOW("unbound", call("cudaGetTextureAlignmentOffset", &offset, &line));
    line.address[0] = picture.address[0] = picture.address[1] = chain.address[0] = chain.address[1] = cudaAddressModeClamp;
    chain.high = 8;
    SHOW("bind", call("cudaBindTexture", &offset, &line, (const void *)data, &ints, (size_t)256));
    printf("%zu\n", offset);
    SHOW("bind_array", call("cudaBindTextureToArray", &picture, a, &ints));
    SHOW("bind_mipmap", call("cudaBindTextureToMipmappedArray", &chain, m, &ints));
    SHOW("bind_surface", call("cudaBindSurfaceToArray", &canvas, c, &ints));
    void *arguments[] = {&p};
    auto launch = (int (*)(const void *, dim3, dim3, void **, size_t, cudaStream_t))dlsym(runtime, "cudaLaunchKernel");
    SHOW("launch", launch(&reads, dim3(1), dim3(4), arguments, 0, nullptr));
    show();
    SHOW("stored", call("cudaMemcpyFromArray", (void *)host, c, (size_t)0, (size_t)1, (size_t)32, 2));
    printf("%d %d %d\n", host[0], host[3], host[4]);
    const void *found = nullptr;
    SHOW("reference", call("cudaGetTextureReference", &found, (const void *)&line));
    printf("%d\n", found == &line);
    SHOW("surface_reference", call("cudaGetSurfaceReference", &found, (const void *)&canvas));
    printf("%d\n", found == &canvas);
    SHOW("offset", call("cudaGetTextureAlignmentOffset", &offset, &line));
    printf("%zu\n", offset);
    SHOW("unbind", call("cudaUnbindTexture", &line));
    SHOW("unbind_twice", call("cudaUnbindTexture", &line));
    SHOW("offset_unbound", call("cudaGetTextureAlignmentOffset", &offset, &line));
    SHOW("last", call("cudaGetLastError"));
}
static void references_wrong() {
    begin(true);
    cudaChannelFormatDesc ints = {32, 0, 0, 0, cudaChannelFormatKindSigned}, bytes = {8, 0, 0, 0, cudaChannelFormatKindSigned};
    cudaChannelFormatDesc three = {32, 32, 32, 0, cudaChannelFormatKindSigned};
    cudaArray_t a = nullptr;
    size_t offset = 99;
    const void *found = nullptr;
    char *data;
    call("cudaMalloc", (void **)&data, (size_t)65536);
    SHOW("array", call("cudaMallocArray", &a, &ints, (size_t)8, (size_t)4, 0u));
    SHOW("unaligned", call("cudaBindTexture", &offset, &line, (const void *)(data + 16), &ints, (size_t)256));
    printf("%zu\n", offset);
    SHOW("unaligned_no_offset", call("cudaBindTexture", (size_t *)nullptr, &line, (const void *)(data + 16), &ints, (size_t)256));
    SHOW("rows", call("cudaBindTexture2D", &offset, &picture, (const void *)data, &ints, (size_t)8, (size_t)4, (size_t)512));
    printf("%zu\n", offset);
    SHOW("rows_pitch", call("cudaBindTexture2D", &offset, &picture, (const void *)data, &ints, (size_t)8, (size_t)4, (size_t)36));
    SHOW("rows_short", call("cudaBindTexture2D", &offset, &picture, (const void *)data, &ints, (size_t)64, (size_t)4, (size_t)32));
    SHOW("rows_unaligned", call("cudaBindTexture2D", &offset, &picture, (const void *)(data + 16), &ints, (size_t)8, (size_t)4, (size_t)512));
    printf("%zu\n", offset);
    SHOW("rows_0", call("cudaBindTexture2D", &offset, &picture, (const void *)data, &ints, (size_t)0, (size_t)4, (size_t)512));
    SHOW("unknown", call("cudaBindTexture", &offset, &unknown, (const void *)data, &ints, (size_t)256));
    SHOW("no_reference", call("cudaBindTexture", &offset, (texture_reference *)nullptr, (const void *)data, &ints, (size_t)256));
    SHOW("no_memory", call("cudaBindTexture", &offset, &line, (const void *)nullptr, &ints, (size_t)256));
    SHOW("host_memory", call("cudaBindTexture", &offset, &line, (const void *)given, &ints, (size_t)256));
    SHOW("no_format", call("cudaBindTexture", &offset, &line, (const void *)data, (cudaChannelFormatDesc *)nullptr, (size_t)256));
    SHOW("three", call("cudaBindTexture", &offset, &line, (const void *)data, &three, (size_t)256));
    SHOW("size_0", call("cudaBindTexture", &offset, &line, (const void *)data, &ints, (size_t)0));
    SHOW("size_large", call("cudaBindTexture", &offset, &line, (const void *)data, &ints, (size_t)1 << 40));
    SHOW("other_format", call("cudaBindTextureToArray", &picture, a, &bytes));
    SHOW("no_array", call("cudaBindTextureToArray", &picture, (cudaArray_t) nullptr, &ints));
    SHOW("surface_unstored", call("cudaBindSurfaceToArray", &canvas, a, &ints));
    SHOW("surface_null", call("cudaBindSurfaceToArray", &canvas, (cudaArray_t) nullptr, &ints));
    SHOW("mipmap_null", call("cudaBindTextureToMipmappedArray", &chain, (cudaMipmappedArray_t) nullptr, &ints));
    SHOW("reference_unknown", call("cudaGetTextureReference", &found, (const void *)&unknown));
    SHOW("surface_unknown", call("cudaGetSurfaceReference", &found, (const void *)&unknown));
    SHOW("reference_kind", call("cudaGetTextureReference", &found, (const void *)&canvas));
    SHOW("unbind_unknown", call("cudaUnbindTexture", &unknown));
    SHOW("unbind_null", call("cudaUnbindTexture", (texture_reference *)nullptr));
    SHOW("offset_null", call("cudaGetTextureAlignmentOffset", (size_t *)nullptr, &line));
    SHOW("last", call("cudaGetLastError"));
}


int main() {
    SECTION(threads); SECTION(profilers); SECTION(many); SECTION(references); SECTION(references_wrong);
    return 0;
}
