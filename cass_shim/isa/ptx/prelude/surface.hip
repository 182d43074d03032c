#define PTX_TRAP 0

#define PTX_CLAMP 1

#define PTX_ZERO 2

/* The resource of a surface: texels as unsigned integers of their size, of the type that the access needs. */
FN V8<u32> ptx_raw(const PtxTexture &t, u32 type) {
    V8<u32> image = ptx_image(t);
    u32 bytes = t.texel_bytes, format = bytes == 1 ? 5 : bytes == 2 ? 11 : bytes == 4 ? 20 : bytes == 8 ? 48 : 61;
    image[1] = (image[1] & ~(255u << 20)) | format << 20;
    image[3] = (image[3] & 0x0ffff000) | type << 28 | 0xfac;
    return image;
}

/* Whether this is what handle 0 leads to, a reference to which nothing is bound: reads give 0, stores do nothing. */
FN bool ptx_unbound(const PtxTexture &t) { return t.texel_bytes == 0; }

/* Whether its channels are signed integers (recorded on an H100 for unsigned ones; PTX ISA 9.0 §9.7.11.4, sured.p). */
FN bool ptx_signed_texels(u64 table, u64 handle) { return (ptx_texture(table, handle).flags >> 12 & 15) == 1; }

/* Whether a coordinate lies outside; with PTX_CLAMP it is moved instead. */
FN bool ptx_outside(u32 &at, u32 extent, u32 mode) {
    if (mode != PTX_CLAMP) return at >= extent;
    at = (i32)at < 0 ? 0 : at >= extent ? extent - 1 : at;
    return false;
}

/* x in bytes to a texel and the byte in it. */
FN u32 ptx_split(const PtxTexture &t, u32 &x) {
    u32 byte = x & (t.texel_bytes - 1);
    x = (u32)((i32)x >> __builtin_ctz(t.texel_bytes));
    return byte;
}

/* `size` bytes of a texel, from byte `byte` on. */
template <u32 size> FN V4<u32> ptx_part(V4<u32> texel, u32 byte, bool outside) {
    V4<u32> part = texel;
    if (size == 8 && byte >= 8) part[0] = texel[2], part[1] = texel[3];
    if (size < 8) part[0] = byte < 4 ? texel[0] : byte < 8 ? texel[1] : byte < 12 ? texel[2] : texel[3];
    if (size < 4) part[0] = part[0] >> 8 * (byte & 3) & (1u << 8 * (size & 3)) - 1;
    return outside ? (V4<u32>)0 : part;
}

extern "C" __attribute__((device)) V4<u32> ptx_ir_surface_load_1d(u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.load.1d.v4i32.i32");
template <u32 size, u32 mode> FN V4<u32> ptx_suld_1d(u64 table, u64 handle, u32 x) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return (V4<u32>)0;
    u32 byte = ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode);
    if ((mode == PTX_TRAP && outside) || size > t.texel_bytes) ptx_stop();
    return ptx_part<size>(ptx_ir_surface_load_1d(15, x, ptx_raw(t, 8), 0, 0), byte, outside);
}

extern "C" __attribute__((device)) void ptx_ir_surface_store_1d(V4<f32>, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.store.1d.v4f32.i32");
template <u32 size, u32 mode> FN void ptx_sust_1d(u64 table, u64 handle, u32 x, V4<u32> value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (size) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode);
    if ((mode == PTX_TRAP && outside) || (size && size != t.texel_bytes)) ptx_stop();
    if (!outside) ptx_ir_surface_store_1d(as<V4<f32>>(value), 15, x, size ? ptx_raw(t, 8) : ptx_image(t), 0, 0);
}

extern "C" __attribute__((device)) V4<u32> ptx_ir_surface_load_2d(u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.load.2d.v4i32.i32");
template <u32 size, u32 mode> FN V4<u32> ptx_suld_2d(u64 table, u64 handle, u32 x, u32 y) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return (V4<u32>)0;
    u32 byte = ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode);
    if ((mode == PTX_TRAP && outside) || size > t.texel_bytes) ptx_stop();
    return ptx_part<size>(ptx_ir_surface_load_2d(15, x, y, ptx_raw(t, 9), 0, 0), byte, outside);
}

extern "C" __attribute__((device)) void ptx_ir_surface_store_2d(V4<f32>, u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.store.2d.v4f32.i32");
template <u32 size, u32 mode> FN void ptx_sust_2d(u64 table, u64 handle, u32 x, u32 y, V4<u32> value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (size) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode);
    if ((mode == PTX_TRAP && outside) || (size && size != t.texel_bytes)) ptx_stop();
    if (!outside) ptx_ir_surface_store_2d(as<V4<f32>>(value), 15, x, y, size ? ptx_raw(t, 9) : ptx_image(t), 0, 0);
}

extern "C" __attribute__((device)) V4<u32> ptx_ir_surface_load_3d(u32, u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.load.3d.v4i32.i32");
template <u32 size, u32 mode> FN V4<u32> ptx_suld_3d(u64 table, u64 handle, u32 x, u32 y, u32 z) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return (V4<u32>)0;
    u32 byte = ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode) | ptx_outside(z, t.depth, mode);
    if ((mode == PTX_TRAP && outside) || size > t.texel_bytes) ptx_stop();
    return ptx_part<size>(ptx_ir_surface_load_3d(15, x, y, z, ptx_raw(t, 10), 0, 0), byte, outside);
}

extern "C" __attribute__((device)) void ptx_ir_surface_store_3d(V4<f32>, u32, u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.store.3d.v4f32.i32");
template <u32 size, u32 mode> FN void ptx_sust_3d(u64 table, u64 handle, u32 x, u32 y, u32 z, V4<u32> value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (size) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode) | ptx_outside(z, t.depth, mode);
    if ((mode == PTX_TRAP && outside) || (size && size != t.texel_bytes)) ptx_stop();
    if (!outside) ptx_ir_surface_store_3d(as<V4<f32>>(value), 15, x, y, z, size ? ptx_raw(t, 10) : ptx_image(t), 0, 0);
}

extern "C" __attribute__((device)) V4<u32> ptx_ir_surface_load_a1d(u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.load.1darray.v4i32.i32");
template <u32 size, u32 mode> FN V4<u32> ptx_suld_a1d(u64 table, u64 handle, u32 layer, u32 x) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return (V4<u32>)0;
    u32 byte = ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(layer, t.depth, mode);
    if ((mode == PTX_TRAP && outside) || size > t.texel_bytes) ptx_stop();
    return ptx_part<size>(ptx_ir_surface_load_a1d(15, x, layer, ptx_raw(t, 12), 0, 0), byte, outside);
}

extern "C" __attribute__((device)) void ptx_ir_surface_store_a1d(V4<f32>, u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.store.1darray.v4f32.i32");
template <u32 size, u32 mode> FN void ptx_sust_a1d(u64 table, u64 handle, u32 layer, u32 x, V4<u32> value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (size) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(layer, t.depth, mode);
    if ((mode == PTX_TRAP && outside) || (size && size != t.texel_bytes)) ptx_stop();
    if (!outside) ptx_ir_surface_store_a1d(as<V4<f32>>(value), 15, x, layer, size ? ptx_raw(t, 12) : ptx_image(t), 0, 0);
}

extern "C" __attribute__((device)) V4<u32> ptx_ir_surface_load_a2d(u32, u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.load.2darray.v4i32.i32");
template <u32 size, u32 mode> FN V4<u32> ptx_suld_a2d(u64 table, u64 handle, u32 layer, u32 x, u32 y) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return (V4<u32>)0;
    u32 byte = ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode) | ptx_outside(layer, t.depth, mode);
    if ((mode == PTX_TRAP && outside) || size > t.texel_bytes) ptx_stop();
    return ptx_part<size>(ptx_ir_surface_load_a2d(15, x, y, layer, ptx_raw(t, 13), 0, 0), byte, outside);
}

extern "C" __attribute__((device)) void ptx_ir_surface_store_a2d(V4<f32>, u32, u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.store.2darray.v4f32.i32");
template <u32 size, u32 mode> FN void ptx_sust_a2d(u64 table, u64 handle, u32 layer, u32 x, u32 y, V4<u32> value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (size) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode) | ptx_outside(layer, t.depth, mode);
    if ((mode == PTX_TRAP && outside) || (size && size != t.texel_bytes)) ptx_stop();
    if (!outside) ptx_ir_surface_store_a2d(as<V4<f32>>(value), 15, x, y, layer, size ? ptx_raw(t, 13) : ptx_image(t), 0, 0);
}
