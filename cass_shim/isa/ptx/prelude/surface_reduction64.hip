extern "C" __attribute__((device)) u64 ptx_ir_add64_1d(u64, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.add.1d.i64.i32");
template <bool bytes, u32 mode> FN void ptx_sured_add64_1d(u64 table, u64 handle, u32 x, u64 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 8) ptx_stop();
    if (!outside) ptx_ir_add64_1d(value, x, ptx_raw(t, 8), 0, 0);
}

extern "C" __attribute__((device)) u64 ptx_ir_add64_2d(u64, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.add.2d.i64.i32");
template <bool bytes, u32 mode> FN void ptx_sured_add64_2d(u64 table, u64 handle, u32 x, u32 y, u64 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 8) ptx_stop();
    if (!outside) ptx_ir_add64_2d(value, x, y, ptx_raw(t, 9), 0, 0);
}

extern "C" __attribute__((device)) u64 ptx_ir_add64_3d(u64, u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.add.3d.i64.i32");
template <bool bytes, u32 mode> FN void ptx_sured_add64_3d(u64 table, u64 handle, u32 x, u32 y, u32 z, u64 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode) | ptx_outside(z, t.depth, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 8) ptx_stop();
    if (!outside) ptx_ir_add64_3d(value, x, y, z, ptx_raw(t, 10), 0, 0);
}

extern "C" __attribute__((device)) u64 ptx_ir_umin64_1d(u64, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.umin.1d.i64.i32");
template <bool bytes, u32 mode> FN void ptx_sured_umin64_1d(u64 table, u64 handle, u32 x, u64 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 8) ptx_stop();
    if (!outside) ptx_ir_umin64_1d(value, x, ptx_raw(t, 8), 0, 0);
}

extern "C" __attribute__((device)) u64 ptx_ir_umin64_2d(u64, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.umin.2d.i64.i32");
template <bool bytes, u32 mode> FN void ptx_sured_umin64_2d(u64 table, u64 handle, u32 x, u32 y, u64 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 8) ptx_stop();
    if (!outside) ptx_ir_umin64_2d(value, x, y, ptx_raw(t, 9), 0, 0);
}

extern "C" __attribute__((device)) u64 ptx_ir_umin64_3d(u64, u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.umin.3d.i64.i32");
template <bool bytes, u32 mode> FN void ptx_sured_umin64_3d(u64 table, u64 handle, u32 x, u32 y, u32 z, u64 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode) | ptx_outside(z, t.depth, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 8) ptx_stop();
    if (!outside) ptx_ir_umin64_3d(value, x, y, z, ptx_raw(t, 10), 0, 0);
}

extern "C" __attribute__((device)) u64 ptx_ir_smin64_1d(u64, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.smin.1d.i64.i32");
template <bool bytes, u32 mode> FN void ptx_sured_smin64_1d(u64 table, u64 handle, u32 x, u64 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 8) ptx_stop();
    if (!outside) ptx_ir_smin64_1d(value, x, ptx_raw(t, 8), 0, 0);
}

extern "C" __attribute__((device)) u64 ptx_ir_smin64_2d(u64, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.smin.2d.i64.i32");
template <bool bytes, u32 mode> FN void ptx_sured_smin64_2d(u64 table, u64 handle, u32 x, u32 y, u64 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 8) ptx_stop();
    if (!outside) ptx_ir_smin64_2d(value, x, y, ptx_raw(t, 9), 0, 0);
}

extern "C" __attribute__((device)) u64 ptx_ir_smin64_3d(u64, u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.smin.3d.i64.i32");
template <bool bytes, u32 mode> FN void ptx_sured_smin64_3d(u64 table, u64 handle, u32 x, u32 y, u32 z, u64 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode) | ptx_outside(z, t.depth, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 8) ptx_stop();
    if (!outside) ptx_ir_smin64_3d(value, x, y, z, ptx_raw(t, 10), 0, 0);
}

extern "C" __attribute__((device)) u64 ptx_ir_umax64_1d(u64, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.umax.1d.i64.i32");
template <bool bytes, u32 mode> FN void ptx_sured_umax64_1d(u64 table, u64 handle, u32 x, u64 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 8) ptx_stop();
    if (!outside) ptx_ir_umax64_1d(value, x, ptx_raw(t, 8), 0, 0);
}

extern "C" __attribute__((device)) u64 ptx_ir_umax64_2d(u64, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.umax.2d.i64.i32");
template <bool bytes, u32 mode> FN void ptx_sured_umax64_2d(u64 table, u64 handle, u32 x, u32 y, u64 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 8) ptx_stop();
    if (!outside) ptx_ir_umax64_2d(value, x, y, ptx_raw(t, 9), 0, 0);
}

extern "C" __attribute__((device)) u64 ptx_ir_umax64_3d(u64, u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.umax.3d.i64.i32");
template <bool bytes, u32 mode> FN void ptx_sured_umax64_3d(u64 table, u64 handle, u32 x, u32 y, u32 z, u64 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode) | ptx_outside(z, t.depth, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 8) ptx_stop();
    if (!outside) ptx_ir_umax64_3d(value, x, y, z, ptx_raw(t, 10), 0, 0);
}

extern "C" __attribute__((device)) u64 ptx_ir_smax64_1d(u64, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.smax.1d.i64.i32");
template <bool bytes, u32 mode> FN void ptx_sured_smax64_1d(u64 table, u64 handle, u32 x, u64 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 8) ptx_stop();
    if (!outside) ptx_ir_smax64_1d(value, x, ptx_raw(t, 8), 0, 0);
}

extern "C" __attribute__((device)) u64 ptx_ir_smax64_2d(u64, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.smax.2d.i64.i32");
template <bool bytes, u32 mode> FN void ptx_sured_smax64_2d(u64 table, u64 handle, u32 x, u32 y, u64 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 8) ptx_stop();
    if (!outside) ptx_ir_smax64_2d(value, x, y, ptx_raw(t, 9), 0, 0);
}

extern "C" __attribute__((device)) u64 ptx_ir_smax64_3d(u64, u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.smax.3d.i64.i32");
template <bool bytes, u32 mode> FN void ptx_sured_smax64_3d(u64 table, u64 handle, u32 x, u32 y, u32 z, u64 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode) | ptx_outside(z, t.depth, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 8) ptx_stop();
    if (!outside) ptx_ir_smax64_3d(value, x, y, z, ptx_raw(t, 10), 0, 0);
}
