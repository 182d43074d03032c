extern "C" __attribute__((device)) u32 ptx_ir_add_1d(u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.add.1d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_add_1d(u64 table, u64 handle, u32 x, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_add_1d(value, x, ptx_raw(t, 8), 0, 0);
}

extern "C" __attribute__((device)) u32 ptx_ir_add_2d(u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.add.2d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_add_2d(u64 table, u64 handle, u32 x, u32 y, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_add_2d(value, x, y, ptx_raw(t, 9), 0, 0);
}

extern "C" __attribute__((device)) u32 ptx_ir_add_3d(u32, u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.add.3d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_add_3d(u64 table, u64 handle, u32 x, u32 y, u32 z, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode) | ptx_outside(z, t.depth, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_add_3d(value, x, y, z, ptx_raw(t, 10), 0, 0);
}

extern "C" __attribute__((device)) u32 ptx_ir_umin_1d(u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.umin.1d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_umin_1d(u64 table, u64 handle, u32 x, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_umin_1d(value, x, ptx_raw(t, 8), 0, 0);
}

extern "C" __attribute__((device)) u32 ptx_ir_umin_2d(u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.umin.2d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_umin_2d(u64 table, u64 handle, u32 x, u32 y, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_umin_2d(value, x, y, ptx_raw(t, 9), 0, 0);
}

extern "C" __attribute__((device)) u32 ptx_ir_umin_3d(u32, u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.umin.3d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_umin_3d(u64 table, u64 handle, u32 x, u32 y, u32 z, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode) | ptx_outside(z, t.depth, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_umin_3d(value, x, y, z, ptx_raw(t, 10), 0, 0);
}

extern "C" __attribute__((device)) u32 ptx_ir_smin_1d(u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.smin.1d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_smin_1d(u64 table, u64 handle, u32 x, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_smin_1d(value, x, ptx_raw(t, 8), 0, 0);
}

extern "C" __attribute__((device)) u32 ptx_ir_smin_2d(u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.smin.2d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_smin_2d(u64 table, u64 handle, u32 x, u32 y, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_smin_2d(value, x, y, ptx_raw(t, 9), 0, 0);
}

extern "C" __attribute__((device)) u32 ptx_ir_smin_3d(u32, u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.smin.3d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_smin_3d(u64 table, u64 handle, u32 x, u32 y, u32 z, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode) | ptx_outside(z, t.depth, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_smin_3d(value, x, y, z, ptx_raw(t, 10), 0, 0);
}

extern "C" __attribute__((device)) u32 ptx_ir_umax_1d(u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.umax.1d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_umax_1d(u64 table, u64 handle, u32 x, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_umax_1d(value, x, ptx_raw(t, 8), 0, 0);
}

extern "C" __attribute__((device)) u32 ptx_ir_umax_2d(u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.umax.2d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_umax_2d(u64 table, u64 handle, u32 x, u32 y, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_umax_2d(value, x, y, ptx_raw(t, 9), 0, 0);
}

extern "C" __attribute__((device)) u32 ptx_ir_umax_3d(u32, u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.umax.3d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_umax_3d(u64 table, u64 handle, u32 x, u32 y, u32 z, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode) | ptx_outside(z, t.depth, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_umax_3d(value, x, y, z, ptx_raw(t, 10), 0, 0);
}

extern "C" __attribute__((device)) u32 ptx_ir_smax_1d(u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.smax.1d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_smax_1d(u64 table, u64 handle, u32 x, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_smax_1d(value, x, ptx_raw(t, 8), 0, 0);
}

extern "C" __attribute__((device)) u32 ptx_ir_smax_2d(u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.smax.2d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_smax_2d(u64 table, u64 handle, u32 x, u32 y, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_smax_2d(value, x, y, ptx_raw(t, 9), 0, 0);
}

extern "C" __attribute__((device)) u32 ptx_ir_smax_3d(u32, u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.smax.3d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_smax_3d(u64 table, u64 handle, u32 x, u32 y, u32 z, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode) | ptx_outside(z, t.depth, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_smax_3d(value, x, y, z, ptx_raw(t, 10), 0, 0);
}

extern "C" __attribute__((device)) u32 ptx_ir_and_1d(u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.and.1d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_and_1d(u64 table, u64 handle, u32 x, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_and_1d(value, x, ptx_raw(t, 8), 0, 0);
}

extern "C" __attribute__((device)) u32 ptx_ir_and_2d(u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.and.2d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_and_2d(u64 table, u64 handle, u32 x, u32 y, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_and_2d(value, x, y, ptx_raw(t, 9), 0, 0);
}

extern "C" __attribute__((device)) u32 ptx_ir_and_3d(u32, u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.and.3d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_and_3d(u64 table, u64 handle, u32 x, u32 y, u32 z, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode) | ptx_outside(z, t.depth, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_and_3d(value, x, y, z, ptx_raw(t, 10), 0, 0);
}

extern "C" __attribute__((device)) u32 ptx_ir_or_1d(u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.or.1d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_or_1d(u64 table, u64 handle, u32 x, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_or_1d(value, x, ptx_raw(t, 8), 0, 0);
}

extern "C" __attribute__((device)) u32 ptx_ir_or_2d(u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.or.2d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_or_2d(u64 table, u64 handle, u32 x, u32 y, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_or_2d(value, x, y, ptx_raw(t, 9), 0, 0);
}

extern "C" __attribute__((device)) u32 ptx_ir_or_3d(u32, u32, u32, u32, V8<u32>, u32, u32)
    __asm("llvm.amdgcn.image.atomic.or.3d.i32.i32");
template <bool bytes, u32 mode> FN void ptx_sured_or_3d(u64 table, u64 handle, u32 x, u32 y, u32 z, u32 value) {
    PtxTexture t = ptx_texture(table, handle);
    if (ptx_unbound(t)) return;
    if (bytes) ptx_split(t, x);
    bool outside = ptx_outside(x, t.width, mode) | ptx_outside(y, t.height, mode) | ptx_outside(z, t.depth, mode);
    if ((mode == PTX_TRAP && outside) || t.texel_bytes != 4) ptx_stop();
    if (!outside) ptx_ir_or_3d(value, x, y, z, ptx_raw(t, 10), 0, 0);
}
